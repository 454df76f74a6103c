//! The items to analyse: those of the arguments, or those of a run.

use anyhow::Context;

use tomeval::attend::{SelectedItem, SelectionSettings};
use tomeval::benchmark::Benchmark;
use tomeval::run::{Dataset, packs, read_run};

use super::Args;

/// Load items and choose among them. A run's settings replace the arguments they stand for.
pub fn select(args: &mut Args) -> anyhow::Result<(Dataset, Vec<SelectedItem>)> {
    let run = match &args.choice.run {
        Some(path) => Some(read_run(path).with_context(|| format!("--run {}", path.display()))?),
        None => None,
    };
    let dataset = match &run {
        Some((manifest, _)) => {
            args.choice.style.clone_from(&manifest.settings.style);
            args.choice.instructions = manifest.settings.instructions.each()[0];
            Dataset::of_run(&manifest.settings, args.data.source.files())?
        }
        None => {
            let benchmarks = args.data.source.benchmarks(&args.data.benchmarks)?;
            let benchmarks = if benchmarks.is_empty() { vec![Benchmark::Demo] } else { benchmarks };
            args.data.limit.of(args.data.source.dataset(benchmarks)?)
        }
    };
    let loaded = Dataset { limit: None, limit_stories: None, ..dataset.clone() }.load()?;
    if let Some(unread) = loaded.unread() {
        eprintln!("{unread}");
    }
    let items = loaded.items;
    let packs = packs(&dataset.benchmarks, args.choice.prompts.as_deref()).context("prompt packs")?;
    let settings = SelectionSettings {
        items: args.choice.items.clone(),
        facets: args.choice.facets.clone(),
        wrong: args.choice.wrong,
        limit: args.data.limit.limit,
        limit_stories: args.data.limit.limit_stories,
        style: args.choice.style.clone(),
        instructions: args.choice.instructions,
        orders: args.choice.orders,
        seed: dataset.seed,
    };
    let records = run.as_ref().map(|(_, records)| records.as_slice());
    let selected = tomeval::attend::select(&settings, &dataset.benchmarks, &packs, items, records)?;
    Ok((dataset, selected))
}
