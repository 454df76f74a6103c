//! Which items are analysed, and in which option orders.

use indexmap::IndexMap;

use super::settings::SCORING;
use crate::answer::{Normalisation, ReadError, Ties, TrialOutcome, outcomes};
use crate::benchmark::{Benchmark, Item, limit, limit_stories};
use crate::prompt::{DrawnOrder, Instructions, Order, OrderPolicy, Pack, PackError, Style, TooManyOrders};
use crate::record::TrialRecord;

/// Items drawn when nothing is chosen.
const DEFAULT_ITEMS: usize = 5;

/// Which items, and how they are put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionSettings {
    /// Ids; all items where there are none.
    pub items: Vec<String>,
    /// Facets with the values they must have.
    pub facets: Vec<(String, String)>,
    /// Of a run, only items answered wrongly, in orders that went wrong.
    pub wrong: bool,
    /// At most so many questions a benchmark.
    pub limit: Option<usize>,
    /// At most so many stories a benchmark.
    pub limit_stories: Option<usize>,
    /// Prompt style of the pack.
    pub style: String,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Orders drawn, where no run has shown any.
    pub orders: OrderPolicy,
    /// Seed of all draws.
    pub seed: u64,
}

/// An item with how it is put.
#[derive(Debug, Clone)]
pub struct SelectedItem {
    /// The item.
    pub item: Item,
    /// Orders of its options, at least one; the first is shown.
    pub orders: Vec<Order>,
    /// The style of its prompt.
    pub style: Style,
}

/// Items that cannot be chosen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// An id that no item has.
    #[error("--item {id}: no such item in {benchmarks}{}", .nearest.as_ref().map_or(String::new(), |id| format!("; did you mean `{id}`?")))]
    UnknownItem {
        /// The id asked for.
        id: String,
        /// Names of the benchmarks.
        benchmarks: String,
        /// The id most like it.
        nearest: Option<String>,
    },
    /// No item is left.
    #[error("no item is left by --where, --run and --wrong; loosen one of them")]
    NothingLeft,
    /// A run does not fit its items.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The pack has no style for an item.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// More orders are asked for than can be listed.
    #[error(transparent)]
    Orders(#[from] TooManyOrders),
}

/// Choose among `items` of `benchmarks`. With the records of a run, only items it answered, in orders it showed.
/// `packs` has a pack for each benchmark.
pub fn select(
    settings: &SelectionSettings,
    benchmarks: &[Benchmark],
    packs: &IndexMap<String, Pack>,
    items: Vec<Item>,
    run: Option<&[TrialRecord]>,
) -> Result<Vec<SelectedItem>, SelectionError> {
    if let Some(missing) = settings.items.iter().find(|id| !items.iter().any(|item| item.id == **id)) {
        let likeness = |item: &Item| strsim::jaro_winkler(&item.id, missing);
        let nearest = items.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        return Err(SelectionError::UnknownItem {
            id: missing.clone(),
            benchmarks: benchmarks.iter().map(|benchmark| benchmark.name()).collect::<Vec<_>>().join(", "),
            nearest: nearest.map(|item| item.id.clone()),
        });
    }
    let shown = run.map(|records| shown_orders(settings, &items, records)).transpose()?;
    let wanted = |item: &Item| {
        let named = settings.items.is_empty() || settings.items.contains(&item.id);
        let facets = settings.facets.iter().all(|(facet, value)| item.facet(facet) == Some(value));
        named && facets && shown.as_ref().is_none_or(|shown| shown.contains_key(&item.id))
    };
    let chosen: Vec<Item> = items.into_iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(SelectionError::NothingLeft);
    }
    let free = settings.items.is_empty() && settings.facets.is_empty() && run.is_none();
    let mut selected = Vec::new();
    for benchmark in benchmarks {
        let of_it: Vec<Item> = chosen.iter().filter(|item| item.benchmark == benchmark.name()).cloned().collect();
        let stratum = benchmark.card().stratum;
        let limited = match (settings.limit, settings.limit_stories) {
            (Some(questions), _) => limit(of_it, questions, settings.seed, &stratum),
            (None, Some(stories)) => limit_stories(of_it, stories, settings.seed),
            (None, None) if free => limit(of_it, DEFAULT_ITEMS, settings.seed, &stratum),
            (None, None) => of_it,
        };
        for item in limited {
            let style =
                packs[&item.benchmark].style_for(&item, &settings.style, SCORING, settings.instructions)?.clone();
            let orders = match shown.as_ref().and_then(|shown| shown.get(&item.id)) {
                Some(orders) if !orders.is_empty() => orders.clone(),
                _ => draw(settings, &item, &style)?,
            };
            selected.push(SelectedItem { item, orders, style });
        }
    }
    Ok(selected)
}

/// The orders in which a run showed each item, in the plain condition or the instructions asked for.
fn shown_orders(
    settings: &SelectionSettings,
    items: &[Item],
    records: &[TrialRecord],
) -> Result<IndexMap<String, Vec<Order>>, ReadError> {
    let of_run: Vec<Item> =
        items.iter().filter(|item| records.iter().any(|record| record.id == item.id)).cloned().collect();
    let mut shown = IndexMap::new();
    for outcome in outcomes(records, &of_run, Normalisation::Sum, Ties { seed: settings.seed, ..Ties::default() })? {
        let condition = outcome.condition.as_deref();
        let plain = condition.is_none() || condition == settings.instructions.condition();
        if !plain || (settings.wrong && outcome.is_right()) {
            continue;
        }
        let misled = |trial: &&TrialOutcome| !settings.wrong || trial.choice.as_ref() != Some(&outcome.item.gold);
        let orders = outcome.trials.iter().filter(misled).filter_map(|trial| trial.order.clone());
        shown.insert(outcome.item.id.clone(), orders.collect());
    }
    Ok(shown)
}

fn draw(settings: &SelectionSettings, item: &Item, style: &Style) -> Result<Vec<Order>, TooManyOrders> {
    if !style.takes_orders(item, SCORING) {
        return Ok(vec![Order::identity(item.options.len())]);
    }
    let drawn = settings.orders.draw(settings.seed, &item.id, item.options.len())?;
    Ok(drawn.into_iter().map(|DrawnOrder { order, .. }| order).collect())
}
