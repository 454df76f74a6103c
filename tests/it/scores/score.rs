//! `tomeval score` on the released ToMBench files, with constructed answers whose results are worked out here from the
//! raw files, and on the built-in inventory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::context::{Output, Run, TestContext};
use crate::support::released::released;

const TASKS: [(&str, &str, usize); 8] = [
    ("UOT", "Unexpected Outcome Test", 100),
    ("SIT", "Scalar Implicature Test", 100),
    ("PST", "Persuasion Story Task", 100),
    ("FBT", "False Belief Task", 100),
    ("AST", "Ambiguous Story Task", 100),
    ("HT", "Hinting Task Test", 93),
    ("SST", "Strange Story Task", 201),
    ("FRT", "Faux-pas Recognition Test", 141),
];

/// A released row: enough to answer it and to know what is right.
struct Raw {
    file: String,
    id: String,
    gold: usize,
    options: usize,
}

/// The English rows, read without the program's loader.
fn english(folder: &Path) -> Vec<Raw> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    let mut rows = Vec::new();
    for path in files {
        let file = path.file_stem().unwrap().to_str().unwrap().to_string();
        for (row, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let value: Value = serde_json::from_str(&line.replace(": NaN", ": null")).unwrap();
            let letter = value["答案\nANSWER"].as_str().unwrap().trim().as_bytes()[0];
            let options = ["OPTION-A", "OPTION-B", "OPTION-C", "OPTION-D"];
            rows.push(Raw {
                id: format!("tombench/{file}/{row}/en"),
                file: file.clone(),
                gold: usize::from(letter - b'A'),
                options: options.iter().filter(|key| value[**key].is_string()).count(),
            });
        }
    }
    assert_eq!(rows.len(), 2860);
    rows
}

/// The results of `tomeval score --json` for these lines.
fn score(folder: &Path, lines: &[Value]) -> Value {
    score_with(folder, lines, &[])
}

