//! Accuracies as bars, one per column and row of a table, with interval, chance and published values.
//!
//! Lengths are percentages, so that bars scale with the page while text keeps its size.

use minijinja::context;
use minijinja::value::Value;

use crate::metric::{Cell, ResultRow, TableResult};
use crate::report::sheets::{self, Beside};
use crate::safe_text::for_terminal;

/// Figures of a table, one per group of rows; empty if its values are not shares or are missing.
pub(super) fn figures(table: &TableResult) -> Vec<Value> {
    if !sheets::are_shares(table) {
        return Vec::new();
    }
    sheets::groups(table).iter().map(|(key, rows)| figure(table, &key.join(", "), rows)).collect()
}

fn figure(table: &TableResult, name: &str, rows: &[&ResultRow]) -> Value {
    let several = sheets::several_styles(table);
    let name_of = |row: &ResultRow| sheets::row_name(row, several, true);
    let blocks = table.columns.iter().enumerate().filter_map(|(column, title)| {
        let bars: Vec<Value> = rows
            .iter()
            .enumerate()
            .filter_map(|(number, row)| {
                bar(number + 1, row.cells.get(column)?, &name_of(row), &Beside::new(table, row, column))
            })
            .collect();
        (!bars.is_empty()).then(|| context! { title => plain(title), bars => bars })
    });
    let blocks: Vec<Value> = blocks.collect();
    let has = |human: bool| {
        table.published.iter().any(|row| row.human == human && rows.iter().any(|measured| row.stands_beside(measured)))
    };
    // Full names at every bar would clutter the figure, so bars are numbered and names are listed once above.
    let names: Vec<String> = rows.iter().map(|row| plain(&name_of(row))).collect();
    context! { name => plain(name), blocks, names, several => rows.len() > 1, best => has(false), human => has(true) }
}

fn bar(number_of_row: usize, cell: &Cell, name: &str, beside: &Beside) -> Option<Value> {
    let value = cell.value?;
    let Beside { best, people: human } = beside;
    let number = |value: f64| format!("{value:.1}");
    let mut said = vec![format!("{} %", number(value))];
    said.extend(cell.interval.map(|(low, high)| format!("95 % interval {low:.1} to {high:.1}")));
    said.push(format!("{} {}", cell.n, cell.unit));
    said.extend(cell.chance.map(|chance| format!("chance {chance:.1}")));
    said.extend(best.as_ref().map(|(value, label)| format!("best published {value:.1} ({label})")));
    said.extend(human.as_ref().map(|(value, label)| format!("{label} {value:.1}")));
    let within = |share: f64| share.clamp(0.0, 100.0);
    let interval = cell.interval.map(|(low, high)| {
        let text = format!("{low:.1} to {high:.1}");
        context! { low => number(within(low)), high => number(within(high)), text }
    });
    let mark = |found: &Option<(f64, String)>| found.as_ref().map(|(value, _)| number(within(*value)));
    Some(context! {
        number => number_of_row,
        name => plain(name),
        value => number(within(value)),
        interval,
        chance => cell.chance.map(|chance| number(within(chance))),
        best => mark(best),
        human => mark(human),
        said => plain(&said.join("; ")),
    })
}

/// Text of data and models without characters that change the reading direction.
pub(super) fn plain(text: &str) -> String {
    for_terminal(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{PublishedRow, Respondent};
    use indexmap::IndexMap;

    fn table(values: [f64; 2]) -> TableResult {
        let cell = |value: f64| Cell {
            value: Some(value),
            interval: Some((value - 10.0, value + 10.0)),
            interval_by: None,
            design_effect: None,
            n: 40,
            unit: "items".into(),
            chance: Some(25.0),
            reason: None,
            ..Cell::default()
        };
        let row = ResultRow {
            header: Respondent { label: "<b>\u{202e}m", answers: "letters" }.header("vanilla", None),
            method: Default::default(),
            other_items: false,
            part: None,
            key: IndexMap::from([("language".to_string(), "en".to_string())]),
            cells: values.map(cell).to_vec(),
            over: None,
            sums: None,
        };
        let published = |label: &str, human, value| PublishedRow {
            label: label.into(),
            human,
            average: false,
            source: "Table 2".into(),
            style: None,
            method: Default::default(),
            key: IndexMap::new(),
            values: vec![Some(value), None],
        };
        TableResult {
            id: "task".into(),
            title: "Accuracy".into(),
            paper: None,
            facets: vec!["language".into()],
            columns: vec!["FBT".into(), "AVG".into()],
            transpose: false,
            figures: Vec::new(),
            parts: Default::default(),
            across: Default::default(),
            rows: vec![row],
            published: vec![
                published("Small", false, 41.0),
                published("Large", false, 74.0),
                published("Human", true, 90.0),
            ],
            caption: None,
            note: None,
        }
    }

    #[test]
    fn a_bar_tells_its_value_with_chance_and_what_was_published() {
        let figures = figures(&table([50.0, 95.0]));
        let text = serde_json::to_value(&figures[0]).unwrap();
        assert_eq!(text["name"], "en");
        let first = &text["blocks"][0]["bars"][0];
        assert_eq!(first["name"], "<b>\\u{202e}m (letters)");
        assert_eq!(
            (&first["value"], &first["best"], &first["human"]),
            (&"50.0".into(), &"74.0".into(), &"90.0".into())
        );
        let said = "50.0 %; 95 % interval 40.0 to 60.0; 40 items; chance 25.0; best published 74.0 (Large); Human 90.0";
        assert_eq!(first["said"], said);
        let second = &text["blocks"][1]["bars"][0];
        assert_eq!(second["interval"]["high"], "100.0", "no bar leaves its place");
        assert_eq!(second["interval"]["text"], "85.0 to 105.0");
        assert!(second["best"].is_null());
    }

    #[test]
    fn differences_have_no_bars() {
        assert!(figures(&table([-5.0, 10.0])).is_empty());
    }
}
