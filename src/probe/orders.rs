//! Likelihood of the released option order among permutations.
//!
//! The statistic of an item is the log-likelihood of its list of options, after its context and question, in the
//! released order; it is ranked among those of other orders of the same options (Ni et al. 2024, "Training on the
//! Benchmark Is Not All You Need"). If the model knows nothing of the release and the authors drew the order at random,
//! the released order is exchangeable with the others, which makes the permutation test exact (Oren et al. 2024,
//! "Proving Test Set Contamination in Black-Box Language Models", permutes the items of a file in the same way). Items
//! are combined by the sum of their standard scores, (released - mean) / standard deviation over the orders of the
//! item.

use std::collections::HashSet;

use indexmap::IndexMap;
use rand::seq::SliceRandom;
use serde::Serialize;

use super::permutation::{PValue, first_among, firsts_are_large};
use super::score::{After, ProbeError, Scores, Skip, SkippedRow, answered, skips};
use super::text::{before_options, context, listing, options};
use crate::benchmark::{Answer, Benchmark, Item};
use crate::engine::{ContextRequest, TokenScores};
use crate::language::Language;
use crate::prompt::{Order, OrderPolicy};
use crate::seed::seeded;

/// Settings of the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// `orders`: number of other orders that each released one is compared with.
    pub orders: usize,
    /// Arrangements sampled for the test if there are too many to enumerate.
    pub draws: usize,
    /// Seed of all draws and of fresh stories.
    pub seed: u64,
}

/// Result for one item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderRow {
    pub id: String,
    pub benchmark: Benchmark,
    pub language: Language,
    /// Orders scored, including the released one.
    pub orders: usize,
    /// Log-likelihood of the options as released.
    pub released: f64,
    /// Mean over all orders scored.
    pub mean: f64,
    /// Standard score of the released order among all scored; 0 if all are equal.
    pub z: f64,
    /// Rank of the released order, 1 for the likeliest; ties count against it.
    pub rank: usize,
    /// Rank divided by number of orders: the item's own p-value.
    pub p: f64,
    /// Whether all orders of its options were scored.
    pub exact: bool,
}

/// Results for a benchmark in a language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// Its language code.
    pub language: Language,
    /// `orders`: items probed.
    pub items: usize,
    /// Skipped items, by reason; for a model on a server, also the reason for a missing answer.
    pub skipped: IndexMap<String, usize>,
    /// `orders`: share of items whose released order is the likeliest, 0 to 1.
    pub first: f64,
    /// `orders`: that share expected by chance.
    pub first_expected: f64,
    /// `orders`: mean standard score of the released orders.
    pub z: f64,
    /// `orders` and `min-k`: the permutation test; null if nothing can be rearranged.
    pub test: Option<PValue>,
}

/// All that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Orders {
    /// By benchmark and language, in the order of the items.
    pub groups: Vec<Group>,
    /// Items probed.
    pub rows: Vec<OrderRow>,
    /// Items left out.
    pub skipped: Vec<SkippedRow>,
}

/// An item with the orders to score, the released one first.
struct Case<'a> {
    item: &'a Item,
    orders: Vec<Order>,
    exact: bool,
    request: ContextRequest,
}

/// Probes items. `after` receives the amount scored so far and the total.
///
/// # Errors
/// No items to probe, and errors of the scorer.
pub fn probe(model: &dyn Scores, items: &[Item], settings: &Settings, after: After<'_>) -> Result<Orders, ProbeError> {
    let (cases, mut skipped) = cases(items, settings);
    let texts: Vec<ContextRequest> = cases.iter().map(|case| case.request.clone()).collect();
    let found = model.continuations(&texts, after)?;
    let (scored, scores) = answered(cases, found, |case| case.item, &mut skipped)?;
    let sums = scores.iter().map(|scores| scores.iter().map(TokenScores::sum).collect()).collect();
    let found = judge(&scored, sums, skipped, settings);
    if found.groups.is_empty() { Err(ProbeError::Nothing(skips(&found.skipped))) } else { Ok(found) }
}

