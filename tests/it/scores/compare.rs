//! `tomeval compare`: runs of a tiny model beside each other, and published tables.

use std::path::{Path, PathBuf};
use std::process::Command;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{copy_folder, read_json};
use crate::support::tiny_models::shared_tiny_model;

/// A run on the demo inventory.
fn run(context: &TestContext, name: &str, arguments: &[&str]) -> PathBuf {
    let out = context.path(name);
    let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--model"]);
    command.arg(shared_tiny_model()).args(arguments).arg("--out").arg(&out).run().success();
    out
}

fn compare(context: &TestContext, runs: &[&Path], arguments: &[&str]) -> Command {
    let mut command = context.command(&["compare"]);
    command.args(runs).args(arguments);
    command
}

#[test]
fn runs_are_compared_item_by_item() {
    let context = TestContext::new();
    let letters = run(&context, "letters", &["--limit", "12", "--orders", "cyclic"]);
    let texts = run(&context, "texts", &["--limit", "12", "--orders", "identity", "--scoring", "text"]);
    let found = compare(&context, &[&letters, &texts], &[]).json();
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
        let report = read_json(&run.join("results.json"));
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
    let same = context.path("again");
    copy_folder(&letters, &same);
    let found = compare(&context, &[&letters, &same], &["--by", "task", "--flips", "5"]).json();
    assert_eq!(
        (&found["pairs"][0]["scores"]["largest"], &found["pairs"][0]["flips"]),
        (&0.0.into(), &Value::Array(Vec::new()))
    );
    assert!(found["rows"].as_array().unwrap()[1..].iter().all(|row| row["facet"] == "task"));

    // What people read fits a usual terminal.
    let text = compare(&context, &[&letters, &texts], &["--flips", "2"]).run().stdout;
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
    compare(&context, &[&letters, &texts], &["--format", "latex"]).run().success().with_stdout(contains("\\toprule"));
    compare(&context, &[&letters, &texts], &["--format", "markdown"]).run().success().with_stdout(contains("| task |"));
    let lines = compare(&context, &[&letters, &texts], &["--format", "csv"]).run().stdout;
    assert!(lines.starts_with("facet,value,side_a") && lines.lines().count() == by_facet.len() + 2, "{lines}");
    compare(&context, &[&letters, &texts], &["--format", "items"]).run().code(2).with_stderr(contains("no items here"));
}

#[test]
fn a_folder_of_runs_stands_for_its_runs() {
    let context = TestContext::new();
    let runs = ["a", "b", "c"].map(|name| run(&context, name, &["--limit", "6", "--orders", "identity"]));
    let by_name = compare(&context, &[&runs[0], &runs[1], &runs[2]], &[]).json();
    assert_eq!(by_name["sides"].as_array().unwrap().len(), 3);
    assert_eq!(compare(&context, &[context.folder()], &[]).json(), by_name);
    assert_eq!(compare(&context, &[&runs[0], context.folder()], &[]).json()["sides"].as_array().unwrap().len(), 4);
}

#[test]
fn runs_that_were_asked_different_items_are_refused() {
    let context = TestContext::new();
    let few = run(&context, "few", &["--limit", "6", "--orders", "identity"]);
    let more = run(&context, "more", &["--limit", "9", "--orders", "identity"]);
    let refused = contains("items that qwen3, at most 9 questions a benchmark has but another side lacks")
        .and(contains("--common"));
    compare(&context, &[&few, &more], &[]).run().code(2).with_stderr(refused);
    let found = compare(&context, &[&few, &more], &["--common"]).json();
    let (compared, left) = (found["rows"][0]["n"].as_u64().unwrap(), found["sides"][1]["fell_out"].as_u64().unwrap());
    assert_eq!(compared + left, 9);
    assert!(left >= 3);
    compare(&context, &[&few], &[])
        .run()
        .code(2)
        .with_stderr(contains("at least two sides").and(contains("--between")));
    compare(&context, &[], &[]).run().code(2);
    compare(&context, &[&few, &more], &["--by", "nothing"]).run().code(2).with_stderr(contains("--by nothing"));
    compare(&context, &[&few, &more], &["--margin", "0"]).run().code(2).with_stderr(contains("percentage points"));
    let nowhere = context.path("nowhere");
    compare(&context, &[&few, &nowhere], &[]).run().code(2).with_stderr(contains("nowhere"));
}

