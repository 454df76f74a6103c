//! `tomeval data`: lists, checks and describes benchmark files.

mod audit;
pub(super) mod check;
pub(super) mod items;
mod list;
pub(super) mod stats;
pub(super) mod twins;

use clap::Subcommand;

use super::Outcome;
use crate::arguments::setup::SourceArgs;
use crate::benchmark::{Benchmark, Loaded};
use crate::language::Language;
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::trial::Dataset;

/// Arguments of `tomeval data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the known benchmarks, their languages and where to get them.
    List(list::Args),
    /// Count items against the published numbers, and list anomalies, shortcuts and unreadable rows.
    Check(check::Args),
    /// Count stories, questions, options and answers, with average lengths, beside the papers' statistics.
    Stats(stats::Args),
    /// Print the items as JSON lines.
    Items(items::Args),
    /// Show how the texts of twins differ from their original's, word by word.
    Twins(twins::Args),
    /// Compare released answers with the rules of the stories (hi-tom, tomi).
    Audit(audit::Args),
}

/// Runs a subcommand.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::List(args) => list::run(args),
        Command::Check(args) => check::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Items(args) => items::run(args),
        Command::Twins(args) => twins::run(args),
        Command::Audit(args) => audit::run(args),
    }
}

/// Reads the named benchmarks, or by default all with files present.
fn read_all(source: &SourceArgs, named: &[Benchmark]) -> anyhow::Result<Vec<(Benchmark, Loaded)>> {
    let named = &source.benchmarks_or_all(named)?[..];
    let all = named.is_empty();
    let benchmarks = if all { Benchmark::ALL.to_vec() } else { named.to_vec() };
    let dataset = source.dataset(benchmarks)?;
    let loaded = Shown::during("reading items", || dataset.read_all(all))?;
    loaded.iter().for_each(|(_, loaded)| print_read_as(loaded));
    Ok(loaded)
}

/// A language, and its variant if there are several.
fn version(language: Language, variant: &Option<String>) -> String {
    match variant {
        Some(variant) => format!("{language} {variant}"),
        None => language.to_string(),
    }
}

/// Counts unreadable rows; a whole file may be missing.
fn rows_or_files(count: usize) -> String {
    match count {
        1 => "1 row or file".to_string(),
        count => format!("{count} rows or files"),
    }
}

/// Reads a benchmark of whose items some are chosen, and names the rows that cannot be read.
fn read_chosen(dataset: &Dataset, benchmark: Benchmark) -> anyhow::Result<Loaded> {
    dataset.check_choices()?;
    let loaded = Shown::during("reading items", || dataset.read(benchmark))?;
    print_read_as(&loaded);
    dataset.choice.check(&loaded.items)?;
    for problem in &loaded.problems {
        eprintln!("tomeval: {}", for_terminal(&problem.to_string()));
    }
    Ok(loaded)
}

/// Prints the format detected for a user's file.
fn print_read_as(loaded: &Loaded) {
    if let Some(read_as) = &loaded.read_as {
        eprintln!("{}", for_terminal(read_as));
    }
}
