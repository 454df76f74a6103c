//! Comparisons of two groups of prompts, as text and as a table.

use std::fmt::{self, Write};

use indexmap::IndexSet;

use crate::attend::results::{DifferenceRecord, DifferencesRecord, ShiftRecord, WithinRecord};
use crate::counted::capitalised;
use crate::table::{Grid, Value, cells};

/// Most left-out strata that are listed.
const NAMED: usize = 4;

/// Writes the numbers of two groups, one per line; `model` follows the groups.
pub(super) fn differences(out: &mut impl Write, found: &DifferencesRecord, model: &str) -> fmt::Result {
    let Some(first) = found.quantities.first() else { return Ok(()) };
    write!(out, "{} minus {}{model}", found.groups.0, found.groups.1)?;
    let same = found.quantities.iter().all(|quantity| quantity.within.reason == first.within.reason);
    if let Some(reason) = first.within.reason.as_ref().filter(|_| same) {
        writeln!(out, ": - ({reason})")?;
        return left_out(out, found);
    }
    writeln!(out, ", within strata")?;
    writeln!(
        out,
        "  {:<30} {:>9} {:>8} {:>8} {:>9}  {:<18} {:>7} {:>7}",
        "quantity", "items", "first", "second", "difference", "95 %", "p", "Holm"
    )?;
    for quantity in &found.quantities {
        let name = format!("{}, {}", quantity.quantity, unit(quantity));
        let within = &quantity.within;
        if let Some(reason) = &within.reason {
            writeln!(out, "  {name:<30} - ({reason})")?;
            continue;
        }
        let items = format!("{}/{}", within.items.0, within.items.1);
        writeln!(
            out,
            "  {name:<30} {items:>9} {:>8} {:>8} {:>9}   {:<18} {:>7} {:>7}",
            shown(quantity.first, quantity, false),
            shown(quantity.second, quantity, false),
            shown(quantity.difference, quantity, true),
            range(quantity),
            Value::p(quantity.p, 4),
            Value::p(quantity.holm, 4)
        )?;
    }
    left_out(out, found)
}

/// Writes the left-out strata, once for all quantities that lack the same ones.
fn left_out(out: &mut impl Write, found: &DifferencesRecord) -> fmt::Result {
    let mut rendered: Vec<(String, Vec<&str>)> = Vec::new();
    for quantity in &found.quantities {
        let Some(text) = strata_left_out(&quantity.within) else { continue };
        match rendered.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(&quantity.quantity),
            None => rendered.push((text, vec![&quantity.quantity])),
        }
    }
    for (text, names) in rendered {
        match names.len() == found.quantities.len() {
            true => writeln!(out, "  {text}")?,
            false => writeln!(out, "  of {}: {text}", names.join(", "))?,
        }
    }
    Ok(())
}

/// The left-out strata with their item counts; `None` if all are compared.
pub(super) fn strata_left_out(within: &WithinRecord) -> Option<String> {
    if within.left_out.is_empty() {
        return None;
    }
    let items = |left: &[crate::attend::results::LeftOutRecord]| {
        left.iter().fold((0, 0), |sums, left| (sums.0 + left.items.0, sums.1 + left.items.1))
    };
    let named = within.left_out.iter().take(NAMED);
    let mut named: Vec<String> =
        named.map(|left| format!("{} ({} and {})", left.stratum, left.items.0, left.items.1)).collect();
    if let Some(rest) = within.left_out.get(NAMED..).filter(|rest| !rest.is_empty()) {
        let (first, second) = items(rest);
        named.push(format!("{} more ({first} and {second})", rest.len()));
    }
    let (first, second) = items(&within.left_out);
    Some(format!("left out, without two stories of each group, {first} and {second} items: {}", named.join("; ")))
}

/// Writes the keyword shifts between two groups.
pub(super) fn shift(out: &mut impl Write, shift: &ShiftRecord, model: &str) -> fmt::Result {
    write!(out, "Keywords of {} minus {}, {}{model}: ", shift.first, shift.second, shift.language.name())?;
    match &shift.within.reason {
        Some(reason) => write!(out, "- ({reason})")?,
        None if shift.tested == 0 => write!(out, "- (no word is a keyword of five items)")?,
        None => {
            let ShiftRecord { tested, significant, within, .. } = shift;
            let word = |word: &crate::attend::results::ShiftWordRecord| {
                let (first, second) = word.items;
                let points = 100.0 * word.difference;
                format!("{} {points:+.0} points ({first}, {second}; Holm {})", word.text, Value::p(word.holm, 4))
            };
            let words: Vec<String> = shift.words.iter().map(word).collect();
            let (items, stories) = (within.items, within.stories);
            write!(
                out,
                "{significant} of {tested} words of five items with p < 0.05 by Holm, within {} strata ({} and {} items of {} and {} \
                 stories)\n  {}",
                within.strata,
                items.0,
                items.1,
                stories.0,
                stories.1,
                words.join(", ")
            )?;
        }
    }
    writeln!(out)?;
    strata_left_out(&shift.within).map_or(Ok(()), |text| writeln!(out, "  {text}"))
}

/// A table of the numbers of two groups; `None` if there are no numbers.
pub(super) fn difference_grid(found: &DifferencesRecord, of: &str) -> Option<Grid> {
    found.quantities.first()?;
    let (first, second) = (&found.groups.0, &found.groups.1);
    let row = |quantity: &DifferenceRecord| {
        let within = &quantity.within;
        let mut cells = cells![
            format!("{}, {}", quantity.quantity, unit(quantity)),
            Value::from(within.items.0).unit(format!("/{}", within.items.1)),
        ];
        match within.reason {
            Some(_) => cells.extend([const { Value::Missing(None) }; 5]),
            None => cells.extend([
                shown(quantity.first, quantity, false),
                shown(quantity.second, quantity, false),
                shown(quantity.difference, quantity, true),
                range(quantity),
                Value::p(quantity.holm, 3),
            ]),
        }
        cells
    };
    let reasons: IndexSet<&String> =
        found.quantities.iter().filter_map(|quantity| quantity.within.reason.as_ref()).collect();
    let left_out = found.quantities.iter().find_map(|quantity| strata_left_out(&quantity.within));
    let rendered = reasons.iter().map(|reason| format!("--: {reason}")).chain(left_out.map(|text| capitalised(&text)));
    let rendered: String = rendered.map(|text| format!(". {text}")).collect();
    let title = format!(
        "{of}: {first} against {second}, compared within strata, tests clustered by story and adjusted by Holm over the table{rendered}"
    );
    let header = ["", "Items", first, second, "Difference", "95 %", "p (Holm)"];
    Some(Grid::new(&title, 1, header, found.quantities.iter().map(row)))
}

/// The displayed unit of a quantity.
fn unit(quantity: &DifferenceRecord) -> &str {
    if is_percent(quantity) { "%" } else { &quantity.unit }
}

fn is_percent(quantity: &DifferenceRecord) -> bool {
    matches!(quantity.unit.as_str(), "share" | "place")
}

fn scale(quantity: &DifferenceRecord) -> f64 {
    if is_percent(quantity) { 100.0 } else { 1.0 }
}

fn shown(value: Option<f64>, quantity: &DifferenceRecord, signed: bool) -> Value {
    let value = value.map(|value| scale(quantity) * value);
    if signed { Value::signed(value, 2) } else { Value::places(value, 2) }
}

fn range(quantity: &DifferenceRecord) -> Value {
    let scale = scale(quantity);
    Value::signed_range(quantity.interval.map(|(low, high)| (scale * low, scale * high)), 2)
}
