//! People who answered: each of them, and how far they agree.

use super::grid::{Grid, GridRow};
use super::words::{named, number, thousands};
use crate::metric::{RaterAgreement, Raters};

const LEGEND: &str = "In the tables above people are pooled: every answer counts, an item that somebody was not given counts nothing for \
    them, and intervals are clustered by story. \"I don't know\" is no choice and counts as wrong.";

/// The people of one style and condition, and their agreement.
pub(super) fn grids(raters: &Raters) -> Vec<Grid> {
    let name = named(&raters.label, &raters.answers, &raters.style, raters.condition.as_deref(), false);
    let row = |each: &crate::metric::RaterResult| {
        let interval = each.interval.map_or_else(|| "-".to_string(), |(low, high)| format!("{low:.1} to {high:.1}"));
        let (items, open) = (thousands(each.items), thousands(each.without_choice));
        vec![each.rater.clone(), items, open, number(Some(each.accuracy)), interval]
    };
    let header = ["person", "items", "no choice", "accuracy", "95 % interval"];
    let mut people = Grid::of(&format!("People: {name}"), 1, &header, raters.raters.iter().map(row));
    people.notes = vec![LEGEND.to_string()];
    let mut grids = vec![people];
    grids.extend(agreement_grid(&format!("Agreement of people: {name}"), "items", &raters.agreement));
    grids
}

/// Pairs of people with what they agree on, and all of them; `None` where nobody rated what another did.
pub(crate) fn agreement_grid(title: &str, units: &str, agreement: &RaterAgreement) -> Option<Grid> {
    if agreement.units == 0 {
        return None;
    }
    let kappa = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| format!("{value:.3}"));
    let pair = |pair: &crate::metric::RaterPair| {
        vec![
            format!("{}, {}", pair.first, pair.second),
            thousands(pair.units),
            number(Some(pair.same)),
            kappa(pair.kappa),
        ]
    };
    let mut grid = Grid::of(title, 1, &["", units, "same %", "kappa"], agreement.pairs.iter().map(pair));
    let all = vec!["all pairs".to_string(), thousands(agreement.units), number(agreement.same), String::new()];
    let fleiss_name = format!("all, {} ratings each", agreement.fleiss_raters);
    let fleiss = vec![fleiss_name, thousands(agreement.fleiss_units), String::new(), kappa(agreement.fleiss)];
    grid.rows.push(GridRow { cells: all, starts_group: true });
    grid.rows.push(GridRow { cells: fleiss, starts_group: false });
    grid.notes = vec![format!(
        "Of two people Cohen's kappa, of all Fleiss' kappa over the {units} with the most frequent number of ratings; - where \
         chance alone would have all agree."
    )];
    Some(grid)
}
