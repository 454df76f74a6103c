//! `tomeval run` on several benchmarks at once with the demo model, and `tomeval score` on the answers of such a run.
//!
//! The demo model is needed, as in `command.rs`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tomeval::{Answer, Benchmark, LoadOptions, Normalisation, Outcome, Ties, outcomes, read_run};

use crate::support::context::{Run, TestContext};
use crate::support::model_is_here;
use crate::support::released::small;

const MODEL: &str = "smollm2-135m-instruct";
/// With single choices, joint choices and label sets; in one language and in several; from files of every kind.
const BENCHMARKS: [&str; 5] = ["multi-tom", "xtomi", "tomi", "negotiationtom", "tomvalley"];
const PART: [&str; 6] = ["--limit", "3", "--language", "en", "--language", "fr"];

/// A trial as a line of an answer file, as often as it counts.
fn lines(outcome: &Outcome<'_>) -> String {
    let mut text = String::new();
    for trial in &outcome.trials {
        let choice = match trial.choice.as_ref() {
            Some(Answer::Single(option)) => json!(option.0),
            Some(several) => json!(several.options()),
            None => Value::Null,
        };
        let order = trial.order.as_ref().map(|order| order.as_slice().to_vec());
        let line = json!({
            "id": outcome.item.id, "style": outcome.style, "condition": outcome.condition,
            "choice": choice, "order": order, "logprobs": trial.logprobs,
        });
        text.push_str(&format!("{line}\n").repeat(trial.count));
    }
    text
}

/// A value without what it says of how the answers came about.
fn without_origin(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let kept = entries.iter().filter(|(name, _)| !["answers", "method", "caption"].contains(&name.as_str()));
            kept.map(|(name, value)| (name.clone(), without_origin(value))).collect()
        }
        Value::Array(entries) => entries.iter().map(without_origin).collect(),
        value => value.clone(),
    }
}

fn results(json: &str, benchmark: &str) -> Value {
    let report: Value = serde_json::from_str(json).unwrap();
    let of = |results: &&Value| results["benchmark"] == benchmark;
    report["results"].as_array().unwrap().iter().find(of).unwrap_or_else(|| panic!("no results of {benchmark}")).clone()
}

#[test]
fn several_benchmarks_run_at_once_and_their_answers_score_the_same() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let out = context.path("run");
    let mut run = context.command(&["run", "--offline", "--orders", "random:3", "--instructions", "both"]);
    run.args(["--threads", "1", "--allow-changed-data"]).args(PART).arg("--benchmark").args(BENCHMARKS);
    run.arg("--data").arg(small()).arg("--out").arg(&out).run().success();
    let written = fs::read_to_string(out.join("results.json")).unwrap();
    for name in BENCHMARKS {
        let ran = results(&written, name);
        let scored = score(&context, &out, name);
        for part in ["counts", "tables", "order_effects", "listings", "notes"] {
            assert_eq!(without_origin(&ran[part]), without_origin(&scored[part]), "{name}: {part}");
        }
    }
    let xtomi = results(&written, "xtomi");
    let tables: Vec<&str> =
        xtomi["tables"].as_array().unwrap().iter().map(|table| table["id"].as_str().unwrap()).collect();
    assert!(tables.contains(&"accuracy") && tables.contains(&"english-instructions"), "{tables:?}");
    let tomi = results(&written, "tomi");
    let plain = |row: &Value| row["condition"].is_null();
    let all_plain =
        tomi["tables"].as_array().unwrap().iter().flat_map(|table| table["rows"].as_array().unwrap()).all(plain);
    assert!(all_plain, "English instructions are no change to an English benchmark");
}

#[test]
fn a_condition_that_changes_nothing_is_no_empty_run() {
    let context = TestContext::new();
    if !model_is_here() {
        return;
    }
    let output = context.run(&["run", "--offline", "--benchmark", "demo", "--condition", "no-profile"]);
    let message = output.stderr;
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("these conditions leave out nothing"), "{message}");
}

/// The results of `tomeval score` for the answers that a run gave to one benchmark.
fn score(context: &TestContext, run: &Path, name: &str) -> Value {
    let records = read_run(run).unwrap().records;
    let benchmark: Benchmark = name.parse().unwrap();
    let items = benchmark.load(&small(), &LoadOptions::default()).unwrap().items;
    let records: Vec<_> = records.into_iter().filter(|record| items.iter().any(|item| item.id == record.id)).collect();
    let given = outcomes(&records, &items, Normalisation::Sum, Ties::default()).unwrap();
    let answers = context.write(format!("{name}.jsonl"), given.iter().map(lines).collect::<String>());
    let mut command =
        context.command(&["score", "--json", "--allow-changed-data", "--name", MODEL, "--benchmark", name]);
    let output = command.args(PART).arg("--data").arg(small()).arg("--answers").arg(&answers).run().success();
    results(&output.stdout, name)
}
