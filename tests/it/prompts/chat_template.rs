//! `--chat-template`: another template, or none, in every command that writes prompts; recorded, told, and kept on resume.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tomeval::internal::sha256_bytes;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::read_json;
use crate::support::fixture;
use crate::support::tiny_models::tiny_model_of;

const MINE: &str = "{% for m in messages %}({{ m.role }}) {{ m.content }}\n{% endfor %}(answer) ";

/// A command of a model that is here.
fn offline(context: &TestContext, arguments: &[&str]) -> Output {
    context.command(arguments).arg("--offline").run()
}

fn on_two_questions(context: &TestContext, command: &str, model: &Path, more: &[&str]) -> Output {
    let model = model.to_str().unwrap();
    let common = [command, "--benchmark", "demo", "--limit", "2", "--orders", "identity", "--model", model];
    offline(context, &[&common, more].concat())
}

fn mine(folder: &Path) -> PathBuf {
    let path = folder.join("mine.jinja");
    fs::write(&path, MINE).unwrap();
    path
}

fn shown(context: &TestContext, model: &Path, more: &[&str]) -> Value {
    let model = model.to_str().unwrap();
    let common = ["prompts", "show", "--item", "demo/cake-tin/0/en", "--json", "--model", model];
    let output = offline(context, &[&common, more].concat()).success();
    output.json()["asks"][0]["rendered"].clone()
}

#[test]
fn a_run_is_made_and_recorded_with_the_template_chosen() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let (file, out) = (mine(context.folder()), context.path("out"));
    let chosen = ["--chat-template", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let run = on_two_questions(&context, "run", &model, &chosen).success();
    assert_eq!(run.stderr.matches("written by the chat template of mine.jinja").count(), 1, "{}", run.stderr);
    let manifest = read_json(&out.join("manifest.json"));
    let recorded = &manifest["settings"]["chat_template"];
    assert_eq!(*recorded, json!({"name": "mine.jinja", "sha256": sha256_bytes(MINE), "source": MINE}));

    // Another one, or the model's own, is another run.
    for other in [&["--chat-template", "none"][..], &[]] {
        let other =
            on_two_questions(&context, "run", &model, &[other, &["--out", out.to_str().unwrap()]].concat()).code(2);
        assert!(other.stderr.contains("settings.chat_template"), "{}", other.stderr);
    }

    // The run's attention is read with it, its file gone.
    fs::remove_file(&file).unwrap();
    let document = offline(
        &context,
        &["attend", "--run", out.to_str().unwrap(), "--limit", "1", "--deletion-draws", "0", "--json"],
    )
    .success()
    .json();
    assert!(document["cases"][0]["text"].as_str().unwrap().starts_with("(system) "), "{document}");
    assert_eq!(document["models"][0]["chat_template"]["name"], "mine.jinja");
}

#[test]
fn plan_attend_and_logprob_take_it_too() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let plan = on_two_questions(&context, "plan", &model, &["--chat-template", "none"]);
    assert!(plan.stderr.contains("prompts are raw"), "{}", plan.stderr);

    let attend =
        on_two_questions(&context, "attend", &model, &["--chat-template", "none", "--deletion-draws", "0", "--json"]);
    let document: Value = attend.json();
    assert!(!document["cases"][0]["text"].as_str().unwrap().contains("<|im_start|>"), "{document}");

    let input = context.path("rows.jsonl");
    let row = json!({"id": 1, "messages": [{"role": "user", "content": "Where?"}], "continuations": ["A", "B"]});
    fs::write(&input, row.to_string()).unwrap();
    let ids = |more: &[&str]| {
        let common = ["logprob", "--model", model.to_str().unwrap(), "--input", input.to_str().unwrap()];
        let output = offline(&context, &[&common, more].concat()).success();
        output.json()["prompt_ids"].clone()
    };
    assert_ne!(ids(&[]), ids(&["--chat-template", "none"]));
}

#[test]
fn prompts_are_shown_as_another_model_would_write_them() {
    let context = TestContext::new();
    let model = tiny_model_of(context.folder(), "qwen3");
    let gemma = fixture("gemma2");
    let own = shown(&context, &model, &[]);
    let others = shown(&context, &model, &["--chat-template", gemma.to_str().unwrap()]);
    assert!(others["text"].as_str().unwrap().contains("<start_of_turn>"), "{others}");
    assert_ne!(own["text"], others["text"]);
    let raw = shown(&context, &model, &["--chat-template", "none"]);
    assert_eq!(raw["by_template"], false);
    let thinking = shown(&context, &model, &["--template-var", "enable_thinking=true"]);
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
        let output =
            offline(&context, &[&["prompts", "show", "--item", "demo/cake-tin/0/en"], &arguments[..]].concat()).code(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
}
