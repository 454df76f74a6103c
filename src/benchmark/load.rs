//! Input and output of every loader.

use std::path::PathBuf;

use strum::{IntoStaticStr, VariantArray};

use super::{Benchmark, Item, OwnData, RowProblem};
use crate::language::Language;
use crate::name::named;

/// The set of gold answers used.
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

/// Options of a loader.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Languages wanted; empty means all the benchmark has.
    pub languages: Vec<Language>,
    /// The set of gold answers used.
    pub labels: LabelSet,
    /// Choices that only some benchmarks accept, for instance `trials` = `headline`; see each loader.
    pub choices: indexmap::IndexMap<String, String>,
    /// Options for reading the user's own file.
    pub own: OwnData,
}

impl LoadOptions {
    /// Whether items of this language are wanted.
    pub fn wants(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// Output of a loader.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Items in file order.
    pub items: Vec<Item>,
    /// Rows that could not become items.
    pub problems: Vec<RowProblem>,
    /// Recognised layout of the user's own file, and the number of its first option, where the user did not declare
    /// them.
    pub read_as: Option<String>,
}

/// A benchmark that could not be loaded at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder of the benchmark is absent.
    #[error("{benchmark}: {path} does not exist\n\n{hint}")]
    Absent {
        /// The benchmark.
        benchmark: Benchmark,
        /// The first path looked for.
        path: PathBuf,
        /// Instructions for getting it.
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
    /// A file with unexpected content.
    #[error("{path}: {message}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Finding, location, expectation and remedy.
        message: String,
    },
    /// An unknown value of a choice.
    #[error("{benchmark}: unknown {choice} `{given}`; use {expected}")]
    UnknownChoice {
        /// Name of the benchmark.
        benchmark: Benchmark,
        /// Name of the choice.
        choice: String,
        /// The value given.
        given: String,
        /// The known values.
        expected: String,
    },
}
