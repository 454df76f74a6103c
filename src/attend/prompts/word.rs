//! Words of a prompt.

use std::ops::Range;

/// Kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WordKind {
    /// Contains a letter or digit.
    Word,
    /// Punctuation and other signs.
    Mark,
    /// White space.
    Space,
    /// A token without text.
    Special,
}

/// A piece of the text, not longer than a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: WordKind,
    /// Index of its part; `None` for tokens without text.
    pub part: Option<usize>,
}
