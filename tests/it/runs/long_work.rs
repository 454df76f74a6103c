//! What the command line does about long work and large numbers: limits, progress, choices among items, standard input.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::manifest;
use crate::support::model_is_here;
use crate::support::tiny_models::tiny_model;

fn plan(context: &TestContext, model: &Path, more: &[&str]) -> Command {
    let mut command = context.command(&["plan", "--json", "--model"]);
    command.arg(model).args(["--benchmark", "demo"]).args(more);
    command
}

fn planned(context: &TestContext, model: &Path, more: &[&str]) -> Value {
    plan(context, model, more).run().success().json()
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
        let text = TestContext::new().run(arguments).code(2).stderr;
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("tomeval: ")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].contains(range), "{text}");
    }
}

#[test]
fn more_threads_than_processors_are_warned_of() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    plan(&context, &model, &["--threads", "4096"])
        .run()
        .success()
        .with_stderr(contains("warning: --threads 4096: this machine has"));
    plan(&context, &model, &["--threads", "1"]).run().success().with_stderr(contains("warning").not());
}

#[test]
fn long_work_tells_how_far_it_is_where_no_terminal_is() {
    let context = TestContext::new();
    let out = context.path("stories.json");
    let mut make = context.command(&["make", "hi-tom", "--stories", "400", "--out"]);
    make.arg(&out)
        .env("TOMEVAL_PROGRESS_SECONDS", "0.001")
        .run()
        .success()
        .with_stderr(contains("making stories: 0s elapsed").and(contains("making stories: done after")));
    let model = tiny_model(context.folder());
    let mut plan = context.command(&["plan", "--benchmark", "hi-tom", "--orders", "identity", "--model"]);
    plan.arg(model).arg("--data").arg(&out).env("TOMEVAL_PROGRESS_SECONDS", "0.001");
    plan.run()
        .success()
        .with_stderr(contains("reading items: ").and(contains("tokenizing: ")).and(contains("trials (")));
}

#[test]
fn short_work_says_nothing_of_its_progress() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    plan(&context, &model, &["--limit-stories", "2"]).run().success().with_stderr(is_empty());
    let cut = plan(&context, &model, &["--limit", "2"]).run().success();
    cut.with_stderr(contains("--limit 2 keeps only one of several questions in 2 of 2 stories"));
}

#[test]
fn items_are_chosen_by_facet_and_id() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let listed = context.run(&["data", "items", "--benchmark", "demo", "--language", "en"]);
    let items: Vec<Value> = listed.json_lines();
    let id = |at: usize| items[at]["id"].as_str().unwrap();
    let task = items[0]["facets"]["task"].as_str().unwrap();
    let of_task = items.iter().filter(|item| item["facets"]["task"] == task).count();
    assert!(of_task > 0 && of_task < items.len());
    let count = |more: &[&str]| planned(&context, &model, more)["items"].as_u64().unwrap() as usize;
    assert_eq!(count(&["--where", &format!("task={task}")]), of_task);
    assert_eq!(count(&["--where", &format!("task!={task}")]), items.len() - of_task);
    assert_eq!(count(&["--item", id(0), "--item", id(1)]), 2);
    assert_eq!(count(&["--where", &format!("task={task}"), "--limit", "1"]), 1);

    let wrong_task = format!("task={task}x");
    for (more, rendered) in [
        (["--where", &wrong_task], format!("did you mean `{task}`?")),
        (["--where", "tasks=1"], "did you mean `task`?".to_string()),
        (["--where", "task"], "write FACET=VALUE".to_string()),
        (["--item", &format!("{}x", id(0))], format!("did you mean `{}`?", id(0))),
    ] {
        plan(&context, &model, &more).run().code(2).with_stderr(contains(rendered));
    }

    // The choice is part of the manifest, and the report says so.
    let out = context.path("run");
    let rule = format!("task={task}");
    let mut run =
        context.command(&["run", "--benchmark", "demo", "--where", &rule, "--item", id(0), "--orders", "identity"]);
    run.arg("--model").arg(&model).arg("--out").arg(&out).run().success().with_stdout(contains(rule.as_str()));
    let manifest = manifest(&out);
    assert_eq!(manifest["settings"]["where"], serde_json::json!([rule]));
    assert_eq!(manifest["settings"]["items"], serde_json::json!([id(0)]));
    context.command(&["report"]).arg(&out).run().success().with_stdout(contains(rule.as_str()));
}

