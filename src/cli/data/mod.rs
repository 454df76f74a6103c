//! `tomeval data`: what benchmark files hold, and whether they are what they should be.

mod audit;
mod check;
pub(super) mod items;
mod list;
mod stats;

use clap::Subcommand;

use super::Outcome;
use crate::arguments::setup::SourceArgs;
use crate::benchmark::{Benchmark, Loaded};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The benchmarks known, with their languages and where to get them.
    List(list::Args),
    /// Count items against the published numbers, and list anomalies and unreadable rows.
    Check(check::Args),
    /// Stories, questions, average lengths, options and answers.
    Stats(stats::Args),
    /// The items as JSON lines.
    Items(items::Args),
    /// Compare released answers with those the rules of the stories give (hi-tom, tomi).
    Audit(audit::Args),
}

/// Run a subcommand.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::List(args) => list::run(args),
        Command::Check(args) => check::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Items(args) => items::run(args),
        Command::Audit(args) => audit::run(args),
    }
}

/// Everything the files hold of the benchmarks named; where none is named, of all whose files are there.
fn read_all(source: &SourceArgs, named: &[Benchmark]) -> anyhow::Result<Vec<(Benchmark, Loaded)>> {
    let named = &source.benchmarks_or_all(named)?[..];
    let all = named.is_empty();
    let benchmarks = if all { Benchmark::ALL.to_vec() } else { named.to_vec() };
    let dataset = source.dataset(benchmarks)?;
    let loaded = Shown::during("reading items", || dataset.read_all(all))?;
    loaded.iter().for_each(|(_, loaded)| print_read_as(loaded));
    Ok(loaded)
}

/// What could not be read: a file may be missing as a whole.
fn rows_or_files(count: usize) -> String {
    match count {
        1 => "1 row or file".to_string(),
        count => format!("{count} rows or files"),
    }
}

/// Say what a file of the user's own was recognised as.
fn print_read_as(loaded: &Loaded) {
    if let Some(read_as) = &loaded.read_as {
        eprintln!("{}", for_terminal(read_as));
    }
}
