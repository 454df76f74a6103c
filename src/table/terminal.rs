//! Tables for a terminal, cut into blocks that fit its width; plain columns where there is no terminal.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableComponent, presets};
use unicode_width::UnicodeWidthStr;

use super::GridWriter;
use super::grid::{Grid, GridRow};

/// Where terminal output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Screen {
    /// Columns of text that fit; `None` where there is no terminal: then nothing is cut and no lines are drawn.
    pub width: Option<usize>,
}

/// Width of what stands between two columns.
const GAP: usize = 3;

pub(super) struct Terminal;

impl GridWriter for Terminal {
    fn table(&self, grid: &Grid, screen: Screen) -> String {
        blocks(grid, screen).iter().map(|block| draw(block, screen)).collect::<Vec<_>>().join("\n")
    }
}

/// The grid as blocks of columns, each with the labels, that fit the screen; at least one value column a block.
fn blocks(grid: &Grid, screen: Screen) -> Vec<Grid> {
    let Some(available) = screen.width else { return vec![grid.clone()] };
    let width = |column: usize| {
        let cells = grid.rows.iter().map(|row| row.cells[column].width());
        cells.chain([grid.header[column].width()]).max().unwrap_or(0) + GAP
    };
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
    blocks.into_iter().map(|columns| part(grid, &[labels.clone(), columns].concat())).collect()
}

fn part(grid: &Grid, columns: &[usize]) -> Grid {
    let pick = |cells: &[String]| columns.iter().map(|&column| cells[column].clone()).collect();
    Grid {
        header: pick(&grid.header),
        rows: grid.rows.iter().map(|row| GridRow { cells: pick(&row.cells), ..row.clone() }).collect(),
        ..grid.clone()
    }
}

fn draw(grid: &Grid, screen: Screen) -> String {
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
