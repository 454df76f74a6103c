//! `tomeval attend --written`: where a written reply puts its answer letter.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::read_json_lines;
use crate::support::tiny_models::tiny_model_of;

/// A finished run of two items; `scoring` says how they were answered.
fn run_of(context: &TestContext, scoring: &[&str]) -> PathBuf {
    let (model, out) = (tiny_model_of(context.folder(), "llama"), context.path("run"));
    let mut command = context.command(&["run", "--offline", "--device", "cpu", "--benchmark", "demo", "--limit", "2"]);
    let done =
        command.args(["--orders", "identity", "--model"]).arg(model).arg("--out").arg(&out).args(scoring).output();
    assert_ne!(done.unwrap().status.code(), Some(2));
    out
}

fn attend(context: &TestContext, run: &Path, arguments: &[&str]) -> Output {
    let mut command = context.command(&["attend", "--offline", "--deletion-draws", "2", "--json", "--run"]);
    command.arg(run).args(arguments).run()
}

/// Put a reply in the place of the first record's own, with the letter B read at these bytes.
fn reply(run: &Path, text: &str, reading: Value) {
    let path = run.join("trials.jsonl");
    let mut records: Vec<Value> = read_json_lines(&path);
    records[0]["asks"][0]["reply"]["text"] = text.into();
    records[0]["asks"][0]["reply"]["reading"] = reading;
    fs::write(&path, records.iter().map(|record| format!("{record}\n")).collect::<String>()).unwrap();
    // Its checksums are those of the lines as they were.
    let _ = fs::remove_file(run.join("trials.sha256"));
}

fn read_as_b(start: usize, end: usize) -> Value {
    json!({ "outcome": "answer", "slots": [1], "rule": "cue", "start": start, "end": end })
}

const GENERATE: [&str; 4] = ["--scoring", "generate", "--max-new-tokens", "4"];

#[test]
fn the_position_that_writes_the_letter_stands_beside_the_scored_one() {
    let context = TestContext::new();
    let run = run_of(&context, &GENERATE);
    reply(&run, "Not A. The answer is (B).", read_as_b(7, 24));
    let output = attend(&context, &run, &["--written"]);
    assert_eq!(output.status.code(), Some(1), "the other reply has no letter: {}", output.stderr);
    assert!(output.stderr.contains("no answer was found in its reply"), "{}", output.stderr);
    let document: Value = output.json();
    let cases = document["cases"].as_array().unwrap();
    let at = cases.iter().position(|case| case["variant"] == "in the written reply").unwrap();
    let (scored, written) = (&cases[at - 1], &cases[at]);
    assert_eq!((&scored["item"], &scored["variant"]), (&written["item"], &"".into()));
    let text = written["text"].as_str().unwrap();
    assert!(text.ends_with("Not A. The answer is ("), "{text}");
    // The last token predicts the letter, or the one before it where the bracket and the letter are one token.
    let position = written["rows"][0]["position"].as_u64().unwrap() as usize;
    let tokens = written["tokens"].as_array().unwrap().len();
    assert!(position + 1 == tokens || position + 2 == tokens, "{position} of {tokens}");
    let chosen: Vec<&Value> =
        written["options"].as_array().unwrap().iter().filter(|option| option["chosen"] == true).collect();
    assert_eq!((chosen.len(), &chosen[0]["label"]), (1, &"B".into()), "what was written, likeliest or not");
    let contrasts = document["contrasts"].as_array().unwrap();
    assert!(contrasts.iter().any(|contrast| contrast["name"] == "scored letter minus written letter"), "{contrasts:?}");
}

#[test]
fn replies_that_write_no_letter_say_why() {
    let context = TestContext::new();
    let run = run_of(&context, &GENERATE);
    reply(
        &run,
        "in the cake tin",
        json!({ "outcome": "answer", "slots": [1], "rule": "option-text", "start": 7, "end": 15 }),
    );
    let rendered = attend(&context, &run, &["--written"]).stderr;
    assert!(rendered.contains("without the letter B (rule `option-text`)"), "{rendered}");
}

#[test]
fn runs_of_either_kind_name_the_switch() {
    let context = TestContext::new();
    let written = attend(&context, &run_of(&context, &GENERATE), &[]).code(2);
    assert!(written.stderr.contains("its answers were written") && written.stderr.contains("--written"));
    let context = TestContext::new();
    let scored = attend(&context, &run_of(&context, &[]), &["--written"]).code(2);
    assert!(scored.stderr.contains("leave out --written"), "{}", scored.stderr);
}
