//! `tomeval compare`: runs of a tiny model beside each other, and published tables.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::tiny_run::shared_tiny_model;

fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(arguments).env_remove("TOMEVAL_DATA");
    command
}

/// A run on the demo inventory.
fn run(folder: &TempDir, name: &str, arguments: &[&str]) -> PathBuf {
    let out = folder.path().join(name);
    let mut command = tomeval(&["run", "--offline", "--benchmark", "demo", "--model"]);
    command.arg(shared_tiny_model()).args(arguments).arg("--out").arg(&out).assert().success();
    out
}

fn compare(runs: &[&Path], arguments: &[&str]) -> Command {
    let mut command = tomeval(&["compare"]);
    command.args(runs).args(arguments);
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn runs_are_compared_item_by_item() {
    let folder = TempDir::new().unwrap();
    let letters = run(&folder, "letters", &["--limit", "12", "--orders", "cyclic"]);
    let texts = run(&folder, "texts", &["--limit", "12", "--orders", "identity", "--scoring", "text"]);
    let found = json(&mut compare(&[&letters, &texts], &[]));
    let all = &found["rows"][0];
    let number = |key: &str| all[key].as_f64().unwrap();
    assert_eq!((all["facet"].as_str(), number("n")), (Some("all"), 12.0));
    assert!((number("b") - number("a") - number("difference")).abs() < 1e-9);
    let net = number("wrong_to_right") - number("right_to_wrong");
    assert!((net / 12.0 * 100.0 - number("difference")).abs() < 1e-9);
    let interval: Vec<f64> = all["interval"].as_array().unwrap().iter().map(|bound| bound.as_f64().unwrap()).collect();
    assert!(interval[0] <= number("difference") && number("difference") <= interval[1]);
    // The accuracies are those that the runs' own reports have.
    for (run, side) in [(&letters, 0), (&texts, 1)] {
        let report: Value = serde_json::from_slice(&std::fs::read(run.join("results.json")).unwrap()).unwrap();
        let bounds = &report["results"][0]["counts"]["accuracy_bounds"];
        assert!((bounds[0].as_f64().unwrap() - found["sides"][side]["accuracy"].as_f64().unwrap()).abs() < 1e-9);
    }
    assert_eq!(found["pairs"][0]["scores"], Value::Null, "letters and texts have no scores in common");
    let by_facet: Vec<&Value> = found["rows"].as_array().unwrap().iter().filter(|row| row["facet"] != "all").collect();
    assert_eq!(found["family"], by_facet.len());
    assert!(by_facet.iter().any(|row| row["facet"] == "task"), "{by_facet:?}");
    for row in &by_facet {
        assert!(row["p_holm"].as_f64() >= row["p_stories"].as_f64(), "{row}");
    }
    // A run with itself: nothing flips, nothing moves.
    let same = folder.path().join("again");
    crate::support::tiny_run::copy_folder(&letters, &same);
    let found = json(&mut compare(&[&letters, &same], &["--by", "task", "--flips", "5"]));
    assert_eq!(
        (&found["pairs"][0]["scores"]["largest"], &found["pairs"][0]["flips"]),
        (&0.0.into(), &Value::Array(Vec::new()))
    );
    assert!(found["rows"].as_array().unwrap()[1..].iter().all(|row| row["facet"] == "task"));

    // What people read fits a usual terminal.
    let output = compare(&[&letters, &texts], &["--flips", "2"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "qwen3, texts beside qwen3, letters",
        "difference",
        "flips",
        "by story",
        "McNemar",
        "alike",
        "Holm",
        "95 %, one row",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 80, "{widest}");
    compare(&[&letters, &texts], &["--format", "latex"]).assert().success().stdout(contains("\\toprule"));
    compare(&[&letters, &texts], &["--format", "markdown"]).assert().success().stdout(contains("| task |"));
    let csv = compare(&[&letters, &texts], &["--format", "csv"]).output().unwrap().stdout;
    let lines = String::from_utf8(csv).unwrap();
    assert!(lines.starts_with("facet,value,side_a") && lines.lines().count() == by_facet.len() + 2, "{lines}");
    compare(&[&letters, &texts], &["--format", "items"]).assert().code(2).stderr(contains("no items here"));
}

#[test]
fn a_folder_of_runs_stands_for_its_runs() {
    let folder = TempDir::new().unwrap();
    let runs = ["a", "b", "c"].map(|name| run(&folder, name, &["--limit", "6", "--orders", "identity"]));
    let by_name = json(&mut compare(&[&runs[0], &runs[1], &runs[2]], &[]));
    assert_eq!(by_name["sides"].as_array().unwrap().len(), 3);
    assert_eq!(json(&mut compare(&[folder.path()], &[])), by_name);
    assert_eq!(json(&mut compare(&[&runs[0], folder.path()], &[]))["sides"].as_array().unwrap().len(), 4);
}

#[test]
fn runs_that_were_asked_different_items_are_refused() {
    let folder = TempDir::new().unwrap();
    let few = run(&folder, "few", &["--limit", "6", "--orders", "identity"]);
    let more = run(&folder, "more", &["--limit", "9", "--orders", "identity"]);
    let refused =
        contains("items that qwen3, at most 9 questions a benchmark has and not all others").and(contains("--common"));
    compare(&[&few, &more], &[]).assert().code(2).stderr(refused);
    let found = json(&mut compare(&[&few, &more], &["--common"]));
    let (compared, left) = (found["rows"][0]["n"].as_u64().unwrap(), found["sides"][1]["fell_out"].as_u64().unwrap());
    assert_eq!(compared + left, 9);
    assert!(left >= 3);
    compare(&[&few], &[]).assert().code(2).stderr(contains("at least two sides").and(contains("--between")));
    compare(&[], &[]).assert().code(2);
    compare(&[&few, &more], &["--by", "nothing"]).assert().code(2).stderr(contains("--by nothing"));
    compare(&[&few, &more], &["--margin", "0"]).assert().code(2).stderr(contains("percentage points"));
    let nowhere = folder.path().join("nowhere");
    compare(&[&few, &nowhere], &[]).assert().code(2).stderr(contains("nowhere"));
}

#[test]
fn languages_are_compared_within_a_run_and_between_runs() {
    let folder = TempDir::new().unwrap();
    let limit = ["--limit", "8", "--orders", "identity"];
    let with = |more: &[&'static str]| [&limit[..], more].concat();
    let both = run(&folder, "both", &with(&["-l", "en", "-l", "zh"]));
    let within = json(&mut compare(&[&both], &["--between", "language"]));
    assert_eq!((&within["differs"][0], &within["rows"][0]["n"]), (&"language".into(), &8.into()));
    let english = run(&folder, "english", &with(&["-l", "en"]));
    let chinese = run(&folder, "chinese", &with(&["-l", "zh"]));
    let between = json(&mut compare(&[&english, &chinese], &[]));
    let figures = |found: &Value| ["a", "b", "interval", "p", "stories"].map(|key| found["rows"][0][key].clone());
    assert_eq!(figures(&within), figures(&between));
    compare(&[&english], &["--between", "language"]).assert().code(2).stderr(contains("everything is `en`"));
}

#[test]
fn items_in_a_file_stand_for_their_run() {
    let folder = TempDir::new().unwrap();
    let letters = run(&folder, "letters", &["--limit", "8", "--orders", "cyclic"]);
    let texts = run(&folder, "texts", &["--limit", "8", "--orders", "identity", "--scoring", "text"]);
    let file = folder.path().join("texts.jsonl");
    let lines = tomeval(&["report", "--format", "items"]).arg(&texts).output().unwrap().stdout;
    std::fs::write(&file, lines).unwrap();
    let rows = |second: &Path| json(&mut compare(&[&letters, second], &[]))["rows"].clone();
    assert_eq!(rows(&texts), rows(&file));
    std::fs::write(&file, "{}\n").unwrap();
    compare(&[&letters, &file], &[]).assert().code(2).stderr(contains("texts.jsonl").and(contains("line 1")));
}

/// ToMBench, section 4.2: p is printed as 0.019. Over the 20 rows and 8 tasks of Table 2 (without averages) it is 0.0198.
#[test]
fn the_published_languages_of_tombench_differ_as_the_paper_says() {
    let found = json(&mut tomeval(&["compare", "--published", "tombench"]));
    let tasks = &found["tests"][0];
    assert_eq!((&tasks["table"], &tasks["rows"], &tasks["columns"]), (&"tasks".into(), &20.into(), &8.into()));
    let trend = &tasks["trend"];
    assert_eq!((&trend["pairs"], &trend["zeros"], &trend["rank_exact"]), (&160.into(), &3.into(), &false.into()));
    let p = trend["rank_p"].as_f64().unwrap();
    assert!((p - 0.0198).abs() < 0.00005, "{p}");
    tomeval(&["compare", "--published", "tombench"]).assert().success().stdout(contains("0.0198"));
    tomeval(&["compare", "--published", "demo"]).assert().code(2).stderr(contains("no published rows"));
}
