//! Trials and items as Parquet, for data frames: one row per trial or item, several runs in one file.
//!
//! Columns are plain values and lists; each facet is a column of its own, for grouping. Both files are written by row
//! group.

mod table;

use std::io::Write;

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::items::{ItemOutcome, order};
use super::{Report, Unfinished};
use crate::answer::TrialOutcome;
use crate::benchmark::Item;
use crate::canary::CANARY;
use table::{Column, Table};

pub use ::parquet::errors::ParquetError;

/// Format version in the files' metadata.
const VERSION: u32 = 1;

/// Run columns of a row.
#[derive(Debug, Clone, Copy)]
pub struct RunColumns<'a> {
    /// Label of the run among the others.
    pub label: &'a str,
    /// Way of answering.
    pub answers: &'a str,
    /// Model name, including its adapter.
    pub model: &'a str,
    /// Scoring of its options.
    pub scoring: &'static str,
}

/// A trial of one of the runs.
#[derive(Debug, Clone)]
pub struct TrialRow<'a> {
    pub run: RunColumns<'a>,
    pub item: &'a Item,
    /// Outcome, with the option order undone.
    pub outcome: TrialOutcome,
    /// Further content of its record.
    pub recorded: Recorded,
}

/// Content of a record besides its outcome.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Prompt style.
    pub style: String,
    /// Changed presentation, if any.
    pub condition: Option<String>,
    /// Scoring of options.
    pub scoring: &'static str,
    /// Number of this sample among several in the same order, from 0.
    pub sample: Option<usize>,
    /// Labels shown, in slot order.
    pub labels: Vec<String>,
    /// Number of tokens of each prompt.
    pub prompt_tokens: Vec<usize>,
    /// Scored continuations, prompt by prompt.
    pub continuations: Vec<Continuation>,
    /// The written reply.
    pub reply: Option<WrittenReply>,
    /// Failure in one sentence.
    pub failure: Option<String>,
}

/// A scored continuation.
#[derive(Debug, Clone)]
pub struct Continuation {
    pub text: String,
    pub tokens: usize,
    /// Sum of the natural log-probabilities of its tokens.
    pub loglikelihood: Option<f64>,
}

/// A written reply.
#[derive(Debug, Clone)]
pub struct WrittenReply {
    pub text: String,
    /// Thinking before the reply.
    pub thinking: Option<String>,
    /// Number of generated tokens, if known.
    pub tokens: Option<usize>,
    /// Why it ended: `stop` or `length`.
    pub end: &'static str,
    /// Number of its question within the prompt, from 1, and the number of questions.
    pub part: Option<(usize, usize)>,
    /// Start and end of the deciding passage, in bytes of the text.
    pub span: Option<(usize, usize)>,
}

/// An item with its outcome.
struct ItemRow<'a> {
    run: RunColumns<'a>,
    item: &'a Item,
    rendered: ItemOutcome,
}

/// Metadata of a run in the files.
#[derive(Serialize)]
struct RunFacts<'a> {
    label: &'a str,
    unfinished: Option<Unfinished>,
    provenance: &'a IndexMap<String, String>,
}

/// Writer of the two files.
pub struct ParquetFiles<'r, W: Write + Send> {
    trials: Table<'r, TrialRow<'r>, W>,
    items: Table<'r, ItemRow<'r>, W>,
}

impl<'r, W: Write + Send> ParquetFiles<'r, W> {
    /// Creates files without rows, for items with these facets. Without texts, only ids and facets of the benchmark are
    /// written, and no replies.
    pub fn new(trials: W, items: W, facets: &IndexSet<&str>, with_texts: bool) -> Result<Self, ParquetError> {
        Ok(ParquetFiles {
            trials: Table::new(trials, trial_columns(with_texts))?,
            items: Table::new(items, item_columns(facets, with_texts))?,
        })
    }

    /// Adds a trial.
    pub fn add_trial(&mut self, trial: &TrialRow<'r>) -> Result<(), ParquetError> {
        self.trials.add(trial)
    }

