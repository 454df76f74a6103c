//! Reading replies: the text that answers a question becomes the displayed slots it names, or the reason why it names none.
//!
//! [`read()`] is a pure function of a question as it was displayed and of a reply; it knows neither items nor models. Rules have
//! names and an order, and a [`Reading`] says which rule fired and where in the reply. Nothing is ever guessed: a reply
//! without an answer, with several, or that breaks off has an outcome of its own.
//!
//! 1. `thinking`: what a model thought before its reply is taken out; so are turns that it invents for others.
//! 2. `normal`: the rest in one notation: Unicode forms, quotes, Markdown and LaTeX, each character with its place.
//! 3. `mention`: where labels, option texts and ordinals stand in it.
//! 4. `statement`: which mentions state an answer, by the words around them (`words.toml`, for all languages at once, since
//!    models change language).
//! 5. `single`, `several`: statements become one slot, a set of labels, or one answer for each of several questions.

mod released;
mod thinking;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::language::Language;
use crate::name::named;

pub use thinking::visible;

/// Raised with every change that may read a reply otherwise.
pub const RULES_VERSION: u32 = 1;

/// The rules that replies are read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Rules {
    /// Those of this program: the last answer stated, and never a guess.
    #[default]
    Ours,
    /// What the released ToMBench scripts do (Chen et al. 2024), their fall-back to the first option included.
    Released,
}

named!(Rules, "rules");

impl Rules {
    /// Whether these rules know what to do with questions of a kind.
    pub fn read(self, kind: Kind) -> bool {
        self == Rules::Ours || kind == Kind::Single
    }
}

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
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

/// A question as it was displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question<'a> {
    /// Its language.
    pub language: Language,
    /// What it wants.
    pub kind: Kind,
    /// The label of each slot; empty where options were shown without labels.
    pub labels: &'a [String],
    /// The text of each slot; empty where it is not known.
    pub options: &'a [String],
    /// How many answers are wanted; only [`Kind::Slots`] wants other than one.
    pub count: usize,
}

impl Question<'_> {
    /// How many options were displayed.
    pub fn slots(&self) -> usize {
        self.labels.len().max(self.options.len())
    }
}

/// What a reply came to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    /// It states an answer.
    Answer,
    /// It states none.
    None,
    /// It states several where one is wanted.
    Ambiguous,
    /// It declines to answer.
    Refused,
    /// It was cut off by the length limit before it stated one.
    CutOff,
}

named!(Outcome);

/// What a reply says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// What it came to.
    pub outcome: Outcome,
    /// The displayed slots from 0: one, ascending for label sets, in the order of the questions for several. Empty without
    /// an answer; a label set may be empty with one.
    pub slots: Vec<usize>,
    /// Name of the rule that decided; absent where none did.
    pub rule: Option<String>,
    /// Where what decided begins in the reply, in bytes.
    pub start: Option<usize>,
    /// Where it ends.
    pub end: Option<usize>,
}

impl Reading {
    fn without(outcome: Outcome) -> Self {
        Reading { outcome, slots: Vec::new(), rule: None, start: None, end: None }
    }
}

/// What `text` answers to a question by some rules; `cut` where the length limit ended it. Places are bytes of `text`.
/// Of this program's own rules only what takes out thoughts is in place yet: they find no answer.
pub fn read(rules: Rules, question: &Question, text: &str, cut: bool) -> Reading {
    match rules {
        Rules::Released => released::read(question, text),
        Rules::Ours => Reading { rule: cut.then(|| "cut".to_string()), ..Reading::without(Outcome::None) },
    }
}
