//! What every loader takes and returns.

use std::fmt;
use std::path::{Path, PathBuf};

use strum::{IntoStaticStr, VariantArray};

use super::Item;
use crate::language::Language;
use crate::name::named;

/// Which gold answers count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum LabelSet {
    /// Exactly as released and scored by the paper.
    #[default]
    Published,
    /// With the corrections of the benchmark's card, each with its reason.
    Repaired,
}

named!(LabelSet, "label set");

/// What a loader is asked for.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Languages wanted; empty means all the benchmark has.
    pub languages: Vec<Language>,
    /// Which gold answers count.
    pub labels: LabelSet,
    /// Choices that only some benchmarks know, for instance `trials` = `headline`; see each loader.
    pub choices: indexmap::IndexMap<String, String>,
}

impl LoadOptions {
    /// Whether items of this language are wanted.
    pub fn wants(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// A row that could not become an item; the other rows are kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowProblem {
    /// The file.
    pub file: PathBuf,
    /// The row or line, counted from 1, where there is one.
    pub row: Option<usize>,
    /// The key or column at fault, where there is one.
    pub field: Option<String>,
    /// What was found, what was expected, and how to mend it.
    pub message: String,
}

impl RowProblem {
    /// Where it is, without the key at fault: `questions.csv, line 3`, or `row 3` in a file that is one JSON document.
    pub fn place(&self) -> String {
        let document = self.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let unit = if document { "row" } else { "line" };
        let row = self.row.map_or_else(String::new, |row| format!(", {unit} {row}"));
        format!("{}{row}", self.file.display())
    }

    /// The same problem with its file as it lies below `folder`; of a file elsewhere, its name alone.
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

/// What a loader found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Items in file order.
    pub items: Vec<Item>,
    /// Rows that could not become items.
    pub problems: Vec<RowProblem>,
}

/// A benchmark that could not be loaded at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder of the benchmark is absent.
    #[error("{benchmark}: {path} is not there\n\n{hint}")]
    Absent {
        /// Name of the benchmark.
        benchmark: &'static str,
        /// The first path that was looked for.
        path: PathBuf,
        /// Where to get it.
        hint: String,
    },
    /// A file could not be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// A file is not what its name says.
    #[error("{path}: {message}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was found, where, what was expected, and how to mend it.
        message: String,
    },
    /// A choice that this benchmark does not know.
    #[error("{benchmark}: unknown {choice} `{given}`; use {expected}")]
    UnknownChoice {
        /// Name of the benchmark.
        benchmark: &'static str,
        /// Name of the choice.
        choice: &'static str,
        /// The value given.
        given: String,
        /// The values known.
        expected: String,
    },
}
