//! Shared parts of the probes: the model interface and skipped items.

use serde::Serialize;

use crate::benchmark::{Benchmark, Item};
use crate::engine::{ContextRequest, GenerateError, RequestError, ScoreError, TokenScores};
use crate::language::Language;
use crate::model::TemplateError;
use indexmap::IndexMap;

use super::FreshError;

/// Told how much of the work is done, and how much there is.
pub type After<'a> = &'a mut dyn FnMut(usize, usize);

/// What comes back for each text or question, in their order, or why nothing does.
pub type Answers<T> = Result<Vec<Result<T, Unanswered>>, ProbeError>;

/// A model that tells how likely texts are, raw and behind the tokenizer's first token.
pub trait Scores {
    /// Scores of each continuation of each text.
    fn continuations(&self, texts: &[ContextRequest], after: After<'_>) -> Answers<Vec<TokenScores>>;

    /// Scores of each whole text, of all its tokens that have one before them; a list of one.
    fn whole(&self, texts: &[String], after: After<'_>) -> Answers<Vec<TokenScores>>;
}

/// A model that writes replies.
pub trait Generates {
    /// One reply to each question, or why there is none.
    fn replies(&self, questions: &[Question], drawn: Drawn, after: After<'_>) -> Answers<Spoken>;
}

/// One question that is to be answered by a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What the model is asked.
    pub text: String,
    /// What its draws depend on, beside the seed.
    pub key: String,
    /// The number of the reply to this question, from 0.
    pub sample: usize,
    /// The most tokens of the reply.
    pub most: Most,
}

/// How long a reply may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Most {
    /// So many tokens.
    Tokens(usize),
    /// A quarter and 16 tokens more than this text has, so that it may begin with a few words of its own; as many tokens as the
    /// second number where they cannot be counted.
    Like(String, usize),
}

impl Most {
    /// In tokens, where those of a text can be counted.
    pub(super) fn tokens<E>(&self, count: impl FnOnce(&str) -> Result<Option<usize>, E>) -> Result<usize, E> {
        Ok(match self {
            Most::Tokens(tokens) => *tokens,
            Most::Like(text, uncounted) => count(text)?.map_or(*uncounted, |tokens| tokens * 5 / 4 + 16),
        })
    }
}

/// How replies are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// At 0 the likeliest token is always taken.
    pub temperature: f64,
    /// Seed of all draws.
    pub seed: u64,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// What the model wrote.
    pub text: String,
    /// Whether the length limit ended it.
    pub cut: bool,
}

/// Why a question has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// The item has no part in this probe.
    Skip(Skip),
    /// Its text cannot be tokenized, nor can others be expected to.
    Text(RequestError),
    /// Who was asked gave none, for this reason.
    Failed(String),
}

impl Unanswered {
    /// The row of the item that is left out for it.
    ///
    /// # Errors
    /// What ends the probe.
    fn row(self, item: &Item) -> Result<SkippedRow, ProbeError> {
        match self {
            Unanswered::Skip(why) => Ok(SkippedRow::new(item, why)),
            Unanswered::Failed(why) => Ok(SkippedRow::because(item, why, true)),
            Unanswered::Text(source) => Err(ProbeError::Text { id: item.id.clone(), source }),
        }
    }
}

/// The cases that have an answer, with these; the others are left out, by the items that `item` names.
///
/// # Errors
/// What ends the probe.
pub(super) fn answered<C, T>(
    cases: Vec<C>,
    answers: impl IntoIterator<Item = Result<T, Unanswered>>,
    item: impl Fn(&C) -> &Item,
    skipped: &mut Vec<SkippedRow>,
) -> Result<(Vec<C>, Vec<T>), ProbeError> {
    let mut both = (Vec::new(), Vec::new());
    for (case, answer) in cases.into_iter().zip(answers) {
        match answer {
            Ok(answer) => both.extend([(case, answer)]),
            Err(why) => skipped.push(why.row(item(&case))?),
        }
    }
    Ok(both)
}

/// A probe that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// Nothing is left to probe.
    #[error("no item can be probed:{}", listed(.0))]
    Nothing(IndexMap<String, usize>),
    /// There is nothing fresh to compare with.
    #[error(transparent)]
    Fresh(#[from] FreshError),
    /// A text cannot be tokenized.
    #[error("item `{id}`: {source}")]
    Text {
        /// The item.
        id: String,
        source: RequestError,
    },
    /// The chat template refuses the question.
    #[error("the chat template refuses the question: {0}; pass --chat-template none, or another one")]
    Template(#[from] TemplateError),
    /// No replies could be written.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The engine failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

fn listed(skipped: &IndexMap<String, usize>) -> String {
    match skipped.is_empty() {
        true => " there are none".to_string(),
        false => skipped.iter().map(|(why, items)| format!("\n  {items}: {why}")).collect(),
    }
}

/// Why an item has no part in a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// Its files list no options, or the same for every question.
    NoReleasedOrder,
    /// Another question of its story lists the same options in the same order, so that the two are one observation.
    SameOptions,
    /// Fewer than two different options.
    OneOption,
    /// Another item with the same text, or about the same story, has its place.
    SameStory,
    /// The generator makes no item of its kind.
    NoFresh,
    /// There is no question in its language.
    NoPrompt,
    /// Half of it is too short to be told from other texts.
    TooShort,
    /// The text is longer than the model's context.
    TooLong,
    /// A log-probability is not a finite number.
    NotFinite,
}

impl Skip {
    /// In words.
    pub fn reason(self) -> &'static str {
        match self {
            Skip::NoReleasedOrder => "the benchmark's files give the options no order of their own",
            Skip::SameOptions => "another question of its story lists the same options",
            Skip::OneOption => "fewer than two different options",
            Skip::SameStory => "another question about the same story stands for it",
            Skip::NoFresh => "the generator makes no question of its kind, so there is none to compare it with",
            Skip::NoPrompt => "there is no question in its language",
            Skip::TooShort => "its second half has fewer than 8 words",
            Skip::TooLong => "longer than the model's context",
            Skip::NotFinite => "a log-probability is not a finite number",
        }
    }
}

/// An item that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedRow {
    /// The item's id.
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// Why, in words.
    pub skipped: String,
    /// Whether it was sent and got no answer.
    #[serde(skip)]
    pub unanswered: bool,
}

impl SkippedRow {
    pub(super) fn new(item: &Item, why: Skip) -> Self {
        Self::because(item, why.reason().to_string(), false)
    }

    fn because(item: &Item, skipped: String, unanswered: bool) -> Self {
        SkippedRow { id: item.id.clone(), benchmark: item.benchmark, language: item.language, skipped, unanswered }
    }
}

/// How many items were left out for which reason, in order of first mention.
pub fn skips<'a>(rows: impl IntoIterator<Item = &'a SkippedRow>) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    for row in rows {
        *counts.entry(row.skipped.clone()).or_default() += 1;
    }
    counts
}
