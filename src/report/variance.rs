//! Sources of variance of answers, how far each moves an accuracy, and accuracy by wording, as grids.

use super::words::{self, named, number};
use crate::metric::{Anew, Header, Source, Sources};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// Name of the tables, by which they are asked for.
pub const ID: &str = "variance";

pub(super) fn grids(found: &[Sources]) -> Vec<Grid> {
    if found.is_empty() {
        return Vec::new();
    }
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let named = |header: &Header| named(header, several_styles);
    let header = ["language", "", "source", "items", "stories", "left out", "levels", "variance", "share, %"];
    let rows = found.iter().flat_map(|each| each.variances.iter().map(move |of| (each, of)));
    let rows = rows.map(|(each, of)| {
        let (name, levels) = match of.source {
            Source::Items => ("items", each.items),
            Source::Wordings => ("wordings", each.wordings),
            Source::ItemsByWordings => ("items by wordings", each.items * each.wordings),
            Source::Orders => ("orders of an item", each.orders),
            Source::WordingsByOrders => ("wordings by orders", each.wordings * each.orders),
            Source::Replies => ("replies to a prompt", each.replies),
        };
        let mut cells = cells![&each.language, named(&each.header), name];
        cells.extend([each.items, each.stories, each.left_out, levels].map(Value::grouped));
        let variance = Value::places(of.variance.value, 4).within(of.interval, 4);
        cells.extend([variance.or_reason(&of.variance.reason), number(of.share)]);
        cells
    });
    let sources = Grid::new("Sources of variance of single answers", 3, header, rows).explained();

    let header = ["language", "", "anew", "sd if asked once", "sd in this run", "p"];
    let rows = found.iter().flat_map(|each| each.accuracies.iter().map(move |of| (each, of)));
    let rows = rows.map(|(each, of)| {
        let name = match of.anew {
            Anew::Wording => "another wording",
            Anew::Orders => "other orders",
            Anew::Replies => "other replies",
            Anew::Items => "other stories",
            Anew::All => "all of these",
        };
        let mut cells = cells![&each.language, named(&each.header), name];
        let once = Value::places(of.asked_once.value, 2).within(of.interval, 2).or_reason(&of.asked_once.reason);
        let p = each.wordings_p.filter(|_| of.anew == Anew::Wording);
        cells.extend([once, Value::places(of.observed, 2), Value::p(p, 3)]);
        cells
    });
    let accuracies = Grid::new("How far accuracy moves, in points", 3, header, rows).explained();

    let header = ["language", "", "wording", "items", "accuracy", "minus their mean"];
    let rows = found.iter().flat_map(|each| each.by_wording.iter().map(move |of| (each, of)));
    let rows = rows.map(|(each, of)| {
        let mut cells = cells![&each.language, named(&each.header), of.wording.to_string()];
        let accuracy = number(of.accuracy.value).within(of.interval, 1).or_reason(&of.accuracy.reason);
        let difference = Value::signed(of.difference.value, 1).within(of.difference_interval, 1);
        cells.extend([Value::grouped(each.items), accuracy, difference]);
        cells
    });
    let by_wording = Grid::new("Accuracy by wording", 3, header, rows).explained();
    let mut grids = vec![sources, accuracies.with_notes([Said::new("note_variance", [])])];
    grids.extend(found.iter().any(|each| !each.by_wording.is_empty()).then_some(by_wording));
    grids
}
