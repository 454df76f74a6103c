//! Selects the items to analyse and their option orders.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use indexmap::IndexMap;

use super::measure::{Written, WrittenError};
use super::settings::SCORING;
use crate::answer::{Normalisation, ReadError, Ties, TrialOutcome, outcomes};
use crate::benchmark::{Benchmark, Choice, FacetRule, Item};
use crate::prompt::{Condition, Instructions, Order, OrderPolicy, Pack, PackError, Scoring, Style, TooManyOrders};
use crate::record::TrialRecord;
use crate::run::Manifest;
use crate::trial::{Dataset, DatasetError, Presented};

/// Number of items drawn when nothing is selected.
const DEFAULT_ITEMS: usize = 5;

/// Which items to analyse, and how to present them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionSettings {
    /// Item ids; empty for all items.
    pub items: Vec<String>,
    /// Rules for the items' facets.
    pub facets: Vec<FacetRule>,
    /// Analyse all items if nothing is selected and no limit given, instead of a few.
    pub all: bool,
    /// With a run, only items answered wrongly, in orders with a wrong answer.
    pub wrong: bool,
    /// With a run, also analyse the answer letters in written replies.
    pub written: bool,
    /// Prompt style of the pack.
    pub style: String,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Changed presentation of every item, if any.
    pub condition: Option<Condition>,
    /// Questions of each benchmark on which the deletion check is made, drawn as a limit draws; `None` for all.
    pub deletion_items: Option<usize>,
    /// Orders to draw if no run gives any.
    pub orders: OrderPolicy,
}

/// An item with its presentation.
#[derive(Debug, Clone)]
pub struct SelectedItem {
    pub item: Item,
    /// Orders of its options, at least one; the first is the main one.
    pub orders: Vec<Order>,
    /// Style of its prompt.
    pub style: Style,
    /// Where its reply in the first order writes the answer letter, if requested.
    pub written: Option<Result<Written, WrittenError>>,
    /// Whether the deletion check is made on it.
    pub checked: bool,
}

/// The selected items.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Items with their presentation.
    pub items: Vec<SelectedItem>,
    /// Ids of all candidate items.
    pub known: Vec<String>,
    /// Description of rows that could not be read.
    pub unread: Option<String>,
    /// Number of items left out because nothing was selected and no limit given.
    pub cut: usize,
    /// Number of items left out because the run rewrote the letters that an option names, order by order.
    pub lettered: usize,
}

/// Why items may be left out.
pub const LETTERED: &str = "the run rewrote the letters that options of these items name, order by order, which an analysis of \
                            attention does not show";

/// Items that cannot be selected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// No item matches.
    #[error("no item matches --where, --run and --wrong; loosen one of them")]
    NothingLeft,
    /// In all selected items, an option names others by letters.
    #[error("{LETTERED}; choose others with --item or --where")]
    Lettered,
    /// The items cannot be loaded.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The run does not fit its items.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The pack has no style for an item.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// More orders are requested than can be listed.
    #[error(transparent)]
    Orders(#[from] TooManyOrders),
}

