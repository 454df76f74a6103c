//! Languages of items, prompts and word segmentation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A language, named by its ISO 639 code.
///
/// ```
/// use tomeval::Language;
/// let language: Language = "zh".parse()?;
/// assert_eq!((language.name(), language.to_string()), ("Chinese", "zh".to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A language without a benchmark or prompt pack here; the user's own questions may be in it.
    Other(OtherLanguage),
}

/// A language outside [`Language::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OtherLanguage(isolang::Language);

impl Language {
    /// Every language of a benchmark or prompt pack, in the order of tables and help texts.
    pub const ALL: [Language; 9] = [
        Language::En,
        Language::Zh,
        Language::Ar,
        Language::Fr,
        Language::Hi,
        Language::Bn,
        Language::Ru,
        Language::De,
        Language::Ja,
    ];

    /// The ISO 639-1 code, or the ISO 639-3 code of a language without one; as in item ids and on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Zh => "zh",
            Language::Ar => "ar",
            Language::Fr => "fr",
            Language::Hi => "hi",
            Language::Bn => "bn",
            Language::Ru => "ru",
            Language::De => "de",
            Language::Ja => "ja",
            Language::Other(OtherLanguage(language)) => language.to_639_1().unwrap_or_else(|| language.to_639_3()),
        }
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
            Language::Other(OtherLanguage(language)) => language.to_name(),
        }
    }

    /// Whether the script runs from right to left.
    pub fn is_right_to_left(self) -> bool {
        ["ar", "he", "fa", "ur", "yi", "ps", "sd", "ug", "dv", "ckb"].contains(&self.code())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A text that is not a language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{code}`; use an ISO 639 code, for instance en, zh or swa")]
pub struct UnknownLanguage {
    /// The code as given.
    pub code: String,
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let lower = code.to_lowercase();
        let language = match lower.len() {
            2 => isolang::Language::from_639_1(&lower),
            _ => isolang::Language::from_639_3(&lower),
        };
        let language = language.ok_or_else(|| UnknownLanguage { code: code.to_string() })?;
        let known = Language::ALL.into_iter().find(|known| Some(known.code()) == language.to_639_1());
        Ok(known.unwrap_or(Language::Other(OtherLanguage(language))))
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
crate::name::text_schema!(Language);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_languages_and_nothing_else_does() {
        for language in Language::ALL {
            assert_eq!(language.code().parse(), Ok(language));
            assert_eq!(serde_json::to_string(&language).unwrap(), format!("\"{}\"", language.code()));
        }
        let check = |given: &str, code: &str, name: &str| {
            let language: Language = given.parse().unwrap();
            assert_eq!((language.code(), language.name()), (code, name));
            assert_eq!(language.code().parse(), Ok(language));
        };
        check("ES", "es", "Spanish");
        check("spa", "es", "Spanish");
        check("eng", "en", "English");
        check("yue", "yue", "Yue Chinese");
        for text in ["", "e", "xx", "english", "zh-tw", "qqq"] {
            assert!(text.parse::<Language>().is_err(), "{text}");
        }
        assert!("he".parse::<Language>().unwrap().is_right_to_left());
    }
}
