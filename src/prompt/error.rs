//! What can be wrong with a prompt pack.

/// A pack that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file is not TOML, or has a key that packs do not know.
    #[error("{file}: {message}")]
    Syntax {
        /// The file.
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
    #[error(
        "{place}: stands there twice; give the two different names, subsets, dimensions, options, answers or scorings"
    )]
    Twice {
        /// File and style.
        place: String,
    },
    /// No style serves an item.
    #[error("{file}: nothing for {wanted}; it has {known}{mend}")]
    NoStyle {
        /// The file.
        file: String,
        /// What was looked for.
        wanted: String,
        /// What the file has under that name, or the names it has.
        known: String,
        /// What can be done, empty or beginning with a semicolon.
        mend: String,
    },
}