#[test]
fn the_made_stories_are_left_out_where_none_of_them_is_chosen() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let listed = context.run(&["data", "items", "--benchmark", "demo", "--language", "en"]);
    let first: Value = serde_json::from_str(listed.stdout.lines().next().unwrap()).unwrap();
    let mut plan = context.command(&["plan", "--json", "--item", first["id"].as_str().unwrap(), "--model"]);
    let report = plan.arg(model).run().json();
    assert_eq!((&report["benchmarks"], &report["items"]), (&serde_json::json!(["demo"]), &serde_json::json!(1)));
}

const QUESTIONS: &str = "id,story,question,option_a,option_b,answer\n\
                         q1,Ann hides the tea.,Where does Bo look?,shelf,box,A\n\
                         q2,Ann hides the tea.,Where is it?,shelf,box,B\n";

#[test]
fn standard_input_is_taken_where_a_file_is() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let file = context.write("mine.csv", QUESTIONS);

    let made = |data: &str, name: &str| -> Value {
        let out = context.path(name);
        let mut run =
            context.command(&["run", "--benchmark", "custom", "--orders", "identity", "--data", data, "--model"]);
        run.arg(&model).arg("--out").arg(&out).run_with_input(QUESTIONS).success();
        manifest(&out)
    };
    let (piped, read) = (made("-", "piped"), made(file.to_str().unwrap(), "read"));
    assert_eq!(piped["data"], read["data"]);
    assert_eq!(piped["data"]["custom"]["items"], 2);

    let ids = ["custom/q1/en", "q1"].map(|id| format!("{{\"id\": \"{id}\", \"choice\": 0}}\n"));
    let scored = ids.iter().map(|answers| {
        let mut score = context.command(&["score", "--benchmark", "custom", "--answers", "-", "--data"]);
        score.arg(&file).run_with_input(answers)
    });
    let scored: Vec<_> = scored.collect();
    assert!(scored.iter().any(|output| output.status.success()), "{scored:?}");
    assert!(scored.iter().all(|output| !output.stderr.contains("-: ")), "{scored:?}");

    let rows = "{\"id\": 1, \"prompt\": \"in the\", \"continuations\": [\" A\", \" B\"]}\nnot a row\n";
    let mut logprob = context.command(&["logprob", "--input", "-", "--model"]);
    let scored = logprob.arg(&model).run_with_input(rows).code(1).with_stderr(contains("standard input, line 2"));
    assert_eq!(scored.stdout.lines().count(), 1);
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let context = TestContext::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = context.run(&["completions", shell]).success().stdout;
        assert!(text.contains("tomeval") && text.contains("batch-tokens"), "{shell}: {text}");
    }
    let pages = context.path("man/man1");
    context.command(&["completions", "--man"]).arg(&pages).run().done();
    let page = std::fs::read_to_string(pages.join("tomeval-data-check.1")).unwrap();
    assert!(page.starts_with(".") && page.contains("published numbers"), "{page}");
    context.run(&["completions"]).code(2);
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
    let context = TestContext::new();
    let mut run =
        context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "2", "--orders", "random:2", "--out"]);
    let text = run.arg(context.path("run")).run().success().stderr;
    let line = text.lines().find(|line| line.starts_with("Memory ")).unwrap_or_else(|| panic!("{text}"));
    let (taken, announced) = line["Memory ".len()..].split_once(" at the peak; the plan predicted ").unwrap();
    let (taken, announced) = (bytes(taken), bytes(announced.trim_end_matches('.')));
    assert!((0.9..1.1).contains(&(announced / taken)), "{line}");
}

#[cfg(unix)]
#[test]
fn a_hangup_that_is_ignored_ends_nothing() {
    let context = TestContext::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" extract --input -", env!("CARGO_BIN_EXE_tomeval")]);
    shell.current_dir(context.folder()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = shell.spawn().unwrap();
    // Once it waits for its input, signals are caught or not.
    std::thread::sleep(Duration::from_millis(500));
    Command::new("kill").args(["-HUP", &running.id().to_string()]).status().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    drop(running.stdin.take());
    assert_eq!(running.wait().unwrap().code(), Some(0));
}