    /// Adds an item with its outcome.
    pub fn add_item(&mut self, run: RunColumns<'r>, item: &'r Item, rendered: ItemOutcome) -> Result<(), ParquetError> {
        self.items.add(&ItemRow { run, item, rendered })
    }

    /// Writes the remaining rows and the metadata of these runs. `labels` are their distinct names.
    pub fn finish(self, labels: &[String], reports: &[Report]) -> Result<(W, W), ParquetError> {
        let runs = labels.iter().zip(reports).map(|(label, report)| {
            let Report { unfinished, provenance, .. } = report;
            RunFacts { label, unfinished: *unfinished, provenance }
        });
        let runs =
            serde_json::to_string(&runs.collect::<Vec<_>>()).map_err(|error| ParquetError::External(error.into()))?;
        let facts = [
            ("tomeval", env!("CARGO_PKG_VERSION").to_string()),
            ("tomeval.format", VERSION.to_string()),
            ("tomeval.canary", CANARY.to_string()),
            ("tomeval.runs", runs),
        ];
        let facts = facts.map(|(name, value)| (name.to_string(), value)).to_vec();
        Ok((self.trials.finish(facts.clone())?, self.items.finish(facts)?))
    }
}

type Trial<'r> = Column<'r, TrialRow<'r>>;
type Told<'r> = Column<'r, ItemRow<'r>>;

fn trial_columns<'r>(with_texts: bool) -> Vec<Trial<'r>> {
    let mut columns: Vec<Trial<'r>> = vec![
        Trial::text("label", |row| Some(row.run.label.to_string())),
        Trial::text("model", |row| Some(row.run.model.to_string())),
        Trial::text("answers", |row| Some(row.run.answers.to_string())),
        Trial::text("benchmark", |row| Some(row.item.benchmark.to_string())),
        Trial::text("id", |row| Some(row.item.id.clone())),
        Trial::text("language", |row| Some(row.item.language.code().to_string())),
        Trial::text("style", |row| Some(row.recorded.style.clone())),
        Trial::text("condition", |row| row.recorded.condition.clone()),
        Trial::wholes("order", |row| row.outcome.order.as_ref().map(|order| order.as_slice().to_vec())),
        Trial::whole("count", |row| Some(row.outcome.count)),
        Trial::whole("sample", |row| row.recorded.sample),
        Trial::text("scoring", |row| Some(row.recorded.scoring.to_string())),
        Trial::texts("labels", |row| Some(row.recorded.labels.clone())),
        Trial::whole("n_options", |row| Some(row.item.options.len())),
        Trial::text("gold_kind", |row| Some(row.item.gold.kind().to_string())),
        Trial::wholes("gold", |row| Some(row.item.gold.options())),
        Trial::wholes("choice", |row| row.outcome.choice.as_ref().map(|choice| choice.options())),
        Trial::text("ending", |row| ending(row.outcome.failure.is_some(), row.outcome.choice.is_some())),
        Trial::truth("right", |row| order(&row.outcome, row.item).right),
        Trial::truth("tied", |row| Some(row.outcome.tied)),
        Trial::number("margin", |row| order(&row.outcome, row.item).margin),
        Trial::numbers("scores", |row| row.outcome.logprobs.clone()),
        Trial::numbers("loglikelihoods", |row| {
            scored(row, |continuation| continuation.loglikelihood)?.into_iter().collect()
        }),
        Trial::wholes("continuation_tokens", |row| scored(row, |continuation| continuation.tokens)),
        Trial::wholes("prompt_tokens", |row| Some(row.recorded.prompt_tokens.clone())),
        Trial::text("reading", |row| Some(row.outcome.reading.as_ref()?.outcome.name().to_string())),
        Trial::text("reading_rule", |row| row.outcome.reading.as_ref()?.rule.clone()),
        Trial::whole("reading_start", |row| Some(row.recorded.reply.as_ref()?.span?.0)),
        Trial::whole("reading_end", |row| Some(row.recorded.reply.as_ref()?.span?.1)),
        Trial::whole("reply_tokens", |row| row.recorded.reply.as_ref()?.tokens),
        Trial::text("reply_end", |row| Some(row.recorded.reply.as_ref()?.end.to_string())),
        Trial::whole("question", |row| Some(row.recorded.reply.as_ref()?.part?.0)),
        Trial::whole("questions", |row| Some(row.recorded.reply.as_ref()?.part?.1)),
        Trial::text("failure", |row| row.outcome.failure.clone()),
    ];
    if with_texts {
        columns.extend([
            Trial::text("failure_message", |row| row.recorded.failure.clone()),
            Trial::texts("continuations", |row| scored(row, |continuation| continuation.text.clone())),
            Trial::text("reply", |row| Some(row.recorded.reply.as_ref()?.text.clone())),
            Trial::text("thinking", |row| row.recorded.reply.as_ref()?.thinking.clone()),
        ]);
    }
    columns
}

