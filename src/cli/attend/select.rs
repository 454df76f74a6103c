//! The items to analyse: those of the arguments, or those of a run.

use anyhow::Context;
use indexmap::IndexMap;

use tomeval::attend::{SelectedItem, SelectionSettings};
use tomeval::benchmark::Benchmark;
use tomeval::prompt::Pack;
use tomeval::run::read_run;

use super::Args;

/// Load items and choose among them. A run's settings replace the arguments they stand for.
pub fn select(args: &mut Args) -> anyhow::Result<Vec<SelectedItem>> {
    let run = match &args.choice.run {
        Some(path) => {
            let (manifest, records) = read_run(path).with_context(|| format!("--run {}", path.display()))?;
            let settings = &manifest.settings;
            // Made stories come with the default benchmarks, and only with the run's own seed.
            args.data.benchmarks =
                if settings.made_stories.is_some() { Vec::new() } else { settings.benchmarks.clone() };
            args.data.seed = settings.seed;
            args.data.languages.clone_from(&settings.languages);
            args.data.choices = settings.choices.clone().into_iter().collect();
            args.choice.style.clone_from(&settings.style);
            args.choice.instructions = settings.instructions.each()[0];
            Some((manifest, records))
        }
        None => {
            if args.data.benchmarks.is_empty() {
                args.data.benchmarks.push(Benchmark::Demo.name().to_string());
            }
            None
        }
    };
    let (limit, limit_stories) = (args.data.limit.take(), args.data.limit_stories.take());
    let items = args.data.load()?.items;
    if let Some((manifest, _)) = &run {
        args.data.benchmarks.clone_from(&manifest.settings.benchmarks);
    }
    let benchmarks = args.data.benchmarks.iter().map(|name| name.parse()).collect::<Result<Vec<Benchmark>, _>>()?;
    let packs = benchmarks.iter().map(|&benchmark| {
        let pack = match &args.choice.prompts {
            Some(folder) => Pack::read(folder, benchmark.name()).context("prompt packs")?,
            None => Pack::built_in(benchmark.name()),
        };
        Ok((benchmark.name().to_string(), pack))
    });
    let packs = packs.collect::<anyhow::Result<IndexMap<String, Pack>>>()?;
    let settings = SelectionSettings {
        items: args.choice.items.clone(),
        facets: args.choice.facets.clone(),
        wrong: args.choice.wrong,
        limit,
        limit_stories,
        style: args.choice.style.clone(),
        instructions: args.choice.instructions,
        orders: args.choice.orders,
        seed: args.data.seed,
    };
    let records = run.as_ref().map(|(_, records)| records.as_slice());
    Ok(tomeval::attend::select(&settings, &benchmarks, &packs, items, records)?)
}
