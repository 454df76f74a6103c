//! `tomeval report`: the tables of finished runs, again or side by side.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;

use tomeval::benchmark::{Benchmark, Item, LabelSet};
use tomeval::report::{Format, Report, Screen, render};
use tomeval::run::{ATTENTION_PAGE, Manifest, RunFolder, Settings, items_sha256};

use super::Outcome;
use super::reading::{ReadingArgs, read_report};
use super::setup::{DataArgs, LoadedItems};

/// Arguments of `tomeval report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, or `results.json` files; several are put side by side.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The data the runs were made from: results are then computed again from the records. Without it, a run on files
    /// is reported as its `results.json` has it.
    #[arg(long, env = "TOMEVAL_DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// How a report is printed.
#[derive(Debug, Clone, clap::Args)]
pub struct FormatArgs {
    /// How to write the report.
    #[arg(long, default_value = "terminal", value_name = "terminal|markdown|csv|json|latex", conflicts_with = "json")]
    format: Format,
    /// Short for --format json.
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// The format asked for, and the terminal behind stdout.
    pub fn chosen(&self) -> (Format, Screen) {
        (if self.json { Format::Json } else { self.format }, screen())
    }

    /// Print a report to stdout; a terminal gets tables as wide as it is.
    pub fn print(&self, report: &Report) -> anyhow::Result<()> {
        let (format, screen) = self.chosen();
        super::data::print(&render(report, format, screen))?;
        Ok(())
    }
}

/// The terminal behind stdout, if there is one.
fn screen() -> Screen {
    let terminal = std::io::stdout().is_terminal();
    let width = terminal.then(|| comfy_table::Table::new().width().map_or(80, usize::from));
    Screen { width }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let reports = args.runs.iter().map(|path| read(path, &args)).collect::<anyhow::Result<Vec<Report>>>()?;
    args.format.print(&Report::merge(reports))?;
    for page in args.runs.iter().map(|run| run.join(ATTENTION_PAGE)).filter(|page| page.is_file()) {
        eprintln!("What the model looked at: {}", page.display());
    }
    Ok(Outcome::Done)
}

/// The report of one run: from its records where the items can be loaded, else from its `results.json`.
fn read(path: &Path, args: &Args) -> anyhow::Result<Report> {
    if !path.is_dir() {
        return saved(path);
    }
    let manifest = RunFolder::manifest(path)?
        .with_context(|| format!("{} is no run folder; `tomeval run --out` makes one", path.display()))?;
    let built_in = |name: &String| name.parse::<Benchmark>().is_ok_and(Benchmark::is_built_in);
    let needs_files = manifest.settings.made_stories.is_none() && !manifest.settings.benchmarks.iter().all(built_in);
    if needs_files && args.data.is_none() {
        anyhow::ensure!(
            args.reading.is_default(),
            "{}: reading the records in another way needs the data; pass --data DIR",
            path.display()
        );
        return saved(&path.join("results.json"));
    }
    let loaded = data_of(&manifest.settings, args.data.clone()).load()?;
    same_data(&manifest, &loaded).with_context(|| path.display().to_string())?;
    Ok(read_report(path, &loaded, &args.reading)?.report)
}

fn saved(file: &Path) -> anyhow::Result<Report> {
    let text = std::fs::read_to_string(file).with_context(|| {
        format!("{}: cannot be read; pass --data DIR to compute the results from the records", file.display())
    })?;
    Report::parse(&text).with_context(|| file.display().to_string())
}

/// The arguments that load the items of a run again.
fn data_of(settings: &Settings, data: Option<PathBuf>) -> DataArgs {
    DataArgs {
        benchmarks: if settings.made_stories.is_some() { Vec::new() } else { settings.benchmarks.clone() },
        data,
        languages: settings.languages.clone(),
        labels: match settings.labels {
            LabelSet::Published => "published",
            LabelSet::Repaired => "repaired",
        }
        .to_string(),
        choices: settings.choices.clone().into_iter().collect(),
        limit: settings.limit,
        limit_stories: settings.limit_stories,
        seed: settings.seed,
    }
}

/// Refuse items that are not those of the run.
fn same_data(manifest: &Manifest, loaded: &LoadedItems) -> anyhow::Result<()> {
    for (name, data) in &manifest.data {
        let items: Vec<&Item> = loaded.items.iter().filter(|item| &item.benchmark == name).collect();
        anyhow::ensure!(
            items_sha256(items) == data.sha256,
            "the items of {name} differ from those the run was made from; pass --data with the same files"
        );
    }
    Ok(())
}
