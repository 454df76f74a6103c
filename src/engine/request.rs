//! What is scored, and what comes back.

use serde::{Deserialize, Serialize};

/// A token sequence of which a tail is scored.
///
/// ```text
/// tokens       t0 t1 t2 t3 t4 t5        scored_from = 4
///              '---------' '---'
///               context    continuation: log p(t4 | t0..t3), log p(t5 | t0..t4)
/// forwarded    t0 t1 t2 t3 t4           the last token need not be forwarded
/// logits rows           ^  ^            rows 3 and 4 predict tokens 4 and 5
/// ```
///
/// Context and continuation are tokenized as one text and then split; where the boundary moves, `scored_from` is the
/// length of the longest common prefix with the context's own tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// Context and continuation.
    pub tokens: Vec<u32>,
    /// Index of the first scored token: at least 1 and less than `tokens.len()`.
    pub scored_from: usize,
}

/// Sequences that belong together: usually one prompt with all its continuations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The sequences, in the order in which their scores come back.
    pub sequences: Vec<Sequence>,
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
