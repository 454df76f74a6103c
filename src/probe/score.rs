//! What all probes share: the model that scores, items left out and why, and log-probabilities of texts.

use serde::Serialize;

use crate::benchmark::Item;
use crate::decoder::Decoder;
use crate::engine::{self, GenerateError, Request, RequestError, ScoreError, TokenScores};
use crate::language::Language;
use crate::model::{Sequence, TemplateError, Tokenizer};
use indexmap::IndexMap;

use super::FreshError;

/// The model that is probed.
#[derive(Clone, Copy)]
pub struct Scorer<'a> {
    /// Its weights.
    pub decoder: &'a Decoder,
    /// Its tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Bytes for keys, values and activations.
    pub memory: u64,
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
        /// What is wrong.
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
    /// Its benchmark.
    pub benchmark: String,
    /// Its language.
    pub language: Language,
    /// Why, in words.
    pub skipped: &'static str,
}

impl SkippedRow {
    pub(super) fn of(item: &Item, why: Skip) -> Self {
        SkippedRow {
            id: item.id.clone(),
            benchmark: item.benchmark.clone(),
            language: item.language,
            skipped: why.reason(),
        }
    }
}

/// How many items were left out for which reason, in order of first mention.
pub fn skips<'a>(rows: impl IntoIterator<Item = &'a SkippedRow>) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    for row in rows {
        *counts.entry(row.skipped.to_string()).or_default() += 1;
    }
    counts
}

impl Scorer<'_> {
    /// Whether the model's context holds a request.
    pub(super) fn fits(&self, request: &Request) -> bool {
        request.longest() <= self.decoder.spec().max_position
    }

    /// Scores of all requests, in their order.
    pub(super) fn score(
        &self,
        requests: &[Request],
        after_pass: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Vec<TokenScores>>, ScoreError> {
        engine::score(self.decoder, requests, self.memory, after_pass)
    }

    /// A text of which every token is scored that has one before it: all where the tokenizer begins with a token of its own.
    pub(super) fn whole_text(&self, text: &str) -> Result<Request, RequestError> {
        let tokens = self.tokenizer.encode(text, true)?;
        let begins = self.tokenizer.encode("", true)?;
        let own = tokens.iter().zip(&begins).take_while(|(token, begin)| token == begin).count();
        let scored_from = own.max(1);
        let context = tokens.get(..scored_from).unwrap_or(&tokens).to_vec();
        Request::new(context, vec![Sequence { tokens, scored_from }])
    }
}
