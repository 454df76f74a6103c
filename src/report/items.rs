//! Reports item by item, as JSON lines: correctness, choice and margin in each option order.

use indexmap::IndexMap;
use serde::Serialize;

use super::{Report, Unfinished};
use crate::answer::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Item};
use crate::canary::CANARY;
use crate::metric::{Header, Respondent};

/// An item and what became of it under one style and condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemOutcome {
    pub(super) id: String,
    pub(super) benchmark: Benchmark,
    #[serde(flatten)]
    pub(super) header: Header,
    /// Absent where no person answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rater: Option<String>,
    pub(super) language: &'static str,
    pub(super) story: String,
    pub(super) parallel: String,
    pub(super) facets: IndexMap<String, String>,
    pub(super) flags: Vec<&'static str>,
    pub(super) gold_kind: &'static str,
    pub(super) gold: Vec<usize>,
    pub(super) choice: Option<Vec<usize>>,
    /// `None` where every trial failed.
    pub(super) right: Option<bool>,
    pub(super) tied: bool,
    pub(super) votes: usize,
    pub(super) draws: usize,
    /// Mean over the draws that have scores.
    pub(super) margin: Option<f64>,
    pub(super) orders: Vec<OrderOutcome>,
}

/// An item in one option order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct OrderOutcome {
    order: Option<Vec<usize>>,
    count: usize,
    choice: Option<Vec<usize>>,
    pub(super) right: Option<bool>,
    tied: bool,
    pub(super) margin: Option<f64>,
    scores: Option<Vec<f64>>,
    failure: Option<String>,
    /// Absent where the choice came from no reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reading: Option<OrderReading>,
}

/// What was read in the reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct OrderReading {
    outcome: &'static str,
    rule: Option<String>,
}

impl ItemOutcome {
    /// What became of an item that someone was asked about.
    pub fn new(outcome: &Outcome<'_>, by: Respondent<'_>) -> Self {
        let item = outcome.item;
        let orders: Vec<OrderOutcome> = outcome.trials.iter().map(|trial| order(trial, item)).collect();
        let choice = outcome.choice.as_ref().map(Answer::options);
        let (sum, scored) = orders.iter().fold((0.0, 0), |(sum, scored), order| match order.margin {
            Some(margin) => (sum + margin * order.count as f64, scored + order.count),
            None => (sum, scored),
        });
        ItemOutcome {
            id: item.id.clone(),
            benchmark: item.benchmark,
            header: by.header(&outcome.style, outcome.condition.as_deref()),
            rater: outcome.rater.clone(),
            language: item.language.code(),
            story: item.story.clone(),
            parallel: item.parallel.clone(),
            facets: item.facets.clone(),
            flags: item.flags.iter().map(|flag| flag.name).collect(),
            gold_kind: item.gold.kind(),
            gold: item.gold.options(),
            right: (!outcome.failed()).then(|| outcome.is_right()),
            tied: outcome.tied,
            votes: outcome.votes(),
            draws: outcome.draws(),
            margin: (scored > 0).then(|| sum / scored as f64),
            choice,
            orders,
        }
    }
}

pub(super) fn order(trial: &TrialOutcome, item: &Item) -> OrderOutcome {
    OrderOutcome {
        order: trial.order.as_ref().map(|order| order.as_slice().to_vec()),
        count: trial.count,
        choice: trial.choice.as_ref().map(Answer::options),
        right: trial.failure.is_none().then(|| trial.choice.as_ref() == Some(&item.gold)),
        tied: trial.tied,
        margin: trial.margin(&item.gold, item.options.len()),
        scores: trial.logprobs.clone(),
        failure: trial.failure.clone(),
        reading: trial
            .reading
            .as_ref()
            .map(|reading| OrderReading { outcome: reading.outcome.name(), rule: reading.rule.clone() }),
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    item: &'a ItemOutcome,
    unfinished: Option<Unfinished>,
    /// In the first line alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

/// A line an item.
pub(super) fn report(report: &Report) -> String {
    let line = |(at, item)| {
        let line = Line { item, unfinished: report.unfinished, canary: (at == 0).then_some(CANARY) };
        serde_json::to_string(&line).expect("an outcome holds only strings, numbers and lists") + "\n"
    };
    report.items.iter().enumerate().map(line).collect()
}
