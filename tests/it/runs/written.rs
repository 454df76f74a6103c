//! Runs in which answers are written: several ways of asking at once, and what is left after a kill. A small model with
//! random weights writes; what it writes has no sense, and every byte of it counts.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, records};
use crate::support::tiny_models::tiny_model;

fn run(context: &TestContext, model: &Path, out: &Path, more: &str) -> Command {
    let mut command = context.command(&["run", "--offline", "--benchmark", "demo", "--language", "en"]);
    command.args(more.split(' ')).arg("--model").arg(model).arg("--out").arg(out);
    command
}

const WAYS: &str = "--limit 3 --orders random:2 --scoring letter,generate --style vanilla,cot --max-new-tokens 8";

#[test]
fn several_ways_of_asking_are_run_and_compared() {
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("out"));
    let left_out = contains("letter scoring skips the style cot");
    let compared = contains("Written answers and log-likelihood choices").and(contains("letters, vanilla"));
    run(&context, &model, &out, &format!("{WAYS} --tables"))
        .run()
        .success()
        .with_stderr(left_out)
        .with_stdout(compared);
    assert!(out.join("report.html").is_file(), "all ways of asking stand on one page");

    let after = format!("{WAYS} --after-reasoning");
    let reused = contains("generate-cot is already complete").and(contains("4 of 4: letter-cot-after-reasoning"));
    run(&context, &model, &out, &after).run().success().with_stderr(reused);
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
    let manifest = manifest(&out.join("letter-cot-after-reasoning"));
    assert_eq!(manifest["settings"]["after_reasoning"]["written"], "greedy, at most 8 tokens");

    // The folder of them all stands for each.
    let report = context.command(&["report"]).arg(&out).json();
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
    let context = TestContext::new();
    let (model, out) = (tiny_model(context.folder()), context.path("out"));
    let refused = contains("--scoring generate, or --after-reasoning");
    run(&context, &model, &out, "--limit 1 --style cot").run().code(2).with_stderr(refused);
    let shards = contains("--after-reasoning needs all reasoning at once");
    run(&context, &model, &out, "--limit 1 --style cot --after-reasoning --shard 1/2")
        .run()
        .code(2)
        .with_stderr(shards);
}

#[cfg(unix)]
#[test]
fn replies_that_were_recorded_outlast_a_kill_and_the_end_is_the_same() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let [whole, killed] = ["whole", "killed"].map(|name| context.path(name));
    let settings = "--limit 16 --orders random:6 --scoring generate --max-new-tokens 160 --temperature 1 --samples 2";
    run(&context, &model, &whole, settings).run().success();
    let expected = fs::read(whole.join("trials.jsonl")).unwrap();
    let all = records(&whole).len();

    let lines = || fs::read_to_string(killed.join("trials.jsonl")).map_or(0, |text| text.lines().count());
    let killed_at = |records: usize| {
        let few = format!("{settings} --replies-at-once 7");
        let mut child =
            run(&context, &model, &killed, &few).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        while lines() <= records && started.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none()
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap().code().is_none()
    };
    // Where this test is kept from looking for seconds, a run may be over: then it is begun anew.
    let twice = || {
        let _ = fs::remove_dir_all(&killed);
        [1, 2].into_iter().all(|share| killed_at(lines().max(share * all / 8)) && lines() < all)
    };
    assert!((0..5).any(|_| twice()), "it always ended before it could be killed");
    let mark = format!("of {all} trials");
    context.command(&["report"]).arg(&killed).run().code(1).with_stdout(contains("UNFINISHED").and(contains(mark)));
    let kept = lines();
    assert!(kept > all / 8 && kept < all, "{kept} of {all}");
    run(&context, &model, &killed, settings).run().success();
    assert!(fs::read(killed.join("trials.jsonl")).unwrap() == expected, "the bytes of an unbroken run");
    context.command(&["report"]).arg(&killed).run().success().with_stdout(contains("UNFINISHED").not());
}
