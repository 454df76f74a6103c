//! The input of `tomeval logprob`: one JSON object per line.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use crate::arguments::stdin;
use crate::chat::Message;
use crate::parse_error::{in_words, in_words_of_line};

/// Context of the continuations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// A chat, rendered with the model's template.
    Messages(Vec<Message>),
    /// Raw text.
    Text(String),
}

/// One input line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogprobRow {
    /// Line number in the file, from 1.
    pub line: usize,
    /// Id as in the input.
    pub id: Value,
    /// Context of the continuations.
    pub prompt: Prompt,
    /// Beginning of the reply.
    pub answer_prefix: String,
    /// Texts to score.
    pub continuations: Vec<String>,
}

/// A line that cannot be scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// Line number in the file, from 1.
    pub line: usize,
    /// What is wrong, and how to fix it.
    pub problem: String,
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Reads all rows of a file, and its invalid lines. Accepts a byte order mark, Windows line ends and blank lines.
pub fn read(path: &Path) -> anyhow::Result<(Vec<LogprobRow>, Vec<RowProblem>)> {
    Ok(parse(&stdin::read(path)?))
}

fn parse(bytes: &[u8]) -> (Vec<LogprobRow>, Vec<RowProblem>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let row = match std::str::from_utf8(text) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => row(line, text.trim()),
            Err(error) => Err(format!("not UTF-8 from byte {} on; convert the file", error.valid_up_to() + 1)),
        };
        match row {
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(RowProblem { line, problem }),
        }
    }
    (rows, problems)
}

fn row(line: usize, text: &str) -> Result<LogprobRow, String> {
    let mut object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("not a JSON object: {}", in_words_of_line(error)))?;
    let id = match object.remove("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => id,
        Some(_) => return Err("`id` must be a string or a number".to_string()),
        None => return Err("`id` is missing".to_string()),
    };
    let prompt = match (object.remove("messages"), object.remove("prompt")) {
        (Some(messages), _) if !messages.is_null() => {
            Prompt::Messages(serde_json::from_value(messages).map_err(|error| {
                format!(
                    "`messages`: {}; each needs a `role` (system, user or assistant) and a `content` text",
                    in_words(error)
                )
            })?)
        }
        (_, Some(Value::String(text))) => Prompt::Text(text),
        (_, Some(_)) => return Err("`prompt` must be a string".to_string()),
        (_, None) => return Err("neither `messages` nor `prompt` is given; one is needed".to_string()),
    };
    if prompt == Prompt::Messages(Vec::new()) {
        return Err("`messages` is empty".to_string());
    }
    let answer_prefix = match object.remove("answer_prefix") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(prefix)) => prefix,
        Some(_) => return Err("`answer_prefix` must be a string".to_string()),
    };
    let continuations = object.remove("continuations").ok_or("`continuations` is missing")?;
    let continuations: Vec<String> =
        serde_json::from_value(continuations).map_err(|_| "`continuations` must be a list of strings")?;
    if continuations.is_empty() {
        return Err("`continuations` is empty; at least one is needed".to_string());
    }
    Ok(LogprobRow { line, id, prompt, answer_prefix, continuations })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: &str) -> String {
        let (rows, problems) = parse(line.as_bytes());
        assert!(rows.is_empty(), "{line}");
        problems.first().map(RowProblem::to_string).unwrap_or_default()
    }

    #[test]
    fn files_from_other_systems_are_read() {
        let text = "\u{feff}{\"id\": 1, \"prompt\": \"a\", \"continuations\": [\"b\"]}\r\n\r\n{\"id\":\"x\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"prompt\":\"unused\",\"answer_prefix\":\"[[\",\"continuations\":[\"A\"],\"gold\":null}\n";
        let (rows, problems) = parse(text.as_bytes());
        assert_eq!(problems, []);
        assert_eq!(rows[0].prompt, Prompt::Text("a".to_string()));
        assert_eq!(rows[1].prompt, Prompt::Messages(vec![Message::user("Hi")]));
        assert_eq!((rows[1].line, rows[1].answer_prefix.as_str()), (3, "[["));
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_are_kept() {
        let text = b"{\"id\": 1, \"prompt\": \"a\", \"continuations\": [\"b\"]}\n{\"id\": NaN}\n\xff\n{\"id\": 2, \"prompt\": \"a\", \"continuations\": [\"b\"]}\n";
        let (rows, problems) = parse(text);
        assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [2, 3]);
        assert!(problems[0].problem.contains("column"), "{}", problems[0]);
        assert!(problems[1].problem.contains("UTF-8"), "{}", problems[1]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let cases = [
            (r#"[1]"#, "not a JSON object"),
            (r#"{"prompt": "a", "continuations": ["b"]}"#, "`id` is missing"),
            (r#"{"id": "1", "continuations": ["b"]}"#, "neither `messages` nor `prompt`"),
            (r#"{"id": "1", "prompt": 3, "continuations": ["b"]}"#, "`prompt` must be a string"),
            (r#"{"id": "1", "prompt": "a"}"#, "`continuations` is missing"),
            (r#"{"id": "1", "prompt": "a", "continuations": []}"#, "`continuations` is empty"),
            (r#"{"id": "1", "prompt": "a", "continuations": "b"}"#, "list of strings"),
            (r#"{"id": "1", "messages": [], "continuations": ["b"]}"#, "`messages` is empty"),
            (r#"{"id": "1", "messages": [{"role": "tool", "content": "a"}], "continuations": ["b"]}"#, "`role`"),
        ];
        for (line, expected) in cases {
            let problem = problem(line);
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }
}
