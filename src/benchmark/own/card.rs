//! The card of the user's own file: a few keys that override the built-in ones.

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::benchmark::Card;
use crate::parse_error::in_words;

/// The card whose keys it overrides.
const BUILT_IN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/custom.toml"));

/// Keys that control how the program handles a benchmark; users cannot set them.
const FIXED: [&str; 4] = ["name", "prompts", "languages", "listing"];

/// A validated card: TOML with known keys only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct OwnCard {
    text: String,
}

/// An invalid card.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid card: {reason}")]
pub struct OwnCardError {
    reason: String,
}

impl TryFrom<String> for OwnCard {
    type Error = OwnCardError;

    fn try_from(text: String) -> Result<Self, OwnCardError> {
        let wrong = |reason: String| OwnCardError { reason };
        let table: Table = text.parse().map_err(|error: toml::de::Error| wrong(in_words(error)))?;
        if let Some(fixed) = FIXED.iter().find(|key| table.contains_key(**key)) {
            return Err(wrong(format!("`{fixed}` cannot be set here; leave it out")));
        }
        let known = [
            "title",
            "paper",
            "source",
            "licence",
            "canary",
            "stratum",
            "strata",
            "expected",
            "notes",
            "needs_options",
            "anchored",
            "rows",
            "tables",
            "links",
            "twins",
        ];
        if let Some(other) = table.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong(format!("unknown key `{other}`; known are {}", known.join(", "))));
        }
        let card = OwnCard { text };
        toml::from_str::<Card>(&card.over(BUILT_IN)).map_err(|error| wrong(in_words(error)))?;
        Ok(card)
    }
}

impl From<OwnCard> for String {
    fn from(card: OwnCard) -> String {
        card.text
    }
}

impl OwnCard {
    /// The text of a card, with its keys overridden by this one's.
    pub(in crate::benchmark) fn over(&self, built_in: &str) -> String {
        let parsed = |text: &str| text.parse::<Table>().expect("a card is checked when it is made");
        let mut table = parsed(built_in);
        table.extend(parsed(&self.text));
        table.to_string()
    }

    /// The same, parsed.
    pub(in crate::benchmark) fn card_over(&self, built_in: &str) -> Card {
        toml::from_str(&self.over(built_in)).expect("a card is checked when it is made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Benchmark, OwnData};

    #[test]
    fn its_keys_take_the_place_of_the_built_in_ones() {
        let card = OwnCard::try_from("title = 'Mine'\nstratum = 'level'\n".to_string()).unwrap();
        let said = OwnData { card: Some(card), ..OwnData::default() };
        let own = Benchmark::Custom.card_with(&said);
        assert_eq!((own.title.as_str(), own.stratum.as_str(), own.name.name()), ("Mine", "level", "custom"));
        assert_eq!(Benchmark::ToMi.card_with(&said).title, Benchmark::ToMi.card().title);
        assert!(Benchmark::Custom.card_text_with(&said).contains("Mine"));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| OwnCard::try_from(text.to_string()).unwrap_err().to_string();
        assert!(error("titel = 'x'").contains("unknown key `titel`"));
        assert!(error("name = 'x'").contains("`name` cannot be set here"));
        assert!(error("title = 3").contains("title"));
        assert!(error("title = ").contains("line 1, column "));
    }
}
