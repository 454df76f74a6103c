//! A reply in progress.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use super::sampling::Sampling;
use super::text::{GrowingText, first_stop};
use super::thinking::Thinking;
use super::{GenerateError, GenerateRequest, Reply, ReplyEnd};
use crate::decoder::RowRanges;
use crate::model::Tokenizer;
use crate::seed::seeded;

/// An unfinished reply.
#[derive(Debug)]
pub(super) struct Live {
    /// Index of its request.
    pub request: usize,
    pub tokens: Vec<u32>,
    /// Cache rows of prompt and reply in depth order, except the last token, which is not forwarded yet.
    pub path: RowRanges,
    /// Stage for which these rows were computed.
    pub stage: u8,
    /// Token limit, and why the reply ends there.
    limit: (usize, ReplyEnd),
    random: ChaCha8Rng,
    /// Distinct tokens of the text, ascending; empty if not needed.
    seen: Vec<u32>,
    text: GrowingText,
    thinking: Thinking,
}

/// Prediction of the token after a text.
#[derive(Debug, Clone)]
pub(super) enum Next {
    /// All its logits.
    Logits(Vec<f32>),
    /// The likeliest token with text, if nothing else is needed; `None` if logits are not finite.
    Likeliest(Option<u32>),
}

/// Settings shared by all replies.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub sampling: &'a Sampling,
    pub tokenizer: Option<&'a Tokenizer>,
    /// The model's context length.
    pub context: usize,
}

impl Rules<'_> {
    /// Number of drawable tokens of a vocabulary: with a tokenizer, those that have text.
    pub fn known(&self, vocab: usize) -> usize {
        self.tokenizer.map_or(usize::MAX, Tokenizer::vocab_size).min(vocab)
    }
}

impl Live {
    /// A reply without tokens.
    pub fn begin(number: usize, request: &GenerateRequest, rules: Rules) -> Live {
        let sampling = rules.sampling;
        let mut seen = Vec::new();
        if sampling.repetition_penalty != 1.0 {
            seen.extend_from_slice(&request.prompt);
            seen.sort_unstable();
            seen.dedup();
        }
        // The token predicted by the last one in the context needs no room there.
        let room = (rules.context + 1).saturating_sub(request.prompt.len());
        Live {
            request: number,
            tokens: Vec::new(),
            path: RowRanges::default(),
            stage: 0,
            limit: match request.max_tokens <= room {
                true => (request.max_tokens, ReplyEnd::Length),
                false => (room, ReplyEnd::Context),
            },
            random: seeded(sampling.seed, &format!("reply to {}", request.key), request.sample),
            seen,
            text: GrowingText::default(),
            thinking: Thinking::begin(sampling.thinking.as_ref(), &request.prompt),
        }
    }

    /// Number of tokens of the text that must be cached before the next token can be drawn or forwarded.
    pub fn in_cache(&self, prompt: &[u32]) -> usize {
        prompt.len() + self.tokens.len().saturating_sub(1)
    }

    /// A range of tokens of the text.
    pub fn slice<'a>(&'a self, prompt: &'a [u32], places: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        prompt.iter().chain(&self.tokens).skip(places.start).take(places.len()).copied()
    }

    /// Draws the next token and returns why the reply ends with it, if it does.
    pub fn take(
        &mut self,
        next: &mut Next,
        request: &GenerateRequest,
        rules: Rules,
    ) -> Result<Option<ReplyEnd>, GenerateError> {
        let (most, at_most) = self.limit;
        if self.tokens.len() >= most {
            return Ok(Some(at_most));
        }
        let sampling = rules.sampling;
        let token = match (self.thinking.forced(sampling.thinking.as_ref()), next) {
            (Some(token), _) => Some(token),
            (None, Next::Likeliest(token)) => *token,
            (None, Next::Logits(logits)) => {
                let known = rules.known(logits.len());
                sampling.next(&mut logits[..known], &self.seen, &mut self.random)
            }
        };
        let token = token.ok_or_else(|| GenerateError::NotFinite {
            key: request.key.clone(),
            sample: request.sample,
            tokens: request.prompt.len() + self.tokens.len(),
        })?;
        if sampling.stop.contains(&token) {
            return Ok(Some(ReplyEnd::Stop));
        }
        self.tokens.push(token);
        if sampling.repetition_penalty != 1.0
            && let Err(place) = self.seen.binary_search(&token)
        {
            self.seen.insert(place, token);
        }
        self.thinking.push(sampling.thinking.as_ref(), &self.tokens);
        if let (Some(tokenizer), false) = (rules.tokenizer, sampling.stop_strings.is_empty())
            && self.text.finds(tokenizer, &self.tokens, &sampling.stop_strings)?
        {
            return Ok(Some(ReplyEnd::StopString));
        }
        Ok((self.tokens.len() == most).then_some(at_most))
    }

    /// Finishes the reply.
    pub fn end(self, end: ReplyEnd, rules: Rules) -> Result<Reply, GenerateError> {
        let mut text = rules.tokenizer.map(|tokenizer| tokenizer.decode(&self.tokens)).transpose()?;
        if let (Some(text), ReplyEnd::StopString) = (&mut text, end) {
            let place = first_stop(text, &rules.sampling.stop_strings);
            text.truncate(place.unwrap_or(text.len()));
        }
        Ok(Reply { thinking: self.thinking.tokens(), tokens: self.tokens, text, end })
    }
}
