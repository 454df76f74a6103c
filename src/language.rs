//! Languages of items, prompts and word segmentation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A language that some benchmark or prompt pack is written in, named by its ISO 639-1 code.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
    /// Arabic, written right to left.
    Ar,
    /// French.
    Fr,
    /// Hindi.
    Hi,
    /// Bangla.
    Bn,
    /// Russian.
    Ru,
    /// German.
    De,
    /// Japanese.
    Ja,
}

impl Language {
    /// Every language, in the order of tables and help texts.
    pub const ALL: [Language; Language::VARIANTS.len()] = crate::name::all();

    /// The ISO 639-1 code, as in item ids and on the command line.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// The English name, for headings.
    pub fn name(self) -> &'static str {
        match self {
            Language::En => "English",
            Language::Zh => "Chinese",
            Language::Ar => "Arabic",
            Language::Fr => "French",
            Language::Hi => "Hindi",
            Language::Bn => "Bangla",
            Language::Ru => "Russian",
            Language::De => "German",
            Language::Ja => "Japanese",
        }
    }

    /// Whether the script runs from right to left.
    pub fn is_right_to_left(self) -> bool {
        self == Language::Ar
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A language code that no benchmark here uses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{code}`; known are en, zh, ar, fr, hi, bn, ru, de, ja")]
pub struct UnknownLanguage {
    /// The code as given.
    pub code: String,
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Language::ALL
            .into_iter()
            .find(|language| language.code().eq_ignore_ascii_case(code))
            .ok_or_else(|| UnknownLanguage { code: code.to_string() })
    }
}
