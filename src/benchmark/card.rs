//! Cards: what is known of a benchmark before any file is read. One TOML file each in `datasets/`.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Language;

/// The part of a card that describes the data. The same file holds table layouts and published figures, which
/// [`crate::metric`] reads.
#[derive(Debug, Clone, Deserialize)]
pub struct Card {
    /// Name on the command line.
    pub name: String,
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
    /// Counts of the released data by name (for instance `items`), checked by `tomeval data check`.
    #[serde(default)]
    pub expected: IndexMap<String, usize>,
}
