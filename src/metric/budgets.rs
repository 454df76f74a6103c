//! Accuracy with thoughts, or replies, that are cut to several numbers of tokens.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::share;
use super::paired_accuracy::{PairedAccuracy, paired};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way};
use crate::answer::TrialReading;
use crate::benchmark::TiedStories;
use crate::prompt::{Budgeted, TokenBudget};

/// Accuracy behind thoughts, or of replies, of at most so many tokens, over the items of one language asked within every
/// budget. The texts are the same, cut: what changes is where they stop, not what the model would write if it knew its budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The respondent and the presentation, without the budget.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// What is cut: `thinking` or `reply`.
    #[serde(default)]
    pub of: Budgeted,
    /// Most tokens of a thought (0: without one), or of a reply.
    pub tokens: usize,
    /// Accuracy, and its change from the smallest budget.
    #[serde(flatten)]
    pub found: PairedAccuracy,
    /// Share of all replies of the run whose thought is longer, or that are cut, in percent.
    pub cut: Option<f64>,
    /// Tokens of a thought or reply as cut, mean over all replies of the run; null if a server does not count them.
    pub used: Option<f64>,
    /// Share of all replies of the run that have no thought, in percent; null where replies are cut.
    pub without: Option<f64>,
}

impl Budget {
    /// Whether replies are cut, and not thoughts.
    pub fn is_of_replies(&self) -> bool {
        self.of == Budgeted::Reply
    }
}

/// The budgets of each way of asking in each language, in rising order; empty without two.
pub(super) fn budgets<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<Budget> {
    Budgeted::ALL.iter().flat_map(|&of| budgets_of(of, outcomes, by)).collect()
}

fn budgets_of<'a>(of: Budgeted, outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<Budget> {
    type Items<'a> = HashMap<&'a str, &'a Outcome<'a>>;
    let split = |outcome: &'a Outcome<'a>| {
        let (budget, rest) = TokenBudget::and_rest(outcome.condition.as_deref())?;
        (budget.of == of).then_some((budget.tokens, rest))
    };
    let rows = |(way, outcomes): (Way<'a>, Vec<(usize, &'a Outcome<'a>)>)| {
        let mut by_budget: IndexMap<usize, Items<'a>> = IndexMap::new();
        for (tokens, outcome) in outcomes {
            by_budget.entry(tokens).or_default().insert(&outcome.item.id, outcome);
        }
        by_budget.sort_keys();
        let Some((_, first)) = by_budget.first().filter(|_| by_budget.len() > 1) else { return Vec::new() };
        let mut ids: Vec<&str> = first.keys().copied().collect();
        ids.retain(|id| by_budget.values().all(|items| items.contains_key(id)));
        ids.sort_unstable();
        let (stories, _) = TiedStories::of_items(ids.iter().map(|id| first[id].item));
        let right = |items: &Items<'a>| ids.iter().map(|id| f64::from(u8::from(items[id].is_right()))).collect();
        let right: Vec<Vec<f64>> = by_budget.values().map(right).collect();
        let found = paired(&right, Ok("the smallest budget"), &stories, "no item was asked within every budget");
        let header = way.header(by);
        let row = |((&tokens, items), found): ((&usize, &Items<'a>), PairedAccuracy)| {
            let trials = items.values().flat_map(|outcome| &outcome.trials);
            let replies: Vec<&TrialReading> = trials.filter_map(|trial| trial.reading.as_ref()).collect();
            let replies = if of == Budgeted::Reply { replies } else { Vec::new() };
            let lengths: Option<Vec<usize>> = replies.iter().map(|reply| reply.tokens).collect();
            Budget {
                header: header.clone(),
                language: way.language.to_string(),
                of,
                tokens,
                found,
                cut: share(replies.iter().filter(|reply| reply.cut).count(), replies.len()),
                used: lengths
                    .filter(|lengths| !lengths.is_empty())
                    .map(|lengths| lengths.iter().sum::<usize>() as f64 / lengths.len() as f64),
                without: None,
            }
        };
        by_budget.iter().zip(found).map(row).collect()
    };
    by_way(outcomes, split).into_iter().flat_map(rows).collect()
}
