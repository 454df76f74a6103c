//! What unseen events do to answers about false beliefs, as a grid.

use super::words::{self, named, number};
use crate::metric::{Figure, Pull, Unseen};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

pub(super) fn grid(found: &[Unseen]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = [
        "language",
        "of",
        "",
        "items",
        "stories",
        "whole story",
        "seen only",
        "mention kept",
        "others left out",
        "pull of events, nats",
        "p",
        "points",
        "pull of mention, nats",
        "p",
        "points",
        "with true belief",
        "both right",
        "guessed",
        "left out",
    ];
    let row = |each: &Unseen| {
        let of: Vec<String> = each.key.iter().map(|(facet, value)| format!("{facet} {value}")).collect();
        let share = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        let pull = |pull: &Pull| {
            let odds = Value::signed(pull.log_odds.value, 2).within(pull.log_odds_interval, 2);
            let points = Value::signed(pull.accuracy.value, 1).within(pull.accuracy_interval, 1);
            [odds.or_reason(&pull.log_odds.reason), Value::p(pull.p, 3), points.or_reason(&pull.accuracy.reason)]
        };
        let mut cells = cells![&each.language, of.join(", "), named(&each.header, several_styles)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([&each.plain, &each.seen_only, &each.mention_kept, &each.others_left_out].map(share));
        cells.extend(pull(&each.events).into_iter().chain(pull(&each.mention)));
        cells.push(Value::grouped(each.true_belief));
        cells.extend([&each.both_right, &each.both_guessed].map(share));
        cells.push(Value::grouped(each.left_out.values().sum()));
        cells
    };
    let grid =
        Grid::new("Pull of what is unseen in false-belief stories", 3, header, found.iter().map(row)).explained();
    let mut notes = vec![Said::new("note_unseen", [])];
    notes.extend(found.iter().filter(|each| each.key.is_empty() && !each.left_out.is_empty()).map(|each| {
        let reasons: Vec<String> = each.left_out.iter().map(|(why, items)| format!("{items} ({why})")).collect();
        Said::from(format!("Left out, {}: {}.", named(&each.header, true), reasons.join(", ")))
    }));
    Some(grid.with_notes(notes))
}
