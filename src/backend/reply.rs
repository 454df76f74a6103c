//! What a backend can do, and what comes back from it.

use std::fmt;

use crate::benchmark::Answer;
use crate::engine::TokenScores;
use crate::record::{Failure, Served};

/// What came back in one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialReplies {
    /// The number of the trial.
    pub trial: usize,
    /// Whether the system text had to go into the first user turn.
    pub system_merged: bool,
    /// One reply to each ask, or why there are none although the trial was asked.
    pub replies: Result<Vec<Reply>, Failure>,
    /// Which set-up of a server answered, where one did that tells.
    pub served: Option<Served>,
}

/// What came back for one ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Log-likelihoods of its continuations.
    Scores(AskScores),
    /// A text.
    Text(WrittenReply),
    /// A choice without the words it was made in.
    Choice(Choice),
}

/// A text that was written, and how it came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReply {
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

/// A choice in canonical options.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What was chosen; `None` for no answer.
    pub answer: Option<Answer>,
    /// Natural logarithms, where they are known: per option, or per joint choice for slots; log-odds of yes for labels.
    pub logprobs: Option<Vec<f64>>,
}

impl Reply {
    /// The scores in it; `backend` is the one it came from.
    pub fn scores(self, backend: &'static str) -> Result<AskScores, Unsupported> {
        match self {
            Reply::Scores(scores) => Ok(scores),
            Reply::Text(_) | Reply::Choice(_) => Err(Unsupported { asked: Capability::Scores, backend }),
        }
    }

    /// The text in it; `backend` is the one it came from.
    pub fn written(self, backend: &'static str) -> Result<WrittenReply, Unsupported> {
        match self {
            Reply::Text(reply) => Ok(reply),
            Reply::Scores(_) | Reply::Choice(_) => Err(Unsupported { asked: Capability::Text, backend }),
        }
    }

    /// The choice in it; `backend` is the one it came from.
    pub fn choice(self, backend: &'static str) -> Result<Choice, Unsupported> {
        match self {
            Reply::Choice(choice) => Ok(choice),
            Reply::Text(_) | Reply::Scores(_) => Err(Unsupported { asked: Capability::Choices, backend }),
        }
    }
}

/// Something that may be asked of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Prompts as chat turns; without it they are plain text.
    Chat,
    /// Log-likelihoods of continuations.
    Scores,
    /// Written replies.
    Text,
    /// Choices that were made before.
    Choices,
    /// Attention rows.
    Attention,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Capability::Chat => "chat turns",
            Capability::Scores => "log-likelihoods of continuations",
            Capability::Text => "written replies",
            Capability::Choices => "choices without words",
            Capability::Attention => "attention rows",
        })
    }
}

/// More was asked of a backend than it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{asked} were asked of the {backend} backend, which has none; choose another model or way of scoring")]
pub struct Unsupported {
    /// What was asked.
    pub asked: Capability,
    /// The backend's name.
    pub backend: &'static str,
}
