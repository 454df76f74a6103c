//! Overview of the run and its results. Numbers are formatted as in the other formats.

use minijinja::context;
use minijinja::value::Value;

use super::bars::{figures, plain};
use crate::figure::{Layout, Theme};
use crate::metric::{Drawing, Results};
use crate::report::figures::{NamedChart, effect_charts, table_charts};
use crate::report::sections::{Section, sections};
use crate::report::sheets;
use crate::report::{Report, View};
use crate::table::Grid;

/// Data for the overview's template.
pub(super) fn overview(report: &Report, facts: &[(String, String)], with_texts: bool) -> Value {
    let named = |(name, value): (&String, &String)| context! { name => plain(name), value => plain(value) };
    let header: Vec<Value> = report.provenance.iter().map(named).collect();
    let facts: Vec<Value> = facts.iter().map(|(name, value)| named((name, value))).collect();
    let unfinished = report.unfinished.map(|part| format!("{part}: {}.", part.advice()));
    let results: Vec<Value> = report.results.iter().map(|each| benchmark(each, with_texts)).collect();
    context! { header, facts, unfinished, results }
}

fn benchmark(results: &Results, with_texts: bool) -> Value {
    let lines: Vec<String> = sheets::counts(results).iter().map(|line| plain(line)).collect();
    // A reason may quote the row.
    let problem = |(heading, rows): (String, Vec<String>)| {
        let rows: Vec<String> = rows.iter().filter(|_| with_texts).map(|row| plain(row)).collect();
        context! { heading, rows }
    };
    let problems: Vec<Value> = sheets::problems(results).map(problem).collect();
    let tables: Vec<Value> = sections(results, &View::WHOLE)
        .iter()
        .map(|Section { id, grid }| match results.tables.iter().find(|table| table.id == *id) {
            Some(source) => table(grid, figures(source), drawn(table_charts(source, results))),
            None => table(grid, Vec::new(), Vec::new()),
        })
        .collect();
    let charts = drawn(effect_charts(results));
    let listings: Vec<Value> = results
        .listings
        .iter()
        .map(|listing| {
            let ids: Vec<String> = listing.ids.iter().map(|id| plain(id)).collect();
            context! { heading => plain(&sheets::listing_heading(listing)), ids }
        })
        .collect();
    let notes: Vec<String> = results.notes.iter().map(|note| plain(note)).collect();
    context! { title => plain(&results.title), lines, problems, tables, charts, listings, notes }
}

/// Charts in the page's colours, except bars: the page has its own, which scale with it.
fn drawn(charts: Vec<NamedChart>) -> Vec<String> {
    let others = charts.iter().filter(|chart| chart.drawing != Some(Drawing::Bars));
    others.map(|each| each.svg(&Theme::PAGE, Layout::Page)).collect()
}

fn table(grid: &Grid, figures: Vec<Value>, charts: Vec<String>) -> Value {
    let cells = |cells: &[String]| cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>();
    let rows: Vec<Value> =
        grid.rows.iter().map(|row| context! { cells => cells(&row.cells), starts => row.starts_group }).collect();
    let notes: Vec<String> = grid.notes.iter().map(|note| plain(note.trim_start_matches("- "))).collect();
    context! { title => plain(&grid.title), labels => grid.label_columns, header => cells(&grid.header), rows, notes, figures, charts }
}
