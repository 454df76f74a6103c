//! Results of a backend.

use crate::engine::TokenScores;
use crate::record::{Failure, Served};

/// What came back in one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialReplies<R> {
    /// The number of the trial.
    pub trial: usize,
    /// Whether the system text had to go into the first user turn.
    pub system_merged: bool,
    /// The replies, or why there are none although the trial was asked.
    pub replies: Result<R, Failure>,
    /// Which set-up of a server answered, where one did that tells.
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

/// A text that was written, and how it came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedReply {
    /// Tokens of the prompt as the model read it.
    pub prompt_tokens: usize,
    /// The reply, without what the model thought before where the prompt had it begin so.
    pub text: String,
    /// What the model thought before, where that comes apart.
    pub thinking: Option<String>,
    /// Tokens written, thoughts included; `None` where it is not known.
    pub tokens: Option<usize>,
    /// Whether the length limit ended it.
    pub cut: bool,
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
    /// Its token ids, where they are known.
    pub token_ids: Option<Vec<u32>>,
    /// Log-probabilities of its tokens.
    pub scores: TokenScores,
    /// Where there are none: what the log-probability of the whole is at most.
    pub at_most: Option<f32>,
}
