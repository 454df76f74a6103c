//! Choices about the presentation of items: scoring, language of instructions.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::language::Language;
use crate::name::named;

/// When the options of a question are shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum OptionsShown {
    /// With the question, before any reasoning.
    Before,
    /// After the model's own free reply, which is matched to them.
    After,
    /// Never: their texts are scored after the model's own free reply.
    Never,
}

named!(OptionsShown, "time of the options");

impl OptionsShown {
    /// The style by which packs ask in this way; `None` where any style does.
    pub fn style(self) -> Option<&'static str> {
        match self {
            OptionsShown::Before => None,
            OptionsShown::After => Some("options-after"),
            OptionsShown::Never => Some("options-never"),
        }
    }

    /// Whether it is asked with this scoring.
    pub fn serves(self, scoring: Scoring) -> bool {
        match self {
            OptionsShown::Before => true,
            OptionsShown::After => scoring != Scoring::Text,
            OptionsShown::Never => scoring == Scoring::Text,
        }
    }

    /// When the options of a style in this scoring are shown; `None` where the style does not decide it: options that are
    /// never shown without a free reply.
    pub fn of(style: &str, scoring: Scoring) -> Option<OptionsShown> {
        let by_style = OptionsShown::ALL.into_iter().find(|shown| shown.style() == Some(style));
        by_style.or((scoring != Scoring::Text).then_some(OptionsShown::Before))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::Condition;

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
