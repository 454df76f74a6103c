//! Compares the headlines of the benchmarks' cards: the figures that reports of the same runs begin with.

use std::collections::{BTreeMap, HashMap};

use super::row::{Both, SidePair};
use super::{ComparisonRow, PERCENT};
use crate::answer::Outcome;
use crate::benchmark::{Benchmark, Item};
use crate::counted::counted;
use crate::metric::{BY, HeadlinePair, Layout, UnitPair, headline_pairs};
use crate::stats::{WeightedChange, weighted_change};

/// The facet of a headline's row.
pub(super) const HEADLINE: &str = "headline";

/// The facet of the row over all items, with each stratum weighted as in the whole benchmark.
pub(super) const WEIGHTED: &str = "weighted";

/// A benchmark with its items.
#[derive(Debug, Clone)]
pub struct BenchmarkItems<'a> {
    pub benchmark: Benchmark,
    /// The tables of its card.
    pub layout: Layout,
    /// All its items, asked or not: they determine which stories are complete.
    pub items: &'a [Item],
    /// The facet by which the compared items were sampled, equally often for each value; `None` if they are all items,
    /// or were sampled differently.
    pub drawn_by: Option<String>,
}

/// The rows of a pair of sides: each headline, and the weighted mean over items if the strata are not represented as in
/// the whole benchmark.
pub(super) fn headlines(pair: &SidePair<'_, '_>, benchmarks: &[BenchmarkItems<'_>]) -> Vec<ComparisonRow> {
    let several = benchmarks.len() > 1;
    benchmarks.iter().flat_map(|benchmark| of_benchmark(pair, benchmark, several)).collect()
}

fn of_benchmark(pair: &SidePair<'_, '_>, benchmark: &BenchmarkItems<'_>, several: bool) -> Vec<ComparisonRow> {
    let answers = Answers::new(pair, benchmark.benchmark);
    let ([first, second], stories) = (&answers.outcomes, &answers.stories);
    let drawn_by = benchmark.drawn_by.as_deref();
    let found = headline_pairs(&benchmark.layout, benchmark.items, drawn_by, [first, second]);
    let styles = several_presentations(&found);
    let name = |headline: &HeadlinePair| {
        let benchmark = several.then(|| benchmark.benchmark.to_string());
        benchmark.into_iter().chain([name(headline, pair.differs, styles)]).collect::<Vec<_>>().join(", ")
    };
    let row_of = |facet, value, parts: &[(f64, Vec<UnitPair>)]| row(pair, (facet, value), parts, stories);
    let mut rows: Vec<ComparisonRow> =
        found.iter().filter_map(|headline| row_of(HEADLINE, name(headline), &headline.parts)).collect();
    let items = all_items();
    let whole = headline_pairs(&items, benchmark.items, drawn_by, [first, second]);
    let unequal = |headline: &&HeadlinePair| {
        let mut weights = headline.parts.iter().flat_map(|(_, units)| units).map(|unit| unit.weight);
        weights.next().is_some_and(|first| weights.any(|weight| weight != first))
    };
    rows.extend(whole.iter().filter(unequal).filter_map(|headline| {
        let of = match several {
            true => format!("{}, {}", benchmark.benchmark, counted(benchmark.items.len(), "item")),
            false => counted(benchmark.items.len(), "item"),
        };
        row_of(WEIGHTED, of, &headline.parts)
    }));
    rows
}

/// The answers of two sides to the items of a benchmark.
pub(super) struct Answers<'a> {
    /// The outcomes of both sides, as if all were answers to the first side's versions of the items.
    pub(super) outcomes: [Vec<Outcome<'a>>; 2],
    /// The number of each story of the first side.
    pub(super) stories: HashMap<&'a str, usize>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(pair: &SidePair<'_, 'a>, benchmark: Benchmark) -> Self {
        let both: Vec<Both<'a>> = pair.items().filter(|both| both.a.item.benchmark == benchmark).collect();
        let as_asked = |right: fn(&Both<'_>) -> bool| both.iter().map(|both| answered(both.a, right(both))).collect();
        Answers {
            outcomes: [as_asked(|both| both.a.is_right()), as_asked(|both| both.b.is_right())],
            stories: both.iter().map(|both| (both.a.item.story.as_str(), both.story)).collect(),
        }
    }
}

/// Whether figures are of several styles or conditions, so that their names must have these.
pub(super) fn several_presentations(found: &[HeadlinePair]) -> bool {
    let mut presentations = found.iter().map(|figure| (&figure.style, &figure.condition));
    presentations.next().is_some_and(|first| presentations.any(|other| other != first))
}

/// The name of a figure: column, row without the properties in which sides differ, and style and condition if needed.
pub(super) fn name(figure: &HeadlinePair, differs: &[&str], styles: bool) -> String {
    let column = (!figure.table.starts_with(BY)).then(|| figure.column.clone());
    let key = figure.key.iter().filter(|(facet, _)| !differs.contains(&facet.as_str()));
    let style = styles.then(|| std::iter::once(figure.style.clone()).chain(figure.condition.clone()));
    let parts = column.into_iter().chain(key.map(|(_, value)| value.clone())).chain(style.into_iter().flatten());
    parts.collect::<Vec<_>>().join(", ")
}

/// A table of one column: all items.
fn all_items() -> Layout {
    let table = "[[tables]]\nid = 'items'\ntitle = 'Items'\ncolumns = [{ name = 'items' }]";
    Layout::parse(table).expect("a table of one column is valid")
}

/// An outcome known to be right or wrong.
fn answered<'a>(asked: &Outcome<'a>, right: bool) -> Outcome<'a> {
    Outcome {
        item: asked.item,
        style: asked.style.clone(),
        condition: asked.condition.clone(),
        rater: None,
        irrelevant: None,
        trials: Vec::new(),
        choice: right.then(|| asked.item.gold.clone()),
        tied: false,
        ties: asked.ties,
    }
}