fn cases<'a>(items: &'a [Item], settings: &Settings) -> (Vec<Case<'a>>, Vec<SkippedRow>) {
    let (mut cases, mut skipped) = (Vec::new(), Vec::new());
    let mut lists: HashSet<(Benchmark, String, &[String])> = HashSet::new();
    for item in items {
        let listing = listing(item.benchmark).filter(|_| matches!(item.gold, Answer::Single(_)));
        let different: HashSet<&String> = item.options.iter().collect();
        let skip = match listing {
            None => Some(Skip::NoReleasedOrder),
            Some(_) if different.len() < 2 => Some(Skip::OneOption),
            Some(_) if !lists.insert((item.benchmark, about(item), &item.options)) => Some(Skip::SameOptions),
            Some(_) => None,
        };
        match (skip, listing) {
            (None, Some(listing)) => {
                let (orders, exact) = orders_of(item, settings);
                let continuations = orders.iter().map(|order| options(item, order, listing)).collect();
                let request = ContextRequest { context: before_options(item), continuations, add_special: true };
                cases.push(Case { item, orders, exact, request });
            }
            (why, _) => skipped.push(SkippedRow::new(item, why.unwrap_or(Skip::NoReleasedOrder))),
        }
    }
    (cases, skipped)
}

/// The text that a list of options belongs to, regardless of its story's name: Hi-ToM's two halves contain the same
/// text under two names.
fn about(item: &Item) -> String {
    let context = context(item);
    if context.is_empty() { item.question.trim().to_string() } else { context }
}

/// The released order and others, all different, and whether these are all possible orders.
fn orders_of(item: &Item, settings: &Settings) -> (Vec<Order>, bool) {
    let options = item.options.len();
    let all = (1..=options).try_fold(1usize, |all, factor| all.checked_mul(factor));
    let exact = all.is_some_and(|all| all <= settings.orders.saturating_add(1));
    if exact && let Ok(drawn) = OrderPolicy::All.draw(settings.seed, &item.id, options) {
        return (drawn.into_iter().map(|drawn| drawn.order).collect(), true);
    }
    let wanted = all.map_or(settings.orders + 1, |all| all.min(settings.orders + 1));
    let mut orders = vec![Order::identity(options)];
    let mut known: HashSet<Vec<usize>> = HashSet::from([(0..options).collect()]);
    for draw in 0.. {
        if orders.len() == wanted {
            break;
        }
        let mut numbers: Vec<usize> = (0..options).collect();
        numbers.shuffle(&mut seeded(settings.seed, &format!("probe/orders/{}", item.id), draw));
        if known.insert(numbers.clone()) {
            orders.push(Order::try_from(numbers).expect("a shuffled range is an order"));
        }
    }
    (orders, exact)
}

