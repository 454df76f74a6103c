//! The table of witness strips as CSV.

use crate::attend::results::Document;
use crate::table::CsvTable;

/// One line per model, group and comparison. Columns: `model, group, comparison, items, stories, first, second,
/// difference, low, high, p, holm`. Attention per word is a share of that on the story, from 0 to 1; numbers that there are
/// none of are empty. Then a line per reason why prompts are left out, with their number under `items`.
pub fn witness_csv(document: &Document) -> String {
    let mut table = CsvTable::new([
        "model",
        "group",
        "comparison",
        "items",
        "stories",
        "first",
        "second",
        "difference",
        "low",
        "high",
        "p",
        "holm",
        "left_out",
    ]);
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.7}"));
    let p = |value: Option<f64>| value.map_or(String::new(), |p| format!("{p:.3e}"));
    for row in &document.findings.witness {
        for each in &row.comparisons {
            table.line([
                document.models.get(row.model).map_or_else(String::new, |model| model.name.clone()),
                row.group.clone(),
                each.comparison.clone(),
                each.items.to_string(),
                each.stories.to_string(),
                number(each.first),
                number(each.second),
                number(each.difference),
                number(each.interval.map(|(low, _)| low)),
                number(each.interval.map(|(_, high)| high)),
                p(each.p),
                p(each.holm),
                String::new(),
            ]);
        }
    }
    for (reason, items) in &document.findings.without_witness {
        let mut line = vec![String::new(); 13];
        line[3] = items.to_string();
        line[12].clone_from(reason);
        table.line(line);
    }
    table.text()
}
