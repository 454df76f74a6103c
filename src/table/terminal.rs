//! Tables for a terminal, cut into blocks that fit its width; plain columns where there is no terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableComponent, presets};
use unicode_width::UnicodeWidthStr;

use super::GridWriter;
use super::grid::{Grid, GridRow};
use super::wrap::{Screen, wrap_to};

/// Width of the gap between two columns.
const GAP: usize = 3;

pub(super) struct Terminal;

impl GridWriter for Terminal {
    fn table(&self, grid: &Grid, screen: Screen) -> String {
        let grid = &grid.printed();
        let drawn =
            |blocks: &[Grid<String>]| blocks.iter().map(|block| draw(block, screen)).collect::<Vec<_>>().join("\n");
        let whole = blocks(grid, screen);
        if whole.len() == 1 {
            return drawn(&whole);
        }
        // A table that is too wide gets multi-line headings, or its row groups are transposed if that takes fewer
        // lines.
        let across = drawn(&blocks(&with_broken_headings(grid), screen));
        let downwards: Vec<Grid<String>> = groups(grid).iter().flat_map(|group| blocks(group, screen)).collect();
        let downwards = drawn(&downwards);
        if downwards.lines().count() < across.lines().count() { downwards } else { across }
    }
}

/// Least width of a multi-line heading.
const HEADING: usize = 8;

/// Breaks the headings of value columns so that they are no wider than their values.
fn with_broken_headings(grid: &Grid<String>) -> Grid<String> {
    let mut grid = grid.clone();
    for column in grid.label_columns..grid.header.len() {
        let widest = grid.rows.iter().map(|row| row.cells[column].width()).max().unwrap_or(0);
        grid.header[column] = broken(&grid.header[column], widest.max(HEADING));
    }
    grid
}

/// Breaks a heading into lines of at most `columns` columns, after spaces and hyphens.
fn broken(heading: &str, columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in heading.split_inclusive([' ', '-']) {
        match lines.last_mut() {
            Some(line) if line.width() + part.trim_end().width() <= columns => line.push_str(part),
            _ => lines.push(part.to_string()),
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Transposes each group of rows into a grid of its own; the text of a row without values is appended to the names of
/// the rows below it.
fn groups(grid: &Grid<String>) -> Vec<Grid<String>> {
    let labels = grid.label_columns;
    let mut groups: Vec<Vec<GridRow<String>>> = Vec::new();
    for row in &grid.rows {
        match groups.last_mut() {
            Some(group) if !row.starts_group => group.push(row.clone()),
            _ => groups.push(vec![row.clone()]),
        }
    }
    let group = |mut rows: Vec<GridRow<String>>| {
        let mut of = String::new();
        rows.retain_mut(|row| {
            let is_head = row.cells[labels..].iter().all(String::is_empty);
            let name = &mut row.cells[labels.saturating_sub(1)];
            if is_head {
                of = format!(" ({name})")
            } else {
                name.push_str(&of)
            }
            !is_head
        });
        let keys = labels.saturating_sub(1);
        // The key of a group stands in its first row; rows with keys of their own have them in their headings.
        let is_key = rows.iter().skip(1).all(|row| row.cells[..keys].iter().all(String::is_empty));
        let first = rows.first_mut().filter(|_| is_key).map(|row| row.cells[..keys].iter_mut().map(std::mem::take));
        let key = first.map_or_else(String::new, |keys| keys.collect::<Vec<_>>().join(" "));
        let mut group = Grid { rows, ..grid.clone() }.transposed();
        group.header[0] = key;
        with_broken_headings(&group)
    };
    groups.into_iter().map(group).collect()
}

/// Width of a column with its gap.
fn width_of(grid: &Grid<String>, column: usize) -> usize {
    let texts = grid.rows.iter().map(|row| &row.cells[column]).chain([&grid.header[column]]);
    texts.flat_map(|text| text.lines()).map(UnicodeWidthStr::width).max().unwrap_or(0) + GAP
}

/// Breaks the texts of the widest columns into lines until the grid fits.
fn narrowed(mut grid: Grid<String>, available: usize) -> Grid<String> {
    for _ in 0..grid.header.len() {
        let widths: Vec<usize> = (0..grid.header.len()).map(|column| width_of(&grid, column)).collect();
        let excess = (widths.iter().sum::<usize>() + 1).saturating_sub(available);
        let Some(widest) = (0..widths.len()).max_by_key(|&column| widths[column]).filter(|_| excess > 0) else { break };
        let line = widths[widest].saturating_sub(excess + GAP).max(2 * HEADING);
        grid.rows.iter_mut().for_each(|row| row.cells[widest] = wrap_to(&row.cells[widest], line));
        grid.header[widest] = broken(&grid.header[widest], line);
    }
    grid
}

/// Splits the grid into blocks of columns that fit the screen, each with the labels; at least one value column per
/// block.
fn blocks(grid: &Grid<String>, screen: Screen) -> Vec<Grid<String>> {
    let Some(available) = screen.width else { return vec![grid.clone()] };
    if grid.label_columns == grid.header.len() {
        return vec![narrowed(grid.clone(), available)];
    }
    let width = |column: usize| width_of(grid, column);
    let labels: Vec<usize> = (0..grid.label_columns).collect();
    let labels_width = labels.iter().map(|&column| width(column)).sum::<usize>() + 1;
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for column in grid.label_columns..grid.header.len() {
        if blocks.is_empty() || labels_width + used + width(column) > available {
            blocks.push(Vec::new());
            used = 0;
        }
        used += width(column);
        if let Some(block) = blocks.last_mut() {
            block.push(column);
        }
    }
    let part = |columns: Vec<usize>| narrowed(part(grid, &[labels.clone(), columns].concat()), available);
    blocks.into_iter().map(part).collect()
}

fn part(grid: &Grid<String>, columns: &[usize]) -> Grid<String> {
    let pick = |cells: &[String]| columns.iter().map(|&column| cells[column].clone()).collect();
    Grid {
        header: pick(&grid.header),
        rows: grid.rows.iter().map(|row| GridRow { cells: pick(&row.cells), starts_group: row.starts_group }).collect(),
        ..grid.clone()
    }
}

fn draw(grid: &Grid<String>, screen: Screen) -> String {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled).load_preset(presets::NOTHING);
    if screen.width.is_some() {
        for component in [TableComponent::HeaderLines, TableComponent::MiddleHeaderIntersections] {
            table.set_style(component, '\u{2500}');
        }
    }
    let aligned = |column: usize, text: &str| {
        let alignment = if column < grid.label_columns { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(alignment)
    };
    let line =
        |cells: &[String]| cells.iter().enumerate().map(|(column, text)| aligned(column, text)).collect::<Vec<_>>();
    table.set_header(line(&grid.header));
    for (index, row) in grid.rows.iter().enumerate() {
        if index > 0 && row.starts_group {
            table.add_row(vec![""; row.cells.len()]);
        }
        table.add_row(line(&row.cells));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
