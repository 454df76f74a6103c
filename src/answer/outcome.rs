//! What metrics are computed from: the trials of an item and their vote.

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
    /// Changed presentation, for instance `no-profile`; `None` is the plain one.
    pub condition: Option<String>,
    /// Who answered, where several people did; `None` for a model.
    pub rater: Option<String>,
    /// Whether people judged the reply irrelevant to the question; `None` if not judged.
    pub irrelevant: Option<bool>,
    /// One entry per distinct order, in order of first draw.
    pub trials: Vec<TrialOutcome>,
    /// The vote's result; `None` when no trial has a choice.
    pub choice: Option<Answer>,
    /// Whether several answers had equally many votes, so that the tie rule decided.
    pub tied: bool,
    /// How ties of this item are decided.
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

    /// The same, as the answer of a person.
    pub fn of_rater(self, rater: Option<String>) -> Self {
        Outcome { rater, ..self }
    }

    /// Whether every trial failed: the prompt could not be put, or no number came back. Such an item says nothing of what
    /// would have been answered; one that was asked and not answered does.
    pub fn failed(&self) -> bool {
        !self.trials.is_empty() && self.trials.iter().all(|trial| trial.failure.is_some())
    }

    /// Whether the voted choice equals the gold answer. No choice is wrong.
    pub fn is_right(&self) -> bool {
        self.choice.as_ref() == Some(&self.item.gold)
    }

    /// One trial for each distinct order that items are known to have been shown in, those that failed left out. Of several
    /// replies to one order the first stands for it: how these differ says nothing of orders.
    pub fn distinct_orders(&self) -> Vec<&TrialOutcome> {
        let mut orders: Vec<&TrialOutcome> = Vec::new();
        for trial in self.trials.iter().filter(|trial| trial.failure.is_none() && trial.order.is_some()) {
            if orders.iter().all(|known| known.order != trial.order) {
                orders.push(trial);
            }
        }
        orders
    }

    /// What was chosen under each distinct order, where something was.
    pub fn choices_by_order(&self) -> Vec<&Answer> {
        self.distinct_orders().into_iter().filter_map(|trial| trial.choice.as_ref()).collect()
    }

    /// How many draws gave the voted choice.
    pub fn votes(&self) -> usize {
        let voted = |trial: &&TrialOutcome| trial.choice.is_some() && trial.choice == self.choice;
        self.trials.iter().filter(voted).map(|trial| trial.count).sum()
    }

    /// How many orders were drawn, each counted as often.
    pub fn draws(&self) -> usize {
        self.trials.iter().map(|trial| trial.count).sum()
    }
}
