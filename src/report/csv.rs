//! Reports as comma separated values: one line per cell, so that any program can regroup them, and one per item of a
//! listing.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::{Exporter, Report, Screen, Unfinished};
use crate::benchmark::{Comparison, RowProblem};
use crate::metric::{Agreement, Figure, LabelMassResult, Listing, OrderEffects, ReplyResult, Results};
use crate::untrusted::{for_cell, for_terminal};

const HEADER: [&str; 18] = [
    "benchmark",
    "table",
    "kind",
    "label",
    "style",
    "condition",
    "key",
    "column",
    "value",
    "low",
    "high",
    "n",
    "unit",
    "chance",
    "source",
    "reason",
    "if_failed_right",
    "answers",
];

type Line = [String; HEADER.len()];

pub(super) struct Csv;

impl Exporter for Csv {
    fn report(&self, report: &Report, _: Screen) -> String {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        let lines = report.results.iter().flat_map(|results| {
            let mut lines = cells(results);
            lines.extend(results.order_effects.iter().flat_map(|effects| order_effects(&results.benchmark, effects)));
            lines.extend(results.label_mass.iter().map(|mass| label_mass(&results.benchmark, mass)));
            lines.extend(results.replies.iter().flat_map(|replies| reply_lines(&results.benchmark, replies)));
            lines.extend(results.agreement.iter().flat_map(|found| agreement(&results.benchmark, found)));
            lines.extend(results.listings.iter().flat_map(|listing| listed(&results.benchmark, listing)));
            lines.extend(results.unread_rows.iter().map(|row| unread(&results.benchmark, row)));
            lines.extend(results.changed_data.iter().map(|count| changed(&results.benchmark, count)));
            lines
        });
        let mut write = |line: &[String]| {
            let cells = line.iter().map(|cell| harmless(cell).into_owned());
            writer.write_record(cells).expect("all lines have as many fields, in memory");
        };
        write(&HEADER.map(String::from));
        report.unfinished.into_iter().for_each(|part| write(&unfinished(part)));
        report.provenance.iter().for_each(|(name, value)| write(&provenance(&report.label, name, value)));
        lines.for_each(|line| write(&line));
        let bytes = writer.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("fields are UTF-8")
    }
}

/// A cell that a spreadsheet program takes for the text or number that it is.
pub(super) fn harmless(cell: &str) -> Cow<'_, str> {
    match cell.parse::<f64>() {
        Ok(_) => Cow::Borrowed(cell),
        Err(_) => Cow::Owned(for_cell(&for_terminal(cell)).into_owned()),
    }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn key(key: &IndexMap<String, String>) -> String {
    key.iter().map(|(facet, value)| format!("{facet}={value}")).collect::<Vec<_>>().join(";")
}

fn unfinished(part: Unfinished) -> Line {
    let mut line: Line = Default::default();
    line[1] = "unfinished".to_string();
    line[2] = "unfinished".to_string();
    line[7] = "trials".to_string();
    line[8] = part.done.to_string();
    line[11] = part.planned.to_string();
    line[12] = "trials".to_string();
    line[15] = format!("{part}: {}", part.advice());
    line
}

/// A line of the report's header: its text stands under `source`, so that values stay numbers.
fn provenance(label: &str, name: &str, value: &str) -> Line {
    let mut line: Line = Default::default();
    line[1] = "provenance".to_string();
    line[2] = "provenance".to_string();
    line[3] = label.to_string();
    line[7] = name.to_string();
    line[14] = value.to_string();
    line
}

/// A count in which the data differ from the released files.
fn changed(benchmark: &str, count: &Comparison) -> Line {
    let mut line: Line = Default::default();
    line[0] = benchmark.to_string();
    line[1] = "changed-data".to_string();
    line[2] = "changed-data".to_string();
    line[6] = format!("language={}", count.language);
    line[7] = count.count.clone();
    line[8] = count.found.to_string();
    line[15] = count.to_string();
    line
}

fn cells(results: &Results) -> Vec<Line> {
    let mut lines = Vec::new();
    for table in &results.tables {
        for row in &table.rows {
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                lines.push([
                    results.benchmark.clone(),
                    table.id.clone(),
                    "measured".to_string(),
                    row.label.clone(),
                    row.style.clone(),
                    row.condition.clone().unwrap_or_default(),
                    key(&row.key),
                    column.clone(),
                    number(cell.value),
                    number(cell.interval.map(|interval| interval.0)),
                    number(cell.interval.map(|interval| interval.1)),
                    cell.n.to_string(),
                    cell.unit.clone(),
                    number(cell.chance),
                    table.paper.clone().unwrap_or_default(),
                    cell.reason.clone().unwrap_or_default(),
                    number(cell.if_failed_right),
                    row.answers.clone(),
                ]);
                // Only where replies were read: a line of its own.
                if cell.if_unread_right.is_some() {
                    let mut line = lines[lines.len() - 1].clone();
                    line[2] = "if-unread-right".to_string();
                    line[8] = number(cell.if_unread_right);
                    [9, 10, 16].into_iter().for_each(|column| line[column].clear());
                    lines.push(line);
                }
            }
        }
        for row in &table.published {
            for (column, value) in table.columns.iter().zip(&row.values).filter(|(_, value)| value.is_some()) {
                let mut line: Line = Default::default();
                line[0] = results.benchmark.clone();
                line[1] = table.id.clone();
                line[2] = if row.human { "human" } else { "published" }.to_string();
                line[3] = row.label.clone();
                line[6] = key(&row.key);
                line[7] = column.clone();
                line[8] = number(*value);
                line[14] = row.source.clone();
                lines.push(line);
            }
        }
    }
    lines
}

