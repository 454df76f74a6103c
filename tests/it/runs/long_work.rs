//! What the command line does about long work and large numbers: limits, progress, choices among items, standard input.

use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::{model_is_here, tiny_model};

fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(arguments).env_remove("TOMEVAL_DATA");
    command
}

fn plan(model: &Path, more: &[&str]) -> Command {
    let mut command = tomeval(&["plan", "--json", "--model"]);
    command.arg(model).args(["--benchmark", "demo"]).args(more);
    command
}

fn planned(model: &Path, more: &[&str]) -> Value {
    let output = plan(model, more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn numbers_beyond_sense_are_refused_with_the_range() {
    let cases: [(&[&str], &str); 13] = [
        (&["plan", "--orders", "random:1000000000"], "from 1 to 10000"),
        (&["plan", "--threads", "100000"], "from 1 to 4096"),
        (&["plan", "--threads", "0"], "from 1 to 4096"),
        (&["plan", "--limit", "0"], "from 1 to 10000000"),
        (&["plan", "--limit-stories", "99999999999999999999999"], "from 1 to 10000000"),
        (&["plan", "--pass-tokens", "0"], "from 1 to 10000000"),
        (&["plan", "--batch-tokens=-4"], "from 1 to 10000000"),
        (&["run", "--verify-batching", "many"], "from 1 to 10000000"),
        (&["bench", "--batch", "1000000000"], "from 1 to 4096"),
        (&["make", "hi-tom", "--stories", "1000000000"], "from 1 to 100000"),
        (&["make", "tomi", "--stories", "1000000000", "--out", "none"], "from 1 to 100000"),
        (&["attend", "--heads", "0-1000000000"], "below 10000"),
        (&["attend", "--top", "0"], "from 1 to 1000"),
    ];
    for (arguments, range) in cases {
        let refused = tomeval(arguments).assert().code(2);
        let text = String::from_utf8_lossy(&refused.get_output().stderr).to_string();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("error")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].contains(range), "{text}");
    }
}

#[test]
fn more_threads_than_processors_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_model(folder.path());
    plan(&model, &["--threads", "4096"])
        .assert()
        .success()
        .stderr(contains("warning: --threads 4096: this machine runs"));
    plan(&model, &["--threads", "1"]).assert().success().stderr(contains("warning").not());
}

#[test]
fn long_work_tells_how_far_it_is_where_no_terminal_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("stories.json");
    let mut make = tomeval(&["make", "hi-tom", "--stories", "400", "--out"]);
    make.arg(&out)
        .env("TOMEVAL_PROGRESS_SECONDS", "0.001")
        .assert()
        .success()
        .stderr(contains("making stories: 0s gone").and(contains("making stories: over after")));
    let model = tiny_model(folder.path());
    let mut plan = tomeval(&["plan", "--benchmark", "hi-tom", "--orders", "identity", "--model"]);
    plan.arg(model).arg("--data").arg(&out).env("TOMEVAL_PROGRESS_SECONDS", "0.001");
    plan.assert().success().stderr(contains("reading items: ").and(contains("tokenizing: ")).and(contains("trials (")));
}

#[test]
fn short_work_says_nothing_of_its_progress() {
    let folder = tempfile::tempdir().unwrap();
    plan(&tiny_model(folder.path()), &["--limit", "2"]).assert().success().stderr("");
}

#[test]
fn items_are_chosen_by_facet_and_id() {
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_model(folder.path());
    let listed = tomeval(&["data", "items", "--benchmark", "demo", "--language", "en"]).output().unwrap();
    let items: Vec<Value> =
        String::from_utf8(listed.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = |at: usize| items[at]["id"].as_str().unwrap();
    let task = items[0]["facets"]["task"].as_str().unwrap();
    let of_task = items.iter().filter(|item| item["facets"]["task"] == task).count();
    assert!(of_task > 0 && of_task < items.len());
    let count = |more: &[&str]| planned(&model, more)["items"].as_u64().unwrap() as usize;
    assert_eq!(count(&["--where", &format!("task={task}")]), of_task);
    assert_eq!(count(&["--where", &format!("task!={task}")]), items.len() - of_task);
    assert_eq!(count(&["--item", id(0), "--item", id(1)]), 2);
    assert_eq!(count(&["--where", &format!("task={task}"), "--limit", "1"]), 1);

    let wrong_task = format!("task={task}x");
    for (more, told) in [
        (["--where", &wrong_task], format!("did you mean `{task}`?")),
        (["--where", "tasks=1"], "did you mean `task`?".to_string()),
        (["--where", "task"], "write FACET=VALUE".to_string()),
        (["--item", &format!("{}x", id(0))], format!("did you mean `{}`?", id(0))),
    ] {
        plan(&model, &more).assert().code(2).stderr(contains(told));
    }

    // The choice is part of the manifest, and the report says so.
    let out = folder.path().join("run");
    let rule = format!("task={task}");
    let mut run = tomeval(&["run", "--benchmark", "demo", "--where", &rule, "--item", id(0), "--orders", "identity"]);
    run.arg("--model").arg(&model).arg("--out").arg(&out).assert().success().stdout(contains(rule.as_str()));
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["settings"]["where"], serde_json::json!([rule]));
    assert_eq!(manifest["settings"]["items"], serde_json::json!([id(0)]));
    tomeval(&["report"]).arg(&out).assert().success().stdout(contains(rule.as_str()));
}