/// The changes of a figure's units by part.
pub(super) fn changes(
    parts: &[(f64, Vec<UnitPair>)],
    stories: &HashMap<&str, usize>,
) -> Vec<(f64, Vec<WeightedChange>)> {
    let change = |unit: &UnitPair| {
        let change = i32::from(unit.right[1]) - i32::from(unit.right[0]);
        Some(WeightedChange { change, weight: unit.weight, story: *stories.get(unit.story.as_str())? })
    };
    parts.iter().map(|(weight, units)| (*weight, units.iter().filter_map(change).collect())).collect()
}

/// A figure for each side, in percent.
pub(super) fn shares(parts: &[(f64, Vec<UnitPair>)]) -> [f64; 2] {
    let mean_of = |side: usize| {
        let of_part = |(weight, units): &(f64, Vec<UnitPair>)| {
            let all: f64 = units.iter().map(|unit| unit.weight).sum();
            let right: f64 = units.iter().filter(|unit| unit.right[side]).map(|unit| unit.weight).sum();
            weight * right / all
        };
        parts.iter().map(of_part).sum::<f64>() * PERCENT
    };
    [mean_of(0), mean_of(1)]
}

fn row(
    pair: &SidePair<'_, '_>,
    (facet, value): (&str, String),
    parts: &[(f64, Vec<UnitPair>)],
    stories: &HashMap<&str, usize>,
) -> Option<ComparisonRow> {
    let changes = changes(parts, stories);
    let units: BTreeMap<&str, [bool; 2]> =
        parts.iter().flat_map(|(_, units)| units).map(|unit| (unit.id.as_str(), unit.right)).collect();
    let count = |right: [bool; 2]| units.values().filter(|found| **found == right).count();
    let shares = shares(parts);
    let flips = [count([true, false]), count([false, true])];
    Some(pair.row((facet, &value), units.len(), shares, flips, &weighted_change(&changes)?))
}
