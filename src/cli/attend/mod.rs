//! `tomeval attend`: what a model looked at.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::{Args as ClapArgs, ValueEnum};

use tomeval::attend::{
    Contrast, Experiment, ExperimentSettings, Heads, HumanKeywords, KeywordOptions, Layers, Measure, Merge,
    ModelRecord, Probe, Repeats, Scope,
};
use tomeval::benchmark::Benchmark;
use tomeval::prompt::{Instructions, OrderPolicy};
use tomeval::run::{ATTENTION_PAGE, Dataset};

use super::Outcome;
use super::progress::PromptProgress;
use super::setup::{DataArgs, LoadedModel, ModelArgs};

mod output;
mod select;

/// Arguments of `tomeval attend`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub checks: CheckArgs,
    #[command(flatten)]
    pub output: output::OutputArgs,
}

/// Which prompts. Without any choice: five items, drawn evenly.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Choice")]
pub struct ChoiceArgs {
    /// Item by id; may be given several times.
    #[arg(long = "item", value_name = "ID")]
    pub items: Vec<String>,
    /// Items with a facet, as FACET=VALUE; given several times, all must hold.
    #[arg(long = "where", value_name = "FACET=VALUE", value_parser = facet_and_value)]
    pub facets: Vec<(String, String)>,
    /// Items of a finished run, in an order it showed; benchmark, languages, style and limits are taken from it.
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,
    /// Only items the run answered wrongly, in an order that went wrong.
    #[arg(long, requires = "run")]
    pub wrong: bool,
    /// Folder with prompt packs; the built-in ones otherwise.
    #[arg(long)]
    pub prompts: Option<PathBuf>,
    /// Prompt style of the pack.
    #[arg(long, default_value = "vanilla")]
    pub style: String,
    /// Instructions in the item's language, or in English.
    #[arg(long, default_value = "item", value_parser = Instructions::from_str)]
    pub instructions: Instructions,
    /// Option orders: the first one drawn is shown, and with `--contrast orders` the first two.
    #[arg(long, default_value = "identity", value_parser = OrderPolicy::from_str)]
    pub orders: OrderPolicy,
}

/// How attention is measured and reduced to words.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// What is measured.
    #[arg(long, value_enum, default_value_t = MeasureArg::Attention)]
    pub measure: MeasureArg,
    /// Positions whose attention is captured; `options` adds each option's last token.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "answer")]
    pub queries: Vec<Query>,
    /// Layers averaged: all, last:N or A-B, counted from 0. The paper averages 20 without saying which.
    #[arg(long, default_value_t = Layers::default(), value_parser = Layers::from_str)]
    pub layers: Layers,
    /// Heads averaged: all, A-B or a list, counted from 0.
    #[arg(long, default_value_t = Heads::All, value_parser = Heads::from_str)]
    pub heads: Heads,
    /// Where keywords come from: story, story+question, options or all.
    #[arg(long, default_value = "story", value_parser = Scope::from_str)]
    pub scope: Scope,
    /// A word's weight is the sum or the mean of its tokens'.
    #[arg(long, value_enum, default_value_t = MergeArg::Sum)]
    pub merge: MergeArg,
    /// Rank each occurrence of a word on its own instead of adding them up.
    #[arg(long)]
    pub apart: bool,
    /// Leave out function words.
    #[arg(long)]
    pub no_stop_words: bool,
    /// Keep the first token's weight; shares are then of the whole row.
    #[arg(long)]
    pub keep_sink: bool,
    /// Number of keywords.
    #[arg(long, default_value_t = 10)]
    pub top: usize,
}

/// What keywords are set against.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Checks")]
pub struct CheckArgs {
    /// JSON file of keywords marked by people; the demo inventory has its own.
    #[arg(long, value_name = "FILE")]
    pub human: Option<PathBuf>,
    /// Compare: options (right minus wrong), orders, model=NAME, or without=TEXT (without=N: the N-th sentence).
    #[arg(long, value_name = "WHAT", value_parser = Contrast::from_str)]
    pub contrast: Vec<Contrast>,
    /// Random draws of the deletion check; 0 leaves it out.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub deletion_draws: usize,
    /// Facet whose values are compared over all prompts, beside right and wrong.
    #[arg(long, value_name = "FACET")]
    pub group: Option<String>,
}

/// `--measure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureArg {
    /// Attention probabilities, the paper's.
    Attention,
    /// Value-weighted norms.
    Value,
    /// Attention followed down to the input.
    Rollout,
    /// Fall of the chosen option's log-likelihood without each word.
    Occlusion,
}