/// How a trial ended: with an answer, without one, or with a failure.
fn ending(has_failed: bool, has_choice: bool) -> Option<String> {
    let ending = match (has_failed, has_choice) {
        (true, _) => "failed",
        (false, true) => "answered",
        (false, false) => "no-answer",
    };
    Some(ending.to_string())
}

/// One value per continuation; `None` if none was scored.
fn scored<T>(row: &TrialRow<'_>, of: impl Fn(&Continuation) -> T) -> Option<Vec<T>> {
    let all = &row.recorded.continuations;
    (!all.is_empty()).then(|| all.iter().map(of).collect())
}

fn item_columns<'r>(facets: &IndexSet<&str>, with_texts: bool) -> Vec<Told<'r>> {
    let mut columns: Vec<Told<'r>> = vec![
        Told::text("label", |row| Some(row.rendered.header.label.clone())),
        Told::text("model", |row| Some(row.run.model.to_string())),
        Told::text("answers", |row| Some(row.rendered.header.answers.clone())),
        Told::text("benchmark", |row| Some(row.rendered.benchmark.to_string())),
        Told::text("id", |row| Some(row.rendered.id.clone())),
        Told::text("language", |row| Some(row.rendered.language.to_string())),
        Told::text("style", |row| Some(row.rendered.header.style.clone())),
        Told::text("condition", |row| row.rendered.header.condition.clone()),
        Told::text("story", |row| Some(row.rendered.story.clone())),
        Told::text("parallel", |row| Some(row.rendered.parallel.clone())),
        Told::texts("flags", |row| Some(row.rendered.flags.iter().map(ToString::to_string).collect())),
        Told::text("scoring", |row| Some(row.run.scoring.to_string())),
        Told::whole("n_options", |row| Some(row.item.options.len())),
        Told::text("gold_kind", |row| Some(row.rendered.gold_kind.to_string())),
        Told::wholes("gold", |row| Some(row.rendered.gold.clone())),
        Told::wholes("choice", |row| row.rendered.choice.clone()),
        Told::text("ending", |row| ending(row.rendered.right.is_none(), row.rendered.choice.is_some())),
        Told::truth("right", |row| row.rendered.right),
        Told::truth("tied", |row| Some(row.rendered.tied)),
        Told::whole("votes", |row| Some(row.rendered.votes)),
        Told::whole("draws", |row| Some(row.rendered.draws)),
        Told::number("margin", |row| row.rendered.margin),
    ];
    for facet in facets.iter().map(ToString::to_string) {
        columns.push(Told::text(&format!("facet_{facet}"), move |row| row.rendered.facets.get(&facet).cloned()));
    }
    if with_texts {
        let context = |row: &ItemRow<'_>| row.item.context.iter().map(|segment| segment.text.to_string()).collect();
        columns.extend([
            Told::texts("context", move |row| Some(context(row))),
            Told::text("question", |row| Some(row.item.question.clone())),
            Told::texts("options", |row| Some(row.item.options.clone())),
        ]);
    }
    columns
}
