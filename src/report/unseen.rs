//! What unseen events do to answers about false beliefs, and whose place wrong answers name, as grids.

use super::words::{self, named, number, of};
use crate::metric::{Changed, Figure, Pull, Unseen, WrongChoices, WrongPlace};
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
        let share = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        let pull = |pull: &Pull| {
            let odds = Value::signed(pull.log_odds.value, 2).within(pull.log_odds_interval, 2);
            let points = Value::signed(pull.accuracy.value, 1).within(pull.accuracy_interval, 1);
            [odds.or_reason(&pull.log_odds.reason), Value::p(pull.p, 3), points.or_reason(&pull.accuracy.reason)]
        };
        let mut cells = cells![&each.language, of(&each.key), named(&each.header, several_styles)];
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

/// How many answers change with what is left out.
pub(super) fn changes(found: &[Unseen]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header = [
        "language",
        "of",
        "",
        "items",
        "to right, without the unseen",
        "to wrong",
        "to right, mention kept",
        "to wrong",
        "to right, without others",
        "to wrong",
        "to right, another order",
        "to wrong",
        "beyond others",
        "beyond orders",
    ];
    let row = |each: &Unseen| {
        let share = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        let both = |changed: &Changed| [share(&changed.to_right), share(&changed.to_wrong)];
        let beyond =
            |figure: &Figure, interval| Value::signed(figure.value, 1).within(interval, 1).or_reason(&figure.reason);
        let mut cells = cells![&each.language, of(&each.key), named(&each.header, several_styles)];
        cells.push(Value::grouped(each.items));
        cells.extend(
            [&each.without_unseen, &each.with_mention, &each.without_others, &each.other_order]
                .into_iter()
                .flat_map(both),
        );
        cells.push(beyond(&each.beyond_others, each.beyond_others_interval));
        cells.push(beyond(&each.beyond_orders, each.beyond_orders_interval));
        cells
    };
    let grid = Grid::new("Answers that change in false-belief stories", 3, header, found.iter().map(row)).explained();
    Some(grid.with_notes([Said::new("note_changes", [])]))
}

/// Whose place wrong choices name.
pub(super) fn wrong_choices(found: &[WrongChoices]) -> Option<Grid> {
    found.first()?;
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let header =
        ["language", "of", "", "wrong container", "choices", "stories", "share", "if drawn", "share - if drawn", "p"];
    let row = |each: &WrongChoices| {
        let share = |figure: &Figure| number(figure.value).or_reason(&figure.reason);
        let difference = Value::signed(each.difference.value, 1).within(each.interval, 1);
        let mut cells = cells![&each.language, of(&each.key), named(&each.header, several_styles), place(each.place)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells.extend([&each.share, &each.drawn].map(share));
        cells.extend([difference.or_reason(&each.difference.reason), Value::p(each.p, 3)]);
        cells
    };
    let grid = Grid::new("Wrong choices about false beliefs", 4, header, found.iter().map(row)).explained();
    let mut notes = vec![Said::new("note_wrong_choices", [])];
    let is_first = |each: &&WrongChoices| each.key.is_empty() && each.place == found[0].place && each.not_named > 0;
    notes.extend(found.iter().filter(is_first).map(|each| {
        Said::from(format!(
            "{}: {} more wrong choices name no container of their story.",
            named(&each.header, true),
            each.not_named
        ))
    }));
    Some(grid.with_notes(notes))
}

fn place(place: WrongPlace) -> &'static str {
    match place {
        WrongPlace::Reality => "where the object is",
        WrongPlace::InnerMind => "where an inner mind has it",
        WrongPlace::RealityAndInnerMind => "both",
        WrongPlace::NoLane => "neither",
        WrongPlace::RealityNotLast => "where it is, not named last",
        WrongPlace::LastNamed => "named last",
        WrongPlace::FirstNamed => "named first",
        WrongPlace::MostNamed => "named most",
    }
}
