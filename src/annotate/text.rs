//! Texts that people read on a page: one for all, or one for each language.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A text, or the same text in several languages by code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a text, or a table of texts by language code, for instance { en = \"Yes\", zh = \"是\" }"
)]
pub enum Text {
    /// In any language.
    One(String),
    /// By language code.
    By(IndexMap<String, String>),
}

impl Text {
    /// In English, otherwise in the first available language.
    pub fn english(&self) -> &str {
        match self {
            Text::One(text) => text,
            Text::By(texts) => texts.get("en").or_else(|| texts.values().next()).map_or("", String::as_str),
        }
    }

    /// Whether it contains no text.
    pub fn is_empty(&self) -> bool {
        match self {
            Text::One(text) => text.trim().is_empty(),
            Text::By(texts) => texts.values().all(|text| text.trim().is_empty()),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Text::One(String::new())
    }
}
