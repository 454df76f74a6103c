//! `tomeval run`, `plan`, `report` and `merge` on the demo inventory with the demo model: what is stopped, cut, torn or
//! split comes out the same, byte for byte.
//!
//! The demo model is needed (`tomeval models pull smollm2-135m-instruct`); without it these tests say that they are
//! skipped, and fail where TOMEVAL_REQUIRE_MODEL is set.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use tomeval::internal::{RecordedRun, RunFolder};
use tomeval::read_run;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::manifest;
use crate::support::model_is_here;
use crate::support::tiny_models::tiny_model;

/// A run of some batches, so that there is a middle to stop in.
const RUN: [&str; 12] = [
    "run",
    "--offline",
    "--benchmark",
    "demo",
    "--limit",
    "10",
    "--orders",
    "random:2",
    "--pass-tokens",
    "64",
    "--batch-tokens",
    "128",
];

fn run(context: &TestContext, out: &Path, more: &[&str]) -> Command {
    let mut command = context.command(&RUN);
    command.args(more).arg("--out").arg(out);
    command
}

fn files(out: &Path) -> [Vec<u8>; 2] {
    ["trials.jsonl", "results.json"].map(|name| fs::read(out.join(name)).unwrap())
}

#[test]
fn a_run_that_is_cut_anywhere_ends_as_an_unbroken_one() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let whole = context.path("whole");
    let spent = contains("tokens instead of").and(contains("attention")).and(contains("Memory"));
    run(&context, &whole, &[]).run().success().with_stdout(contains("Accuracy by task")).with_stderr(spent);
    let expected = files(&whole);
    let text = String::from_utf8(expected[0].clone()).unwrap();
    assert_eq!(text.lines().count(), manifest(&whole)["trials"].as_u64().unwrap() as usize);
    assert!(
        manifest(&whole)["model"]["plan"]["batches"].as_array().unwrap().len() >= 3,
        "the run must have several batches"
    );

    // Torn in the middle of a line, as by a full disk or a kill: whole batches stay, the rest is done again.
    let torn = context.path("torn");
    for cut in [text.len() / 2, text.len() - 5, 1] {
        fs::create_dir_all(&torn).unwrap();
        fs::copy(whole.join("manifest.json"), torn.join("manifest.json")).unwrap();
        fs::write(torn.join("trials.jsonl"), &text.as_bytes()[..cut]).unwrap();
        run(&context, &torn, &[]).run().success();
        assert_eq!(files(&torn), expected, "cut at {cut}");
    }

    // Killed for real.
    let killed = context.path("killed");
    let mut child = run(&context, &killed, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let lines = || fs::read_to_string(killed.join("trials.jsonl")).map_or(0, |text| text.lines().count());
    while lines() == 0 && started.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines() > 0 && lines() < text.lines().count(), "killed in the middle, at {} lines", lines());
    run(&context, &killed, &[]).run().success();
    assert_eq!(files(&killed), expected);

    // A finished run is not done again, and its tables can be printed at any time.
    run(&context, &whole, &[])
        .run()
        .success()
        .with_stderr(contains("already complete").and(contains("tokens instead of").not()));
    assert_eq!(files(&whole), expected);
    assert_eq!(fs::read_to_string(whole.join("timings.jsonl")).unwrap().lines().count(), 1);
    context.command(&["report", "--format", "markdown"]).arg(&whole).run().success().with_stdout(contains("| "));
}

