//! Tables of the page.

use minijinja::context;
use minijinja::value::Value;

use super::runs::Runs;
use super::{plain, said};
use crate::metric::{AVERAGE, TableResult};
use crate::page::words::{cell_name, recognised};
use crate::report::sheets;
use crate::table::{Grid, GridRow};

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
        if let Some(at) = grid.rows.iter().position(|row| row.cells.get(labels - 1).is_some_and(|name| name == AVERAGE))
        {
            grid.rows[..=at].rotate_right(1);
        }
    } else if let Some(at) = grid.header.iter().skip(labels).position(|name| name == AVERAGE) {
        let cells = grid.rows.iter_mut().map(|row| &mut row.cells);
        std::iter::once(&mut grid.header).chain(cells).for_each(|cells| cells[labels..=labels + at].rotate_right(1));
    }
    (grid, lines)
}

/// A cell for the page, with the name of its words where they are this program's own.
pub(super) fn cell_of(text: &str) -> Value {
    context! { text => plain(text), t => cell_name(text) }
}

fn text_of(text: &str) -> Value {
    context! { text => plain(text) }
}

pub(super) fn table(id: &str, grid: &Grid, lines: Lines, figures: Vec<Value>, charts: Vec<Value>) -> Value {
    // What the program calls rows and columns has a name in all languages, values have none.
    let cells = |cells: &[String]| -> Vec<Value> {
        let is_name = |at: usize| at < grid.label_columns;
        cells.iter().enumerate().map(|(at, cell)| if is_name(at) { cell_of(cell) } else { text_of(cell) }).collect()
    };
    let row = |(at, row): (usize, &GridRow)| {
        let under = lines.under.get(at).copied().unwrap_or(false);
        let mark = lines.marks.get(at).cloned().flatten();
        context! { cells => cells(&row.cells), starts => row.starts_group, under, mark }
    };
    let rows: Vec<Value> = grid.rows.iter().enumerate().map(row).collect();
    let notes: Vec<Value> = grid.notes.iter().map(|note| said(&recognised(note.trim_start_matches("- ")))).collect();
    // Columns need names: the one with the rows' names has none in the other formats.
    let named = |(at, name): (usize, String)| {
        if name.is_empty() { (if at == 0 { "row" } else { "run" }).to_string() } else { name }
    };
    let header: Vec<Value> = grid.header.iter().cloned().enumerate().map(named).map(|name| cell_of(&name)).collect();
    context! { id, title => cell_of(&grid.title), labels => grid.label_columns, header, rows, notes, figures, charts }
}
