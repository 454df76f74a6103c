//! Reports for a terminal.

use unicode_width::UnicodeWidthStr;

use super::{Report, sheets};
use crate::table::{Format, Screen};

/// The report as text, without control characters of others made harmless yet.
pub(super) fn report(report: &Report, screen: Screen) -> String {
    let mut text = String::new();
    if let Some(part) = report.unfinished {
        text.push_str(&format!("{part}: {}.\n\n", part.advice()));
    }
    let widest = report.provenance.keys().map(|name| name.width()).max().unwrap_or(0);
    for (name, value) in &report.provenance {
        let padding = " ".repeat(widest - name.width());
        text.push_str(&format!("{name}{padding}  {value}\n"));
    }
    for results in &report.results {
        text.push_str(&format!("\n{}\n{}\n", results.title, "=".repeat(results.title.width())));
        for line in sheets::counts(results) {
            text.push_str(&line);
            text.push('\n');
        }
        for (heading, rows) in sheets::problems(results) {
            text.push_str(&format!("{heading}\n"));
            rows.iter().for_each(|row| text.push_str(&format!("  {row}\n")));
        }
        for grid in sheets::grids(results) {
            text.push_str(&format!("\n{}\n", grid.title));
            text.push_str(&Format::Terminal.table(&grid, screen));
            text.push('\n');
            for note in &grid.notes {
                text.push_str(&format!("  {note}\n"));
            }
        }
        for listing in &results.listings {
            text.push_str(&format!("\n{}\n", sheets::listing_heading(listing)));
            listing.ids.iter().for_each(|id| text.push_str(&format!("  {id}\n")));
        }
        if !results.notes.is_empty() {
            text.push_str("\nNotes\n");
            results.notes.iter().for_each(|note| text.push_str(&format!("  {note}\n")));
        }
    }
    text
}
