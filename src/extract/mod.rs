//! Reads replies: turns the text of an answer into the displayed slots it names, or the reason why it names none.
//!
//! [`read()`] is a pure function of a question as displayed and a reply; it depends on neither items nor models. Rules
//! have names and an order, and a [`Reading`] records which rule fired and where in the reply. Rules never guess: a
//! reply without an answer, with several answers, or cut off has a separate outcome.
//!
//! 1. `thinking` removes the model's thoughts before its reply, and turns that it invents for others.
//! 2. `normal` normalises the rest: Unicode forms, quotes, Markdown and LaTeX, keeping the position of each character.
//! 3. `mention` finds labels, option texts and ordinals.
//! 4. `statement` decides which mentions state an answer, from the words around them (`words.toml`: words of nine
//!    languages at once, since models switch languages, and of six more for questions in those languages); `sentence`
//!    finds the clause around a position.
//! 5. `single` and `several` turn statements into one slot, a set of labels, or one answer per question; without a
//!    statement, `single` examines the last sentence, `weighed` finds ticked, weighed or remaining options, and
//!    `reworded` a sentence that is `near` to one option; `turn` detects that a reply retracts what it said.
//! 6. `numbered` finds and reads the entry of each question if one prompt contained several.

mod mention;
mod near;
mod normal;
mod numbered;
mod released;
mod reworded;
mod sentence;
mod several;
mod single;
mod statement;
mod thinking;
mod turn;
mod weighed;
mod words;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::language::Language;
use crate::name::named;

pub use numbered::{QuestionPart, read_part};
pub use thinking::visible;

/// Raised with every change that may change a reading.
pub const RULES_VERSION: u32 = 4;

/// Rules for reading replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Rules {
    /// This program's rules: the last answer stated, never a guess.
    #[default]
    Ours,
    /// The released ToMBench scripts (Chen et al. 2024), including their fallback to the first option.
    Released,
}

named!(Rules, "rules");

impl Rules {
    /// Whether these rules support questions of a kind.
    pub fn read(self, kind: Kind) -> bool {
        self == Rules::Ours || kind == Kind::Single
    }
}

/// Kind of answer that a question expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// One option.
    Single,
    /// Every option that applies.
    Labels,
    /// One option for each of several questions.
    Slots,
}

named!(Kind, "kind");

/// A question as displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question<'a> {
    /// Its language.
    pub language: Language,
    /// Kind of answer expected.
    pub kind: Kind,
    /// The label of each slot; empty if options were shown without labels.
    pub labels: &'a [String],
    /// The text of each slot; empty if unknown.
    pub options: &'a [String],
    /// Number of answers expected; one except for [`Kind::Slots`].
    pub count: usize,
}

impl Question<'_> {
    /// Number of options displayed.
    pub fn slots(&self) -> usize {
        self.labels.len().max(self.options.len())
    }
}

/// Outcome of reading a reply.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    /// It states an answer.
    Answer,
    /// It states no answer.
    None,
    /// It states several answers where one is expected.
    Ambiguous,
    /// It declines to answer.
    Refused,
    /// It was cut off by the length limit before it stated an answer.
    CutOff,
}

named!(Outcome);

/// The answer read from a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// `answer`, `none`, `ambiguous`, `refused` or `cut-off`.
    pub outcome: Outcome,
    /// The displayed slots from 0: one slot; for label sets, in ascending order; for several questions, in question
    /// order. Empty without an answer; the answer to a label set may be empty too.
    pub slots: Vec<usize>,
    /// The rule that decided; null if no rule did.
    pub rule: Option<String>,
    /// Start of the deciding part of `text`, in bytes; null if no part decided.
    pub start: Option<usize>,
    /// End of the deciding part.
    pub end: Option<usize>,
}

impl Reading {
    fn without(outcome: Outcome) -> Self {
        Reading { outcome, slots: Vec::new(), rule: None, start: None, end: None }
    }
}

/// Reads the answer to a question from `text`; `cut` if the length limit ended it. Positions are bytes of `text`.
///
/// ```
/// use tomeval::{Language, ReadingOutcome, ReplyKind, ReplyQuestion, Rules, read_reply};
/// let labels = ["A", "B"].map(String::from);
/// let options = ["In the tin", "In the box"].map(String::from);
/// let question =
///     ReplyQuestion { language: Language::En, kind: ReplyKind::Single, labels: &labels, options: &options, count: 1 };
/// let reading = read_reply(Rules::Ours, &question, "She saw it moved, so the answer is B.", false);
/// assert_eq!((reading.outcome, reading.slots), (ReadingOutcome::Answer, vec![1]));
/// ```
pub fn read(rules: Rules, question: &Question, text: &str, cut: bool) -> Reading {
    match rules {
        Rules::Released => released::read(question, text),
        Rules::Ours => read_ours(question, text, cut),
    }
}

/// The finding in the normalised text.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    outcome: Outcome,
    slots: Vec<usize>,
    rule: Option<&'static str>,
    range: Option<Range<usize>>,
}

impl Default for Found {
    fn default() -> Self {
        Found { outcome: Outcome::None, slots: Vec::new(), rule: None, range: None }
    }
}

impl Found {
    fn answer(slots: Vec<usize>, rule: &'static str, range: Range<usize>) -> Self {
        Found { outcome: Outcome::Answer, slots, rule: Some(rule), range: Some(range) }
    }

    fn without(outcome: Outcome, rule: &'static str, range: Range<usize>) -> Self {
        Found { outcome, slots: Vec::new(), rule: Some(rule), range: Some(range) }
    }

    fn none(rule: &'static str, range: Range<usize>) -> Self {
        Found::without(Outcome::None, rule, range)
    }
}

