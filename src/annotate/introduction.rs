//! Introductory text of a page.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Text;
use crate::parse_error::in_words;

/// A TOML file with what people are told first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// Heading of the page.
    #[serde(default)]
    pub title: Text,
    /// What the study is about, who runs it, what becomes of the answers. Empty lines part paragraphs.
    #[serde(default)]
    pub text: Text,
    /// What they read when all is done, for instance where to send their file.
    #[serde(default)]
    pub end: Text,
}

/// A file that is no introduction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntroductionError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// It is not of this shape.
    #[error("{}: invalid introduction: {}", path.display(), in_words(source))]
    Malformed {
        path: PathBuf,
        /// Where and why.
        source: toml::de::Error,
    },
}

impl Introduction {
    /// Read a file.
    pub fn read(path: &Path) -> Result<Self, IntroductionError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| IntroductionError::Unreadable { path: path.to_path_buf(), source })?;
        toml::from_str(&text).map_err(|source| IntroductionError::Malformed { path: path.to_path_buf(), source })
    }
}
