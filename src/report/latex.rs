//! Tables for papers: one `tabular` per table, for the booktabs package, with its remarks as comments above it.

use super::grid::Grid;
use super::{Exporter, Report, Screen, sheets};

pub(super) struct Latex;

impl Exporter for Latex {
    fn report(&self, report: &Report, _: Screen) -> String {
        let mut text = String::from("% needs \\usepackage{booktabs}\n");
        if let Some(part) = report.unfinished {
            text.push_str(&format!("% {part}: {}\n", part.advice()));
        }
        for (name, value) in &report.provenance {
            text.push_str(&comment(&format!("{name}: {value}")));
        }
        for results in &report.results {
            for (heading, rows) in sheets::problems(results) {
                std::iter::once(heading).chain(rows).for_each(|line| text.push_str(&comment(&line)));
            }
            for mut grid in sheets::grids(results) {
                // A table is copied into a paper without the comments above it.
                let settings = settings(report);
                if !settings.is_empty() {
                    grid.title.push_str(&format!(". {settings}"));
                }
                if let Some(part) = report.unfinished {
                    grid.title.push_str(&format!(". {part}"));
                }
                text.push('\n');
                text.push_str(&comment(&results.title));
                grid.notes.iter().for_each(|note| text.push_str(&comment(note)));
                text.push_str(&table(&grid));
            }
        }
        text
    }

    fn table(&self, grid: &Grid, _: Screen) -> String {
        table(grid)
    }

    fn fact(&self, name: &str, value: &str, _: usize) -> String {
        comment(&format!("{name}: {value}"))
    }

    fn remark(&self, text: &str) -> String {
        comment(text)
    }
}

/// Lines of the provenance that a table in a paper cannot do without.
const IN_CAPTIONS: [&str; 7] = ["answers", "style", "orders", "labels", "seed", "arithmetic", "tomeval"];

/// How the numbers came about, for a caption.
fn settings(report: &Report) -> String {
    let said = |name: &&str| report.provenance.get(*name).map(|value| format!("{name}: {value}"));
    IN_CAPTIONS.iter().filter_map(said).collect::<Vec<_>>().join("; ")
}

/// A comment, which ends where its line does.
fn comment(text: &str) -> String {
    format!("% {}\n", text.replace(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'], " "))
}

fn table(grid: &Grid) -> String {
    let joined = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let values = grid.header.len() - grid.label_columns;
    let mut text = String::from("\\begin{table}\n  \\centering\n");
    text.push_str(&format!("  \\begin{{tabular}}{{{}{}}}\n", "l".repeat(grid.label_columns), "r".repeat(values)));
    text.push_str("    \\toprule\n");
    text.push_str(&joined(grid.header.iter().map(|cell| escaped(cell)).collect()));
    for (index, row) in grid.rows.iter().enumerate() {
        if index == 0 || row.starts_group {
            text.push_str("    \\midrule\n");
        }
        let cell = |(column, cell): (usize, &String)| match grid.best.contains(&(index, column)) {
            true => format!("\\textbf{{{}}}", escaped(cell)),
            false => escaped(cell),
        };
        text.push_str(&joined(row.cells.iter().enumerate().map(cell).collect()));
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
            '<' => plain.push_str("\\textless{}"),
            '>' => plain.push_str("\\textgreater{}"),
            '|' => plain.push_str("\\textbar{}"),
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
        assert_eq!(escaped("a|b #1 $x^~\ny"), "a\\textbar{}b \\#1 \\$x\\textasciicircum{}\\textasciitilde{} y");
        assert_eq!(comment("a\n\\input{b}\rc"), "% a \\input{b} c\n");
    }
}
