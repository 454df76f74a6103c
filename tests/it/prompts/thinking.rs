//! Models with a thinking switch: it is off where answers are scored, what is set stands in the manifest, and a prompt that
//! ends in the midst of thinking is refused. Needs the tiny models of the fixtures alone.

use crate::support::fixture;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use serde_json::{Value, json};

/// A copy of a tiny model that takes prompts of ordinary length.
pub fn model(folder: &Path, family: &str) -> PathBuf {
    let copy = folder.join(family);
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(fixture(family)).unwrap() {
        let entry = entry.unwrap();
        fs::write(copy.join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
    }
    let path = copy.join("config.json");
    let mut config: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    config["max_position_embeddings"] = json!(16384);
    fs::write(path, config.to_string()).unwrap();
    copy
}

/// A command on two questions of the demo inventory in one order.
fn on_two_questions(command: &str, model: &Path, more: &[&str]) -> Output {
    let mut tomeval = Command::cargo_bin("tomeval").unwrap();
    tomeval.args([command, "--offline", "--benchmark", "demo", "--limit", "2", "--orders", "identity", "--model"]);
    tomeval.arg(model).args(more).env_remove("TOMEVAL_DATA").output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Tokens of the prompts that a run showed, in file order.
fn prompt_tokens(run: &Path) -> Vec<u64> {
    let lines = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    let tokens =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["asks"][0]["prompt_tokens"].as_u64().unwrap();
    lines.lines().map(tokens).collect()
}

#[test]
fn thinking_is_off_where_answers_are_scored() {
    let folder = tempfile::tempdir().unwrap();
    for family in ["qwen3", "smollm3"] {
        let model = model(folder.path(), family);
        let [off, on] = ["off", "on"].map(|name| folder.path().join(format!("{family}-{name}")));
        let run = on_two_questions("run", &model, &["--out", off.to_str().unwrap()]);
        assert!(run.status.success(), "{}", stderr(&run));
        assert_eq!(stderr(&run).matches("(enable_thinking=false)").count(), 1, "{}", stderr(&run));
        let manifest = json_of(&off.join("manifest.json"));
        assert_eq!(manifest["settings"]["template_variables"], json!({"enable_thinking": false}));

        let switched = ["--template-var", "enable_thinking=true", "--out", on.to_str().unwrap()];
        let run = on_two_questions("run", &model, &switched);
        assert!(run.status.success() && !stderr(&run).contains("thinking is switched off"), "{}", stderr(&run));
        let manifest = json_of(&on.join("manifest.json"));
        assert_eq!(manifest["settings"]["template_variables"], json!({"enable_thinking": true}));
        assert_eq!(prompt_tokens(&off).len(), prompt_tokens(&on).len());
        assert_ne!(prompt_tokens(&off), prompt_tokens(&on), "the switch changes the prompt");

        // A run is not continued with another switch.
        let other = on_two_questions("run", &model, &["--template-var", "x=1", "--out", on.to_str().unwrap()]);
        assert_eq!(other.status.code(), Some(2));
        assert!(stderr(&other).contains("settings.template_variables"), "{}", stderr(&other));
    }
}

#[test]
fn plan_and_attend_switch_thinking_off_too() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let plan = on_two_questions("plan", &model, &[]);
    assert!(stderr(&plan).contains("(enable_thinking=false)"), "{}", stderr(&plan));

    let attend = on_two_questions("attend", &model, &["--deletion-draws", "0", "--json"]);
    assert!(attend.status.success(), "{}", stderr(&attend));
    assert!(stderr(&attend).contains("(enable_thinking=false)"), "{}", stderr(&attend));
    let document: Value = serde_json::from_slice(&attend.stdout).unwrap();
    assert_eq!(document["models"][0]["template_variables"], json!({"enable_thinking": false}));
    let case = &document["cases"][0];
    assert!(case["text"].as_str().unwrap().contains("<think>\n\n</think>"));

    let mut show = Command::cargo_bin("tomeval").unwrap();
    show.args(["prompts", "show", "--offline", "--json", "--item", case["item"].as_str().unwrap(), "--model"]);
    let shown = show.arg(&model).env_remove("TOMEVAL_DATA").output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["asks"][0]["rendered"]["text"], case["text"]);
}

#[test]
fn a_prompt_that_ends_inside_thinking_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    fs::write(model.join("chat_template.jinja"), "{{ messages[-1].content }}\nAnswer: <think>\n").unwrap();
    let out = folder.path().join("out");
    for (command, more) in [("run", ["--out", out.to_str().unwrap()]), ("plan", ["--style", "vanilla"])] {
        let refused = on_two_questions(command, &model, &more);
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("thinking section (<think>)"), "{}", stderr(&refused));
        assert!(!out.exists());
    }
    let refused = on_two_questions("attend", &model, &[]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("thinking section (<think>)"), "{}", stderr(&refused));
}

