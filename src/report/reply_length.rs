//! Accuracy by length of the reply, as grids.

use super::words::{self, named, number};
use crate::metric::{LengthQuarter, ReplyLength};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

pub(super) fn grids(found: &[ReplyLength]) -> Vec<Grid> {
    if found.is_empty() {
        return Vec::new();
    }
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let labels = |each: &ReplyLength| cells![&each.language, named(&each.header, several_styles)];
    let header = ["language", "", "items", "stories", "per doubling", "p", "replies", "cut off"];
    let row = |each: &ReplyLength| {
        let per_doubling = Value::signed(each.per_doubling.value, 2).within(each.interval, 2);
        let mut cells = labels(each);
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([per_doubling.or_reason(&each.per_doubling.reason), Value::p(each.p, 3)]);
        cells.extend([each.replies, each.cut].map(Value::grouped));
        cells
    };
    let title = "Log-odds of a right reply per doubling of its length";
    let within = Grid::new(title, 2, header, found.iter().map(row)).explained();
    let header = ["language", "", "quarter of replies", "replies", "accuracy"];
    let row = |(each, of): (&ReplyLength, &LengthQuarter)| {
        let mut cells = labels(each);
        cells.extend(cells![format!("{}: {} to {} tokens", of.quarter, of.shortest, of.longest)]);
        cells.extend([Value::grouped(of.replies), number(of.accuracy.value).within(of.accuracy_interval, 1)]);
        cells
    };
    let rows = found.iter().flat_map(|each| each.quarters.iter().map(move |of| (each, of))).map(row);
    let quarters = Grid::new("Accuracy by length of the reply", 3, header, rows).explained();
    vec![within.with_notes([Said::new("note_reply_length", [])]), quarters]
}
