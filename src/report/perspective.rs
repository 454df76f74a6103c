//! SimToM beside the tracker, as a grid.

use super::Report;
use super::words::{self, named, number, of};
use crate::benchmark::Benchmark;
use crate::metric::{Estimated, Perspective, Results};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// Gives rows with cuts of their own the accuracy from the right cut of the same respondent, where another report has it over
/// as many items: of several ways of answering, that of the row's own answers, else the first.
pub(super) fn join_right_cuts(reports: &mut [Report]) {
    let rows = |results: &Results| -> Vec<(Benchmark, Perspective)> {
        results.perspective.iter().map(|row| (results.benchmark, row.clone())).collect()
    };
    let all: Vec<(Benchmark, Perspective)> = reports.iter().flat_map(|report| &report.results).flat_map(rows).collect();
    for results in reports.iter_mut().flat_map(|report| &mut report.results) {
        for row in results.perspective.iter_mut().filter(|row| row.own_cut.share.value.is_some()) {
            let is_same = |(benchmark, other): &&(Benchmark, Perspective)| {
                let of = |row: &Perspective| (row.header.label.clone(), row.header.condition.clone(), row.items);
                *benchmark == results.benchmark
                    && other.right_cut.share.value.is_some()
                    && of(other) == of(row)
                    && (&other.language, &other.key) == (&row.language, &row.key)
            };
            let same = || all.iter().filter(is_same).map(|(_, other)| other);
            let own = same().find(|other| other.header.answers == row.header.answers).or_else(|| same().next());
            if let Some(found) = own.map(|other| other.right_cut.clone()) {
                row.right_cut = found;
            }
        }
    }
}

/// The rows with cuts of their own.
pub(super) fn grid(found: &[Perspective]) -> Option<Grid> {
    let with_cuts: Vec<&Perspective> = found.iter().filter(|each| each.own_cut.share.value.is_some()).collect();
    with_cuts.first()?;
    let several_styles = words::several_styles(with_cuts.iter().map(|each| &each.header));
    let header = [
        "language",
        "of",
        "",
        "items",
        "stories",
        "F1",
        "precision",
        "recall",
        "own cut",
        "right cut",
        "other sentences",
        "nothing kept",
    ];
    let row = |each: &&Perspective| {
        let share = |each: &Estimated| number(each.share.value).within(each.interval, 1).or_reason(&each.share.reason);
        let mut cells = cells![&each.language, of(&each.key), named(&each.header, several_styles)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        let shares = [&each.f1, &each.precision, &each.recall, &each.own_cut, &each.right_cut];
        cells.extend(shares.map(share));
        cells.extend([each.others, each.empty].map(Value::grouped));
        cells
    };
    let grid =
        Grid::new("Perspective taking: what was kept, and answers from it", 3, header, with_cuts.iter().map(row));
    Some(grid.explained().with_notes([Said::new("note_perspective", [])]))
}
