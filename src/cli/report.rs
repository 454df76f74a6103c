//! `tomeval report`: the tables of finished runs, again or side by side.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;

use tomeval::report::{Format, Report, Screen, render};
use tomeval::run::{ATTENTION_PAGE, Dataset, RunFolder};

use super::Outcome;
use super::progress::Shown;
use super::reading::{ReadingArgs, read_report};

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
    let report = Report::merge(reports);
    args.format.print(&report)?;
    for page in args.runs.iter().map(|run| run.join(ATTENTION_PAGE)).filter(|page| page.is_file()) {
        eprintln!("What the model looked at: {}", page.display());
    }
    Ok(if report.has_unread_rows() { Outcome::Incomplete } else { Outcome::Done })
}

/// The report of one run: from its records where the items can be loaded, else from its `results.json`.
fn read(path: &Path, args: &Args) -> anyhow::Result<Report> {
    if !path.is_dir() {
        return saved(path);
    }
    let manifest = RunFolder::manifest(path)?
        .with_context(|| format!("{} is no run folder; `tomeval run --out` makes one", path.display()))?;
    if !Dataset::of_run(&manifest.settings, args.data.clone())?.has_files() {
        anyhow::ensure!(
            args.reading.is_default(),
            "{}: reading the records in another way needs the data; pass --data DIR",
            path.display()
        );
        return saved(&path.join("results.json"));
    }
    let load = || Dataset::load_again(&manifest, args.data.clone());
    let loaded = Shown::during("reading items", load).with_context(|| path.display().to_string())?;
    Ok(Shown::during("computing metrics", || read_report(path, &loaded, &args.reading))?.report)
}

fn saved(file: &Path) -> anyhow::Result<Report> {
    let text = std::fs::read_to_string(file).with_context(|| {
        format!("{}: cannot be read; pass --data DIR to compute the results from the records", file.display())
    })?;
    Report::parse(&text).with_context(|| file.display().to_string())
}
