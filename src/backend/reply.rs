//! Results of a backend.

use crate::engine::TokenScores;
use crate::record::{Failure, Served};

/// Answer of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialReplies<R> {
    /// Number of the trial.
    pub trial: usize,
    /// Whether the system text was merged into the first user turn.
    pub system_merged: bool,
    /// The replies, or why there are none although the trial was asked.
    pub replies: Result<R, Failure>,
    /// Server configuration that answered, if reported.
    pub served: Option<Served>,
}

/// Result of a trial from a backend that answers one by one.
#[derive(Debug, Clone, PartialEq)]
pub enum Replies {
    /// Log-likelihoods of the continuations of each ask.
    Scores(Vec<AskScores>),
    /// A text.
    Text(GeneratedReply),
}

/// A written text, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedReply {
    /// Tokens of the prompt as the model read it.
    pub prompt_tokens: usize,
    /// The reply, without thoughts before it if the prompt opened a thinking section.
    pub text: String,
    /// The model's thoughts before the reply, if separate.
    pub thinking: Option<String>,
    /// Tokens written, including thoughts; `None` if unknown.
    pub tokens: Option<usize>,
    /// Whether the length limit ended it.
    pub cut: bool,
    /// The reply as it would be within each of these smaller numbers of tokens, if it is longer.
    pub shorter: Vec<(usize, GeneratedReply)>,
}

impl GeneratedReply {
    /// Returns the reply within a number of tokens.
    pub fn within(&self, tokens: Option<usize>) -> GeneratedReply {
        let shorter = self.shorter.iter().find(|(most, _)| Some(*most) == tokens);
        GeneratedReply { shorter: Vec::new(), ..shorter.map_or(self, |(_, reply)| reply).clone() }
    }
}

/// The scores of one ask.
#[derive(Debug, Clone, PartialEq)]
pub struct AskScores {
    /// Tokens of the prompt as the model read it.
    pub prompt_tokens: usize,
    /// One entry per continuation.
    pub continuations: Vec<ContinuationScores>,
}

/// The score of one continuation.
#[derive(Debug, Clone, PartialEq)]
pub struct ContinuationScores {
    /// Its token ids, if known.
    pub token_ids: Option<Vec<u32>>,
    /// Log-probabilities of its tokens.
    pub scores: TokenScores,
    /// Upper bound of the log-probability of the whole, if there are no scores.
    pub at_most: Option<f32>,
}
