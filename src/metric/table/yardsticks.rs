//! Reference values shown with results: constant answers, independent answers, exchanged languages.

use std::collections::BTreeSet;

use rand::Rng;

use super::super::constant::Constants;
use super::super::independence::if_independent;
use super::super::layout::{Source, Table};
use super::super::permuted::permuted_range;
use super::super::results::Cell;
use super::super::sums::{mean, values};
use super::super::world::World;
use super::{Measured, PERCENT, Unit, groups, levels, measured, spans};

/// Sets the expected value of each range if its parts did not differ. A range has no interval.
pub(super) fn note_ranges<R: Rng>(
    cells: &mut [Cell],
    table: &Table,
    measured: &[Option<Measured<'_>>],
    rng: impl Fn(&str) -> R,
) {
    for (cell, column) in cells.iter_mut().zip(&table.columns) {
        let Source::Range(parts) = &column.source else { continue };
        (cell.interval, cell.interval_by) = (None, None);
        // Only for a single respondent; several people were asked different items.
        let units = |part: &usize| match measured[*part].as_ref()?.units.as_deref() {
            Ok([units]) => Some(&units[..]),
            _ => None,
        };
        let measures: BTreeSet<&str> =
            parts.iter().filter_map(|&part| measured[part].as_ref()).map(|column| column.span.measure.name()).collect();
        let measure = parts.first().and_then(|&part| Some(measured[part].as_ref()?.span.measure));
        let measure = measure.filter(|_| measures.len() == 1);
        let units: Option<Vec<&[Unit<'_>]>> = parts.iter().map(units).collect();
        let Some((measure, units)) = measure.zip(units).filter(|_| cell.value.is_some()) else { continue };
        let found = permuted_range(measure, &units, rng(&column.name));
        cell.expected = found.map(|range| range.mean * PERCENT);
        cell.expected_up_to = found.map(|range| range.high * PERCENT);
    }
}

/// Sets the value of the best constant answer in each cell, chosen on all items of the data.
pub(super) fn note_constants(
    cells: &mut [Cell],
    table: &Table,
    constants: &Constants<'_>,
    asked: &[Option<Measured<'_>>],
    width: usize,
    (whole, key): (&[World<'_>], &[(String, String)]),
) {
    if cells.iter().all(|cell| cell.value.is_none()) {
        return;
    }
    let groups = groups(table, whole, key);
    let (all, all_width) = measured(&groups);
    let of_rules = |measured: &[Option<Measured<'_>>], width: usize| -> Vec<Vec<Option<f64>>> {
        let mut sums = vec![vec![0.0; width]; constants.len()];
        for column in measured.iter().flatten() {
            for (offset, unit) in column.placed() {
                constants.add(column.span.measure, unit, &mut sums, offset);
            }
        }
        sums.iter().map(|sums| values(&table.columns, &spans(measured), sums)).collect()
    };
    let (of_all, of_asked) = (of_rules(&all, all_width), of_rules(asked, width));
    let levels = levels(&table.columns);
    for (position, cell) in cells.iter_mut().enumerate() {
        let best = (0..constants.len()).filter_map(|rule| Some((rule, of_all[rule][position]?)));
        let best = best.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let Some((rule, _)) = best.filter(|_| levels[position] && cell.value.is_some()) else { continue };
        cell.constant = of_asked[rule][position].map(|value| value * PERCENT);
        cell.constant_answer = cell.constant.map(|_| constants.name(rule).to_string());
    }
}

/// Sets the expected value under independence in each cell of joint answers, and in means of such cells.
pub(super) fn note_independence<'a>(
    cells: &mut [Cell],
    table: &Table,
    measured: &[Option<Measured<'a>>],
    worlds: &[World<'a>],
) {
    let Some(world) = worlds.first() else { return };
    for position in 0..cells.len() {
        let expected = match (&measured[position], &table.columns[position].source) {
            (Some(column), _) => {
                let people = column.units.iter().flatten();
                let each = people.filter_map(|units| if_independent(column.span.measure, units, world.population));
                mean(each).map(|value| value * PERCENT)
            }
            (None, Source::Mean(parts)) => {
                let parts: Option<Vec<f64>> = parts.iter().map(|&part| cells[part].expected).collect();
                parts.and_then(|parts| mean(parts.into_iter()))
            }
            _ => None,
        };
        cells[position].expected = expected.filter(|_| cells[position].value.is_some());
    }
}
