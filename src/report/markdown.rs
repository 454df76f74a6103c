//! Reports in Markdown.

use super::{Report, sheets};
use crate::table::{Format, Screen, escaped};

/// The report as Markdown.
pub(super) fn report(report: &Report) -> String {
    let mut text = String::from("# Results\n\n");
    if let Some(part) = report.unfinished {
        text.push_str(&format!("**{part}**: {}.\n\n", part.advice()));
    }
    for (name, value) in &report.provenance {
        text.push_str(&format!("- {}: {}\n", escaped(name), escaped(value)));
    }
    for results in &report.results {
        text.push_str(&format!("\n## {}\n\n", escaped(&results.title)));
        for line in sheets::counts(results) {
            text.push_str(&format!("{}\n", escaped(&line)));
        }
        for (heading, rows) in sheets::problems(results) {
            text.push_str(&format!("\n{}\n\n", escaped(&heading)));
            rows.iter().for_each(|row| text.push_str(&format!("- {}\n", escaped(row))));
        }
        for grid in sheets::grids(results) {
            text.push_str(&format!(
                "\n### {}\n\n{}",
                escaped(&grid.title),
                Format::Markdown.table(&grid, Screen::default())
            ));
            for note in &grid.notes {
                text.push_str(&format!("\n{}\n", escaped(note.trim_start_matches("- "))));
            }
        }
        for listing in &results.listings {
            text.push_str(&format!("\n### {}\n\n", escaped(&sheets::listing_heading(listing))));
            listing.ids.iter().for_each(|id| text.push_str(&format!("- {}\n", code(id))));
        }
        if !results.notes.is_empty() {
            text.push_str("\n### Notes\n\n");
            results.notes.iter().for_each(|note| text.push_str(&format!("- {}\n", escaped(note))));
        }
    }
    text
}

/// An id as code, or as plain text where it would end the code.
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