#[test]
fn shards_join_to_the_unbroken_run() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let whole = context.path("whole");
    run(&context, &whole, &[]).run().success();
    let shards = ["1/2", "2/2"].map(|shard| {
        let out = context.path(shard.replace('/', "-of-"));
        run(&context, &out, &["--shard", shard]).run().success();
        out
    });
    let joined = context.path("joined");
    context.command(&["merge"]).arg("--out").arg(&joined).args(&shards).run().success();
    assert_eq!(fs::read(joined.join("trials.jsonl")).unwrap(), files(&whole)[0]);

    let half = context.path("half");
    context
        .command(&["merge"])
        .arg("--out")
        .arg(&half)
        .arg(&shards[0])
        .run()
        .code(2)
        .with_stderr(contains("missing from the folders"));
    context
        .command(&["merge"])
        .arg("--out")
        .arg(&half)
        .args([&shards[0], &shards[0], &shards[1]])
        .run()
        .code(2)
        .with_stderr(contains("name each shard once"));
}

#[test]
fn sharing_changes_no_choice() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let out = context.path("run");
    let arguments = ["--scoring", "hybrid", "--limit", "2", "--verify-batching", "6"];
    let output =
        context.command(&["run", "--offline", "--orders", "random:2"]).args(arguments).arg("--out").arg(&out).run();
    let text = output.stderr;
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.starts_with("Scored again")).expect("a line on the verification");
    let largest: f64 = line.split("largest difference ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(largest < 1e-4, "{line}");
    assert!(line.contains("choices that change: 0;"), "{line}");
    let record = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    assert!(record.contains("\"unconditional\":[{"), "texts are scored after a neutral context, too");
}

#[test]
fn the_first_run_of_a_newcomer_stays_within_18000_tokens() {
    let context = TestContext::new();
    if !model_is_here() {
        return;
    }
    let plan = context.run(&["plan", "--offline", "--json"]).success().json();
    let forwarded = plan["counts"]["forwarded"].as_u64().unwrap();
    assert!(forwarded <= 18_000, "{forwarded} tokens");
    assert!(plan["items"].as_u64().unwrap() >= 62);
    let distinct = plan["counts"]["distinct"].as_u64().unwrap();
    assert!(forwarded as f64 <= 1.03 * distinct as f64, "{forwarded} forwarded of {distinct} distinct");
}

#[test]
fn another_plan_is_refused_and_nothing_is_lost() {
    if !model_is_here() {
        return;
    }
    let context = TestContext::new();
    let out = context.path("run");
    let small = ["run", "--offline", "--limit", "2", "--orders", "identity"];
    context.command(&small).arg("--out").arg(&out).run().success();
    let before = files(&out);
    context
        .command(&["run", "--offline", "--limit", "3", "--orders", "identity"])
        .arg("--out")
        .arg(&out)
        .run()
        .code(2)
        .with_stderr(contains("holds another run: begun with --limit 2, now with --limit 3; choose another --out"));
    assert_eq!(files(&out), before);

    let foreign = context.path("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.tex"), "\\section{1}").unwrap();
    context.command(&small).arg("--out").arg(&foreign).run().code(2).with_stderr(contains("not a run folder"));

    let file = context.write("file", "");
    context.command(&small).arg("--out").arg(&file).run().code(2).with_stderr(contains("file"));
}

#[test]
fn a_run_of_format_1_is_reported_and_not_continued() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run-format-1");
    let tables = contains("| en | smollm2-135m-instruct (letters) | - |").and(contains("f32 on cpu"));
    TestContext::new().command(&["report", "--format", "markdown"]).arg(&folder).run().success().with_stdout(tables);
    let RecordedRun { manifest, records, .. } = read_run(&folder).unwrap();
    let plan = &manifest.model.local().unwrap().plan;
    assert_eq!(plan.batches.iter().map(|batch| batch.trials.len()).sum::<usize>(), records.len());
    let refused = RunFolder::continued(&folder).unwrap_err().to_string();
    assert!(refused.contains("begun by tomeval 0.1.0 (format 1)") && refused.contains("--out"), "{refused}");
}

