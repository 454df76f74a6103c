//! Runs in which answers are written: several ways of asking at once, and what is left after a kill. A small model with
//! random weights writes; what it writes has no sense, and every byte of it counts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::CommandCargoExt;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

fn tomeval(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tomeval").unwrap();
    command.args(arguments).env_remove("TOMEVAL_DATA");
    command
}

fn run(model: &Path, out: &Path, more: &str) -> Command {
    let mut command = tomeval(&["run", "--offline", "--benchmark", "demo", "--language", "en"]);
    command.args(more.split(' ')).arg("--model").arg(model).arg("--out").arg(out);
    command
}

fn records(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("trials.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const WAYS: &str = "--limit 3 --orders random:2 --scoring letter,generate --style vanilla,cot --max-new-tokens 8";

#[test]
fn several_ways_of_asking_are_run_and_compared() {
    let folder = TempDir::new().unwrap();
    let (model, out) = (crate::attend::command::model(&folder), folder.path().join("out"));
    let left_out = contains("letter scoring leaves out the style cot");
    let compared = contains("Written answers beside choices by log-likelihood").and(contains("letters, vanilla"));
    run(&model, &out, &format!("{WAYS} --tables")).assert().success().stderr(left_out).stdout(compared);
    assert!(out.join("report.html").is_file(), "all ways of asking stand on one page");

    let after = format!("{WAYS} --after-reasoning");
    let reused = contains("generate-cot is already complete").and(contains("4 of 4: letter-cot-after-reasoning"));
    run(&model, &out, &after).assert().success().stderr(reused);
    let (written, scored) = (records(&out.join("generate-cot")), records(&out.join("letter-cot-after-reasoning")));
    assert_eq!(written.len(), scored.len());
    for scored in &scored {
        let same = |record: &&Value| record["id"] == scored["id"] && record["order"] == scored["order"];
        let reply = written.iter().find(same).unwrap()["asks"][0]["reply"]["text"].as_str().unwrap().to_string();
        let prefix = scored["asks"][0]["answer_prefix"].as_str().unwrap();
        let reasoning = prefix.strip_suffix("[[").unwrap().trim_end();
        assert!(reply.trim_end().starts_with(reasoning), "{reasoning:?} begins {reply:?}");
        assert_eq!(scored["asks"][0]["shown"], written.iter().find(same).unwrap()["asks"][0]["shown"]);
    }
    let manifest = fs::read_to_string(out.join("letter-cot-after-reasoning/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["settings"]["after_reasoning"]["written"], "greedy, at most 8 tokens");

    // The folder of them all stands for each.
    let output = tomeval(&["report", "--json"]).arg(&out).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    let rows = report["results"][0]["tables"][0]["rows"].as_array().unwrap();
    let answers: Vec<&str> = rows.iter().map(|row| row["answers"].as_str().unwrap()).collect();
    assert_eq!(answers, ["written, greedy", "written, greedy", "letters after reasoning", "letters"]);
    let pairs = report["results"][0]["agreement"].as_array().unwrap();
    assert_eq!(pairs.len(), 4, "each way of scoring beside each way of writing");
    for pair in pairs {
        let parts = ["without_answer", "both_right", "only_scored_right", "only_written_right", "neither_right"];
        let sum: u64 = parts.iter().map(|part| pair[part].as_u64().unwrap()).sum();
        assert_eq!((sum, pair["items"].as_u64()), (3, Some(3)), "{pair}");
    }
}

#[test]
fn letters_right_after_a_prompt_that_asks_for_reasoning_are_refused() {
    let folder = TempDir::new().unwrap();
    let (model, out) = (crate::attend::command::model(&folder), folder.path().join("out"));
    let refused = contains("--scoring generate, or --after-reasoning");
    run(&model, &out, "--limit 1 --style cot").assert().code(2).stderr(refused);
    let shards = contains("--after-reasoning needs all reasoning at once");
    run(&model, &out, "--limit 1 --style cot --after-reasoning --shard 1/2").assert().code(2).stderr(shards);
}

#[cfg(unix)]
#[test]
fn replies_that_were_recorded_outlast_a_kill_and_the_end_is_the_same() {
    let folder = TempDir::new().unwrap();
    let model = crate::attend::command::model(&folder);
    let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
    let settings = "--limit 16 --orders random:6 --scoring generate --max-new-tokens 160 --temperature 1 --samples 2";
    run(&model, &whole, settings).assert().success();
    let expected = fs::read(whole.join("trials.jsonl")).unwrap();
    let all = records(&whole).len();

    let lines = || fs::read_to_string(killed.join("trials.jsonl")).map_or(0, |text| text.lines().count());
    for share in [1, 2] {
        let few = format!("{settings} --replies-at-once 7");
        let mut child = run(&model, &killed, &few).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (started, before) = (Instant::now(), lines());
        while lines() <= before.max(share * all / 8) && started.elapsed() < Duration::from_secs(300) {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be killed");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mark = format!("of {all} trials");
        tomeval(&["report"]).arg(&killed).assert().code(1).stdout(contains("UNFINISHED").and(contains(mark)));
    }
    let kept = lines();
    assert!(kept > all / 8 && kept < all, "{kept} of {all}");
    run(&model, &killed, settings).assert().success();
    assert!(fs::read(killed.join("trials.jsonl")).unwrap() == expected, "the bytes of an unbroken run");
    tomeval(&["report"]).arg(&killed).assert().success().stdout(contains("UNFINISHED").not());
}