/// Bytes read from the beginning and the end of a long reply, since the answer is at one end or the other. This bounds
/// the reading time.
const READ: [usize; 2] = [4 << 10, 8 << 10];

/// The beginning and the end of the parts of a reply; the middle is dropped if they exceed the bytes read.
fn ends(reply: &str, parts: &[Range<usize>]) -> [Vec<Range<usize>>; 2] {
    let length: usize = parts.iter().map(Range::len).sum();
    let [first, last] = READ;
    if length <= first + last {
        return [parts.to_vec(), Vec::new()];
    }
    // A byte range across all parts, moved to character boundaries.
    let slice = |wanted: Range<usize>| {
        let mut before = 0;
        let mut found = Vec::new();
        for part in parts {
            let from = part.start + wanted.start.saturating_sub(before).min(part.len());
            let to = part.start + wanted.end.saturating_sub(before).min(part.len());
            let [from, to] = [from, to].map(|at| (0..=at).rev().find(|&at| reply.is_char_boundary(at)).unwrap_or(0));
            found.extend(Some(from..to).filter(|range| !range.is_empty()));
            before += part.len();
        }
        found
    };
    [slice(0..first), slice(length - last..length)]
}

fn read_ours(question: &Question, reply: &str, cut: bool) -> Reading {
    let visible = visible(reply);
    let [first, last] = ends(reply, &visible.parts);
    let mut text = normal::Text::new(reply, &first);
    if !last.is_empty() {
        text.go_on(reply, &last);
    }
    let cut_in_reply = cut && !visible.unclosed;
    let mut found = match question.kind {
        Kind::Single => single::read(question, &text, cut_in_reply),
        Kind::Labels => several::read_set(question, &text, cut_in_reply),
        Kind::Slots => several::read_slots(question, &text, cut_in_reply),
    };
    if visible.unclosed && found.outcome != Outcome::Answer {
        let outcome = if cut { Outcome::CutOff } else { Outcome::None };
        found = Found { outcome, rule: Some("unclosed-thinking"), ..Found::default() };
    }
    let (start, end) = found.range.map(|range| text.place(range)).unzip();
    Reading { outcome: found.outcome, slots: found.slots, rule: found.rule.map(str::to_string), start, end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(kind: Kind, options: &[&str], count: usize, text: &str, cut: bool) -> Reading {
        let labels: Vec<String> = (0..options.len()).map(crate::name::option_letter).collect();
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        read(
            Rules::Ours,
            &Question { language: Language::En, kind, labels: &labels, options: &options, count },
            text,
            cut,
        )
    }

    const PLACES: [&str; 4] = ["In the bag", "In the blue tin", "In the oven", "In the fridge"];

    #[test]
    fn the_place_of_an_answer_is_that_in_the_reply_as_it_was_written() {
        let text = "<think>A?</think> **Antwort：** „Ｂ“";
        let found = reading(Kind::Single, &PLACES, 1, text, false);
        assert_eq!(found.slots, [1]);
        assert_eq!(&text[found.start.unwrap()..found.end.unwrap()], "Ｂ");
    }

    #[test]
    fn without_an_answer_there_is_a_reason_and_never_a_slot() {
        let check = |text: &str, cut: bool, outcome: Outcome| {
            let found = reading(Kind::Single, &PLACES, 1, text, cut);
            assert_eq!((found.outcome, found.slots), (outcome, vec![]), "{text}");
        };
        check("", false, Outcome::None);
        check("", true, Outcome::CutOff);
        check("A child comes home.", false, Outcome::None);
        check("The answer is B or D.", false, Outcome::Ambiguous);
        check("I'm sorry, but I cannot answer that.", false, Outcome::Refused);
        check("Let us think. The answer", true, Outcome::CutOff);
        check("<think>The answer is B", true, Outcome::CutOff);
        check("<think>The answer is B", false, Outcome::None);
    }

    #[test]
    fn several_answers_are_read_in_the_order_of_their_questions() {
        let check = |kind: Kind, text: &str, slots: &[usize]| {
            assert_eq!(reading(kind, &PLACES, 3, text, false).slots, slots, "{text}");
        };
        check(Kind::Labels, "D and A", &[0, 3]);
        check(Kind::Labels, "A: yes, B: no, C: no, D: yes", &[0, 3]);
        check(Kind::Slots, "D, A, D", &[3, 0, 3]);
        check(Kind::Slots, "2. A 1. D 3. B", &[3, 0, 1]);
        check(Kind::Slots, "D, A", &[]);
    }

    proptest! {
        #[test]
        fn any_text_has_a_reading_of_displayed_slots_and_of_a_place_in_it(
            parts in prop::collection::vec(prop_oneof![
                "\\PC{0,12}",
                prop::sample::select(vec![
                    "A", "B", "[[", "]]", "Answer: ", "answer is ", "<think>", "</think>", "\n", ". ", "{", "}", "\\boxed{",
                    "In the oven", "not ", " or ", " and ", "選", "答案：", "ب", "1. ", "(", ")", "~~", "'", "é", "ー", "wait ",
                ]).prop_map(String::from),
            ], 0..14),
            cut: bool,
        ) {
            let text = parts.concat();
            for (kind, count) in [(Kind::Single, 1), (Kind::Labels, 1), (Kind::Slots, 3)] {
                let found = reading(kind, &PLACES, count, &text, cut);
                prop_assert!(found.slots.iter().all(|slot| *slot < PLACES.len()));
                prop_assert!(found.outcome == Outcome::Answer || found.slots.is_empty());
                if let (Some(start), Some(end)) = (found.start, found.end) {
                    prop_assert!(text.get(start..end).is_some(), "{start}..{end} of {text:?}");
                }
            }
        }
    }
}
