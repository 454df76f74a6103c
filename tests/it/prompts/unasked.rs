//! Trials that cannot be asked: refused where nothing can be, told of before the work and counted apart elsewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::read_json;
use crate::support::tiny_models::{base_model, tiny_model};

/// The built-in packs in a folder, with one text of one file replaced.
fn packs(context: &TestContext, file: &str, from: &str, to: &str) -> std::path::PathBuf {
    let packs = context.path("packs");
    context.command(&["prompts", "export"]).arg(&packs).run().success();
    let path = packs.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
    packs
}

fn run(context: &TestContext, model: &Path, out: &Path) -> Command {
    let mut command = context.command(&["run", "--offline", "--limit", "2", "--orders", "identity", "--model"]);
    command.arg(model).arg("--out").arg(out);
    command
}

#[test]
fn a_run_that_can_ask_nothing_is_refused_before_any_work() {
    let cases = [
        ("{story?}", "{profile}", "no value for `{profile}`"),
        ("labels = [\"A\", \"B\", \"C\", \"D\"]", "labels = [\"A\"]", "options, but the style only 1 label;"),
    ];
    for (from, to, reason) in cases {
        let context = TestContext::new();
        let (model, packs, out) =
            (tiny_model(context.folder()), packs(&context, "demo.toml", from, to), context.path("run"));
        let rendered = || {
            contains("demo: nothing can be asked:")
                .and(contains("2 trials (prompt), first of item `demo/"))
                .and(contains(reason))
                .and(contains("tokens to forward").not())
        };
        let mut command = run(&context, &model, &out);
        command.args(["--benchmark", "demo", "--prompts"]).arg(&packs).run().code(2).with_stderr(rendered());
        assert!(!out.exists(), "nothing is begun");
        let mut plan =
            context.command(&["plan", "--offline", "--limit", "2", "--orders", "identity", "--benchmark", "demo"]);
        plan.arg("--prompts").arg(&packs).arg("--model").arg(&model).run().code(2).with_stderr(rendered());
    }
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let config = model.join("tokenizer_config.json");
    let mut settings = read_json(&config);
    settings["chat_template"] = "{{ raise_exception('roles must alternate') }}".into();
    fs::write(config, settings.to_string()).unwrap();
    let rendered = contains("2 trials (template)").and(contains("roles must alternate"));
    run(&context, &model, &context.path("run")).args(["--benchmark", "demo"]).run().code(2).with_stderr(rendered);
}

#[test]
fn what_could_not_be_asked_is_no_plain_zero() {
    let context = TestContext::new();
    let (model, data, out) = (tiny_model(context.folder()), context.path("own.jsonl"), context.path("run"));
    let options = |count: usize| (0..count).map(|number| format!("box {number}")).collect::<Vec<_>>();
    let row = |id: &str, options: Vec<String>| {
        serde_json::json!({ "id": id, "question": "Where is it?", "options": options, "answer": "A" }).to_string()
            + "\n"
    };
    // The pack has sixteen labels.
    fs::write(&data, row("few", options(2)) + &row("many", options(20))).unwrap();
    let rendered = contains("1 of 2 trials cannot be asked").and(contains("first of item `custom/many/en`"));
    let mut command = run(&context, &model, &out);
    command
        .arg("--data")
        .arg(&data)
        .run()
        .code(1)
        .with_stderr(rendered)
        .with_stdout(contains("1 item could not be asked"));
    let report = |format: &str| {
        let mut command = context.command(&["report", "--format", format]);
        command.arg("--data").arg(&data).arg(&out).run().code(1).stdout
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

#[test]
fn an_item_without_a_story_is_asked_without_one() {
    let context = TestContext::new();
    let (model, data, out) = (base_model(context.folder()), context.path("own.csv"), context.path("run"));
    fs::write(&data, "id,question,option_a,option_b,answer\n1,Where?,box,bed,A\n").unwrap();
    run(&context, &model, &out).arg("--data").arg(&data).run().success();
    let record: Value = serde_json::from_str(fs::read_to_string(out.join("trials.jsonl")).unwrap().trim()).unwrap();
    let shown = record["asks"][0]["shown"]["text"].as_str().unwrap();
    assert!(shown.contains("\n\nQuestion: Where?\n\nA. box"), "{shown}");
    assert!(!shown.contains("\n\n\n"), "{shown}");
    // A model without a chat template is asked raw, and the report says so.
    let report = context.command(&["report", "--format", "latex", "--data"]).arg(&data).arg(&out).run().success();
    report.with_stdout(contains("turns: plain text: the model has no chat template"));
}

#[test]
fn instructions_in_another_language_than_the_item_are_told() {
    let context = TestContext::new();
    let (model, data, out) = (tiny_model(context.folder()), context.path("own.csv"), context.path("run"));
    let rows = "id,language,question,option_a,option_b,answer\n1,fr,Où ?,lit,sac,A\n2,en,Where?,box,bed,A\n";
    fs::write(&data, rows).unwrap();
    run(&context, &model, &out)
        .arg("--data")
        .arg(&data)
        .run()
        .success()
        .with_stdout(contains("; in English for 1 item in French"));
}
