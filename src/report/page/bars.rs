//! Accuracies as bars, one per column and row of a table, with interval, chance and published values.
//!
//! Lengths are percentages, so that bars scale with the page while text keeps its size.

use minijinja::context;
use minijinja::value::Value;

use super::data::joined;
use super::runs::Runs;
use super::{Figures, is_small, plain};
use crate::metric::{AVERAGE, Cell, PublishedRow, ResultRow, TableResult};
use crate::report::sheets::{self, Beside};

/// Figures of a table, one per group of rows; empty if its values are not shares or are missing.
pub(super) fn figures(table: &TableResult, runs: &Runs, all: &mut Figures) -> Vec<Value> {
    if !sheets::are_shares(table) {
        return Vec::new();
    }
    sheets::groups(table).iter().map(|(key, rows)| figure(table, &key.join(", "), rows, runs, all)).collect()
}

fn figure(table: &TableResult, name: &str, rows: &[&ResultRow], runs: &Runs, all: &mut Figures) -> Value {
    let several = sheets::several_styles(table);
    let name_of = |row: &ResultRow| sheets::row_name(row, several, true);
    let mut columns: Vec<usize> = (0..table.columns.len()).collect();
    if table.parts.is_empty() {
        // A stable sort: the average before the others.
        columns.sort_by_key(|&column| table.columns[column] != AVERAGE);
    }
    let mut data = vec![HEAD.map(String::from).to_vec()];
    let blocks = columns.into_iter().filter_map(|column| {
        let title = &table.columns[column];
        let bars: Vec<Value> = rows
            .iter()
            .filter_map(|row| {
                let (cell, beside) = (row.cells.get(column)?, beside(table, row, column));
                let drawn = bar(runs.mark(row), cell, &name_of(row), &beside)?;
                data.push(line(title, &name_of(row), cell, &beside));
                Some(drawn)
            })
            .collect();
        (!bars.is_empty()).then(|| context! { title => plain(title), bars => bars })
    });
    let blocks: Vec<Value> = blocks.collect();
    let has = |human: bool| {
        let stands = |row: &PublishedRow| {
            rows.iter().any(|measured| row.stands_beside(measured) && (human || measured.part.is_none()))
        };
        table.published.iter().any(|row| row.human == human && stands(row))
    };
    let cells = || rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.value.is_some());
    let small = cells().any(is_small);
    let file = format!("{} {name}", table.id);
    // Full names at every bar would clutter the figure, so bars have letters and names are listed once above.
    let named = |row: &&ResultRow| context! { name => plain(&name_of(row)), mark => runs.mark(row) };
    let names: Vec<Value> = rows.iter().map(named).collect();
    let number = all.add(None, joined(data.into_iter()));
    let constant = cells().any(|cell| constant(cell).is_some());
    let (several, best, human) = (rows.len() > 1, has(false), has(true));
    context! { name => plain(name), file, blocks, names, several, constant, best, human, small, number }
}

/// The best constant answer, where it gets more than chance.
pub(super) fn above_chance(cell: &Cell) -> Option<f64> {
    cell.constant.filter(|constant| cell.chance.is_none_or(|chance| *constant > chance))
}

/// The best constant answer as drawn: of few items it is what they happen to share.
fn constant(cell: &Cell) -> Option<f64> {
    above_chance(cell).filter(|_| !is_small(cell))
}

/// What was published for a value. A sample is not the set that the paper's models answered.
pub(super) fn beside(table: &TableResult, row: &ResultRow, column: usize) -> Beside {
    let Beside { best, people } = Beside::new(table, row, column);
    Beside { best: best.filter(|_| row.part.is_none()), people }
}

/// Headings of a figure's data.
const HEAD: [&str; 11] =
    ["column", "row", "value", "low", "high", "n", "unit", "chance", "best constant", "best published", "people"];

/// A bar's line in the data of its figure.
fn line(column: &str, row: &str, cell: &Cell, beside: &Beside) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let published = |found: &Option<(f64, String)>| number(found.as_ref().map(|(value, _)| *value));
    let ends = [cell.interval.map(|ends| ends.0), cell.interval.map(|ends| ends.1)].map(number);
    let own = [column.to_string(), row.to_string(), number(cell.value)].into_iter().chain(ends);
    let size = [cell.n.to_string(), cell.unit.to_string(), number(cell.chance), number(cell.constant)];
    own.chain(size).chain([published(&beside.best), published(&beside.people)]).collect()
}

