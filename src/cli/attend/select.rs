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
    let limits = &args.data.limit;
    let dataset = match &run {
        Some((manifest, _)) => {
            args.choice.style.clone_from(&manifest.settings.style);
            args.choice.instructions = manifest.settings.instructions.each()[0];
            let dataset = Dataset::of_run(&manifest.settings, args.data.source.data.clone())?;
            Dataset { limit: limits.limit, limit_stories: limits.limit_stories, ..dataset }
        }
        None if args.data.benchmarks.is_empty() => limits.of(args.data.source.dataset(vec![Benchmark::Demo])?),
        None => args.data.dataset()?,
    };
    let packs = packs(&dataset.benchmarks, args.choice.prompts.as_deref()).context("prompt packs")?;
    let settings = SelectionSettings {
        items: args.choice.items.clone(),
        facets: args.choice.facets.clone(),
        wrong: args.choice.wrong,
        style: args.choice.style.clone(),
        instructions: args.choice.instructions,
        orders: args.choice.orders,
    };
    let records = run.as_ref().map(|(_, records)| records.as_slice());
    let selected = tomeval::attend::select(&settings, &dataset, &packs, records)?;
    Ok((dataset, selected))
}
