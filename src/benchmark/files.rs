//! Reads benchmark files that hold one JSON array, and choices that only some benchmarks have.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::definition::Definition;
use super::json_document::each_of_list;
use super::unique::UniqueKeys;
use super::{LoadError, LoadOptions, RowProblem};
use crate::parse_error::in_words;

/// The text of a file, without a byte order mark.
pub(super) fn read_text(path: &Path) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    let text = String::from_utf8(bytes).map_err(|error| LoadError::Malformed {
        path: path.to_path_buf(),
        message: format!(
            "byte {} is not valid UTF-8; save the file as UTF-8 or fetch it again",
            error.utf8_error().valid_up_to()
        ),
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// The rows of a file that holds one JSON array, counted from 1; an invalid row becomes a problem.
pub(super) fn json_rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<(usize, Result<T, RowProblem>)>, LoadError> {
    let mut rows = Vec::new();
    let parse = |row: UniqueKeys| serde_json::from_value(row.checked()?);
    each_of_list(&read_text(path)?, &mut |index, row| {
        rows.push((index + 1, parse(row).map_err(|error| row_problem(path, index + 1, &error))));
    })
    .map_err(|error| LoadError::Malformed {
        path: path.to_path_buf(),
        message: format!("expected a JSON list of objects: {}; fetch the file again", in_words(error)),
    })?;
    Ok(rows)
}

fn row_problem(path: &Path, row: usize, error: &serde_json::Error) -> RowProblem {
    let field = error.to_string();
    let field = field.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()).map(str::to_string);
    RowProblem { file: path.to_path_buf(), row: Some(row), field, message: in_words(error) }
}

/// The value of a choice; by default the first known one.
pub(super) fn choose(
    options: &LoadOptions,
    benchmark: &Definition,
    choice: &'static str,
    known: &[&'static str],
) -> Result<&'static str, LoadError> {
    let Some(given) = options.choices.get(choice) else { return Ok(known[0]) };
    let chosen = known.iter().find(|name| *name == given);
    chosen.copied().ok_or_else(|| benchmark.unknown_choice(choice, given, known.join(", ")))
}

/// An identifier that some files write as a number and others as a string.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(untagged, expecting = "a number or a text where an identifier is needed")]
pub(super) enum Key {
    Number(i64),
    Text(String),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Number(number) => write!(f, "{number}"),
            Key::Text(text) => f.write_str(text.trim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tomi::TOMI;
    use super::*;

    #[test]
    fn a_bad_row_is_named_and_the_others_are_kept() {
        #[derive(serde::Deserialize)]
        struct Row {
            name: String,
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.json");
        std::fs::write(&path, "\u{feff}[{\"name\": \"a\"}, {\"nam\": \"b\"}, {\"name\": \"c\"}]").unwrap();
        let rows = json_rows::<Row>(&path).unwrap();
        let names: Vec<_> = rows.iter().filter_map(|(_, row)| row.as_ref().ok()).map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let problem = rows[1].1.as_ref().err().unwrap();
        assert_eq!((problem.row, problem.field.as_deref()), (Some(2), Some("name")));
    }

    #[test]
    fn invalid_utf8_is_named_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.json");
        std::fs::write(&path, b"[\"a\xff\"]").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("byte 3"));
    }

    #[test]
    fn an_unknown_choice_lists_the_known_ones() {
        let mut options = LoadOptions::default();
        assert_eq!(choose(&options, &TOMI, "split", &["test", "val"]).unwrap(), "test");
        options.choices.insert("split".into(), "tset".into());
        let message = choose(&options, &TOMI, "split", &["test", "val"]).unwrap_err().to_string();
        assert!(message.contains("`tset`") && message.contains("test, val"), "{message}");
    }
}
