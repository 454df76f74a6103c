//! The headline of a card for two respondents on the same items: the answers it averages, and their weights.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::compute::Unit;
use super::layout::{Column, Source, Table};
use super::world::{Group, Population, World, row_keys};
use super::{Layout, Measure, Outcome};
use crate::benchmark::Item;

/// The column that represents a table, if present: the papers' average.
pub const AVERAGE: &str = "AVG";

/// A figure of two respondents, such as the headline: a weighted mean of parts, each a weighted share of units (items or stories) that are
/// right.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadlinePair {
    /// Id of its table.
    pub table: String,
    /// Heading of its column.
    pub column: String,
    /// Facet values of its row.
    pub key: IndexMap<String, String>,
    /// Prompt style.
    pub style: String,
    /// Changed presentation; `None` for the plain one.
    pub condition: Option<String>,
    /// The measured columns that it averages, with their weights, which add up to 1.
    pub parts: Vec<(f64, Vec<UnitPair>)>,
}

/// One unit for both respondents.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitPair {
    pub id: String,
    /// Story of the unit.
    pub story: String,
    /// Whether it is right for each respondent.
    pub right: [bool; 2],
    /// Weight within its part: 1, or the number of items of its stratum per item asked.
    pub weight: f64,
}

/// Headlines of two respondents, whose outcomes must be of the same items in the same presentations, in the same order.
/// They are ordered by presentation and by the rows of the table that represents the card. Headlines that lack a part,
/// or that are not a mean of right answers (for instance an F1), are left out.
///
/// `items` are all items of the benchmark. `stratum` is the facet by which the outcomes were sampled from these, if
/// any: then each stratum counts as in the whole.
pub fn headline_pairs<'a>(
    layout: &Layout,
    items: &[Item],
    stratum: Option<&str>,
    outcomes: [&[Outcome<'a>]; 2],
) -> Vec<HeadlinePair> {
    pairs(layout, items, stratum, outcomes, representative)
}

/// The cells of the table that represents the card, in place of its headlines: one for each row and each column that
/// is not a mean or difference of other columns; of a table in several parts, which hold the same questions, those of
/// the first part. The rest is as in [`headline_pairs`].
pub fn cell_pairs<'a>(
    layout: &Layout,
    items: &[Item],
    stratum: Option<&str>,
    outcomes: [&[Outcome<'a>]; 2],
) -> Vec<HeadlinePair> {
    pairs(layout, items, stratum, outcomes, |table, has_value| {
        let end = table.parts.values().nth(1).copied().unwrap_or(table.columns.len());
        table.measured().into_iter().filter(|column| *column < end && has_value(*column)).collect()
    })
}

/// The column of a headline; none if no column has a value.
fn representative(table: &Table, has_value: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let columns = || (0..table.columns.len()).filter(|column| !table.columns[*column].hidden);
    let average = columns().find(|&column| table.columns[column].name == AVERAGE);
    columns().find(|column| has_value(*column)).map(|first| average.unwrap_or(first)).into_iter().collect()
}

/// Chooses columns of a table, given whether a column has a value.
type Choose = fn(&Table, &dyn Fn(usize) -> bool) -> Vec<usize>;

fn pairs<'a>(
    layout: &Layout,
    items: &[Item],
    stratum: Option<&str>,
    [first, second]: [&[Outcome<'a>]; 2],
    choose: Choose,
) -> Vec<HeadlinePair> {
    let population = Population::new(items, None);
    let mut presentations: IndexMap<(&str, Option<&str>), [Vec<&Outcome<'_>>; 2]> = IndexMap::new();
    for (one, other) in first.iter().zip(second) {
        let both = presentations.entry((&one.style, one.condition.as_deref())).or_default();
        both[0].push(one);
        both[1].push(other);
    }
    let mut found = Vec::new();
    for [first, second] in presentations.into_values() {
        let worlds = [World::new(&population, first), World::new(&population, second)];
        let of_table = layout.tables.iter().find_map(|table| of_table(table, items, stratum, &worlds, choose));
        found.extend(of_table.unwrap_or_default());
    }
    found
}

/// The chosen columns of a table by row; `None` if none is chosen.
fn of_table(
    table: &Table,
    items: &[Item],
    stratum: Option<&str>,
    worlds: &[World<'_>; 2],
    choose: Choose,
) -> Option<Vec<HeadlinePair>> {
    let keys = row_keys(&worlds[..1], &table.rows, &table.filter);
    let parts_of = |column: usize, key: &[(String, String)]| -> Option<Vec<(f64, Vec<UnitPair>)>> {
        let of_part = |(weight, column): (f64, usize)| {
            let Source::Group { measure, filter } = &table.columns[column].source else { return None };
            let groups = [0, 1].map(|side: usize| Group::new(&worlds[side], vec![&table.filter, filter], key));
            Some((weight, units(*measure, items, stratum, &groups)?))
        };
        leaves(&table.columns, column)?.into_iter().map(of_part).collect()
    };
    let columns = choose(table, &|column| keys.iter().any(|key| parts_of(column, key).is_some()));
    let (style, condition) = worlds[0].presentation();
    let pair = |(key, &column): (&Vec<(String, String)>, &usize)| {
        Some(HeadlinePair {
            table: table.id.clone(),
            column: table.columns[column].name.clone(),
            key: key.iter().cloned().collect(),
            style: style.to_string(),
            condition: condition.map(str::to_string),
            parts: parts_of(column, key)?,
        })
    };
    let cells = keys.iter().flat_map(|key| columns.iter().map(move |column| (key, column)));
    (!columns.is_empty()).then(|| cells.filter_map(pair).collect())
}

/// Measured columns that a column averages, each once, with its weight; `None` if the column is not a mean.
fn leaves(columns: &[Column], column: usize) -> Option<Vec<(f64, usize)>> {
    let mut weights = vec![0.0; column + 1];
    weights[column] = 1.0;
    let mut found = Vec::new();
    // Columns depend only on earlier ones.
    for position in (0..=column).rev() {
        let weight = weights[position];
        match &columns[position].source {
            _ if weight == 0.0 => {}
            Source::Group { .. } => found.push((weight, position)),
            Source::Mean(parts) => parts.iter().for_each(|&part| weights[part] += weight / parts.len() as f64),
            Source::Difference(..) | Source::Range(_) | Source::Both(_) | Source::Unavailable(_) => return None,
        }
    }
    found.reverse();
    Some(found)
}

/// Units of both sides; `None` if there are none, or if the measure depends on more than which answers are right.
fn units<'a>(
    measure: Measure,
    items: &[Item],
    stratum: Option<&str>,
    groups: &[Group<'a>; 2],
) -> Option<Vec<UnitPair>> {
    if !measure.is_all_right() {
        return None;
    }
    let [first, second] = groups.each_ref().map(|group| measure.units(group).ok());
    let weights =
        stratum.filter(|_| measure.unit() == "items").map(|stratum| stratum_weights(stratum, items, &groups[0]));
    let weight = |unit: &Unit<'_>| weights.as_ref().and_then(|weights| weights.get(unit.id)).copied().unwrap_or(1.0);
    let pair = |(one, other): (Unit<'a>, Unit<'a>)| UnitPair {
        id: one.id.to_string(),
        story: one.story.to_string(),
        right: [one.adds[0] > 0.0, other.adds[0] > 0.0],
        weight: weight(&one),
    };
    Some(first?.into_iter().zip(second?).map(pair).collect())
}

/// For each asked item, the number of items of its stratum and language per item asked.
fn stratum_weights<'a>(stratum: &str, items: &[Item], group: &Group<'a>) -> HashMap<&'a str, f64> {
    let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
    let of = |item: &Item| (item.language, item.facet(stratum).map(str::to_string));
    items.iter().filter(|item| group.wants(item)).for_each(|item| counts.entry(of(item)).or_default().0 += 1);
    group.outcomes.iter().for_each(|outcome| counts.entry(of(outcome.item)).or_default().1 += 1);
    let weight = |outcome: &&'a Outcome<'a>| {
        let (all, asked) = counts.get(&of(outcome.item)).copied().unwrap_or((1, 1));
        (outcome.item.id.as_str(), all as f64 / asked as f64)
    };
    group.outcomes.iter().map(weight).collect()
}
