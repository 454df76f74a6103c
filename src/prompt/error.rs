//! What can be wrong with a prompt pack.

use super::Scoring;

/// A pack that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file is not TOML, or has a key that packs do not know.
    #[error("{file}: {message}")]
    Syntax {
        file: String,
        /// Place and reason.
        message: String,
    },
    /// A value that makes no sense.
    #[error("{place}: `{key}`: {message}")]
    Key {
        /// File and style.
        place: String,
        /// The key at fault.
        key: &'static str,
        /// What is wrong and how to mend it.
        message: String,
    },
    /// Two styles that one item could not choose between.
    #[error("{place}: defined twice; give the two different names, subsets, dimensions, options, answers or scorings")]
    Twice {
        /// File and style.
        place: String,
    },
    /// Answers are to be scored right after a prompt that asks for reasoning first.
    #[error(
        "{place}: the style reasons before it answers, but {scoring} scoring would score the answers \
         before the reasoning; use --scoring generate, or --after-reasoning to score them after the \
         model's own reasoning"
    )]
    Reasoning {
        /// File and style.
        place: String,
        /// The scoring asked for.
        scoring: Scoring,
    },
    /// No style serves an item.
    #[error("{file}: nothing for {wanted}; it has {known}{mend}")]
    NoStyle {
        file: String,
        /// What was looked for.
        wanted: String,
        /// What the file has under that name, or the names it has.
        known: String,
        /// What can be done, empty or beginning with a semicolon.
        mend: String,
    },
}
