//! Files next to a page: scripts with packed data, the only files a page opened from disk may load.

/// File name of the chunk with this number.
pub fn chunk_name(number: usize) -> String {
    format!("items-{number:03}.js")
}

/// Whether this file name may be a chunk left by an earlier page.
pub fn is_chunk_name(name: &str) -> bool {
    let number = name.strip_prefix("items-").and_then(|rest| rest.strip_suffix(".js"));
    number.is_some_and(|number| number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Content of the chunk file with this number, from the output of [`super::packed`]; `remark` is a line for people.
pub fn chunk_file(number: usize, packed: &str, remark: &str) -> String {
    format!("// {remark}\ntomevalItems({number}, \"{packed}\");\n")
}
