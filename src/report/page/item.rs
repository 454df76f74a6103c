//! Item data on the page: plain types, filled when a run is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::answer::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Item, OptionIx};

/// An item with all its answers.
#[derive(Debug, Clone, PartialEq)]
pub struct PageItem {
    pub(super) id: String,
    pub(super) benchmark: Benchmark,
    /// Language code of its texts.
    pub(super) language: String,
    pub(super) story: String,
    pub(super) facets: IndexMap<String, String>,
    pub(super) flags: Vec<Cow<'static, str>>,
    /// Kind and text of each stretch of context.
    pub(super) context: Vec<(&'static str, Arc<str>)>,
    pub(super) question: String,
    pub(super) options: Vec<String>,
    pub(super) gold_kind: &'static str,
    pub(super) gold: Vec<usize>,
    /// Answers by the index of their way.
    pub(super) answers: BTreeMap<usize, PageAnswer>,
}

/// Outcome of an item in one way of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct PageAnswer {
    pub(super) choice: Option<Vec<usize>>,
    /// `None` if every trial failed.
    pub(super) right: Option<bool>,
    /// Whether no answer was asked for, as in the first phase of a style.
    pub(super) unread: bool,
    pub(super) tied: bool,
    /// Draws that gave the choice, out of all draws.
    pub(super) votes: usize,
    pub(super) draws: usize,
    pub(super) trials: Vec<PageTrial>,
}

/// An item in one option order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PageTrial {
    pub(super) order: Option<Vec<usize>>,
    pub(super) count: usize,
    pub(super) choice: Option<Vec<usize>>,
    pub(super) tied: bool,
    /// One per canonical option; where slots are chosen jointly, only the choice and the gold answer.
    pub(super) probabilities: Vec<f64>,
    pub(super) failure: Option<String>,
    pub(super) shown: ShownTrial,
}

/// Content of a trial's record besides its numbers: prompts and reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownTrial {
    /// Number of this sample among several in the same order, from 0.
    pub sample: Option<usize>,
    /// Labels shown, in slot order.
    pub labels: Vec<String>,
    /// Prompts: several if each option is asked separately.
    pub prompts: Vec<ShownPrompt>,
    /// Reply, if one was written.
    pub reply: Option<ShownReply>,
    /// Failure in one sentence.
    pub failure: Option<String>,
}

/// One prompt, before the chat template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownPrompt {
    /// Role and text of each turn; the role is empty for plain text.
    pub turns: Vec<(String, String)>,
    /// Prefix of the model's turn.
    pub answer_prefix: String,
}

/// A written reply and its reading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownReply {
    /// Its text.
    pub text: String,
    /// Thinking before the reply.
    pub thinking: Option<String>,
    /// Outcome of the reading, for instance `answer` or `ambiguous`; `None` if it states no answer, as the first phase of
    /// a style.
    pub outcome: Option<String>,
    /// Rule that decided.
    pub rule: Option<String>,
    /// Position of the answer, in bytes of the text.
    pub span: Option<(usize, usize)>,
    /// Whether it ended at the length limit.
    pub cut: bool,
}

impl PageItem {
    /// An item without answers.
    pub fn from_item(item: &Item) -> Self {
        PageItem {
            id: item.id.clone(),
            benchmark: item.benchmark,
            language: item.language.code().to_string(),
            story: item.story.clone(),
            facets: item.facets.clone(),
            flags: item.flags.iter().map(|flag| flag.name.clone()).collect(),
            context: item.context.iter().map(|segment| (segment.kind.name(), segment.text.clone())).collect(),
            question: item.question.clone(),
            options: item.options.clone(),
            gold_kind: item.gold.kind(),
            gold: item.gold.options(),
            answers: BTreeMap::new(),
        }
    }

    /// Adds the item's outcome in the way with this index. `shown` matches the outcome's trials in order; trials beyond
    /// it have only their numbers.
    pub fn add(&mut self, way: usize, outcome: &Outcome<'_>, shown: Vec<ShownTrial>) {
        let unread = shown.iter().flat_map(|trial| &trial.reply).any(|reply| reply.outcome.is_none());
        let mut shown = shown.into_iter();
        let trials =
            outcome.trials.iter().map(|trial| page_trial(trial, outcome.item, shown.next().unwrap_or_default()));
        let answer = PageAnswer {
            unread,
            choice: outcome.choice.as_ref().map(Answer::options),
            right: (!outcome.failed()).then(|| outcome.is_right()),
            tied: outcome.tied,
            votes: outcome.votes(),
            draws: outcome.draws(),
            trials: trials.collect(),
        };
        self.answers.insert(way, answer);
    }
}

fn page_trial(trial: &TrialOutcome, item: &Item, shown: ShownTrial) -> PageTrial {
    let options = item.options.len();
    let probabilities = match &item.gold {
        Answer::Single(_) => {
            (0..options).filter_map(|option| trial.probability(&Answer::Single(OptionIx(option)), options)).collect()
        }
        Answer::Labels(_) => trial.probabilities(&item.gold).unwrap_or_default(),
        Answer::Slots(_) => {
            let answers = [trial.choice.as_ref(), Some(&item.gold)];
            answers.into_iter().flatten().filter_map(|answer| trial.probability(answer, options)).collect()
        }
    };
    PageTrial {
        order: trial.order.as_ref().map(|order| order.as_slice().to_vec()),
        count: trial.count,
        choice: trial.choice.as_ref().map(Answer::options),
        tied: trial.tied,
        probabilities,
        failure: trial.failure.clone(),
        shown,
    }
}
