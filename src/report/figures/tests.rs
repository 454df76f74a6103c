use indexmap::IndexMap;

use super::*;
use crate::benchmark::Benchmark;
use crate::figure::Body;
use crate::metric::{
    AskedPart, Calibration, CalibrationBin, Cell, Counts, IntervalBy, OrderEffects, PublishedRow, Respondent,
    ResultRow, Results,
};

fn cell(value: Option<f64>) -> Cell {
    Cell {
        value,
        interval: value.map(|value| (value - 5.0, value + 5.0)),
        interval_by: Some(IntervalBy::Units),
        design_effect: None,
        n: 40,
        unit: "items".into(),
        chance: Some(25.0),
        reason: None,
        ..Cell::default()
    }
}

fn row(label: &str, key: &[(&str, &str)], values: &[Option<f64>]) -> ResultRow {
    ResultRow {
        header: Respondent { label, answers: "letters" }.header("vanilla", None),
        method: Default::default(),
        other_items: false,
        part: None,
        key: key.iter().map(|(facet, value)| (facet.to_string(), value.to_string())).collect(),
        cells: values.iter().map(|value| cell(*value)).collect(),
        over: None,
        sums: None,
    }
}

fn table(figures: &[Drawing], columns: &[&str], rows: Vec<ResultRow>) -> TableResult {
    TableResult {
        id: "the table".into(),
        title: "Accuracy by task".into(),
        paper: Some("Writer 2024, Table 1".into()),
        facets: rows.first().map(|row| row.key.keys().cloned().collect()).unwrap_or_default(),
        columns: columns.iter().map(|name| name.to_string()).collect(),
        transpose: false,
        figures: figures.to_vec(),
        parts: Default::default(),
        across: Default::default(),
        rows,
        published: Vec::new(),
        caption: None,
        note: None,
    }
}

fn results(tables: Vec<TableResult>) -> Results {
    Results {
        benchmark: Benchmark::Custom,
        title: "Small".into(),
        label: "m".into(),
        counts: Counts::default(),
        tables,
        none_of_these: Vec::new(),
        unseen: Vec::new(),
        budgets: Vec::new(),
        reply_length: Vec::new(),
        variance: Vec::new(),
        options: Vec::new(),
        swaps: Vec::new(),
        reminded: Vec::new(),
        wrong_choices: Vec::new(),
        perspective: Vec::new(),
        order_effects: Vec::new(),
        calibration: Vec::new(),
        linked: Default::default(),
        label_mass: Vec::new(),
        replies: Vec::new(),
        agreement: Vec::new(),
        raters: Vec::new(),
        listings: Vec::new(),
        notes: Vec::new(),
        shortcuts: Vec::new(),
        unread_rows: Vec::new(),
        changed_data: Vec::new(),
    }
}

fn all(results: Results) -> Vec<NamedChart> {
    charts(&Report::new("m", IndexMap::new(), vec![results]))
}

fn names(charts: &[NamedChart]) -> Vec<&str> {
    charts.iter().map(|chart| chart.name.as_str()).collect()
}

const EN: [(&str, &str); 1] = [("language", "en")];
const ZH: [(&str, &str); 1] = [("language", "zh")];

