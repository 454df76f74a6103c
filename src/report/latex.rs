//! Tables for papers: one `tabular` per table, for the booktabs package, with its remarks as comments above it.

use super::grid::Grid;
use super::{Exporter, Report, Screen, sheets};

pub(super) struct Latex;

impl Exporter for Latex {
    fn report(&self, report: &Report, _: Screen) -> String {
        let mut text = String::from("% needs \\usepackage{booktabs}\n");
        for (name, value) in &report.header {
            text.push_str(&format!("% {name}: {}\n", value.replace('\n', " ")));
        }
        for results in &report.results {
            if let Some((heading, rows)) = sheets::unread(results) {
                for line in std::iter::once(heading).chain(rows) {
                    text.push_str(&format!("% {}\n", line.replace(['\n', '\r'], " ")));
                }
            }
            for grid in sheets::grids(results) {
                text.push_str(&format!("\n% {}\n", results.title));
                grid.notes.iter().for_each(|note| text.push_str(&format!("% {}\n", note.replace('\n', " "))));
                text.push_str(&table(&grid));
            }
        }
        text
    }

    fn table(&self, grid: &Grid, _: Screen) -> String {
        table(grid)
    }

    fn fact(&self, name: &str, value: &str, _: usize) -> String {
        format!("% {name}: {value}\n")
    }

    fn remark(&self, text: &str) -> String {
        format!("% {text}\n")
    }
}

fn table(grid: &Grid) -> String {
    let line = |cells: &[String]| {
        format!("    {} \\\\\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" & "))
    };
    let values = grid.header.len() - grid.label_columns;
    let mut text = String::from("\\begin{table}\n  \\centering\n");
    text.push_str(&format!("  \\begin{{tabular}}{{{}{}}}\n", "l".repeat(grid.label_columns), "r".repeat(values)));
    text.push_str("    \\toprule\n");
    text.push_str(&line(&grid.header));
    for (index, row) in grid.rows.iter().enumerate() {
        if index == 0 || row.starts_group {
            text.push_str("    \\midrule\n");
        }
        text.push_str(&line(&row.cells));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}\n");
    text.push_str(&format!("  \\caption{{{}}}\n\\end{{table}}\n", escaped(&grid.title)));
    text
}

fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => plain.extend(['\\', character]),
            '~' => plain.push_str("\\textasciitilde{}"),
            '^' => plain.push_str("\\textasciicircum{}"),
            '\\' => plain.push_str("\\textbackslash{}"),
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
    fn special_characters_are_escaped() {
        assert_eq!(escaped("95 % of a_b & {c}\\"), "95 \\% of a\\_b \\& \\{c\\}\\textbackslash{}");
    }
}
