//! `tomeval attend --out`: saves an analysis in a folder, item by item.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::{announce, output};
use crate::arguments::setup::LoadedModel;
use crate::arguments::shard::{self, ShardChoice};
use crate::attend::{
    Asked, ExperimentSettings, Folder, FolderManifest, FolderModel, HumanKeywords, ItemReader, Probe, PromptSource,
    SelectedItem, view, write_results,
};
use crate::cli::reading::{print_mixed, print_warnings};
use crate::cli::run::to_go_on;
use crate::cli::{Outcome, unless_full};
use crate::counted::counted;
use crate::model::TemplateVariables;
use crate::progress::Stage;
use crate::run::Shard;
use crate::terminal::interrupt;
use crate::terminal::progress::Shown;

/// Folder of an analysis, and the part of it to do.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Whole runs")]
pub struct WholeArgs {
    /// Save the analysis in this folder, item by item, with tables and a page of all items at the end; continues an
    /// unfinished analysis. Recommended for hundreds of items.
    #[arg(long, short, value_name = "DIR", conflicts_with_all = ["html", "svg", "png", "pdf", "latex", "csv", "roles_csv", "witness_csv", "heads_csv", "tensors", "states", "json"])]
    pub out: Option<PathBuf>,
    /// Write one self-contained page (--html) of chosen items (--item) of the finished analysis in this folder, without
    /// reading the model again.
    #[arg(long, value_name = "DIR", requires_all = ["items", "html"], conflicts_with_all = ["out", "model", "benchmarks", "run", "facets", "prompts", "style", "instructions", "orders", "svg", "png", "pdf", "latex", "csv", "roles_csv", "witness_csv", "heads_csv", "tensors", "states", "json", "MethodArgs", "CheckArgs"])]
    pub single_file: Option<PathBuf>,
    /// Do only part I of N (from 1); `auto` takes the part from the variables of Slurm arrays and tasks or Kubernetes indexed
    /// jobs. Join the folders with `tomeval merge`.
    #[arg(long, value_name = "I/N|auto", requires = "out")]
    pub shard: Option<ShardChoice>,
}

/// Items to read, and settings for reading them.
pub struct Whole<'a> {
    pub settings: ExperimentSettings,
    pub basis: PromptSource,
    pub items: Vec<SelectedItem>,
    pub human: HumanKeywords,
    pub model: &'a LoadedModel,
    pub variables: TemplateVariables,
}

/// Reads the items that are not in the folder yet, and writes its results.
pub fn read(args: &WholeArgs, out: &Path, whole: Whole<'_>, colour: view::Colour) -> anyhow::Result<Outcome> {
    let Whole { settings, basis, items, human, model, variables } = whole;
    let settings = ExperimentSettings { keep_heads: true, read_once: true, ..settings };
    let shard = shard::chosen(args.shard)?.filter(|shard| shard.of > 1);
    let record = crate::cli::attend::record(model, &variables)?;
    let machine = model.machine();
    let manifest = FolderManifest::new(Asked {
        settings: &settings,
        packs: &basis.packs,
        items: &items,
        human: &human,
        model: FolderModel { record: record.clone(), machine, memory_budget: model.memory() },
        shard,
    });
    let mut folder = Folder::begin(out, &manifest)?;
    print_warnings(folder.warnings());
    print_mixed(folder.mixed());
    let (done, planned) = (folder.done(), folder.planned());
    match done == planned {
        true => eprintln!("All {} are already analysed; writing the results again.", counted(planned, "item")),
        false => {
            if done > 0 {
                eprintln!("{done} of {} are already analysed.", counted(planned, "item"));
            }
            let stop = interrupt::stop_after("item");
            let decoder = Shown::during("loading weights", || model.decoder())?;
            let probe = Probe {
                decoder: &decoder,
                tokenizer: &model.text.tokenizer,
                template: model.text.template.as_ref(),
                variables,
                now: basis.now,
                budget: model.memory(),
            };
            let reader = ItemReader::new(&settings, &human, &record, &probe, 0)?;
            let left: Vec<SelectedItem> = folder.left().filter_map(|number| items.get(number).cloned()).collect();
            let estimate = || reader.estimate(&left);
            announce(left.len(), Shown::during("reading a prompt to tell how long all take", estimate));
            let shown = Shown::new();
            let (what, total, from) = ("reading items".to_string(), Some(planned as u64), done as u64);
            shown.tracker().begin(Stage { what, unit: "items", total, from, ..Stage::default() });
            let stops = || stop.load(Ordering::Relaxed);
            let finished = folder.fill(&reader, &settings, &items, stops, || shown.tracker().step(1));
            drop(shown);
            match unless_full(finished.map_err(anyhow::Error::from), out)? {
                Some(true) => {}
                Some(false) => {
                    eprintln!("{}", to_go_on(out));
                    return Ok(Outcome::Stopped);
                }
                None => return Ok(Outcome::Stopped),
            }
        }
    }
    finish(&folder, colour)
}

/// Writes the results of a complete folder, and prints where they are.
pub fn finish(folder: &Folder, colour: view::Colour) -> anyhow::Result<Outcome> {
    let out = folder.path();
    if let Some(Shard { index, of }) = folder.manifest().shard.filter(|shard| shard.of > 1) {
        eprintln!(
            "Shard {index}/{of} finished. Join all shards with `tomeval merge --out DIR {} ...`.",
            crate::terminal::shell::path(out)
        );
        return Ok(Outcome::Done);
    }
    let results = Shown::during("writing results", || write_results(out)).map_err(anyhow::Error::from);
    let Some(results) = unless_full(results, out)? else { return Ok(Outcome::Stopped) };
    print_warnings(&results.warnings);
    output::print_failures(results.failures.iter().map(|(item, why)| (item.as_str(), why.clone())));
    if !results.failures.is_empty() {
        eprintln!(
            "{} of {} could not be analysed; the reasons are recorded, and rerunning the command does not retry them.",
            results.failed,
            counted(results.items, "item")
        );
    }
    crate::terminal::stdout::print(&view::terminal(&results.document, colour))?;
    let files: Vec<String> = results.files.iter().map(|file| out.join(file).display().to_string()).collect();
    eprintln!("Results:\n  {}", files.join("\n  "));
    Ok(if results.failures.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}
