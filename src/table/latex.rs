//! Tables for papers: one `tabular` per table, using the packages booktabs and graphicx; everything else is comments.

use std::ops::Range;

use super::grid::Grid;
use super::{GridWriter, Number, Screen, Value};
use crate::safe_text::{for_terminal, for_tex};

pub(super) struct Latex;

impl GridWriter for Latex {
    fn table(&self, grid: &Grid, _: Screen) -> String {
        table(grid)
    }

    fn document(&self, text: String) -> String {
        with_needs(text)
    }

    fn fact(&self, name: &str, value: &str, _: usize) -> String {
        comment(&format!("{name}: {value}"))
    }

    fn remark(&self, text: &str) -> String {
        comment(text)
    }
}

/// The tables, preceded by what their document needs.
fn with_needs(tables: String) -> String {
    // Latin letters with accents, and European punctuation.
    let beyond = |letter: char| letter.is_alphabetic() && letter > '\u{24f}';
    let mut needs = String::from("% needs \\usepackage{booktabs,graphicx}\n");
    if tables.lines().any(|line| !line.starts_with('%') && line.contains(beyond)) {
        needs.push_str("% contains non-Latin letters: use XeLaTeX or LuaLaTeX, and a font that has them\n");
    }
    needs + &tables
}

/// A comment, which must stay on one line.
fn comment(text: &str) -> String {
    format!("% {}\n", for_terminal(&text.replace(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'], " ")))
}

/// Most lines of one table; the rest goes into further tables.
const MOST_LINES: usize = 46;

/// Tables with more lines are set smaller.
const LONG: usize = 30;

/// Width in points of one column of a two-column paper, as in ACL style.
const COLUMN: f64 = 219.0;

/// Width in points of both columns; wider tables are split.
const PAGE: f64 = 455.0;

/// Typesetting of a table: the commands before it, and estimated widths in points.
struct Setting {
    commands: &'static str,
    /// Width of a digit.
    digit: f64,
    /// Width of a digit in a range.
    range_digit: f64,
    /// Gap between two columns.
    gap: f64,
}

/// From the widest to the tightest; in the tightest, ranges are smaller than numbers.
const SETTINGS: [Setting; 3] = [
    Setting { commands: "", digit: 5.0, range_digit: 5.0, gap: 12.0 },
    Setting {
        commands: "  \\footnotesize\n  \\setlength{\\tabcolsep}{3pt}\n",
        digit: 4.25,
        range_digit: 4.25,
        gap: 6.0,
    },
    Setting {
        commands: "  \\footnotesize\n  \\setlength{\\tabcolsep}{1.5pt}\n",
        digit: 4.25,
        range_digit: 3.98,
        gap: 3.0,
    },
];
const TIGHTEST: &Setting = &SETTINGS[2];

/// In wide tables, longer headings are set vertically, so that the columns stay narrow.
const LONGEST_HEADING: usize = 16;

/// Longer labels are broken at a comma or bracket.
const LONGEST_LABEL: usize = 31;

/// A grid as one table, or as several if too large for a page.
fn table(grid: &Grid) -> String {
    let parts = parts(grid);
    let count = parts.len();
    let part = |(number, part): (usize, PagePart)| {
        let (title, label) = match (count, &grid.reference) {
            (1, reference) => (grid.title.clone(), reference.clone()),
            (_, reference) => {
                let label = reference.as_ref().map(|reference| format!("{reference}-{}", number + 1));
                (format!("{}. Part {} of {count}", grid.title, number + 1), label)
            }
        };
        part_table(grid, &part, &title, label.as_deref())
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Rows and value columns of a grid.
struct PagePart {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Whether the headings of this part are set vertically.
    upright: bool,
}

/// Width of a text in digits.
fn digits(text: &str) -> f64 {
    text.chars().map(|letter| if matches!(letter, '.' | ',' | ':' | ' ' | '(' | ')') { 0.55 } else { 1.0 }).sum()
}

/// Estimated width in points of some columns of a grid.
fn width(grid: &Grid, columns: impl Iterator<Item = usize>, upright: bool, set: &Setting) -> f64 {
    let label = |text: &str| lines(text).iter().map(|line| digits(line.trim_end())).fold(0.0, f64::max) * set.digit;
    // A dash between the ends is as wide as a digit.
    let value = |cell: &Value| match cell {
        Value::Range(low, high) => (digits(&format!("{low}{high}")) + 1.0) * set.range_digit,
        Value::Estimate(number, low, high) => (digits(&format!("{number} ({low}{high})")) + 1.0) * set.range_digit,
        other => digits(&other.to_string()) * set.digit,
    };
    let column = |column: usize| {
        let is_label = column < grid.label_columns;
        let heading = if upright && !is_label { set.digit } else { label(&grid.header[column]) };
        let cells = grid.rows.iter().map(|row| &row.cells[column]);
        cells.map(|cell| if is_label { label(&cell.to_string()) } else { value(cell) }).fold(heading, f64::max)
            + set.gap
    };
    columns.map(column).sum()
}

fn parts(grid: &Grid) -> Vec<PagePart> {
    let (labels, all) = (grid.label_columns, grid.header.len());
    let long = |column: usize| grid.header[column].chars().count() > LONGEST_HEADING;
    let upright = all - labels > 5 && (labels..all).any(long);
    let labels_width = width(grid, 0..labels, upright, TIGHTEST);
    let mut columns: Vec<Range<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for column in labels..all {
        let more = width(grid, column..column + 1, upright, TIGHTEST);
        match columns.last_mut() {
            Some(last) if labels_width + used + more <= PAGE => {
                last.end = column + 1;
                used += more;
            }
            _ => {
                columns.push(column..column + 1);
                used = more;
            }
        }
    }
    // Spreads the columns evenly over the parts.
    let most = (all - labels).div_ceil(columns.len().max(1)).max(1);
    let even: Vec<Range<usize>> = (labels..all).step_by(most).map(|from| from..(from + most).min(all)).collect();
    let fits = |part: &Range<usize>| labels_width + width(grid, part.clone(), upright, TIGHTEST) <= PAGE;
    let columns = if even.iter().all(fits) { even } else { columns };
    let columns = if columns.is_empty() { vec![labels..all] } else { columns };
    let rows = rows(grid);
    let part = |rows: &Range<usize>| {
        let part = |columns| PagePart { rows: rows.clone(), columns, upright };
        columns.clone().into_iter().map(part).collect::<Vec<_>>()
    };
    rows.iter().flat_map(part).collect()
}

/// Splits the rows of a grid between groups, or within a group that is longer than a page.
fn rows(grid: &Grid) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = (0..grid.rows.len()).filter(|&row| row == 0 || grid.rows[row].starts_group).collect();
    starts.push(grid.rows.len());
    let mut rows: Vec<Range<usize>> = Vec::new();
    for group in starts.windows(2).map(|ends| ends[0]..ends[1]) {
        match rows.last_mut() {
            Some(last) if group.end - last.start <= MOST_LINES => last.end = group.end,
            _ => rows.extend(group.clone().step_by(MOST_LINES).map(|from| from..(from + MOST_LINES).min(group.end))),
        }
    }
    if rows.is_empty() { vec![0..0] } else { rows }
}

fn part_table(grid: &Grid, part: &PagePart, title: &str, reference: Option<&str>) -> String {
    let labels = grid.label_columns;
    let columns = || (0..labels).chain(part.columns.clone());
    let joined = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let fitting = |available: f64| {
        let mut settings = SETTINGS.iter().skip(usize::from(part.rows.len() > LONG));
        settings.find(|set| width(grid, columns(), part.upright, set) <= available)
    };
    // Spans both columns of a two-column page.
    let (name, set) = match fitting(COLUMN) {
        Some(set) => ("table", set),
        None => ("table*", fitting(PAGE).unwrap_or(TIGHTEST)),
    };
    let mut text = format!("\\begin{{{name}}}\n  \\centering\n{}", set.commands);
    text.push_str(&format!("  \\begin{{tabular}}{{{}{}}}\n", "l".repeat(labels), "r".repeat(part.columns.len())));
    text.push_str("    \\toprule\n");
    let heading = |column: usize| match part.upright && column >= labels {
        true => format!("\\rotatebox{{90}}{{{}}}", label(&grid.header[column])),
        false => label(&grid.header[column]),
    };
    text.push_str(&joined(columns().map(heading).collect()));
    for row in part.rows.clone() {
        let line = &grid.rows[row];
        let is_empty = |columns: Range<usize>| line.cells[columns].iter().all(Value::is_empty);
        // Rows with values only in other parts are not repeated; heading rows have no values anywhere.
        if is_empty(part.columns.clone()) && !is_empty(labels..line.cells.len()) {
            continue;
        }
        if row == part.rows.start || line.starts_group {
            text.push_str("    \\midrule\n");
        }
        let cell = |column: usize| {
            let cell = &line.cells[column];
            let rendered = match cell {
                _ if column < labels => label(&cell.to_string()),
                Value::Range(..) | Value::Estimate(..) if std::ptr::eq(set, TIGHTEST) => {
                    format!("{{\\scriptsize {}}}", value(cell))
                }
                _ => value(cell),
            };
            if grid.best.contains(&(row, column)) { format!("\\textbf{{{rendered}}}") } else { rendered }
        };
        text.push_str(&joined(columns().map(cell).collect()));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}\n");
    text.push_str(&format!("  \\caption{{{}}}\n", for_tex(title)));
    text.extend(reference.map(|reference| format!("  \\label{{tab:{reference}}}\n")));
    text.push_str(&format!("\\end{{{name}}}\n"));
    text
}

/// Splits a long label into lines.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive(", ").flat_map(|part| part.split_inclusive(" (")) {
        // A bracket begins the next line.
        let opens = lines.last().is_some_and(|line| line.ends_with(" ("));
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.trim_end().chars().count() <= LONGEST_LABEL => {
                line.push_str(part)
            }
            Some(line) if opens => {
                line.truncate(line.len() - 1);
                lines.push(format!("({part}"));
            }
            _ => lines.push(part.to_string()),
        }
    }
    lines
}

/// A row label. A bracket after a line break would be read as an argument of the break.
fn label(text: &str) -> String {
    let lines = lines(text);
    let rendered = match lines.len() {
        0 | 1 => for_tex(text),
        _ => {
            let lines: Vec<String> = lines.iter().map(|line| for_tex(line.trim_end())).collect();
            format!("\\begin{{tabular}}[t]{{@{{}}l@{{}}}}{}\\end{{tabular}}", lines.join(" \\\\ "))
        }
    };
    if text.starts_with(['[', '*']) { format!("{{}}{rendered}") } else { rendered }
}

/// A value, with typographic signs for minus, ranges and missing values.
fn value(value: &Value) -> String {
    let signed = |number: &Number| {
        let sign = if number.sign() == "-" { "$-$" } else { number.sign() };
        format!("{sign}{}", for_tex(&number.unsigned()))
    };
    let range = |low: &Number, high: &Number| {
        let to = if [low, high].iter().all(|end| end.sign().is_empty()) { "--" } else { " to " };
        format!("{}{to}{}", signed(low), signed(high))
    };
    match value {
        Value::Missing(_) => "--".to_string(),
        Value::Text(text) => for_tex(text),
        Value::Number(number) => signed(number),
        Value::Range(low, high) => range(low, high),
        Value::Estimate(number, low, high) => format!("{} ({})", signed(number), range(low, high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::GridRow;

    #[test]
    fn a_comment_ends_where_its_line_does() {
        assert_eq!(comment("a\n\\input{b}\rc\u{202e}"), "% a \\input{b} c\\u{202e}\n");
    }

    #[test]
    fn values_have_their_signs_and_labels_their_lines() {
        let rendered = [
            Value::Missing(None),
            Value::places(-3.5, 1),
            Value::range(Some((9.5, 90.5)), 1),
            Value::signed_range(Some((-8.8, 28.8)), 1),
            Value::places(25.0, 1).unit("*"),
            "a-b".into(),
            Value::places(95.0, 0).unit(" %"),
            Value::places(-0.25, 2).within(Some((-0.5, 0.0)), 2),
            "-5 to 3".into(),
        ];
        assert_eq!(
            rendered.each_ref().map(value),
            [
                "--",
                "$-$3.5",
                "9.5--90.5",
                "$-$8.8 to +28.8",
                "25.0*",
                "a-b",
                "95\\,\\%",
                "$-$0.25 ($-$0.50 to 0.00)",
                "-5 to 3"
            ]
        );
        assert_eq!(label("[x], y"), "{}[x], y");
        assert_eq!(
            label("smollm2-135m-instruct, f32, letters, 80 of 5,720 items"),
            "\\begin{tabular}[t]{@{}l@{}}smollm2-135m-instruct, f32, \\\\ letters, 80 of 5,720 items\\end{tabular}"
        );
    }

    #[test]
    fn large_grids_go_on_in_further_tables() {
        let header: Vec<String> = (0..=26).map(|column| format!("column {column:02}")).collect();
        let row = |number: usize| GridRow {
            cells: (0..=26).map(|column| Value::from(number * 100 + column)).collect(),
            starts_group: number.is_multiple_of(30),
        };
        let grid = Grid {
            title: "T".into(),
            label_columns: 1,
            header: header.clone(),
            rows: (0..90).map(row).collect(),
            best: [(31, 26)].into(),
            ..Grid::default()
        };
        let text = table(&grid);
        assert_eq!(text.matches("\\begin{table*}").count(), 9);
        assert!(text.contains("\\caption{T. Part 9 of 9}") && text.contains("\\textbf{3126}"), "{text}");
        let missing = |cell: &String| !text.contains(&format!(" {cell} ")) && !text.contains(&format!("{{{cell}}}"));
        assert_eq!(grid.rows.iter().flat_map(|row| &row.cells).map(Value::to_string).find(missing), None);
        let small = Grid { rows: grid.rows[..2].to_vec(), header: header[..3].to_vec(), ..grid.clone() };
        let cut = |row: &GridRow| GridRow { cells: row.cells[..3].to_vec(), ..row.clone() };
        let small = Grid { rows: small.rows.iter().map(cut).collect(), ..small };
        assert!(table(&small).contains("\\caption{T}") && table(&small).contains("\\begin{table}"));
        let one = Grid { rows: (0..50).map(|number| GridRow { starts_group: false, ..row(number) }).collect(), ..grid };
        assert_eq!(rows(&one), [0..46, 46..50]);
    }
}
