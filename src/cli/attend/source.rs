//! Items to analyse and the model that reads them, from the arguments or a run.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use indexmap::IndexMap;

use super::Args;
use crate::arguments::compute::Computing;
use crate::arguments::setup::{LoadedModel, ModelArgs};
use crate::attend::{HumanKeywords, LETTERED, Named, PromptSource, SelectedItem, Selection, SelectionSettings};
use crate::benchmark::Benchmark;
use crate::cli::reading::print_warnings;
use crate::counted::counted;
use crate::decoder::Precision;
use crate::model::{AdapterChoice, ChosenTemplate, NamedAdapter, TemplateVariables, TextParts};
use crate::name::nearest;
use crate::record::TrialRecord;
use crate::run::{LocalModel, Manifest, RecordedRun, read_run};
use crate::safe_text::for_terminal;
use crate::terminal::error_chain::error_chain;
use crate::terminal::progress::Shown;
use crate::trial::{Dataset, resolved_path};

/// A finished run.
pub struct SourceRun {
    pub folder: PathBuf,
    pub manifest: Manifest,
    records: Vec<TrialRecord>,
    /// Arithmetic named on the command line.
    dtype: Option<Precision>,
}

impl SourceRun {
    /// Applies the chat template that the run chose, if any.
    pub fn take_template(&self, text: &mut TextParts) -> anyhow::Result<Option<ChosenTemplate>> {
        let chosen = self.manifest.settings.chat_template.clone();
        if let Some(chosen) = &chosen {
            text.take_template(chosen).with_context(|| format!("--run {}", self.folder.display()))?;
        }
        Ok(chosen)
    }

    /// Returns the run's chat template variables.
    pub fn template_variables(&self) -> &TemplateVariables {
        &self.manifest.settings.template_variables
    }
}

/// Opens the named run, if any. Its arithmetic becomes the default of the arguments.
pub fn read(args: &mut Args) -> anyhow::Result<Option<SourceRun>> {
    let Some(folder) = args.choice.run.clone() else { return Ok(None) };
    let context = || format!("--run {}", folder.display());
    let RecordedRun { manifest, records, read } = read_run(&folder).with_context(context)?;
    print_warnings(&read.warnings);
    anyhow::ensure!(
        manifest.settings.phase.is_none(),
        "--run {}: its style asks in two phases, and the prompts of items read here have no place for the model's own \
         replies; name a run in a style that asks once",
        folder.display()
    );
    match (manifest.settings.writing.is_some(), args.choice.written) {
        (true, false) => anyhow::bail!(
            "--run {}: its answers were written, not scored as letters; pass --written to analyse the \
             position that writes the answer letter in each reply",
            folder.display()
        ),
        (false, true) => anyhow::bail!(
            "--run {}: its answers were scored and not written; leave out --written, or name a run made with --scoring \
             generate",
            folder.display()
        ),
        _ => {}
    }
    let dtype = args.model.compute.dtype;
    if let (None, Some(LocalModel { machine, .. })) = (dtype, manifest.model.local()) {
        args.model.compute.dtype = Some(machine.dtype.parse().with_context(context)?);
    }
    Ok(Some(SourceRun { folder, manifest, records, dtype }))
}

/// Loads and selects items; prompts follow the run except where the arguments say otherwise.
pub fn select(
    args: &Args,
    run: Option<&SourceRun>,
    human: &HumanKeywords,
) -> anyhow::Result<(Dataset, PromptSource, Vec<SelectedItem>)> {
    let (choice, data, limits) = (&args.choice, &args.data.source, &args.data.limit);
    let named = Named {
        prompts: choice.prompts.as_deref(),
        style: choice.style.as_deref(),
        instructions: choice.instructions,
        dtype: run.and_then(|run| run.dtype).map(Precision::name),
    };
    let (dataset, basis) = match run {
        Some(SourceRun { folder, manifest, .. }) => {
            let context = || format!("--run {}", folder.display());
            let dataset = Dataset::of_run(&manifest.settings, data.files());
            let dataset = Dataset { limit: limits.limit, limit_stories: limits.limit_stories, ..dataset };
            (dataset, PromptSource::of_run(folder, manifest, &named).with_context(context)?)
        }
        None => {
            let benchmarks = data.benchmarks(&args.data.benchmarks)?;
            let benchmarks = if benchmarks.is_empty() { vec![Benchmark::Demo] } else { benchmarks };
            let dataset = limits.of(data.dataset(benchmarks)?);
            let basis = PromptSource::new(&dataset.benchmarks, &named).context("prompt packs")?;
            (dataset, basis)
        }
    };
    let settings = SelectionSettings {
        items: choice.items.clone(),
        facets: choice.facets.clone(),
        all: args.whole.out.is_some(),
        wrong: choice.wrong,
        written: choice.written,
        deletion_items: args.checks.deletion_items.0,
        style: basis.style.clone(),
        instructions: basis.instructions,
        condition: basis.condition,
        orders: run.map_or(choice.orders, |run| run.manifest.settings.orders),
    };
    let run = run.map(|run| (run.folder.as_path(), &run.manifest, run.records.as_slice()));
    let select = || crate::attend::select(&settings, &dataset, &basis.packs, run);
    let Selection { items, known, unread, cut, lettered } = Shown::during("reading items", select)?;
    if let Some(unread) = unread {
        eprintln!("{unread}");
    }
    if lettered > 0 {
        eprintln!("left out {}: {LETTERED}", counted(lettered, "item"));
    }
    if cut > 0 {
        eprintln!(
            "{} of {} items, drawn evenly: --limit N takes more, --item and --where choose, --out DIR takes all",
            items.len(),
            items.len() + cut
        );
    }
    if !args.checks.human.is_empty() {
        print_unmarked(human, &known, &items);
    }
    Ok((dataset, basis, items))
}

