//! Input and output of every loader.

use std::path::PathBuf;

use strum::{IntoStaticStr, VariantArray};

use super::{Benchmark, Item, OwnData, RowProblem};
use crate::language::Language;
use crate::name::named;

/// Which gold answers count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// How a file of the user's own is read.
    pub own: OwnData,
}

impl LoadOptions {
    /// Whether items of this language are wanted.
    pub fn wants(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// What a loader found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Items in file order.
    pub items: Vec<Item>,
    /// Rows that could not become items.
    pub problems: Vec<RowProblem>,
    /// What a file of the user's own was recognised as, and where its answers count from, where the user did not say so.
    pub read_as: Option<String>,
}

/// A benchmark that could not be loaded at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder of the benchmark is absent.
    #[error("{benchmark}: {path} is not there\n\n{hint}")]
    Absent {
        /// Name of the benchmark.
        benchmark: Benchmark,
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
        benchmark: Benchmark,
        /// Name of the choice.
        choice: &'static str,
        /// The value given.
        given: String,
        /// The values known.
        expected: String,
    },
}
