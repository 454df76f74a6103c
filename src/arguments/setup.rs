//! Arguments shared by several commands, and what they open: a model ready to compute, items ready to be asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;
use indexmap::IndexMap;
use indicatif::HumanBytes;

use super::compute::{Compute, Computing};
use super::fetching::Fetching;
use super::numbers::{ITEMS, WORDINGS, within};
use super::own_data::{OwnArgs, name_and_value, once_each};
use super::paths::{data_path, or_environment, text_or_file};
use super::template::TemplateArgs;
use super::writing::WritingArgs;
use crate::benchmark::{Benchmark, Choice, FacetRule, LabelSet, LoadOptions};
use crate::decoder::{Decoder, DecoderSpec, ExpertPlacement, Fallback, Weights, fallbacks};
use crate::language::Language;
use crate::model::{AdapterChoice, ChosenTemplate, ModelFiles, ModelSource, TemplateVariables, TextParts};
use crate::prompt::{Condition, InstructionChoice, OptionsShown, OrderPolicy, Pack, PackError, Scoring};
use crate::run::{AdapterIdentity, LOCAL_FILES, Machine, ModelIdentity};
use crate::trial::{Dataset, DatasetError, Phase, RunPart, Settings, Variant, packs, recorded_path};

/// Model, and how it computes.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// A folder, a .gguf file, a card's name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and
    /// `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several
    /// servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct].
    #[arg(id = "model", long, short, value_name = "MODEL")]
    pub models: Vec<String>,
    /// Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its
    /// weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one
    /// --adapter each, and none for the model without one.
    #[arg(long = "adapter", value_name = "[LANGUAGE=]DIR|none")]
    pub adapters: Vec<AdapterChoice>,
    /// Use only files on this machine.
    #[arg(long)]
    pub offline: bool,
    #[command(flatten)]
    pub compute: Compute,
}

/// Selection of benchmarks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Items")]
pub struct DataArgs {
    /// Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in
    /// demo inventory, and two new Hi-ToM stories].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME", value_delimiter = ',')]
    pub benchmarks: Vec<Benchmark>,
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// Data files, and how to read them.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    /// The benchmark's folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your
    /// own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA].
    #[arg(long, value_name = "PATH", value_parser = data_path)]
    data: Option<PathBuf>,
    /// Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask
    /// the demo in English].
    #[arg(long = "language", short, value_name = "CODE", value_delimiter = ',')]
    pub languages: Vec<Language>,
    /// Gold answers as published, or with the corrections of the benchmark's card.
    #[arg(long, default_value_t, value_name = "published|repaired")]
    pub labels: LabelSet,
    /// Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley).
    #[arg(long = "choose", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub choices: Vec<(String, String)>,
    #[command(flatten)]
    pub own: OwnArgs,
}

