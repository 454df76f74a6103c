//! Options for reading the user's own file: the columns of each part, and the form of answers.

mod card;

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;

pub use card::OwnCard;

/// The user's description of a file of own questions. Everything is optional where columns have the names of the guide.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnData {
    /// The column that holds each part of a question.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub columns: IndexMap<QuestionField, String>,
    /// Text for parts that no column holds; `{column}` is replaced by the row's text.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub texts: IndexMap<QuestionField, String>,
    /// Columns that are facets regardless of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<String>,
    /// Kind of the answers; by default lists are label sets and everything else one option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswerKind>,
    /// The number of the first option, where answers are numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_base: Option<GoldBase>,
    /// Field delimiter of a CSV file; detected where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// Whether a CSV file has no header; its columns are then named 1, 2, 3.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_header: bool,
    /// Report settings of the questions: title, stratum, tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<OwnCard>,
}

impl OwnData {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == OwnData::default()
    }
}

impl fmt::Display for OwnData {
    /// As command-line arguments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.columns.iter().map(|(part, column)| format!("--column {part}={column}")));
        words.extend(self.texts.iter().map(|(part, text)| format!("--text {part}=\"{text}\"")));
        words.extend(self.facets.iter().map(|facet| format!("--facet {facet}")));
        words.extend(self.answers.map(|kind| format!("--answers-are {kind}")));
        words.extend(self.gold_base.map(|base| format!("--gold-base {base}")));
        words.extend(self.delimiter.map(|delimiter| format!("--delimiter {delimiter}")));
        words.extend(self.no_header.then(|| "--no-header".to_string()));
        words.extend(self.card.as_ref().map(|_| "--card".to_string()));
        f.write_str(&words.join(" "))
    }
}

/// A part of a question that a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuestionField {
    /// The id, unique within a language.
    Id,
    /// The language's code.
    Language,
    /// Id shared by versions of one question in several languages.
    Parallel,
    /// Id shared by questions about one story.
    StoryId,
    /// The story.
    Story,
    /// The question.
    Question,
    /// All options in a list.
    Options,
    /// One option, by its number from 0.
    Option(u8),
    /// The right answer.
    Answer,
    /// The kind of answer: `single`, `labels` or `slots`.
    Kind,
}

impl QuestionField {
    /// Parts other than single options, in the order of the guide.
    pub(super) const NAMED: [QuestionField; 9] = [
        QuestionField::Question,
        QuestionField::Options,
        QuestionField::Answer,
        QuestionField::Story,
        QuestionField::Id,
        QuestionField::Language,
        QuestionField::Parallel,
        QuestionField::StoryId,
        QuestionField::Kind,
    ];

    /// Maximum number of options of a question.
    pub(super) const OPTIONS: u8 = 26;
}

impl fmt::Display for QuestionField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuestionField::Option(number) => write!(f, "option_{}", char::from(b'a' + number)),
            QuestionField::Id => f.write_str("id"),
            QuestionField::Language => f.write_str("language"),
            QuestionField::Parallel => f.write_str("parallel"),
            QuestionField::StoryId => f.write_str("story_id"),
            QuestionField::Story => f.write_str("story"),
            QuestionField::Question => f.write_str("question"),
            QuestionField::Options => f.write_str("options"),
            QuestionField::Answer => f.write_str("answer"),
            QuestionField::Kind => f.write_str("kind"),
        }
    }
}

/// An unknown question field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{given}` is not a part of a question; parts are question, option_a to option_z, options, answer, story, id, language, parallel, story_id, kind"
)]
pub struct UnknownQuestionField {
    /// The name as given.
    pub given: String,
}

impl FromStr for QuestionField {
    type Err = UnknownQuestionField;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let plain = given.trim().to_lowercase().replace(['-', ' '], "_");
        let options = (0..QuestionField::OPTIONS).map(QuestionField::Option);
        QuestionField::NAMED
            .into_iter()
            .chain(options)
            .find(|part| part.to_string() == plain)
            .ok_or_else(|| UnknownQuestionField { given: given.to_string() })
    }
}

impl Serialize for QuestionField {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QuestionField {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
crate::name::text_schema!(QuestionField);

/// Kind of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum AnswerKind {
    /// Exactly one option.
    Single,
    /// A set of options.
    Labels,
    /// One option for each of several slots.
    Slots,
}

named!(AnswerKind, "kind of answer");

/// The number of the first option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum GoldBase {
    /// Options count from 0.
    #[serde(rename = "0")]
    #[strum(serialize = "0")]
    Zero,
    /// Options count from 1.
    #[serde(rename = "1")]
    #[strum(serialize = "1")]
    One,
}

named!(GoldBase, "number of the first option");

impl GoldBase {
    /// The position, from 0, of an option with this number.
    pub(super) fn position(self, number: usize) -> Option<usize> {
        match self {
            GoldBase::Zero => Some(number),
            GoldBase::One => number.checked_sub(1),
        }
    }
}

/// Field delimiter of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
    /// `|`
    Pipe,
}

named!(Delimiter, "delimiter");

impl Delimiter {
    /// The character.
    pub(super) fn byte(self) -> u8 {
        match self {
            Delimiter::Comma => b',',
            Delimiter::Semicolon => b';',
            Delimiter::Tab => b'\t',
            Delimiter::Pipe => b'|',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_parse_as_they_print() {
        for part in QuestionField::NAMED.into_iter().chain((0..QuestionField::OPTIONS).map(QuestionField::Option)) {
            assert_eq!(part.to_string().parse(), Ok(part));
        }
        assert_eq!("Option-B".parse(), Ok(QuestionField::Option(1)));
        for text in ["option_aa", "option_", "gold", ""] {
            assert!(text.parse::<QuestionField>().is_err(), "{text}");
        }
    }

    #[test]
    fn settings_survive_their_file() {
        let own = OwnData {
            columns: IndexMap::from([
                (QuestionField::Answer, "gold".to_string()),
                (QuestionField::Option(0), "a".to_string()),
            ]),
            gold_base: Some(GoldBase::One),
            delimiter: Some(Delimiter::Tab),
            no_header: true,
            ..OwnData::default()
        };
        let json = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<OwnData>(&json).unwrap(), own);
        assert_eq!(
            own.to_string(),
            "--column answer=gold --column option_a=a --gold-base 1 --delimiter tab --no-header"
        );
        assert_eq!(serde_json::to_string(&OwnData::default()).unwrap(), "{}");
    }
}
