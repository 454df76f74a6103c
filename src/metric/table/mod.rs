//! Builds one table: measured rows from outcomes, published rows from the card.

mod combined;
mod yardsticks;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::compute::Unit;
use super::constant::Constants;
use super::layout::{Column, Source, Table};
use super::method::Method;
use super::respondent::Respondent;
use super::results::{Cell, IntervalBy, PublishedRow, ResultRow, SmallestCell, TableResult};
use super::sums::{RowSums, Span, values};
use super::world::{Group, World, part, row_keys};
use super::{Measure, Outcome};
use crate::seed::seeded;
use crate::stats::{
    Cluster, FEWEST_STORIES, TwoWayCell, clustered_bootstrap, clustered_mean, clustered_wilson, two_way, wilson,
};
use yardsticks::{note_constants, note_independence, note_ranges};

/// The outcomes of one style and condition.
pub(super) struct Presentation<'a> {
    /// The outcomes of each respondent: a model, or people.
    pub(super) worlds: Vec<World<'a>>,
    /// All items of the data, unanswered, on which the best constant answer is chosen; `None` if one world has them
    /// all.
    pub(super) whole: Option<World<'a>>,
    /// The constant answers to try on the items as shown; `None` where no best one is wanted.
    pub(super) constants: Option<Arc<Constants<'a>>>,
}

impl<'a> Presentation<'a> {
    /// The outcomes of all respondents.
    pub(super) fn all(&self) -> Vec<&'a Outcome<'a>> {
        self.worlds.iter().flat_map(|world| world.outcomes.iter().copied()).collect()
    }
}

/// Builds the table for the outcomes of every style and condition. For several people, values are means over them. Rows
/// without items are left out, and so are published rows without a measured row.
pub(super) fn table_result<'a>(
    table: &Table,
    presentations: &[Presentation<'a>],
    by: Respondent<'_>,
    seed: u64,
) -> TableResult {
    let mut rows = Vec::new();
    for presentation in presentations {
        for key in row_keys(&presentation.worlds, &table.rows, &table.filter) {
            rows.push(row(table, presentation, &key, by, seed));
        }
    }
    let visible: Vec<usize> = (0..table.columns.len()).filter(|&column| !table.columns[column].hidden).collect();
    let published = table.published.iter().map(|published| PublishedRow {
        label: published.label.clone(),
        human: published.human,
        average: published.average,
        source: published.source.clone(),
        style: published.style.clone(),
        method: published.method.clone(),
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
        parts: table.parts.clone(),
        across: table.across.clone(),
        published: published.filter(|published| rows.iter().any(|row| published.stands_beside(row))).collect(),
        rows,
        caption: None,
        note: table.note.clone(),
    }
}

/// A column of one row: its units, and the position of its sums among those of the row.
struct Measured<'a> {
    span: Span,
    /// The units of each respondent, or the reason why there are none.
    units: Result<Vec<Vec<Unit<'a>>>, String>,
}

impl<'a> Measured<'a> {
    /// The units of all respondents.
    fn units(&self) -> impl Iterator<Item = &Unit<'a>> {
        self.units.iter().flatten().flatten()
    }

    /// The units, each with the place in a row at which its sums begin.
    fn placed(&self) -> impl Iterator<Item = (usize, &Unit<'a>)> {
        let people = self.units.iter().flatten().enumerate();
        people.flat_map(|(person, units)| units.iter().map(move |unit| (person, unit))).map(|(person, unit)| {
            let Span { offset, width, .. } = self.span;
            (offset + person * width, unit)
        })
    }
}

/// The columns of a row, `None` for columns derived from others, and their total number of sums.
fn measured<'a>(groups: &[Option<(Measure, Vec<Group<'a>>)>]) -> (Vec<Option<Measured<'a>>>, usize) {
    let mut width = 0;
    let of_column = |group: &Option<(Measure, Vec<Group<'a>>)>| {
        let (measure, groups) = group.as_ref()?;
        let units = of_each(groups.iter().map(|group| measure.units(group)));
        let own = units.as_ref().map_or(0, |units| units.iter().flatten().next().map_or(0, |unit| unit.adds.len()));
        let offset = width;
        width += own * groups.len();
        let people = units.as_ref().map_or(0, Vec::len);
        Some(Measured { span: Span { measure: *measure, offset, width: own, people }, units })
    };
    let measured = groups.iter().map(of_column).collect();
    (measured, width)
}

