//! Records of JSON lines, CSV and Parquet files, read so that one bad record never hides the others, and one at a time: a record takes
//! many times the memory of its line.
//!
//! Accepted silently: a byte order mark, CRLF line ends, blank lines, bare `NaN` tokens (Python's `json.dumps` writes
//! them for missing cells). Reported for the record they are in: invalid UTF-8, broken JSON, a CSV record with more or
//! fewer fields than its header.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::json_document::{each_member, each_of_list, each_of_named, nan_as_null, one_object};
use super::parquet_rows;
use super::unique::UniqueKeys;
use super::{LoadError, RowProblem};
use crate::counted::counted;
use crate::parse_error::{in_words, in_words_of_line};

/// One record of a file.
#[derive(Debug, Clone)]
pub(super) struct DataRow {
    /// Number of records before this one in its file, unreadable ones included: the row number of item ids.
    pub index: usize,
    /// The line it begins on, counted from 1.
    pub line: usize,
    pub file: PathBuf,
    /// Values by key or column name, in file order.
    pub cells: Map<String, Value>,
    /// Whether the line held bare `NaN` tokens, which strict JSON refuses.
    pub nan_tokens: bool,
}

/// The records of a file, and those that could not be read.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub rows: Vec<DataRow>,
    pub problems: Vec<RowProblem>,
}

/// Format of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Field delimiter; detected from the first line where not given.
    pub delimiter: Option<u8>,
    /// Whether the first record of a CSV file names the columns; otherwise their names are 1, 2, 3.
    pub header: bool,
    /// Whether a JSON file is one object whose members are the records: objects, or other values in `value`, with their
    /// names in `key`.
    pub members: bool,
}

/// Read a file of records separated by commas or in JSON: `.csv` with a header, anything else as JSON lines.
pub(super) fn read(path: &Path) -> Result<Rows, LoadError> {
    let form = match has_ending(path, &["csv"]) {
        true => Form::Csv { delimiter: b',', header: true },
        false => Form::JsonLines,
    };
    let mut found = Rows::default();
    RowFile { path, bytes: bytes(path)?, form }.each(&mut |row| match row {
        Ok(row) => found.rows.push(row),
        Err(problem) => found.problems.push(problem),
    })?;
    Ok(found)
}

/// A file of records, which can be read several times.
pub(super) struct RowFile<'a> {
    path: &'a Path,
    bytes: Vec<u8>,
    form: Form,
}

/// Format of the records.
#[derive(Debug, Clone, Copy)]
enum Form {
    Csv {
        delimiter: u8,
        header: bool,
    },
    JsonList,
    /// One object, which holds the records in a list of this name, or is itself the only record.
    JsonObject(Option<&'static str>),
    JsonMembers,
    JsonLines,
    Parquet,
}

/// Receives each record in turn, or the reason why it cannot be read.
type Each<'a> = dyn FnMut(Result<DataRow, RowProblem>) + 'a;

impl<'a> RowFile<'a> {
    /// A file of records that a user wrote: `.csv` or `.tsv` of this shape, Parquet, one JSON list, an object with one, or
    /// JSON lines.
    pub fn open(path: &'a Path, shape: Shape) -> Result<Self, LoadError> {
        if has_ending(path, &["parquet"]) {
            return Ok(RowFile { path, bytes: Vec::new(), form: Form::Parquet });
        }
        let bytes = bytes(path)?;
        let text = text_of(&bytes);
        let form = if has_ending(path, &["csv", "tsv"]) {
            let delimiter = shape.delimiter.unwrap_or_else(|| match has_ending(path, &["tsv"]) {
                true => b'\t',
                false => likely_delimiter(text),
            });
            Form::Csv { delimiter, header: shape.header }
        } else if shape.members {
            Form::JsonMembers
        } else if text.trim_ascii_start().starts_with(b"[") {
            Form::JsonList
        } else if let Some(list) = has_ending(path, &["json"]).then(|| one_object(text)).flatten() {
            Form::JsonObject(list)
        } else {
            Form::JsonLines
        };
        Ok(RowFile { path, bytes, form })
    }

    /// Set whether a CSV file's first line names the columns or is a record; returns whether it is a CSV file.
    pub fn set_header(&mut self, is_there: bool) -> bool {
        match &mut self.form {
            Form::Csv { header, .. } => {
                *header = is_there;
                true
            }
            _ => false,
        }
    }

