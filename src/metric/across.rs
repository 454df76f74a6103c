//! What a table's card asks for across rows: means over models, and the change from one kind of prompt to another.

use indexmap::IndexMap;
use serde::Deserialize;

/// What is computed from several rows of a table, of one run or of several side by side.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Across {
    /// Whether there are rows of means over all models.
    #[serde(default)]
    pub mean: bool,
    /// Number of best models over which there are further rows of means.
    pub top: Option<usize>,
    /// Rows of changes between two kinds of prompts.
    pub change: Option<Change>,
}

/// Two rows of one model, each given by facet values and a style, and what their difference is called.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The first row.
    pub from: Side,
    /// The row from whose values the first one's are subtracted.
    pub to: Side,
}

/// A row of a change.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Side {
    /// Its prompt style.
    pub style: String,
    /// Its facet values.
    #[serde(flatten)]
    pub key: IndexMap<String, String>,
}

impl Across {
    /// Whether anything is computed across rows.
    pub fn is_any(&self) -> bool {
        *self != Across::default()
    }
}
