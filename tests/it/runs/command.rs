//! `tomeval run`, `plan`, `report` and `merge` on the demo inventory with the demo model: what is stopped, cut, torn or
//! split comes out the same, byte for byte.
//!
//! The demo model is needed (`tomeval models pull smollm2-135m-instruct`); without it these tests say that they are
//! skipped, and fail where TOMEVAL_REQUIRE_MODEL is set.

use crate::support::model_is_here;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use tomeval::internal::{RecordedRun, RunFolder};
use tomeval::read_run;

fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(arguments).env_remove("TOMEVAL_DATA");
    command
}

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

fn run(out: &Path, more: &[&str]) -> Command {
    let mut command = tomeval(&RUN);
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
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let spent = contains("tokens instead of").and(contains("attention")).and(contains("Memory"));
    run(&whole, &[]).assert().success().stdout(contains("Accuracy by task")).stderr(spent);
    let expected = files(&whole);
    let text = String::from_utf8(expected[0].clone()).unwrap();
    assert_eq!(text.lines().count(), manifest(&whole)["trials"].as_u64().unwrap() as usize);
    assert!(
        manifest(&whole)["model"]["plan"]["batches"].as_array().unwrap().len() >= 3,
        "the run must have several batches"
    );

    // Torn in the middle of a line, as by a full disk or a kill: whole batches stay, the rest is done again.
    let torn = folder.path().join("torn");
    for cut in [text.len() / 2, text.len() - 5, 1] {
        fs::create_dir_all(&torn).unwrap();
        fs::copy(whole.join("manifest.json"), torn.join("manifest.json")).unwrap();
        fs::write(torn.join("trials.jsonl"), &text.as_bytes()[..cut]).unwrap();
        run(&torn, &[]).assert().success();
        assert_eq!(files(&torn), expected, "cut at {cut}");
    }

    // Killed for real.
    let killed = folder.path().join("killed");
    let mut child = run(&killed, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let lines = || fs::read_to_string(killed.join("trials.jsonl")).map_or(0, |text| text.lines().count());
    while lines() == 0 && started.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines() > 0 && lines() < text.lines().count(), "killed in the middle, at {} lines", lines());
    run(&killed, &[]).assert().success();
    assert_eq!(files(&killed), expected);

    // A finished run is not done again, and its tables can be printed at any time.
    run(&whole, &[]).assert().success().stderr(contains("already complete").and(contains("tokens instead of").not()));
    assert_eq!(files(&whole), expected);
    assert_eq!(fs::read_to_string(whole.join("timings.jsonl")).unwrap().lines().count(), 1);
    tomeval(&["report", "--format", "markdown"]).arg(&whole).assert().success().stdout(contains("| "));
}

#[test]
fn shards_join_to_the_unbroken_run() {
    if !model_is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    run(&whole, &[]).assert().success();
    let shards = ["1/2", "2/2"].map(|shard| {
        let out = folder.path().join(shard.replace('/', "-of-"));
        run(&out, &["--shard", shard]).assert().success();
        out
    });
    let joined = folder.path().join("joined");
    tomeval(&["merge"]).arg("--out").arg(&joined).args(&shards).assert().success();
    assert_eq!(fs::read(joined.join("trials.jsonl")).unwrap(), files(&whole)[0]);

    let half = folder.path().join("half");
    tomeval(&["merge"])
        .arg("--out")
        .arg(&half)
        .arg(&shards[0])
        .assert()
        .code(2)
        .stderr(contains("in none of the folders"));
    tomeval(&["merge"])
        .arg("--out")
        .arg(&half)
        .args([&shards[0], &shards[0], &shards[1]])
        .assert()
        .code(2)
        .stderr(contains("name each shard once"));
}

#[test]
fn sharing_changes_no_choice() {
    if !model_is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--scoring", "hybrid", "--limit", "2", "--verify-batching", "6"];
    let output =
        tomeval(&["run", "--offline", "--orders", "random:2"]).args(arguments).arg("--out").arg(&out).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.starts_with("Scored again")).expect("a line on the verification");
    let largest: f64 = line.split("largest difference ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(largest < 1e-4, "{line}");
    assert!(line.contains(" 0 choices change"), "{line}");
    let record = fs::read_to_string(out.join("trials.jsonl")).unwrap();
    assert!(record.contains("\"unconditional\":[{"), "texts are scored after a neutral context, too");
}

