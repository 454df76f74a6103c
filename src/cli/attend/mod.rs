//! `tomeval attend`: analyses what a model attends to.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args as ClapArgs, ValueEnum};
use indexmap::IndexMap;
use jiff::civil::DateTime;

use super::Outcome;
use crate::arguments::numbers::within;
use crate::arguments::paths::{is_temporary, run_path};
use crate::arguments::place::check_local;
use crate::arguments::setup::{DataArgs, LoadedModel, ModelArgs};
use crate::arguments::template::TemplateArgs;
use crate::attend::{
    AblationTarget, Case, Contrast, Estimate, Experiment, ExperimentError, ExperimentSettings, HeadAnalysisSettings,
    HeadQuantity, Heads, HumanKeywords, KeywordOptions, Layers, LookingWords, Match, Measure, Merge, Method,
    ModelRecord, Probe, PromptSource, Repeats, Scope, SelectedItem, has_function_words, single_file,
};
use crate::benchmark::{Benchmark, FacetRule};
use crate::cli::states::StatesFile;
use crate::model::{ChosenTemplate, TemplateVariables};
use crate::name::UnknownName;
use crate::prompt::{Instructions, OrderPolicy};
use crate::terminal::files::save;
use crate::terminal::progress::{Shown, duration};
use crate::trial::Dataset;

mod files;
mod output;
mod pictures;
pub mod resumable;
mod source;

/// Number of items from which a note recommends `--out`.
const MANY: usize = 100;

/// Most items for which a page shows what the words of question and options look at.
const FEW: usize = 20;

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
    #[command(flatten)]
    pub whole: resumable::WholeArgs,
}

/// Selection of prompts. By default five items, drawn evenly.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Choice")]
pub struct ChoiceArgs {
    /// Item by id; may be given several times.
    #[arg(long = "item", value_name = "ID")]
    pub items: Vec<String>,
    /// Items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold.
    #[arg(long = "where", value_name = "FACET=VALUE")]
    pub facets: Vec<FacetRule>,
    /// Items of a finished run, in an order it showed, read by its own model; arithmetic, prompts and style default to
    /// those of the run.
    #[arg(long, value_name = "DIR", value_parser = run_path, conflicts_with_all = ["benchmarks", "languages", "labels", "choices", "seed", "orders"])]
    pub run: Option<PathBuf>,
    /// Only items that the run answered wrongly, in an order that led to a wrong answer.
    #[arg(long, requires = "run")]
    pub wrong: bool,
    /// For runs with written answers: also analyse the position that writes the answer letter in the reply, after the
    /// original prompt and reply, beside the letter scored right after the prompt.
    #[arg(long, requires = "run")]
    pub written: bool,
    /// Folder with prompt packs [default: those of the run, else the built-in packs].
    #[arg(long)]
    pub prompts: Option<PathBuf>,
    /// Prompt style of the pack [default: that of the run, else vanilla].
    #[arg(long)]
    pub style: Option<String>,
    /// Instructions in the item's language, or in English [default: as in the run, else item].
    #[arg(long, value_name = "item|en")]
    pub instructions: Option<Instructions>,
    /// Option orders: the first one drawn is shown, and with `--contrast orders` the first two.
    #[arg(long, default_value = "identity")]
    pub orders: OrderPolicy,
    #[command(flatten)]
    pub template: TemplateArgs,
}

/// How attention is measured and reduced to words.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// What to measure: attention probabilities as in the paper, value-weighted norms, rollout (attention followed down
    /// to the input), or occlusion (drop in the chosen option's log-likelihood without each word).
    #[arg(long, default_value_t, value_name = "attention|value|rollout|occlusion")]
    pub measure: Measure,
    /// Positions whose attention is captured; `options` adds each option's last token, and `all` lets the page show
    /// what any word of the prompt looks at, not only those of question and options.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "answer")]
    pub queries: Vec<Query>,
    /// Layers averaged: all, last:N or A-B, counted from 0. The paper averages 20 without saying which.
    #[arg(long, default_value_t)]
    pub layers: Layers,
    /// Heads averaged: all, A-B or a list, counted from 0.
    #[arg(long, default_value_t)]
    pub heads: Heads,
    /// Where keywords come from: story, story+question, options or all.
    #[arg(long, default_value_t)]
    pub scope: Scope,
    /// Combine the weights of a word's tokens by sum or mean.
    #[arg(long, default_value_t, value_name = "sum|mean")]
    pub merge: Merge,
    /// Rank each occurrence of a word separately instead of adding them up.
    #[arg(long)]
    pub apart: bool,
    /// Keep function words among the keywords; words of negation, time and cause and those for "only" always stay.
    /// Figures of --figure person keep every word.
    #[arg(long)]
    pub function_words: bool,
    /// Keep the first token's weight; shares are then relative to the whole row.
    #[arg(long)]
    pub keep_sink: bool,
    /// Number of keywords.
    #[arg(long, default_value_t = 10, value_parser = within(1..=1000))]
    pub top: usize,
}

