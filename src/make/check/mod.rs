//! Checks by rule on a made text against its source. Each finding names the place and the span, and is for a person to
//! look at: rules see what is lost, marked or exchanged, not whether the sense is right.

mod language;
mod names;
mod negation;
mod numbers;
mod options;
mod words;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use self::names::Names;
use super::translate::{Part, Texts};
use crate::language::Language;
use crate::name::named;

pub use words::refusal;

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

    /// Returns the finding as one about the reply of a step.
    pub fn of_step(self, step: &str) -> Self {
        Flag { step: Some(step.to_string()), ..self }
    }
}

/// Texts to check.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    pub source: &'a Texts,
    pub target: &'a Texts,
    /// The target translated back, if it was.
    pub back: Option<&'a Texts>,
    /// The one right option of each question, where there is one. No prompt has it.
    pub gold: &'a [Option<usize>],
}

/// Checks the texts of one set, from one language into another.
pub struct Checker {
    source: Language,
    target: Language,
    names: Names,
    terms: IndexMap<String, String>,
    /// Median of a story's length over that of its source, in characters; `None` for too few stories.
    usual_length: Option<f64>,
}

/// Shortest story whose length is compared, in characters.
const SHORTEST: usize = 80;

/// Fewest stories for a usual length.
const FEWEST: usize = 5;

/// A story this much shorter or longer than usual has lost or gained something.
const FACTOR: f64 = 2.0;

impl Checker {
    /// Learns the names and the usual lengths of a set from all its pairs of source and target.
    pub fn new(
        source: Language,
        target: Language,
        pairs: &[(&Texts, &Texts)],
        terms: &IndexMap<String, String>,
    ) -> Self {
        let length = |text: &str| text.chars().count();
        let mut ratios: Vec<f64> = pairs
            .iter()
            .filter(|(source, _)| length(&source.story) >= SHORTEST)
            .map(|(source, target)| length(&target.story) as f64 / length(&source.story) as f64)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let usual_length = (ratios.len() >= FEWEST).then(|| ratios[ratios.len() / 2]);
        Checker { source, target, names: Names::learn(source, target, pairs), terms: terms.clone(), usual_length }
    }

    /// Returns all findings, by place.
    pub fn check(&self, made: &Made<'_>) -> Vec<Flag> {
        let mut flags = Vec::new();
        options::check(made, &mut flags);
        options::labels(made, self.source, self.target, &mut flags);
        for (part, source) in made.source.parts() {
            let target = made.target.at(part);
            if target.is_empty() {
                continue;
            }
            language::marks(part, source, target, &mut flags);
            language::leftovers(part, source, target, &mut flags);
            if !language::check(part, source, target, self.source, self.target, &mut flags) {
                continue;
            }
            language::untranslated(part, source, target, self.source, self.target, &mut flags);
            numbers::check(part, source, target, self.source, self.target, &mut flags);
            negation::check(part, source, target, self.source, self.target, &mut flags);
            for (term, wanted) in &self.terms {
                if contains_word(source, term) && !target.contains(wanted.as_str()) {
                    flags.push(Flag::new(Check::Term, part, term, format!("{term} should be {wanted}")));
                }
            }
            if let Some(span) = refusal(target).filter(|_| refusal(source).is_none()) {
                flags.push(Flag::new(Check::Refusal, part, span, "the text refuses"));
            }
        }
        self.names.check(made, &mut flags);
        self.length(made, &mut flags);
        flags.sort_by(|one, next| (one.check, &one.part, &one.span).cmp(&(next.check, &next.part, &next.span)));
        flags.dedup_by(|next, one| next.check == one.check && next.part == one.part && next.span == one.span);
        flags
    }

    fn length(&self, made: &Made<'_>, flags: &mut Vec<Flag>) {
        let length = |text: &str| text.chars().count() as f64;
        let (source, target) = (&made.source.story, &made.target.story);
        let Some(usual) = self.usual_length.filter(|_| length(source) >= SHORTEST as f64) else { return };
        let ratio = length(target) / length(source) / usual;
        if ratio < 1.0 / FACTOR || ratio > FACTOR {
            let end = target.char_indices().rev().nth(19).map_or(0, |(at, _)| at);
            let what = if ratio < 1.0 { "shorter" } else { "longer" };
            let times = if ratio < 1.0 { 1.0 / ratio } else { ratio };
            let message = format!("the story is {times:.1} times {what} than usual in this set");
            flags.push(Flag::new(Check::Cut, Part::Story, &target[end..], message));
        }
    }
}

/// Whether a text contains a word or phrase between word boundaries, whatever its case, also in the plural with s.
pub(super) fn contains_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_word = |letter: char| letter.is_alphanumeric();
    text.match_indices(&word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + word.len()..];
        let after = after
            .strip_prefix("es")
            .or(after.strip_prefix('s'))
            .filter(|rest| !rest.starts_with(is_word))
            .unwrap_or(after);
        !before.is_some_and(is_word) && !after.starts_with(is_word)
    })
}

/// Whether words of a language are not separated by spaces.
pub(super) fn is_unspaced(language: Language) -> bool {
    matches!(language.code(), "zh" | "ja" | "th" | "yue")
}
