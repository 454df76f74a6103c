//! Reports in Markdown.

use super::view::{COUNTS, LISTINGS, NOTES, SETTINGS, Tables, View};
use super::{Report, problems, sections, sheets, summary};
use crate::table::{Format, Screen, escaped};

/// The report as Markdown.
pub(super) fn report(report: &Report, view: &View) -> String {
    let mut text = String::from("# Results\n\n");
    if let Some(part) = report.unfinished {
        text.push_str(&format!("**{part}**: {}.\n\n", part.advice()));
    }
    let is_said = |name: &str| view.shows(SETTINGS) || summary::is_said(name);
    for (name, value) in report.provenance.iter().filter(|(name, _)| is_said(name)) {
        text.push_str(&format!("- {}: {}\n", escaped(name), escaped(value)));
    }
    for results in &report.results {
        text.push_str(&format!("\n## {}\n\n", escaped(&results.title)));
        if view.shows(COUNTS) {
            let counts: Vec<String> =
                sheets::counts(results).iter().map(|line| escaped(line.as_str()) + "\n").collect();
            text.push_str(&counts.join("\n"));
            for (heading, rows) in problems::problems(results) {
                text.push_str(&format!("\n{}\n\n", escaped(&heading)));
                rows.iter().for_each(|row| text.push_str(&format!("- {}\n", escaped(row))));
            }
        }
        let (shown, further) = sections::shown(view, results);
        for grid in shown.iter().map(|section| &section.grid) {
            let table = Format::Markdown.table(grid, Screen::default());
            text.push_str(&format!("\n### {}\n\n{table}", escaped(&grid.title)));
            grid.remarks("").for_each(|note| text.push_str(&format!("\n{}\n", escaped(&note))));
        }
        if view.shows(LISTINGS) {
            for listing in &results.listings {
                text.push_str(&format!("\n### {}\n\n", escaped(&sheets::listing_heading(listing))));
                listing.ids.iter().for_each(|id| text.push_str(&format!("- {}\n", code(id))));
            }
        }
        if view.shows(NOTES) && !results.notes.is_empty() {
            text.push_str("\n### Notes\n\n");
            results.notes.iter().for_each(|note| text.push_str(&format!("- {}\n", escaped(note))));
        }
        if view.tables == Tables::Main {
            text.push_str("\n### More, by argument\n\n");
            for (id, title) in sections::index(results, &further) {
                text.push_str(&format!("- `--table {id}`: {}\n", escaped(&title)));
            }
        }
    }
    let warnings = summary::warnings_of(report);
    if !view.is_whole() && !warnings.is_empty() {
        text.push_str("\n## Before you use these numbers\n\n");
        warnings.iter().for_each(|warning| text.push_str(&format!("- {}\n", escaped(warning))));
    }
    text
}

/// An id as code, or as plain text if it would end the code span.
fn code(id: &str) -> String {
    match id.contains(['`', '\n', '\r']) {
        true => escaped(id),
        false => format!("`{id}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_would_end_the_code_is_plain() {
        assert_eq!(code("a/b"), "`a/b`");
        assert_eq!(code("a/`b`"), "a/\\`b\\`");
    }
}
