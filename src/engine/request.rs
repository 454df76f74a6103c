//! Scoring requests and their results.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::shared::SharedList;
use crate::decoder::Stages;
use crate::model::{Sequence, TokenizerError, common_length};

/// A prompt and the continuations to score after it, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextRequest {
    /// The prompt.
    pub context: String,
    /// Continuations to score.
    pub continuations: Vec<String>,
    /// Whether to add the tokenizer's special tokens (BOS) in front; a chat template writes them itself.
    pub add_special: bool,
}

/// A prompt with all continuations to score after it. The context is stored once; its beginning may be shared with
/// other requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    context: SharedList<u32>,
    continuations: Arc<[Continuation]>,
}

/// A scored continuation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Continuation {
    /// Number of tokens at the end of the request's context that it replaces.
    pub back: u32,
    pub tokens: Box<[u32]>,
}

/// A continuation that cannot be scored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The text cannot be tokenized.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The continuation has no token of its own.
    #[error("continuation {index} is empty: it adds no token to the context; give it at least one character")]
    EmptyContinuation {
        /// Index of the continuation, from 0.
        index: usize,
    },
    /// No token precedes the continuation.
    #[error("continuation {index} has no context token before it; give a prompt, or a tokenizer with a BOS token")]
    EmptyContext {
        /// Index of the continuation, from 0.
        index: usize,
    },
    /// The sequence does not begin with the context's tokens up to its first scored token.
    #[error("continuation {index} does not share the first {keep} tokens of its context")]
    ForeignContext {
        /// Index of the continuation, from 0.
        index: usize,
        /// Claimed number of shared tokens.
        keep: usize,
    },
}

impl Request {
    /// Creates a request from a prompt's tokens and the whole sequences (context and continuation) to score.
    pub fn new(context: Vec<u32>, sequences: Vec<Sequence>) -> Result<Self, RequestError> {
        let mut continuations = Vec::with_capacity(sequences.len());
        for (index, sequence) in sequences.into_iter().enumerate() {
            let keep = sequence.scored_from;
            if keep == 0 {
                return Err(RequestError::EmptyContext { index });
            }
            if keep >= sequence.tokens.len() {
                return Err(RequestError::EmptyContinuation { index });
            }
            if context.get(..keep) != Some(&sequence.tokens[..keep]) {
                return Err(RequestError::ForeignContext { index, keep });
            }
            let back = (context.len() - keep) as u32;
            continuations.push(Continuation { back, tokens: sequence.tokens[keep..].into() });
        }
        Ok(Request { context: SharedList::new(&context), continuations: continuations.into() })
    }

    /// The same prompt for a reply instead of scores; it is planned with one token after it.
    pub fn for_reply(self) -> Request {
        // The last scored token is never forwarded, so any token will do.
        let one = Continuation { back: 0, tokens: [0].into() };
        Request { context: self.context, continuations: [one].into() }
    }

    pub(super) fn of_parts(context: SharedList<u32>, continuations: Arc<[Continuation]>) -> Self {
        Request { context, continuations }
    }

    /// The prompt's tokens.
    pub fn context(&self) -> Cow<'_, [u32]> {
        let [beginning, own] = self.context.pieces();
        if own.is_empty() { Cow::Borrowed(beginning) } else { Cow::Owned([beginning, own].concat()) }
    }

    /// Number of the prompt's tokens.
    pub fn context_tokens(&self) -> usize {
        self.context.len()
    }

    /// Scored tokens of each continuation.
    pub fn continuations(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.continuations.iter().map(|continuation| &*continuation.tokens)
    }

    /// The whole sequences, as given to [`Request::new`].
    pub fn sequences(&self) -> impl ExactSizeIterator<Item = Sequence> {
        self.continuations.iter().map(|continuation| {
            let scored_from = self.keep(continuation);
            Sequence { tokens: [&self.context()[..scored_from], &continuation.tokens].concat(), scored_from }
        })
    }

    /// Length of the longest sequence, including its last token.
    pub fn longest(&self) -> usize {
        let tokens = |continuation: &Continuation| self.keep(continuation) + continuation.tokens.len();
        self.continuations.iter().map(tokens).max().unwrap_or(0)
    }

    /// Number of stored prefixes, and of tokens stored outside them.
    #[cfg(test)]
    pub(super) fn held(requests: &[Request]) -> (usize, usize) {
        let mut beginnings: Vec<*const u32> =
            requests.iter().map(|request| request.context.beginning.as_ptr()).collect();
        beginnings.sort_unstable();
        beginnings.dedup();
        (beginnings.len(), requests.iter().map(|request| request.context.own.len()).sum())
    }

    /// Addresses of the continuations in memory.
    #[cfg(test)]
    pub(super) fn continuations_at(&self) -> *const Continuation {
        self.continuations.as_ptr()
    }

    /// Number of context tokens before a continuation.
    fn keep(&self, continuation: &Continuation) -> usize {
        self.context.len() - continuation.back as usize
    }

    /// The forwarded paths, one per continuation. The prompt with the whole continuation determines a path's stage, as
    /// in a forward of the text; its last token counts, though it is never forwarded.
    pub(crate) fn paths(&self, stages: Option<Stages>) -> impl ExactSizeIterator<Item = Path<'_>> {
        let [beginning, own] = self.context.pieces();
        self.continuations.iter().map(move |continuation| {
            let keep = self.keep(continuation);
            Path {
                beginning: &beginning[..keep.min(beginning.len())],
                own: &own[..keep.saturating_sub(beginning.len())],
                scored: &continuation.tokens,
                stage: stages.map_or(0, |stages| stages.of(keep + continuation.tokens.len())),
            }
        })
    }
}

