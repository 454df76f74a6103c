//! Who answers. What is asked is text with continuations, or with a reply wanted; what comes back is log-likelihoods of
//! tokens, or a text. [`Local`] scores with a model on this machine and [`Generator`] writes with it; [`Server`] asks one on a server.

mod local;
mod reply;
#[cfg(feature = "server")]
mod server;
mod writer;

use std::ops::ControlFlow;

pub use local::{Local, Prepared, TextSetup};
pub use reply::{AskScores, ContinuationScores, GeneratedReply, Replies, TrialReplies};
#[cfg(feature = "server")]
pub use server::{Inquiry, PromptWriter, ReplyDraws, Route, ServedTrials, Server, ServerSetup};
pub use writer::{Generator, WritingSetup};

use crate::decoder::DecoderError;
use crate::engine::{GenerateError, GenerateProgress, PassTime, Plan, Timing};
use crate::record::Failure;

/// Answers trials in batches ([`Scorer`]) or one by one ([`Answerer`]).
pub trait Backend {
    /// Whether prompts are chat turns; else they are plain text.
    fn is_chat(&self) -> bool;

    /// Why a trial will have no answer, where that is known before anything is asked.
    fn refusal(&self, trial: usize) -> Option<&Failure>;

    /// The work in order. Each trial without a refusal stands in one batch.
    fn batches(&self) -> Vec<Batch>;

    /// Where the time went so far.
    fn timing(&self) -> Timing;
}

/// Scores continuations.
pub trait Scorer: Backend {
    /// The scores of a batch's trials. `after_step` is told of each finished step and may end the work, which then has none
    /// (`None`).
    fn score(
        &mut self,
        batch: usize,
        after_step: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialReplies<Vec<AskScores>>>>, BackendError>;
}

/// Generates replies, or scores over a network.
pub trait Answerer: Backend {
    /// Answer each of these trials, handing each over as it ends, in no order that means anything. `after_step` is told how far
    /// the work is. Either may end it before its time, which the return value tells.
    fn answer(
        &mut self,
        trials: &[usize],
        on_reply: &mut dyn FnMut(TrialReplies<Replies>) -> ControlFlow<()>,
        after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BackendError>;
}

/// Trials that are answered, and recorded, together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Their numbers.
    pub trials: Vec<usize>,
    /// Tokens it takes.
    pub tokens: usize,
}

impl Batch {
    /// The batches of a plan.
    fn planned(plan: &Plan) -> Vec<Batch> {
        let batches = plan.batches.iter();
        batches.map(|batch| Batch { trials: batch.trials.clone(), tokens: batch.tokens }).collect()
    }
}

/// Answers that could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// Replies could not be written.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The server cannot be asked.
    #[cfg(feature = "server")]
    #[error(transparent)]
    Server(#[from] crate::server::ServerError),
    /// Nothing is answered any more.
    #[cfg(feature = "server")]
    #[error("stopped after {failed} consecutive failures; the last one: {error}")]
    InARow {
        /// How many.
        failed: usize,
        /// What happened last.
        error: crate::server::ServerError,
    },
    /// Some trials are not answered, and may be another time.
    #[cfg(feature = "server")]
    #[error("{} not answered: {error}", crate::counted::counted(*trials, "trial"))]
    Unanswered {
        /// How many.
        trials: usize,
        /// What happened first.
        error: crate::server::ServerError,
    },
}

/// The scores of all batches, in the order of the work.
pub fn score_all(scorer: &mut dyn Scorer) -> Result<Vec<TrialReplies<Vec<AskScores>>>, BackendError> {
    let mut all = Vec::new();
    for batch in 0..scorer.batches().len() {
        all.extend(scorer.score(batch, &mut |_| ControlFlow::Continue(()))?.into_iter().flatten());
    }
    Ok(all)
}
