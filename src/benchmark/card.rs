//! Benchmark cards: facts known before any file is read. One TOML file each in `datasets/`.

use super::Benchmark;
use super::needs_options::OptionsNeeded;
use indexmap::IndexMap;
use serde::Deserialize;

use super::printed::PrintedTable;
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
    /// The line by which those who made the data mark copies of it; every item carries it as a field.
    pub canary: Option<String>,
    /// Languages the benchmark exists in.
    pub languages: Vec<Language>,
    /// The facet that `--limit` draws evenly over.
    pub stratum: String,
    /// Facets that define comparison strata, in addition to benchmark, language and number of options: see
    /// [`super::Item::stratum`].
    #[serde(default)]
    pub strata: Vec<String>,
    /// Prompts of the benchmark.
    pub prompts: PromptsOf,
    /// Format of option lists in its files.
    pub listing: Listing,
    /// Counts of the released data under the published labels, by [`crate::benchmark::CountKey`]; checked by
    /// `tomeval data check`.
    #[serde(default)]
    pub expected: IndexMap<String, usize>,
    /// Rows, counted from 1, where stories begin, for files whose own numbering does not tell.
    #[serde(default)]
    pub story_rows: IndexMap<String, Vec<usize>>,
    /// Sampling settings of its paper; absent where the paper is unavailable or does not exist.
    pub sampling: Option<PublishedSampling>,
    /// Statistics of the set as papers print them.
    #[serde(default)]
    pub statistics: Vec<PrintedTable>,
    /// Options that refer to others, where the rules for them do not suffice.
    #[serde(default)]
    pub anchored: AnchorTexts,
    /// Corrections that [`super::LabelSet::Repaired`] applies, each with its reason.
    #[serde(default)]
    pub repairs: Vec<Repair>,
    /// Questions that cannot be answered without their options, beside those found by their wording.
    #[serde(default)]
    pub needs_options: OptionsNeeded,
    /// How rows of files become items, where the card says so; the loader reads it.
    pub(super) rows: Option<toml::Table>,
}

/// Options that refer to others or to their place, as a card names them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnchorTexts {
    /// Whether runs keep such options in their slots unless told otherwise.
    pub keep: bool,
    /// Further options, as whole texts.
    pub also: Vec<String>,
    /// Options that are none, whatever the rules say.
    pub never: Vec<String>,
}

/// Format of option lists in a benchmark's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Listing {
    /// One per line, `A. text`.
    Lines,
    /// One per line, `a. text`.
    SmallLines,
    /// All in one line, `A. text, B. text`.
    Inline,
    /// The files have no order of options of their own.
    No,
}

/// Location of a benchmark's prompts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptsOf {
    /// File stem of the prompt pack.
    pub pack: String,
    /// Subset of the pack's benchmark family, as styles name it.
    pub subset: Option<String>,
}

/// A correction of one released row. Its item is flagged under both label sets.
#[derive(Debug, Clone, Deserialize)]
pub struct Repair {
    /// File name without extension.
    pub file: String,
    /// Row of the file, counted from 1.
    pub row: usize,
    /// Affected languages; empty means all.
    #[serde(default)]
    pub languages: Vec<Language>,
    pub reason: String,
    /// The correction.
    #[serde(flatten)]
    pub action: RepairAction,
}

/// Action of a correction.
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
    /// Name of the flag on affected items.
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
