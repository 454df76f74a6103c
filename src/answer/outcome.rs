//! The trials of an item and their vote; the input of metrics.

use super::ties::Ties;
use super::trial::TrialOutcome;
use super::vote::vote;
use crate::benchmark::{Answer, Item};

/// An item with all its trials under one style and condition, and the voted choice.
#[derive(Debug, Clone)]
pub struct Outcome<'a> {
    /// The item, with its gold answer and facets.
    pub item: &'a Item,
    /// Prompt style, for instance `vanilla`.
    pub style: String,
    /// Changed presentation, for instance `no-profile`; `None` for the unchanged one.
    pub condition: Option<String>,
    /// Code of the person who answered; `None` for a model.
    pub rater: Option<String>,
    /// Whether people judged the reply irrelevant to the question; `None` if not judged.
    pub irrelevant: Option<bool>,
    /// One entry per distinct order, in order of first draw.
    pub trials: Vec<TrialOutcome>,
    /// The vote's result; `None` if no trial has a choice.
    pub choice: Option<Answer>,
    /// Whether several answers had equally many votes, so that the tie rule decided.
    pub tied: bool,
    /// Tie rule and seed of this item.
    pub ties: Ties,
}

impl<'a> Outcome<'a> {
    /// The outcome of an item: its trials and their vote.
    pub fn new(
        item: &'a Item,
        style: impl Into<String>,
        condition: Option<String>,
        trials: Vec<TrialOutcome>,
        ties: Ties,
    ) -> Self {
        let vote = vote(&trials, &item.id, item.options.len(), ties);
        let tied = vote.as_ref().is_some_and(|vote| vote.tied);
        Outcome {
            item,
            style: style.into(),
            condition,
            rater: None,
            irrelevant: None,
            trials,
            choice: vote.map(|vote| vote.answer),
            tied,
            ties,
        }
    }

    /// Sets the person who answered.
    pub fn of_rater(self, rater: Option<String>) -> Self {
        Outcome { rater, ..self }
    }

    /// Whether every trial failed: prompts could not be sent, or no score was returned. Unlike an unanswered question,
    /// a failed item says nothing about the answer.
    pub fn failed(&self) -> bool {
        !self.trials.is_empty() && self.trials.iter().all(|trial| trial.failure.is_some())
    }

    /// Whether the voted choice equals the gold answer. No choice is wrong.
    pub fn is_right(&self) -> bool {
        self.choice.as_ref() == Some(&self.item.gold)
    }

    /// One trial per distinct known order, without failed trials. Of several replies in one order only the first
    /// counts: differences between them are unrelated to order.
    pub fn distinct_orders(&self) -> Vec<&TrialOutcome> {
        let mut orders: Vec<&TrialOutcome> = Vec::new();
        for trial in self.trials.iter().filter(|trial| trial.failure.is_none() && trial.order.is_some()) {
            if orders.iter().all(|known| known.order != trial.order) {
                orders.push(trial);
            }
        }
        orders
    }

    /// The choice under each distinct order, if any.
    pub fn choices_by_order(&self) -> Vec<&Answer> {
        self.distinct_orders().into_iter().filter_map(|trial| trial.choice.as_ref()).collect()
    }

    /// Number of draws with the voted choice.
    pub fn votes(&self) -> usize {
        let voted = |trial: &&TrialOutcome| trial.choice.is_some() && trial.choice == self.choice;
        self.trials.iter().filter(voted).map(|trial| trial.count).sum()
    }

    /// Number of draws of all orders.
    pub fn draws(&self) -> usize {
        self.trials.iter().map(|trial| trial.count).sum()
    }
}
