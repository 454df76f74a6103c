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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line<'a> {
    /// Stable id.
    id: &'a str,
    /// The benchmark.
    benchmark: Benchmark,
    /// Language code.
    language: &'a str,
    /// The id without language and variant: equal for all versions of a question.
    parallel: &'a str,
    /// Id of the story it shares with others.
    story: &'a str,
    /// What is read before the question, in segments.
    context: Vec<Context<'a>>,
    /// The question.
    question: &'a str,
    /// Options in the order of the file.
    options: &'a [String],
    /// Right options, numbered from 0.
    gold: Vec<usize>,
    /// `single`, `labels` or `slots`.
    gold_kind: &'a str,
    /// What tables are divided by.
    facets: &'a Facets,
    /// Values that only some prompts need.
    fields: &'a Facets,
    /// Anomalies of the data that touch it.
    flags: &'a [Flag],
    /// The canary line, in the first line of the file alone; see the end of this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Context<'a> {
    /// What a segment is, for instance `story` or `dialogue`.
    kind: SegmentKind,
    /// Its text.
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
