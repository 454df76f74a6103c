//! `tomeval data`: what benchmark files hold, and whether they are what they should be.

mod audit;
mod check;
mod items;
mod list;
mod stats;

use std::io::Write;

use clap::Subcommand;

use super::Outcome;
use super::progress::Shown;
use super::setup::SourceArgs;
use crate::benchmark::{Benchmark, Loaded};
use crate::untrusted::for_terminal;

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
    Ok(Shown::during("reading items", || dataset.read_all(all))?)
}

/// Write text for people to stdout, with what data could do to a terminal shown as text.
fn print_text(text: &str) -> std::io::Result<()> {
    print(&for_terminal(text))
}

/// A table without frames: a header and rows, columns as wide as their widest cell.
pub(super) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING).set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Write text to stdout; a closed pipe is an error that the caller passes on.
pub(super) fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