/// Computes the results from log-likelihoods, one list per case, in the order of its orders.
fn judge(cases: &[Case<'_>], sums: Vec<Vec<f64>>, mut skipped: Vec<SkippedRow>, settings: &Settings) -> Orders {
    let mut rows = Vec::new();
    let mut scores: IndexMap<(Benchmark, Language), Vec<Vec<f64>>> = IndexMap::new();
    for (case, sums) in cases.iter().zip(sums) {
        debug_assert_eq!(sums.len(), case.orders.len());
        let item = case.item;
        let (Some(p), true) = (first_among(&sums), sums.iter().all(|sum| sum.is_finite())) else {
            skipped.push(SkippedRow::new(item, Skip::NotFinite));
            continue;
        };
        let count = sums.len() as f64;
        let mean = sums.iter().sum::<f64>() / count;
        let sd = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / count).sqrt();
        let standard: Vec<f64> =
            sums.iter().map(|sum| if sd > 1e-9 * (1.0 + mean.abs()) { (sum - mean) / sd } else { 0.0 }).collect();
        rows.push(OrderRow {
            id: item.id.clone(),
            benchmark: item.benchmark,
            language: item.language,
            orders: sums.len(),
            released: sums[0],
            mean,
            z: standard[0],
            rank: (p * count).round() as usize,
            p,
            exact: case.exact,
        });
        scores.entry((item.benchmark, item.language)).or_default().push(standard);
    }
    let group = |((benchmark, language), scores): ((Benchmark, Language), Vec<Vec<f64>>)| {
        let is_here = |other: Benchmark, its: Language| other == benchmark && its == language;
        let here: Vec<&OrderRow> = rows.iter().filter(|row| is_here(row.benchmark, row.language)).collect();
        let count = here.len() as f64;
        let mut rng = seeded(settings.seed, &format!("probe/orders/{benchmark}/{language}/joint"), 0);
        Group {
            items: here.len(),
            skipped: skips(skipped.iter().filter(|row| is_here(row.benchmark, row.language))),
            first: here.iter().filter(|row| row.rank == 1).count() as f64 / count,
            first_expected: here.iter().map(|row| 1.0 / row.orders as f64).sum::<f64>() / count,
            z: here.iter().map(|row| row.z).sum::<f64>() / count,
            test: firsts_are_large(&scores, settings.draws, &mut rng),
            benchmark,
            language,
        }
    };
    let groups = scores.into_iter().map(group).collect();
    Orders { groups, rows, skipped }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::benchmark::{Benchmark, LoadOptions};

    const SETTINGS: Settings = Settings { orders: 23, draws: 999, seed: 7 };

    fn demo() -> Vec<Item> {
        let options = LoadOptions { languages: vec![Language::En], ..LoadOptions::default() };
        Benchmark::Demo.load(std::path::Path::new(""), &options).unwrap().items
    }

    /// Log-likelihoods without structure, with the released order raised by `planted`.
    fn judged(items: &[Item], planted: f64) -> Orders {
        let (cases, skipped) = cases(items, &SETTINGS);
        let noise = |case: &Case<'_>| {
            let mut rng = seeded(3, &case.item.id, 0);
            let mut sums: Vec<f64> = case.orders.iter().map(|_| -40.0 + rng.random_range(-2.0..2.0)).collect();
            sums[0] += planted;
            sums
        };
        let sums = cases.iter().map(noise).collect();
        judge(&cases, sums, skipped, &SETTINGS)
    }

    #[test]
    fn a_remembered_order_is_found_and_an_unknown_one_is_not() {
        let items = demo();
        let remembered = &judged(&items, 1.5).groups[0];
        assert!(remembered.test.unwrap().p <= 0.002 && remembered.z > 0.8, "{remembered:?}");
        assert!(remembered.first > 3.0 * remembered.first_expected);
        let unknown = &judged(&items, 0.0).groups[0];
        assert!(unknown.test.unwrap().p > 0.05 && unknown.z.abs() < 0.5, "{unknown:?}");
    }

    #[test]
    fn the_released_order_is_first_and_four_options_have_all_their_orders() {
        let items = demo();
        let (cases, _) = cases(&items, &SETTINGS);
        let four = cases.iter().find(|case| case.item.options.len() == 4).unwrap();
        assert_eq!((four.orders.len(), four.exact), (24, true));
        let different: HashSet<&Order> = four.orders.iter().collect();
        assert_eq!(different.len(), 24);
        assert_eq!(four.orders[0], Order::identity(4));
        assert!(four.request.continuations[0].starts_with(&format!("A. {}\nB. ", four.item.options[0])));
        assert!(four.request.context.ends_with(&format!("{}\n", four.item.question.trim())));
    }

    #[test]
    fn one_text_under_two_names_counts_once() {
        let mut items: Vec<Item> = demo().into_iter().take(4).collect();
        items[1] = Item { id: "again".into(), story: "the same by another name".into(), ..items[0].clone() };
        items[2] = Item { question: "And then?".into(), ..items[0].clone() };
        items[3] = Item { options: items[0].options.iter().rev().cloned().collect(), ..items[0].clone() };
        let (cases, skipped) = cases(&items, &SETTINGS);
        assert_eq!(cases.len(), 2, "another list of the same options is another order");
        assert!(skipped.iter().all(|row| row.skipped == Skip::SameOptions.reason()) && skipped.len() == 2);
    }

    #[test]
    fn every_item_left_out_is_counted_with_its_reason() {
        let mut items: Vec<Item> = demo().into_iter().take(4).collect();
        items[1] = items[0].clone();
        items[2].options = vec!["same".into(), "same".into()];
        items[3].benchmark = Benchmark::ToMi;
        let (cases, skipped) = cases(&items, &SETTINGS);
        assert_eq!(cases.len(), 1);
        let reasons: Vec<&str> = skipped.iter().map(|row| row.skipped.as_str()).collect();
        assert_eq!(reasons, [Skip::SameOptions, Skip::OneOption, Skip::NoReleasedOrder].map(Skip::reason));
        let not_finite = judge(&cases, vec![vec![f64::NAN; cases[0].orders.len()]], skipped, &SETTINGS);
        assert_eq!((not_finite.rows.len(), not_finite.skipped.len(), not_finite.groups.len()), (0, 4, 0));
    }
}