fn order_effects(benchmark: &str, effects: &OrderEffects) -> Vec<Line> {
    let named: [(&str, &Figure); 6] = [
        ("vote", &effects.vote),
        ("single order", &effects.single_order),
        ("circular", &effects.circular),
        ("mean probability", &effects.mean_probability),
        ("debiased", &effects.debiased),
        ("recall deviation", &effects.recall_deviation),
    ];
    let recall = effects.recall.iter().enumerate().map(|(slot, figure)| (format!("recall {}", slot + 1), figure));
    named
        .into_iter()
        .map(|(name, figure)| (name.to_string(), figure))
        .chain(recall)
        .map(|(name, figure)| {
            let mut line: Line = Default::default();
            line[0] = benchmark.to_string();
            line[1] = "order-effects".to_string();
            line[2] = "measured".to_string();
            line[3] = effects.label.clone();
            line[17] = effects.answers.clone();
            line[4] = effects.style.clone();
            line[5] = effects.condition.clone().unwrap_or_default();
            line[6] = format!("language={};options={}", effects.language, effects.options);
            line[7] = name;
            line[8] = number(figure.value);
            line[11] = effects.items.to_string();
            line[12] = "items".to_string();
            line[15] = figure.reason.clone().unwrap_or_default();
            line
        })
        .collect()
}

fn label_mass(benchmark: &str, mass: &LabelMassResult) -> Line {
    let mut line: Line = Default::default();
    line[0] = benchmark.to_string();
    line[1] = "label-mass".to_string();
    line[2] = "measured".to_string();
    line[3] = mass.label.clone();
    line[17] = mass.answers.clone();
    line[4] = mass.style.clone();
    line[5] = mass.condition.clone().unwrap_or_default();
    line[7] = "median".to_string();
    line[8] = number(mass.median.value);
    line[11] = mass.prompts.to_string();
    line[12] = "prompts".to_string();
    line[15] = mass.median.reason.clone().unwrap_or_default();
    line
}

fn reply_lines(benchmark: &str, replies: &ReplyResult) -> Vec<Line> {
    let counted = |names: &IndexMap<String, usize>, prefix: &str| -> Vec<(String, f64, usize, &str)> {
        let line =
            |(name, count): (&String, &usize)| (format!("{prefix}{name}"), *count as f64, replies.replies, "replies");
        names.iter().map(line).collect()
    };
    let mut values = counted(&replies.outcomes, "");
    values.extend(counted(&replies.rules, "rule "));
    values.push(("items without answer".to_string(), replies.items_without_answer as f64, replies.items, "items"));
    values.push(("accuracy".to_string(), replies.accuracy_bounds.0, replies.items, "items"));
    values.push(("accuracy if unread were right".to_string(), replies.accuracy_bounds.1, replies.items, "items"));
    let line = |(column, value, n, unit): (String, f64, usize, &str)| {
        let mut line: Line = Default::default();
        line[0] = benchmark.to_string();
        line[1] = "replies".to_string();
        line[2] = "measured".to_string();
        line[3] = replies.label.clone();
        line[17] = replies.answers.clone();
        line[4] = replies.style.clone();
        line[5] = replies.condition.clone().unwrap_or_default();
        line[6] = format!("language={}", replies.language);
        line[7] = column;
        line[8] = number(Some(value));
        line[11] = n.to_string();
        line[12] = unit.to_string();
        line
    };
    values.into_iter().map(line).collect()
}

fn agreement(benchmark: &str, found: &Agreement) -> Vec<Line> {
    let compared = found.items - found.without_answer;
    let values = [
        ("same answer", found.percent(), compared, "items"),
        ("without answer", Some(found.without_answer as f64), found.items, "items"),
        ("both right", Some(found.both_right as f64), compared, "items"),
        ("only by log-likelihood right", Some(found.only_scored_right as f64), compared, "items"),
        ("only written right", Some(found.only_written_right as f64), compared, "items"),
        ("neither right", Some(found.neither_right as f64), compared, "items"),
    ];
    let line = |(column, value, n, unit): (&str, Option<f64>, usize, &str)| {
        let mut line: Line = Default::default();
        line[0] = benchmark.to_string();
        line[1] = "agreement".to_string();
        line[2] = "measured".to_string();
        line[3] = found.label.clone();
        line[5] = found.condition.clone().unwrap_or_default();
        line[6] = format!("language={}", found.language);
        line[7] = column.to_string();
        line[8] = number(value);
        line[11] = n.to_string();
        line[12] = unit.to_string();
        line[17] = format!("{} | {}", found.scored, found.written);
        line
    };
    values.map(line).to_vec()
}

fn listed(benchmark: &str, listing: &Listing) -> Vec<Line> {
    listing
        .ids
        .iter()
        .map(|id| {
            let mut line: Line = Default::default();
            line[0] = benchmark.to_string();
            line[1] = listing.id.clone();
            line[2] = "listed".to_string();
            line[3] = listing.label.clone();
            line[17] = listing.answers.clone();
            line[4] = listing.style.clone();
            line[5] = listing.condition.clone().unwrap_or_default();
            line[6] = format!("item={id}");
            line[7] = listing.title.clone();
            line
        })
        .collect()
}

fn unread(benchmark: &str, row: &RowProblem) -> Line {
    let mut line: Line = Default::default();
    line[0] = benchmark.to_string();
    line[1] = "unread-rows".to_string();
    line[2] = "unread".to_string();
    line[6] = format!("row={}", row.place());
    line[7] = row.field.clone().unwrap_or_default();
    line[15] = row.message.clone();
    line
}