#[test]
fn the_first_run_of_a_newcomer_stays_within_18000_tokens() {
    if !model_is_here() {
        return;
    }
    let output = tomeval(&["plan", "--offline", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let small = ["run", "--offline", "--limit", "2", "--orders", "identity"];
    tomeval(&small).arg("--out").arg(&out).assert().success();
    let before = files(&out);
    tomeval(&["run", "--offline", "--limit", "3", "--orders", "identity"])
        .arg("--out")
        .arg(&out)
        .assert()
        .code(2)
        .stderr(contains("belongs to another run").and(contains("settings.limit")));
    assert_eq!(files(&out), before);

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.tex"), "\\section{1}").unwrap();
    tomeval(&small).arg("--out").arg(&foreign).assert().code(2).stderr(contains("it is no run folder"));

    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    tomeval(&small).arg("--out").arg(&file).assert().code(2).stderr(contains("file"));
}

#[test]
fn a_run_of_format_1_is_reported_and_not_continued() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run-format-1");
    let tables = contains("| en | smollm2-135m-instruct (letters) | - |").and(contains("f32 on cpu"));
    tomeval(&["report", "--format", "markdown"]).arg(&folder).assert().success().stdout(tables);
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
    let folder = tempfile::tempdir().unwrap();
    fs::copy(source.join("manifest.json"), folder.path().join("manifest.json")).unwrap();
    for (kept, mark) in [(Some(first), "UNFINISHED 1 of 4"), (None, "UNFINISHED 0 of 4")] {
        let trials = folder.path().join("trials.jsonl");
        match &kept {
            Some(records) => fs::write(&trials, records).unwrap(),
            None => fs::remove_file(&trials).unwrap(),
        }
        for format in ["terminal", "markdown", "csv", "latex"] {
            tomeval(&["report", "--format", format]).arg(folder.path()).assert().code(1).stdout(contains(mark));
        }
        let output = tomeval(&["report", "--json"]).arg(folder.path()).assert().code(1).get_output().stdout.clone();
        let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
        let done = usize::from(kept.is_some());
        assert_eq!(json["unfinished"], serde_json::json!({ "done": done, "planned": 4 }));
        let both = tomeval(&["report", "--json"]).args([&source, folder.path()]).assert().code(1).get_output().clone();
        let json: serde_json::Value = serde_json::from_slice(&both.stdout).unwrap();
        assert_eq!(json["unfinished"]["planned"], 4, "a finished run beside it is no part of the count");
    }
    let output = tomeval(&["report", "--json"]).arg(&source).assert().success().get_output().stdout.clone();
    assert!(serde_json::from_slice::<serde_json::Value>(&output).unwrap()["unfinished"].is_null());
}

#[test]
fn exit_codes_stand_in_the_help() {
    for command in [&["--help"][..], &["run", "--help"], &["report", "--help"]] {
        tomeval(command).assert().success().stdout(contains("3  stopped before the end"));
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_run_says_so_by_its_exit_code_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (model, out) = (crate::attend::command::model(&folder), folder.path().join("run"));
    let run = |out: &Path| {
        let mut command =
            tomeval(&["run", "--offline", "--benchmark", "demo", "--limit", "16", "--orders", "random:12"]);
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
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(3), "{signal}: {}", String::from_utf8_lossy(&ended.stderr));
        let mark = format!("UNFINISHED {} of {} trials", lines(), manifest(&out)["trials"]);
        tomeval(&["report"]).arg(&out).assert().code(1).stdout(contains(mark));
    }
    run(&out).assert().success();
    tomeval(&["report"]).arg(&out).assert().success().stdout(contains("UNFINISHED").not());
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
        (&["run", "--benchmark", "demo", "--choose", "split=val"], "unknown choice `split`: demo knows none"),
        (&["run", "--benchmark", "tombench", "--choose", "x=y", "--data", "."], "tombench knows none"),
        (&["report", "no-such-run"], "no-such-run"),
    ];
    for (arguments, hint) in cases {
        tomeval(arguments).assert().code(2).stderr(contains(hint));
    }
}

fn manifest(out: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap()
}