#[test]
fn one_respondent_has_languages_as_series_and_several_stand_in_one_chart_a_language() {
    let values = [50.0, 60.0, 70.0, 60.0, 50.0, 58.0].map(Some);
    let columns = ["UOT", "SIT", "PST", "FBT", "AST", "AVG"];
    let drawings = [Drawing::Bars, Drawing::Radar];
    let one = all(results(vec![table(&drawings, &columns, vec![row("m", &EN, &values), row("m", &ZH, &values)])]));
    assert_eq!(names(&one), ["custom-the-table-bars", "custom-the-table-radar"]);
    assert_eq!(one[0].chart.series, ["en", "zh"]);
    assert_eq!(one[0].chart.title, "Small, accuracy by task: m (letters)");
    assert_eq!(one[0].chart.subtitle, "Percent of items, n = 40; 95 % intervals (Wilson).");
    let Body::Radar(radar) = &one[1].chart.body else { panic!("{:?}", one[1].chart.body) };
    assert_eq!(radar.axes, columns[..5], "an average is no direction");
    let drawn = |columns: &[&str], others: &[Option<f64>]| {
        all(results(vec![table(
            &[Drawing::Radar],
            columns,
            vec![row("m", &EN, &values[..columns.len()]), row("n", &EN, others)],
        )]))
        .len()
    };
    assert_eq!(drawn(&columns, &values), 1);
    assert_eq!(drawn(&columns[..4], &values[..4]), 0, "fewer than five axes");
    let gap = [values[0], None, values[2], values[3], values[4], values[5]];
    assert_eq!(drawn(&columns, &gap), 0, "a missing value");
    let rows = ["a", "b"].iter().flat_map(|name| [row(name, &EN, &values), row(name, &ZH, &values)]).collect();
    let two = all(results(vec![table(&[Drawing::Bars], &columns, rows)]));
    assert_eq!(names(&two), ["custom-the-table-bars-en", "custom-the-table-bars-zh"]);
    assert_eq!(two[0].chart.series, ["a (letters)", "b (letters)"]);
}

#[test]
fn more_rows_than_colours_become_several_charts_with_every_row() {
    let rows: Vec<ResultRow> = (0..MOST_SERIES + 2).map(|n| row(&format!("m{n}"), &EN, &[Some(50.0)])).collect();
    let found = all(results(vec![table(&[], &["ALL"], rows)]));
    assert_eq!(names(&found), ["custom-the-table-bars-en-1-of-2", "custom-the-table-bars-en-2-of-2"]);
    let series: usize = found.iter().map(|chart| chart.chart.series.len()).sum();
    assert_eq!(series, MOST_SERIES + 2);
}

#[test]
fn bars_carry_what_was_published_and_which_part_was_asked() {
    let mut asked = row("m", &EN, &[Some(50.0), None]);
    asked.part = Some(AskedPart { asked: 40, of: 400 });
    let mut table = table(&[], &["UOT", "SIT"], vec![asked]);
    let published = |label: &str, human, value| PublishedRow {
        label: label.into(),
        human,
        average: false,
        source: "Table 1".into(),
        style: None,
        method: Default::default(),
        key: IndexMap::new(),
        values: vec![Some(value), None],
    };
    table.published =
        vec![published("Small", false, 40.0), published("Large", false, 70.0), published("People", true, 90.0)];
    let found = all(results(vec![table]));
    assert_eq!(found[0].chart.title, "Small, accuracy by task: m (letters), 40 of 400 items");
    let Body::Bars(blocks) = &found[0].chart.body else { panic!() };
    assert_eq!(blocks.len(), 1, "a column without values is left out");
    assert_eq!((blocks[0].bars[0].published, blocks[0].bars[0].people), (Some(70.0), Some(90.0)));
    assert!(
        found[0].chart.notes.iter().any(|note| note.starts_with("1 value is missing")),
        "{:?}",
        found[0].chart.notes
    );
}

#[test]
fn differences_are_no_bars() {
    let mut changes = row("m", &EN, &[Some(-5.0), Some(10.0)]);
    changes.cells.iter_mut().for_each(|cell| cell.chance = None);
    assert!(all(results(vec![table(&[], &["UOT", "SIT"], vec![changes])])).is_empty());
}

