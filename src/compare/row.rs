//! Rows: the difference over all items, and over items with a value of a facet.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};

use super::pair::{Asked, Paired};
use super::side::{Between, Side};
use super::{ComparisonRow, PERCENT, Settings};
use crate::answer::Outcome;
use crate::stats::{PairedChange, mcnemar_exact, paired_change};

/// The facet of the row over all items.
pub(super) const ALL: &str = "all";

/// A facet with more values than this makes no rows unless requested by name: its values nearly identify single items.
const MOST_VALUES: usize = 60;

/// Two sides on the same items.
pub(super) struct SidePair<'p, 'a> {
    asked: &'p [Asked<'a>],
    /// Positions of the two sides.
    positions: [usize; 2],
    /// Properties in which sides differ.
    pub(super) differs: &'p [&'static str],
    pub(super) sides: [&'p Side<'a>; 2],
    margin: f64,
}

/// An item with the outcomes of both sides.
#[derive(Clone, Copy)]
pub(super) struct Both<'a> {
    pub(super) a: &'a Outcome<'a>,
    pub(super) b: &'a Outcome<'a>,
    pub(super) story: usize,
}

impl<'p, 'a> SidePair<'p, 'a> {
    /// Two sides, by position.
    pub(super) fn new(paired: &'p Paired<'a>, positions: [usize; 2], sides: &'p [Side<'a>], margin: f64) -> Self {
        let pair = positions.map(|position| &sides[position]);
        SidePair { asked: &paired.asked, positions, differs: &paired.differs, sides: pair, margin }
    }

    /// All items.
    pub(super) fn items(&self) -> impl Iterator<Item = Both<'a>> {
        let [a, b] = self.positions;
        self.asked.iter().map(move |asked| Both { a: asked.outcomes[a], b: asked.outcomes[b], story: asked.story })
    }

    /// A row: number of items, percentage right on each side, numbers of items that turn wrong and right, and the
    /// change clustered by story.
    pub(super) fn row(
        &self,
        (facet, value): (&str, &str),
        n: usize,
        [a, b]: [f64; 2],
        [right_to_wrong, wrong_to_right]: [usize; 2],
        change: &PairedChange,
    ) -> ComparisonRow {
        ComparisonRow {
            facet: facet.to_string(),
            value: value.to_string(),
            side_a: self.sides[0].label.clone(),
            side_b: self.sides[1].label.clone(),
            n,
            stories: change.stories,
            a,
            b,
            difference: b - a,
            interval: change.interval().map(|(low, high)| (low * PERCENT, high * PERCENT)),
            p: mcnemar_exact(right_to_wrong as u64, wrong_to_right as u64).p_value,
            p_stories: change.p_stories,
            p_holm: None,
            p_bh: None,
            right_to_wrong,
            wrong_to_right,
            equivalence_p: change.equivalence(self.margin / PERCENT),
            detectable: change.mean.and_then(|mean| mean.detectable()).map(|difference| difference * PERCENT),
            design_effect: change.mean.and_then(|mean| mean.design_effect),
        }
    }

    /// Whether both sides were shown the same prompts.
    pub(super) fn same_prompts(&self) -> bool {
        self.differs.is_empty() && self.sides[0].answers == self.sides[1].answers
    }
}

/// The row over all items, and the rows by facet, with values in order of first occurrence.
pub(super) fn rows<'a>(pair: &SidePair<'_, 'a>, settings: &Settings<'_>) -> Vec<ComparisonRow> {
    let all: Vec<Both<'_>> = pair.items().collect();
    let mut rows = vec![row(pair, ALL, ALL, &all)];
    let facets: IndexSet<&str> = settings.facets.iter().map(String::as_str).collect();
    let mut partitions: Vec<Vec<Vec<&str>>> = Vec::new();
    for facet in facets.into_iter().filter(|facet| !pair.differs.contains(facet)) {
        let mut by_value: IndexMap<Cow<'_, str>, Vec<Both<'_>>> = IndexMap::new();
        for both in &all {
            if let Some(value) = facet_of(both.a, facet) {
                by_value.entry(value).or_default().push(*both);
            }
        }
        // A facet that partitions the items like an earlier one adds nothing.
        let id = |both: &Both<'a>| both.a.item.id.as_str();
        let partition: Vec<Vec<&str>> = by_value.values().map(|items| items.iter().map(id).collect()).collect();
        let tells = by_value.len() > 1 && by_value.len() <= MOST_VALUES && !partitions.contains(&partition);
        partitions.push(partition);
        if tells || settings.every_value {
            rows.extend(by_value.iter().map(|(value, items)| row(pair, facet, value, items)));
        }
    }
    rows
}

/// The value of a facet: one of the item's own, or one that every outcome has; for several facets, joined by commas,
/// their values.
fn facet_of<'o>(outcome: &'o Outcome<'_>, facet: &str) -> Option<Cow<'o, str>> {
    match facet {
        "style" => Between::Style.value(outcome).map(Cow::from),
        "condition" => Between::Condition.value(outcome).map(Cow::from),
        "benchmark" => Some(outcome.item.benchmark.name().into()),
        _ => match facet.split_once(',') {
            None => outcome.item.grouped_by(facet.trim()),
            Some((first, others)) => {
                Some(format!("{}, {}", facet_of(outcome, first.trim())?, facet_of(outcome, others.trim())?).into())
            }
        },
    }
}

fn row(pair: &SidePair<'_, '_>, facet: &str, value: &str, items: &[Both<'_>]) -> ComparisonRow {
    let count =
        |keep: fn(bool, bool) -> bool| items.iter().filter(|both| keep(both.a.is_right(), both.b.is_right())).count();
    let share = |right: usize| right as f64 / items.len() as f64 * PERCENT;
    let changes: Vec<i32> =
        items.iter().map(|both| i32::from(both.b.is_right()) - i32::from(both.a.is_right())).collect();
    let stories: Vec<usize> = items.iter().map(|both| both.story).collect();
    let flips = [count(|a, b| a && !b), count(|a, b| !a && b)];
    let shares = [share(count(|a, _| a)), share(count(|_, b| b))];
    pair.row((facet, value), items.len(), shares, flips, &paired_change(&changes, &stories))
}
