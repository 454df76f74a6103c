//! Results as grids and sentences, shared by all human-readable formats.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use super::calibration::interval_note;
use super::view::{Published, View};
use super::words::{self, counted_in_thousands, interval, named, number, thousands};
use super::yardsticks;
use crate::extract;
use crate::metric::{
    AVERAGE, Agreement, AskedPart, Cell, Figure, LabelMassResult, Listing, NoneOfThese, OrderEffects, PublishedRow,
    ReplyResult, ResultRow, Results, SmallestCell, TableResult,
};
use crate::name::option_letter;
use crate::page::words::Said;
use crate::table::{Grid, GridRow, Value, cells};

const MARKED: &str = "values with a star count";

/// Heading of a listing: the property its items share, the respondent, and the number of items.
pub(super) fn listing_heading(listing: &Listing) -> String {
    let by = named(&listing.header, true);
    format!("{}: {by}, {}", listing.title, thousands(listing.ids.len()))
}

/// Sentences on the trials run and those that failed.
pub(super) fn counts(results: &Results) -> Vec<Said> {
    let counts = &results.counts;
    let rows = results.tables.iter().flat_map(|table| &table.rows);
    let presentations: BTreeSet<_> = rows.map(|row| &row.header).collect();
    let each = if presentations.len() > 1 { ", counted for each model, style and condition," } else { "" };
    let questions = match counts.questions {
        questions if (1..counts.items).contains(&questions) => {
            format!("{}: ", counted_in_thousands(questions, "question"))
        }
        _ => String::new(),
    };
    let [items, orders, all] = [counts.items, counts.trials, counts.items_in_data];
    let drawn = thousands(counts.draws);
    let mut lines = vec![match each.is_empty() && ![items, orders, all].contains(&1) {
        true => Said::new(
            "note_answered",
            [
                ("items", questions + &thousands(items)),
                ("orders", thousands(orders)),
                ("drawn", drawn),
                ("all", thousands(all)),
            ],
        ),
        false => {
            let items = counted_in_thousands(items, "item");
            let orders = counted_in_thousands(orders, "option order");
            let all = counted_in_thousands(all, "item");
            format!("{questions}{items}{each} answered under {orders} ({drawn} drawn); the data hold {all}.").into()
        }
    }];
    if let (Some((low, high)), true) = (counts.accuracy_bounds, counts.unanswered > 0) {
        lines.push(match counts.unanswered {
            1 => format!(
                "1 item has no answer and counts as wrong; accuracy over all items is {low:.1}, and would be {high:.1} \
                 if it was right."
            )
            .into(),
            more => {
                let [low, high] = [low, high].map(|end| format!("{end:.1}"));
                Said::new("note_unanswered", [("items", thousands(more)), ("low", low), ("high", high)])
            }
        });
    }
    let listed = |counts: &IndexMap<String, usize>| {
        counts.iter().map(|(name, count)| format!("{name} {}", thousands(*count))).collect::<Vec<_>>().join(", ")
    };
    if !counts.failures.is_empty() {
        let kinds = listed(&counts.failures);
        lines.push(match counts.failed_items {
            0 => Said::new("note_failed", [("kinds", kinds)]),
            1 => format!("Warning: 1 item could not be asked; {MARKED} it as wrong. Failed trials: {kinds}.").into(),
            more => {
                let more = thousands(more);
                format!("Warning: {more} items could not be asked; {MARKED} them as wrong. Failed trials: {kinds}.")
                    .into()
            }
        });
    }
    match counts.ties {
        0 => {}
        1 => lines.push("The tie rule decided 1 vote.".into()),
        ties => lines.push(Said::new("note_ties", [("votes", thousands(ties))])),
    }
    lines.extend(label_mass(&results.label_mass));
    match counts.tied_trials {
        0 => {}
        1 => lines.push("Under 1 option order several answers were equally likely.".into()),
        tied => lines.push(Said::new("note_equal", [("orders", thousands(tied))])),
    }
    if !counts.flags.is_empty() {
        lines.push(Said::new("note_anomalies", [("kinds", listed(&counts.flags))]));
    }
    lines
}

