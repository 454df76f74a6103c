//! Answers to items with other persons, as a grid.

use super::words::{self, named, number, of};
use crate::metric::{Figure, SwapConclusion, SwapResult};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

pub(super) fn grid(found: &[SwapResult]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = [
        "language",
        "swap",
        "of",
        "",
        "items",
        "stories",
        "as they are",
        "swapped",
        "difference (90 %)",
        "p of difference",
        "p of equivalence",
        "beyond same group (95 %)",
        "p of beyond",
        "changed, %",
        "changed, same group, %",
        "conclusion",
    ];
    let row = |each: &SwapResult| {
        let share = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        let points =
            |figure: &Figure, interval| Value::signed(figure.value, 1).within(interval, 1).or_reason(&figure.reason);
        let mut cells = cells![&each.language, each.swap.name(), of(&each.key), named(&each.header, several_styles)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([&each.plain, &each.swapped].map(share));
        cells.extend([points(&each.difference, each.difference_interval), Value::p(each.p, 3)]);
        cells.extend([Value::p(each.equivalence_p, 3), points(&each.beyond, each.beyond_interval)]);
        cells.push(Value::p(each.beyond_p, 3));
        cells.extend([&each.changed, &each.changed_in_controls].map(share));
        cells.extend(cells![conclusion(each)]);
        cells
    };
    let grid = Grid::new("Answers with other persons", 4, header, found.iter().map(row)).explained();
    let mut notes = vec![Said::new("note_swaps", [])];
    notes.extend(found.iter().filter(|each| !each.left_out.is_empty()).map(|each| {
        let reasons: Vec<String> = each.left_out.iter().map(ToString::to_string).collect();
        Said::from(format!("Left out of {}, {}: {}.", each.swap, named(&each.header, true), reasons.join(", ")))
    }));
    Some(grid.with_notes(notes))
}

fn conclusion(each: &SwapResult) -> String {
    match each.conclusion {
        SwapConclusion::Differs => "differs".to_string(),
        SwapConclusion::Equivalent => format!("equivalent within {} points", each.margin),
        SwapConclusion::Undecided => "undecided".to_string(),
    }
}
