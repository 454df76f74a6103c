//! `tomeval data items`: prints items as JSON lines for other tools.

use std::io::{BufWriter, Write};

use super::{Outcome, SourceArgs, read_chosen};
use crate::arguments::setup::{ChoiceArgs, LimitArgs};
use crate::benchmark::{Benchmark, ItemLine};
use crate::safe_text::for_json;

/// Arguments of `tomeval data items`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name; `tomeval data list` shows all [default: the one named by --data, else the demo].
    #[arg(long, short)]
    benchmark: Option<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    limit: LimitArgs,
    /// Accepted for uniformity: the output is always JSON lines.
    #[arg(long, hide = true)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let named: Vec<Benchmark> = args.benchmark.into_iter().collect();
    let benchmark = args.source.benchmarks(&named)?.first().copied().unwrap_or(Benchmark::Demo);
    let dataset = args.choice.of(args.limit.of(args.source.dataset(vec![benchmark])?))?;
    let loaded = read_chosen(&dataset, benchmark)?;
    let chosen = loaded.items.into_iter().filter(|item| dataset.choice.takes(item)).collect();
    let items = dataset.limited(benchmark, chosen);
    if items.is_empty() && loaded.problems.is_empty() {
        return Err(dataset.no_items(benchmark)?.into());
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in ItemLine::whole(&items) {
        writeln!(out, "{}", for_json(&serde_json::to_string(&line)?))?;
    }
    out.flush()?;
    Ok(if loaded.problems.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}
