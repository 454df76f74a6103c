//! Generation with continuous batching: many replies at once, from a queue.
//!
//! Prompts are taken in trie order, so that prefixes already in the cache are not forwarded again ([`queue`]). Each
//! reply is a branch of one token per step; a finished reply makes room for the next at once. Memory is counted for
//! tokens actually written: if it runs short, the youngest reply returns to the queue with its tokens and is continued
//! later.
//!
//! Each token is drawn from a forward of the whole text before it. If a model has other rotary factors for longer
//! texts, a reply's keys and values are therefore recomputed when its text grows into another stage, as transformers
//! does with a Phi-3 cache.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::plan::PlanError;
use crate::decoder::{Decoder, DecoderError};
use crate::model::{Tokenizer, TokenizerError};

mod estimate;
mod live;
mod placing;
mod queue;
mod sampling;
mod text;
mod thinking;

pub use estimate::LengthEstimate;
pub use sampling::{Sampling, SamplingFault};
pub use thinking::ThinkingBudget;

/// A requested reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateRequest {
    /// Tokens to continue. Several samples of one prompt share them.
    pub prompt: Arc<[u32]>,
    /// Key of its draws, with the seed and `sample`: names item, order and style, never a list index.
    pub key: String,
    /// Index among the replies with the same key, from 0.
    pub sample: usize,
    /// Most tokens of the reply.
    pub max_tokens: usize,
}

/// Limits on simultaneous work. If rows are independent ([`Decoder::rows_are_independent`]), replies do not depend on
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most tokens in one pass.
    pub pass_tokens: usize,
    /// Bytes for keys, values and activations.
    pub memory: u64,
    /// Most simultaneous replies.
    pub replies: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pass_tokens: 512, memory: 1 << 30, replies: 64 }
    }
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its tokens, without the final stop token.
    pub tokens: Vec<u32>,
    /// Their text, up to a stop string; absent without a tokenizer.
    pub text: Option<String>,
    /// Why it ended.
    pub end: ReplyEnd,
    /// Number of its thinking tokens: those between the marks of a [`ThinkingBudget`].
    pub thinking: usize,
}

impl Reply {
    /// The text that a limit of `most` tokens, at most that of the reply, would have ended; `None` if the reply ended within it.
    ///
    /// # Errors
    /// A token has no text.
    pub fn within(&self, most: usize, tokenizer: &Tokenizer) -> Result<Option<String>, TokenizerError> {
        let ended = match self.end {
            // A stop string is found at the token that completes it, a stop token is drawn after the last one.
            ReplyEnd::StopString => self.tokens.len() <= most,
            _ => self.tokens.len() < most,
        };
        if ended { Ok(None) } else { tokenizer.decode(&self.tokens[..most]).map(Some) }
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// A stop token was drawn.
    Stop,
    /// Its text contains a stop string.
    StopString,
    /// It reached its token limit.
    Length,
    /// It fills the model's context.
    Context,
}

impl ReplyEnd {
    /// Whether a limit ended it.
    pub fn is_cut(self) -> bool {
        matches!(self, ReplyEnd::Length | ReplyEnd::Context)
    }
}

/// Progress of generation, reported after each step and each pass of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerateProgress {
    /// Finished replies.
    pub ended: usize,
    /// Their tokens.
    pub ended_tokens: usize,
    /// Unfinished replies.
    pub live: usize,
    /// Their tokens so far.
    pub live_tokens: usize,
    /// Replies that have not begun, or wait to be continued.
    pub waiting: usize,
    /// Prompt tokens of all replies begun so far, counted as if each prompt were forwarded on its own.
    pub prompt_tokens: usize,
    /// Prompt tokens forwarded; the rest was shared.
    pub prompt_tokens_forwarded: usize,
    /// Tokens forwarded again to continue replies that had returned to the queue.
    pub tokens_again: usize,
    /// Passes through the model.
    pub passes: usize,
}

