//! Grids: tables, ready to render in any format.

use std::collections::BTreeSet;
use std::ops::Range;

use indexmap::{IndexMap, IndexSet};

use super::value::Value;
use crate::page::words::Said;

/// A table of values, or of what they are printed as.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid<C = Value> {
    pub title: String,
    /// Number of leading columns that name the row; they are repeated when a grid is cut into blocks.
    pub label_columns: usize,
    pub header: Vec<String>,
    pub rows: Vec<GridRow<C>>,
    /// Why values are missing, in sentences under the table.
    pub reasons: Vec<Said>,
    /// Further sentences under the table.
    pub notes: Vec<Said>,
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
#[derive(Debug, Clone, PartialEq)]
pub struct GridRow<C = Value> {
    pub cells: Vec<C>,
    /// Whether a new group of rows begins here.
    pub starts_group: bool,
}

impl<C> From<Vec<C>> for GridRow<C> {
    fn from(cells: Vec<C>) -> GridRow<C> {
        GridRow { cells, starts_group: false }
    }
}

impl Grid {
    /// A grid whose first `labels` cells name the row; rows without more said are of one group.
    pub fn new(
        title: &str,
        labels: usize,
        header: impl IntoIterator<Item: ToString>,
        rows: impl Iterator<Item: Into<GridRow>>,
    ) -> Grid {
        Grid {
            title: title.to_string(),
            label_columns: labels,
            header: header.into_iter().map(|name| name.to_string()).collect(),
            rows: rows.map(Into::into).collect(),
            ..Grid::default()
        }
    }

    /// The grid with these sentences under it.
    pub fn with_notes(self, notes: impl IntoIterator<Item: Into<Said>>) -> Grid {
        Grid { notes: notes.into_iter().map(Into::into).collect(), ..self }
    }

    /// The grid with the reasons of its missing values under it: one sentence per reason, naming the columns.
    pub fn explained(self) -> Grid {
        let mut by_reason: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
        for (cell, column) in self.rows.iter().flat_map(|row| row.cells.iter().zip(&self.header)) {
            if let Value::Missing(Some(reason)) = cell {
                by_reason.entry(reason).or_default().insert(column);
            }
        }
        let said = |(reason, columns): (&str, IndexSet<&str>)| {
            let columns = columns.into_iter().collect::<Vec<_>>().join(", ");
            let reason = reason.strip_suffix('.').unwrap_or(reason).to_string();
            Said::new("note_reason", [("columns", columns), ("reason", reason)])
        };
        Grid { reasons: by_reason.into_iter().map(said).collect(), ..self }
    }

    /// The sentences under the grid; `bullet` begins those on missing values.
    pub fn remarks(&self, bullet: &str) -> impl Iterator<Item = String> {
        let reasons = self.reasons.iter().map(move |reason| format!("{bullet}{reason}"));
        reasons.chain(self.notes.iter().map(Said::to_string))
    }

    /// What is printed.
    pub(super) fn printed(&self) -> Grid<String> {
        let row = |row: &GridRow| GridRow {
            cells: row.cells.iter().map(Value::to_string).collect(),
            starts_group: row.starts_group,
        };
        let Grid { label_columns, header, rows, .. } = self;
        Grid {
            label_columns: *label_columns,
            header: header.clone(),
            rows: rows.iter().map(row).collect(),
            ..Grid::default()
        }
    }

    /// Drops value columns that are empty in every row.
    pub fn drop_empty_columns(&mut self) {
        for column in (self.label_columns..self.header.len()).rev() {
            if self.rows.iter().all(|row| row.cells[column].is_blank()) {
                self.header.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.cells.remove(column)));
            }
        }
    }
}

impl<C: Clone + ToString + From<String>> Grid<C> {
    /// Swaps rows and columns: headers of value columns become row labels. The parts of a row's label are joined into
    /// one heading.
    pub fn transposed(self) -> Grid<C> {
        let labels = self.label_columns;
        let heading = |row: &GridRow<C>| {
            let parts = row.cells[..labels].iter().map(C::to_string).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(" ")
        };
        let header = std::iter::once(String::new()).chain(self.rows.iter().map(heading)).collect();
        let cells = |column: usize| {
            let values = self.rows.iter().map(|row| row.cells[column].clone());
            std::iter::once(self.header[column].clone().into()).chain(values).collect::<Vec<C>>()
        };
        let rows = (labels..self.header.len()).map(|column| cells(column).into()).collect();
        let best = self.best.iter().map(|(row, column)| (column - labels, row + 1)).collect();
        Grid { label_columns: 1, header, rows, best, measured: Vec::new(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_turns_rows_into_columns() {
        let text = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
        let row =
            |cells: &[&str]| GridRow { cells: cells.iter().copied().map(Value::from).collect(), starts_group: true };
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
        let cells: Vec<Vec<String>> = turned.printed().rows.into_iter().map(|row| row.cells).collect();
        assert_eq!(cells, [text(&["A", "1", "4"]), text(&["B", "2", "5"]), text(&["C", "3", "6"])]);
    }

    #[test]
    fn a_reason_is_told_once_with_its_columns() {
        let missing = |reason: &str| Value::Missing(Some(reason.to_string()));
        let rows = [
            vec!["a".into(), missing("too few."), missing("not asked")],
            vec!["b".into(), missing("too few."), missing("too few.")],
        ];
        let grid = Grid::new("T", 1, ["", "X", "Y"], rows.into_iter()).with_notes(["A note."]).explained();
        let remarks: Vec<String> = grid.remarks("- ").collect();
        assert_eq!(remarks, ["- in X, Y: too few.", "- in Y: not asked.", "A note."]);
    }
}
