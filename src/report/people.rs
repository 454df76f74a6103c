//! Human respondents: each person, and their agreement.

use super::words::{interval, named, number};
use crate::metric::{RaterAgreement, RaterPair, Raters};
use crate::table::{Grid, GridRow, Value, cells};

const LEGEND: &str = "In the tables above, values are means over people: each person counts the same, however many \
    items they were given, and an item that a person was not given does not count for them. Intervals are over \
    people and stories: they show how far other people on other stories might be. \"I don't know\" is not a choice \
    and counts as wrong.";

/// The people of one style and condition, and their agreement.
pub(super) fn grids(raters: &Raters) -> Vec<Grid> {
    let name = named(&raters.header, false);
    let row = |each: &crate::metric::RaterResult| {
        let [items, open] = [each.items, each.without_choice].map(Value::grouped);
        cells![&each.rater, items, open, number(Some(each.accuracy)), interval(each.interval)]
    };
    let header = ["person", "items", "no choice", "accuracy", "95 % interval"];
    let people = Grid::new(&format!("People: {name}"), 1, header, raters.raters.iter().map(row));
    let mut grids = vec![people.with_notes([LEGEND])];
    grids.extend(agreement_grid(&format!("Agreement of people: {name}"), "items", &raters.agreement));
    grids
}

/// Agreement of each pair of people and of all; `None` where no two people rated the same item.
pub(crate) fn agreement_grid(title: &str, units: &str, agreement: &RaterAgreement) -> Option<Grid> {
    let rows = agreement_rows(None, agreement).into_iter();
    let grid = Grid::new(title, 1, ["", units, "same %", "kappa"], rows).with_notes([agreement_note(units)]);
    (!grid.rows.is_empty()).then_some(grid)
}

/// The same for several subjects, each named in front of its rows.
pub(crate) fn agreements_grid<'a>(
    title: &str,
    units: &str,
    on: impl Iterator<Item = (String, &'a RaterAgreement)>,
) -> Option<Grid> {
    let rows = on.flat_map(|(what, agreement)| agreement_rows(Some(&what), agreement));
    let grid = Grid::new(title, 2, ["", "", units, "same %", "kappa"], rows).with_notes([agreement_note(units)]);
    (!grid.rows.is_empty()).then_some(grid)
}

fn agreement_note(units: &str) -> String {
    format!(
        "For two people Cohen's kappa, whose chance is each person's own shares of labels; for all Fleiss' kappa over the \
         {units} with the most frequent number of ratings, whose chance is the shares of all together, so that they \
         differ for two people, too; - if chance alone would make all agree."
    )
}

fn agreement_rows(what: Option<&str>, agreement: &RaterAgreement) -> Vec<GridRow> {
    if agreement.units == 0 {
        return Vec::new();
    }
    let kappa = |value: Option<f64>| Value::places(value, 3);
    let row = |name: String, units: usize, same: Value, kappa: Value, starts_group: bool| GridRow {
        cells: what.map(Value::from).into_iter().chain(cells![name, Value::grouped(units), same, kappa]).collect(),
        starts_group,
    };
    let pair = |(at, pair): (usize, &RaterPair)| {
        let name = format!("{}, {}", pair.first, pair.second);
        row(name, pair.units, number(Some(pair.same)), kappa(pair.kappa), what.is_some() && at == 0)
    };
    let mut rows: Vec<GridRow> = agreement.pairs.iter().enumerate().map(pair).collect();
    let (all, fleiss) = ("all pairs".to_string(), format!("all, {} ratings each", agreement.fleiss_raters));
    rows.push(row(all, agreement.units, number(agreement.same), Value::default(), what.is_none()));
    rows.push(row(fleiss, agreement.fleiss_units, Value::default(), kappa(agreement.fleiss), false));
    rows
}