/// The probability that a model writes a label, with a warning where it is low.
fn label_mass(found: &[LabelMassResult]) -> Vec<Said> {
    let with_value = || found.iter().filter(|each| each.median.value.is_some());
    let several = with_value().count() > 1;
    let name = |each: &LabelMassResult| match several || each.header.condition.is_some() {
        true => format!(" of {}", named(&each.header, true)),
        false => String::new(),
    };
    let mut lines = Vec::new();
    for each in with_value() {
        let (name, median) = (name(each), number(each.median.value).to_string());
        let values = [("of", name.clone()), ("median", median.clone()), ("prompts", thousands(each.prompts))];
        lines.push(match each.prompts {
            1 => {
                format!("Label mass{name}: the labels hold {median} % of the probability (median of 1 prompt).").into()
            }
            _ => Said::new("note_mass", values),
        });
        if each.is_low() {
            lines.push(Said::new("note_low_mass", [("of", name)]));
        }
    }
    lines
}

/// Says which published rows of models are shown, where it is not all.
const ONLY_BEST: &str = "Of the paper's models, only the one with the best average is shown";

pub(super) fn table_grid(table: &TableResult, view: &View) -> Grid {
    let published = view.published;
    let mut grid = Grid {
        title: match &table.paper {
            Some(paper) => format!("{} ({paper})", table.title),
            None => table.title.clone(),
        },
        label_columns: table.facets.len() + 1,
        header: table.facets.iter().cloned().chain([String::new()]).chain(table.columns.iter().cloned()).collect(),
        ..Grid::default()
    };
    let several_styles = several_styles(table);
    let mut most_left_out = 0;
    for (key, rows) in groups(table) {
        let mut lines: Vec<(String, Vec<Value>)> = Vec::new();
        // Values of models, with the indices of their lines.
        let mut models: Vec<(Option<usize>, Vec<Option<f64>>)> = Vec::new();
        for row in &rows {
            // A model asked only part of the items does not compete for the best value.
            if row.part.is_none() && row.over.is_none() {
                models.push((Some(lines.len()), row.cells.iter().map(|cell| cell.value).collect()));
            }
            let measured = measured_lines(row, several_styles, !table.published.is_empty(), view.only_values);
            grid.measured.push(grid.rows.len() + lines.len()..grid.rows.len() + lines.len() + measured.len());
            lines.extend(measured);
        }
        if view.only_values
            && let Some(row) = rows.first()
        {
            lines.extend(yardsticks::lines(row));
        }
        let beside =
            |row: &&PublishedRow| published != Published::None && rows.iter().any(|other| row.stands_beside(other));
        let (human, models_beside): (Vec<_>, Vec<_>) = table.published.iter().filter(beside).partition(|row| row.human);
        // The paper's means and changes stand beside ours.
        let (computed, models_beside): (Vec<_>, Vec<_>) = models_beside.into_iter().partition(|row| row.average);
        let others = of_models(published, table, models_beside.clone());
        most_left_out = most_left_out.max(models_beside.len() - others.len());
        let is_computed = rows.iter().any(|row| row.over.is_some());
        let others: Vec<_> = others
            .into_iter()
            .chain(computed.into_iter().filter(|_| is_computed || published == Published::All))
            .collect();
        let published_line = |row: &PublishedRow, of: &str| published_line(row, table, of);
        lines.extend(human.into_iter().map(|row| published_line(row, "")));
        // Next to a sample, the paper's figures cover all items: a heading line says so or, in transposed tables, each
        // label.
        let head = all_of(&rows).filter(|_| !others.is_empty());
        let each = head.as_ref().filter(|_| table.transpose).map_or_else(String::new, |head| format!(" ({head})"));
        lines.extend(head.filter(|_| !table.transpose).map(|head| (head, vec![Value::default(); table.columns.len()])));
        // Models that are not shown compete, too.
        let line_of = |row: &PublishedRow| others.iter().position(|shown| std::ptr::eq(*shown, row));
        models
            .extend(models_beside.iter().map(|row| (line_of(row).map(|line| lines.len() + line), row.values.clone())));
        lines.extend(others.into_iter().map(|row| published_line(row, &each)));
        let first = grid.rows.len();
        // Drops and changes have no chance level and no best value.
        let accuracies = |column: &usize| rows.iter().any(|row| row.cells[*column].chance.is_some());
        for column in (0..table.columns.len()).filter(accuracies) {
            let best = best_of(&models, column).into_iter();
            grid.best.extend(best.map(|line| (first + line, grid.label_columns + column)));
        }
        for (index, (label, values)) in lines.into_iter().enumerate() {
            let names = key.iter().map(|name| Value::from(if index == 0 { name } else { "" }));
            let cells = names.chain([label.into()]).chain(values).collect();
            grid.rows.push(GridRow { cells, starts_group: index == 0 });
        }
    }
    grid = grid.explained();
    grid.notes.extend(
        view.only_values.then(|| "Intervals and n: without --only-values, as `tomeval report` prints them.".into()),
    );
    grid.notes.extend(interval_note(table));
    grid.notes.extend(yardsticks::combined_notes(table));
    grid.notes.extend(smallest_note(table));
    grid.notes.extend(yardsticks::notes(table));
    let only_best = (most_left_out > 0 && published == Published::Best).then_some(ONLY_BEST);
    grid.notes.extend(only_best.map(|_| Said::new("note_only_best", [("others", most_left_out.to_string())])));
    // The caption explains the published rows.
    let caption = table.caption.clone().filter(|_| published != Published::None);
    grid.notes.extend(caption.as_ref().map(|caption| caption_note(table, caption)));
    grid.notes.extend(table.note.as_deref().map(Said::known));
    grid.caption = caption
        .into_iter()
        .chain(only_best.map(str::to_string))
        .reduce(|caption, only_best| format!("{}. {only_best}", caption.trim_end_matches('.')));
    if table.transpose { grid.transposed() } else { grid }
}

