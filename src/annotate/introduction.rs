//! Introductory text of a page.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Text;
use crate::parse_error::in_words;

/// A TOML file with the introduction that people read first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// Heading of the page.
    #[serde(default)]
    pub title: Text,
    /// Purpose of the study, its organisers, use of the answers. Empty lines separate paragraphs.
    #[serde(default)]
    pub text: Text,
    /// Text shown at the end, for instance where to send the file.
    #[serde(default)]
    pub end: Text,
}

/// A file that is not an introduction.
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
    /// It does not have this format.
    #[error("{}: invalid introduction: {}", path.display(), in_words(source))]
    Malformed {
        path: PathBuf,
        /// Position and reason.
        source: toml::de::Error,
    },
}

impl Introduction {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, IntroductionError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| IntroductionError::Unreadable { path: path.to_path_buf(), source })?;
        toml::from_str(&text).map_err(|source| IntroductionError::Malformed { path: path.to_path_buf(), source })
    }
}