/// Number of items.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Items")]
pub struct LimitArgs {
    /// Maximum questions per benchmark, drawn evenly over its strata, the same in every language.
    #[arg(long, value_name = "N", value_parser = within(ITEMS))]
    pub limit: Option<usize>,
    /// Maximum whole stories per benchmark.
    #[arg(long, value_name = "N", conflicts_with = "limit", value_parser = within(ITEMS))]
    pub limit_stories: Option<usize>,
    /// Seed of every draw: limits, option orders, resampling for intervals.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// Selection of items.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Items")]
pub struct ChoiceArgs {
    /// Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold
    /// (`tomeval data items` shows facets).
    #[arg(long = "where", value_name = "FACET=VALUE")]
    pub facets: Vec<FacetRule>,
    /// Only the item with this id, or those of a file with one id a line; may be given several times.
    #[arg(long = "item", value_name = "ID|@FILE")]
    pub items: Vec<String>,
}

impl ChoiceArgs {
    /// Returns the dataset with this selection.
    pub fn of(&self, dataset: Dataset) -> anyhow::Result<Dataset> {
        let mut ids = Vec::new();
        for item in &self.items {
            let Some(file) = item.strip_prefix('@') else {
                ids.push(item.clone());
                continue;
            };
            let text = std::fs::read_to_string(file).with_context(|| format!("--item {item}: cannot be read"))?;
            let before = ids.len();
            ids.extend(text.lines().map(str::trim).filter(|id| !id.is_empty()).map(str::to_string));
            anyhow::ensure!(ids.len() > before, "--item {item}: the file has no ids");
        }
        Ok(Dataset { choice: Choice { ids, rules: self.facets.clone() }, ..dataset })
    }
}

/// Presentation of items.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Prompts")]
pub struct PromptArgs {
    /// Folder with prompt packs [default: the built-in packs].
    #[arg(long)]
    pub prompts: Option<PathBuf>,
    /// Text in front of every prompt's system turn, or a file with it; it is the system turn where a style has none.
    #[arg(long, value_name = "TEXT|FILE", value_parser = text_or_file)]
    pub system: Option<String>,
    /// Prompt style of the pack, or several separated by commas.
    #[arg(long = "style", value_name = "STYLE", default_value = "vanilla", value_delimiter = ',')]
    pub styles: Vec<String>,
    /// Instructions in the item's language (item), in English (en), or each item both ways (both); answers under
    /// English instructions are reported as the condition english-instructions, if a benchmark has other languages.
    #[arg(long, default_value = "item", value_parser = InstructionChoice::from_str, value_name = "item|en|both")]
    pub instructions: InstructionChoice,
    /// Ask each item in N wordings of the instruction: the pack's own and N - 1 others, which change nothing in the item's text;
    /// the style vanilla with one right option, in English and Chinese. N times the cost; with --prompts, the wordings of those
    /// packs. `--table variance` says what a point of difference is worth.
    #[arg(long, value_name = "N", value_parser = within(WORDINGS))]
    pub paraphrase: Option<usize>,
    /// Leave out context (no-profile, no-background, no-dialogue), or put "none of these" in the place of the right option (drop-gold)
    /// or of a wrong one (drop-distractor). In tracked stories (Hi-ToM, ToMi), leave out what those asked about do not perceive
    /// (seen-only), name its containers in its place (mention-kept), leave out other lines (others-left-out) or let them see all
    /// (true-belief). May be repeated; `plain` also asks the items as they are.
    #[arg(long = "condition", value_parser = condition)]
    pub conditions: Vec<Option<Condition>>,
    /// Scoring method: letter, text or hybrid (options shown, texts scored); generate has the model write its answer.
    /// Several, separated by commas, run one after the other, each with every style.
    #[arg(long = "scoring", value_name = "SCORING", default_value = "letter", value_delimiter = ',', value_parser = Scoring::from_str)]
    pub scorings: Vec<Scoring>,
    /// When options are shown: before the model's reasoning (with the question), after it (the model answers freely and matches
    /// its reply to them), or never (their texts are scored after that reply). Several, separated by commas, run one after the other;
    /// questions that need their options are left out of after and never.
    #[arg(long = "options", value_name = "before|after|never", default_value = "before", value_delimiter = ',', value_parser = OptionsShown::from_str)]
    pub options: Vec<OptionsShown>,
    /// If the style reasons first, score answers after the model's written reasoning.
    #[arg(long)]
    pub after_reasoning: bool,
    /// Option orders: identity, random:K, cyclic, balanced:K or all.
    #[arg(long, default_value = "random:5", value_parser = OrderPolicy::from_str)]
    pub orders: OrderPolicy,
    /// Options that refer to others or to none ("all of the above", "both A and B", "cannot be determined"): keep their slots,
    /// with letters rewritten to those shown, or shuffle as all others [default: as the card says, which is to shuffle].
    #[arg(long, value_name = "keep|shuffle", value_parser = ["keep", "shuffle"])]
    pub anchored_options: Option<String>,
    /// Do not score option texts after a neutral context; the `pmi` normalisation is then absent.
    #[arg(long)]
    pub no_pmi: bool,
    #[command(flatten)]
    pub template: TemplateArgs,
}

impl ModelArgs {
    /// Returns the name of the model, by default the demo model.
    pub fn name(&self) -> &str {
        self.named().unwrap_or(crate::model::DEMO)
    }

    /// Returns the model named, if any.
    pub fn named(&self) -> Option<&str> {
        self.models.first().map(String::as_str)
    }
}

impl SourceArgs {
    /// Returns the options for loaders.
    fn options(&self) -> anyhow::Result<LoadOptions> {
        Ok(LoadOptions {
            languages: self.languages.clone(),
            labels: self.labels,
            choices: once_each("--choose", &self.choices)?,
            own: self.own.own_data()?,
        })
    }

