//! Accuracy with thoughts, or replies, cut to several numbers of tokens, as a grid.

use super::words::{self, PAIRED, named, paired};
use crate::metric::Budget;
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

pub(super) fn grid(found: &[Budget]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let has = |replies: bool| found.iter().any(|each| each.is_of_replies() == replies);
    let thoughts = has(false);
    let header = ["language", "", "cut", "most tokens"].into_iter().chain(PAIRED).chain(["cut, %", "tokens used"]);
    let row = |each: &Budget| {
        let cut = if each.is_of_replies() { "replies" } else { "thoughts" };
        let mut cells = cells![&each.language, named(&each.header, several_styles), cut];
        cells.push(Value::grouped(each.tokens));
        cells.extend(paired(&each.found));
        cells.extend([Value::places(each.cut, 1), Value::places(each.used, 0)]);
        cells.extend(thoughts.then(|| Value::places(each.without, 1)));
        cells
    };
    let header = header.chain(thoughts.then_some("without a thought, %"));
    let grid = Grid::new("Accuracy by budget of tokens", 4, header, found.iter().map(row)).explained();
    let notes = [(false, "note_budgets"), (true, "note_reply_budgets")];
    Some(grid.with_notes(notes.into_iter().filter(|(replies, _)| has(*replies)).map(|(_, note)| Said::new(note, []))))
}
