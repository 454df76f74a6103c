//! Errors of JSON and TOML parsers, reworded for the file's author.

use std::fmt::Display;

/// A parser's message without its vocabulary: keys instead of fields, lists instead of sequences, no type names.
pub fn in_words(error: impl Display) -> String {
    let text = error.to_string();
    match text.strip_prefix("TOML parse error at ") {
        Some(rest) => toml_in_words(rest),
        None => text.trim_end().lines().map(line_in_words).collect::<Vec<_>>().join("\n"),
    }
}

/// Like [`in_words`] for one line of text: the position is a column only.
pub fn in_words_of_line(error: impl Display) -> String {
    in_words(error).replace(" at line 1 column ", " at column ")
}

/// Position, source line and error, in one line.
fn toml_in_words(text: &str) -> String {
    let mut lines = text.trim_end().lines();
    let place = lines.next().unwrap_or_default();
    let (shown, said): (Vec<&str>, Vec<&str>) = lines.partition(|line| {
        let number = line.split('|').next().unwrap_or_default();
        line.contains('|') && number.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit())
    });
    let line = shown.iter().filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let line = line.filter_map(|line| line.split_once('|')).map(|(_, line)| line.trim()).find(|line| !line.is_empty());
    let line = line.map_or_else(String::new, |line| format!(", `{line}`"));
    format!("{place}{line}: {}", said.into_iter().map(what_in_words).collect::<Vec<_>>().join("; "))
}

fn line_in_words(line: &str) -> String {
    let (what, place) = match line.rfind(" at line ") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let place = if place.starts_with(" at line 0") { "" } else { place };
    format!("{}{place}", what_in_words(what))
}

fn what_in_words(what: &str) -> String {
    let after = |beginning: &str| what.strip_prefix(beginning);
    if let Some(rest) = after("missing field ") {
        return format!("the key {rest} is missing");
    }
    if let Some(rest) = after("duplicate field ").or_else(|| after("duplicate key ")) {
        return format!("duplicate key {rest}; remove one");
    }
    if let Some((name, known)) = after("unknown field ").and_then(|rest| rest.split_once(", ")) {
        return match known.strip_prefix("expected one of ").or_else(|| known.strip_prefix("expected ")) {
            Some(known) => format!("unknown key {name}; known are {known}"),
            None => format!("unknown key {name}; no keys are expected here"),
        };
    }
    if let Some((name, known)) = after("unknown variant ").and_then(|rest| rest.split_once(", ")) {
        let known = known.strip_prefix("expected one of ").or_else(|| known.strip_prefix("expected ")).unwrap_or(known);
        return format!("unknown value {name}; use {known}");
    }
    let unfit = after("invalid type: ").or_else(|| after("invalid value: ")).or_else(|| after("invalid length "));
    if let Some((found, wanted)) = unfit.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("{} where {} is needed", thing_found(found), thing_wanted(wanted));
    }
    if what.starts_with("EOF while parsing") {
        return "the text ends in the middle of a value".to_string();
    }
    if let Some((_, words)) = SYNTAX.iter().find(|(theirs, _)| what.starts_with(theirs)) {
        return words.to_string();
    }
    if what.starts_with("data did not match any variant") {
        return "a value of an unexpected form".to_string();
    }
    what.to_string()
}

/// Parser messages for invalid JSON, and their rewording.
const SYNTAX: [(&str, &str); 14] = [
    ("key must be a string", "a key without quotes"),
    (
        "expected value",
        "a value that is neither a text in double quotes, a number, true, false, null, a list nor an object",
    ),
    ("expected ident", "a word that is neither true, false nor null; put texts in double quotes"),
    ("expected `:`", "no colon after a key"),
    ("expected `,` or `}`", "neither a comma nor a closing } after a value"),
    ("expected `,` or `]`", "neither a comma nor a closing ] after a value"),
    ("trailing comma", "a comma with nothing after it"),
    ("trailing characters", "more text after the end"),
    ("invalid escape", "a backslash before a letter that it does not go with; write \\\\ for a backslash"),
    ("control character", "a tab or line break inside quotes; write \\t or \\n"),
    ("invalid number", "a malformed number"),
    ("number out of range", "a number out of range"),
    ("recursion limit exceeded", "lists or objects nested too deeply"),
    ("lone leading surrogate", "half a character after \\u"),
];

