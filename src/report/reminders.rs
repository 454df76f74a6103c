//! Accuracy with reminders of answers to linked questions, as grids.

use super::words::{self, named, number};
use crate::metric::{FIRST_ANSWER, Reminded, Reminder, Shift};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// Accuracy in each presentation, and what is to be concluded from.
pub(super) fn grids(found: &[Reminded]) -> Vec<Grid> {
    if found.is_empty() {
        return Vec::new();
    }
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let labels = |each: &Reminded| {
        let of = each.key.get(FIRST_ANSWER).map_or("all", String::as_str);
        cells![&each.language, named(&each.header, several_styles), &each.link, of]
    };
    let shift = |shift: &Shift| {
        let points = Value::signed(shift.points.value, 1).within(shift.interval, 1);
        [points.or_reason(&shift.points.reason), Value::p(shift.p, 3)]
    };
    let counts = |each: &Reminded| [each.items, each.stories].map(Value::grouped);
    let header = [
        "language",
        "",
        "link",
        "own answer",
        "reminded of",
        "items",
        "stories",
        "accuracy",
        "change",
        "p",
        "left out",
    ];
    let rows = found.iter().flat_map(|each| {
        each.asked.iter().map(move |asked| {
            let mut cells = labels(each);
            cells.push(Value::from(reminder(asked.reminder)));
            cells.extend(counts(each));
            cells.push(number(asked.accuracy.value).within(asked.interval, 1).or_reason(&asked.accuracy.reason));
            cells.extend(shift(&asked.change));
            cells.push(Value::grouped(each.left_out));
            cells
        })
    });
    let accuracy = Grid::new("Accuracy with reminders", 5, header, rows).explained();
    let header =
        ["language", "", "link", "own answer", "items", "stories", "own - unrelated", "p", "right - wrong", "p"];
    let rows = found.iter().map(|each| {
        let mut cells = labels(each);
        cells.extend(counts(each));
        cells.extend([&each.beyond_unrelated, &each.right_beyond_wrong].into_iter().flat_map(shift));
        cells
    });
    let effects = Grid::new("What reminders change", 4, header, rows).explained();
    vec![accuracy, effects.with_notes([Said::new("note_reminders", [])])]
}

fn reminder(reminder: Option<Reminder>) -> &'static str {
    match reminder {
        None => "nothing",
        Some(Reminder::Own) => "own answer",
        Some(Reminder::Other) => "another option",
        Some(Reminder::Unrelated) => "unrelated answer",
    }
}
