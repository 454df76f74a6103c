//! Figures of a report: charts of its results for papers, slides and pages.

mod budgets;
mod effects;
mod tables;

use super::label::file_name;
use super::{Report, sheets};
use crate::figure::{Chart, Layout, MOST_SERIES, Theme};
use crate::metric::{Drawing, ResultRow, Results, TableResult};

pub use effects::{Speed, speed_charts};

/// A chart with its file name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedChart {
    /// Unique in a report: benchmark, table, kind, and what distinguishes it within its kind.
    pub name: String,
    /// The kind requested by a card's table; `None` if not requested.
    pub drawing: Option<Drawing>,
    pub chart: Chart,
}

impl NamedChart {
    /// Renders the chart as SVG.
    pub fn svg(&self, theme: &Theme, layout: Layout) -> String {
        self.chart.svg(theme, layout, &self.name)
    }
}

/// All charts of a report, in table order: first those of the tables, then slot recall and reliability. A chart with
/// more rows than colours is split.
pub fn charts(report: &Report) -> Vec<NamedChart> {
    let mut all = Vec::new();
    for results in &report.results {
        let mut found: Vec<NamedChart> = results.tables.iter().flat_map(|table| table_charts(table, results)).collect();
        found.extend(effect_charts(results));
        for each in &mut found {
            if let Some(part) = report.unfinished {
                each.chart.notes.push(format!("{part}: {}.", part.advice()));
            }
        }
        all.extend(found);
    }
    unique(&mut all);
    all
}

/// Charts of one table.
pub(super) fn table_charts(table: &TableResult, results: &Results) -> Vec<NamedChart> {
    of_benchmark(tables::charts(table, results), results)
}

/// Charts beyond the card's tables: slot recall, reliability and budgets of tokens.
pub(super) fn effect_charts(results: &Results) -> Vec<NamedChart> {
    let charts = effects::slot_charts(results).into_iter().chain(effects::reliability_charts(results));
    of_benchmark(charts.chain(budgets::budget_charts(results)).collect(), results)
}

fn of_benchmark(mut charts: Vec<NamedChart>, results: &Results) -> Vec<NamedChart> {
    charts.iter_mut().for_each(|chart| chart.name = format!("{}-{}", file_name(results.benchmark.name()), chart.name));
    unique(&mut charts);
    charts
}

/// Numbers charts of the same name.
fn unique(charts: &mut [NamedChart]) {
    for at in 0..charts.len() {
        let before = charts[..at].iter().filter(|chart| chart.name == charts[at].name).count();
        if before > 0 {
            charts[at].name = format!("{}-{}", charts[at].name, before + 1);
        }
    }
}

/// The lines of a chart: rows, each with its name.
struct Drawn<'a> {
    /// What all rows have in common, for the heading.
    of: String,
    rows: Vec<(String, &'a ResultRow)>,
}

/// Groups rows into charts: one chart per key, with a series per respondent; with a single respondent, one chart with a series per
/// key. Groups of more series than there are colours are split.
fn drawn<'a>(rows: &'a [ResultRow], several_styles: bool) -> Vec<Drawn<'a>> {
    let name = |row: &ResultRow| sheets::row_name(row, several_styles, true);
    let key = |row: &ResultRow| row.key.values().map(String::as_str).collect::<Vec<_>>().join(", ");
    let Some(first) = rows.first() else { return Vec::new() };
    let alone = rows.iter().all(|row| name(row) == name(first));
    let mut groups: Vec<Drawn<'a>> = Vec::new();
    for row in rows {
        let of = if alone { name(row) } else { key(row) };
        let own = match (alone, key(row)) {
            (true, key) if !key.is_empty() => key,
            _ => name(row),
        };
        match groups.iter_mut().find(|group| group.of == of) {
            Some(group) => group.rows.push((own, row)),
            None => groups.push(Drawn { of, rows: vec![(own, row)] }),
        }
    }
    let mut parts = Vec::new();
    for Drawn { of, rows } in groups {
        let count = rows.len().div_ceil(MOST_SERIES);
        for (number, part) in rows.chunks(MOST_SERIES).enumerate() {
            let of = if count > 1 { format!("{of} ({} of {count})", number + 1) } else { of.clone() };
            parts.push(Drawn { of, rows: part.to_vec() });
        }
    }
    parts
}

/// A heading with the properties that all rows share.
fn titled(title: &str, of: &str) -> String {
    if of.is_empty() { title.to_string() } else { format!("{title}: {of}") }
}

#[cfg(test)]
mod tests;