/// Comparisons and checks of the keywords.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Checks")]
pub struct CheckArgs {
    /// Keywords marked by people: an export of a `tomeval annotate mark` page, or a JSON file; may be repeated. The
    /// demo inventory has its own.
    #[arg(long, value_name = "FILE")]
    pub human: Vec<PathBuf>,
    /// Compare options (right minus wrong), orders, model=NAME, or without=TEXT (without=N: the N-th sentence).
    #[arg(long, value_name = "WHAT")]
    pub contrast: Vec<Contrast>,
    /// Maximum random draws per test of the deletion check; 0 skips it. A test ends early once ten random sets reach
    /// the tested value.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = within(0..=10_000))]
    pub deletion_draws: usize,
    /// Questions of each benchmark on which the deletion check is made, drawn as --limit draws, or all; the others have
    /// attention alone.
    #[arg(long, value_name = "N|all", default_value = "64")]
    pub deletion_items: DeletionItems,
    /// Properties of the tested words, besides number, that random words match: tokens, place, function-words, or none.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "tokens")]
    pub deletion_match: Vec<Matching>,
    /// Switch off heads=LAYER.HEAD,... or the attention of layers=LAYERS (counted from 0) and measure how the choice
    /// changes, or the strongest K heads over all prompts against random ones: strongest:K, strongest:K=QUANTITY (as
    /// for --head-maps) or strongest:K=QUANTITY@GROUPS by the difference between verdict, belief or values of a facet;
    /// may be repeated, each ablation runs separately.
    #[arg(long, value_name = "PARTS")]
    pub knock_out: Vec<AblationTarget>,
    /// Number of random head sets to switch off for comparison with the strongest.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = within(0..=1000))]
    pub random_heads: usize,
    /// Attention on roles: believed, actual and original location, distractors, the agents asked about, others, the
    /// object; also compares twins. Uses the structure of Hi-ToM and ToMi, elsewhere the `roles` of the keyword file.
    #[arg(long)]
    pub roles: bool,
    /// The story sentence by sentence: who perceives it, where the object is, where each mind takes it to be, and attention
    /// per word; for Hi-ToM and ToMi, whose stories are tracked. Also compares unseen sentences with chance and with the same
    /// story where the belief is true, which is read as a second prompt.
    #[arg(long)]
    pub witness: bool,
    /// Compare heads between two groups (wrong and right, false and true belief, values of --group): mean and
    /// difference of scope, contribution, a role, or one role minus another (as original-actual); separate several by
    /// commas.
    #[arg(long, value_name = "QUANTITY", value_delimiter = ',')]
    pub head_maps: Vec<HeadQuantity>,
    /// Direct contribution of each head to the right label's logit minus that of the most likely wrong label.
    #[arg(long)]
    pub contributions: bool,
    /// Sensitivity of the keywords to layers, measure, and the orders of --orders.
    #[arg(long)]
    pub sensitivity: bool,
    /// Read the answer position at every layer (logit lens).
    #[arg(long)]
    pub lens: bool,
    /// Facet whose values are compared over all prompts, in addition to right and wrong.
    #[arg(long, value_name = "FACET")]
    pub group: Option<String>,
    /// Facets of your own questions within whose values groups are compared, besides language and number of options
    /// [default: those of --card]. Published benchmarks take theirs from their cards.
    #[arg(long, value_name = "FACET", value_delimiter = ',')]
    pub strata: Vec<String>,
}

