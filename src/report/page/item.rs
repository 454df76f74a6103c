//! Data of an item on the page: plain types, filled by the reader of a run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::answer::{Outcome, TrialOutcome};
use crate::benchmark::{Answer, Benchmark, Item, OptionIx};

/// An item with all the answers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct PageItem {
    pub(super) id: String,
    pub(super) benchmark: Benchmark,
    /// Code of the language of its texts.
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
    /// The answers by the number of the way in which they came about.
    pub(super) answers: BTreeMap<usize, PageAnswer>,
}

/// What an item came to in one way of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct PageAnswer {
    pub(super) choice: Option<Vec<usize>>,
    /// `None` where every trial failed.
    pub(super) right: Option<bool>,
    pub(super) tied: bool,
    /// Draws that gave the choice, of all draws.
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
    /// One for each canonical option; where slots are chosen together, those of the choice and of the gold answer alone.
    pub(super) probabilities: Vec<f64>,
    pub(super) failure: Option<String>,
    pub(super) shown: ShownTrial,
}

/// What stands in the record of a trial beside its numbers: what was shown, and what was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownTrial {
    /// Which of several samples in this order it is, from 0.
    pub sample: Option<usize>,
    /// The labels shown, in slot order.
    pub labels: Vec<String>,
    /// The prompts: several where each option is asked about apart.
    pub prompts: Vec<ShownPrompt>,
    /// The reply, where one was written.
    pub reply: Option<ShownReply>,
    /// What failed, in one sentence.
    pub failure: Option<String>,
}

/// One prompt, before the chat template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownPrompt {
    /// Role and text of each turn; the role is empty for plain text.
    pub turns: Vec<(String, String)>,
    /// What the model's turn begins with.
    pub answer_prefix: String,
}

/// A written reply and what was read in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShownReply {
    /// Its text.
    pub text: String,
    /// What was thought before.
    pub thinking: Option<String>,
    /// What it came to, for instance `answer` or `ambiguous`.
    pub outcome: String,
    /// The rule that decided.
    pub rule: Option<String>,
    /// The place of the answer, in bytes of the text.
    pub span: Option<(usize, usize)>,
    /// Whether the length limit ended it.
    pub cut: bool,
}

impl PageItem {
    /// An item to which there are no answers yet.
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

    /// Add what became of the item in the way with this number. `shown` belongs to the outcome's trials, in their order; where
    /// it ends, trials have their numbers alone.
    pub fn add(&mut self, way: usize, outcome: &Outcome<'_>, shown: Vec<ShownTrial>) {
        let mut shown = shown.into_iter();
        let trials =
            outcome.trials.iter().map(|trial| page_trial(trial, outcome.item, shown.next().unwrap_or_default()));
        let answer = PageAnswer {
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
