//! Tables for papers: one `tabular` per table, for the packages booktabs and graphicx; all else is comments.

use std::ops::Range;

use super::grid::Grid;
use super::{GridWriter, Screen};
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

/// Tables below what their document needs.
fn with_needs(tables: String) -> String {
    // Latin letters with their accents, and the signs of European texts.
    let beyond = |letter: char| letter.is_alphabetic() && letter > '\u{24f}';
    let mut needs = String::from("% needs \\usepackage{booktabs,graphicx}\n");
    if tables.lines().any(|line| !line.starts_with('%') && line.contains(beyond)) {
        needs.push_str("% holds letters beyond Latin: use XeLaTeX or LuaLaTeX, and a font that has them\n");
    }
    needs + &tables
}

/// A comment, which ends where its line does.
fn comment(text: &str) -> String {
    format!("% {}\n", for_terminal(&text.replace(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'], " ")))
}

/// Value columns and lines that one table holds at most; what has more goes on in further tables.
const MOST_COLUMNS: usize = 12;
const MOST_LINES: usize = 46;

/// More value columns or lines than these are set smaller.
const WIDE: usize = 5;
const LONG: usize = 30;

/// Headings of more characters stand upright in wide tables, so that the numbers below them stay close.
const LONGEST_HEADING: usize = 16;

/// Labels of more characters are broken at a comma.
const LONGEST_LABEL: usize = 36;

/// A grid as one table, or as several where it is too large for a page.
fn table(grid: &Grid) -> String {
    let parts = parts(grid);
    let count = parts.len();
    let part = |(number, part): (usize, PagePart)| {
        let title = match count {
            1 => grid.title.clone(),
            _ => format!("{}. Part {} of {count}", grid.title, number + 1),
        };
        part_table(grid, &part, &title)
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Rows and value columns of a grid.
struct PagePart {
    rows: Range<usize>,
    columns: Range<usize>,
}

fn parts(grid: &Grid) -> Vec<PagePart> {
    let (labels, all) = (grid.label_columns, grid.header.len());
    // As many in each part.
    let per_part = (all - labels).div_ceil((all - labels).div_ceil(MOST_COLUMNS).max(1)).max(1);
    let columns = (labels..all).step_by(per_part).map(|from| from..(from + per_part).min(all)).collect::<Vec<_>>();
    let columns = if columns.is_empty() { vec![labels..all] } else { columns };
    let rows = rows(grid);
    let part = |rows: &Range<usize>| {
        columns.clone().into_iter().map(|columns| PagePart { rows: rows.clone(), columns }).collect::<Vec<_>>()
    };
    rows.iter().flat_map(part).collect()
}

/// The rows of a grid, cut where groups begin, or within a group that is longer than a page.
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

fn part_table(grid: &Grid, part: &PagePart, title: &str) -> String {
    let labels = grid.label_columns;
    let columns = || (0..labels).chain(part.columns.clone());
    let joined = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let small = part.columns.len() > WIDE || part.rows.len() > LONG;
    // Over both columns of a page that has two.
    let name = if part.columns.len() > WIDE { "table*" } else { "table" };
    let mut text = format!("\\begin{{{name}}}\n  \\centering\n");
    if small {
        text.push_str("  \\footnotesize\n  \\setlength{\\tabcolsep}{3pt}\n");
    }
    // No wider than the line.
    text.push_str("  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n");
    text.push_str(&format!("  \\begin{{tabular}}{{{}{}}}\n", "l".repeat(labels), "r".repeat(part.columns.len())));
    text.push_str("    \\toprule\n");
    let long = |column: usize| grid.header[column].chars().count() > LONGEST_HEADING;
    let upright = part.columns.len() > WIDE && part.columns.clone().any(long);
    let heading = |column: usize| match upright && column >= labels {
        true => format!("\\rotatebox{{90}}{{{}}}", label(&grid.header[column])),
        false => label(&grid.header[column]),
    };
    text.push_str(&joined(columns().map(heading).collect()));
    for row in part.rows.clone() {
        let line = &grid.rows[row];
        if row == part.rows.start || line.starts_group {
            text.push_str("    \\midrule\n");
        }
        let cell = |column: usize| {
            let cell = &line.cells[column];
            let rendered = if column < labels { label(cell) } else { value(cell) };
            if grid.best.contains(&(row, column)) { format!("\\textbf{{{rendered}}}") } else { rendered }
        };
        text.push_str(&joined(columns().map(cell).collect()));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}}\n");
    text.push_str(&format!("  \\caption{{{}}}\n\\end{{{name}}}\n", for_tex(title)));
    text
}

/// What a row is called: on several lines where it is long. A line break of a table takes a bracket after it as its own.
fn label(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive(", ") {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.trim_end().chars().count() <= LONGEST_LABEL => {
                line.push_str(part)
            }
            _ => lines.push(part.to_string()),
        }
    }
    let rendered = match lines.len() {
        0 | 1 => for_tex(text),
        _ => {
            let lines: Vec<String> = lines.iter().map(|line| for_tex(line.trim_end())).collect();
            format!("\\begin{{tabular}}[t]{{@{{}}l@{{}}}}{}\\end{{tabular}}", lines.join(" \\\\ "))
        }
    };
    if text.starts_with(['[', '*']) { format!("{{}}{rendered}") } else { rendered }
}

/// A value: with signs for minus, for ranges and for what is missing.
fn value(text: &str) -> String {
    let is_number = |text: &str| text.trim_start_matches(['+', '-']).starts_with(|first: char| first.is_ascii_digit());
    let signed = |text: &str| match text.strip_prefix('-') {
        Some(digits) if is_number(digits) => format!("$-${}", for_tex(digits)),
        _ => for_tex(text),
    };
    match text.split_once(" to ") {
        _ if text == "-" => "--".to_string(),
        Some((low, high)) if is_number(low) && is_number(high) => {
            match [low, high].iter().any(|end| end.starts_with(['+', '-'])) {
                true => format!("{} to {}", signed(low), signed(high)),
                false => format!("{}--{}", for_tex(low), for_tex(high)),
            }
        }
        _ => signed(text),
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
        let rendered = ["-", "-3.5", "9.5 to 90.5", "-8.8 to +28.8", "25.0*", "a-b", "95 %"].map(value);
        assert_eq!(rendered, ["--", "$-$3.5", "9.5--90.5", "$-$8.8 to +28.8", "25.0*", "a-b", "95\\,\\%"]);
        assert_eq!(label("[x], y"), "{}[x], y");
        assert_eq!(
            label("smollm2-135m-instruct, f32, letters, 80 of 5,720 items"),
            "\\begin{tabular}[t]{@{}l@{}}smollm2-135m-instruct, f32, letters, \\\\ 80 of 5,720 items\\end{tabular}"
        );
    }

    #[test]
    fn large_grids_go_on_in_further_tables() {
        let header: Vec<String> = (0..=26).map(|column| format!("c{column}")).collect();
        let row = |number: usize| GridRow {
            cells: (0..=26).map(|column| format!("{}", number * 100 + column)).collect(),
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
        let missing = |cell: &&String| !text.contains(&format!(" {cell} ")) && !text.contains(&format!("{{{cell}}}"));
        assert_eq!(grid.rows.iter().flat_map(|row| &row.cells).find(missing), None);
        let small = Grid { rows: grid.rows[..2].to_vec(), header: header[..3].to_vec(), ..grid.clone() };
        let cut = |row: &GridRow| GridRow { cells: row.cells[..3].to_vec(), ..row.clone() };
        let small = Grid { rows: small.rows.iter().map(cut).collect(), ..small };
        assert!(table(&small).contains("\\caption{T}") && table(&small).contains("\\begin{table}"));
        let one = Grid { rows: (0..50).map(|number| GridRow { starts_group: false, ..row(number) }).collect(), ..grid };
        assert_eq!(rows(&one), [0..46, 46..50]);
    }
}