/// One item of `--deletion-match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching(Option<Match>);

impl Matching {
    /// Returns the requested properties without duplicates, in canonical order.
    fn all(asked: &[Matching]) -> Vec<Match> {
        Match::ALL.into_iter().filter(|matched| asked.contains(&Matching(Some(*matched)))).collect()
    }
}

impl std::str::FromStr for Matching {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        if given == "none" { Ok(Matching(None)) } else { given.parse().map(|matched| Matching(Some(matched))) }
    }
}

/// `--deletion-items`: `None` for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletionItems(Option<usize>);

impl std::str::FromStr for DeletionItems {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        match given.parse() {
            Ok(0) | Err(_) if given != "all" => Err("expected a number from 1, or all".to_string()),
            number => Ok(DeletionItems(number.ok())),
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
    /// On a page of one file, every word of the prompt by a click; else words of question and options, on pages of few
    /// prompts.
    All,
}

impl Args {
    /// Checks the arguments before any work, and adds the queries that contrasts need.
    fn check(mut self) -> anyhow::Result<Self> {
        let Args { model, choice, method, checks, output, whole, .. } = &mut self;
        if checks.contrast.contains(&Contrast::Options) && !method.queries.contains(&Query::Options) {
            method.queries.push(Query::Options);
        }
        anyhow::ensure!(
            method.measure != Measure::Occlusion || !method.queries.contains(&Query::Options),
            "--measure occlusion leaves words out before the answer; use --queries answer and no --contrast options"
        );
        let reads_heads = matches!(method.measure, Measure::Attention | Measure::Value);
        let has_page = whole.out.is_none() && (output.html.is_some() || choice.run.is_some());
        anyhow::ensure!(
            !method.queries.contains(&Query::All) || (has_page && reads_heads),
            "--queries all is for a page of one file with --measure attention or value: name the page with --html FILE, \
             and leave out --out"
        );
        anyhow::ensure!(
            checks.deletion_match.len() < 2 || !checks.deletion_match.contains(&Matching(None)),
            "--deletion-match none excludes others; leave out none or the others"
        );
        output.check()?;
        let has_bundle = choice.run.as_deref().is_some_and(is_temporary);
        anyhow::ensure!(
            !has_bundle || whole.out.is_some() || output.html.is_some(),
            "--run names a bundle, which is read-only; name the page with --html FILE, or a folder with --out DIR"
        );
        model.check_local("attend")?;
        for contrast in &checks.contrast {
            let Contrast::Model(name) = contrast else { continue };
            anyhow::ensure!(
                output.states.is_none(),
                "--states holds the residual stream of one model; leave out --contrast model={name}, and write one file per \
                 model"
            );
            anyhow::ensure!(
                whole.out.is_none(),
                "--contrast model=NAME: a folder holds one model; make one folder per model (--model, --out), or leave out --out"
            );
            check_local(name).with_context(|| format!("--contrast model={name}"))?;
        }
        anyhow::ensure!(
            whole.out.is_none() || !checks.knock_out.iter().any(|off| matches!(off, AblationTarget::TopHeads(_))),
            "--knock-out strongest:K chooses heads over all items and reads them again, which --out cannot resume; name \
             the heads (--knock-out heads=LAYER.HEAD,...; heads.csv of --head-maps lists them), or leave out --out"
        );
        Ok(self)
    }

    /// Words whose own attention the page shows: it takes a forward pass more, so by default only on pages of few
    /// prompts.
    fn looking_words(&self, items: usize) -> Option<LookingWords> {
        let page = self.output.html.as_ref().filter(|_| self.whole.out.is_none());
        match self.method.queries.contains(&Query::All) {
            true => page.map(|_| LookingWords::All),
            false => page.filter(|_| items <= FEW).map(|_| LookingWords::QuestionAndOptions),
        }
    }