fn score_with(folder: &Path, lines: &[Value], more: &[&str]) -> Value {
    let context = TestContext::new();
    let answers = context.write("answers.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let output = context
        .command(&["score", "--benchmark", "tombench", "--language", "en", "--json"])
        .args(more)
        .arg("--data")
        .arg(folder)
        .arg("--answers")
        .arg(&answers)
        .run()
        .success();
    output.json()["results"][0].clone()
}

/// Value and n of a cell of a table's only row.
fn cell(results: &Value, table: &str, column: &str) -> (f64, u64) {
    let tables = results["tables"].as_array().unwrap();
    let table = tables.iter().find(|found| found["id"] == table).unwrap_or_else(|| panic!("no table {table}"));
    let columns = table["columns"].as_array().unwrap();
    let position = columns.iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"));
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    let cell = &rows[0]["cells"][position];
    (cell["value"].as_f64().unwrap_or_else(|| panic!("{column}: {cell}")), cell["n"].as_u64().unwrap())
}

/// Compare the task table with accuracies worked out from which rows are right.
fn check_tasks(results: &Value, rows: &[Raw], right: impl Fn(&Raw) -> bool) {
    let mut accuracies = Vec::new();
    for (column, file, _) in TASKS {
        let of_task: Vec<&Raw> = rows.iter().filter(|row| row.file == file).collect();
        let expected = 100.0 * of_task.iter().filter(|row| right(row)).count() as f64 / of_task.len() as f64;
        let (value, n) = cell(results, "tasks", column);
        assert!((value - expected).abs() < 1e-9, "{column}: {value}, expected {expected}");
        assert_eq!(n as usize, of_task.len());
        accuracies.push(expected);
    }
    let mean = accuracies.iter().sum::<f64>() / 8.0;
    assert!((cell(results, "tasks", "AVG").0 - mean).abs() < 1e-9);
}

#[test]
fn all_right_answers_score_one_hundred_everywhere() {
    let Some(folder) = released("tombench") else { return };
    let rows = english(&folder);
    let lines: Vec<Value> = rows.iter().map(|row| json!({"id": row.id, "choice": row.gold})).collect();
    let results = score(&folder, &lines);
    check_tasks(&results, &rows, |_| true);
    for (column, _, stories) in TASKS {
        assert_eq!(cell(&results, "coherent", column), (100.0, stories as u64), "{column}");
        assert_eq!(cell(&results, "coherent-drop", column).0, 0.0);
    }
    for table in results["tables"].as_array().unwrap().iter().filter(|table| table["id"] != "coherent-drop") {
        for cell in table["rows"][0]["cells"].as_array().unwrap() {
            assert_eq!(cell["value"], 100.0, "{}", table["id"]);
        }
    }
    assert_eq!(results["counts"]["items"], 2860);
}

#[test]
fn the_first_option_scores_its_share_of_gold_answers() {
    let Some(folder) = released("tombench") else { return };
    let rows = english(&folder);
    let lines: Vec<Value> = rows.iter().map(|row| json!({"id": row.id, "choice": 0})).collect();
    let results = score(&folder, &lines);
    check_tasks(&results, &rows, |row| row.gold == 0);
    // The README of the data counts 175 of 483 two-option questions with the answer A.
    let effects = results["order_effects"].as_array().unwrap();
    let two = effects.iter().find(|each| each["options"] == 2).unwrap();
    assert_eq!(two["items"], 483);
    assert!((two["vote"]["value"].as_f64().unwrap() - 100.0 * 175.0 / 483.0).abs() < 1e-9);
    assert!(two["recall_deviation"]["value"].is_null() && two["recall_deviation"]["reason"].is_string());
}

#[test]
fn a_constant_letter_has_full_recall_in_its_slot_and_none_elsewhere() {
    let Some(folder) = released("tombench") else { return };
    let rows = english(&folder);
    let mut lines = Vec::new();
    for row in &rows {
        for shift in 0..row.options {
            let order: Vec<usize> = (0..row.options).map(|slot| (slot + shift) % row.options).collect();
            lines.push(json!({"id": row.id, "choice": order[0], "order": order}));
        }
    }
    // Every option has one vote. The scripts' rule takes the answer seen first, which is the first option here.
    let seen_first = score_with(&folder, &lines, &["--tie", "first"]);
    check_tasks(&seen_first, &rows, |row| row.gold == 0);
    assert_eq!(seen_first["counts"]["ties"], 2860);
    // Without probabilities a draw decides otherwise: no answer key with many first options helps such a model.
    let results = score(&folder, &lines);
    assert_eq!(results["counts"]["ties"], 2860);
    let chance = rows.iter().map(|row| 1.0 / row.options as f64).sum::<f64>() / rows.len() as f64;
    let drawn: f64 = results["order_effects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["vote"]["value"].as_f64().unwrap() / 100.0 * each["items"].as_f64().unwrap())
        .sum();
    assert!((drawn / rows.len() as f64 - chance).abs() < 0.03, "{drawn} of {}, chance {chance}", rows.len());
    for effects in results["order_effects"].as_array().unwrap() {
        let options = effects["options"].as_f64().unwrap();
        assert!((effects["single_order"]["value"].as_f64().unwrap() - 100.0 / options).abs() < 1e-9);
        assert_eq!(effects["circular"]["value"], 0.0);
        let recall: Vec<f64> =
            effects["recall"].as_array().unwrap().iter().map(|slot| slot["value"].as_f64().unwrap()).collect();
        assert!(recall[0] == 100.0 && recall[1..].iter().all(|other| *other == 0.0), "{recall:?}");
        let deviation = 100.0 * ((1.0 / options) * (1.0 - 1.0 / options)).sqrt();
        assert!((effects["recall_deviation"]["value"].as_f64().unwrap() - deviation).abs() < 1e-9);
    }
}

#[test]
fn random_answers_score_what_counting_them_gives() {
    let Some(folder) = released("tombench") else { return };
    let rows = english(&folder);
    let mut state = 12345u64;
    let mut draw = |options: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % options
    };
    let choices: BTreeMap<&str, usize> = rows.iter().map(|row| (row.id.as_str(), draw(row.options))).collect();
    let lines: Vec<Value> = rows.iter().map(|row| json!({"id": row.id, "choice": choices[row.id.as_str()]})).collect();
    let results = score(&folder, &lines);
    check_tasks(&results, &rows, |row| choices[row.id.as_str()] == row.gold);
    // Persuasion stories have one question each, so the coherent test equals accuracy there.
    assert_eq!(cell(&results, "coherent", "PST"), cell(&results, "tasks", "PST"));
    let right = rows.iter().filter(|row| choices[row.id.as_str()] == row.gold).count();
    let bounds = results["counts"]["accuracy_bounds"].as_array().unwrap();
    assert!((bounds[0].as_f64().unwrap() - 100.0 * right as f64 / 2860.0).abs() < 1e-9 && bounds[0] == bounds[1]);
}

/// Gold answers of the built-in inventory, from `tomeval data items`.
fn demo_items() -> Vec<Value> {
    let arguments = ["data", "items", "--benchmark", "demo", "--language", "en"];
    TestContext::new().run(&arguments).success().json_lines()
}

fn score_demo(lines: &str, arguments: &[&str]) -> Output {
    let context = TestContext::new();
    let answers = context.write("by-hand.jsonl", lines);
    context.command(&["score", "--benchmark", "demo", "--answers"]).arg(&answers).args(arguments).run()
}

#[test]
fn the_inventory_is_scored_in_every_format() {
    let lines: String =
        demo_items().iter().map(|item| format!("{}\n", json!({"id": item["id"], "choice": item["gold"][0]}))).collect();
    for (format, sign) in [
        ("terminal", "100.0"),
        ("markdown", "| 100.0 |"),
        ("csv", "benchmark,table,kind"),
        ("json", "\"version\": 2"),
        ("latex", "\\toprule"),
    ] {
        let assert = score_demo(&lines, &["--language", "en", "--format", format]).success();
        let text = assert.stdout;
        assert!(text.contains(sign), "{format}: {text}");
        let words = || text.split(|letter: char| !letter.is_alphanumeric());
        assert!(words().all(|word| word != "NaN" && word != "inf"), "{format}");
    }
}

#[test]
fn saved_results_are_reported_side_by_side() {
    let context = TestContext::new();
    let items = demo_items();
    let mut files = Vec::new();
    for (name, right) in [("good", true), ("bad", false)] {
        let option = |item: &Value| if right { item["gold"][0].clone() } else { Value::Null };
        let lines: String =
            items.iter().map(|item| format!("{}\n", json!({"id": item["id"], "choice": option(item)}))).collect();
        let assert = score_demo(&lines, &["--language", "en", "--name", name, "--json"]).success();
        let file = context.write(format!("{name}.json"), &assert.stdout);
        files.push(file);
    }
    let report = context.command(&["report", "--json"]).args(&files).run().success().json();
    for table in report["results"][0]["tables"].as_array().unwrap() {
        let labels: Vec<&str> =
            table["rows"].as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap()).collect();
        assert_eq!(labels, ["good", "bad"]);
    }
    context.command(&["report"]).arg(context.folder()).run().code(2);
}

