//! Who answers. What is asked is text with continuations, or with a reply wanted; what comes back is log-likelihoods of
//! tokens, or a text. [`Local`] computes a model on this machine; [`Server`] asks one on a server; [`Imported`]
//! holds answers that were made elsewhere.

mod ask;
mod imported;
mod local;
mod reply;
#[cfg(feature = "server")]
mod server;
mod writer;

use std::ops::ControlFlow;

pub use ask::{AskKeeper, KeptAsk, Together, TrialAsks, by_story};
pub use imported::{Imported, ImportedProblem, ReplyReading, languages_left_out};
pub use local::{Local, Prepared, TextSetup};
pub use reply::{AskScores, Capability, Choice, ContinuationScores, Reply, TrialReplies, Unsupported, WrittenReply};
#[cfg(feature = "server")]
pub use server::{Inquiry, PromptWriter, ReplyDraws, Route, ServedTrials, Server, ServerSetup};
pub use writer::{Writer, WritingSetup};

use crate::decoder::DecoderError;
use crate::engine::{GenerateError, GenerateProgress, PassTime, Plan, Timing};
use crate::record::Failure;

/// Someone who answers trials, batch by batch.
pub trait Backend {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// What it can do.
    fn capabilities(&self) -> &[Capability];

    /// Why a trial will have no answer, where that is known before anything is asked.
    fn refusal(&self, trial: usize) -> Option<&Failure>;

    /// The work in order. Each trial without a refusal stands in one batch.
    fn batches(&self) -> Vec<Batch>;

    /// The answers to a batch's trials. `after_step` is told of each finished step and may end the work,
    /// which then has no answers (`None`). Refused by those who answer trial by trial.
    fn answer(
        &mut self,
        _batch: usize,
        _after_step: &mut dyn FnMut(PassTime) -> ControlFlow<()>,
    ) -> Result<Option<Vec<TrialReplies>>, BackendError> {
        Err(Unsupported { asked: Capability::Scores, backend: self.name() }.into())
    }

    /// Whether it answers trial by trial ([`Backend::answer_each`]) and not batch by batch where it scores, too.
    fn answers_each(&self) -> bool {
        false
    }

    /// Answer each of these trials, handing each over as it ends, in no order that means anything: replies that are written, and
    /// scores of those who [answer each](Backend::answers_each). `after_step` is told how far the work is. Either may end it
    /// before its time, which the return value tells.
    fn answer_each(
        &mut self,
        _trials: &[usize],
        _on_reply: &mut dyn FnMut(TrialReplies) -> ControlFlow<()>,
        _after_step: &mut dyn FnMut(&GenerateProgress) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BackendError> {
        Err(Unsupported { asked: Capability::Text, backend: self.name() }.into())
    }

    /// Where the time went so far.
    fn timing(&self) -> Timing;

    /// `Ok` where this backend can do what is asked of it.
    fn require(&self, asked: Capability) -> Result<(), Unsupported> {
        match self.capabilities().contains(&asked) {
            true => Ok(()),
            false => Err(Unsupported { asked, backend: self.name() }),
        }
    }
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
    /// The backend cannot do it.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
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
    #[error("{failed} trials in a row have no answer, so the server is asked no more; the last time: {error}")]
    InARow {
        /// How many.
        failed: usize,
        /// What happened last.
        error: crate::server::ServerError,
    },
    /// Some trials are not answered, and may be another time.
    #[cfg(feature = "server")]
    #[error("{trials} trials are not answered: {error}")]
    Unanswered {
        /// How many.
        trials: usize,
        /// What happened first.
        error: crate::server::ServerError,
    },
}

/// The answers to all batches, in the order of the work.
pub fn answer_all(backend: &mut dyn Backend) -> Result<Vec<TrialReplies>, BackendError> {
    let mut all = Vec::new();
    for batch in 0..backend.batches().len() {
        all.extend(backend.answer(batch, &mut |_| ControlFlow::Continue(()))?.into_iter().flatten());
    }
    Ok(all)
}
