//! Tables in Markdown.

use super::grid::Grid;
use super::{GridWriter, Screen, Value};

pub(super) struct Markdown;

impl GridWriter for Markdown {
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
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = (0..grid.header.len()).map(|column| if column < grid.label_columns { "---" } else { "---:" });
    let mut text = line(grid.header.iter().map(|name| escaped(name)).collect());
    text.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
    for (index, row) in grid.rows.iter().enumerate() {
        let cell = |(column, cell): (usize, &Value)| match grid.best.contains(&(index, column)) {
            true => format!("**{}**", escaped(&cell.to_string())),
            false => escaped(&cell.to_string()),
        };
        text.push_str(&line(row.cells.iter().enumerate().map(cell).collect()));
    }
    text
}

/// Escapes the characters that Markdown would take as markup in a table or line.
pub fn escaped(text: &str) -> String {
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
        assert_eq!(escaped("العربية 中文 हिन्दी"), "العربية 中文 हिन्दी");
    }
}