fn spans(measured: &[Option<Measured<'_>>]) -> Vec<Option<Span>> {
    measured.iter().map(|column| column.as_ref().map(|column| column.span)).collect()
}

/// The groups of each column of a row, one per respondent.
fn groups<'a>(
    table: &'a Table,
    worlds: &'a [World<'a>],
    key: &'a [(String, String)],
) -> Vec<Option<(Measure, Vec<Group<'a>>)>> {
    let rows: Vec<Group<'_>> = worlds.iter().map(|world| Group::new(world, vec![&table.filter], key)).collect();
    let of_column = |column: &'a Column| match &column.source {
        Source::Group { measure, filter } => Some((*measure, rows.iter().map(|row| row.within(filter)).collect())),
        _ => None,
    };
    table.columns.iter().map(of_column).collect()
}

fn row<'a>(
    table: &Table,
    presentation: &Presentation<'a>,
    key: &[(String, String)],
    by: Respondent<'_>,
    seed: u64,
) -> ResultRow {
    let worlds = &presentation.worlds[..];
    let groups = groups(table, worlds, key);
    let (measured, width) = measured(&groups);

    let (stories, clusters) = clusters(&measured, width);
    let mut sums = vec![0.0; width];
    for (position, value) in clusters.iter().flat_map(|cluster| &cluster.adds) {
        sums[*position] += value;
    }
    let spans = spans(&measured);
    let statistics = |sums: &[f64]| values(&table.columns, &spans, sums);
    let needs_resampling = worlds.len() == 1
        && table.columns.iter().any(|column| match &column.source {
            Source::Group { measure, .. } => !measure.has_wilson_interval(),
            Source::Unavailable(_) | Source::Both(_) | Source::Range(_) => false,
            _ => true,
        });
    let place: Vec<&str> = key.iter().flat_map(|(facet, value)| [facet.as_str(), value.as_str()]).collect();
    let name = format!("interval {} {}", table.id, place.join(" "));
    let resampled = if needs_resampling {
        clustered_bootstrap(&clusters, width, seeded(seed, &name, 0), statistics)
            .into_iter()
            .map(|interval| interval.filter(|(low, high)| low < high))
            .collect()
    } else {
        vec![None; table.columns.len()]
    };

    let mut cells: Vec<Cell> = Vec::new();
    let behind = behind(&table.columns);
    for (position, value) in statistics(&sums).into_iter().enumerate() {
        let cell = match &measured[position] {
            Some(measured) => measured_cell(measured, value, resampled[position]),
            None => {
                let distinct = distinct_units(&measured, &behind[position]);
                let enough = fewest_stories(&measured, &behind[position]) >= FEWEST_STORIES;
                derived_cell(table, position, value, resampled[position].filter(|_| enough), &cells, distinct)
            }
        };
        cells.push(cell);
    }
    if worlds.len() > 1 {
        note_people(&mut cells, table, (&measured, &behind), width);
    }
    if let Some(constants) = &presentation.constants {
        let whole = presentation.whole.as_ref().map_or(worlds, std::slice::from_ref);
        note_constants(&mut cells, table, constants, &measured, width, (whole, key));
    }
    note_independence(&mut cells, table, &measured, worlds);
    note_ranges(&mut cells, table, &measured, |column| seeded(seed, &format!("{name} {column}"), 0));
    let hidden: Vec<bool> = table.columns.iter().map(|column| column.hidden).collect();
    let sums = table.across.is_any().then(|| {
        let fewest = behind.iter().map(|columns| fewest_stories(&measured, columns)).collect();
        let stories = stories.into_iter().map(String::from).collect();
        Arc::new(RowSums { columns: table.columns.clone(), spans, fewest, stories, clusters, width, seed })
    });
    let (style, condition) = worlds.first().map_or(("", None), World::presentation);
    ResultRow {
        header: by.header(style, condition),
        method: Method::default(),
        other_items: false,
        part: part(worlds, &table.filter, key),
        key: key.iter().cloned().collect(),
        cells: cells.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(cell, _)| cell).collect(),
        over: None,
        sums,
    }
}

