//! Grids: tables of text, ready to render in any format.

use std::collections::BTreeSet;
use std::ops::Range;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    pub title: String,
    /// Number of leading columns that name the row; they are repeated when a grid is cut into blocks.
    pub label_columns: usize,
    pub header: Vec<String>,
    pub rows: Vec<GridRow>,
    /// Sentences under the table.
    pub notes: Vec<String>,
    /// Caption that must be copied with the table; it is also among the notes.
    pub caption: Option<String>,
    /// Name by which a paper refers to the table, without spaces.
    pub reference: Option<String>,
    /// Cells, by row and column, with the best value among models in their column and group.
    pub best: BTreeSet<(usize, usize)>,
    /// Rows of each measurement, in order: its values, then what belongs to them, such as intervals.
    pub measured: Vec<Range<usize>>,
}

/// A line of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridRow {
    pub cells: Vec<String>,
    /// Whether a new group of rows begins here.
    pub starts_group: bool,
}

impl Grid {
    /// A grid with a single group of rows, whose first `labels` cells name the row.
    pub fn new(title: &str, labels: usize, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Grid {
        Grid {
            title: title.to_string(),
            label_columns: labels,
            header: header.iter().map(|name| name.to_string()).collect(),
            rows: rows.map(|cells| GridRow { cells, starts_group: false }).collect(),
            ..Grid::default()
        }
    }

    /// Swaps rows and columns: headers of value columns become row labels. The parts of a row's label are joined into
    /// one heading.
    pub fn transposed(self) -> Grid {
        let labels = self.label_columns;
        let heading = |row: &GridRow| {
            let parts: Vec<&str> =
                row.cells[..labels].iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        };
        let mut header = vec![String::new()];
        header.extend(self.rows.iter().map(heading));
        let rows = (labels..self.header.len())
            .map(|column| {
                let mut cells = vec![self.header[column].clone()];
                cells.extend(self.rows.iter().map(|row| row.cells[column].clone()));
                GridRow { cells, starts_group: false }
            })
            .collect();
        let best = self.best.iter().map(|(row, column)| (column - labels, row + 1)).collect();
        Grid { label_columns: 1, header, rows, best, measured: Vec::new(), ..self }
    }

    /// Drops value columns that are empty in every row.
    pub fn drop_empty_columns(&mut self) {
        let says = |row: &GridRow, column: usize| !matches!(row.cells[column].as_str(), "" | "-");
        for column in (self.label_columns..self.header.len()).rev() {
            if !self.rows.iter().any(|row| says(row, column)) {
                self.header.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.cells.remove(column)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_turns_rows_into_columns() {
        let text = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
        let row = |cells: &[&str]| GridRow { cells: text(cells), starts_group: true };
        let grid = Grid {
            title: "T".into(),
            label_columns: 2,
            header: text(&["language", "", "A", "B", "C"]),
            rows: vec![row(&["en", "model", "1", "2", "3"]), row(&["", "n", "4", "5", "6"])],
            best: BTreeSet::from([(0, 3)]),
            ..Grid::default()
        };
        let turned = grid.transposed();
        assert_eq!(turned.best, BTreeSet::from([(1, 1)]));
        assert_eq!(turned.header, ["", "en model", "n"]);
        let cells: Vec<Vec<String>> = turned.rows.into_iter().map(|row| row.cells).collect();
        assert_eq!(cells, [text(&["A", "1", "4"]), text(&["B", "2", "5"]), text(&["C", "3", "6"])]);
    }
}
