//! Tables of the page.

use minijinja::context;
use minijinja::value::Value;

use super::runs::Runs;
use super::{plain, said};
use crate::metric::{AVERAGE, TableResult};
use crate::page::words::cell_name;
use crate::report::sheets;
use crate::table::{Grid, GridRow, Value as Cell};

/// What the lines of a table are, line by line; missing entries are plain lines.
#[derive(Default)]
pub(super) struct Lines {
    /// Whether it belongs to the line of values above it: an interval, a number of items, chance.
    pub under: Vec<bool>,
    /// Mark of its run.
    pub marks: Vec<Option<Value>>,
}

impl Lines {
    /// The lines of a table that is not transposed.
    fn of(grid: &Grid, table: &TableResult, runs: &Runs) -> Lines {
        let mut lines = Lines { under: vec![false; grid.rows.len()], marks: vec![None; grid.rows.len()] };
        for (row, measured) in sheets::groups(table).into_values().flatten().zip(&grid.measured) {
            lines.marks[measured.start] = runs.mark(row);
            lines.under[measured.start + 1..measured.end].fill(true);
        }
        lines
    }
}

/// The grid with its average before the other columns; or rows, if transposed.
pub(super) fn mean_first(mut grid: Grid, source: &TableResult, runs: &Runs) -> (Grid, Lines) {
    let lines = if source.transpose { Lines::default() } else { Lines::of(&grid, source, runs) };
    if !source.parts.is_empty() {
        return (grid, lines);
    }
    let labels = grid.label_columns;
    if source.transpose {
        if let Some(at) = grid.rows.iter().position(|row| row.cells.get(labels - 1) == Some(&AVERAGE.into())) {
            grid.rows[..=at].rotate_right(1);
        }
    } else if let Some(at) = grid.header.iter().skip(labels).position(|name| name == AVERAGE) {
        grid.header[labels..=labels + at].rotate_right(1);
        grid.rows.iter_mut().for_each(|row| row.cells[labels..=labels + at].rotate_right(1));
    }
    (grid, lines)
}

/// A cell for the page, with the name of its words where they are this program's own.
pub(super) fn cell_of(text: &str) -> Value {
    context! { text => plain(text), t => cell_name(text) }
}

pub(super) fn table(id: &str, grid: &Grid, lines: Lines, figures: Vec<Value>, charts: Vec<Value>) -> Value {
    // What the program calls rows and columns has a name in all languages, values have none.
    let cell = |(at, cell): (usize, &Cell)| match at < grid.label_columns {
        true => cell_of(&cell.to_string()),
        false => context! { text => plain(&cell.to_string()) },
    };
    let row = |(at, row): (usize, &GridRow)| {
        let under = lines.under.get(at).copied().unwrap_or(false);
        let mark = lines.marks.get(at).cloned().flatten();
        let cells: Vec<Value> = row.cells.iter().enumerate().map(cell).collect();
        context! { cells, starts => row.starts_group, under, mark }
    };
    let rows: Vec<Value> = grid.rows.iter().enumerate().map(row).collect();
    let notes: Vec<Value> = grid.reasons.iter().chain(&grid.notes).map(said).collect();
    // Columns need names: the one with the rows' names has none in the other formats.
    let named = |(at, name): (usize, String)| {
        if name.is_empty() { (if at == 0 { "row" } else { "run" }).to_string() } else { name }
    };
    let header: Vec<Value> = grid.header.iter().cloned().enumerate().map(named).map(|name| cell_of(&name)).collect();
    context! { id, title => cell_of(&grid.title), labels => grid.label_columns, header, rows, notes, figures, charts }
}