    /// Returns the data path from the command line, else from the environment.
    pub fn files(&self) -> Option<PathBuf> {
        or_environment(self.data.clone())
    }

    /// Returns the named benchmarks, or by default the one found at the command line's data path, but not the
    /// environment's.
    pub fn benchmarks(&self, named: &[Benchmark]) -> Result<Vec<Benchmark>, DatasetError> {
        match &self.data {
            // A card may describe the files of a folder, which no name tells from others.
            Some(path) if named.is_empty() && path.is_dir() && self.own.has_card() => Ok(vec![Benchmark::Custom]),
            Some(path) if named.is_empty() => Ok(vec![Dataset::benchmark_at(path)?]),
            _ => Ok(named.to_vec()),
        }
    }

    /// Like [`SourceArgs::benchmarks`], but a folder may stand for all its benchmarks; only a file must be of a single
    /// one.
    pub fn benchmarks_or_all(&self, named: &[Benchmark]) -> Result<Vec<Benchmark>, DatasetError> {
        match &self.data {
            Some(path) if !path.is_dir() || self.own.has_card() => self.benchmarks(named),
            _ => Ok(named.to_vec()),
        }
    }

    /// Returns a dataset of these benchmarks in these files, without limits.
    pub fn dataset(&self, benchmarks: Vec<Benchmark>) -> anyhow::Result<Dataset> {
        Ok(Dataset::new(benchmarks, self.files(), self.options()?)?)
    }
}

impl LimitArgs {
    /// Returns the dataset within these limits.
    pub fn of(&self, dataset: Dataset) -> Dataset {
        Dataset { limit: self.limit, limit_stories: self.limit_stories, seed: self.seed, ..dataset }
    }
}

impl DataArgs {
    /// Returns the dataset of the named benchmarks, or by default of the built-in ones.
    pub fn dataset(&self) -> anyhow::Result<Dataset> {
        let benchmarks = self.source.benchmarks(&self.benchmarks)?;
        let dataset = match benchmarks.is_empty() {
            true => Dataset { files: self.source.files(), ..Dataset::built_in(self.source.options()?)? },
            false => self.source.dataset(benchmarks)?,
        };
        Ok(self.limit.of(dataset))
    }
}

impl PromptArgs {
    /// Returns the packs of these benchmarks.
    pub fn packs(&self, benchmarks: &[Benchmark]) -> anyhow::Result<IndexMap<Benchmark, Pack>> {
        let mut packs = packs(benchmarks, self.prompts.as_deref()).context("prompt packs")?;
        if let (Some(count), None) = (self.paraphrase, &self.prompts) {
            let with_wordings = |(benchmark, pack): (Benchmark, Pack)| Ok((benchmark, pack.with_wordings(count)?));
            packs = packs.into_iter().map(with_wordings).collect::<Result<_, PackError>>()?;
        }
        let Some(system) = &self.system else { return Ok(packs) };
        let with_system = |(benchmark, pack): (Benchmark, Pack)| Ok((benchmark, pack.with_system(system)?));
        packs.into_iter().map(with_system).collect()
    }

    /// Refuses a condition that is given twice.
    pub fn check(&self) -> anyhow::Result<()> {
        let name = |condition: &Option<Condition>| condition.map_or("plain".to_string(), |it| it.to_string());
        match self.conditions.iter().enumerate().find(|&(at, condition)| self.conditions[..at].contains(condition)) {
            Some((_, twice)) => anyhow::bail!("--condition {} is given twice", name(twice)),
            None => Ok(()),
        }
    }

