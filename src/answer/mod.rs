//! Answers: turns log-likelihoods into choices, and the choices of several option orders into one vote.
//!
//! 1. [`Normalisation`]: the log-likelihood of a continuation becomes its score.
//! 2. [`read()`]: a trial record becomes a [`TrialOutcome`] in canonical options; [`outcomes`] does so for a whole run.
//! 3. [`vote`]: the trials of an item become its [`Outcome`].
//! 4. [`LabelMasses`]: whether the model was about to write a label at all.
//! 5. [`pride`]: choices corrected for the prior of the labels.
//!
//! A written reply contains its reading ([`crate::extract`]). Answers produced elsewhere ([`Imported`]) enter at step
//! 3.

mod imported;
mod label_mass;
mod normalisation;
mod numbers;
mod outcome;
mod outcomes;
pub mod pride;
mod read;
mod reread;
mod ties;
mod trial;
mod vote;

pub use imported::{
    FailedRow, Imported, ImportedFile, ImportedProblem, KnownItems, MappedRequest, ProblemKind, ReplyReading,
    RequestMap, languages_left_out, reply_of_line,
};
pub use label_mass::{LOW_LABEL_MASS, LabelMass, LabelMasses};
pub use normalisation::Normalisation;
pub use numbers::softmax;
pub use outcome::Outcome;
pub use outcomes::{OutcomeKey, Outcomes, outcomes};
pub use read::{BestAnswer, ReadError, best_answer, displayed_answers, read};
pub use reread::{Reread, answer_in, answers_wanted, reread};
pub use ties::{TieRule, Ties};
pub(crate) use trial::displayed_answer;
pub use trial::{TrialOutcome, TrialReading};
pub use vote::{mean_probabilities, mean_probability, mean_probability_vote};
