//! One table: measured rows from outcomes, published rows from the card.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use super::Measure;
use super::compute::Unit;
use super::layout::{Column, Source, Table};
use super::respondent::Respondent;
use super::results::{Cell, IntervalBy, PublishedRow, Row, TableResult};
use super::stats::{Cluster, FEWEST_STORIES, clustered_bootstrap, clustered_mean, clustered_wilson, wilson};
use super::world::{Group, World, part, row_keys};
use crate::seed::seeded;

/// The table for the outcomes of every style and condition, each as the worlds of who answered: of people there may be several,
/// whose units are pooled. Rows without any item are left out, and so
/// are published rows that would stand beside none.
pub(super) fn table_result(
    table: &Table,
    presentations: &[Vec<World<'_>>],
    by: Respondent<'_>,
    seed: u64,
) -> TableResult {
    let mut rows = Vec::new();
    for worlds in presentations {
        for key in row_keys(worlds, &table.rows, &table.filter) {
            rows.push(row(table, worlds, &key, by, seed));
        }
    }
    let visible: Vec<usize> = (0..table.columns.len()).filter(|&column| !table.columns[column].hidden).collect();
    let published = table.published.iter().map(|published| PublishedRow {
        label: published.label.clone(),
        human: published.human,
        source: published.source.clone(),
        key: published.rows.clone(),
        values: visible.iter().map(|&column| published.values[column]).collect(),
    });
    TableResult {
        id: table.id.clone(),
        title: table.title.clone(),
        paper: table.paper.clone(),
        facets: table.rows.clone(),
        columns: visible.iter().map(|&column| table.columns[column].name.clone()).collect(),
        transpose: table.transpose,
        figures: table.figures.clone(),
        published: published.filter(|published| rows.iter().any(|row| published.belongs_to(&row.key))).collect(),
        rows,
        note: table.note.clone(),
    }
}

/// A column of one row: its units, and where its sums stand among those of the row.
struct Measured<'a> {
    measure: Measure,
    units: Result<Vec<Unit<'a>>, String>,
    offset: usize,
    width: usize,
}