#[test]
fn the_made_stories_are_left_out_where_none_of_them_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_model(folder.path());
    let listed = tomeval(&["data", "items", "--benchmark", "demo", "--language", "en"]).output().unwrap();
    let first: Value = serde_json::from_str(String::from_utf8(listed.stdout).unwrap().lines().next().unwrap()).unwrap();
    let mut plan = tomeval(&["plan", "--json", "--item", first["id"].as_str().unwrap(), "--model"]);
    let output = plan.arg(model).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["benchmarks"], &report["items"]), (&serde_json::json!(["demo"]), &serde_json::json!(1)));
}

const QUESTIONS: &str = "id,story,question,option_a,option_b,answer\n\
                         q1,Ann hides the tea.,Where does Bo look?,shelf,box,A\n\
                         q2,Ann hides the tea.,Where is it?,shelf,box,B\n";

#[test]
fn standard_input_is_taken_where_a_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let model = tiny_model(folder.path());
    let file = folder.path().join("mine.csv");
    std::fs::write(&file, QUESTIONS).unwrap();

    let manifest = |data: &str, name: &str| -> Value {
        let out = folder.path().join(name);
        let mut run = tomeval(&["run", "--benchmark", "custom", "--orders", "identity", "--data", data, "--model"]);
        run.arg(&model).arg("--out").arg(&out).write_stdin(QUESTIONS).assert().success();
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap()
    };
    let (piped, read) = (manifest("-", "piped"), manifest(file.to_str().unwrap(), "read"));
    assert_eq!(piped["data"], read["data"]);
    assert_eq!(piped["data"]["custom"]["items"], 2);

    let ids = ["custom/q1/en", "q1"].map(|id| format!("{{\"id\": \"{id}\", \"choice\": 0}}\n"));
    let scored = ids.iter().map(|answers| {
        let mut score = tomeval(&["score", "--benchmark", "custom", "--answers", "-", "--data"]);
        score.arg(&file).write_stdin(answers.as_str()).output().unwrap()
    });
    let scored: Vec<_> = scored.collect();
    assert!(scored.iter().any(|output| output.status.success()), "{scored:?}");
    assert!(scored.iter().all(|output| !String::from_utf8_lossy(&output.stderr).contains("-: ")), "{scored:?}");

    let rows = "{\"id\": 1, \"prompt\": \"in the\", \"continuations\": [\" A\", \" B\"]}\nnot a row\n";
    let mut logprob = tomeval(&["logprob", "--input", "-", "--model"]);
    let scored = logprob.arg(&model).write_stdin(rows).assert().code(1).stderr(contains("standard input, line 2"));
    assert_eq!(String::from_utf8_lossy(&scored.get_output().stdout).lines().count(), 1);
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = tomeval(&["completions", shell]).assert().success();
        let text = String::from_utf8_lossy(&script.get_output().stdout).to_string();
        assert!(text.contains("tomeval") && text.contains("batch-tokens"), "{shell}: {text}");
    }
}

/// `60.5 MiB` in bytes.
fn bytes(text: &str) -> f64 {
    let mut parts = text.split_whitespace();
    let number: f64 = parts.next().unwrap().parse().unwrap();
    let unit = ["B", "KiB", "MiB", "GiB"].iter().position(|&unit| Some(unit) == parts.next().or(Some(""))).unwrap_or(2);
    number * 1024f64.powi(unit as i32)
}

#[test]
fn the_announced_memory_is_what_a_run_takes() {
    if !model_is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut run =
        tomeval(&["run", "--offline", "--benchmark", "demo", "--limit", "2", "--orders", "random:2", "--out"]);
    let ran = run.arg(folder.path().join("run")).assert().success();
    let text = String::from_utf8_lossy(&ran.get_output().stderr).to_string();
    let line = text.lines().find(|line| line.starts_with("Memory ")).unwrap_or_else(|| panic!("{text}"));
    let (taken, announced) = line["Memory ".len()..].split_once(" at the peak; the plan announced ").unwrap();
    let (taken, announced) = (bytes(taken), bytes(announced.trim_end_matches('.')));
    assert!((0.9..1.1).contains(&(announced / taken)), "{line}");
}
