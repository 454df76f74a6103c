//! Benchmark cards: facts known before any file is read. One TOML file each in `datasets/`.

use super::Benchmark;
use indexmap::IndexMap;
use serde::Deserialize;

use super::published::PublishedSampling;
use crate::language::Language;

/// The part of a card that describes the data. The same file holds table layouts and published figures, which
/// [`crate::metric`] reads.
#[derive(Debug, Clone, Deserialize)]
pub struct Card {
    /// Name on the command line.
    pub name: Benchmark,
    /// Name in running text, for instance `ToMBench`.
    pub title: String,
    /// The paper, as author, year, title.
    pub paper: String,
    /// Where the files come from and how to get them, shown when they are absent.
    pub source: String,
    /// Licence of the data.
    pub licence: String,
    /// Languages the benchmark exists in.
    pub languages: Vec<Language>,
    /// The facet that `--limit` draws evenly over.
    pub stratum: String,
    /// Facets within whose values groups of items are compared, beside benchmark, language and number of options: see
    /// [`super::Item::stratum`].
    #[serde(default)]
    pub strata: Vec<String>,
    /// The prompts it is asked with.
    pub prompts: PromptsOf,
    /// Counts of the released data under the published labels, by [`crate::benchmark::CountKey`]; checked by
    /// `tomeval data check`.
    #[serde(default)]
    pub expected: IndexMap<String, usize>,
    /// For files whose own numbering does not say where stories begin: the rows, counted from 1, where they do.
    #[serde(default)]
    pub story_rows: IndexMap<String, Vec<usize>>,
    /// How its paper had replies written; absent where the paper is not at hand or there is none.
    pub sampling: Option<PublishedSampling>,
    /// Corrections that [`super::LabelSet::Repaired`] applies, each with its reason.
    #[serde(default)]
    pub repairs: Vec<Repair>,
}

/// Where the prompts of a benchmark are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptsOf {
    /// File stem of the prompt pack.
    pub pack: String,
    /// The part of the pack's family of benchmarks that it is, as styles name it.
    pub subset: Option<String>,
}

/// A correction of one released row. Its item is flagged under both label sets.
#[derive(Debug, Clone, Deserialize)]
pub struct Repair {
    /// File name without extension.
    pub file: String,
    /// Row of the file, counted from 1.
    pub row: usize,
    /// Languages it concerns; empty means all.
    #[serde(default)]
    pub languages: Vec<Language>,
    pub reason: String,
    /// What is done about it.
    #[serde(flatten)]
    pub action: RepairAction,
}

/// What a correction does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum RepairAction {
    /// Leave the question out.
    Exclude,
    /// Number the question differently within its story, which also decides where stories begin.
    Renumber {
        /// The released number; the correction is applied only where the data still have it.
        released: usize,
        /// The right number.
        right: usize,
    },
}

impl RepairAction {
    /// Name of the flag on the items it concerns.
    pub fn flag(&self) -> &'static str {
        match self {
            RepairAction::Exclude => "mismatched-text",
            RepairAction::Renumber { .. } => "shifted-index",
        }
    }
}

impl Card {
    /// The corrections of one row in one language.
    pub fn repairs_of(&self, file: &str, row: usize, language: Language) -> impl Iterator<Item = &Repair> {
        self.repairs.iter().filter(move |repair| {
            repair.file == file
                && repair.row == row
                && (repair.languages.is_empty() || repair.languages.contains(&language))
        })
    }
}
