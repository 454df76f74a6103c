//! Findings that a person must look at.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::texts::Part;
use crate::name::named;

/// What a check is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Check {
    /// A tag of the reply is missing or out of place.
    Tag,
    /// An option is missing, empty or one too many.
    OptionMissing,
    /// The length limit ended the reply, or the text ends before its source does.
    Cut,
    /// The model refused.
    Refusal,
    /// There is no reply.
    NoReply,
    /// The reply goes on after the texts.
    TextBehind,
    /// The reviewer said neither okay nor feedback, or its feedback was not carried out.
    Review,
    /// A number is lost, changed or new.
    Number,
    /// A name is lost, changed, or not the same everywhere.
    Name,
    /// Two options are equal.
    OptionsEqual,
    /// Options have changed places.
    OptionsSwapped,
    /// An option is marked.
    OptionMarked,
    /// An option stands in story or question no more, although it did in the source.
    Label,
    /// The right option has become the longest by far.
    GoldLength,
    /// A text is in another language.
    Language,
    /// A stretch of the source stands in the translation.
    Untranslated,
    /// A negation is lost or new.
    Negation,
    /// Invisible marks of writing direction.
    DirectionMarks,
    /// A fixed translation is not used.
    Term,
    /// A story is told in the past where the pipeline asks for the present; a note, no failure.
    Tense,
    /// Two translators wrote different texts, between which people choose; a note, no failure.
    Translators,
    /// A model changed an option that states knowledge, and it was put back; a note, no failure.
    Knowledge,
}

named!(Check);

impl Check {
    /// Whether the model may mend it when asked again: where the form of its reply was at fault.
    pub fn is_worth_asking_again(self) -> bool {
        matches!(self, Check::Tag | Check::OptionMissing)
    }

    /// Returns what to do about a finding.
    pub fn how_to_mend(self) -> &'static str {
        match self {
            Check::Tag | Check::OptionMissing | Check::TextBehind => {
                "the model does not keep the form: another model, or edit by hand"
            }
            Check::Cut => "a higher --max-new-tokens, in a new folder",
            Check::Refusal | Check::NoReply => "another model for these items",
            Check::Review => "read the review; another --reviewer or --refiner",
            Check::Tense => "nothing must be done; people may prefer the present tense",
            Check::Knowledge => "nothing must be done; the option is that of the source",
            Check::Translators => "people choose on the page of annotate judge",
            _ => "compare with the source and edit the text, or accept it",
        }
    }
}

/// Something that a person must look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// The check.
    pub check: Check,
    /// Where: `story`, `question 1` or `question 1, option B`.
    pub part: String,
    /// The stretch of text that it is about.
    pub span: String,
    /// What was found.
    pub message: String,
    /// The step of the reply that it is about, if it is not about the final text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
}

impl Flag {
    /// Creates a finding about the final text.
    pub fn new(check: Check, part: Part, span: &str, message: impl Into<String>) -> Self {
        Flag { check, part: part.to_string(), span: span.to_string(), message: message.into(), step: None }
    }

    /// Whether it is for people to know, and no fault by itself.
    pub fn is_note(&self) -> bool {
        matches!(self.check, Check::Tense | Check::Translators | Check::Knowledge)
    }

    /// Returns the finding as one about the reply of a step.
    pub fn of_step(self, step: &str) -> Self {
        Flag { step: Some(step.to_string()), ..self }
    }
}