    /// Returns the conditions in the order given, by default the plain presentation.
    fn conditions(&self) -> Vec<Option<Condition>> {
        if self.conditions.is_empty() { vec![None] } else { self.conditions.clone() }
    }
}

/// Parses a condition; `None` for the plain presentation.
fn condition(given: &str) -> Result<Option<Condition>, <Condition as FromStr>::Err> {
    if given == "plain" { Ok(None) } else { given.parse().map(Some) }
}

/// Returns the settings of a run from its arguments. Replies of an earlier run are not named yet: the
/// caller does so when they are written.
pub fn settings(
    dataset: &Dataset,
    prompts: &PromptArgs,
    writing: &WritingArgs,
    variant: &Variant,
) -> anyhow::Result<Settings> {
    let Dataset { options, choice, limit, limit_stories, seed, .. } = dataset;
    Ok(Settings {
        benchmarks: dataset.benchmarks.clone(),
        made_stories: dataset.made_stories,
        languages: options.languages.clone(),
        labels: options.labels,
        choices: options.choices.clone(),
        items: choice.ids.clone(),
        facets: choice.rules.clone(),
        own: options.own.clone(),
        limit: *limit,
        limit_stories: *limit_stories,
        style: variant.style.clone(),
        instructions: prompts.instructions,
        wordings: prompts.paraphrase,
        conditions: prompts.conditions(),
        // Set after reading the items.
        swaps: None,
        scoring: variant.scoring,
        writing: if variant.scoring == Scoring::Generate { Some(writing.writing()?) } else { None },
        after_reasoning: None,
        phase: (variant.part == RunPart::First).then_some(Phase::First),
        // Set after reading the items.
        shots: None,
        reminders: None,
        unconditional: matches!(variant.scoring, Scoring::Text | Scoring::Hybrid) && !prompts.no_pmi,
        orders: prompts.orders,
        // Set after reading the items.
        anchored: IndexMap::new(),
        seed: *seed,
        // Set after reading the model's template.
        template_variables: TemplateVariables::new(),
        switched_off: TemplateVariables::new(),
        chat_template: None,
    })
}

/// A model with its small files read; [`LoadedModel::decoder`] loads the weights.
pub struct LoadedModel {
    pub files: ModelFiles,
    pub spec: DecoderSpec,
    /// Bytes of the weights once loaded.
    pub weight_bytes: u64,
    /// Additional bytes of experts that stay in their files.
    pub bytes_in_files: u64,
    /// How a CPU multiplies quantised matrices, by block format.
    products: BTreeMap<String, String>,
    pub text: TextParts,
    /// Chat template used instead of the model's own.
    pub chosen: Option<ChosenTemplate>,
    pub computing: Computing,
}

impl LoadedModel {
    /// Returns the machine for manifests.
    pub fn machine(&self) -> Machine {
        Machine {
            device: self.computing.choice.to_string(),
            dtype: self.computing.precision.name().to_string(),
            cpu: crate::machine::processor(),
            threads: self.computing.threads,
            products: self.products.clone(),
        }
    }

    /// Finds the model (fetching it if allowed and needed), reads configuration, tokenizer and template, and checks
    /// that they fit together.
    pub fn open(args: &ModelArgs) -> anyhow::Result<Self> {
        Self::open_on(args, args.compute.begin()?)
    }

    /// Like `open`, on the devices and threads of an earlier model, which are fixed per process. Opens no adapter if
    /// there are several.
    pub fn open_on(args: &ModelArgs, computing: Computing) -> anyhow::Result<Self> {
        let mut files = Fetching::default().resolve(args.name(), args.offline)?;
        if let [AdapterChoice::Named(adapter)] = &args.adapters[..] {
            files = files.with_adapter(adapter).context("--adapter")?;
        }
        let text = files.text_parts()?;
        let (spec, weights) = files.open()?;
        if spec.experts.is_none() && computing.experts == ExpertPlacement::Mapped {
            eprintln!("note: --experts mapped changes nothing: this model has no experts");
        }
        let on_cpu = computing.device.is_cpu();
        let products = if on_cpu { Decoder::product_paths(&weights, computing.precision) } else { BTreeMap::new() };
        let Weighed { weight_bytes, bytes_in_files } = Weighed::new(&spec, weights, &computing)?;
        for Fallback { matrices, columns, block, instead } in fallbacks(&spec, computing.precision) {
            eprintln!(
                "note: {matrices} matrices have {columns} columns, not a multiple of the block size {block}: kept \
                 in {instead}"
            );
        }
        text.tokenizer.check_model(spec.vocab_size)?;
        Ok(LoadedModel { files, spec, weight_bytes, bytes_in_files, products, text, chosen: None, computing })
    }

    /// Applies the chat template that the arguments name, if any.
    pub fn choose_template(&mut self, template: &TemplateArgs, offline: bool) -> anyhow::Result<()> {
        self.chosen = template.choose(&self.files, &mut self.text, offline)?;
        Ok(())
    }