impl MeasureArg {
    fn measure(self) -> Measure {
        match self {
            MeasureArg::Attention => Measure::Attention,
            MeasureArg::Value => Measure::Value,
            MeasureArg::Rollout => Measure::Rollout,
            MeasureArg::Occlusion => Measure::Occlusion,
        }
    }
}

/// `--queries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Query {
    /// The position that predicts the answer.
    Answer,
    /// The last token of each option.
    Options,
}

/// `--merge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MergeArg {
    /// Sum.
    Sum,
    /// Mean.
    Mean,
}

impl Args {
    fn settings(&self, dataset: &Dataset) -> ExperimentSettings {
        let (method, checks) = (&self.method, &self.checks);
        ExperimentSettings {
            benchmarks: dataset.benchmarks.iter().map(|benchmark| benchmark.name().to_string()).collect(),
            measure: method.measure.measure(),
            query_options: method.queries.contains(&Query::Options),
            layers: method.layers,
            heads: method.heads.clone(),
            keywords: KeywordOptions {
                scope: method.scope,
                merge: match method.merge {
                    MergeArg::Sum => Merge::Sum,
                    MergeArg::Mean => Merge::Mean,
                },
                repeats: if method.apart { Repeats::Apart } else { Repeats::Together },
                keep_sink: method.keep_sink,
                drop_stop_words: method.no_stop_words,
            },
            top: method.top,
            contrasts: checks.contrast.clone(),
            deletion_draws: checks.deletion_draws,
            group: checks.group.clone(),
            seed: dataset.seed,
            keep_heads: self.output.html.is_some(),
            keep_captures: self.output.tensors.is_some(),
        }
    }
}

fn facet_and_value(text: &str) -> Result<(String, String), String> {
    let (facet, value) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`; write FACET=VALUE"))?;
    Ok((facet.to_string(), value.to_string()))
}

pub fn run(mut args: Args) -> anyhow::Result<Outcome> {
    anyhow::ensure!(args.method.top > 0, "--top 0 asks for no keywords; use 1 or more");
    if args.checks.contrast.contains(&Contrast::Options) && !args.method.queries.contains(&Query::Options) {
        args.method.queries.push(Query::Options);
    }
    anyhow::ensure!(
        args.method.measure != MeasureArg::Occlusion || !args.method.queries.contains(&Query::Options),
        "--measure occlusion leaves words out before the answer; use --queries answer and no --contrast options"
    );
    if let (Some(run), None) = (&args.choice.run, &args.output.html) {
        args.output.html = Some(run.join(ATTENTION_PAGE));
    }
    args.output.check()?;
    let human = match &args.checks.human {
        Some(path) => HumanKeywords::read(path)?,
        None if args.data.benchmarks.is_empty() || args.data.benchmarks.contains(&Benchmark::Demo) => {
            HumanKeywords::demo()
        }
        None => HumanKeywords::default(),
    };
    let mut computing = args.model.compute.begin()?;
    let (dataset, items) = select::select(&mut args)?;
    let count = items.len();
    let mut experiment = Experiment::new(args.settings(&dataset), items, human)?;
    announce(count, args.checks.deletion_draws);
    let others = args.checks.contrast.iter().filter_map(|contrast| match contrast {
        Contrast::Model(name) => Some(("--contrast model=", name)),
        _ => None,
    });
    for (flag, name) in std::iter::once(("--model ", &args.model.model)).chain(others) {
        let model = ModelArgs { model: name.clone(), ..args.model.clone() };
        let model = LoadedModel::open_on(&model, computing).with_context(|| format!("{flag}{name}"))?;
        add_model(&mut experiment, &model)?;
        computing = model.computing;
    }
    let analysis = experiment.finish()?;
    output::write(&args, &analysis)?;
    Ok(if analysis.failures.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}

/// Say what will take time.
fn announce(items: usize, draws: usize) {
    if items > 1 && draws > 0 {
        eprintln!(
            "{items} items; the deletion check reads each one {} times more (--deletion-draws {draws}; 0 leaves it out).",
            draws + 1
        );
    }
}

/// Have a model read all prompts, with a progress bar over them.
fn add_model(experiment: &mut Experiment, model: &LoadedModel) -> anyhow::Result<()> {
    let decoder = model.decoder()?;
    let record = ModelRecord {
        name: model.files.name.clone(),
        sha256: model.files.hashes()?,
        layers: decoder.spec().layers,
        heads: decoder.spec().heads,
        dtype: model.computing.precision.name().to_string(),
    };
    let probe = Probe {
        decoder: &decoder,
        tokenizer: &model.text.tokenizer,
        template: model.text.template.as_ref(),
        now: None,
        budget: model.computing.memory,
    };
    let progress = PromptProgress::new(experiment.prompts());
    experiment.add_model(record, &probe, || progress.step())?;
    progress.finish();
    Ok(())
}