/// Returns the facets within whose values groups of these items are compared, by benchmark: those of its card, or for
/// own questions those named, if any.
pub fn strata(
    named: &[String],
    dataset: &Dataset,
    items: &[SelectedItem],
) -> anyhow::Result<IndexMap<Benchmark, Vec<String>>> {
    let of_cards = dataset.benchmarks.iter().map(|benchmark| {
        let card = benchmark.card_with(&dataset.options.own);
        (*benchmark, card.strata)
    });
    let mut strata: IndexMap<Benchmark, Vec<String>> = of_cards.collect();
    if named.is_empty() {
        return Ok(strata);
    }
    let Some(own) = strata.get_mut(&Benchmark::Custom) else {
        let rendered: Vec<String> =
            strata.iter().map(|(name, facets)| format!("{name} within {}", facets.join(", "))).collect();
        anyhow::bail!(
            "--strata is for your own questions (--data FILE); groups of {} are compared as its card says",
            rendered.join("; ")
        );
    };
    let questions = items.iter().map(|chosen| &chosen.item).filter(|item| item.benchmark == Benchmark::Custom);
    let known: BTreeSet<&str> = questions.flat_map(|item| item.facets.keys()).map(String::as_str).collect();
    if let Some(facet) = named.iter().find(|facet| !known.contains(facet.as_str())) {
        let like =
            nearest(facet, known.iter().copied()).map_or(String::new(), |like| format!(" (did you mean {like}?)"));
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        anyhow::bail!("--strata {facet}: no item has this facet{like}; the facets are {known}");
    }
    *own = named.to_vec();
    Ok(strata)
}

/// Warns if items marked by people were not read, or if none of the chosen items was marked.
fn print_unmarked(human: &HumanKeywords, known: &[String], items: &[SelectedItem]) {
    let there: HashSet<&str> = known.iter().map(String::as_str).collect();
    let absent: Vec<&str> = human.ids().filter(|id| !there.contains(id)).collect();
    if let Some(first) = absent.first() {
        let like = nearest(first, known.iter().map(String::as_str));
        let like = like.map_or(String::new(), |like| format!("; did you mean {}?", for_terminal(like)));
        eprintln!(
            "warning: {} of the {} items of --human are not among the items read here: {}{like}",
            absent.len(),
            human.ids().count(),
            for_terminal(first)
        );
    }
    if !items.iter().any(|chosen| !human.readers(&chosen.item.id).is_empty()) {
        eprintln!("warning: --human has no marks for any of the chosen items");
    }
}

/// Opens the named model, else the run's own, else the demo model.
pub fn model(args: &ModelArgs, run: Option<&SourceRun>, computing: Computing) -> anyhow::Result<LoadedModel> {
    match (run, args.named()) {
        (Some(run), None) => own_model(args, run, computing),
        _ => LoadedModel::open_on(args, computing).with_context(|| format!("--model {}", args.name())),
    }
}

fn own_model(args: &ModelArgs, run: &SourceRun, computing: Computing) -> anyhow::Result<LoadedModel> {
    let Some(LocalModel { identity, .. }) = run.manifest.model.local() else {
        anyhow::bail!(
            "--run {}: its model is {} on a server, which returns no attention rows; pass --model with the same \
             weights on this machine",
            run.folder.display(),
            run.manifest.model.name()
        );
    };
    let mut reason = None;
    for name in identity.names() {
        let of_run = identity.adapter.iter().map(|adapter| {
            let (trained_in, folder) = (adapter.trained_in.clone(), resolved_path(&adapter.path));
            AdapterChoice::Named(NamedAdapter { trained_in, folder })
        });
        let adapters = if args.adapters.is_empty() { of_run.collect() } else { args.adapters.clone() };
        let named = ModelArgs { models: vec![name.clone()], adapters, ..args.clone() };
        let opened = LoadedModel::open_on(&named, computing.clone());
        match opened.and_then(|model| Ok((identity.has_files(&model.files.hashes()?), model))) {
            Ok((true, mut model)) => {
                model.files.name.clone_from(&identity.name);
                return Ok(model);
            }
            Ok((false, _)) => reason = Some(anyhow!("the files of {name} changed since the run")),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    let reason = reason.unwrap_or_else(|| anyhow!("it was read from local files at an unrecorded path"));
    Err(anyhow!(
        "--run {}: its model {}: {}; pass --model with its path, or another model",
        run.folder.display(),
        identity.name,
        error_chain(&reason)
    ))
}

/// Returns a one-line description of the analysis.
pub fn announcement(run: &SourceRun, basis: &PromptSource, model: &LoadedModel) -> String {
    let packs: Vec<&str> = basis.packs.values().map(|pack| pack.file()).collect();
    format!(
        "{} in {} reads items of {}: {}, style {}, instructions {}.",
        model.files.name,
        model.computing.precision.name(),
        run.folder.display(),
        packs.join(", "),
        basis.style,
        basis.instructions
    )
}
