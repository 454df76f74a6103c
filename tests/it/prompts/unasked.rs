//! Trials that cannot be asked: refused where nothing can be, told of before the work and counted apart elsewhere.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

use crate::attend::command::model;

fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.env_remove("TOMEVAL_DATA").args(arguments);
    command
}

/// The built-in packs in a folder, with one text of one file replaced.
fn packs(folder: &TempDir, file: &str, from: &str, to: &str) -> std::path::PathBuf {
    let packs = folder.path().join("packs");
    tomeval(&["prompts", "export"]).arg(&packs).assert().success();
    let path = packs.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
    packs
}

fn run(model: &Path, out: &Path) -> Command {
    let mut command = tomeval(&["run", "--offline", "--limit", "2", "--orders", "identity", "--model"]);
    command.arg(model).arg("--out").arg(out);
    command
}

#[test]
fn a_run_that_can_ask_nothing_is_refused_before_any_work() {
    let cases = [
        ("{story?}", "{profile}", "no value for `{profile}`"),
        ("labels = [\"A\", \"B\", \"C\", \"D\"]", "labels = [\"A\"]", "options and the style 1 labels"),
    ];
    for (from, to, reason) in cases {
        let folder = TempDir::new().unwrap();
        let (model, packs, out) = (model(&folder), packs(&folder, "demo.toml", from, to), folder.path().join("run"));
        let told = || {
            contains("demo: nothing can be asked:")
                .and(contains("2 trials (prompt), first of item `demo/"))
                .and(contains(reason))
                .and(contains("tokens to forward").not())
        };
        let mut command = run(&model, &out);
        command.args(["--benchmark", "demo", "--prompts"]).arg(&packs).assert().code(2).stderr(told());
        assert!(!out.exists(), "nothing is begun");
        let mut plan = tomeval(&["plan", "--offline", "--limit", "2", "--orders", "identity", "--benchmark", "demo"]);
        plan.arg("--prompts").arg(&packs).arg("--model").arg(&model).assert().code(2).stderr(told());
    }
    let folder = TempDir::new().unwrap();
    let model = model(&folder);
    let config = model.join("tokenizer_config.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&config).unwrap()).unwrap();
    settings["chat_template"] = "{{ raise_exception('roles must alternate') }}".into();
    fs::write(config, settings.to_string()).unwrap();
    let told = contains("2 trials (template)").and(contains("roles must alternate"));
    run(&model, &folder.path().join("run")).args(["--benchmark", "demo"]).assert().code(2).stderr(told);
}

#[test]
fn what_could_not_be_asked_is_no_plain_zero() {
    let folder = TempDir::new().unwrap();
    let (model, data, out) = (model(&folder), folder.path().join("own.jsonl"), folder.path().join("run"));
    let options = |count: usize| (0..count).map(|number| format!("box {number}")).collect::<Vec<_>>();
    let row = |id: &str, options: Vec<String>| {
        serde_json::json!({ "id": id, "question": "Where is it?", "options": options, "answer": "A" }).to_string()
            + "\n"
    };
    // The pack has sixteen labels.
    fs::write(&data, row("few", options(2)) + &row("many", options(20))).unwrap();
    let told = contains("1 of 2 trials cannot be asked").and(contains("first of item `custom/many/en`"));
    let mut command = run(&model, &out);
    command.arg("--data").arg(&data).assert().code(1).stderr(told).stdout(contains("1 item could not be asked"));
    let report = |format: &str| {
        let mut command = tomeval(&["report", "--format", format]);
        let output = command.arg("--data").arg(&data).arg(&out).assert().code(1).get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let results = &json["results"][0];
    assert_eq!((&results["counts"]["failed_items"], &results["counts"]["items"]), (&1.into(), &2.into()));
    let cell = &results["tables"][0]["rows"][0]["cells"][0];
    let (value, bound) = (cell["value"].as_f64().unwrap(), cell["if_failed_right"].as_f64().unwrap());
    assert!((bound - value - 50.0).abs() < 1e-9, "{cell}");
    for format in ["terminal", "markdown", "latex"] {
        let text = report(format).replace('\\', "");
        assert!(text.contains(&format!("{value:.1}*")) && text.contains("if failed were right"), "{format}: {text}");
    }
    let items: Vec<Value> = report("items").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let many = items.iter().find(|item| item["id"] == "custom/many/en").unwrap();
    assert!(many["right"].is_null() && many["orders"][0]["failure"] == "prompt", "{many}");
}

/// A model without a chat template.
pub fn base_model(folder: &TempDir) -> std::path::PathBuf {
    let model = model(folder);
    let config = model.join("tokenizer_config.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&config).unwrap()).unwrap();
    settings.as_object_mut().unwrap().remove("chat_template");
    fs::write(config, settings.to_string()).unwrap();
    model
}

#[test]
fn an_item_without_a_story_is_asked_without_one() {
    let folder = TempDir::new().unwrap();
    let (model, data, out) = (base_model(&folder), folder.path().join("own.csv"), folder.path().join("run"));
    fs::write(&data, "id,question,option_a,option_b,answer\n1,Where?,box,bed,A\n").unwrap();
    run(&model, &out).arg("--data").arg(&data).assert().success();
    let record: Value = serde_json::from_str(fs::read_to_string(out.join("trials.jsonl")).unwrap().trim()).unwrap();
    let shown = record["asks"][0]["shown"]["text"].as_str().unwrap();
    assert!(shown.contains("\n\nQuestion: Where?\n\nA. box"), "{shown}");
    assert!(!shown.contains("\n\n\n"), "{shown}");
    // A model without a chat template is asked raw, and the report says so.
    let report = tomeval(&["report", "--format", "latex", "--data"]).arg(&data).arg(&out).assert().success();
    report.stdout(contains("turns: plain text: the model has no chat template"));
}

#[test]
fn instructions_in_another_language_than_the_item_are_told() {
    let folder = TempDir::new().unwrap();
    let (model, data, out) = (model(&folder), folder.path().join("own.csv"), folder.path().join("run"));
    let rows = "id,language,question,option_a,option_b,answer\n1,fr,Où ?,lit,sac,A\n2,en,Where?,box,bed,A\n";
    fs::write(&data, rows).unwrap();
    run(&model, &out).arg("--data").arg(&data).assert().success().stdout(contains("; in English for 1 item in French"));
}