#[test]
fn languages_are_compared_within_a_run_and_between_runs() {
    let context = TestContext::new();
    let limit = ["--limit", "8", "--orders", "identity"];
    let with = |more: &[&'static str]| [&limit[..], more].concat();
    let both = run(&context, "both", &with(&["-l", "en", "-l", "zh"]));
    let within = compare(&context, &[&both], &["--between", "language"]).json();
    assert_eq!((&within["differs"][0], &within["rows"][0]["n"]), (&"language".into(), &8.into()));
    let english = run(&context, "english", &with(&["-l", "en"]));
    let chinese = run(&context, "chinese", &with(&["-l", "zh"]));
    let between = compare(&context, &[&english, &chinese], &[]).json();
    let figures = |found: &Value| ["a", "b", "interval", "p", "stories"].map(|key| found["rows"][0][key].clone());
    assert_eq!(figures(&within), figures(&between));
    compare(&context, &[&english], &["--between", "language"])
        .run()
        .code(2)
        .with_stderr(contains("everything is `en`"));
}

#[test]
fn items_in_a_file_stand_for_their_run() {
    let context = TestContext::new();
    let letters = run(&context, "letters", &["--limit", "8", "--orders", "cyclic"]);
    let texts = run(&context, "texts", &["--limit", "8", "--orders", "identity", "--scoring", "text"]);
    let file = context.path("texts.jsonl");
    let lines = context.command(&["report", "--format", "items"]).arg(&texts).run().stdout;
    std::fs::write(&file, lines).unwrap();
    let rows = |second: &Path| compare(&context, &[&letters, second], &[]).json()["rows"].clone();
    assert_eq!(rows(&texts), rows(&file));
    std::fs::write(&file, "{}\n").unwrap();
    compare(&context, &[&letters, &file], &[])
        .run()
        .code(2)
        .with_stderr(contains("texts.jsonl").and(contains("line 1")));
}

#[test]
fn cells_of_several_models_are_tested_together() {
    let context = TestContext::new();
    let limit = ["--limit", "40", "--orders", "identity", "-l", "en", "-l", "zh"];
    let one = run(&context, "one", &limit);
    let bf16 = run(&context, "bf16", &[&limit[..], &["--dtype", "bf16"]].concat());
    let lines = context.command(&["report", "--format", "items"]).arg(&one).run().stdout;
    let file = context.path("two.jsonl");
    // A file of two models, one of which always answers the Chinese items rightly.
    let other = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["label"] = "planted".into();
        line["orders"] = Value::Array(Vec::new());
        line["choice"] = if line["language"] == "zh" { line["gold"].clone() } else { Value::Null };
        format!("{line}\n")
    });
    std::fs::write(&file, lines.clone() + &other.collect::<String>()).unwrap();
    let cells = ["--between", "language", "--cells"];

    let found = compare(&context, &[&one, &bf16], &cells).json();
    assert_eq!(found["left_out"].as_array().unwrap().len(), 1, "{}", found["left_out"]);
    assert_eq!(found["tests"][0]["models"].as_array().unwrap().len(), 1);

    let found = compare(&context, &[&file], &cells).json();
    let test = &found["tests"][0];
    let rows = test["cells"].as_array().unwrap();
    let planted: Vec<&Value> = rows.iter().filter(|row| row["model"] == "planted").collect();
    assert_eq!((test["models"].as_array().unwrap().len(), rows.len()), (2, 2 * planted.len()));
    assert!(planted.iter().all(|row| row["difference"] == 100.0), "{planted:?}");
    assert!(test["all"]["difference"].as_f64().unwrap() > 0.0);
    // Without --cells each model is compared within itself.
    let within = compare(&context, &[&file], &cells[..2]).json();
    let pairs: Vec<(&str, &str)> = within["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("qwen3, en", "qwen3, zh"), ("planted, en", "planted, zh")]);

    let text = compare(&context, &[&file], &cells).run().stdout;
    for part in ["all models", "Wilcoxon", "by story", "models up", "the interval decides"] {
        assert!(text.replace('\n', " ").contains(part), "{part}: {text}");
    }
    let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 80, "{widest}");
    let csv = compare(&context, &[&file], &[&cells[..], &["--format", "csv", "--by", "task"]].concat()).run().stdout;
    assert!(csv.starts_with("benchmark,table,model,cell") && csv.contains("demo,by-task,planted,"), "{csv}");
    for format in ["markdown", "latex"] {
        compare(&context, &[&file], &[&cells[..], &["--format", format]].concat()).run().success();
    }
    let english = run(&context, "english", &["--limit", "40", "--orders", "identity", "-l", "en", "--name", "half"]);
    let half = context.path("half.jsonl");
    std::fs::write(&half, context.command(&["report", "--format", "items"]).arg(&english).run().stdout).unwrap();
    compare(&context, &[&file, &half], &cells).run().code(2).with_stderr(contains("half: zh"));
    compare(&context, &[&one], &["--cells"]).run().code(2).with_stderr(contains("--between"));
    compare(&context, &[&one], &[&cells[..], &["--against", "fr"]].concat())
        .run()
        .code(2)
        .with_stderr(contains("known are en, zh"));
}

/// ToMBench, section 4.2: p is printed as 0.019. Over the 20 rows and 8 tasks of Table 2 (without averages) it is 0.0198.
#[test]
fn the_published_languages_of_tombench_differ_as_the_paper_says() {
    let context = TestContext::new();
    let found = context.command(&["compare", "--published", "tombench"]).json();
    let tasks = &found["tests"][0];
    assert_eq!((&tasks["table"], &tasks["rows"], &tasks["columns"]), (&"tasks".into(), &20.into(), &8.into()));
    let trend = &tasks["trend"];
    assert_eq!((&trend["pairs"], &trend["zeros"], &trend["rank_exact"]), (&160.into(), &3.into(), &false.into()));
    let p = trend["rank_p"].as_f64().unwrap();
    assert!((p - 0.0198).abs() < 0.00005, "{p}");
    context.run(&["compare", "--published", "tombench"]).success().with_stdout(contains("0.0198"));
    context.run(&["compare", "--published", "demo"]).code(2).with_stderr(contains("no published rows"));
}