/// The published model rows to show, out of `rows` that belong next to measured rows, in their order.
fn of_models<'a>(published: Published, table: &TableResult, rows: Vec<&'a PublishedRow>) -> Vec<&'a PublishedRow> {
    match published {
        Published::None => Vec::new(),
        // Drops and changes have no best value.
        Published::Best if !are_shares(table) => rows,
        Published::All => rows,
        Published::Best => {
            let average = average(table);
            let standing = |row: &PublishedRow| match average.and_then(|column| *row.values.get(column)?) {
                Some(average) => Some(average),
                None => {
                    let values: Vec<f64> = row.values.iter().copied().flatten().collect();
                    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
                }
            };
            let best = |best: &'a PublishedRow, other| if standing(other) > standing(best) { other } else { best };
            rows.into_iter().reduce(best).into_iter().collect()
        }
    }
}

/// The headline of a benchmark: the first table with a value, and in it the average column (even if a missing part
/// leaves the average empty), else the first column with a value.
pub(super) fn headline(results: &Results) -> Option<(&TableResult, usize)> {
    let (table, first) = results.tables.iter().find_map(|table| Some((table, valued(table)?)))?;
    Some((table, average(table).unwrap_or(first)))
}

/// The same with a column that has a value.
pub(super) fn valued_headline(results: &Results) -> Option<(&TableResult, usize)> {
    let (table, first) = results.tables.iter().find_map(|table| Some((table, valued(table)?)))?;
    Some((table, average(table).filter(|column| has_value(table, *column)).unwrap_or(first)))
}

/// The column that averages the others.
pub(super) fn average(table: &TableResult) -> Option<usize> {
    table.columns.iter().position(|column| column == AVERAGE)
}

/// The first column in which a row has a value.
fn valued(table: &TableResult) -> Option<usize> {
    (0..table.columns.len()).find(|column| has_value(table, *column))
}

/// Whether a row has a value in a column.
pub(super) fn has_value(table: &TableResult, column: usize) -> bool {
    table.rows.iter().any(|row| row.cells[column].value.is_some())
}

/// Whether the values of a table are shares with a chance level, as bars need.
pub(super) fn are_shares(table: &TableResult) -> bool {
    let cells = || table.rows.iter().flat_map(|row| &row.cells);
    cells().any(|cell| cell.chance.is_some())
        && cells().filter_map(|cell| cell.value).all(|value| (0.0..=100.0).contains(&value))
}

/// Rows of a table grouped by facet values, in order of first occurrence.
pub(super) fn groups(table: &TableResult) -> IndexMap<Vec<&str>, Vec<&ResultRow>> {
    let mut groups: IndexMap<Vec<&str>, Vec<&ResultRow>> = IndexMap::new();
    for row in &table.rows {
        groups.entry(row.key.values().map(String::as_str).collect()).or_default().push(row);
    }
    groups
}

