//! Calibration as a grid, and a sentence on the basis of intervals.

use super::words::{self, named, number};
use crate::metric::{Calibration, Figure, IntervalBy, LabelMassResult, TableResult};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// The calibration section; `None` without data.
pub(super) fn calibration_grid(found: &[Calibration], masses: &[LabelMassResult]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let names = [
        "language",
        "",
        "items",
        "confidence",
        "label mass",
        "accuracy",
        "ECE",
        "calibrated",
        "Brier",
        "best 25 %",
        "best 50 %",
        "changing",
        "independent",
    ];
    let mass =
        |each: &Calibration| masses.iter().find(|mass| mass.header == each.header).and_then(|mass| mass.median.value);
    let row = |each: &Calibration| {
        let best = |coverage: f64| {
            let at = each.selective.iter().find(|at| at.coverage == coverage);
            number(at.map(|at| at.accuracy))
        };
        let label = named(&each.header, several_styles);
        let percent = |figure: &Figure| number(figure.value);
        cells![
            &each.language,
            label,
            Value::grouped(each.items),
            percent(&each.confidence),
            number(mass(each)),
            percent(&each.accuracy),
            percent(&each.calibration_error),
            number(each.calibration_error_if_calibrated),
            Value::places(each.brier.value, 3),
            best(25.0),
            best(50.0),
            percent(&each.changing_with_order),
            number(each.changing_if_independent),
        ]
    };
    Some(Grid::new("Calibration", 2, names, found.iter().map(row)).with_notes([Said::new("note_calibration", [])]))
}

/// Basis of a table's intervals, unless it is independent items.
pub(super) fn interval_note(table: &TableResult) -> Option<Said> {
    let by_story = || {
        let cells = table.rows.iter().flat_map(|row| &row.cells);
        cells.filter(|cell| cell.interval_by == Some(IntervalBy::Stories))
    };
    by_story().next()?;
    let effects = || by_story().filter_map(|cell| cell.design_effect);
    let (least, most) = (effects().fold(f64::INFINITY, f64::min), effects().fold(0.0, f64::max));
    let [low, high] = [least, most].map(|effect| format!("{effect:.1}"));
    Some(match (least <= most, low == high) {
        (false, _) => Said::new("note_stories", []),
        (true, true) => Said::new("note_stories_effect", [("effect", high)]),
        (true, false) => Said::new("note_stories_effects", [("low", low), ("high", high)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Cell, Respondent, ResultRow};

    fn cell(interval_by: Option<IntervalBy>, design_effect: Option<f64>) -> Cell {
        Cell {
            value: Some(50.0),
            interval: Some((40.0, 60.0)),
            interval_by,
            design_effect,
            n: 10,
            unit: "items".into(),
            chance: None,
            reason: None,
            ..Cell::default()
        }
    }

    fn note(cells: Vec<Cell>) -> Option<String> {
        let row = ResultRow {
            header: Respondent { label: "model", answers: "letters" }.header("vanilla", None),
            method: Default::default(),
            other_items: false,
            part: None,
            key: Default::default(),
            cells,
            over: None,
            sums: None,
        };
        interval_note(&TableResult {
            id: "t".into(),
            title: "T".into(),
            paper: None,
            facets: Vec::new(),
            columns: Vec::new(),
            transpose: false,
            figures: Vec::new(),
            parts: Default::default(),
            across: Default::default(),
            rows: vec![row],
            published: Vec::new(),
            caption: None,
            note: None,
        })
        .map(|note| note.to_string())
    }

    #[test]
    fn intervals_by_story_are_told_with_their_design_effects() {
        assert_eq!(note(vec![cell(Some(IntervalBy::Units), None), cell(Some(IntervalBy::Resampling), None)]), None);
        let by_story = |effects: &[f64]| {
            note(effects.iter().map(|effect| cell(Some(IntervalBy::Stories), Some(*effect))).collect()).unwrap()
        };
        assert!(by_story(&[2.0, 4.52]).ends_with("dependent (design effects 2.0 to 4.5)."));
        assert!(by_story(&[2.04, 2.0]).ends_with("dependent (design effect 2.0)."));
        assert!(note(vec![cell(Some(IntervalBy::Stories), None)]).unwrap().ends_with("dependent."));
    }
}
