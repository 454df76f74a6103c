//! `tomeval data`: what benchmark files hold, and whether they are what they should be.

mod audit;
mod check;
mod items;
mod list;
mod stats;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;

use tomeval::benchmark::{Benchmark, LabelSet, Language, LoadError, LoadOptions, Loaded, RowProblem};

use super::Outcome;
use super::setup::check_choices;

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

/// Which files, and how they are read.
#[derive(Debug, clap::Args)]
pub(super) struct Source {
    /// The benchmark's folder, or the folder that holds it.
    #[arg(long, env = "TOMEVAL_DATA")]
    data: Option<PathBuf>,
    /// Language code; may be given several times [default: all].
    #[arg(long = "language", short, value_name = "CODE")]
    pub(super) languages: Vec<Language>,
    /// Gold answers as published, or with the corrections of the benchmark's card.
    #[arg(long, default_value = "published", value_parser = label_set, value_name = "published|repaired")]
    pub(super) labels: LabelSet,
    /// A choice that only some benchmarks know, for instance variant=cultural (multi-tom) or trials=all (tomvalley).
    #[arg(long = "choose", value_name = "NAME=VALUE", value_parser = name_and_value)]
    choices: Vec<(String, String)>,
}

impl Source {
    /// Load a benchmark; its files must be named unless it is built in. Choices that it does not know are passed over: they
    /// may be meant for another one.
    pub(super) fn load(&self, benchmark: Benchmark) -> Result<Loaded, LoadError> {
        let options = LoadOptions {
            languages: self.languages.clone(),
            labels: self.labels,
            choices: self.choices.iter().cloned().collect(),
        };
        match &self.data {
            Some(data) => benchmark.load(data, &options),
            None if benchmark.is_built_in() => benchmark.load(Path::new(""), &options),
            None => Err(LoadError::Absent {
                benchmark: benchmark.name(),
                path: PathBuf::from("--data"),
                hint: benchmark.card().source,
            }),
        }
    }

    /// Refuse choices that none of the benchmarks knows.
    pub(super) fn check_choices(&self, benchmarks: &[Benchmark]) -> anyhow::Result<()> {
        check_choices(benchmarks, self.choices.iter().map(|(name, _)| name.as_str()))
    }

    /// The same files with every language they hold.
    pub(super) fn in_every_language(&self) -> Source {
        Source { data: self.data.clone(), languages: Vec::new(), labels: self.labels, choices: self.choices.clone() }
    }

    /// Load the benchmarks named; where none is named, all whose files are there.
    fn load_all(&self, named: &[Benchmark]) -> anyhow::Result<Vec<(Benchmark, Loaded)>> {
        let mut loaded = Vec::new();
        let candidates = if named.is_empty() { &Benchmark::ALL[..] } else { named };
        self.check_choices(candidates)?;
        for &benchmark in candidates {
            match self.load(benchmark) {
                Ok(found) => loaded.push((benchmark, found)),
                Err(LoadError::Absent { .. }) if named.is_empty() => {}
                Err(_) if named.is_empty() && benchmark == Benchmark::Custom => {}
                Err(error) => return Err(error.into()),
            }
        }
        anyhow::ensure!(
            !loaded.is_empty(),
            "no benchmark was found; pass --data DIR, and --benchmark NAME to learn where its files come from"
        );
        Ok(loaded)
    }
}

fn label_set(name: &str) -> Result<LabelSet, String> {
    match name {
        "published" => Ok(LabelSet::Published),
        "repaired" => Ok(LabelSet::Repaired),
        _ => Err("use published or repaired".to_string()),
    }
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .ok_or_else(|| format!("`{text}` has no `=`; write NAME=VALUE"))
}

/// A table without frames: a header and rows, columns as wide as their widest cell.
fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
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

/// One line for a row that could not become an item.
pub(super) fn problem_line(problem: &RowProblem) -> String {
    let row = problem.row.map_or_else(String::new, |row| format!(", line {row}"));
    let field = problem.field.as_ref().map_or_else(String::new, |field| format!(", {field}"));
    format!("{}{row}{field}: {}", problem.file.display(), problem.message)
}

/// Write text to stdout; a closed pipe is an error that the caller passes on.
pub(super) fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