fn bar(mark_of_run: Option<Value>, cell: &Cell, name: &str, beside: &Beside) -> Option<Value> {
    let value = cell.value?;
    let Beside { best, people: human } = beside;
    let number = |value: f64| format!("{value:.1}");
    let mut said = vec![format!("{} %", number(value))];
    said.extend(cell.interval.map(|(low, high)| format!("95 % interval {low:.1} to {high:.1}")));
    said.push(format!("{} {}", cell.n, cell.unit));
    said.extend(cell.chance.map(|chance| format!("chance {chance:.1}")));
    said.extend(constant(cell).map(|constant| format!("best constant answer {constant:.1}")));
    said.extend(best.as_ref().map(|(value, label)| format!("best published {value:.1} ({label})")));
    said.extend(human.as_ref().map(|(value, label)| format!("{label} {value:.1}")));
    let within = |share: f64| share.clamp(0.0, 100.0);
    let interval = cell.interval.map(|(low, high)| {
        let text = format!("{low:.1} to {high:.1}");
        let [low, high] = [low, high].map(within);
        context! { low => number(low), width => number(high - low), text }
    });
    let mark = |found: &Option<(f64, String)>| found.as_ref().map(|(value, _)| number(within(*value)));
    Some(context! {
        run => mark_of_run,
        small => is_small(cell),
        n => cell.n,
        name => plain(name),
        value => number(within(value)),
        interval,
        chance => cell.chance.map(|chance| number(within(chance))),
        constant => constant(cell).map(|constant| number(within(constant))),
        best => mark(best),
        human => mark(human),
        said => plain(&said.join("; ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Respondent;
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

    fn drawn(table: &TableResult) -> (Vec<Value>, Figures) {
        let mut all = Figures::default();
        let report = crate::report::Report::new("m", IndexMap::new(), Vec::new());
        (figures(table, &Runs::new(&[], &report), &mut all), all)
    }

    #[test]
    fn few_items_show_and_the_average_stands_first() {
        let mut table = table([50.0, 95.0]);
        table.rows[0].cells[0].n = 9;
        let (figures, all) = drawn(&table);
        let text = serde_json::to_value(&figures[0]).unwrap();
        assert_eq!(text["blocks"][0]["title"], "AVG");
        let [first, second] = [0usize, 1].map(|block| text["blocks"][block]["bars"][0]["small"].clone());
        assert_eq!((first, second), (false.into(), true.into()));
        let data = &all.0[text["number"].as_u64().unwrap() as usize].tsv;
        assert!(data.contains("FBT\t<b>\\u{202e}m (letters)\t50\t40\t60\t9\titems\t25\t\t74\t90\n"), "{data}");
    }

    #[test]
    fn a_bar_tells_its_value_with_chance_and_what_was_published() {
        let (figures, _) = drawn(&table([50.0, 95.0]));
        let text = serde_json::to_value(&figures[0]).unwrap();
        assert_eq!(text["name"], "en");
        let first = &text["blocks"][1]["bars"][0];
        assert_eq!(first["name"], "<b>\\u{202e}m (letters)");
        assert_eq!(
            (&first["value"], &first["best"], &first["human"]),
            (&"50.0".into(), &"74.0".into(), &"90.0".into())
        );
        let said = "50.0 %; 95 % interval 40.0 to 60.0; 40 items; chance 25.0; best published 74.0 (Large); Human 90.0";
        assert_eq!(first["said"], said);
        let second = &text["blocks"][0]["bars"][0];
        assert_eq!(second["interval"]["width"], "15.0", "no bar leaves its place");
        assert_eq!(second["interval"]["text"], "85.0 to 105.0");
        assert!(second["best"].is_null());
    }

    #[test]
    fn differences_have_no_bars() {
        assert!(drawn(&table([-5.0, 10.0])).0.is_empty());
    }
}