/// Replies that could not be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A prompt without tokens.
    #[error("prompt {index} has no tokens; give it text, or a tokenizer with a BOS token")]
    EmptyPrompt {
        /// Index of the request, from 0.
        index: usize,
    },
    /// A prompt that leaves no room for a reply.
    #[error("prompt {index} has {tokens} tokens, and the model's context of {limit} leaves no room for a reply")]
    TooLong {
        /// Index of the request, from 0.
        index: usize,
        /// Tokens of the prompt.
        tokens: usize,
        /// The model's context length.
        limit: usize,
    },
    /// Sampling settings that are out of range.
    #[error(transparent)]
    Sampling(#[from] SamplingFault),
    /// Stop strings require a tokenizer.
    #[error("stop strings need a tokenizer, but none was given")]
    NoTokenizer,
    /// Logits that are not finite.
    #[error(
        "reply to `{key}`, sample {sample}: the model's output after {tokens} tokens is not finite; check its weights, or \
         use another --dtype"
    )]
    NotFinite {
        /// The request's key.
        key: String,
        /// Its sample index.
        sample: usize,
        /// Tokens of the text so far, prompt included.
        tokens: usize,
    },
    /// A single reply exceeds the memory budget.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// A token has no text.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// Logits could not be read.
    #[error("reading logits: {0}")]
    Tensor(#[from] candle_core::Error),
}

/// Writes a reply to each request. `on_reply` receives each finished reply with the index of its request; the order
/// depends on the limits, the replies do not. `after_step` receives progress. Either may stop early, as the return
/// value shows.
///
/// With a tokenizer, replies have text, and tokens that it does not know are never drawn.
///
/// # Errors
/// An empty or too long prompt, invalid settings, or a budget too small for a single reply: all before the first
/// forward. Logits that are not finite, and errors of the decoder.
///
/// ```
/// use std::ops::ControlFlow::Continue;
/// use tomeval::{Device, GenerateRequest, Limits, ModelFiles, Precision, Sampling, generate};
/// let files = ModelFiles::from_path("tests/fixtures/llama".as_ref())?;
/// let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
/// let request = GenerateRequest { prompt: [1, 5, 9].into(), key: "an item".into(), sample: 0, max_tokens: 8 };
/// let sampling = Sampling::greedy(Vec::new());
/// let mut written = 0;
/// let mut count = |_, reply: tomeval::Written| {
///     written += reply.tokens.len();
///     Continue(())
/// };
/// let _ = generate(&decoder, None, &[request], &sampling, Limits::default(), &mut count, &mut |_| Continue(()))?;
/// assert_eq!(written, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate(
    decoder: &Decoder,
    tokenizer: Option<&Tokenizer>,
    requests: &[GenerateRequest],
    sampling: &Sampling,
    limits: Limits,
    on_reply: &mut dyn FnMut(usize, Reply) -> ControlFlow<()>,
    after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, GenerateError> {
    sampling.check()?;
    if tokenizer.is_none() && !sampling.stop_strings.is_empty() {
        return Err(GenerateError::NoTokenizer);
    }
    queue::Queue::new(decoder, tokenizer, requests, sampling, limits)?.run(on_reply, after_step)
}

/// Writes all replies and returns them in the order of their requests.
///
/// # Errors
/// As [`generate`].
pub fn generate_all(
    decoder: &Decoder,
    tokenizer: Option<&Tokenizer>,
    requests: &[GenerateRequest],
    sampling: &Sampling,
    limits: Limits,
) -> Result<Vec<Reply>, GenerateError> {
    let mut replies: Vec<(usize, Reply)> = Vec::with_capacity(requests.len());
    let mut on_reply = |request, reply| {
        replies.push((request, reply));
        ControlFlow::Continue(())
    };
    let _ =
        generate(decoder, tokenizer, requests, sampling, limits, &mut on_reply, &mut |_| ControlFlow::Continue(()))?;
    replies.sort_by_key(|(request, _)| *request);
    Ok(replies.into_iter().map(|(_, reply)| reply).collect())
}
