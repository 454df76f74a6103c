//! Reports for papers: tables, with remarks as comments above them.

use indexmap::IndexSet;

use super::label::SHOWN;
use super::view::{Tables, View};
use super::words::counted_in_thousands;
use super::{Report, problems, sections, summary};
use crate::metric::{IntervalBy, Results, TableResult};
use crate::table::{Format, Screen};

/// The report's visible tables, each with a caption that says how its numbers came about.
pub(super) fn report(report: &Report, view: &View) -> String {
    let (writer, mut text) = (Format::Latex.writer(), String::new());
    if let Some(part) = report.unfinished {
        text.push_str(&format!("% {part}: {}\n", part.advice()));
    }
    for (name, value) in &report.provenance {
        text.push_str(&writer.remark(&format!("{name}: {value}")));
    }
    for results in &report.results {
        for (heading, rows) in problems::problems(results) {
            std::iter::once(heading).chain(rows).for_each(|line| text.push_str(&writer.remark(&line)));
        }
        let (shown, further) = sections::shown(view, results);
        for sections::Section { id, mut grid } in shown {
            let table = results.tables.iter().find(|table| table.id == id);
            // A table is copied into a paper without the comments above it.
            grid.title = caption(report, results, table, &grid);
            grid.reference = Some(format!("{}-{id}", results.benchmark));
            text.push('\n');
            text.push_str(&writer.remark(&results.title));
            grid.remarks("- ").for_each(|note| text.push_str(&writer.remark(&note)));
            text.push_str(&writer.table(&grid, Screen::default()));
        }
        if view.tables == Tables::Main {
            text.push('\n');
            for (id, title) in sections::index(results, &further) {
                text.push_str(&writer.remark(&format!("--table {id}: {title}")));
            }
        }
    }
    writer.document(text)
}

/// Provenance lines included in captions.
const IN_CAPTIONS: [&str; 5] = ["answers", "style", "system", "orders", LABELS];

/// The line whose value says nothing without its name.
const LABELS: &str = "labels";

/// Caption of a table: benchmark, languages, way of answering, n, intervals and warnings.
fn caption(report: &Report, results: &Results, table: Option<&TableResult>, grid: &crate::table::Grid) -> String {
    let languages = summary::all_languages(results);
    let languages = if languages.is_empty() { String::new() } else { format!(" ({languages})") };
    let mut sentences = vec![format!("{}{languages}: {}", results.title, grid.title)];
    sentences.extend(grid.caption.clone());
    let said = |name: &&str| report.provenance.get(*name).filter(|value| !value.is_empty());
    let setting = |name: &&str| {
        let value = said(name)?;
        Some(if *name == LABELS { format!("{value} {name}") } else { value.clone() })
    };
    let settings: Vec<String> = IN_CAPTIONS.iter().filter_map(setting).collect();
    if !settings.is_empty() {
        sentences.push(format!("Answers: {}", settings.join("; ")));
    }
    // Of some languages only, n stands in the rows.
    if said(&SHOWN).is_none() {
        sentences.push(format!("n: {}", counted_in_thousands(results.counts.items, "item")));
    }
    sentences.extend(table.and_then(intervals));
    if results.label_mass.iter().any(|mass| mass.is_low()) {
        sentences.push("Labels hold less than half of the probability after most prompts".to_string());
    }
    if !results.changed_data.is_empty() {
        sentences.push("The data are not the released files".to_string());
    }
    sentences.extend(report.unfinished.map(|part| part.to_string()));
    sentences.iter().map(|sentence| sentence.trim_end_matches('.')).collect::<Vec<_>>().join(". ")
}

/// Basis of a table's intervals.
fn intervals(table: &TableResult) -> Option<String> {
    let cells = table.rows.iter().flat_map(|row| &row.cells);
    let kinds: IndexSet<&str> = cells
        .filter_map(|cell| {
            Some(match cell.interval_by? {
                IntervalBy::Units => "Wilson",
                IntervalBy::Stories => "Wilson, clustered by story",
                IntervalBy::Resampling => "bootstrap over stories",
                IntervalBy::People => "jackknife over people and stories",
            })
        })
        .collect();
    (!kinds.is_empty()).then(|| format!("95 % intervals: {}", kinds.into_iter().collect::<Vec<_>>().join("; ")))
}
