//! Reports in Markdown.

use super::grid::Grid;
use super::{Exporter, Report, Screen, sheets};

pub(super) struct Markdown;

impl Exporter for Markdown {
    fn report(&self, report: &Report, _: Screen) -> String {
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
                text.push_str(&format!("\n### {}\n\n{}", escaped(&grid.title), table(&grid)));
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

    fn table(&self, grid: &Grid, _: Screen) -> String {
        table(grid)
    }

    fn fact(&self, name: &str, value: &str, _: usize) -> String {
        format!("- {}: {}\n", escaped(name), escaped(value))
    }

    fn remark(&self, text: &str) -> String {
        format!("- {}\n", escaped(text))
    }
}

fn table(grid: &Grid) -> String {
    let line =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
    let rule = (0..grid.header.len()).map(|column| if column < grid.label_columns { "---" } else { "---:" });
    let mut text = line(&grid.header);
    text.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
    for (index, row) in grid.rows.iter().enumerate() {
        let cell = |(column, cell): (usize, &String)| match grid.best.contains(&(index, column)) {
            true => format!("**{}**", escaped(cell)),
            false => escaped(cell),
        };
        text.push_str(&format!("| {} |\n", row.cells.iter().enumerate().map(cell).collect::<Vec<_>>().join(" | ")));
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

/// Text with the characters that Markdown would take as markup in a table or line made plain.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#' | '&' | '~' => plain.extend(['\\', character]),
            '\n' | '\r' => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_made_plain_and_scripts_survive() {
        assert_eq!(escaped("a|b_c [d]\n#"), "a\\|b\\_c \\[d\\] \\#");
        assert_eq!(escaped("x & y &lt; \\z <b>"), "x \\& y \\&lt; \\\\z \\<b\\>");
        assert_eq!(code("a/`b`"), "a/\\`b\\`");
        assert_eq!(escaped("العربية 中文 हिन्दी"), "العربية 中文 हिन्दी");
    }
}
