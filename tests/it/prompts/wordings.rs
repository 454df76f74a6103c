//! Instructions in several wordings: what a model is shown, what is recorded, and what cannot be combined.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, records};
use crate::support::model_is_here;
use crate::support::tiny_models::shared_tiny_model;

fn command(context: &TestContext, out: &Path, more: &[&str]) -> Command {
    let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "4", "--device", "cpu"]);
    command.args(["--orders", "random:2", "--threads", "1"]).args(more).arg("--out").arg(out);
    command
}

/// What differs between wordings: the first turn. The rest of the turns, and the key without the condition.
fn parts(record: &Value) -> (String, String, String) {
    let turns = record["asks"][0]["shown"]["messages"].as_array().unwrap();
    let results: Vec<&Value> =
        record["asks"][0]["results"].as_array().unwrap().iter().map(|result| &result["text"]).collect();
    let rest = format!("{:?} {:?} {results:?}", &turns[1..], record["asks"][0]["answer_prefix"]);
    (turns[0]["content"].to_string(), rest, format!("{} {} {}", record["id"], record["order"], record["count"]))
}

#[test]
fn only_the_instruction_changes_and_a_cut_run_ends_as_an_unbroken_one() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let (plain, worded) = (context.path("plain"), context.path("worded"));
    command(&context, &plain, &["-l", "en,zh"]).run().success();
    let more = ["-l", "en,zh", "--paraphrase", "3", "--batch-tokens", "512"];
    command(&context, &worded, &more).run().success().with_stdout(contains("wording-3"));
    let all = records(&worded);
    let of = |condition: Value| all.iter().filter(|it| it["condition"] == condition).collect::<Vec<&Value>>();
    let first: BTreeMap<String, &Value> = of(Value::Null).into_iter().map(|record| (parts(record).2, record)).collect();
    assert_eq!(first.len() * 3, all.len());
    for record in records(&plain) {
        assert_eq!(*first[&parts(&record).2], record, "the first wording is the plain presentation");
    }
    let mut instructions: BTreeSet<String> = first.values().map(|record| parts(record).0).collect();
    for wording in ["wording-2", "wording-3"] {
        let worded = of(wording.into());
        assert_eq!(worded.len(), first.len());
        for record in worded {
            let (instruction, rest, key) = parts(record);
            assert_eq!(parts(first[&key]).1, rest, "{key}: the item's text");
            instructions.insert(instruction);
        }
    }
    assert_eq!(instructions.len(), 6, "three wordings in each of two languages: {instructions:?}");
    assert_eq!(manifest(&worded)["settings"]["wordings"], 3);
    assert!(manifest(&plain)["settings"].get("wordings").is_none());
    let mut inputs = fs::read_dir(worded.join("inputs")).unwrap().map(|file| file.unwrap().path());
    let pack = inputs.find(|file| file.extension().is_some_and(|ending| ending == "toml")).unwrap();
    let kept = fs::read_to_string(pack).unwrap();
    assert_eq!(kept.matches("wording = 3").count(), 4, "letters and words in two languages");

    let text = fs::read(worded.join("trials.jsonl")).unwrap();
    let cut = context.path("cut");
    fs::create_dir_all(&cut).unwrap();
    fs::copy(worded.join("manifest.json"), cut.join("manifest.json")).unwrap();
    fs::write(cut.join("trials.jsonl"), &text[..text.len() / 2]).unwrap();
    command(&context, &cut, &more).run().success();
    assert!(fs::read(cut.join("trials.jsonl")).unwrap() == text, "resumed");
    command(&context, &cut, &["-l", "en,zh", "--paraphrase", "4"])
        .run()
        .code(2)
        .with_stderr(contains("settings.wordings"));

    let report =
        |run: &Path| context.command(&["report", "--table", "variance", "--wide"]).arg(run).run().success().stdout;
    let tables = report(&worded);
    for title in ["Sources of variance", "How far accuracy moves", "Accuracy by wording"] {
        assert!(tables.contains(title), "{tables}");
    }
    let tables = report(&plain);
    assert!(tables.contains("one wording; --paraphrase asks in several"), "{tables}");
    assert!(!fs::read_to_string(plain.join("results.json")).unwrap().contains("\"variance\""));
}

#[test]
fn wordings_serve_every_scoring() {
    let context = TestContext::new();
    let model = shared_tiny_model();
    let model = ["--model", model.to_str().unwrap(), "-l", "en", "--paraphrase", "2"];
    for scoring in ["text", "hybrid", "generate"] {
        let out = context.path(scoring);
        let written: &[&str] = if scoring == "generate" { &["--samples", "2", "--temperature", "1"] } else { &[] };
        let more = [
            &model[..],
            &["--scoring", scoring, "--max-new-tokens", "4"][..if scoring == "generate" { 4 } else { 2 }],
            written,
        ]
        .concat();
        command(&context, &out, &more).run().success();
        let all = records(&out);
        let worded = all.iter().filter(|record| record["condition"] == "wording-2").count();
        assert_eq!((worded * 2, worded > 0), (all.len(), true), "{scoring}");
    }
}

#[test]
fn what_cannot_be_worded_is_named() {
    let context = TestContext::new();
    let model = shared_tiny_model();
    let refused = |more: &[&str], message: &str| {
        let model = ["--model", model.to_str().unwrap()];
        let more = [&["--paraphrase", "2"], more, &model].concat();
        command(&context, &context.path("refused"), &more).run().code(2).with_stderr(contains(message));
    };
    refused(&["--style", "cot", "--scoring", "generate"], "style `cot`, language en: there is no wording 2");
    let written = ["--scoring", "generate", "--max-new-tokens", "4"];
    let combined: [(&[&str], &str); 5] = [
        (&["--options", "after"], "--options after or never"),
        (&["--style", "cot", "--after-reasoning"], "--after-reasoning"),
        (&["--thinking", "0,4"], "--thinking with several budgets"),
        (&["--style", "simtom"], "a style in two phases"),
        (&[&written[..], &["--questions-per-prompt", "2"]].concat(), "--questions-per-prompt"),
    ];
    for (more, other) in combined {
        refused(more, &format!("--paraphrase does not combine with {other}; leave out one of them"));
    }
    let many = ["--paraphrase", "11", "--model", model.to_str().unwrap()];
    command(&context, &context.path("refused"), &many).run().code(2).with_stderr(contains("there are 10"));
}
