//! Yardsticks below measured values: chance, the best constant answer, and independent answers.

use indexmap::IndexSet;

use super::words::number;
use crate::metric::{Cell, Combined, ResultRow, TableResult};
use crate::page::words::Said;
use crate::table::Value;

const LINES: [(&str, fn(&Cell) -> Option<f64>); 5] = [
    ("chance", |cell| cell.chance),
    ("best constant", |cell| cell.constant),
    ("if independent", |cell| cell.expected.filter(|_| cell.expected_up_to.is_none())),
    ("if alike", |cell| cell.expected.filter(|_| cell.expected_up_to.is_some())),
    ("if alike, 95 % below", |cell| cell.expected_up_to),
];

/// The lines below a measured row, each with its name; uninformative ones are left out.
pub(super) fn lines(row: &ResultRow) -> Vec<(String, Vec<Value>)> {
    let said = |(name, value): (&str, fn(&Cell) -> Option<f64>)| {
        let values: Vec<Option<f64>> = row.cells.iter().map(value).collect();
        let is_said = values.iter().any(Option::is_some);
        is_said.then(|| (name.to_string(), values.into_iter().map(number).collect()))
    };
    LINES.into_iter().filter_map(said).collect()
}

/// Explanations of the lines that a table has.
pub(super) fn notes(table: &TableResult) -> Vec<Said> {
    let has = |value: fn(&Cell) -> Option<f64>| {
        table.rows.iter().flat_map(|row| &row.cells).any(|cell| value(cell).is_some())
    };
    let independent = has(|cell| cell.expected.filter(|_| cell.expected_up_to.is_none()));
    let alike = has(|cell| cell.expected_up_to);
    let notes =
        [(has(|cell| cell.constant), "note_constant"), (independent, "note_independent"), (alike, "note_alike")];
    notes.into_iter().filter(|(has, _)| *has).map(|(_, note)| Said::new(note, [])).collect()
}

/// What rows computed from rows are.
pub(super) fn combined_notes(table: &TableResult) -> Vec<Said> {
    let over = || table.rows.iter().filter_map(|row| row.over.as_ref());
    let has = |kind: Combined| over().any(|over| over.kind == kind);
    let means =
        [(has(Combined::Models) || has(Combined::TopModels), "note_means"), (has(Combined::TopModels), "note_top")];
    let left_out: IndexSet<&str> = over().flat_map(|over| &over.left_out).map(String::as_str).collect();
    let left_out = left_out.into_iter().collect::<Vec<_>>().join("; ");
    let left_out = (!left_out.is_empty()).then(|| Said::new("note_in_no_mean", [("which", left_out)]));
    let means = means.into_iter().filter(|(has, _)| *has).map(|(_, note)| Said::new(note, []));
    means.chain(left_out).collect()
}
