//! A problem with one row of the data.

use std::fmt;
use std::path::{Path, PathBuf};

/// A row that could not become an item; the other rows are kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RowProblem {
    /// The file.
    pub file: PathBuf,
    /// The row or line, counted from 1, if any.
    pub row: Option<usize>,
    /// The key or column at fault, if any.
    pub field: Option<String>,
    /// Finding, expectation and remedy.
    pub message: String,
}

/// The name of a file's records: line, or row where the file is one document.
pub(super) fn row_unit(file: &Path) -> &'static str {
    let is = |ending: &str| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    if is("json") || is("parquet") { "row" } else { "line" }
}

impl RowProblem {
    /// Location without the key at fault: `questions.csv, line 3`, or `row 3` in a file that is one JSON document.
    pub fn place(&self) -> String {
        let row = self.row.map_or_else(String::new, |row| format!(", {} {row}", row_unit(&self.file)));
        format!("{}{row}", self.file.display())
    }

    /// The same problem with the file's path relative to `folder`; for files elsewhere, only the name.
    pub fn below(&self, folder: Option<&Path>) -> RowProblem {
        let below = folder.and_then(|folder| self.file.strip_prefix(folder).ok());
        let file = below.filter(|path| !path.as_os_str().is_empty()).or_else(|| self.file.file_name().map(Path::new));
        RowProblem { file: file.unwrap_or(&self.file).to_path_buf(), ..self.clone() }
    }
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field.as_ref().map_or_else(String::new, |field| format!(", {field}"));
        write!(f, "{}{field}: {}", self.place(), self.message)
    }
}