    /// Visit all records.
    pub fn each(&self, each: &mut Each<'_>) -> Result<(), LoadError> {
        let text = text_of(&self.bytes);
        match self.form {
            Form::Csv { delimiter, header } => csv_records(self.path, text, delimiter, header, each),
            Form::JsonList => json_list(self.path, text, None, each),
            Form::JsonMembers => json_members(self.path, text, each),
            Form::JsonObject(Some(list)) => json_list(self.path, text, Some(list), each),
            Form::JsonObject(None) => {
                each(match json_object(text) {
                    Ok((cells, nan_tokens)) => {
                        Ok(DataRow { index: 0, line: 1, file: self.path.to_path_buf(), cells, nan_tokens })
                    }
                    Err(message) => Err(RowProblem { file: self.path.to_path_buf(), row: None, field: None, message }),
                });
                Ok(())
            }
            Form::Parquet => parquet_rows::each(self.path, &mut |index, cells| {
                each(Ok(DataRow { index, line: index + 1, file: self.path.to_path_buf(), cells, nan_tokens: false }));
            }),
            Form::JsonLines => {
                json_lines(self.path, text, each);
                Ok(())
            }
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })
}

/// The text without its byte order mark.
fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|own| endings.iter().any(|ending| own.eq_ignore_ascii_case(ending)))
}

/// The delimiter that occurs most often outside quotes in the first line; a comma where none occurs.
fn likely_delimiter(text: &[u8]) -> u8 {
    let mut quoted = false;
    let line = text.iter().copied().take_while(|&byte| {
        quoted ^= byte == b'"';
        quoted || !matches!(byte, b'\n' | b'\r')
    });
    let mut counts = [(b',', 0usize), (b';', 0), (b'\t', 0)];
    let mut within = false;
    for byte in line {
        within ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(mark, _)| !within && *mark == byte) {
            *count += 1;
        }
    }
    // Ties go to the first: most files use a comma.
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(mark, _)| mark)
}

/// The text of a whole document.
fn document<'b>(path: &Path, bytes: &'b [u8]) -> Result<Cow<'b, str>, LoadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| LoadError::Malformed {
        path: path.to_path_buf(),
        message: format!("invalid UTF-8 after byte {}; save the file as UTF-8", error.valid_up_to()),
    })?;
    Ok(nan_as_null(text))
}

/// The members of an object, each a record with its name under `key`.
fn json_members(path: &Path, bytes: &[u8], each: &mut Each<'_>) -> Result<(), LoadError> {
    let mut names = HashSet::new();
    let mut member = |index: usize, name: String, value: UniqueKeys| {
        let problem = |field: Option<&str>, message: String| RowProblem {
            file: path.to_path_buf(),
            row: Some(index + 1),
            field: field.map(str::to_string),
            message,
        };
        if !names.insert(name.clone()) {
            return each(Err(problem(Some(&name), "the key stands twice; remove one".to_string())));
        }
        let mut cells = match value.checked::<serde_json::Error>() {
            Ok(Value::Object(cells)) => cells,
            Ok(other) => Map::from_iter([("value".to_string(), other)]),
            Err(error) => return each(Err(problem(Some(&name), in_words(error)))),
        };
        if cells.contains_key("key") {
            let message = "it has a `key` of its own, which is the name of the member here; rename one";
            return each(Err(problem(Some(&name), message.to_string())));
        }
        cells.insert("key".to_string(), Value::String(name));
        each(Ok(DataRow { index, line: index + 1, file: path.to_path_buf(), cells, nan_tokens: false }));
    };
    each_member(&document(path, bytes)?, &mut member).map_err(|error| LoadError::Malformed {
        path: path.to_path_buf(),
        message: format!("not a JSON object: {}", in_words(error)),
    })
}

fn json_list(path: &Path, bytes: &[u8], list: Option<&'static str>, each: &mut Each<'_>) -> Result<(), LoadError> {
    let malformed = |message: String| LoadError::Malformed { path: path.to_path_buf(), message };
    let strict = document(path, bytes)?;
    let mut entry = |index, value: UniqueKeys| {
        let problem =
            |message: String| RowProblem { file: path.to_path_buf(), row: Some(index + 1), field: None, message };
        each(match value.checked::<serde_json::Error>() {
            Ok(Value::Object(cells)) => {
                Ok(DataRow { index, line: index + 1, file: path.to_path_buf(), cells, nan_tokens: false })
            }
            Ok(other) => Err(problem(format!("{} where an object is needed", kind_of(&other)))),
            Err(error) => Err(problem(in_words(error))),
        });
    };
    let read = match list {
        None => each_of_list(&strict, &mut entry),
        Some(list) => each_of_named(&strict, list, &mut entry),
    };
    read.map_err(|error| malformed(format!("not a JSON list of objects: {}", in_words(error))))
}

fn json_lines(path: &Path, bytes: &[u8], each: &mut Each<'_>) {
    let mut index = 0;
    for (before, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        each(match json_object(line) {
            Ok((cells, nan_tokens)) => {
                Ok(DataRow { index, line: before + 1, file: path.to_path_buf(), cells, nan_tokens })
            }
            Err(message) => Err(RowProblem { file: path.to_path_buf(), row: Some(before + 1), field: None, message }),
        });
        index += 1;
    }
}

