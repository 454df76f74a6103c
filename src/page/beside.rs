//! Files beside a page: scripts that carry packed data, the only files a page opened from disk may load.

/// The name of the file with this number.
pub fn chunk_name(number: usize) -> String {
    format!("items-{number:03}.js")
}

/// Whether a file of this name is one that a page of before may have left.
pub fn is_chunk_name(name: &str) -> bool {
    let number = name.strip_prefix("items-").and_then(|rest| rest.strip_suffix(".js"));
    number.is_some_and(|number| number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The text of the file with this number, which holds what [`super::packed`] gave; `remark` is a line for people.
pub fn chunk_file(number: usize, packed: &str, remark: &str) -> String {
    format!("// {remark}\ntomevalItems({number}, \"{packed}\");\n")
}
