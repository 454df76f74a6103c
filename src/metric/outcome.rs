//! What metrics are computed from.

use crate::benchmark::{Answer, Item};
use crate::prompt::Order;

/// What one option order of one item came to. Everything is in canonical options; the order was undone on reading.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialOutcome {
    /// The option order shown, where known.
    pub order: Option<Order>,
    /// How often the policy drew this order.
    pub count: usize,
    /// What was chosen; `None` when the trial failed or the text held no answer.
    pub choice: Option<Answer>,
    /// Log-score of each canonical option under the normalisation in force, where the choice came from scores.
    pub logprobs: Option<Vec<f64>>,
    /// Why there is no choice.
    pub failure: Option<String>,
}

/// An item with all its trials under one style and condition, and the voted choice.
#[derive(Debug, Clone)]
pub struct Outcome<'a> {
    /// The item, with its gold answer and facets.
    pub item: &'a Item,
    /// Prompt style, for instance `vanilla`.
    pub style: String,
    /// Changed presentation, for instance `no-profile`; `None` is the plain one.
    pub condition: Option<String>,
    /// One entry per distinct order.
    pub trials: Vec<TrialOutcome>,
    /// The vote's result; `None` when no trial has a choice.
    pub choice: Option<Answer>,
}

impl Outcome<'_> {
    /// Whether the voted choice equals the gold answer. No choice is wrong.
    pub fn is_right(&self) -> bool {
        self.choice.as_ref() == Some(&self.item.gold)
    }
}
