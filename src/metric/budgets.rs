//! Accuracy behind thoughts that are cut to several numbers of tokens.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::figure::{Figure, adjust, percent};
use super::respondent::{Header, Respondent};
use super::ways::{Way, by_way};
use crate::benchmark::TiedStories;
use crate::prompt::budget_and_rest;
use crate::stats::{clustered_mean, clustered_wilson};

/// Accuracy behind thoughts of at most so many tokens, over the items of one language asked behind every budget. The thoughts
/// are the same, cut: what changes is where they stop, not what the model would write if it knew its budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// The respondent and the presentation, without the budget.
    #[serde(flatten)]
    pub header: Header,
    /// Language of the items.
    pub language: String,
    /// Most tokens of a thought; 0 without one.
    pub tokens: usize,
    /// Number of items; those that failed at some budget are left out.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Accuracy, in percent.
    pub accuracy: Figure,
    /// Its 95 % interval, clustered by story.
    pub interval: Option<(f64, f64)>,
    /// Accuracy minus that at the smallest budget, item by item, in percentage points; null at that budget.
    pub change: Figure,
    /// Its 95 % interval, clustered by story.
    pub change_interval: Option<(f64, f64)>,
    /// P-value, from 0 to 1, of the test that the change is zero, adjusted by Holm over the budgets; null where nothing
    /// changes.
    pub p: Option<f64>,
    /// Share of all replies of the run whose thought is longer, in percent.
    pub cut: Option<f64>,
    /// Tokens of a thought as cut, mean over all replies of the run.
    pub used: Option<f64>,
    /// Share of all replies of the run that have no thought, in percent.
    pub without: Option<f64>,
}

/// The budgets of each way of asking in each language, in rising order; empty without two.
pub(super) fn budgets<'a>(outcomes: &[&'a Outcome<'a>], by: Respondent<'_>) -> Vec<Budget> {
    type Items<'a> = HashMap<&'a str, &'a Outcome<'a>>;
    let split = |outcome: &'a Outcome<'a>| budget_and_rest(outcome.condition.as_deref());
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
        let (stories, of_stories) = TiedStories::of_items(ids.iter().map(|id| first[id].item));
        let right = |items: &Items<'a>| -> Vec<f64> {
            ids.iter().map(|id| f64::from(u8::from(items[id].is_right()))).collect()
        };
        let base = right(first);
        let header = way.header(by);
        let row = |(at, (&tokens, items)): (usize, (&usize, &Items<'a>))| {
            let right = right(items);
            let changes: Vec<f64> = right.iter().zip(&base).map(|(right, base)| right - base).collect();
            let (accuracy, change) = (clustered_mean(&right, &stories), clustered_mean(&changes, &stories));
            let change = change.filter(|_| at > 0);
            let no_items = "no item was asked behind every budget";
            Budget {
                header: header.clone(),
                language: way.language.to_string(),
                tokens,
                items: ids.len(),
                stories: of_stories,
                accuracy: Figure::mean(&right, 1, no_items),
                interval: accuracy.and_then(|mean| clustered_wilson(&mean)).map(percent),
                change: match at {
                    0 => Figure::from(Err("the smallest budget")),
                    _ => Figure::mean(&changes, 1, no_items),
                },
                change_interval: change.map(|mean| percent(mean.interval())),
                p: change.and_then(|mean| mean.p_value()),
                cut: None,
                used: None,
                without: None,
            }
        };
        let mut rows: Vec<Budget> = by_budget.iter().enumerate().map(row).collect();
        adjust(rows.iter_mut().map(|row| &mut row.p));
        rows
    };
    by_way(outcomes, split).into_iter().flat_map(rows).collect()
}
