//! Answers: log-likelihoods become choices, and the choices of several option orders become one vote.
//!
//! 1. [`Normalisation`]: the log-likelihood of a continuation becomes its score.
//! 2. [`read()`]: a trial record becomes a [`TrialOutcome`] in canonical options; [`outcomes`] does so for a whole run.
//! 3. [`vote`]: the trials of an item become its [`Outcome`].
//! 4. [`pride`]: choices with the prior of the labels taken out.
//!
//! Answers produced elsewhere enter at the third step: [`read_answers`], [`given_outcomes`].

mod given;
mod normalisation;
mod outcome;
pub mod pride;
mod read;
mod vote;

pub use given::{GivenAnswer, GivenProblem, UNNAMED_STYLE, given_outcomes, read_answers};
pub use normalisation::{Normalisation, UnknownNormalisation};
pub use outcome::{Outcome, TrialOutcome, softmax};
pub(crate) use outcome::{argmax, displayed_answer};
pub use read::{ReadError, outcomes, read};
pub use vote::{TieRule, UnknownTieRule, Vote, mean_probability_vote, vote};