#[test]
fn a_thought_that_is_cut_ends_as_the_template_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let template = "{{ messages[-1].content }}\n<think>\n\
                    {% if enable_thinking is defined and not enable_thinking %}\n</think>\n\n{% endif %}";
    fs::write(model.join("chat_template.jinja"), template).unwrap();
    let out = folder.path().join("out");
    // Always taking its likeliest token, this model says nothing.
    let drawn = ["--scoring", "generate", "--temperature", "1", "--thinking", "4", "--max-new-tokens", "12"];
    let more = [&drawn[..], &["--out", out.to_str().unwrap()]].concat();
    let run = on_two_questions("run", &model, &more);
    assert!(matches!(run.status.code(), Some(0 | 1)), "{}", stderr(&run));
    let writing = json_of(&out.join("manifest.json"))["settings"]["writing"].clone();
    assert_eq!((&writing["thinking"], &writing["end_of_thought"]), (&json!({"tokens": 4}), &json!("\n</think>\n\n")));
    let records = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    for line in records.lines() {
        let reply = &serde_json::from_str::<Value>(line).unwrap()["asks"][0]["reply"];
        let (thought, answer) = (reply["thinking"].as_str().unwrap(), reply["text"].as_str().unwrap());
        assert!(thought.ends_with('\n') && answer.starts_with("\n\n"), "{reply}");
    }
}

#[test]
fn a_variable_that_no_template_reads_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let plan = on_two_questions("plan", &model, &["--template-var", "enable_thinkng=false"]);
    assert!(plan.status.success());
    assert!(
        stderr(&plan).contains("`enable_thinkng`") || stderr(&plan).contains("enable_thinkng: "),
        "{}",
        stderr(&plan)
    );
    assert!(stderr(&plan).contains("enable_thinking"), "{}", stderr(&plan));
    for (wrong, mend) in [("messages=1", "cannot be set"), ("thinking", "NAME=VALUE")] {
        let refused = on_two_questions("plan", &model, &["--template-var", wrong]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(mend), "{}", stderr(&refused));
    }
}

#[test]
fn logprob_sets_only_what_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let input = folder.path().join("rows.jsonl");
    let row = json!({"id": 1, "messages": [{"role": "user", "content": "Where?"}], "continuations": ["A", "B"]});
    fs::write(&input, row.to_string()).unwrap();
    let prompt_tokens = |more: &[&str]| {
        let mut tomeval = Command::cargo_bin("tomeval").unwrap();
        tomeval.args(["logprob", "--offline", "--model"]).arg(&model).arg("--input").arg(&input).args(more);
        let output = tomeval.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["prompt_tokens"].as_u64().unwrap()
    };
    let plain = prompt_tokens(&[]);
    assert_eq!(prompt_tokens(&["--template-var", "enable_thinking=true"]), plain);
    assert!(prompt_tokens(&["--template-var", "enable_thinking=false"]) > plain);
}

#[test]
fn the_report_tells_how_much_the_labels_hold() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let out = folder.path().join("out");
    let run = on_two_questions("run", &model, &["--tables", "--out", out.to_str().unwrap()]);
    let text = String::from_utf8(run.stdout.clone()).unwrap();
    // A model with random weights spreads its probability over all of its tokens.
    assert!(text.contains("Label mass: the labels hold ") && text.contains("label mass below 50 %"), "{text}");
    let results = json_of(&out.join("results.json"));
    let mass = &results["results"][0]["label_mass"][0];
    let records = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    let mut expected: Vec<f64> = records.lines().map(label_mass).collect();
    expected.sort_by(f64::total_cmp);
    let median = (expected[(expected.len() - 1) / 2] + expected[expected.len() / 2]) / 2.0;
    assert_eq!(mass["prompts"], json!(expected.len()));
    // Records hold f32 in few digits, so the sums differ by some 1e-8 of themselves.
    assert!((mass["median"]["value"].as_f64().unwrap() - 100.0 * median).abs() < 1e-5, "{mass} {median}");
    for file in ["report.md", "report.csv"] {
        let report = fs::read_to_string(out.join(file)).unwrap();
        assert!(report.contains("Label mass") || report.contains("label-mass"), "{file}");
    }

    let texts = folder.path().join("texts");
    on_two_questions("run", &model, &["--scoring", "text", "--no-pmi", "--out", texts.to_str().unwrap()]);
    let results = json_of(&texts.join("results.json"));
    assert_eq!(results["results"][0]["label_mass"][0]["median"]["value"], Value::Null);
}

/// The sum of the likelihoods of a record's letters.
fn label_mass(record: &str) -> f64 {
    let record: Value = serde_json::from_str(record).unwrap();
    let likelihood = |result: &Value| -> f64 {
        result["logprobs"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).sum::<f64>().exp()
    };
    record["asks"][0]["results"].as_array().unwrap().iter().map(likelihood).sum()
}