fn thing_found(found: &str) -> String {
    let kinds = [
        ("string ", "the text "),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", ""),
        ("map", "an object"),
        ("sequence", "a list"),
        ("unit value", "nothing"),
    ];
    let known = kinds.iter().find_map(|(theirs, ours)| Some(format!("{ours}{}", found.strip_prefix(theirs)?)));
    known.unwrap_or_else(|| found.to_string())
}

fn thing_wanted(wanted: &str) -> String {
    match wanted {
        "a string" | "a borrowed string" | "string" => "a text".to_string(),
        "a sequence" => "a list".to_string(),
        "a map" => "an object".to_string(),
        "a boolean" => "true or false".to_string(),
        "f32" | "f64" => "a number".to_string(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more".to_string(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_string(),
        wanted if wanted.starts_with("struct ") => "an object".to_string(),
        wanted if wanted.starts_with("a nonzero") => "a whole number of 1 or more".to_string(),
        wanted => wanted.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what cannot be read is of interest")]
    struct File {
        name: String,
        count: usize,
        #[serde(default)]
        parts: Vec<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Whole,
        Half,
    }

    fn said(json: &str) -> String {
        in_words(serde_json::from_str::<File>(json).unwrap_err())
    }

    #[test]
    fn json_errors_are_in_the_writers_words() {
        let check = |json: &str, expected: &str| {
            let text = said(json);
            assert_eq!(text.split(" at line ").next(), Some(expected), "{json}: {text}");
        };
        check(r#"{"name": "x"}"#, "the key `count` is missing");
        check(r#"{"nam": "x"}"#, "unknown key `nam`; known are `name`, `count`, `parts`");
        check(r#"{"name": 3}"#, "the number `3` where a text is needed");
        check(r#"{"count": -1}"#, "the number `-1` where a whole number of 0 or more is needed");
        check(r#"{"count": "x, y"}"#, "the text \"x, y\" where a whole number of 0 or more is needed");
        check(r#"{"parts": {}}"#, "an object where a list is needed");
        check(r#"{"parts": ["third"]}"#, "unknown value `third`; use `whole` or `half`");
        check(r#"{"name": "x", "name": "y"}"#, "duplicate key `name`; remove one");
        check(r#"{"name": "#, "the text ends in the middle of a value");
        check("{name: 3}", "a key without quotes");
        check(r#"{"name" "x"}"#, "no colon after a key");
        check(r#"{"name": "x" "count": 1}"#, "neither a comma nor a closing } after a value");
        check(r#"{"name": "x",}"#, "a comma with nothing after it");
        check("{\"name\": \"x\ty\"}", "a tab or line break inside quotes; write \\t or \\n");
        check(r#"{"name": "x", "count": 1} x"#, "more text after the end");
        assert_eq!(
            in_words_of_line(serde_json::from_str::<File>("{name: 3}").unwrap_err()),
            "a key without quotes at column 2"
        );
        assert_eq!(said(r#"{"nam": "x"}"#), "unknown key `nam`; known are `name`, `count`, `parts` at line 1 column 6");
        let value = serde_json::json!({"name": null, "count": 1});
        assert_eq!(in_words(serde_json::from_value::<File>(value).unwrap_err()), "null where a text is needed");
    }

    #[test]
    fn toml_errors_keep_their_place() {
        let text = in_words(toml::from_str::<File>("name = 'x'\ncount = 'y'\n").unwrap_err());
        assert!(
            text.starts_with("line 2, column 9, `count = 'y'`: ")
                && text.ends_with("the text \"y\" where a whole number of 0 or more is needed"),
            "{text}"
        );
    }
}