/// Published values for one row and column, with their respondents' names.
pub(super) struct Beside {
    /// Best of the paper's models; of equals the first.
    pub best: Option<(f64, String)>,
    pub people: Option<(f64, String)>,
}

impl Beside {
    /// Published values next to a row of a table.
    pub fn new(table: &TableResult, row: &ResultRow, column: usize) -> Self {
        let values = |human: bool| {
            let rows = table.published.iter().filter(move |published| published.human == human);
            rows.filter(|published| published.stands_beside(row))
                .filter_map(move |published| Some((published.values.get(column).copied().flatten()?, published.name())))
        };
        let best = values(false).reduce(|best, other| if other.0 > best.0 { other } else { best });
        Beside { best, people: values(true).next() }
    }
}

/// Lines with the highest value in a column; empty where fewer than two have a value.
fn best_of(models: &[(Option<usize>, Vec<Option<f64>>)], column: usize) -> Vec<usize> {
    let value = |values: &[Option<f64>]| values.get(column).copied().flatten();
    let highest = models.iter().filter_map(|(_, values)| value(values)).reduce(f64::max);
    let count = models.iter().filter(|(_, values)| value(values).is_some()).count();
    let is_best = |values: &[Option<f64>]| count > 1 && value(values) == highest && highest.is_some();
    models.iter().filter(|(_, values)| is_best(values)).filter_map(|(line, _)| *line).collect()
}

/// Whether the rows of a table need style and condition in their names.
pub(super) fn several_styles(table: &TableResult) -> bool {
    words::several_styles(table.rows.iter().map(|row| &row.header))
}

/// Respondent, way of answering, and part of the items.
pub(super) fn row_name(row: &ResultRow, with_style: bool, with_part: bool) -> String {
    let name = named(&row.header, with_style);
    match row.part.filter(|_| with_part) {
        Some(AskedPart { asked, of }) => {
            format!("{name}, {} of {}", thousands(asked), counted_in_thousands(of, "item"))
        }
        None => name,
    }
}

/// For a mean: the column with the fewest units, and their number.
pub(super) fn smallest(cell: &Cell) -> String {
    cell.smallest.as_ref().map_or_else(String::new, |SmallestCell { column, n }| format!("{column}: {}", thousands(*n)))
}

/// The smallest cells of a table's means, by column.
fn smallest_note(table: &TableResult) -> Option<Said> {
    let cells = table.rows.iter().flat_map(|row| row.cells.iter().zip(&table.columns));
    let found: IndexSet<String> = cells
        .filter(|(cell, _)| cell.smallest.is_some())
        .map(|(cell, column)| format!("{column} of {}", smallest(cell)))
        .collect();
    (!found.is_empty())
        .then(|| Said::new("note_smallest", [("cells", found.into_iter().collect::<Vec<_>>().join("; "))]))
}

/// A measured row, and the lines below it; with `only_values`, what shows the value alone in a wrong light.
fn measured_lines(row: &ResultRow, with_style: bool, with_part: bool, only_values: bool) -> Vec<(String, Vec<Value>)> {
    let label = row_name(row, with_style, with_part);
    let line = |value: fn(&Cell) -> Value| row.cells.iter().map(value).collect::<Vec<_>>();
    // A failed trial is not a wrong answer, so the value is one of two bounds.
    let marked = |cell: &Cell| {
        let value = number(cell.value).or_reason(&cell.reason);
        if cell.if_failed_right.is_some() { value.unit("*") } else { value }
    };
    let mut lines = vec![(label, line(marked))];
    if row.cells.iter().any(|cell| cell.value.is_some() && cell.if_failed_right.is_some()) {
        lines.push((
            "* if failed were right".to_string(),
            line(|cell| {
                let bound = cell.if_failed_right.filter(|_| cell.value.is_some());
                bound.map(|bound| number(Some(bound))).unwrap_or_default()
            }),
        ));
    }
    // Replies without an answer count as wrong: the value is the lower of two bounds.
    if row.cells.iter().any(|cell| cell.if_unread_right.is_some()) {
        let upper = |cell: &Cell| number(cell.if_unread_right.or(cell.value));
        lines.push(("if unread were right".to_string(), line(upper)));
    }
    if row.cells.iter().any(|cell| cell.interval.is_some()) && (!only_values || row.over.is_some()) {
        lines.push(("95 % interval".to_string(), line(|cell| interval(cell.interval))));
    }
    if row.cells.iter().any(|cell| cell.deviation.is_some()) {
        lines.push(("SD over models".to_string(), line(|cell| number(cell.deviation))));
    }
    if !only_values {
        let first_unit = row.cells.first().map_or("items", |cell| cell.unit.as_str());
        let unit = if row.cells.iter().all(|cell| cell.unit == first_unit) { first_unit } else { "units" };
        lines.push((unit.to_string(), line(|cell| Value::grouped(cell.n))));
        lines.extend(yardsticks::lines(row));
    }
    lines
}