#[test]
fn a_heat_map_has_the_last_facet_downwards_and_a_map_for_each_value_of_the_others() {
    let key = |deception: &'static str, length: &'static str| [("deception", deception), ("length", length)];
    let rows = [("no", "1"), ("no", "2"), ("yes", "1"), ("yes", "2")]
        .map(|(deception, length)| row("m", &key(deception, length), &[Some(10.0), None]));
    let found = all(results(vec![table(&[Drawing::Heat], &["order 0", "order 1"], rows.to_vec())]));
    assert_eq!(names(&found), ["custom-the-table-heat"]);
    let Body::Heat(heat) = &found[0].chart.body else { panic!() };
    assert_eq!(heat.down, "length");
    assert_eq!(
        heat.panels.iter().map(|panel| panel.title.as_str()).collect::<Vec<_>>(),
        ["deception no", "deception yes"]
    );
    assert_eq!(heat.panels[1].rows[1], ("2".to_string(), vec![Some((10.0, Some((5.0, 15.0)))), None]));
}

#[test]
fn lines_by_row_have_the_last_facet_across_and_a_chart_for_each_run() {
    let key = |claims: &'static str| [("prompting", "VP"), ("claims", claims)];
    let values = |from: f64| [Some(from), Some(from - 10.0)];
    // Each number of claims was asked of a different part of the items.
    let some = |label: &str, claims: &'static str, asked: usize| ResultRow {
        part: Some(AskedPart { asked, of: 100 }),
        ..row(label, &key(claims), &values(60.0))
    };
    let rows =
        |label: &str| [("0", 10), ("2", 20), ("4", 30)].map(|(claims, asked)| some(label, claims, asked)).to_vec();
    let columns = ["order 1", "order 2"];
    let one = all(results(vec![table(&[Drawing::LinesByRow], &columns, rows("m"))]));
    assert_eq!(names(&one), ["custom-the-table-lines-by-row"]);
    assert_eq!(one[0].chart.series, columns);
    let Body::Plane(plane) = &one[0].chart.body else { panic!() };
    assert_eq!(
        plane.across,
        crate::figure::Axis::Places { name: "claims".into(), places: ["0", "2", "4"].map(String::from).to_vec() }
    );
    assert_eq!(plane.lines.len(), 2);
    let drawn: Vec<(f64, f64)> = plane.lines[1].points.iter().map(|point| (point.x, point.y)).collect();
    assert_eq!(drawn, [(0.0, 50.0), (1.0, 50.0), (2.0, 50.0)]);
    let asked = "60 of 300 items of these rows were asked.";
    assert!(one[0].chart.notes.iter().any(|note| note == asked), "{:?}", one[0].chart.notes);
    let maps = all(results(vec![table(&[Drawing::Heat], &columns, rows("m"))]));
    assert_eq!(names(&maps), ["custom-the-table-heat"], "a sample is one map, too");
    let two = all(results(vec![table(&[Drawing::LinesByRow], &columns, [rows("a"), rows("b")].concat())]));
    assert_eq!(
        names(&two),
        ["custom-the-table-lines-by-row-a-letters-VP", "custom-the-table-lines-by-row-b-letters-VP"]
    );
    assert!(two.iter().all(|chart| chart.chart.series == columns));
}

#[test]
fn columns_with_a_common_beginning_make_one_whole_each() {
    let columns = ["Fact: same", "Fact: mixed", "Belief: same", "Belief: mixed"];
    let whole = row("m", &[], &[Some(80.0), Some(20.0), Some(30.0), Some(70.0)]);
    let found = all(results(vec![table(&[Drawing::Stack], &columns, vec![whole])]));
    assert_eq!(found[0].chart.series, ["same", "mixed"]);
    let Body::Stack(stack) = &found[0].chart.body else { panic!() };
    let bars: Vec<(&str, &[f64])> = stack.bars.iter().map(|bar| (bar.name.as_str(), &bar.shares[..])).collect();
    assert_eq!(bars, [("Fact", &[80.0, 20.0][..]), ("Belief", &[30.0, 70.0][..])]);
    // Shares that do not add up are left out, with a note.
    let part = row("m", &[], &[Some(80.0), Some(10.0), Some(30.0), Some(70.0)]);
    let found = all(results(vec![table(&[Drawing::Stack], &columns, vec![part])]));
    let Body::Stack(stack) = &found[0].chart.body else { panic!() };
    assert_eq!(stack.bars.len(), 1);
    assert!(found[0].chart.notes.iter().any(|note| note.starts_with("1 bars are left out")));
}

