//! SimToM beside the tracker, as a grid.

use super::words::{self, named, number};
use crate::metric::{Estimated, Perspective};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// Rows of respondents with cuts of their own; the accuracy given the right cut stands in the same row where the same
/// respondent was asked on it, over as many items.
pub(super) fn grid(found: &[Perspective]) -> Option<Grid> {
    let with_cuts: Vec<&Perspective> = found.iter().filter(|each| each.own_cut.share.value.is_some()).collect();
    with_cuts.first()?;
    let several_styles = words::several_styles(with_cuts.iter().map(|each| &each.header));
    let right_cut = |each: &Perspective| -> Estimated {
        let is_same = |other: &&Perspective| {
            other.right_cut.share.value.is_some()
                && (&other.header.label, &other.language, &other.key) == (&each.header.label, &each.language, &each.key)
                && (&other.header.condition, other.items) == (&each.header.condition, each.items)
        };
        // Of several ways of answering, the one of the answers given the own cut.
        let same = || found.iter().filter(is_same);
        let first = same().find(|other| other.header.answers == each.header.answers).or_else(|| same().next());
        first.map_or(&each.right_cut, |other| &other.right_cut).clone()
    };
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
        let of: Vec<String> = each.key.iter().map(|(facet, value)| format!("{facet} {value}")).collect();
        let share = |each: &Estimated| number(each.share.value).within(each.interval, 1).or_reason(&each.share.reason);
        let mut cells = cells![&each.language, of.join(", "), named(&each.header, several_styles)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([&each.f1, &each.precision, &each.recall, &each.own_cut].map(share));
        cells.push(share(&right_cut(each)));
        cells.extend([each.others, each.empty].map(Value::grouped));
        cells
    };
    let grid =
        Grid::new("Perspective taking: what was kept, and answers from it", 3, header, with_cuts.iter().map(row));
    Some(grid.explained().with_notes([Said::new("note_perspective", [])]))
}
