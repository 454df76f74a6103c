//! Arguments that several commands share, and what they become: a model ready to compute, items ready to be asked.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;
use indexmap::IndexMap;

use tomeval::benchmark::{Benchmark, Item, LabelSet, Language, LoadOptions, Loaded, RowProblem};
use tomeval::decoder::{Decoder, DecoderSpec};
use tomeval::model::{ModelFiles, ModelSource, TextParts};
use tomeval::prompt::{Condition, InstructionChoice, OrderPolicy, Pack, Scoring};
use tomeval::run::{ModelIdentity, Settings};
use tomeval::story::{ClaimRule, Wording, hi_tom};

use super::compute::{Compute, Computing};
use super::fetching::Fetching;

/// Hi-ToM stories made where no benchmark is named, and the answers each of their questions offers.
const MADE_STORIES: usize = 2;
const MADE_ANSWERS: usize = 15;

/// Which model, and how it computes.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// A folder, a .gguf file, a card's name or a hub id (organisation/name[@revision]).
    #[arg(long, short, default_value = tomeval::model::DEMO)]
    pub model: String,
    /// Use only what is on this machine.
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub compute: Compute,
}

/// Which items.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Items")]
pub struct DataArgs {
    /// Benchmark by name; may be given several times, `tomeval data list` shows all [default: the built-in demo
    /// inventory, and two fresh Hi-ToM stories].
    #[arg(long = "benchmark", short, num_args = 1..)]
    pub benchmarks: Vec<String>,
    /// The benchmark's folder, or the folder that holds it.
    #[arg(long, env = "TOMEVAL_DATA")]
    pub data: Option<PathBuf>,
    /// Language code; may be given several times [default: all a benchmark has; English for the demo].
    #[arg(long = "language", short)]
    pub languages: Vec<Language>,
    /// Gold answers as published, or with the corrections of the benchmark's card.
    #[arg(long, default_value = "published", value_parser = ["published", "repaired"])]
    pub labels: String,
    /// A choice that only some benchmarks know, as NAME=VALUE, for instance trials=all.
    #[arg(long = "choose", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub choices: Vec<(String, String)>,
    /// At most so many questions a benchmark, drawn evenly over its strata, the same in every language.
    #[arg(long)]
    pub limit: Option<usize>,
    /// At most so many whole stories a benchmark.
    #[arg(long, conflicts_with = "limit")]
    pub limit_stories: Option<usize>,
    /// Seed of every draw: limits, option orders, bootstrap.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// How items are put.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Prompts")]
pub struct PromptArgs {
    /// Folder with prompt packs; the built-in ones otherwise.
    #[arg(long)]
    pub prompts: Option<PathBuf>,
    /// Prompt style of the pack.
    #[arg(long, default_value = "vanilla")]
    pub style: String,
    /// Instructions in the item's language (item), in English (en), or each item both ways (both); answers under English
    /// instructions are reported as the condition english-instructions, where a benchmark has other languages.
    #[arg(long, default_value = "item", value_parser = InstructionChoice::from_str, value_name = "item|en|both")]
    pub instructions: InstructionChoice,
    /// Leave out context: no-profile or no-background; may be given several times, `plain` keeps the full one too.
    #[arg(long = "condition")]
    pub conditions: Vec<String>,
    /// What is scored: letter, text or hybrid (options shown, texts scored).
    #[arg(long, default_value = "letter", value_parser = scoring)]
    pub scoring: Scoring,
    /// Option orders: identity, random:K, cyclic, balanced:K or all.
    #[arg(long, default_value = "random:5", value_parser = OrderPolicy::from_str)]
    pub orders: OrderPolicy,
    /// Do not score option texts after a neutral context; the `pmi` normalisation is then absent.
    #[arg(long)]
    pub no_pmi: bool,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("`{text}` has no `=`; write NAME=VALUE"))
}

fn scoring(text: &str) -> Result<Scoring, String> {
    match text.parse() {
        Ok(Scoring::Generate) => {
            Err("written answers are not scored by this version; use letter, text or hybrid".to_string())
        }
        Ok(scoring) => Ok(scoring),
        Err(error) => Err(error.to_string()),
    }
}