#[test]
fn a_part_of_a_run_is_never_shown_as_the_whole() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run-format-1");
    let records = fs::read_to_string(source.join("trials.jsonl")).unwrap();
    let first: String = records.split_inclusive('\n').take(1).collect();
    let context = TestContext::new();
    fs::copy(source.join("manifest.json"), context.path("manifest.json")).unwrap();
    for (kept, mark) in [(Some(first), "UNFINISHED 1 of 4"), (None, "UNFINISHED 0 of 4")] {
        let trials = context.path("trials.jsonl");
        match &kept {
            Some(records) => fs::write(&trials, records).unwrap(),
            None => fs::remove_file(&trials).unwrap(),
        }
        for format in ["terminal", "markdown", "csv", "latex"] {
            context
                .command(&["report", "--format", format])
                .arg(context.folder())
                .run()
                .code(1)
                .with_stdout(contains(mark));
        }
        let json = context.command(&["report", "--json"]).arg(context.folder()).run().code(1).json();
        let done = usize::from(kept.is_some());
        assert_eq!(json["unfinished"], serde_json::json!({ "done": done, "planned": 4 }));
        let json = context.command(&["report", "--json"]).args([&source, context.folder()]).run().code(1).json();
        assert_eq!(json["unfinished"]["planned"], 4, "a finished run beside it is no part of the count");
    }
    assert!(context.command(&["report"]).arg(&source).json()["unfinished"].is_null());
}

#[test]
fn exit_codes_stand_in_the_help() {
    for command in [&["--help"][..], &["run", "--help"], &["report", "--help"]] {
        TestContext::new().run(command).success().with_stdout(contains("3  stopped before the end"));
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_run_says_so_by_its_exit_code_and_goes_on() {
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("run"));
    let run = |out: &Path| {
        let mut command =
            context.command(&["run", "--offline", "--benchmark", "demo", "--limit", "16", "--orders", "random:12"]);
        command.args(["--pass-tokens", "32", "--batch-tokens", "32", "--model"]).arg(&model).arg("--out").arg(out);
        command
    };
    for (signal, records_before) in [("INT", 0), ("TERM", 1)] {
        let lines = || fs::read_to_string(out.join("trials.jsonl")).map_or(0, |text| text.lines().count());
        let mut child = run(&out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        let before = lines();
        while lines() <= before.max(records_before) && started.elapsed() < Duration::from_secs(300) {
            assert_eq!(child.try_wait().unwrap(), None, "{signal}: it ended before it could be stopped");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
        );
        Output::from(child.wait_with_output().unwrap()).code(3);
        let mark = format!("UNFINISHED {} of {} trials", lines(), manifest(&out)["trials"]);
        context.command(&["report"]).arg(&out).run().code(1).with_stdout(contains(mark));
    }
    run(&out).run().success();
    context.command(&["report"]).arg(&out).run().success().with_stdout(contains("UNFINISHED").not());
}

#[test]
fn bad_arguments_say_how_to_mend_them() {
    let cases: [(&[&str], &str); 12] = [
        (&["run", "--benchmark", "tombanch"], "did you mean `tombench`"),
        (&["run", "--model", "smolm2-135m-instruct"], "smollm2-135m-instruct"),
        (&["run", "--model", "no/such/folder.gguf", "--offline"], "no/such/folder.gguf"),
        (&["run", "--benchmark", "tombench"], "--data"),
        (&["run", "--orders", "shuffle"], "random:K"),
        (&["run", "--scoring", "letter,text,letter"], "--scoring names letter twice"),
        (&["run", "--after-reasoning"], "a style that reasons first"),
        (&["run", "--samples", "3"], "add --scoring generate"),
        (&["run", "--shard", "3/2"], "I/N"),
        (&["run", "--benchmark", "demo", "--choose", "split=val"], "unknown choice `split`: demo has none"),
        (&["run", "--benchmark", "tombench", "--choose", "x=y", "--data", "."], "tombench has none"),
        (&["report", "no-such-run"], "no-such-run"),
    ];
    for (arguments, hint) in cases {
        TestContext::new().run(arguments).code(2).with_stderr(contains(hint));
    }
}
