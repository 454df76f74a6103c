//! Accuracy with reminders of answers to linked questions, as grids.

use indexmap::IndexSet;

use super::words::{self, named, number};
use crate::metric::{AskedWith, Reminded, Shift};
use crate::page::words::Said;
use crate::table::{Grid, Value, cells};

/// Accuracy in each presentation, and what reminders change.
pub(super) fn grids(found: &[Reminded]) -> Vec<Grid> {
    if found.is_empty() {
        return Vec::new();
    }
    let several_styles = words::several_styles(found.iter().map(|each| &each.header));
    let labels = |each: &Reminded| {
        let own = each.key.values().next().map_or("all", String::as_str);
        let mut cells = cells![&each.language, named(&each.header, several_styles), format!("{}, {own}", each.link)];
        cells.extend([each.items, each.stories].map(Value::grouped));
        cells
    };
    let asked = found.iter().flat_map(|each| each.asked.iter().filter_map(|asked| asked.reminder.as_deref()));
    let kinds: IndexSet<&str> = asked.collect();
    let header = ["language", "", "own answer", "items", "stories", "plain"].into_iter();
    let header = header.chain(kinds.iter().copied()).chain(["left out"]);
    let rows = found.iter().map(|each| {
        let mut cells = labels(each);
        cells.extend([None].into_iter().chain(kinds.iter().copied().map(Some)).map(|kind| match with(each, kind) {
            Some(asked) => number(asked.accuracy.value).within(asked.interval, 1).or_reason(&asked.accuracy.reason),
            None => number(None),
        }));
        cells.push(Value::grouped(each.left_out));
        cells
    });
    let accuracy = Grid::new("Accuracy with reminders", 3, header, rows).explained();
    let minus_plain = kinds.iter().map(|kind| format!("{kind} - plain"));
    let effects = ["own - unrelated", "right - wrong"].map(String::from);
    let header = ["language", "", "own answer", "items", "stories"].map(String::from).into_iter();
    let header = header.chain(minus_plain.chain(effects).flat_map(|name| [name, "p".to_string()]));
    let rows = found.iter().map(|each| {
        let shift = |shift: Option<&Shift>| match shift {
            Some(Shift { points, interval, p }) => {
                let points = Value::signed(points.value, 1).within(*interval, 1).or_reason(&points.reason);
                [points, Value::p(*p, 3)]
            }
            None => [number(None), Value::p(None, 3)],
        };
        let changes = kinds.iter().map(|kind| with(each, Some(kind)).map(|asked| &asked.change));
        let effects = [&each.beyond_unrelated, &each.right_beyond_wrong].map(Some);
        let mut cells = labels(each);
        cells.extend(changes.chain(effects).flat_map(shift));
        cells
    });
    let effects = Grid::new("What reminders change", 3, header, rows).explained();
    let notes = found.iter().flat_map(|each| each.notes.iter().map(|note| Said::from(note.clone())));
    vec![accuracy, effects.with_notes([Said::new("note_reminders", [])].into_iter().chain(notes))]
}

fn with<'r>(each: &'r Reminded, reminder: Option<&str>) -> Option<&'r AskedWith> {
    each.asked.iter().find(|asked| asked.reminder.as_deref() == reminder)
}
