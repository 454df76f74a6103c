//! Human respondents: each person, and their agreement.

use super::words::{interval, named, number, thousands};
use crate::metric::{RaterAgreement, RaterPair, Raters};
use crate::table::{Grid, GridRow};

const LEGEND: &str = "In the tables above, values are means over people: each person counts the same, however many \
    items they were given, and an item that a person was not given does not count for them. Intervals are over \
    people and stories: they show how far other people on other stories might be. \"I don't know\" is not a choice \
    and counts as wrong.";

/// The people of one style and condition, and their agreement.
pub(super) fn grids(raters: &Raters) -> Vec<Grid> {
    let name = named(&raters.header, false);
    let row = |each: &crate::metric::RaterResult| {
        let (items, open) = (thousands(each.items), thousands(each.without_choice));
        vec![each.rater.clone(), items, open, number(Some(each.accuracy)), interval(each.interval)]
    };
    let header = ["person", "items", "no choice", "accuracy", "95 % interval"];
    let mut people = Grid::new(&format!("People: {name}"), 1, &header, raters.raters.iter().map(row));
    people.notes = vec![LEGEND.to_string()];
    let mut grids = vec![people];
    grids.extend(agreement_grid(&format!("Agreement of people: {name}"), "items", &raters.agreement));
    grids
}

/// Agreement of each pair of people and of all; `None` where no two people rated the same item.
pub(crate) fn agreement_grid(title: &str, units: &str, agreement: &RaterAgreement) -> Option<Grid> {
    let mut grid = Grid::new(title, 1, &["", units, "same %", "kappa"], std::iter::empty());
    grid.rows = agreement_rows(None, agreement);
    grid.notes = vec![agreement_note(units)];
    (!grid.rows.is_empty()).then_some(grid)
}

/// The same for several subjects, each named in front of its rows.
pub(crate) fn agreements_grid<'a>(
    title: &str,
    units: &str,
    on: impl Iterator<Item = (String, &'a RaterAgreement)>,
) -> Option<Grid> {
    let mut grid = Grid::new(title, 2, &["", "", units, "same %", "kappa"], std::iter::empty());
    grid.rows = on.flat_map(|(what, agreement)| agreement_rows(Some(&what), agreement)).collect();
    grid.notes = vec![agreement_note(units)];
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
    let kappa = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| format!("{value:.3}"));
    let row = |cells: [String; 4], starts_group: bool| GridRow {
        cells: what.map(str::to_string).into_iter().chain(cells).collect(),
        starts_group,
    };
    let pair = |(at, pair): (usize, &RaterPair)| {
        let name = format!("{}, {}", pair.first, pair.second);
        row([name, thousands(pair.units), number(Some(pair.same)), kappa(pair.kappa)], what.is_some() && at == 0)
    };
    let mut rows: Vec<GridRow> = agreement.pairs.iter().enumerate().map(pair).collect();
    let all = ["all pairs".to_string(), thousands(agreement.units), number(agreement.same), String::new()];
    let fleiss_name = format!("all, {} ratings each", agreement.fleiss_raters);
    let fleiss = [fleiss_name, thousands(agreement.fleiss_units), String::new(), kappa(agreement.fleiss)];
    rows.push(row(all, what.is_none()));
    rows.push(row(fleiss, false));
    rows
}
