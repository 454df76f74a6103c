//! `tomeval data list`.

use serde::Serialize;

use super::Outcome;
use crate::benchmark::Benchmark;
use crate::cli::report::screen;
use crate::language::Language;
use crate::table::hanging;
use crate::terminal::stdout::{print, table};

/// Arguments of `tomeval data list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    benchmarks: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: Benchmark,
    title: String,
    paper: String,
    languages: Vec<Language>,
    licence: String,
    source: String,
    built_in: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let benchmarks: Vec<Entry> = Benchmark::ALL
        .iter()
        .copied()
        .map(|benchmark| {
            let card = benchmark.card();
            Entry {
                name: card.name,
                title: card.title,
                paper: card.paper,
                languages: card.languages,
                licence: card.licence,
                source: card.source,
                built_in: benchmark.is_built_in(),
            }
        })
        .collect();
    if args.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&Document { version: 1, benchmarks })?))?;
        return Ok(Outcome::Done);
    }
    let codes = |entry: &Entry| entry.languages.iter().map(|language| language.code()).collect::<Vec<_>>().join(" ");
    let rows = benchmarks.iter().map(|entry| vec![entry.name.to_string(), codes(entry), entry.paper.clone()]);
    let mut text = table(&["name", "languages", "paper"], rows);
    text.push_str("\nWhere the files come from:\n");
    for entry in &benchmarks {
        let source = hanging("", entry.source.trim(), screen());
        text.push_str(&format!("\n{} ({})\n{source}\n", entry.name, entry.licence));
    }
    print(&text)?;
    Ok(Outcome::Done)
}
