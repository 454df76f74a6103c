//! Choices about how items are put to a model: scoring, language of instructions, left-out context.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::benchmark::{Item, Language, SegmentKind};

/// What the model's answer is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// Options are shown with labels; the labels are scored.
    #[default]
    Letter,
    /// Options are not shown; their texts are scored.
    Text,
    /// Options are shown with labels; their texts are scored.
    Hybrid,
    /// Options are shown with labels; the model writes its answer.
    Generate,
}

impl Scoring {
    /// Every way of scoring, in the order of help texts.
    pub const ALL: [Scoring; 4] = [Scoring::Letter, Scoring::Text, Scoring::Hybrid, Scoring::Generate];

    /// The name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Scoring::Letter => "letter",
            Scoring::Text => "text",
            Scoring::Hybrid => "hybrid",
            Scoring::Generate => "generate",
        }
    }
}

/// The language of the instructions around an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Instructions {
    /// The item's own language, or English where the pack does not have it.
    #[default]
    Item,
    /// English.
    En,
}

impl Instructions {
    /// The language in which an item of `language` is introduced.
    pub fn language(self, language: Language) -> Language {
        match self {
            Instructions::Item => language,
            Instructions::En => Language::En,
        }
    }

    /// The name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Instructions::Item => "item",
            Instructions::En => "en",
        }
    }

    /// The condition under which answers are reported; `None` for the plain one.
    pub fn condition(self) -> Option<&'static str> {
        match self {
            Instructions::Item => None,
            Instructions::En => Some("english-instructions"),
        }
    }
}

/// The languages of instructions that a run compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstructionChoice {
    /// The item's own.
    #[default]
    Item,
    /// English.
    En,
    /// Each item is asked both ways (Chan et al. 2025, Table 9 against Table 11).
    Both,
}

impl InstructionChoice {
    /// Every choice.
    pub const ALL: [InstructionChoice; 3] = [InstructionChoice::Item, InstructionChoice::En, InstructionChoice::Both];

    /// The languages, one after the other.
    pub fn each(self) -> &'static [Instructions] {
        match self {
            InstructionChoice::Item => &[Instructions::Item],
            InstructionChoice::En => &[Instructions::En],
            InstructionChoice::Both => &[Instructions::Item, Instructions::En],
        }
    }

    /// The choice in words.
    pub fn described(self) -> &'static str {
        match self {
            InstructionChoice::Item => "in the item's language",
            InstructionChoice::En => "in English",
            InstructionChoice::Both => "in the item's language and in English",
        }
    }

    /// The name on the command line and in manifests.
    pub fn name(self) -> &'static str {
        match self {
            InstructionChoice::Item => "item",
            InstructionChoice::En => "en",
            InstructionChoice::Both => "both",
        }
    }
}

/// Context that is left out on purpose, to see what it is worth (ToMValley, Figure 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Without the characters' profiles.
    NoProfile,
    /// Without the narrated setting of dialogues.
    NoBackground,
}

impl Condition {
    /// Every condition.
    pub const ALL: [Condition; 2] = [Condition::NoProfile, Condition::NoBackground];

    /// The name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Condition::NoProfile => "no-profile",
            Condition::NoBackground => "no-background",
        }
    }

    /// The kind of segment that is left out.
    pub fn leaves_out(self) -> SegmentKind {
        match self {
            Condition::NoProfile => SegmentKind::Profile,
            Condition::NoBackground => SegmentKind::Background,
        }
    }

    /// The item without what this condition leaves out. Its id stays the same.
    pub fn apply(self, item: &Item) -> Cow<'_, Item> {
        let kind = self.leaves_out();
        if !item.context.iter().any(|segment| segment.kind == kind) {
            return Cow::Borrowed(item);
        }
        let mut without = item.clone();
        without.context.retain(|segment| segment.kind != kind);
        Cow::Owned(without)
    }
}

/// A name that none of a list of choices has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`; use {known}")]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub what: &'static str,
    /// The name as given.
    pub given: String,
    /// The names known.
    pub known: String,
}

fn choose<T: Copy>(
    what: &'static str,
    given: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, UnknownChoice> {
    all.iter().copied().find(|&choice| name(choice) == given).ok_or_else(|| UnknownChoice {
        what,
        given: given.to_string(),
        known: all.iter().map(|&choice| name(choice)).collect::<Vec<_>>().join(", "),
    })
}

impl FromStr for Scoring {
    type Err = UnknownChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        choose("scoring", given, &Scoring::ALL, Scoring::name)
    }
}

impl FromStr for Instructions {
    type Err = UnknownChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        choose("language of instructions", given, &[Instructions::Item, Instructions::En], Instructions::name)
    }
}

impl FromStr for InstructionChoice {
    type Err = UnknownChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        choose("language of instructions", given, &InstructionChoice::ALL, InstructionChoice::name)
    }
}

impl FromStr for Condition {
    type Err = UnknownChoice;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        choose("condition", given, &Condition::ALL, Condition::name)
    }
}

impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for InstructionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for scoring in Scoring::ALL {
            assert_eq!(scoring.name().parse(), Ok(scoring));
        }
        for condition in Condition::ALL {
            assert_eq!(condition.name().parse(), Ok(condition));
        }
        for choice in InstructionChoice::ALL {
            assert_eq!(choice.name().parse(), Ok(choice));
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
        }
        let error = "letters".parse::<Scoring>().unwrap_err();
        assert_eq!(error.to_string(), "unknown scoring `letters`; use letter, text, hybrid, generate");
    }
}
