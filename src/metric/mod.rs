//! Metrics: outcomes grouped by facets. This module never sees a model.

mod outcome;

pub use outcome::{Outcome, TrialOutcome};
