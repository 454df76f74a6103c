//! `tomeval attend`: what a model looked at.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::{Args as ClapArgs, ValueEnum};

use tomeval::attend::document::Measure;
use tomeval::attend::keywords::{Repeats, Scope};
use tomeval::attend::{Heads, HumanKeywords, KeywordOptions, Layers, Merge};
use tomeval::benchmark::Benchmark;
use tomeval::prompt::{Instructions, OrderPolicy, Scoring};

use super::Outcome;
use super::setup::{DataArgs, LoadedModel, ModelArgs};

mod output;
mod select;
mod work;

/// The page of a run, in its folder.
pub const PAGE: &str = "attention.html";

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
    pub reading: ReadingArgs,
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

/// How attention is read.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// What is measured.
    #[arg(long, value_enum, default_value_t = MeasureArg::Attention)]
    pub measure: MeasureArg,
    /// Positions whose attention is read; `options` adds each option's last token.
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

/// `--contrast`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contrast {
    /// The right option's last token against the strongest wrong one's.
    Options,
    /// The first two orders drawn.
    Orders,
    /// Another model on the same prompts.
    Model(String),
    /// The same prompt without a stretch of its story.
    Without(Stretch),
}

/// A stretch of the story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stretch {
    /// These words.
    Text(String),
    /// A sentence, counted from 1.
    Sentence(usize),
}

impl std::fmt::Display for Stretch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stretch::Text(text) => write!(f, "without \u{201c}{text}\u{201d}"),
            Stretch::Sentence(number) => write!(f, "without sentence {number}"),
        }
    }
}

impl FromStr for Contrast {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match given.split_once('=') {
            None if given == "options" => Ok(Contrast::Options),
            None if given == "orders" => Ok(Contrast::Orders),
            Some(("model", name)) if !name.is_empty() => Ok(Contrast::Model(name.to_string())),
            Some(("without", text)) if !text.trim().is_empty() => Ok(Contrast::Without(match text.parse() {
                Ok(number) if number > 0 => Stretch::Sentence(number),
                _ => Stretch::Text(text.to_string()),
            })),
            _ => Err(format!("`{given}` is no comparison; use options, orders, model=NAME or without=TEXT")),
        }
    }
}

impl ReadingArgs {
    fn keyword_options(&self) -> KeywordOptions {
        KeywordOptions {
            scope: self.scope,
            merge: match self.merge {
                MergeArg::Sum => Merge::Sum,
                MergeArg::Mean => Merge::Mean,
            },
            repeats: if self.apart { Repeats::Apart } else { Repeats::Together },
            keep_sink: self.keep_sink,
            drop_stop_words: self.no_stop_words,
        }
    }
}

fn facet_and_value(text: &str) -> Result<(String, String), String> {
    let (facet, value) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`; write FACET=VALUE"))?;
    Ok((facet.to_string(), value.to_string()))
}

pub fn run(mut args: Args) -> anyhow::Result<Outcome> {
    anyhow::ensure!(args.reading.top > 0, "--top 0 asks for no keywords; use 1 or more");
    if args.checks.contrast.contains(&Contrast::Options) && !args.reading.queries.contains(&Query::Options) {
        args.reading.queries.push(Query::Options);
    }
    anyhow::ensure!(
        args.reading.measure != MeasureArg::Occlusion || !args.reading.queries.contains(&Query::Options),
        "--measure occlusion leaves words out before the answer; use --queries answer and no --contrast options"
    );
    if let (Some(run), None) = (&args.choice.run, &args.output.html) {
        args.output.html = Some(run.join(PAGE));
    }
    args.output.check()?;
    let human = match &args.checks.human {
        Some(path) => HumanKeywords::read(path)?,
        None if args.data.benchmarks.is_empty() || args.data.benchmarks.contains(&Benchmark::Demo) => {
            HumanKeywords::demo()
        }
        None => HumanKeywords::default(),
    };
    let computing = args.model.compute.begin()?;
    let selection = select::select(&mut args)?;
    let model =
        LoadedModel::open_on(&args.model, computing).with_context(|| format!("--model {}", args.model.model))?;
    let analysis = work::analyse(&args, &selection, &human, model)?;
    output::write(&args, &analysis)?;
    Ok(if analysis.failures.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}

/// How an answer is scored here: by its label, as the paper does.
const SCORING: Scoring = Scoring::Letter;
