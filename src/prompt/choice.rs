//! Choices about the presentation of items: scoring, language of instructions, omitted context.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::benchmark::{Item, SegmentKind};
use crate::language::Language;
use crate::name::named;

/// Source of the model's answer.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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

named!(Scoring, "scoring");

/// The language of the instructions around an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Instructions {
    /// The item's language, or English if the pack does not have it.
    #[default]
    Item,
    /// English.
    En,
}

named!(Instructions, "language of instructions");

impl Instructions {
    /// Language of the instructions for an item in `language`.
    pub fn language(self, language: Language) -> Language {
        match self {
            Instructions::Item => language,
            Instructions::En => Language::En,
        }
    }

    /// The condition under which answers are reported; `None` for the unchanged presentation.
    pub fn condition(self) -> Option<&'static str> {
        match self {
            Instructions::Item => None,
            Instructions::En => Some("english-instructions"),
        }
    }
}

/// Languages of instructions that a run compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum InstructionChoice {
    /// The item's language.
    #[default]
    Item,
    /// English.
    En,
    /// Each item is asked both ways (Chan et al. 2025, Table 9 against Table 11).
    Both,
}

named!(InstructionChoice, "language of instructions");

impl InstructionChoice {
    /// The languages, in order.
    pub fn each(self) -> &'static [Instructions] {
        match self {
            InstructionChoice::Item => &[Instructions::Item],
            InstructionChoice::En => &[Instructions::En],
            InstructionChoice::Both => &Instructions::ALL,
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
}

/// Context that is omitted as an ablation (ToMValley, Figure 4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Condition {
    /// Without the characters' profiles.
    NoProfile,
    /// Without the narrated setting of dialogues.
    NoBackground,
    /// Without dialogues: what can be answered without reading them is no test of reading.
    NoDialogue,
}

named!(Condition, "condition");

impl Condition {
    /// The kind of segment omitted.
    pub fn leaves_out(self) -> SegmentKind {
        match self {
            Condition::NoProfile => SegmentKind::Profile,
            Condition::NoBackground => SegmentKind::Background,
            Condition::NoDialogue => SegmentKind::Dialogue,
        }
    }

    /// The item without the omitted context. Its id is unchanged.
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
