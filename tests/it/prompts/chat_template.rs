//! `--chat-template`: another template, or none, in every command that writes prompts; recorded, told, and kept on resume.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use serde_json::{Value, json};
use tomeval::internal::sha256_bytes;

use crate::support::fixture;
use crate::prompts::thinking::model;

const MINE: &str = "{% for m in messages %}({{ m.role }}) {{ m.content }}\n{% endfor %}(answer) ";

fn tomeval(arguments: &[&str]) -> Output {
    let mut tomeval = Command::cargo_bin("tomeval").unwrap();
    tomeval.args(arguments).arg("--offline").env_remove("TOMEVAL_DATA").output().unwrap()
}

fn on_two_questions(command: &str, model: &Path, more: &[&str]) -> Output {
    let model = model.to_str().unwrap();
    let common = [command, "--benchmark", "demo", "--limit", "2", "--orders", "identity", "--model", model];
    tomeval(&[&common, more].concat())
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn mine(folder: &Path) -> PathBuf {
    let path = folder.join("mine.jinja");
    fs::write(&path, MINE).unwrap();
    path
}

fn shown(model: &Path, more: &[&str]) -> Value {
    let model = model.to_str().unwrap();
    let common = ["prompts", "show", "--item", "demo/cake-tin/0/en", "--json", "--model", model];
    let output = tomeval(&[&common, more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["asks"][0]["rendered"].clone()
}

#[test]
fn a_run_is_made_and_recorded_with_the_template_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let (file, out) = (mine(folder.path()), folder.path().join("out"));
    let chosen = ["--chat-template", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let run = on_two_questions("run", &model, &chosen);
    assert!(run.status.success(), "{}", stderr(&run));
    assert_eq!(stderr(&run).matches("written by the chat template of mine.jinja").count(), 1, "{}", stderr(&run));
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let recorded = &manifest["settings"]["chat_template"];
    assert_eq!(*recorded, json!({"name": "mine.jinja", "sha256": sha256_bytes(MINE), "source": MINE}));

    // Another one, or the model's own, is another run.
    for other in [&["--chat-template", "none"][..], &[]] {
        let other = on_two_questions("run", &model, &[other, &["--out", out.to_str().unwrap()]].concat());
        assert_eq!(other.status.code(), Some(2));
        assert!(stderr(&other).contains("settings.chat_template"), "{}", stderr(&other));
    }

    // The run's attention is read with it, its file gone.
    fs::remove_file(&file).unwrap();
    let attend =
        tomeval(&["attend", "--run", out.to_str().unwrap(), "--limit", "1", "--deletion-draws", "0", "--json"]);
    assert!(attend.status.success(), "{}", stderr(&attend));
    let document: Value = serde_json::from_slice(&attend.stdout).unwrap();
    assert!(document["cases"][0]["text"].as_str().unwrap().starts_with("(system) "), "{document}");
    assert_eq!(document["models"][0]["chat_template"]["name"], "mine.jinja");
}

#[test]
fn plan_attend_and_logprob_take_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let plan = on_two_questions("plan", &model, &["--chat-template", "none"]);
    assert!(stderr(&plan).contains("prompts are given raw"), "{}", stderr(&plan));

    let attend = on_two_questions("attend", &model, &["--chat-template", "none", "--deletion-draws", "0", "--json"]);
    let document: Value = serde_json::from_slice(&attend.stdout).unwrap();
    assert!(!document["cases"][0]["text"].as_str().unwrap().contains("<|im_start|>"), "{document}");

    let input = folder.path().join("rows.jsonl");
    let row = json!({"id": 1, "messages": [{"role": "user", "content": "Where?"}], "continuations": ["A", "B"]});
    fs::write(&input, row.to_string()).unwrap();
    let ids = |more: &[&str]| {
        let common = ["logprob", "--model", model.to_str().unwrap(), "--input", input.to_str().unwrap()];
        let output = tomeval(&[&common, more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["prompt_ids"].clone()
    };
    assert_ne!(ids(&[]), ids(&["--chat-template", "none"]));
}

#[test]
fn prompts_are_shown_as_another_model_would_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path(), "qwen3");
    let gemma = fixture("gemma2");
    let own = shown(&model, &[]);
    let others = shown(&model, &["--chat-template", gemma.to_str().unwrap()]);
    assert!(others["text"].as_str().unwrap().contains("<start_of_turn>"), "{others}");
    assert_ne!(own["text"], others["text"]);
    let raw = shown(&model, &["--chat-template", "none"]);
    assert_eq!(raw["by_template"], false);
    let thinking = shown(&model, &["--template-var", "enable_thinking=true"]);
    assert_ne!(own["text"], thinking["text"]);
    assert!(
        own["text"].as_str().unwrap().contains("</think>") && !thinking["text"].as_str().unwrap().contains("</think>")
    );

    for (arguments, message) in [
        (&["--model", "x", "--chat-template", "./nowhere.jinja"][..], "no such"),
        (&["--chat-template", "none"], "name it with --model"),
    ] {
        let model = model.to_str().unwrap();
        let arguments: Vec<&str> = arguments.iter().map(|&one| if one == "x" { model } else { one }).collect();
        let output = tomeval(&[&["prompts", "show", "--item", "demo/cake-tin/0/en"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}