    fn settings(
        &self,
        dataset: &Dataset,
        items: &[SelectedItem],
        strata: IndexMap<Benchmark, Vec<String>>,
        basis: &PromptSource,
    ) -> ExperimentSettings {
        let (method, checks) = (&self.method, &self.checks);
        let (mut named, mut strongest) = (Vec::new(), Vec::new());
        for off in checks.knock_out.iter().cloned() {
            match off {
                AblationTarget::ModelPart(part) => named.push(part),
                AblationTarget::TopHeads(asked) => strongest.push(asked),
            }
        }
        ExperimentSettings {
            benchmarks: dataset.benchmarks.clone(),
            method: Method {
                measure: method.measure,
                layers: method.layers,
                heads: method.heads.clone(),
                keywords: KeywordOptions {
                    scope: method.scope,
                    merge: method.merge,
                    repeats: if method.apart { Repeats::Apart } else { Repeats::Together },
                    keep_sink: method.keep_sink,
                    drop_stop_words: !method.function_words && !self.output.pictures.is_of_person(),
                },
                top: method.top,
                seed: dataset.seed,
            },
            query_options: method.queries.contains(&Query::Options),
            contrasts: checks.contrast.clone(),
            deletion_draws: checks.deletion_draws,
            deletion_items: checks.deletion_items.0.filter(|_| items.iter().any(|chosen| !chosen.checked)),
            deletion_matching: Matching::all(&checks.deletion_match),
            knock_out: named,
            lens: checks.lens,
            group: checks.group.clone(),
            strata,
            style: basis.style.clone(),
            instructions: basis.instructions,
            condition: basis.condition,
            now: basis.now.map(|now| now.to_string()),
            human_sha256: String::new(),
            departures: basis.departures.clone(),
            keep_heads: self.output.html.is_some(),
            positions: self.looking_words(items.len()),
            keep_captures: self.output.tensors.is_some(),
            keep_states: self.output.states.is_some(),
            read_once: false,
            inside: HeadAnalysisSettings {
                roles: checks.roles,
                witness: checks.witness || self.output.pictures.is_of_witness(),
                head_maps: checks.head_maps.clone(),
                contributions: checks.contributions,
                sensitivity: checks.sensitivity,
                strongest,
                random_heads: checks.random_heads,
            },
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut args = args.check()?;
    if let (Some(folder), Some(page)) = (&args.whole.single_file, &args.output.html) {
        save(page, single_file(folder, &args.choice.items)?)?;
        return Ok(Outcome::Done);
    }
    let mut human = if args.checks.human.is_empty() { HumanKeywords::demo() } else { HumanKeywords::default() };
    for path in &args.checks.human {
        human.append(HumanKeywords::read(path)?);
    }
    let run = source::read(&mut args)?;
    let computing = args.model.compute.begin()?;
    let (dataset, mut basis, items) = source::select(&args, run.as_ref(), &human)?;
    let strata = source::strata(&args.checks.strata, &dataset, &items)?;
    args.output.pictures.check_items(&items, &human)?;
    print_listless(&args.method, &items);
    let mut model = source::model(&args.model, run.as_ref(), computing)?;
    match &run {
        // The run's own model gets the template variables of the run.
        Some(run) if args.model.models.is_empty() && args.choice.template.chat_template.is_none() => {
            model.chosen = run.take_template(&mut model.text)?;
        }
        _ => model.choose_template(&args.choice.template, args.model.offline)?,
    }
    let variables = match &run {
        Some(run) if args.model.models.is_empty() => {
            args.choice.template.as_in(run.template_variables(), &model.files, &model.text)?
        }
        _ => args.choice.template.scoring(&model.files, &model.text)?,
    };
    let mut linked = None;
    if let Some(run) = &run {
        let own = basis.is_read_by(&run.manifest, &record(&model, &variables)?);
        if args.whole.out.is_none() {
            args.output.write_below(&run.folder, (!own).then_some(&model.files.name))?;
            linked = own.then_some(run.folder.as_path());
        }
        eprintln!("{}", source::announcement(run, &basis, &model));
    }
    let settings = args.settings(&dataset, &items, strata, &basis);
    if items.len() >= MANY && args.whole.out.is_none() {
        eprintln!("{} items: nothing is saved before the last is done; --out DIR saves each one.", items.len());
    }
    if let Some(out) = &args.whole.out {
        let whole = resumable::Whole { settings, basis, items, human, model: &model, variables };
        return resumable::read(&args.whole, out, whole, args.output.colour());
    }
    let mut experiment = Experiment::new(settings, items, human)?;
    let mut states = args.output.states_of(&model);
    add_model(&mut experiment, &model, variables, basis.now, states.as_mut())
        .with_context(|| model.files.name.clone())?;
    if let Some(states) = states {
        states.close(&model)?;
    }
    let mut computing = model.computing;
    for contrast in &args.checks.contrast {
        let Contrast::Model(name) = contrast else { continue };
        let flag = || format!("--contrast model={name}");
        let other = ModelArgs { models: vec![name.clone()], adapters: Vec::new(), ..args.model.clone() };
        let mut other = LoadedModel::open_on(&other, computing).with_context(flag)?;
        other.choose_template(&args.choice.template, args.model.offline).with_context(flag)?;
        let variables = args.choice.template.scoring(&other.files, &other.text)?;
        add_model(&mut experiment, &other, variables, basis.now, None).with_context(flag)?;
        computing = other.computing;
    }
    let analysis = match experiment.finish() {
        Err(ExperimentError::NothingAnalysed(failures)) => {
            output::print_failures(output::failure_lines(&failures));
            eprintln!("tomeval: none of the prompts could be analysed; nothing was written");
            return Ok(Outcome::Incomplete);
        }
        analysis => analysis?,
    };
    output::write(&args.output, &analysis, linked)?;
    Ok(if analysis.failures.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}

/// Says in which languages function words stay for want of a list.
fn print_listless(method: &MethodArgs, items: &[SelectedItem]) {
    let mut listless: Vec<&str> = Vec::new();
    for language in items.iter().map(|item| item.item.language).filter(|language| !has_function_words(*language)) {
        if !method.function_words && !listless.contains(&language.name()) {
            listless.push(language.name());
        }
    }
    if !listless.is_empty() {
        eprintln!("note: function words stay among the keywords in {}: there is no list of them", listless.join(", "));
    }
}

/// Says how long the work takes, and what to leave out.
fn announce(items: usize, estimate: Option<Estimate>) {
    let Some(Estimate { reading, checks: (least, most), checked }) = estimate.filter(|_| items > 1) else { return };
    let check = match checked {
        0 => String::new(),
        _ if most == 0.0 => String::new(),
        _ => format!(
            ", and {} to {} for the deletion check of {} (--deletion-items N checks fewer, \
             --deletion-draws 0 none)",
            duration(least),
            duration(most),
            if checked == items { "each".to_string() } else { format!("{checked} of them") }
        ),
    };
    eprintln!("{items} items: about {} for attention{check}.", duration(reading));
}

/// Returns the record of a model for the document.
fn record(model: &LoadedModel, variables: &TemplateVariables) -> anyhow::Result<ModelRecord> {
    Ok(ModelRecord {
        name: model.files.name.clone(),
        sha256: model.files.hashes()?,
        layers: model.spec.layers,
        heads: model.spec.heads,
        dtype: model.computing.precision.name().to_string(),
        template_variables: variables.clone(),
        chat_template: model.chosen.as_ref().map(ChosenTemplate::without_source),
    })
}

/// Reads all prompts with a model and shows progress.
fn add_model(
    experiment: &mut Experiment,
    model: &LoadedModel,
    variables: TemplateVariables,
    now: Option<DateTime>,
    mut states: Option<&mut StatesFile>,
) -> anyhow::Result<()> {
    let record = record(model, &variables)?;
    let decoder = model.decoder()?;
    let probe = Probe {
        decoder: &decoder,
        tokenizer: &model.text.tokenizer,
        template: model.text.template.as_ref(),
        variables,
        now,
        budget: model.memory(),
    };
    let estimate = Shown::during("reading a prompt to tell how long all take", || experiment.estimate(&record, &probe));
    announce(experiment.items(), estimate);
    let shown = Shown::new();
    shown.tracker().count("reading prompts", experiment.prompts(), "prompts");
    let keep = |chosen: &SelectedItem, case: &Case, values: &[f32]| match &mut states {
        Some(states) => states.write(output::state_row(chosen, case), values),
        None => Ok(()),
    };
    Ok(experiment.add_model(record, &probe, keep, || shown.tracker().step(1))?)
}
