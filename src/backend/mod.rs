//! Backends that answer. A question is text with continuations, or with a request for a reply; an answer is
//! log-likelihoods of tokens, or a text. [`Local`] scores with a local model and [`Generator`] writes with it;
//! [`Server`] uses a model on a server.

mod local;
mod reply;
#[cfg(feature = "server")]
mod server;
mod writer;

use std::ops::ControlFlow;

pub use local::{Local, Prepared, TextSetup};
pub use reply::{AskScores, ContinuationScores, GeneratedReply, Replies, TrialReplies};
#[cfg(feature = "server")]
pub use server::{Inquiry, Peer, PromptWriter, ReplyDraws, Route, ServedTrials, Server, ServerSetup, choose_source};
pub use writer::{Generator, WritingSetup};

use crate::decoder::DecoderError;
use crate::engine::{GenerateError, GenerateProgress, PassTime, Plan, Timing};
use crate::record::Failure;

/// Answers trials in batches ([`Scorer`]) or one by one ([`Answerer`]).
pub trait Backend {
    /// Whether prompts are chat turns; else they are plain text.
    fn is_chat(&self) -> bool;

    /// Returns why a trial will have no answer, if known before asking.
    fn refusal(&self, trial: usize) -> Option<&Failure>;

    /// Returns the work in order. Each trial without a refusal is in one batch.
    fn batches(&self) -> Vec<Batch>;

    /// Returns where the time went so far.
    fn timing(&self) -> Timing;
}

/// Scores continuations.
pub trait Scorer: Backend {
    /// Scores a batch's trials. `after_step` is called after each step and may end the work, which then returns `None`.
    fn score(
        &mut self,
        batch: usize,
        after_step: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialReplies<Vec<AskScores>>>>, BackendError>;
}

/// Generates replies, or scores over a network.
pub trait Answerer: Backend {
    /// Answers each of these trials and passes each on when it ends, in any order. `after_step` receives the progress.
    /// Either callback may end the work early, as the return value shows.
    fn answer(
        &mut self,
        trials: &[usize],
        on_reply: &mut dyn FnMut(TrialReplies<Replies>) -> ControlFlow<()>,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BackendError>;
}

/// Trials that are answered and recorded together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Their numbers.
    pub trials: Vec<usize>,
    /// Number of tokens.
    pub tokens: usize,
}

impl Batch {
    /// Returns the batches of a plan.
    fn planned(plan: &Plan) -> Vec<Batch> {
        let batches = plan.batches.iter();
        batches.map(|batch| Batch { trials: batch.trials.clone(), tokens: batch.tokens }).collect()
    }
}

/// Answers that could not be obtained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Replies could not be written.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The server cannot be used.
    #[cfg(feature = "server")]
    #[error(transparent)]
    Server(#[from] crate::server::ServerError),
    /// Stopped after several consecutive failures.
    #[cfg(feature = "server")]
    #[error("stopped after {failed} consecutive failures; the last one: {error}")]
    InARow {
        /// Number of failures.
        failed: usize,
        /// The last error.
        error: crate::server::ServerError,
    },
    /// Some trials are not answered, and may be at another time.
    #[cfg(feature = "server")]
    #[error("{} not answered: {error}", crate::counted::counted(*trials, "trial"))]
    Unanswered {
        /// Number of trials.
        trials: usize,
        /// The first error.
        error: crate::server::ServerError,
    },
}

/// Returns the scores of all batches, in the order of the work.
pub fn score_all(scorer: &mut dyn Scorer) -> Result<Vec<TrialReplies<Vec<AskScores>>>, BackendError> {
    let mut all = Vec::new();
    for batch in 0..scorer.batches().len() {
        all.extend(scorer.score(batch, &mut |_| ControlFlow::Continue(()))?.into_iter().flatten());
    }
    Ok(all)
}