/// A published row, with its source unless the table's title names it.
fn published_line(row: &PublishedRow, table: &TableResult, of: &str) -> (String, Vec<Value>) {
    let is_said = table.paper.as_ref().is_some_and(|paper| paper.ends_with(&row.source));
    let source = if is_said { String::new() } else { format!(" [{}]", row.source) };
    (format!("{}{source}{of}", row.name()), row.values.iter().map(|value| number(*value)).collect())
}

/// Number of items behind published figures shown next to samples; `None` next to rows of all items.
pub(super) fn all_of(rows: &[&ResultRow]) -> Option<String> {
    let of: BTreeSet<usize> = rows.iter().filter_map(|row| Some(row.part?.of)).collect();
    match of.len() {
        0 => None,
        1 => of.first().map(|of| format!("paper, all {}", thousands(*of))),
        _ => Some("paper, all items".to_string()),
    }
}

/// The caption of the published rows, with both methods apart where the rows are those that it was made of.
fn caption_note(table: &TableResult, caption: &str) -> Said {
    let methods = table.difference_of_methods();
    let said = methods.map(|(there, here)| Said::new("note_published", [("there", there), ("here", here)]));
    said.filter(|said| said.as_str() == caption).unwrap_or_else(|| caption.into())
}

pub(super) fn replies_grid(replies: &[ReplyResult]) -> Option<Grid> {
    replies.first()?;
    let several_styles = words::several_styles(replies.iter().map(|each| &each.header));
    let outcomes: Vec<&str> = extract::Outcome::ALL.iter().map(|outcome| outcome.name()).collect();
    let header = ["language", "", "replies"].into_iter().chain(outcomes.iter().copied());
    let header = header.chain(["items", "no answer", "accuracy", "if right"]);
    let row = |each: &ReplyResult| {
        let counted = outcomes.iter().map(|name| Value::grouped(each.outcomes.get(*name).copied().unwrap_or(0)));
        let (low, high) = each.accuracy_bounds;
        let mut cells = cells![&each.language, named(&each.header, several_styles), Value::grouped(each.replies)];
        cells.extend(counted.chain([each.items, each.items_without_answer].map(Value::grouped)));
        cells.extend([low, high].map(|bound| number(Some(bound))));
        cells
    };
    let rules: IndexMap<&str, usize> =
        replies.iter().flat_map(|each| &each.rules).fold(IndexMap::new(), |mut all, (rule, count)| {
            *all.entry(rule.as_str()).or_default() += count;
            all
        });
    let listed =
        rules.iter().map(|(rule, count)| format!("{rule} {}", thousands(*count))).collect::<Vec<_>>().join(", ");
    let rules = (!rules.is_empty()).then(|| Said::new("note_rules", [("rules", listed)]));
    let grid = Grid::new("Outcomes of the replies", 2, header, replies.iter().map(row));
    Some(grid.with_notes([Said::new("note_replies", [])].into_iter().chain(rules)))
}