#[test]
fn slots_and_confidence_have_charts_of_their_own() {
    let figure = |value: f64| crate::metric::Figure { value: Some(value), reason: None };
    let mut found = results(Vec::new());
    found.order_effects = vec![OrderEffects {
        header: Respondent { label: "m", answers: "letters" }.header("vanilla", None),
        language: "en".into(),
        options: 2,
        items: 1200,
        vote: figure(50.0),
        single_order: figure(50.0),
        circular: figure(10.0),
        mean_probability: figure(50.0),
        debiased: figure(50.0),
        prior: vec![60.0, 40.0],
        recall: vec![figure(80.0), figure(20.0)],
        recall_deviation: figure(30.0),
        recall_p: figure(0.001),
    }];
    found.calibration = vec![Calibration {
        header: Respondent { label: "m", answers: "letters" }.header("vanilla", None),
        language: "en".into(),
        items: 4,
        confidence: figure(60.0),
        accuracy: figure(50.0),
        calibration_error: figure(10.0),
        calibration_error_if_calibrated: Some(4.0),
        calibration_error_equal_mass: figure(10.0),
        brier: figure(0.5),
        bins: vec![CalibrationBin { items: 4, confidence: 60.0, accuracy: 50.0 }],
        selective: Vec::new(),
        changing_with_order: figure(20.0),
        changing_if_independent: None,
    }];
    let found = all(found);
    assert_eq!(names(&found), ["custom-slots-en-2-options", "custom-reliability-en"]);
    assert_eq!(found[0].chart.notes, ["m (letters): RStd 30.0 points over 1,200 items."]);
    let Body::Plane(plane) = &found[1].chart.body else { panic!() };
    let point = &plane.lines[0].points[0];
    assert_eq!((point.x, point.y), (60.0, 50.0));
    let (low, high) = point.interval.unwrap();
    assert!((low - 15.0).abs() < 0.1 && (high - 85.0).abs() < 0.1, "Wilson's interval of 2 of 4: {low} {high}");
}

#[test]
fn speeds_of_one_kind_stand_in_one_chart() {
    let rows = ["a", "b", "c"].map(|name| row(name, &EN, &[Some(50.0)])).to_vec();
    let report = Report::new("", IndexMap::new(), vec![results(vec![table(&[], &["AVG"], rows)])]);
    let speed = |label: &str, tokens_per_second, written| Speed { label: label.into(), tokens_per_second, written };
    let mixed = [speed("a", 100.0, false), speed("b", 300.0, false), speed("c", 20.0, true)];
    let found = speed_charts(&report, &mixed);
    assert_eq!(names(&found), ["custom-speed-forwarded-en"]);
    assert_eq!(found[0].chart.series, ["a (letters)", "b (letters)"]);
    assert!(speed_charts(&report, &mixed[..1]).is_empty());
}

#[test]
fn equal_names_are_numbered() {
    let one = || table(&[], &["UOT"], vec![row("m", &EN, &[Some(50.0)])]);
    assert_eq!(names(&all(results(vec![one(), one()]))), ["custom-the-table-bars", "custom-the-table-bars-2"]);
}

#[test]
fn names_are_text_and_nothing_else() {
    let rows = vec![row("<script>\u{202e}m", &EN, &[Some(50.0)]), row("b", &EN, &[Some(50.0)])];
    let found = all(results(vec![table(&[], &["UOT"], rows)]));
    let drawn = found[0].svg(&crate::figure::Theme::LIGHT, Layout::Page);
    assert!(drawn.contains("&lt;script&gt;\\u{202e}m") && !drawn.contains('\u{202e}'), "{drawn}");
}
