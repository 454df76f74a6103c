//! Tables of groups, one per group, with means and recurring keywords.

use super::caption::read_from;
use crate::attend::results::{Document, GroupRecord};
use crate::table::{Grid, GridRow, Value, cells};

/// Keywords by the number of prompts that have them, followed by mean row statistics.
pub(super) fn group_grid(document: &Document, group: &GroupRecord) -> Grid {
    let row = |starts_group: bool, cells: Vec<Value>| GridRow { cells, starts_group };
    let mut rows: Vec<GridRow> = Vec::new();
    for recurring in &group.keywords {
        if group.keywords.len() > 1 {
            rows.push(row(true, cells![recurring.language.name(), "", ""]));
        }
        let word = |(word, items, weight): &(String, usize, f64)| {
            row(false, cells![word, *items, Value::places(100.0 * weight, 1)])
        };
        rows.extend(recurring.words.iter().map(word));
    }
    for (place, (name, value)) in means(group).into_iter().enumerate() {
        rows.push(row(place == 0, cells![name, "", value]));
    }
    let models: Vec<&str> = document.models.iter().map(|model| model.name.as_str()).collect();
    let title = format!(
        "{} ({} prompts), as read by {}: words by the number of prompts they are a keyword of. Measure: {}; first {} keywords of \
         each",
        group.name,
        group.items,
        models.join(" and "),
        read_from(&document.settings),
        document.settings.top,
    );
    Grid::new(&title, 1, ["Keyword", "Items", "Mean %"], rows.into_iter())
}

fn means(group: &GroupRecord) -> Vec<(&'static str, Value)> {
    let percent = |value: f64| Value::places(100.0 * value, 1).unit(" %");
    let mut rows = vec![
        ("Mean share on the first token", percent(group.sink)),
        ("Mean share on words", percent(group.on_words)),
        ("Mean entropy", Value::places(group.entropy_bits, 2).unit(" bits")),
    ];
    rows.extend(group.half_way.map(|half_way| ("Half of the weight in the first", percent(half_way))));
    rows.extend(group.overlap.map(|overlap| ("Overlap with people", percent(overlap))));
    if let Some(checks) = &group.deletion {
        let interval = checks.difference.map(|ends| Value::signed_range(Some(ends), 2));
        rows.extend([
            ("Fall without keywords (nats)", Value::places(checks.keywords, 2)),
            ("Fall without random words (nats)", Value::places(checks.random, 2)),
            ("Difference", Value::signed(checks.keywords - checks.random, 2)),
            ("95 % interval by story", interval.unwrap_or("one story".into())),
            ("Items with p < 0.05 (by chance)", Value::from(checks.leaning).unit(format!(" ({:.1})", checks.expected))),
            ("Choices that change", Value::from(checks.flips).unit(format!(" of {}", checks.items))),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::examples::document;
    use super::*;
    use crate::attend::results::RecurringRecord;
    use crate::attend::words::ChecksRecord;
    use crate::language::Language;

    #[test]
    fn every_group_is_a_table() {
        let mut document = document();
        let group = |name: &str, deletion| GroupRecord {
            name: name.into(),
            items: 4,
            sink: 0.5,
            on_words: 0.25,
            entropy_bits: 3.0,
            half_way: Some(0.5),
            overlap: None,
            deletion,
            knocked_out: Vec::new(),
            keywords: vec![
                RecurringRecord { language: Language::En, words: vec![("50%".into(), 3, 0.2)] },
                RecurringRecord { language: Language::Fr, words: vec![("tasse".into(), 2, 0.1)] },
            ],
        };
        let checks = ChecksRecord {
            items: 4,
            stories: 3,
            keywords: 0.5,
            random: -0.25,
            difference: Some((-0.5, 2.0)),
            leaning: 1,
            expected: 0.2,
            flips: 2,
            random_flips: 0.125,
        };
        document.groups = vec![group("right answers", None), group("task: a_b", Some(checks))];
        insta::assert_snapshot!(super::super::group_tables(&document));
    }
}
