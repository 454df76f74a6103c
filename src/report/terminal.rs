//! Reports for a terminal.

use unicode_width::UnicodeWidthStr;

use super::view::{COUNTS, LISTINGS, NOTES, SETTINGS, Tables, View};
use super::{Report, problems, sections, sheets, summary};
use crate::table::{Format, hanging};

/// The report as text; control characters in names and texts are not yet escaped.
pub(super) fn report(report: &Report, view: &View) -> String {
    let screen = view.screen;
    let line = |text: &str| hanging("", text, screen) + "\n";
    let indented = |text: &str| hanging("  ", text, screen) + "\n";
    let mut text = String::new();
    if view.shows(SETTINGS) {
        if let Some(part) = report.unfinished {
            text.push_str(&line(&format!("{part}: {}.\n", part.advice())));
        }
        let widest = report.provenance.keys().map(|name| name.width()).max().unwrap_or(0);
        for (name, value) in &report.provenance {
            let padding = " ".repeat(widest - name.width());
            text.push_str(&hanging(&format!("{name}{padding}  "), value, screen));
            text.push('\n');
        }
    } else {
        text.push_str(&summary::head(report, screen));
    }
    for results in &report.results {
        text.push_str(&format!("\n{}\n{}\n", results.title, "=".repeat(results.title.width())));
        if view.tables == Tables::Main {
            text.push_str(&summary::headline(results, view));
        }
        if view.shows(COUNTS) {
            text.extend(sheets::counts(results).iter().map(|sentence| line(sentence.as_str())));
            for (heading, rows) in problems::problems(results) {
                text.push_str(&line(&heading));
                text.extend(rows.iter().map(|row| indented(row)));
            }
        }
        let (shown, further) = sections::shown(view, results);
        for grid in shown.iter().map(|section| &section.grid) {
            text.push_str(&format!("\n{}\n{}\n", grid.title, Format::Terminal.table(grid, screen)));
            text.extend(grid.remarks("- ").map(|note| indented(&note)));
        }
        if view.shows(LISTINGS) {
            for listing in &results.listings {
                text.push_str(&format!("\n{}\n", sheets::listing_heading(listing)));
                listing.ids.iter().for_each(|id| text.push_str(&format!("  {id}\n")));
            }
        }
        if view.shows(NOTES) && !results.notes.is_empty() {
            text.push_str("\nNotes\n");
            text.extend(results.notes.iter().map(|note| indented(note)));
        }
        if view.tables == Tables::Main {
            let index = sections::index(results, &further);
            let widest = index.iter().map(|(id, _)| id.width()).max().unwrap_or(0);
            text.push_str("\nMore, by argument\n");
            for (id, title) in index {
                text.push_str(&hanging(&format!("  --table {id:widest$}  "), &title, screen));
                text.push('\n');
            }
        }
    }
    if !view.is_whole() {
        text.push_str(&summary::to_know(report, screen));
    }
    text
}