fn json_object(line: &[u8]) -> Result<(Map<String, Value>, bool), String> {
    let text = std::str::from_utf8(line).map_err(|error| {
        format!("invalid UTF-8 after byte {} of the line; save the file as UTF-8", error.valid_up_to())
    })?;
    let strict = nan_as_null(text);
    match serde_json::from_str(&strict).and_then(UniqueKeys::checked) {
        Ok(Value::Object(cells)) => Ok((cells, matches!(strict, Cow::Owned(_)))),
        Ok(_) => Err("valid JSON, but not an object; write one object {..} per line".to_string()),
        Err(error) => Err(format!("not JSON: {}", in_words_of_line(error))),
    }
}

fn csv_records(
    path: &Path,
    bytes: &[u8],
    delimiter: u8,
    has_header: bool,
    each: &mut Each<'_>,
) -> Result<(), LoadError> {
    let malformed = |message: String| LoadError::Malformed { path: path.to_path_buf(), message };
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.flexible(true).delimiter(delimiter).has_headers(has_header).from_reader(bytes);
    let first =
        reader.headers().map_err(|_| malformed("the first line is not UTF-8; save the file as UTF-8".to_string()))?;
    let header: Vec<String> = match has_header {
        // Data frames write row numbers, and spreadsheets empty columns, without a name.
        true => (1..)
            .zip(first)
            .map(|(at, name)| match name.trim() {
                "" => format!("column {at}"),
                _ => name.to_string(),
            })
            .collect(),
        false => (1..=first.len()).map(|column| column.to_string()).collect(),
    };
    for (at, name) in header.iter().enumerate() {
        if let Some(first) = header[..at].iter().position(|other| other == name) {
            let (first, second) = (first + 1, at + 1);
            return Err(malformed(format!(
                "columns {first} and {second} are both named `{name}`; rename or remove one"
            )));
        }
    }
    for (index, record) in reader.byte_records().enumerate() {
        let record = record.map_err(|_| malformed(format!("record {} cannot be read as CSV", index + 1)))?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        let problem = |field: Option<&str>, message: String| RowProblem {
            file: path.to_path_buf(),
            row: Some(line),
            field: field.map(str::to_string),
            message,
        };
        if record.len() != header.len() {
            each(Err(problem(
                None,
                format!(
                    "{}, but the first line has {}; put fields that hold the delimiter, quotes or newlines in quotes",
                    counted(record.len(), "field"),
                    header.len()
                ),
            )));
            continue;
        }
        let cells: Result<Map<String, Value>, RowProblem> = header
            .iter()
            .zip(record.iter())
            .map(|(name, field)| match std::str::from_utf8(field) {
                Ok(text) => Ok((name.clone(), Value::String(text.to_string()))),
                Err(_) => Err(problem(Some(name), "invalid UTF-8; save the file as UTF-8".to_string())),
            })
            .collect();
        each(cells.map(|cells| DataRow { index, line, file: path.to_path_buf(), cells, nan_tokens: false }));
    }
    Ok(())
}

impl DataRow {
    /// A problem at this row.
    pub fn problem(&self, field: Option<&str>, message: impl Into<String>) -> RowProblem {
        RowProblem {
            file: self.file.clone(),
            row: Some(self.line),
            field: field.map(|field| field.replace('\n', "\\n")),
            message: message.into(),
        }
    }