/// Selects items from a dataset, whose limits apply to the selected items. With a run's folder, manifest and records,
/// selects from the items it answered, which must be unchanged, in the orders it used. `packs` has a pack for each
/// benchmark.
pub fn select(
    settings: &SelectionSettings,
    dataset: &Dataset,
    packs: &IndexMap<Benchmark, Pack>,
    run: Option<(&Path, &Manifest, &[TrialRecord])>,
) -> Result<Selection, SelectionError> {
    let loaded = match run {
        Some((folder, manifest, _)) => manifest.load_items(folder, dataset.files.clone())?,
        None => Dataset { limit: None, limit_stories: None, ..dataset.clone() }.load()?,
    };
    loaded.need_texts("an analysis of attention")?;
    let unread = loaded.unread();
    let items = loaded.items;
    if let Some(missing) = settings.items.iter().find(|id| !items.iter().any(|item| item.id == **id)) {
        return Err(dataset.unknown_item(missing, &items).into());
    }
    let known = items.iter().map(|item| item.id.clone()).collect();
    let choice = Choice { ids: Vec::new(), rules: settings.facets.clone() };
    choice.check(&items).map_err(DatasetError::from)?;
    let ties = Ties { seed: dataset.seed, ..Ties::default() };
    let shown = run.map(|(_, _, records)| shown_orders(settings, &items, records, ties)).transpose()?;
    let wanted = |item: &Item| {
        let named = settings.items.is_empty() || settings.items.contains(&item.id);
        let facets = settings.facets.iter().all(|rule| rule.holds(item));
        named && facets && shown.as_ref().is_none_or(|shown| shown.contains_key(&item.id))
    };
    let chosen: Vec<Item> = items.into_iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(SelectionError::NothingLeft);
    }
    let free = settings.items.is_empty() && settings.facets.is_empty() && run.is_none();
    let unlimited = dataset.limit.is_none() && dataset.limit_stories.is_none();
    let few = free && unlimited && !settings.all;
    let limit = dataset.limit.or(few.then_some(DEFAULT_ITEMS));
    let limits = Dataset { limit, ..dataset.clone() };
    let (mut selected, mut lettered) = (Vec::new(), 0);
    for &benchmark in &dataset.benchmarks {
        let of_it = chosen.iter().filter(|item| item.benchmark == benchmark).cloned().collect();
        let of_it = limits.limited(benchmark, of_it);
        let checks = Dataset { limit: settings.deletion_items, limit_stories: None, ..dataset.clone() };
        let checked: HashSet<String> =
            checks.limited(benchmark, of_it.clone()).into_iter().map(|item| item.id).collect();
        for item in of_it {
            let checked = checked.contains(&item.id);
            let style =
                packs[&item.benchmark].style_for(&item, &settings.style, SCORING, settings.instructions)?.clone();
            let mut orders = match shown.as_ref().and_then(|shown| shown.get(&item.id)) {
                Some(orders) if !orders.is_empty() => orders.clone(),
                _ => draw(settings.orders, &item, &style, dataset.seed)?,
            };
            if let Some((_, manifest, _)) = run
                && orders.iter().any(|order| {
                    let shown = manifest.settings.lettered(Cow::Borrowed(&item), order, &style.labels);
                    matches!(shown, Cow::Owned(_))
                })
            {
                lettered += 1;
                continue;
            }
            let written = match run.filter(|_| settings.written) {
                None => None,
                Some((_, manifest, records)) => {
                    let pack = &packs[&item.benchmark];
                    let style =
                        pack.style_for(&item, &manifest.settings.style, Scoring::Generate, settings.instructions)?;
                    Some(written(settings, &item, &mut orders, records, style))
                }
            };
            let item = match settings.condition {
                Some(condition) => condition.apply(&item).into_owned(),
                None => item,
            };
            selected.push(SelectedItem { item, orders, style, written, checked });
        }
    }
    if selected.is_empty() && lettered > 0 {
        return Err(SelectionError::Lettered);
    }
    let left = chosen.len() - selected.len() - lettered;
    Ok(Selection { items: selected, known, unread, cut: if few { left } else { 0 }, lettered })
}

/// Finds the answer letter in the first reply to an item that has one, and moves that reply's order to the front;
/// otherwise returns why the first reply has none.
fn written(
    settings: &SelectionSettings,
    item: &Item,
    orders: &mut [Order],
    records: &[TrialRecord],
    style: &Style,
) -> Result<Written, WrittenError> {
    let presentation = presentation(settings);
    let is_here =
        |record: &&TrialRecord| record.id == item.id && record.condition.as_deref().unwrap_or_default() == presentation;
    let mut reason = None;
    for record in records.iter().filter(is_here) {
        let Some(at) = orders.iter().position(|order| *order == record.order) else { continue };
        match Written::new(record, style) {
            Ok(written) => {
                orders[..=at].rotate_right(1);
                return Ok(written);
            }
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Err(reason.unwrap_or(WrittenError::NoReply))
}

/// The name of the requested presentation in records.
fn presentation(settings: &SelectionSettings) -> String {
    Presented::under(settings.condition, settings.instructions).name().unwrap_or_default()
}

/// Orders in which a run presented each item, under the requested condition and instructions; items that the run did
/// not ask with these instructions are matched by condition alone.
fn shown_orders(
    settings: &SelectionSettings,
    items: &[Item],
    records: &[TrialRecord],
    ties: Ties,
) -> Result<IndexMap<String, Vec<Order>>, ReadError> {
    let of_run: Vec<Item> =
        items.iter().filter(|item| records.iter().any(|record| record.id == item.id)).cloned().collect();
    let left_out = settings.condition.map(Condition::name);
    let presentation = presentation(settings);
    let exact = |condition: Option<&str>| condition.unwrap_or_default() == presentation;
    let outcomes = outcomes(records, &of_run, Normalisation::Sum, ties)?;
    let asked_so: HashSet<&str> =
        outcomes.iter().filter(|it| exact(it.condition.as_deref())).map(|it| it.item.id.as_str()).collect();
    let mut shown = IndexMap::new();
    for outcome in &outcomes {
        let condition = outcome.condition.as_deref();
        let other_instructions = condition == left_out && !asked_so.contains(outcome.item.id.as_str());
        if !(exact(condition) || other_instructions) || (settings.wrong && outcome.is_right()) {
            continue;
        }
        let misled = |trial: &&TrialOutcome| !settings.wrong || trial.choice.as_ref() != Some(&outcome.item.gold);
        let orders = outcome.trials.iter().filter(misled).filter_map(|trial| trial.order.clone());
        shown.insert(outcome.item.id.clone(), orders.collect());
    }
    Ok(shown)
}

fn draw(policy: OrderPolicy, item: &Item, style: &Style, seed: u64) -> Result<Vec<Order>, TooManyOrders> {
    if !style.takes_orders(item, SCORING) {
        return Ok(vec![Order::identity(item.options.len())]);
    }
    let drawn = policy.draw(seed, &item.id, item.options.len())?;
    Ok(drawn.into_iter().map(|drawn| drawn.order).collect())
}
