//! Which items, in which option orders.

use anyhow::Context;
use indexmap::IndexMap;

use tomeval::answer::{Normalisation, TieRule, outcomes};
use tomeval::benchmark::{Benchmark, Item};
use tomeval::prompt::{Order, Pack};
use tomeval::run::{Dataset, packs, read_run};

use super::super::setup::LimitArgs;
use super::{Args, Contrast, SCORING};

/// Items drawn when nothing is chosen.
const DEFAULT_ITEMS: usize = 5;

/// Items and packs of an analysis.
pub struct Selection {
    /// Chosen items with the orders they are shown in, first one first.
    pub prompts: Vec<(Item, Vec<Order>)>,
    /// Prompt packs by benchmark.
    pub packs: IndexMap<String, Pack>,
    /// What they were chosen from.
    pub dataset: Dataset,
}

/// Load items and choose among them. A run's settings replace the arguments they stand for.
pub fn select(args: &mut Args) -> anyhow::Result<Selection> {
    let run = match &args.choice.run {
        Some(path) => Some(read_run(path).with_context(|| format!("--run {}", path.display()))?),
        None => None,
    };
    let dataset = match &run {
        Some((manifest, _)) => {
            args.choice.style.clone_from(&manifest.settings.style);
            args.choice.instructions = manifest.settings.instructions.each()[0];
            args.data.limit.seed = manifest.settings.seed;
            Dataset::of_run(&manifest.settings, args.data.source.data.clone())?
        }
        None if args.data.benchmarks.is_empty() => {
            args.data.limit.of(args.data.source.dataset(vec![Benchmark::Demo])?)
        }
        None => args.data.dataset()?,
    };
    let items = Dataset { limit: None, limit_stories: None, ..dataset.clone() }.load()?.items;
    let packs = packs(&dataset.benchmarks, args.choice.prompts.as_deref()).context("prompt packs")?;

    let mut shown: IndexMap<String, Vec<Order>> = IndexMap::new();
    if let Some((_, records)) = &run {
        let of_run: Vec<Item> =
            items.iter().filter(|item| records.iter().any(|record| record.id == item.id)).cloned().collect();
        for outcome in outcomes(records, &of_run, Normalisation::Sum, TieRule::default())? {
            let plain =
                outcome.condition.is_none() || outcome.condition.as_deref() == args.choice.instructions.condition();
            if !plain || (args.choice.wrong && outcome.is_right()) {
                continue;
            }
            let misled = |order: &&tomeval::answer::TrialOutcome| {
                !args.choice.wrong || order.choice.as_ref() != Some(&outcome.item.gold)
            };
            let orders = outcome.trials.iter().filter(misled).filter_map(|trial| trial.order.clone());
            shown.insert(outcome.item.id.clone(), orders.collect());
        }
    }

    let wanted = |item: &Item| {
        let named = args.choice.items.is_empty() || args.choice.items.contains(&item.id);
        let facets = args.choice.facets.iter().all(|(facet, value)| item.facet(facet) == Some(value));
        named && facets && (run.is_none() || shown.contains_key(&item.id))
    };
    if let Some(missing) = args.choice.items.iter().find(|id| !items.iter().any(|item| item.id == **id)) {
        let nearest = items
            .iter()
            .max_by(|a, b| strsim::jaro_winkler(&a.id, missing).total_cmp(&strsim::jaro_winkler(&b.id, missing)));
        let hint = nearest.map_or(String::new(), |item| format!("; did you mean `{}`?", item.id));
        anyhow::bail!("--item {missing}: no such item in {}{hint}", names(&dataset));
    }
    let chosen: Vec<Item> = items.into_iter().filter(wanted).collect();
    anyhow::ensure!(!chosen.is_empty(), "no item is left by --where, --run and --wrong; loosen one of them");

    let free = args.choice.items.is_empty() && args.choice.facets.is_empty() && run.is_none();
    let LimitArgs { limit, limit_stories, .. } = args.data.limit;
    let limit = limit.or((free && limit_stories.is_none()).then_some(DEFAULT_ITEMS));
    let dataset = Dataset { limit, limit_stories, ..dataset };
    let mut limited = Vec::new();
    for &benchmark in &dataset.benchmarks {
        let of_it = chosen.iter().filter(|item| item.benchmark == benchmark.name()).cloned().collect();
        limited.extend(dataset.limited(benchmark, of_it));
    }
    let prompts = limited
        .into_iter()
        .map(|item| {
            let orders = match shown.get(&item.id) {
                Some(orders) if !orders.is_empty() => orders.clone(),
                _ => drawn(args, &item, &packs, dataset.seed)?,
            };
            Ok((item, orders))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    if args.checks.contrast.contains(&Contrast::Orders) {
        anyhow::ensure!(
            prompts.iter().any(|(_, orders)| orders.len() > 1),
            "--contrast orders needs two orders of an item; add --orders random:5"
        );
    }
    Ok(Selection { prompts, packs, dataset })
}

/// Benchmarks by name.
pub fn names(dataset: &Dataset) -> String {
    dataset.benchmarks.iter().map(|benchmark| benchmark.name()).collect::<Vec<_>>().join(", ")
}

fn drawn(args: &Args, item: &Item, packs: &IndexMap<String, Pack>, seed: u64) -> anyhow::Result<Vec<Order>> {
    let style = packs[&item.benchmark].style_for(item, &args.choice.style, SCORING, args.choice.instructions)?;
    if !style.takes_orders(item, SCORING) {
        return Ok(vec![Order::identity(item.options.len())]);
    }
    let drawn = args.choice.orders.draw(seed, &item.id, item.options.len())?;
    Ok(drawn.into_iter().map(|drawn| drawn.order).collect())
}