    /// Loads the weights.
    pub fn decoder(&self) -> anyhow::Result<Decoder> {
        let weighed = Weighed { weight_bytes: self.weight_bytes, bytes_in_files: self.bytes_in_files };
        self.decoder_of(weighed, || Ok(self.files.open()?.1))
    }

    /// Loads weights of this shape, opened after checking that they fit into memory.
    pub fn decoder_of(
        &self,
        weighed: Weighed,
        open: impl FnOnce() -> anyhow::Result<Weights>,
    ) -> anyhow::Result<Decoder> {
        self.warn_of_short_memory(weighed);
        self.computing.check_room(weighed.weight_bytes, self.memory())?;
        let weights = open()?.with_experts(self.computing.experts);
        Ok(Decoder::load(self.spec.clone(), weights, &self.computing.device, self.computing.precision)?)
    }

    /// Warns if main memory is too small for the weights: the rest is swapped out, or the system ends the program.
    fn warn_of_short_memory(&self, Weighed { weight_bytes, bytes_in_files }: Weighed) {
        let (_, free) = crate::machine::memory();
        if !self.computing.device.is_cpu() || weight_bytes <= free {
            return;
        }
        let mend = match (&self.spec.experts, bytes_in_files) {
            (Some(_), 0) => "--experts mapped leaves experts in their files",
            _ if self.computing.precision.is_quantised() => "choose a smaller model",
            _ => "--quantize q4_k keeps them in fewer bits",
        };
        eprintln!(
            "warning: the weights take {}, but only {} of memory is free; {mend}",
            HumanBytes(weight_bytes),
            HumanBytes(free)
        );
    }

    /// Returns the bytes for keys, values and activations.
    pub fn memory(&self) -> u64 {
        self.computing.memory(&self.spec)
    }

    /// Returns the identity and origin of the weights.
    pub fn identity(&self) -> anyhow::Result<ModelIdentity> {
        Ok(self.identity_of(&self.files, self.files.hashes()?))
    }

    /// Like `identity`, for files of this model with known hashes.
    pub fn identity_of(&self, files: &ModelFiles, sha256: IndexMap<String, String>) -> ModelIdentity {
        ModelIdentity {
            name: files.name.clone(),
            source: match &files.source {
                ModelSource::Path => LOCAL_FILES.to_string(),
                ModelSource::Hub { repo } | ModelSource::Card { repo, .. } => repo.clone(),
            },
            path: match &files.source {
                ModelSource::Path => files.path().canonicalize().ok().map(|path| recorded_path(&path)),
                ModelSource::Hub { .. } | ModelSource::Card { .. } => None,
            },
            revision: files.revision.clone(),
            family: self.spec.family.to_string(),
            sha256,
            adapter: files.adapter.as_ref().map(|adapter| AdapterIdentity {
                name: adapter.name.clone(),
                path: recorded_path(&adapter.path),
                base: adapter.base.clone(),
                rank: adapter.rank(),
                alpha: number(adapter.alpha()),
                trained_in: adapter.trained_in.clone(),
            }),
        }
    }
}

/// Memory needs of weights.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// Bytes once loaded.
    pub weight_bytes: u64,
    /// Additional bytes of experts that stay in their files.
    pub bytes_in_files: u64,
}

impl Weighed {
    /// Returns the memory needs of opened weights of a shape on the chosen device.
    pub fn new(spec: &DecoderSpec, weights: Weights, computing: &Computing) -> anyhow::Result<Self> {
        let bytes = |weights: &Weights| Decoder::weight_bytes(spec, weights, &computing.device, computing.precision);
        let all_bytes = bytes(&weights)?;
        let weight_bytes = bytes(&weights.with_experts(computing.experts))?;
        Ok(Weighed { weight_bytes, bytes_in_files: all_bytes.saturating_sub(weight_bytes) })
    }
}

/// Returns a number without a decimal point if it is whole.
fn number(value: f64) -> serde_json::Number {
    match serde_json::Number::from_f64(value) {
        _ if value.fract() == 0.0 && value.abs() < 1e9 => (value as i64).into(),
        Some(number) => number,
        None => 0.into(),
    }
}
