//! Items and runs from which pages are made.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context;

use crate::annotate::licensed;
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::{Benchmark, Item};
use crate::cli::reading::print_warnings;
use crate::record::TrialRecord;
use crate::run::{Manifest, Recorded, RecordedRun, read_run};
use crate::terminal::progress::Shown;
use crate::trial::Dataset;

/// Items with the title and licence of their benchmarks.
pub struct Items {
    pub items: Vec<Item>,
    pub benchmarks: Vec<(Benchmark, String, String)>,
}

/// Selects the items named by the arguments; with a run, the items that it answered.
pub fn items(data: &DataArgs, choice: &ChoiceArgs, run: Option<&Path>) -> anyhow::Result<Items> {
    let dataset = match run {
        None => {
            let benchmarks = data.source.benchmarks(&data.benchmarks)?;
            let benchmarks = if benchmarks.is_empty() { vec![Benchmark::Demo] } else { benchmarks };
            choice.of(data.limit.of(data.source.dataset(benchmarks)?))?
        }
        Some(run) => {
            let recorded = Recorded::open(run).with_context(|| format!("--run {}", run.display()))?;
            return of_run(run, &recorded.manifest, data, choice).with_context(|| format!("--run {}", run.display()));
        }
    };
    let loaded = Shown::during("reading items", || dataset.load())?;
    if let Some(unread) = loaded.unread() {
        eprintln!("{unread}");
    }
    let benchmarks = benchmarks(&dataset, &loaded.items);
    Ok(Items { items: loaded.items, benchmarks })
}

fn of_run(run: &Path, manifest: &Manifest, data: &DataArgs, choice: &ChoiceArgs) -> anyhow::Result<Items> {
    let dataset = Dataset::of_run(&manifest.settings, data.source.files());
    let all = Shown::during("reading items", || manifest.load_items(run, data.source.files()))?;
    all.need_texts("a page for people")?;
    let chosen =
        choice.of(Dataset { limit: data.limit.limit, limit_stories: data.limit.limit_stories, ..dataset.clone() })?;
    chosen.choice.check(&all.items)?;
    let mut items = Vec::new();
    for &benchmark in &dataset.benchmarks {
        let of_it = |item: &&Item| item.benchmark == benchmark && chosen.choice.takes(item);
        items.extend(chosen.limited(benchmark, all.items.iter().filter(of_it).cloned().collect()));
    }
    let benchmarks = benchmarks(&dataset, &items);
    Ok(Items { items, benchmarks })
}

fn benchmarks(dataset: &Dataset, items: &[Item]) -> Vec<(Benchmark, String, String)> {
    let used: HashSet<Benchmark> = items.iter().map(|item| item.benchmark).collect();
    let rendered = |&benchmark: &Benchmark| licensed(benchmark, benchmark.card_with(&dataset.options.own));
    dataset.benchmarks.iter().filter(|benchmark| used.contains(benchmark)).map(rendered).collect()
}

/// A run's records and its name.
pub struct Run {
    pub name: String,
    pub records: Vec<TrialRecord>,
}

/// Reads the records of a run.
pub fn records(folder: &Path) -> anyhow::Result<Run> {
    let RecordedRun { manifest, records, read } =
        read_run(folder).with_context(|| format!("--run {}", folder.display()))?;
    print_warnings(&read.warnings);
    let name = manifest.name.clone().unwrap_or_else(|| manifest.model.name().to_string());
    Ok(Run { name, records })
}