pub(super) fn agreement_grid(found: &[Agreement]) -> Option<Grid> {
    let first = found.first()?;
    let several_labels = found.iter().any(|each| each.label != first.label);
    let header = ["language", "by log-likelihood", "written", "items", "no answer", "same", "same %"];
    let header = header.into_iter().chain(["both right", "only log-lik.", "only written", "neither"]);
    let row = |each: &Agreement| {
        let way = |named: &str| match (several_labels, &each.condition) {
            (false, None) => named.to_string(),
            (false, Some(condition)) => format!("{named}, {condition}"),
            (true, None) => format!("{}, {named}", each.label),
            (true, Some(condition)) => format!("{}, {named}, {condition}", each.label),
        };
        let right = [each.both_right, each.only_scored_right, each.only_written_right, each.neither_right];
        let mut cells = cells![&each.language, way(&each.scored), &each.written];
        cells.extend([each.items, each.without_answer, each.same].map(Value::grouped));
        cells.push(number(each.percent()));
        cells.extend(right.map(Value::grouped));
        cells
    };
    let grid = Grid::new("Written answers and log-likelihood choices", 3, header, found.iter().map(row));
    Some(grid.with_notes([Said::new("note_agreement", [])]))
}

pub(super) fn none_of_these_grid(found: &[NoneOfThese]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = ["language", "", "items", "stories", "hits", "false alarms", "difference"];
    let row = |each: &NoneOfThese| {
        let mut cells = cells![&each.language, named(&each.header, several_styles)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([each.hits, each.false_alarms].map(|share| number(Some(share))));
        cells.push(Value::signed(each.difference, 1).within(each.interval, 1));
        cells
    };
    let grid = Grid::new("\"None of these\" where it is right and where it is wrong", 2, header, found.iter().map(row));
    Some(grid.with_notes([Said::new("note_none_of_these", [])]))
}

pub(super) fn order_effects_grid(effects: &[OrderEffects]) -> Option<Grid> {
    effects.first()?;
    let several_styles = words::several_styles(effects.iter().map(|each| &each.header));
    let slots = effects.iter().map(|each| each.options).max()?;
    let names = ["vote", "one order", "all orders", "mean p", "PriDe", "RStd", "p"];
    let labels = (0..slots).map(|slot| format!("recall {}", option_letter(slot)));
    let header = ["language", "options", "", "items"].into_iter().chain(names).map(String::from).chain(labels);
    let row = |each: &OrderEffects| {
        let figures = [
            &each.vote,
            &each.single_order,
            &each.circular,
            &each.mean_probability,
            &each.debiased,
            &each.recall_deviation,
        ];
        let value = |figure: &Figure, places| Value::places(figure.value, places).or_reason(&figure.reason);
        let recall = (0..slots).map(|slot| each.recall.get(slot).map(|it| number(it.value)).unwrap_or_default());
        let label = named(&each.header, several_styles);
        let mut cells = cells![&each.language, each.options, label, Value::grouped(each.items)];
        cells.extend(figures.map(|figure| value(figure, 1)));
        cells.extend(std::iter::once(value(&each.recall_p, 3)).chain(recall));
        cells
    };
    let grid = Grid::new("Effects of the option order", 3, header, effects.iter().map(row));
    Some(grid.explained().with_notes([Said::new("note_orders", [])]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_of_the_items_is_never_the_best() {
        let cell = |value: f64| json!({"value": value, "interval": null, "n": 2, "unit": "items", "chance": 25.0, "reason": null});
        let row = |label: &str, part: serde_json::Value, value| {
            let of = json!({"label": label, "style": "vanilla", "condition": null, "key": {}, "cells": [cell(value)]});
            let mut row: ResultRow = serde_json::from_value(of).unwrap();
            row.part = serde_json::from_value(part).unwrap();
            row
        };
        let best = |rows: Vec<ResultRow>| {
            let table = json!({
                "id": "t", "title": "T", "paper": null, "facets": [], "columns": ["AVG"], "transpose": false, "rows": [], "note": null,
                "published": [
                    {"label": "GPT-4", "human": false, "source": "Table 1", "key": {}, "values": [74.0]},
                    {"label": "Small", "human": false, "source": "Table 1", "key": {}, "values": [30.0]}
                ]
            });
            let grid = table_grid(
                &TableResult { rows, ..serde_json::from_value(table).unwrap() },
                &View { published: Published::All, ..View::WHOLE },
            );
            grid.best.iter().map(|&(row, _)| grid.rows[row].cells[0].to_string()).collect::<Vec<_>>()
        };
        let part = row("part", json!({"asked": 40, "of": 2860}), 100.0);
        assert_eq!(best(vec![part.clone()]), ["GPT-4 [Table 1]"]);
        assert_eq!(best(vec![part, row("whole", json!(null), 90.0)]), ["whole"]);
    }
}