    /// The first of the keys that the row has, with its value.
    pub fn first<'k>(&self, keys: &[&'k str]) -> Option<(&'k str, &Value)> {
        keys.iter().find_map(|&key| self.cells.get(key).map(|value| (key, value)))
    }

    /// The text under the first of the keys that the row has, exactly as written; empty text is a problem.
    pub fn text(&self, keys: &[&str]) -> Result<&str, RowProblem> {
        match self.first(keys) {
            Some((_, Value::String(text))) if !text.trim().is_empty() => Ok(text),
            Some((key, Value::String(_) | Value::Null)) => Err(self.problem(Some(key), "empty; a text is needed")),
            Some((key, other)) => Err(self.problem(Some(key), format!("{} where a text is needed", kind_of(other)))),
            None => Err(self.problem(keys.first().copied(), "no such key; a text is needed")),
        }
    }

    /// A text that may be missing: `None` where the key is absent, null, empty, or the word `nan` in any case.
    pub fn optional_text(&self, keys: &[&str]) -> Result<Option<&str>, RowProblem> {
        match self.first(keys) {
            None | Some((_, Value::Null)) => Ok(None),
            Some((_, Value::String(text))) => {
                let bare = text.trim();
                Ok((!bare.is_empty() && !bare.eq_ignore_ascii_case("nan")).then_some(text))
            }
            Some((key, other)) => {
                Err(self.problem(Some(key), format!("{} where a text or nothing is needed", kind_of(other))))
            }
        }
    }

    /// A whole number, written as a number or (as in CSV) as text.
    pub fn number(&self, keys: &[&str]) -> Result<usize, RowProblem> {
        let found = self.first(keys);
        let number = match found {
            Some((_, Value::Number(number))) => number.as_u64(),
            Some((_, Value::String(text))) => text.trim().parse().ok(),
            _ => None,
        };
        number.map(|number| number as usize).ok_or_else(|| match found {
            Some((key, value)) => self.problem(Some(key), format!("{value} where a whole number is needed")),
            None => self.problem(keys.first().copied(), "no such key; a whole number is needed"),
        })
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, bytes: &[u8]) -> Rows {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        read(&path).unwrap()
    }

    #[test]
    fn nan_is_null_outside_strings_and_text_inside() {
        let found = rows("a.jsonl", br#"{"a": NaN, "b": "say \"NaN, NaN\" NaN", "c": [NaN,1], "d":NaN}"#);
        let row = &found.rows[0];
        assert!(row.nan_tokens);
        assert_eq!(row.cells["a"], Value::Null);
        assert_eq!(row.cells["b"], r#"say "NaN, NaN" NaN"#);
        assert_eq!(row.cells["c"], serde_json::json!([null, 1]));
        assert_eq!(row.cells["d"], Value::Null);
        assert_eq!(rows("a.jsonl", br#"{"a": NaNa}"#).problems.len(), 1);
    }

    #[test]
    fn byte_order_mark_crlf_and_blank_lines_change_nothing() {
        let plain = rows("a.jsonl", b"{\"a\": \"x\"}\n{\"a\": \"y\"}\n");
        let windows = rows("a.jsonl", b"\xef\xbb\xbf{\"a\": \"x\"}\r\n\r\n{\"a\": \"y\"}\r\n");
        assert!(windows.problems.is_empty());
        let cells = |found: &Rows| found.rows.iter().map(|row| (row.index, row.cells.clone())).collect::<Vec<_>>();
        assert_eq!(cells(&plain), cells(&windows));
        let csv = rows("a.csv", b"\xef\xbb\xbfa,b\r\nx,\"1\r\n2\"\r\n");
        assert_eq!(csv.rows[0].cells["a"], "x");
        assert_eq!(csv.rows[0].cells["b"], "1\r\n2");
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_are_kept() {
        let found = rows("a.jsonl", b"{\"a\": 1}\n{\"a\": \"\xff\"}\n{\"a\": \n[1]\n{\"a\": 5}\n");
        assert_eq!(found.rows.iter().map(|row| (row.index, row.line)).collect::<Vec<_>>(), [(0, 1), (4, 5)]);
        assert_eq!(found.problems.iter().map(|problem| problem.row).collect::<Vec<_>>(), [Some(2), Some(3), Some(4)]);
        assert!(found.problems[0].message.contains("UTF-8"));
        let csv = rows("a.csv", b"a,b\nx,y\nx\nx,\xff\n\"p, q\",z\n");
        assert_eq!(csv.rows.iter().map(|row| (row.index, row.line)).collect::<Vec<_>>(), [(0, 2), (3, 5)]);
        assert_eq!(csv.problems[0].row, Some(3));
        assert_eq!(csv.problems[1].field.as_deref(), Some("b"));
    }

    #[test]
    fn the_delimiter_is_the_mark_of_the_first_line() {
        for (line, mark) in
            [("a,b;c,d", b','), ("a;b;c", b';'), ("a\tb\tc,d", b'\t'), ("a", b','), ("\"a,b,c\";d\ne,f,g,h", b';')]
        {
            assert_eq!(likely_delimiter(line.as_bytes()), mark, "{line}");
        }
    }

    #[test]
    fn every_spelling_of_nothing_is_nothing() {
        let found = rows("a.jsonl", br#"{"a": NaN, "b": null, "c": "", "d": "nan", "e": "NaN", "f": "none", "g": 3}"#);
        let row = &found.rows[0];
        for key in ["a", "b", "c", "d", "e", "absent"] {
            assert_eq!(row.optional_text(&[key]).unwrap(), None, "{key}");
        }
        assert_eq!(row.optional_text(&["f"]).unwrap(), Some("none"));
        assert!(row.optional_text(&["g"]).is_err());
        assert_eq!(row.number(&["g"]).unwrap(), 3);
        assert!(row.number(&["f"]).is_err());
    }
}
