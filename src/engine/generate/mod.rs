//! Generation with continuous batching: many replies at a time, from a queue.
//!
//! Prompts are taken in the order of their trie, so that what a prompt has in common with one that is in the cache
//! already is not forwarded again ([`queue`]). Each reply is a branch of one token a step; one that ends makes room for
//! the next at once. Memory is counted for what is written: where it runs short, the youngest reply goes back into the
//! queue with what it has written, and is continued later.
//!
//! Each token is drawn from a forward of the whole text before it. Where a model has other rotary factors for longer
//! texts, the keys and values of a reply are therefore computed anew when its text grows into another stage, which is
//! what transformers does with a Phi-3 cache.

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

/// A reply that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateRequest {
    /// The tokens it continues. Several samples of one prompt share them.
    pub prompt: Arc<[u32]>,
    /// What its draws depend on, beside the seed and `sample`: what is asked (item, order, style), never a place in a list.
    pub key: String,
    /// Its number among the replies to one key, from 0.
    pub sample: usize,
    /// Most tokens of the reply.
    pub max_tokens: usize,
}

/// What replies may take at a time. Where rows are independent ([`Decoder::rows_are_independent`]) no reply depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most tokens in one pass.
    pub pass_tokens: usize,
    /// Bytes for keys, values and activations.
    pub memory: u64,
    /// Most replies that are written side by side.
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
    /// Its tokens, without the stop token that ended it.
    pub tokens: Vec<u32>,
    /// Their text, up to a stop string; absent where there is no tokenizer.
    pub text: Option<String>,
    /// Why it ended.
    pub end: ReplyEnd,
    /// How many of its tokens were thinking: those between the marks of a [`ThinkingBudget`].
    pub thinking: usize,
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// A stop token was drawn.
    Stop,
    /// Its text holds a stop string.
    StopString,
    /// It has as many tokens as asked for.
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

/// How far generation is, told after each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerateProgress {
    /// Replies that have ended.
    pub ended: usize,
    /// Tokens of those.
    pub ended_tokens: usize,
    /// Replies being written.
    pub live: usize,
    /// Tokens of those, so far.
    pub live_tokens: usize,
    /// Replies that have not begun, or wait to be continued.
    pub waiting: usize,
    /// Tokens of the prompts of all replies begun so far, as if each were forwarded on its own.
    pub prompt_tokens: usize,
    /// Tokens of prompts that were forwarded: the rest was shared.
    pub prompt_tokens_forwarded: usize,
    /// Tokens of replies that were put back and had to be forwarded again to be continued.
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
        /// Which request, from 0.
        index: usize,
    },
    /// A prompt that leaves no room for a reply.
    #[error("prompt {index} has {tokens} tokens, and the model's context of {limit} leaves no room for a reply")]
    TooLong {
        /// Which request, from 0.
        index: usize,
        /// Its tokens.
        tokens: usize,
        /// The model's context.
        limit: usize,
    },
    /// A setting that draws nothing.
    #[error(transparent)]
    Sampling(#[from] SamplingFault),
    /// Stop strings need text.
    #[error("stop strings need a tokenizer, and none was given")]
    NoTokenizer,
    /// Logits that are no numbers.
    #[error(
        "reply to `{key}`, sample {sample}: the model's output after {tokens} tokens is not finite; check its weights, or \
         take another --dtype"
    )]
    NotFinite {
        /// The request's key.
        key: String,
        /// Its sample.
        sample: usize,
        /// Tokens of the text so far, prompt included.
        tokens: usize,
    },
    /// A reply does not fit the memory budget even alone.
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

/// Write a reply to each request. `on_reply` is handed each as it ends, with the number of its request; the order of ends
/// depends on the limits, the replies do not. `after_step` is told how far the work is. Either may end it before its time,
/// which the return value tells.
///
/// With a tokenizer replies have text, and a token that it does not know is never drawn.
///
/// # Errors
/// An empty or too long prompt, settings that draw nothing, a budget too small for one reply alone: all before the first
/// forward. Logits that are not finite, and what the decoder says.
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

/// All replies at once, in the order of their requests.
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
