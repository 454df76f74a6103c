//! Errors in prompt packs.

use super::Scoring;

/// An invalid pack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file is not TOML, or has an unknown key.
    #[error("{file}: {message}")]
    Syntax {
        file: String,
        /// Place and reason.
        message: String,
    },
    /// An invalid value.
    #[error("{place}: `{key}`: {message}")]
    Key {
        /// File and style.
        place: String,
        /// The key at fault.
        key: &'static str,
        /// The problem and its fix.
        message: String,
    },
    /// Two styles serve the same items.
    #[error("{place}: defined twice; give the two different names, subsets, dimensions, options, answers or scorings")]
    Twice {
        /// File and style.
        place: String,
    },
    /// Answers would be scored directly after a prompt that requests reasoning first.
    #[error(
        "{place}: the style reasons before it answers, but {scoring} scoring would score the answers \
         before the reasoning; use --scoring generate, or --after-reasoning to score them after the \
         model's own reasoning"
    )]
    Reasoning {
        /// File and style.
        place: String,
        /// The requested scoring.
        scoring: Scoring,
    },
    /// A style has no such wording.
    #[error(
        "{place}: there is no wording {wording} of it; --paraphrase has those of the style vanilla for one right option, in \
         English and Chinese: choose such items (--language, --where) or --instructions en, or write a pack with the key `wording`"
    )]
    NoWording {
        /// File and style.
        place: String,
        /// Its number.
        wording: usize,
    },
    /// No style serves an item.
    #[error("{file}: no match for {wanted}; it has {known}{mend}")]
    NoStyle {
        file: String,
        /// The style looked up.
        wanted: String,
        /// The file's styles with that name, or its style names.
        known: String,
        /// Suggested fix; empty, or begins with a semicolon.
        mend: String,
    },
}
