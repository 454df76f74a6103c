//! `tomeval data items`: items as JSON lines, the interface other tools read.

use std::io::{BufWriter, Write};

use serde::Serialize;

use super::{Outcome, SourceArgs};
use crate::benchmark::{Benchmark, Facets, Flag, Item, SegmentKind};
use crate::canary::CANARY;
use crate::cli::progress::Shown;
use crate::safe_text::{for_json, for_terminal};

/// Arguments of `tomeval data items`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; `tomeval data list` shows all [default: the one that --data names, else the demo].
    #[arg(long, short)]
    benchmark: Option<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    /// Accepted for uniformity: the output is always JSON lines.
    #[arg(long, hide = true)]
    json: bool,
}

/// An item as written.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    benchmark: Benchmark,
    language: &'a str,
    parallel: &'a str,
    story: &'a str,
    context: Vec<Context<'a>>,
    question: &'a str,
    options: &'a [String],
    /// Zero-based canonical option numbers.
    gold: Vec<usize>,
    gold_kind: &'a str,
    facets: &'a Facets,
    fields: &'a Facets,
    flags: &'a [Flag],
    /// In the first line alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

#[derive(Serialize)]
struct Context<'a> {
    kind: SegmentKind,
    text: &'a str,
}

impl<'a> From<&'a Item> for Line<'a> {
    fn from(item: &'a Item) -> Self {
        Line {
            id: &item.id,
            benchmark: item.benchmark,
            language: item.language.code(),
            parallel: &item.parallel,
            story: &item.story,
            context: item.context.iter().map(|segment| Context { kind: segment.kind, text: &segment.text }).collect(),
            question: &item.question,
            options: &item.options,
            gold: item.gold.options(),
            gold_kind: item.gold.kind(),
            facets: &item.facets,
            fields: &item.fields,
            flags: &item.flags,
            canary: None,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let named: Vec<Benchmark> = args.benchmark.into_iter().collect();
    let benchmark = args.source.benchmarks(&named)?.first().copied().unwrap_or(Benchmark::Demo);
    let dataset = args.source.dataset(vec![benchmark])?;
    dataset.check_choices()?;
    let loaded = Shown::during("reading items", || dataset.read(benchmark))?;
    for problem in &loaded.problems {
        eprintln!("tomeval: {}", for_terminal(&problem.to_string()));
    }
    if loaded.items.is_empty() && loaded.problems.is_empty() {
        return Err(dataset.no_items(benchmark)?.into());
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (at, item) in loaded.items.iter().enumerate() {
        let line = Line { canary: (at == 0).then_some(CANARY), ..Line::from(item) };
        writeln!(out, "{}", for_json(&serde_json::to_string(&line)?))?;
    }
    out.flush()?;
    Ok(if loaded.problems.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}
