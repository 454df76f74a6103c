//! `tomeval report`: the tables of finished runs, again or side by side.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;

use tomeval::report::{Format, Report, Screen, render};

use super::Outcome;

/// Arguments of `tomeval report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, or `results.json` files; several are put side by side.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
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
    /// Print a report to stdout; a terminal gets tables as wide as it is.
    pub fn print(&self, report: &Report) -> anyhow::Result<()> {
        let format = if self.json { Format::Json } else { self.format };
        super::data::print(&render(report, format, screen()))?;
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
    let reports = args.runs.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<Report>>>()?;
    args.format.print(&Report::merge(reports))?;
    for page in args.runs.iter().map(|run| run.join(super::attend::PAGE)).filter(|page| page.is_file()) {
        eprintln!("What the model looked at: {}", page.display());
    }
    Ok(Outcome::Done)
}

fn read(path: &Path) -> anyhow::Result<Report> {
    let file = if path.is_dir() { path.join("results.json") } else { path.to_path_buf() };
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("{}: cannot be read; a finished `tomeval run` writes it", file.display()))?;
    Report::parse(&text).with_context(|| file.display().to_string())
}