/// Sets intervals over people and stories in cells with several people.
fn note_people(
    cells: &mut [Cell],
    table: &Table,
    (measured, behind): (&[Option<Measured<'_>>], &[BTreeSet<usize>]),
    width: usize,
) {
    let mut stories: IndexSet<&str> = IndexSet::new();
    let mut answers: BTreeMap<(usize, usize), Vec<(usize, f64)>> = BTreeMap::new();
    for column in measured.iter().flatten() {
        for (person, units) in column.units.iter().flatten().enumerate() {
            for unit in units {
                let adds = answers.entry((person, stories.insert_full(unit.story).0)).or_default();
                let first = column.span.offset + person * column.span.width;
                adds.extend(unit.adds.iter().enumerate().map(|(index, value)| (first + index, *value)));
            }
        }
    }
    let answers = answers.into_iter().map(|((person, story), adds)| TwoWayCell { person, story, adds });
    let answers: Vec<TwoWayCell> = answers.collect();
    let uses: Vec<Vec<Range<usize>>> = behind.iter().map(|columns| uses(measured, columns)).collect();
    let levels = levels(&table.columns);
    let spans = spans(measured);
    let found = two_way(&answers, width, &uses, |sums| values(&table.columns, &spans, sums));
    for (position, (cell, sure)) in cells.iter_mut().zip(found).enumerate() {
        let interval = cell.value.zip(sure).and_then(|(value, sure)| match &table.columns[position].source {
            Source::Range(_) => None,
            _ if levels[position] => sure.share(value / PERCENT),
            _ => sure.unbounded(value / PERCENT),
        });
        cell.interval = interval.map(in_percent);
        cell.interval_by = interval.map(|_| IntervalBy::People);
        cell.design_effect = None;
    }
}

/// Positions of the sums of these columns.
fn uses(measured: &[Option<Measured<'_>>], columns: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let columns = columns.iter().filter_map(|&column| measured[column].as_ref());
    columns.map(|Measured { span, .. }| span.offset..span.offset + span.width * span.people).collect()
}

/// For each column, whether its values are levels from 0 to 1: shares, F1 scores, and means of them.
fn levels(columns: &[Column]) -> Vec<bool> {
    let mut levels: Vec<bool> = Vec::with_capacity(columns.len());
    for column in columns {
        levels.push(match &column.source {
            Source::Group { measure, .. } => *measure != Measure::CoherentDrop,
            Source::Mean(parts) => parts.iter().all(|&part| levels[part]),
            _ => false,
        });
    }
    levels
}

/// The columns with units from which each column is computed, directly or indirectly; the column itself if it has
/// units.
fn behind(columns: &[Column]) -> Vec<BTreeSet<usize>> {
    let mut behind: Vec<BTreeSet<usize>> = Vec::with_capacity(columns.len());
    for (position, column) in columns.iter().enumerate() {
        behind.push(match &column.source {
            Source::Group { .. } => BTreeSet::from([position]),
            _ => parts(column).into_iter().flat_map(|part| behind[part].iter().copied()).collect(),
        });
    }
    behind
}

/// Number of distinct units of these columns.
fn distinct_units(measured: &[Option<Measured<'_>>], columns: &BTreeSet<usize>) -> usize {
    let columns = columns.iter().filter_map(|&column| measured[column].as_ref());
    let units = columns.flat_map(|column| column.units().map(|unit| (column.span.measure.unit(), unit.id)));
    units.collect::<HashSet<(&str, &str)>>().len()
}

/// Smallest number of stories among the measured columns behind a column: too few stories in one of them make the
/// variation between stories unknown, however many the others have.
fn fewest_stories(measured: &[Option<Measured<'_>>], columns: &BTreeSet<usize>) -> usize {
    let counts = columns.iter().filter_map(|&column| measured[column].as_ref());
    counts.map(|column| stories(&column.units().collect::<Vec<_>>()).len()).min().unwrap_or(0)
}

/// The columns that a column is computed from.
fn parts(column: &Column) -> Vec<usize> {
    match &column.source {
        Source::Mean(parts) | Source::Range(parts) => parts.clone(),
        Source::Difference(left, right) => vec![*left, *right],
        Source::Group { .. } | Source::Both(_) | Source::Unavailable(_) => Vec::new(),
    }
}

/// The units of each respondent (empty for those without any), or the reason why nobody has any.
fn of_each<'a>(found: impl Iterator<Item = Result<Vec<Unit<'a>>, String>>) -> Result<Vec<Vec<Unit<'a>>>, String> {
    let (mut all, mut reason) = (Vec::new(), None);
    for units in found {
        all.push(units.unwrap_or_else(|why| {
            reason.get_or_insert(why);
            Vec::new()
        }));
    }
    if all.iter().all(Vec::is_empty) { Err(reason.unwrap_or_else(|| "no items".into())) } else { Ok(all) }
}

/// The stories of a row, and what each adds to its sums.
fn clusters<'a>(measured: &[Option<Measured<'a>>], width: usize) -> (Vec<&'a str>, Vec<Cluster>) {
    let mut by_story: IndexMap<&str, Vec<f64>> = IndexMap::new();
    let mut touched: IndexMap<&str, BTreeSet<usize>> = IndexMap::new();
    for column in measured.iter().flatten() {
        for (person, units) in column.units.iter().flatten().enumerate() {
            for unit in units {
                let sums = by_story.entry(unit.story).or_insert_with(|| vec![0.0; width]);
                let positions = touched.entry(unit.story).or_default();
                for (index, value) in unit.adds.iter().enumerate() {
                    let position = column.span.offset + person * column.span.width + index;
                    sums[position] += value;
                    positions.insert(position);
                }
            }
        }
    }
    let cluster = |((story, sums), positions): ((_, Vec<f64>), BTreeSet<usize>)| {
        (story, Cluster { adds: positions.into_iter().map(|position| (position, sums[position])).collect() })
    };
    by_story.into_iter().zip(touched.into_values()).map(cluster).unzip()
}

const PERCENT: f64 = 100.0;

fn in_percent(interval: (f64, f64)) -> (f64, f64) {
    (interval.0 * PERCENT, interval.1 * PERCENT)
}

fn measured_cell(column: &Measured<'_>, value: Option<f64>, resampled: Option<(f64, f64)>) -> Cell {
    let unit = column.span.measure.unit().to_string();
    if let Err(reason) = &column.units {
        return Cell::empty(unit, reason.clone());
    }
    let units: &[&Unit<'_>] = &column.units().collect::<Vec<_>>();
    let of_sets = unit == "stories" && units.iter().any(|unit| unit.id != unit.story);
    let unit = if of_sets { "sets".to_string() } else { unit };
    let sure = match column.span.measure.has_wilson_interval() {
        true => Sure::of_share(units),
        false => {
            let enough = |_: &(f64, f64)| stories(units).len() >= FEWEST_STORIES;
            let drawn = resampled.filter(enough);
            let drawn = drawn.filter(|interval| value.is_some_and(|value| holds(*interval, value)));
            let same = || {
                Some(Sure {
                    interval: same_in_all_stories(column.span.measure, units)?,
                    by: IntervalBy::Stories,
                    design_effect: None,
                })
            };
            drawn.map(|interval| Sure { interval, by: IntervalBy::Resampling, design_effect: None }).or_else(same)
        }
    };
    let sure = value.and(sure);
    let chance = units.iter().all(|unit| unit.guessed.is_some()).then(|| {
        let mut sums = vec![0.0; column.span.offset + column.span.people * column.span.width];
        for (offset, unit) in column.placed() {
            unit.guessed.iter().flatten().zip(&mut sums[offset..]).for_each(|(value, sum)| *sum += value);
        }
        column.span.value(&sums)
    });
    Cell {
        value: value.map(|value| value * PERCENT),
        interval: sure.map(|sure| in_percent(sure.interval)),
        interval_by: sure.map(|sure| sure.by),
        design_effect: sure.and_then(|sure| sure.design_effect),
        n: units.len(),
        unit,
        chance: chance.flatten().map(|chance| chance * PERCENT),
        reason: value.is_none().then(|| "undefined for these items".to_string()),
        ..Cell::default()
    }
}

/// An interval, as a fraction, and its basis.
#[derive(Clone, Copy)]
struct Sure {
    interval: (f64, f64),
    by: IntervalBy,
    design_effect: Option<f64>,
}

impl Sure {
    /// For a share of units: Wilson's interval, clustered by story if units share one. `None` if all belong to one
    /// story, which does not show the variation between stories.
    fn of_share(units: &[&Unit<'_>]) -> Option<Self> {
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

/// Whether an interval contains its value. Resampling fails if few stories hold what the value depends on, for instance
/// the only items of a label; such an interval would mislead.
fn holds((low, high): (f64, f64), value: f64) -> bool {
    low <= value && value <= high
}

fn stories<'a>(units: &[&Unit<'a>]) -> BTreeSet<&'a str> {
    units.iter().map(|unit| unit.story).collect()
}

/// Wilson's interval over stories for a share that is the same in every story, where resampling shows no variation.
fn same_in_all_stories(measure: Measure, units: &[&Unit<'_>]) -> Option<(f64, f64)> {
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
    distinct_units: usize,
) -> Cell {
    match &table.columns[position].source {
        Source::Unavailable(reason) => return Cell::empty("items".to_string(), reason.clone()),
        Source::Both(_) => return Cell::empty("items".to_string(), combined::NOT_BOTH.to_string()),
        _ => {}
    }
    let parts = parts(&table.columns[position]);
    let averaged = matches!(table.columns[position].source, Source::Mean(_));
    let missing: Vec<&str> = parts
        .iter()
        .filter(|&&part| earlier[part].value.is_none())
        .map(|&part| table.columns[part].name.as_str())
        .collect();
    let chance: Option<f64> = parts.iter().map(|&part| earlier[part].chance).sum();
    let first_unit = parts.first().map_or("items", |&part| earlier[part].unit.as_str());
    let unit = if parts.iter().all(|&part| earlier[part].unit == first_unit) { first_unit } else { "units" };
    let interval = resampled.filter(|interval| value.is_some_and(|value| holds(*interval, value)));
    Cell {
        value: value.map(|value| value * PERCENT),
        interval: interval.map(in_percent),
        interval_by: interval.map(|_| IntervalBy::Resampling),
        design_effect: None,
        n: if value.is_some() { distinct_units } else { 0 },
        unit: unit.to_string(),
        smallest: value.filter(|_| averaged).and_then(|_| smallest(table, &parts, earlier)),
        chance: chance.filter(|_| averaged).map(|sum| sum / parts.len() as f64),
        reason: value.is_none().then(|| format!("no value for {}", missing.join(", "))),
        ..Cell::default()
    }
}

/// The cell with the fewest units among a mean's parts; for a part that is itself a mean, its own smallest.
fn smallest(table: &Table, parts: &[usize], earlier: &[Cell]) -> Option<SmallestCell> {
    let of_part = |&part: &usize| {
        let cell = &earlier[part];
        let own = || SmallestCell { column: table.columns[part].name.clone(), n: cell.n };
        cell.smallest.clone().unwrap_or_else(own)
    };
    parts.iter().map(of_part).min_by_key(|cell| cell.n)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cells, check, item, outcomes};
    use super::*;
    use crate::benchmark::Item;

    #[test]
    fn a_mean_of_means_is_made_of_each_column_once() {
        // Each column is the mean of the two before it: expanding each anew would give 2^60 columns for the last.
        let items: Vec<Item> = (0..4).map(|n| item(&n.to_string(), &n.to_string(), &[])).collect();
        let means = (2..90).map(|n| format!("{{name='c{n}', mean=['c{}', 'c{}']}}", n - 1, n - 2));
        let columns: Vec<String> = ["{name='c0'}".into(), "{name='c1'}".into()].into_iter().chain(means).collect();
        let columns = columns.join(", ");
        let right = [true, true, true, false];
        check(cells(&items, &outcomes(&items, &right), &columns).last().unwrap(), 75.0, 4);
        // The same with two people, whose intervals need the columns behind each column.
        let by = |rater: &str| -> Vec<Outcome<'_>> {
            outcomes(&items, &right).into_iter().map(|outcome| outcome.of_rater(Some(rater.into()))).collect()
        };
        let found = cells(&items, &[by("p1"), by("p2")].concat(), &columns);
        assert!((found.last().unwrap().value.unwrap() - 75.0).abs() < 1e-9);
    }

    #[test]
    fn a_mean_is_no_surer_than_its_part_of_fewest_stories() {
        let of = |few: usize| {
            let task = |n: usize| if n < few { "few" } else { "many" };
            let items: Vec<Item> =
                (0..60).map(|n| item(&n.to_string(), &n.to_string(), &[("task", task(n))])).collect();
            let right: Vec<bool> = (0..60).map(|n| n % 2 == 0).collect();
            let columns = "{name='few', where={task='few'}}, {name='many', where={task='many'}}, \
                           {name='mean', mean=['few', 'many']}, {name='nested', mean=['mean', 'many']}";
            cells(&items, &outcomes(&items, &right), columns)
        };
        let (four, five) = (of(4), of(5));
        assert!(four[2].value.is_some() && four[2].interval.is_none() && four[3].interval.is_none(), "{four:?}");
        assert!(five[2].interval.is_some() && five[3].interval.is_some(), "{five:?}");
    }

    #[test]
    fn items_of_one_story_do_not_count_as_independent() {
        // 20 stories of 10 questions, each answered all right or all wrong: as informative as 20 answers.
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
        // The questions of a single story show nothing about other stories.
        let one: Vec<Item> = (0..10).map(|n| item(&n.to_string(), "s", &[])).collect();
        let cell = cells(&one, &outcomes(&one, &[true; 10]), "{name='a'}").remove(0);
        check(&cell, 100.0, 10);
        assert_eq!((cell.interval, cell.interval_by), (None, None));
    }
}