/// Tokens to forward for one continuation: all except its last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    /// Beginning of the context, possibly shared with other paths in memory.
    beginning: &'a [u32],
    /// The rest of the context.
    own: &'a [u32],
    scored: &'a [u32],
    /// Stage of its sequence; different stages have separate keys and values.
    stage: u8,
}

impl<'a> Path<'a> {
    /// The path of a whole prompt, whose next token is unknown.
    pub fn of_prompt(prompt: &'a [u32], stages: Option<Stages>) -> Path<'a> {
        Path::along(prompt, stages.map_or(0, |stages| stages.of(prompt.len())))
    }

    /// A path of a given stage along these tokens.
    pub fn along(tokens: &'a [u32], stage: u8) -> Path<'a> {
        Path { beginning: tokens, own: &[], scored: &[0], stage }
    }

    /// Stage of its sequence. Paths of different stages share no token.
    pub fn stage(&self) -> u8 {
        self.stage
    }

    fn context_tokens(&self) -> usize {
        self.beginning.len() + self.own.len()
    }

    /// Number of forwarded tokens.
    pub fn len(&self) -> usize {
        self.context_tokens() + self.scored.len() - 1
    }

    /// The token at `depth`, counted from 0; `depth` is less than [`Path::len`].
    pub fn token(&self, depth: usize) -> u32 {
        self.piece_from(depth)[0]
    }

    /// Forwarded tokens from `depth` to the end of their contiguous slice; empty at the path's end.
    fn piece_from(&self, depth: usize) -> &'a [u32] {
        if depth < self.beginning.len() {
            return &self.beginning[depth..];
        }
        match depth.checked_sub(self.context_tokens()) {
            None => &self.own[depth - self.beginning.len()..],
            Some(tail) => &self.scored[tail..self.scored.len() - 1],
        }
    }

    /// Forwarded tokens in a range of depths.
    pub fn slice(&self, depths: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        let pieces = [self.beginning, self.own, &self.scored[..self.scored.len() - 1]];
        let mut before = 0;
        let within = pieces.map(|piece| {
            let [from, to] = [depths.start, depths.end].map(|depth| depth.saturating_sub(before).min(piece.len()));
            before += piece.len();
            &piece[from..to]
        });
        within.into_iter().flatten().copied()
    }

    /// Depths whose logits are needed, each with the token to predict.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = (usize, u32)> + 'a {
        let first = self.first_row();
        self.scored.iter().enumerate().map(move |(index, &token)| (first + index, token))
    }

    /// The depth whose logits predict the first scored token.
    pub fn first_row(&self) -> usize {
        self.context_tokens() - 1
    }

    /// Length of the longest common prefix, which can be forwarded for both; 0 across stages.
    pub fn common_prefix(&self, other: &Path<'_>) -> usize {
        if self.stage != other.stage {
            return 0;
        }
        let mut depth = match std::ptr::eq(self.beginning.as_ptr(), other.beginning.as_ptr()) {
            true => self.beginning.len().min(other.beginning.len()),
            false => 0,
        };
        loop {
            let (mine, theirs) = (self.piece_from(depth), other.piece_from(depth));
            let both = mine.len().min(theirs.len());
            let same = common_length(&mine[..both], &theirs[..both]);
            depth += same;
            if both == 0 || same < both {
                return depth;
            }
        }
    }

    /// Lexicographic order of the forwarded tokens, which is depth-first order of their trie; paths within the original
    /// context come first.
    pub fn compare(&self, other: &Path<'_>) -> std::cmp::Ordering {
        if self.stage != other.stage {
            return self.stage.cmp(&other.stage);
        }
        let common = self.common_prefix(other);
        match (common < self.len(), common < other.len()) {
            (true, true) => self.token(common).cmp(&other.token(common)),
            (mine, theirs) => mine.cmp(&theirs),
        }
    }
}

/// Log-likelihood of one continuation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenScores {
    /// Natural log-probability of each scored token, in order.
    pub logprobs: Vec<f32>,
}

impl TokenScores {
    /// Log-likelihood of the whole continuation: the sum over its tokens, in f64.
    pub fn sum(&self) -> f64 {
        self.logprobs.iter().map(|&logprob| f64::from(logprob)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tokenizer;

    #[test]
    fn many_prompts_are_tokenized_in_order() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&folder).expect("the fixture has a tokenizer");
        let prompts: Vec<ContextRequest> = (0..50)
            .map(|number| ContextRequest {
                context: format!("story {number}\nAnswer:"),
                continuations: vec![" A".to_string(), if number == 7 { String::new() } else { " B".to_string() }],
                add_special: true,
            })
            .collect();
        let requests = Request::encode_all(&tokenizer, &prompts);
        for (number, request) in requests.iter().enumerate() {
            match request {
                Ok(request) => {
                    let context = tokenizer.encode(&prompts[number].context, true).unwrap();
                    let expected = [" A", " B"].map(|answer| {
                        let tokens = tokenizer.encode(&format!("{}{answer}", prompts[number].context), true).unwrap();
                        let scored_from = context.iter().zip(&tokens).take_while(|(one, other)| one == other).count();
                        Sequence { tokens, scored_from }
                    });
                    assert_eq!(*request, Request::new(context, expected.to_vec()).unwrap());
                }
                Err(_) => assert_eq!(number, 7),
            }
        }
        assert!(requests[7].is_err());
    }
}