/// Items of all benchmarks asked for, after limits, with what could not be read.
pub struct LoadedItems {
    /// Items to run, benchmark by benchmark.
    pub items: Vec<Item>,
    /// All items of the data in the languages asked for: they decide which stories are complete.
    pub in_data: Vec<Item>,
    /// Rows that could not become items, by benchmark.
    pub problems: IndexMap<String, Vec<RowProblem>>,
}

impl DataArgs {
    /// The labels asked for.
    pub fn label_set(&self) -> LabelSet {
        match self.labels.as_str() {
            "repaired" => LabelSet::Repaired,
            _ => LabelSet::Published,
        }
    }

    /// Languages for a benchmark: those given, or its own; the demo inventory is English unless told otherwise.
    pub fn languages_of(&self, benchmark: Benchmark) -> Vec<Language> {
        match benchmark {
            Benchmark::Demo if self.languages.is_empty() => vec![Language::En],
            _ => self.languages.clone(),
        }
    }

    /// The benchmarks named; the demo inventory and Hi-ToM where none is.
    fn named(&self) -> anyhow::Result<Vec<Benchmark>> {
        if self.benchmarks.is_empty() {
            return Ok(vec![Benchmark::Demo, Benchmark::HiToM]);
        }
        let mut named = Vec::new();
        for name in &self.benchmarks {
            let benchmark: Benchmark = name.parse()?;
            anyhow::ensure!(!named.contains(&benchmark), "--benchmark {name} is given twice");
            named.push(benchmark);
        }
        Ok(named)
    }

    /// How many Hi-ToM stories are made for the run: two where no benchmark is named.
    fn made_stories(&self) -> Option<usize> {
        self.benchmarks.is_empty().then_some(MADE_STORIES)
    }

    /// Fresh one-chapter Hi-ToM stories, with claims, in each language asked for that has a wording.
    fn make_stories(&self, stories: usize) -> anyhow::Result<Loaded> {
        let mut items = Vec::new();
        for wording in self.languages_of(Benchmark::Demo).into_iter().filter_map(Wording::of) {
            let settings = hi_tom::Settings {
                chapters: 1,
                deception: true,
                stories,
                seed: self.seed,
                answers: MADE_ANSWERS,
                wording,
                claims: ClaimRule::Published,
            };
            items.extend(tomeval::benchmark::hi_tom::items(&hi_tom::generate(&settings)?));
        }
        Ok(Loaded { items, problems: Vec::new() })
    }

    /// Load and limit the items of every benchmark named.
    pub fn load(&self) -> anyhow::Result<LoadedItems> {
        let mut all = LoadedItems { items: Vec::new(), in_data: Vec::new(), problems: IndexMap::new() };
        let named = self.named()?;
        check_choices(&named, self.choices.iter().map(|(name, _)| name.as_str()))?;
        for benchmark in named {
            let name = benchmark.name();
            let options = LoadOptions {
                languages: self.languages_of(benchmark),
                labels: self.label_set(),
                choices: self.choices.iter().cloned().collect(),
            };
            let data = match (&self.data, benchmark) {
                (Some(data), _) => data.clone(),
                (None, Benchmark::Demo) => PathBuf::new(),
                (None, _) if self.made_stories().is_some() => PathBuf::new(),
                (None, _) => anyhow::bail!(
                    "--benchmark {name} needs its files: pass --data DIR or set TOMEVAL_DATA\n\n{}",
                    benchmark.card().source
                ),
            };
            let Loaded { items, problems } = match (benchmark, self.made_stories()) {
                (Benchmark::HiToM, Some(stories)) => self.make_stories(stories)?,
                _ => benchmark.load(&data, &options)?,
            };
            let stratum = benchmark.card().stratum;
            all.in_data.extend_from_slice(&items);
            let items = match (self.limit, self.limit_stories) {
                (Some(limit), _) => tomeval::benchmark::limit(items, limit, self.seed, &stratum),
                (None, Some(stories)) => tomeval::benchmark::limit_stories(items, stories, self.seed),
                (None, None) => items,
            };
            anyhow::ensure!(
                !items.is_empty(),
                "{name} has no items in the languages asked for; it has {}",
                benchmark.card().languages.iter().map(|language| language.code()).collect::<Vec<_>>().join(", ")
            );
            all.problems.insert(name.to_string(), problems);
            all.items.extend(items);
        }
        Ok(all)
    }
}

