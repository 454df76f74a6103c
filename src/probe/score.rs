//! Shared parts of the probes: the model interface and skipped items.

use serde::Serialize;

use crate::benchmark::{Benchmark, Item};
use crate::decoder::DecoderError;
use crate::engine::{ContextRequest, GenerateError, RequestError, ScoreError, TokenScores};
use crate::language::Language;
use crate::model::{TemplateError, TokenizerError};
use indexmap::IndexMap;

use super::FreshError;

/// Receives the amount of work done and the total.
pub type After<'a> = &'a mut dyn FnMut(usize, usize);

/// The answer to each text or question, in order, or the reason why there is none.
pub type Answers<T> = Result<Vec<Result<T, Unanswered>>, ProbeError>;

/// A model that scores raw texts, after the tokenizer's first token.
pub trait Scores {
    /// Scores of each continuation of each text.
    fn continuations(&self, texts: &[ContextRequest], after: After<'_>) -> Answers<Vec<TokenScores>>;

    /// Scores of each whole text, for all its tokens except the first; a list with one element.
    fn whole(&self, texts: &[String], after: After<'_>) -> Answers<Vec<TokenScores>>;
}

/// A model that writes replies.
pub trait Generates {
    /// One reply to each question, or the reason why there is none.
    fn replies(&self, questions: &[Question], drawn: Drawn, after: After<'_>) -> Answers<Spoken>;
}

/// A question to be answered by a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The prompt.
    pub text: String,
    /// Key of its draws, besides the seed.
    pub key: String,
    /// The number of the reply to this question, from 0.
    pub sample: usize,
    /// Length limit of the reply.
    pub most: Most,
}

/// Length limit of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Most {
    /// A number of tokens.
    Tokens(usize),
    /// A quarter plus 16 tokens more than this text has, so that the reply may begin with a few words of its own; the
    /// second number if tokens cannot be counted.
    Like(String, usize),
}

impl Most {
    /// The limit in tokens; `count` returns those of a text, if they can be counted.
    pub(super) fn tokens<E>(&self, count: impl FnOnce(&str) -> Result<Option<usize>, E>) -> Result<usize, E> {
        Ok(match self {
            Most::Tokens(tokens) => *tokens,
            Most::Like(text, uncounted) => count(text)?.map_or(*uncounted, |tokens| tokens * 5 / 4 + 16),
        })
    }
}

/// Sampling of replies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// Temperature; 0 is greedy decoding.
    pub temperature: f64,
    /// Seed of all draws.
    pub seed: u64,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The model's reply.
    pub text: String,
    /// Whether the length limit ended it.
    pub cut: bool,
}

/// Why a question has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// The item is excluded from this probe.
    Skip(Skip),
    /// Its text cannot be tokenized, and presumably others cannot either.
    Text(RequestError),
    /// The model gave no answer, for this reason.
    Failed(String),
}

impl Unanswered {
    /// The row of the skipped item.
    ///
    /// # Errors
    /// An error that ends the probe.
    fn row(self, item: &Item) -> Result<SkippedRow, ProbeError> {
        match self {
            Unanswered::Skip(why) => Ok(SkippedRow::new(item, why)),
            Unanswered::Failed(why) => Ok(SkippedRow::because(item, why, true)),
            Unanswered::Text(source) => Err(ProbeError::Text { id: item.id.clone(), source }),
        }
    }
}

/// The cases with an answer, and their answers; the others are skipped under the item that `item` returns.
///
/// # Errors
/// An error that ends the probe.
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

/// A failed probe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// No items are left to probe.
    #[error("no item can be probed:{}", listed(.0))]
    Nothing(IndexMap<String, usize>),
    /// There are no fresh items to compare with.
    #[error(transparent)]
    Fresh(#[from] FreshError),
    /// A text cannot be tokenized.
    #[error("item `{id}`: {source}")]
    Text {
        /// The item.
        id: String,
        source: RequestError,
    },
    /// A text of made or released stories cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The chat template refuses the question.
    #[error("the chat template refuses the question: {0}; pass --chat-template none, or another one")]
    Template(#[from] TemplateError),
    /// No replies could be written.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The engine failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Too few statements to learn or test probes of beliefs.
    #[error(
        "{benchmark} in {language}: {made} statements about made stories and {released} about released ones fit into the \
         model's context, too few to learn and test a probe; use a model with a longer context, more items, or more \
         --stories"
    )]
    TooFewStatements { benchmark: Benchmark, language: Language, made: usize, released: usize },
    /// A residual stream cannot be kept.
    #[error("residual stream: {0}")]
    States(#[source] std::io::Error),
}

fn listed(skipped: &IndexMap<String, usize>) -> String {
    match skipped.is_empty() {
        true => " there are none".to_string(),
        false => skipped.iter().map(|(why, items)| format!("\n  {items}: {why}")).collect(),
    }
}

/// Why an item is excluded from a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// Its files list no options, or the same for every question.
    NoReleasedOrder,
    /// Another question of its story lists the same options in the same order, so that the two are one observation.
    SameOptions,
    /// Fewer than two different options.
    OneOption,
    /// Another item with the same text, or about the same story, represents it.
    SameStory,
    /// The generator makes no item of its kind.
    NoFresh,
    /// Its story is not tracked, or its answer is not that of its story.
    Untracked,
    /// It asks about no belief, or about a true one.
    NoFalseBelief,
    /// Another item asks about the same chain and object of its story.
    SameChain,
    /// There is no prompt in its language.
    NoPrompt,
    /// Its second half is too short to be distinguished from other texts.
    TooShort,
    /// The text is longer than the model's context.
    TooLong,
    /// A log-probability is not a finite number.
    NotFinite,
}

impl Skip {
    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Skip::NoReleasedOrder => "the benchmark's files give the options no order of their own",
            Skip::SameOptions => "another question of its story lists the same options",
            Skip::OneOption => "fewer than two different options",
            Skip::SameStory => "another question about the same story stands for it",
            Skip::NoFresh => "the generator makes no question of its kind, so there is none to compare it with",
            Skip::Untracked => "its story is not tracked, or its right answer is not what its story says",
            Skip::NoFalseBelief => "it asks about no belief, or about a true one",
            Skip::SameChain => "another question about the same minds in its story stands for it",
            Skip::NoPrompt => "there is no question in its language",
            Skip::TooShort => "its second half has fewer than 8 words",
            Skip::TooLong => "longer than the model's context",
            Skip::NotFinite => "a log-probability is not a finite number",
        }
    }
}

/// A skipped item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedRow {
    /// The item's id.
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// The reason in words.
    pub skipped: String,
    /// Whether it was sent and received no answer.
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

/// Number of skipped items by reason, in order of first occurrence.
pub fn skips<'a>(rows: impl IntoIterator<Item = &'a SkippedRow>) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    for row in rows {
        *counts.entry(row.skipped.clone()).or_default() += 1;
    }
    counts
}
