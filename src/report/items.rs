//! Reports item by item, as JSON lines: correctness, choice and margin in each option order.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Serialize;

use super::{Report, Unfinished};
use crate::answer::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Item};
use crate::canary::CANARY;
use crate::metric::{Header, Respondent, WhenShown};

/// Outcome of an item under one style and condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ItemOutcome {
    /// The item.
    pub(super) id: String,
    /// Its benchmark.
    pub(super) benchmark: Benchmark,
    #[serde(flatten)]
    pub(super) header: Header,
    /// Code of the person who answered; absent if no person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rater: Option<String>,
    /// Language of the item.
    pub(super) language: &'static str,
    /// Id of the story that related items share.
    pub(super) story: String,
    /// Its id without language and variant.
    pub(super) parallel: String,
    /// Its facets, as in `data items`.
    pub(super) facets: IndexMap<String, String>,
    /// Names of data anomalies that affect it.
    pub(super) flags: Vec<Cow<'static, str>>,
    /// `single`, `labels` or `slots`.
    pub(super) gold_kind: &'static str,
    /// The right answer as canonical option numbers from 0: one, a set, or one per slot.
    pub(super) gold: Vec<usize>,
    /// Voted answer in the same form; null if there is none.
    pub(super) choice: Option<Vec<usize>>,
    /// Whether the vote equals the gold answer; null if every trial failed, so that nothing was asked. No answer counts
    /// as false.
    pub(super) right: Option<bool>,
    /// Whether the tie rule decided the vote.
    pub(super) tied: bool,
    /// Draws that gave the voted answer.
    pub(super) votes: usize,
    /// Draws of option orders; an order that was drawn twice counts twice.
    pub(super) draws: usize,
    /// Mean of the margins below over the draws that have one; null without scores.
    pub(super) margin: Option<f64>,
    /// One entry per distinct option order, in the order of the draws.
    pub(super) orders: Vec<OrderOutcome>,
    /// When its options were shown, if the table of options compares it.
    #[serde(skip)]
    pub(super) when: Option<WhenShown>,
}

/// An item in one option order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OrderOutcome {
    /// Canonical option shown in each slot; null if unknown.
    order: Option<Vec<usize>>,
    /// How often this order was drawn.
    count: usize,
    /// Answer under this order; null if there is none.
    choice: Option<Vec<usize>>,
    /// Whether it is right; null if the trial failed.
    pub(super) right: Option<bool>,
    /// Whether several answers tied for the highest score, so that one was drawn.
    tied: bool,
    /// Margin in nats of (normalised) log-likelihood between the right answer and the best other one; negative if
    /// another wins. Label sets: the smallest log-odds in favour of the correct decision on a label. Null without
    /// scores.
    pub(super) margin: Option<f64>,
    /// Scores under the requested normalisation: per canonical option; per joint answer for slots, the last slot
    /// varying fastest; log-odds of yes for label sets. Null without scores.
    scores: Option<Vec<f64>>,
    /// Kind of failure; null if the trial succeeded.
    failure: Option<String>,
    /// Absent if the choice did not come from a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reading: Option<OrderReading>,
}

/// Reading of a reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OrderReading {
    /// Outcome of a written reply; `reading` is null if options were scored.
    outcome: &'static str,
    /// Rule that decided; null if none did.
    rule: Option<String>,
}

impl ItemOutcome {
    /// Outcome of an item for one respondent.
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
            flags: item.flags.iter().map(|flag| flag.name.clone()).collect(),
            gold_kind: item.gold.kind(),
            gold: item.gold.options(),
            right: (!outcome.failed()).then(|| outcome.is_right()),
            tied: outcome.tied,
            votes: outcome.votes(),
            draws: outcome.draws(),
            margin: (scored > 0).then(|| sum / scored as f64),
            choice,
            orders,
            when: None,
        }
    }

    /// Sets when its options were shown.
    pub fn shown(self, when: Option<WhenShown>) -> Self {
        ItemOutcome { when, ..self }
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line<'a> {
    #[serde(flatten)]
    item: &'a ItemOutcome,
    unfinished: Option<Unfinished>,
    /// The canary line, only in the first line of the file; see the end of this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

/// One line per item.
pub(super) fn report(report: &Report) -> String {
    let line = |(at, item)| {
        let line = Line { item, unfinished: report.unfinished, canary: (at == 0).then_some(CANARY) };
        serde_json::to_string(&line).expect("an outcome holds only strings, numbers and lists") + "\n"
    };
    report.items.iter().enumerate().map(line).collect()
}