/// Refuse choices that none of the benchmarks knows: they would change nothing.
pub fn check_choices<'a>(benchmarks: &[Benchmark], choices: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    for name in choices {
        if benchmarks.iter().any(|benchmark| benchmark.choices().contains(&name)) {
            continue;
        }
        let known = |benchmark: &Benchmark| match benchmark.choices() {
            [] => format!("{benchmark} knows none"),
            names => format!("{benchmark} knows {}", names.join(", ")),
        };
        anyhow::bail!("unknown choice `{name}`: {}", benchmarks.iter().map(known).collect::<Vec<_>>().join("; "));
    }
    Ok(())
}

impl PromptArgs {
    /// The pack of each benchmark.
    pub fn packs(&self, benchmarks: &[String]) -> anyhow::Result<IndexMap<String, Pack>> {
        benchmarks
            .iter()
            .map(|name| {
                let pack = match &self.prompts {
                    Some(folder) => Pack::read(folder, name).context("prompt packs")?,
                    None => Pack::built_in(name),
                };
                Ok((name.clone(), pack))
            })
            .collect()
    }

    /// Conditions in the order given; the plain presentation where none is named.
    pub fn conditions(&self) -> anyhow::Result<Vec<Option<Condition>>> {
        if self.conditions.is_empty() {
            return Ok(vec![None]);
        }
        self.conditions
            .iter()
            .map(|name| match name.as_str() {
                "plain" => Ok(None),
                name => Ok(Some(name.parse()?)),
            })
            .collect()
    }
}

/// The settings of a run from its arguments.
pub fn settings(data: &DataArgs, prompts: &PromptArgs) -> anyhow::Result<Settings> {
    Ok(Settings {
        benchmarks: data.named()?.into_iter().map(|benchmark| benchmark.name().to_string()).collect(),
        made_stories: data.made_stories(),
        languages: data.languages.clone(),
        labels: data.label_set(),
        choices: data.choices.iter().cloned().collect(),
        limit: data.limit,
        limit_stories: data.limit_stories,
        style: prompts.style.clone(),
        instructions: prompts.instructions,
        conditions: prompts.conditions()?,
        scoring: prompts.scoring,
        unconditional: prompts.scoring != Scoring::Letter && !prompts.no_pmi,
        orders: prompts.orders,
        seed: data.seed,
    })
}

/// A model whose small files are read; the weights wait for [`LoadedModel::decoder`].
pub struct LoadedModel {
    pub files: ModelFiles,
    pub spec: DecoderSpec,
    /// Bytes of the weights once loaded.
    pub weight_bytes: u64,
    pub text: TextParts,
    pub computing: Computing,
}

impl LoadedModel {
    /// Find the model (fetching it if allowed and needed), read configuration, tokenizer and template, and check that
    /// they fit together.
    pub fn open(args: &ModelArgs) -> anyhow::Result<Self> {
        Self::open_on(args, args.compute.begin()?)
    }

    /// The same on what an earlier model computed on: devices and threads are chosen once a process.
    pub fn open_on(args: &ModelArgs, computing: Computing) -> anyhow::Result<Self> {
        let files = Fetching::default().resolve(&args.model, args.offline)?;
        let text = files.text_parts()?;
        let (spec, weights) = files.open()?;
        let weight_bytes = Decoder::weight_bytes(&spec, &weights, &computing.device, computing.precision)?;
        text.tokenizer.check_model(spec.vocab_size)?;
        Ok(LoadedModel { files, spec, weight_bytes, text, computing })
    }

    /// Load the weights.
    pub fn decoder(&self) -> anyhow::Result<Decoder> {
        self.computing.load(&self.files)
    }

    /// Which weights these are, and where they came from.
    pub fn identity(&self) -> anyhow::Result<ModelIdentity> {
        Ok(ModelIdentity {
            name: self.files.name.clone(),
            source: match &self.files.source {
                ModelSource::Path => "local files".to_string(),
                ModelSource::Hub { repo } | ModelSource::Card { repo, .. } => repo.clone(),
            },
            revision: self.files.revision.clone(),
            family: self.spec.family.to_string(),
            sha256: self.files.hashes()?,
        })
    }
}