fn row(table: &Table, worlds: &[World<'_>], key: &[(String, String)], by: Respondent<'_>, seed: u64) -> Row {
    let groups: Vec<Option<(Measure, Vec<Group<'_>>)>> = table
        .columns
        .iter()
        .map(|column| match &column.source {
            Source::Group { measure, filter } => {
                let group = |world| Group::new(world, vec![&table.filter, filter], key);
                Some((*measure, worlds.iter().map(group).collect()))
            }
            _ => None,
        })
        .collect();
    let mut width = 0;
    let measured: Vec<Option<Measured<'_>>> = groups
        .iter()
        .map(|group| {
            let (measure, groups) = group.as_ref()?;
            let units = pooled(groups.iter().map(|group| measure.units(group)));
            let own = units.as_ref().map_or(0, |units| units[0].adds.len());
            width += own;
            Some(Measured { measure: *measure, units, offset: width - own, width: own })
        })
        .collect();

    let clusters = clusters(&measured);
    let mut sums = vec![0.0; width];
    for (position, value) in clusters.iter().flat_map(|cluster| &cluster.adds) {
        sums[*position] += value;
    }
    let statistics = |sums: &[f64]| values(&table.columns, &measured, sums);
    let needs_resampling = table.columns.iter().any(|column| match &column.source {
        Source::Group { measure, .. } => !measure.has_wilson_interval(),
        Source::Unavailable(_) => false,
        _ => true,
    });
    let resampled = if needs_resampling {
        let place: Vec<&str> = key.iter().flat_map(|(facet, value)| [facet.as_str(), value.as_str()]).collect();
        let name = format!("interval {} {}", table.id, place.join(" "));
        clustered_bootstrap(&clusters, width, seeded(seed, &name, 0), statistics)
            .into_iter()
            .map(|interval| interval.filter(|(low, high)| low < high))
            .collect()
    } else {
        vec![None; table.columns.len()]
    };

    let mut cells: Vec<Cell> = Vec::new();
    for (position, value) in statistics(&sums).into_iter().enumerate() {
        let cell = match &measured[position] {
            Some(measured) => measured_cell(measured, value, resampled[position]),
            None => derived_cell(table, position, value, resampled[position], &cells, &measured),
        };
        cells.push(cell);
    }
    let hidden: Vec<bool> = table.columns.iter().map(|column| column.hidden).collect();
    let (style, condition) = worlds.first().map_or(("", None), World::presentation);
    Row {
        label: by.label.to_string(),
        answers: by.answers.to_string(),
        style: style.to_string(),
        condition: condition.map(str::to_string),
        part: part(worlds),
        key: key.iter().cloned().collect(),
        cells: cells.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(cell, _)| cell).collect(),
    }
}

/// The units of all who have any, or why nobody has.
fn pooled<'a>(found: impl Iterator<Item = Result<Vec<Unit<'a>>, String>>) -> Result<Vec<Unit<'a>>, String> {
    let (mut all, mut reason) = (Vec::new(), None);
    for units in found {
        match units {
            Ok(units) => all.extend(units),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    if all.is_empty() { Err(reason.unwrap_or_else(|| "no items".into())) } else { Ok(all) }
}

fn clusters(measured: &[Option<Measured<'_>>]) -> Vec<Cluster> {
    let mut by_story: IndexMap<&str, Vec<f64>> = IndexMap::new();
    let mut touched: IndexMap<&str, BTreeSet<usize>> = IndexMap::new();
    let width = measured.iter().flatten().map(|column| column.width).sum();
    for column in measured.iter().flatten() {
        for unit in column.units.iter().flatten() {
            let sums = by_story.entry(unit.story).or_insert_with(|| vec![0.0; width]);
            let positions = touched.entry(unit.story).or_default();
            for (index, value) in unit.adds.iter().enumerate() {
                sums[column.offset + index] += value;
                positions.insert(column.offset + index);
            }
        }
    }
    by_story
        .into_iter()
        .zip(touched.into_values())
        .map(|((_, sums), positions)| Cluster {
            adds: positions.into_iter().map(|position| (position, sums[position])).collect(),
        })
        .collect()
}

/// The value of every column, as a fraction, from the sums of the row.
fn values(columns: &[Column], measured: &[Option<Measured<'_>>], sums: &[f64]) -> Vec<Option<f64>> {
    let mut values: Vec<Option<f64>> = Vec::with_capacity(columns.len());
    for (column, measured) in columns.iter().zip(measured) {
        let of = |positions: &[usize]| positions.iter().map(|&position| values[position]).collect::<Option<Vec<f64>>>();
        let value = match (&column.source, measured) {
            (_, Some(Measured { units: Err(_), .. })) => None,
            (_, Some(group)) => group.measure.value(&sums[group.offset..group.offset + group.width]),
            (Source::Mean(parts), None) => of(parts).map(|parts| parts.iter().sum::<f64>() / parts.len() as f64),
            (Source::Difference(left, right), None) => of(&[*left, *right]).map(|parts| parts[0] - parts[1]),
            (Source::Range(parts), None) => of(parts).map(|parts| {
                let largest = parts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest - parts.iter().copied().fold(f64::INFINITY, f64::min)
            }),
            (Source::Group { .. } | Source::Unavailable(_), None) => None,
        };
        values.push(value);
    }
    values
}

const PERCENT: f64 = 100.0;

fn in_percent(interval: (f64, f64)) -> (f64, f64) {
    (interval.0 * PERCENT, interval.1 * PERCENT)
}

fn measured_cell(column: &Measured<'_>, value: Option<f64>, resampled: Option<(f64, f64)>) -> Cell {
    let unit = column.measure.unit().to_string();
    let units = match &column.units {
        Err(reason) => {
            return Cell::empty(unit, reason.clone());
        }
        Ok(units) => units,
    };
    let sure = match column.measure.has_wilson_interval() {
        true => Sure::of_share(units),
        false => {
            let enough = |_: &(f64, f64)| stories(units).len() >= FEWEST_STORIES;
            let drawn = resampled.filter(enough);
            let drawn = drawn.filter(|interval| value.is_some_and(|value| holds(*interval, value)));
            let same = || {
                Some(Sure {
                    interval: same_in_all_stories(column.measure, units)?,
                    by: IntervalBy::Stories,
                    design_effect: None,
                })
            };
            drawn.map(|interval| Sure { interval, by: IntervalBy::Resampling, design_effect: None }).or_else(same)
        }
    };
    let sure = value.and(sure);
    let chance: Option<f64> = units.iter().map(|unit| unit.chance).sum();
    Cell {
        value: value.map(|value| value * PERCENT),
        interval: sure.map(|sure| in_percent(sure.interval)),
        interval_by: sure.map(|sure| sure.by),
        design_effect: sure.and_then(|sure| sure.design_effect),
        n: units.len(),
        unit,
        chance: chance.map(|sum| sum / units.len() as f64 * PERCENT),
        reason: value.is_none().then(|| "undefined for these items".to_string()),
        if_failed_right: None,
        if_unread_right: None,
    }
}

/// An interval, as a fraction, and what it rests on.
#[derive(Clone, Copy)]
struct Sure {
    interval: (f64, f64),
    by: IntervalBy,
    design_effect: Option<f64>,
}

impl Sure {
    /// Of a share of units: Wilson's interval, clustered by story where units share one. `None` where all belong to one
    /// story, which does not show how stories vary.
    fn of_share(units: &[Unit<'_>]) -> Option<Self> {
        let mut numbers: IndexSet<&str> = IndexSet::new();
        let stories: Vec<usize> = units.iter().map(|unit| numbers.insert_full(unit.story).0).collect();
        if numbers.len() == units.len() {
            let interval = wilson(units.iter().filter(|unit| unit.adds[0] > 0.0).count(), units.len())?;
            return Some(Sure { interval, by: IntervalBy::Units, design_effect: None });
        }
        let passes: Vec<f64> = units.iter().map(|unit| f64::from(unit.adds[0] > 0.0)).collect();
        let share = clustered_mean(&passes, &stories)?;
        let design_effect = share.design_effect.filter(|design| *design > 0.0);
        Some(Sure { interval: clustered_wilson(&share)?, by: IntervalBy::Stories, design_effect })
    }
}

/// Whether an interval holds the value it is for. Resampling misses where few stories hold what the value rests on, for
/// instance the only items of a label: such an interval would mislead.
fn holds((low, high): (f64, f64), value: f64) -> bool {
    low <= value && value <= high
}

fn stories<'a>(units: &[Unit<'a>]) -> BTreeSet<&'a str> {
    units.iter().map(|unit| unit.story).collect()
}

/// Wilson's interval over stories for a share that is the same in every story, where resampling them shows nothing.
fn same_in_all_stories(measure: Measure, units: &[Unit<'_>]) -> Option<(f64, f64)> {
    let stories = stories(units);
    let passing = units.iter().filter(|unit| unit.adds[0] > 0.0).count();
    match (measure.is_share(), passing) {
        (true, 0) => wilson(0, stories.len()),
        (true, all) if all == units.len() => wilson(stories.len(), stories.len()),
        _ => None,
    }
}

fn derived_cell(
    table: &Table,
    position: usize,
    value: Option<f64>,
    resampled: Option<(f64, f64)>,
    earlier: &[Cell],
    measured: &[Option<Measured<'_>>],
) -> Cell {
    let (parts, averaged): (Vec<usize>, bool) = match &table.columns[position].source {
        Source::Mean(parts) => (parts.clone(), true),
        Source::Difference(left, right) => (vec![*left, *right], false),
        Source::Range(parts) => (parts.clone(), false),
        Source::Unavailable(reason) => {
            let unit = "items".to_string();
            return Cell::empty(unit, reason.clone());
        }
        Source::Group { .. } => (Vec::new(), false),
    };
    let missing: Vec<&str> = parts
        .iter()
        .filter(|&&part| earlier[part].value.is_none())
        .map(|&part| table.columns[part].name.as_str())
        .collect();
    let chance: Option<f64> = parts.iter().map(|&part| earlier[part].chance).sum();
    let first_unit = parts.first().map_or("items", |&part| earlier[part].unit.as_str());
    let unit = if parts.iter().all(|&part| earlier[part].unit == first_unit) { first_unit } else { "units" };
    let mut ids = BTreeSet::new();
    collect_ids(table, measured, position, &mut ids);
    let interval = resampled.filter(|interval| value.is_some_and(|value| holds(*interval, value)));
    Cell {
        value: value.map(|value| value * PERCENT),
        interval: interval.map(in_percent),
        interval_by: interval.map(|_| IntervalBy::Resampling),
        design_effect: None,
        n: if value.is_some() { ids.len() } else { 0 },
        unit: unit.to_string(),
        chance: chance.filter(|_| averaged).map(|sum| sum / parts.len() as f64),
        reason: value.is_none().then(|| format!("no value for {}", missing.join(", "))),
        if_failed_right: None,
        if_unread_right: None,
    }
}

/// The distinct units behind a column, through all columns it is computed from.
fn collect_ids<'a>(
    table: &Table,
    measured: &'a [Option<Measured<'a>>],
    position: usize,
    ids: &mut BTreeSet<(&'static str, &'a str)>,
) {
    match &table.columns[position].source {
        Source::Mean(parts) | Source::Range(parts) => {
            parts.iter().for_each(|&part| collect_ids(table, measured, part, ids));
        }
        Source::Difference(left, right) => {
            [*left, *right].into_iter().for_each(|part| collect_ids(table, measured, part, ids));
        }
        Source::Group { .. } | Source::Unavailable(_) => {
            if let Some(column) = &measured[position] {
                ids.extend(column.units.iter().flatten().map(|unit| (column.measure.unit(), unit.id)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cells, check, item, outcomes};
    use super::*;
    use crate::benchmark::Item;

    #[test]
    fn items_of_one_story_do_not_count_as_independent() {
        // 20 stories of 10 questions, each answered all rightly or all wrongly: as sure as 20 answers.
        let items: Vec<Item> = (0..200).map(|n| item(&n.to_string(), &(n / 10).to_string(), &[])).collect();
        let right: Vec<bool> = (0..200).map(|n| n / 10 % 2 == 0).collect();
        let cell = cells(&items, &outcomes(&items, &right), "{name='a'}").remove(0);
        check(&cell, 50.0, 200);
        assert_eq!(cell.interval_by, Some(IntervalBy::Stories));
        assert!((cell.design_effect.unwrap() - 10.0).abs() < 0.6, "{cell:?}");
        let (low, high) = cell.interval.unwrap();
        // Wilson's interval of 10 of 20 is 29.9 to 70.1; Student's quantile makes it a little wider.
        assert!(low > 27.0 && low < 29.9 && high > 70.1 && high < 73.0, "{low} {high}");
        let alone: Vec<Item> = (0..4).map(|n| item(&n.to_string(), &n.to_string(), &[])).collect();
        let cell = cells(&alone, &outcomes(&alone, &[true; 4]), "{name='a'}").remove(0);
        assert_eq!((cell.interval_by, cell.design_effect), (Some(IntervalBy::Units), None));
        // All questions of a single story show nothing of other stories.
        let one: Vec<Item> = (0..10).map(|n| item(&n.to_string(), "s", &[])).collect();
        let cell = cells(&one, &outcomes(&one, &[true; 10]), "{name='a'}").remove(0);
        check(&cell, 100.0, 10);
        assert_eq!((cell.interval, cell.interval_by), (None, None));
    }
}