#[test]
fn a_language_without_answers_is_named_and_stands_in_no_table() {
    let lines: String =
        demo_items().iter().map(|item| format!("{}\n", json!({"id": item["id"], "choice": item["gold"][0]}))).collect();
    let assert = score_demo(&lines, &["--json"]).success().with_stderr(predicates::str::contains("No answers in zh"));
    let report: Value = assert.json();
    let results = &report["results"][0];
    assert_eq!((&results["counts"]["items"], &results["counts"]["items_in_data"]), (&json!(62), &json!(124)));
    for table in results["tables"].as_array().unwrap() {
        assert!(table["rows"].as_array().unwrap().iter().all(|row| row["key"]["language"] != "zh"), "{table}");
    }
    assert!(
        results["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("No answers in zh"))
    );
}

#[test]
fn answers_in_languages_not_asked_for_are_left_aside() {
    let first = demo_items()[0]["id"].as_str().unwrap().to_string();
    let chinese = first.replace("/en", "/zh");
    assert_ne!(first, chinese);
    let lines = format!("{}\n{}\n", json!({"id": first, "choice": null}), json!({"id": chinese, "choice": null}));
    let rendered = format!("leave out their items: 1, the first of {chinese}");
    score_demo(&lines, &["--language", "en"]).success().with_stderr(predicates::str::contains(rendered));
}

#[test]
fn wrong_lines_are_named_and_nothing_is_scored() {
    let assert = score_demo("{\"id\":\"demo/nowhere\",\"choice\":0}\nnot json\n", &[]).code(2);
    let error = assert.stderr;
    assert!(error.contains("line 1, `id`: no item `demo/nowhere`") && error.contains("line 2: "), "{error}");
    assert!(assert.stdout.is_empty());
}
