//! Which items, in which option orders.

use anyhow::Context;
use indexmap::IndexMap;

use tomeval::answer::{Normalisation, TieRule, outcomes};
use tomeval::benchmark::{Benchmark, Item, limit, limit_stories};
use tomeval::prompt::{Order, Pack};
use tomeval::run::read_run;

use super::{Args, Contrast, SCORING};

/// Items drawn when nothing is chosen.
const DEFAULT_ITEMS: usize = 5;

/// Items and packs of an analysis.
pub struct Selection {
    /// Chosen items with the orders they are shown in, first one first.
    pub prompts: Vec<(Item, Vec<Order>)>,
    /// Prompt packs by benchmark.
    pub packs: IndexMap<String, Pack>,
}

/// Load items and choose among them. A run's settings replace the arguments they stand for.
pub fn select(args: &mut Args) -> anyhow::Result<Selection> {
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
    let (questions, stories) = (args.data.limit.take(), args.data.limit_stories.take());
    let items = args.data.load()?.items;
    if let Some((manifest, _)) = &run {
        args.data.benchmarks.clone_from(&manifest.settings.benchmarks);
    }
    let packs = packs(args)?;

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
        anyhow::bail!("--item {missing}: no such item in {}{hint}", args.data.benchmarks.join(", "));
    }
    let chosen: Vec<Item> = items.into_iter().filter(wanted).collect();
    anyhow::ensure!(!chosen.is_empty(), "no item is left by --where, --run and --wrong; loosen one of them");

    let free = args.choice.items.is_empty() && args.choice.facets.is_empty() && run.is_none();
    let mut limited = Vec::new();
    for name in &args.data.benchmarks {
        let benchmark: Benchmark = name.parse()?;
        let of_it: Vec<Item> = chosen.iter().filter(|item| item.benchmark == benchmark.name()).cloned().collect();
        let stratum = benchmark.card().stratum;
        limited.extend(match (questions, stories) {
            (Some(questions), _) => limit(of_it, questions, args.data.seed, &stratum),
            (None, Some(stories)) => limit_stories(of_it, stories, args.data.seed),
            (None, None) if free => limit(of_it, DEFAULT_ITEMS, args.data.seed, &stratum),
            (None, None) => of_it,
        });
    }
    let prompts = limited
        .into_iter()
        .map(|item| {
            let orders = match shown.get(&item.id) {
                Some(orders) if !orders.is_empty() => orders.clone(),
                _ => drawn(args, &item, &packs)?,
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
    Ok(Selection { prompts, packs })
}

fn packs(args: &Args) -> anyhow::Result<IndexMap<String, Pack>> {
    let pack = |name: &String| {
        let benchmark: Benchmark = name.parse()?;
        let pack = match &args.choice.prompts {
            Some(folder) => Pack::read(folder, benchmark.name()).context("prompt packs")?,
            None => Pack::built_in(benchmark.name()),
        };
        Ok((benchmark.name().to_string(), pack))
    };
    args.data.benchmarks.iter().map(pack).collect()
}

fn drawn(args: &Args, item: &Item, packs: &IndexMap<String, Pack>) -> anyhow::Result<Vec<Order>> {
    let style = packs[&item.benchmark].style_for(item, &args.choice.style, SCORING, args.choice.instructions)?;
    if !style.takes_orders(item, SCORING) {
        return Ok(vec![Order::identity(item.options.len())]);
    }
    let drawn = args.choice.orders.draw(args.data.seed, &item.id, item.options.len())?;
    Ok(drawn.into_iter().map(|drawn| drawn.order).collect())
}
