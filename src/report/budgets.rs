//! Accuracy behind thoughts cut to several numbers of tokens, as a grid.

use super::words::{self, named, number};
use crate::metric::Budget;
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

pub(super) fn grid(found: &[Budget]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = [
        "language",
        "",
        "most tokens",
        "items",
        "stories",
        "accuracy",
        "change",
        "p",
        "thoughts cut, %",
        "tokens used",
        "without a thought, %",
    ];
    let row = |each: &Budget| {
        let accuracy = number(each.accuracy.value).within(each.interval, 1);
        let change = Value::signed(each.change.value, 1).within(each.change_interval, 1);
        let mut cells = cells![&each.language, named(&each.header, several_styles)];
        cells.extend([each.tokens, each.items, each.stories].map(Value::grouped));
        cells.extend([accuracy.or_reason(&each.accuracy.reason), change, Value::p(each.p, 3)]);
        cells.extend([Value::places(each.cut, 1), Value::places(each.used, 0), Value::places(each.without, 1)]);
        cells
    };
    let grid = Grid::new("Accuracy by budget of thinking", 3, header, found.iter().map(row)).explained();
    Some(grid.with_notes([Said::new("note_budgets", [])]))
}
