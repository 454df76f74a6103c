//! What is scored, and what comes back.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::model::{Sequence, Tokenizer, TokenizerError};

/// A prompt and the continuations to be scored after it, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextRequest {
    /// The prompt.
    pub context: String,
    /// What may follow.
    pub continuations: Vec<String>,
    /// Whether the tokenizer's own leading tokens (BOS) come first; a chat template writes them itself.
    pub add_special: bool,
}

/// One prompt with all the continuations that are scored after it. The context is held once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    context: Vec<u32>,
    continuations: Vec<Continuation>,
}

/// A scored tail after the first `keep` tokens of its request's context.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Continuation {
    keep: usize,
    tokens: Vec<u32>,
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
        /// Which continuation, from 0.
        index: usize,
    },
    /// Nothing stands before the continuation.
    #[error("continuation {index} has no context token before it; give a prompt, or a tokenizer with a BOS token")]
    EmptyContext {
        /// Which continuation, from 0.
        index: usize,
    },
    /// The sequence does not begin with the context's tokens up to its first scored token.
    #[error("continuation {index} does not share the first {keep} tokens of its context")]
    ForeignContext {
        /// Which continuation, from 0.
        index: usize,
        /// Its claimed number of shared tokens.
        keep: usize,
    },
}

impl Request {
    /// A prompt's tokens and the whole sequences (context and continuation) to score after it.
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
            continuations.push(Continuation { keep, tokens: sequence.tokens[keep..].to_vec() });
        }
        Ok(Request { context, continuations })
    }

    /// Tokenize a prompt with its continuations.
    pub fn encode(tokenizer: &Tokenizer, prompt: &ContextRequest) -> Result<Self, RequestError> {
        let context = tokenizer.context(prompt.context.as_str(), prompt.add_special)?;
        let sequences: Result<Vec<Sequence>, _> =
            prompt.continuations.iter().map(|continuation| context.continue_with(continuation)).collect();
        Request::new(context.into_ids(), sequences?)
    }

    /// Tokenize many prompts in parallel; the results are in the order of the prompts, and one failing prompt leaves the
    /// others.
    pub fn encode_all(tokenizer: &Tokenizer, prompts: &[ContextRequest]) -> Vec<Result<Self, RequestError>> {
        prompts.par_iter().map(|prompt| Request::encode(tokenizer, prompt)).collect()
    }

    /// The prompt's tokens.
    pub fn context(&self) -> &[u32] {
        &self.context
    }

    /// Scored tokens of each continuation.
    pub fn continuations(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.continuations.iter().map(|continuation| continuation.tokens.as_slice())
    }

    /// Tokens of the longest sequence, its last token included.
    pub fn longest(&self) -> usize {
        self.continuations.iter().map(|continuation| continuation.keep + continuation.tokens.len()).max().unwrap_or(0)
    }

    /// The forwarded paths, one per continuation. On which side of the original context a path lies is decided by the
    /// prompt with the whole continuation, as in a forward of the text; its last token counts though nothing reads it.
    pub(crate) fn paths(&self, original_context: Option<usize>) -> impl ExactSizeIterator<Item = Path<'_>> {
        self.continuations.iter().map(move |Continuation { keep, tokens }| Path {
            context: &self.context[..*keep],
            scored: tokens,
            beyond: original_context.is_some_and(|original| keep + tokens.len() > original),
        })
    }
}

/// What must be forwarded for one continuation: everything but its last token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    context: &'a [u32],
    scored: &'a [u32],
    /// Whether its sequence is longer than the model's original context, where such sequences have keys and values of
    /// their own.
    beyond: bool,
}

impl<'a> Path<'a> {
    /// The path of a whole prompt, whose next token is not known yet.
    pub fn of_prompt(prompt: &'a [u32], original_context: Option<usize>) -> Path<'a> {
        let beyond = original_context.is_some_and(|original| prompt.len() > original);
        Path { context: prompt, scored: &[0], beyond }
    }

    /// Whether its sequence is longer than the model's original context. Paths on its two sides share no token.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// Number of forwarded tokens.
    pub fn len(&self) -> usize {
        self.context.len() + self.scored.len() - 1
    }

    /// The token at `depth`, counted from 0; `depth` is less than [`Path::len`].
    pub fn token(&self, depth: usize) -> u32 {
        match depth.checked_sub(self.context.len()) {
            None => self.context[depth],
            Some(tail) => self.scored[tail],
        }
    }

    /// Forwarded tokens in order.
    pub fn tokens(&self) -> impl Iterator<Item = u32> + 'a {
        self.context.iter().chain(&self.scored[..self.scored.len() - 1]).copied()
    }

    /// Forwarded tokens of a range of depths.
    pub fn slice(&self, depths: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        self.tokens().skip(depths.start).take(depths.len())
    }

    /// Depths whose logits are needed, each with the token it must predict.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = (usize, u32)> + 'a {
        let first = self.first_row();
        self.scored.iter().enumerate().map(move |(index, &token)| (first + index, token))
    }

    /// The depth whose logits predict the first scored token.
    pub fn first_row(&self) -> usize {
        self.context.len() - 1
    }

    /// How many leading tokens can be forwarded for both: the longest common prefix, none across the original context.
    pub fn common_prefix(&self, other: &Path<'_>) -> usize {
        if self.beyond != other.beyond {
            return 0;
        }
        let shortest = self.context.len().min(other.context.len());
        let mismatch = (0..shortest).find(|&depth| self.context[depth] != other.context[depth]);
        mismatch.unwrap_or_else(|| {
            let end = self.len().min(other.len());
            (shortest..end).find(|&depth| self.token(depth) != other.token(depth)).unwrap_or(end)
        })
    }

    /// Lexicographic order of the forwarded tokens, which is depth-first order of their trie; paths within the original
    /// context come first.
    pub fn compare(&self, other: &Path<'_>) -> std::cmp::Ordering {
        if self.beyond != other.beyond {
            return self.beyond.cmp(&other.beyond);
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
