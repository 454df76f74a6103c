//! Yardsticks below measured values: chance, the best constant answer, and independent answers.

use indexmap::IndexSet;

use super::words::number;
use crate::metric::{Cell, Combined, ResultRow, TableResult};

const LINES: [(&str, fn(&Cell) -> Option<f64>); 5] = [
    ("chance", |cell| cell.chance),
    ("best constant", |cell| cell.constant),
    ("if independent", |cell| cell.expected.filter(|_| cell.expected_up_to.is_none())),
    ("if alike", |cell| cell.expected.filter(|_| cell.expected_up_to.is_some())),
    ("if alike, 95 % below", |cell| cell.expected_up_to),
];

/// The lines below a measured row, each with its name; uninformative ones are left out.
pub(super) fn lines(row: &ResultRow) -> Vec<(String, Vec<String>)> {
    let said = |(name, value): (&str, fn(&Cell) -> Option<f64>)| {
        let values: Vec<Option<f64>> = row.cells.iter().map(value).collect();
        let is_said = values.iter().any(Option::is_some);
        is_said.then(|| (name.to_string(), values.into_iter().map(number).collect()))
    };
    LINES.into_iter().filter_map(said).collect()
}

const CONSTANT: &str = "Best constant: always the same option (in the order of the data), text or set of labels, or the option \
                        that the story names first or last; in each column the one that is best on all items of the data.";

const INDEPENDENT: &str = "If independent: the value expected if each answer were right independently of the others, \
                           as often as its kind is. A drop or a share of mixed answers of that size shows nothing \
                           beyond the accuracies.";

const ALIKE: &str = "If alike: the range expected if the languages (or other parts) did not differ, from exchanging \
                     the versions of each story at random, and the bound below which 95 % of such ranges lie. Even \
                     of equal values the largest exceeds the smallest by chance, so a range has no interval.";

/// Explanations of the lines that a table has.
pub(super) fn notes(table: &TableResult) -> Vec<String> {
    let has = |value: fn(&Cell) -> Option<f64>| {
        table.rows.iter().flat_map(|row| &row.cells).any(|cell| value(cell).is_some())
    };
    let independent = has(|cell| cell.expected.filter(|_| cell.expected_up_to.is_none()));
    let alike = has(|cell| cell.expected_up_to);
    let notes = [(has(|cell| cell.constant), CONSTANT), (independent, INDEPENDENT), (alike, ALIKE)];
    notes.into_iter().filter(|(has, _)| *has).map(|(_, note)| note.to_string()).collect()
}

const MEANS: &str = "Means over models count each model once, whatever its precision; intervals come from resampling stories, \
                     the same for all models, so they are about these models only.";

const BEST: &str = "The best models are those of the highest mean over all rows and columns, chosen anew in each draw.";

/// What rows computed from rows are.
pub(super) fn combined_notes(table: &TableResult) -> Vec<String> {
    let over = || table.rows.iter().filter_map(|row| row.over.as_ref());
    let has = |kind: Combined| over().any(|over| over.kind == kind);
    let means = [(has(Combined::Models) || has(Combined::TopModels), MEANS), (has(Combined::TopModels), BEST)];
    let left_out: IndexSet<&str> = over().flat_map(|over| &over.left_out).map(String::as_str).collect();
    let left_out = left_out.into_iter().collect::<Vec<_>>().join("; ");
    let left_out = (!left_out.is_empty()).then(|| format!("In no mean, because the same model is in it: {left_out}."));
    means.into_iter().filter(|(has, _)| *has).map(|(_, note)| note.to_string()).chain(left_out).collect()
}
