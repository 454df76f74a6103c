//! Several workers on one run, and the scripts that have a cluster do the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::manifest;
use crate::support::tiny_models::tiny_model;

fn run(context: &TestContext, model: &Path, arguments: &[&str], out: &Path) -> Command {
    let mut command = context.command(&["run", "--offline", "--device", "cpu", "--threads", "1"]);
    command.args(["--batch-tokens", "1", "--benchmark", "demo", "--language", "en"]);
    command.arg("--model").arg(model).arg("--out").arg(out).args(arguments);
    command
}

fn rendered(command: &mut Command) -> String {
    command.run().success().stderr
}

fn same(one: &Path, other: &Path) {
    for file in ["trials.jsonl", "results.json"] {
        assert_eq!(fs::read(one.join(file)).unwrap(), fs::read(other.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn workers_share_a_run_and_end_in_its_bytes() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let (several, alone) = (context.path("several"), context.path("alone"));
    let asked = ["--limit", "6", "--orders", "random:2"];
    let with =
        |workers: &[&str], out: &Path| rendered(&mut run(&context, &model, &[&asked[..], workers].concat(), out));
    let said = with(&["--workers", "2"], &several);
    assert!(said.contains("2 workers on cpu, cpu") && said.contains("Joined 2 parts"), "{said}");
    with(&[], &alone);
    same(&several, &alone);
    let manifest = manifest(&several);
    assert_eq!((&manifest["shard"], manifest.get("mixed")), (&Value::Null, None));
    // A finished run is not begun anew.
    let said = with(&["--workers", "2"], &several);
    assert!(said.contains("already complete") && !said.contains("Joined"), "{said}");
    // Ways of asking have a folder each, as by one process.
    let (several, alone) = (context.path("ways"), context.path("ways-alone"));
    let ways = ["--limit", "4", "--orders", "identity", "--scoring", "letter,text"];
    rendered(&mut run(&context, &model, &[&ways[..], &["--workers", "2"]].concat(), &several));
    rendered(&mut run(&context, &model, &ways, &alone));
    for way in ["letter-vanilla", "text-vanilla"] {
        same(&several.join(way), &alone.join(way));
    }
}

#[test]
fn what_workers_cannot_share_is_refused() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let out = context.path("run");
    let refused = |arguments: &[&str], words: &str| {
        let output = run(&context, &model, arguments, &out).run();
        let rendered = output.stderr;
        assert!(output.status.code() == Some(2) && rendered.contains(words), "{arguments:?}: {rendered}");
    };
    refused(&["--workers", "2", "--shard", "1/2"], "--shard and several workers cannot be combined; leave out one");
    refused(&["--workers", "2", "--verify-batching", "3"], "--verify-batching");
    // What no worker can do is not begun twice, and told as it tells it.
    let absent = context.path("absent");
    let output = run(&context, &absent, &["--workers", "2"], &out).run();
    let rendered = output.stderr;
    assert!(
        output.status.code() == Some(2) && rendered.contains("could not run") && rendered.contains("absent"),
        "{rendered}"
    );
    let log = fs::read_to_string(context.path("run.workers/1-of-2.log")).unwrap();
    assert!(!log.contains("once more") && log.matches("tomeval: ").count() == 1, "{log}");
    let output = run(&context, &model, &["--workers", "2", "--data", "-"], &out).run();
    assert!(output.stderr.contains("cannot all read standard input"));
    let output = context.run(&["run", "--offline", "--workers", "2"]);
    assert!(output.stderr.contains("pass --out DIR"));
}

/// The worker with a number, among the processes of this machine.
#[cfg(target_os = "linux")]
fn worker(part: &str, out: &Path) -> Option<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    numbers.find(|pid| {
        let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.contains(&format!("--worker={part},")) && words.contains(&*out.to_string_lossy())
    })
}

/// Whether a worker has recorded something.
#[cfg(target_os = "linux")]
fn has_begun(records: &Path) -> bool {
    fs::metadata(records).is_ok_and(|data| data.len() > 0)
}

/// What is there at last, within a minute from `begun`.
#[cfg(target_os = "linux")]
fn until<T>(begun: Instant, what: &str, found: impl Fn() -> Option<T>) -> T {
    loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_is_started_once_more() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let (out, alone) = (context.path("killed"), context.path("alone"));
    let asked = ["--limit", "20", "--orders", "random:8"];
    let mut command = run(&context, &model, &[&asked[..], &["--workers", "2"]].concat(), &out);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let running = command.spawn().unwrap();
    let records = context.path("killed.workers/1-of-2/trials.jsonl");
    let pid = until(Instant::now(), "no worker began", || worker("1/2", &out).filter(|_| has_begun(&records)));
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    Output::from(running.wait_with_output().unwrap()).success();
    let log = fs::read_to_string(context.path("killed.workers/1-of-2.log")).unwrap();
    assert!(log.contains("restarting it"), "{log}");
    rendered(&mut run(&context, &model, &asked, &alone));
    same(&out, &alone);
}

#[cfg(target_os = "linux")]
#[test]
fn workers_end_when_whoever_started_them_is_killed() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let (out, alone) = (context.path("orphans"), context.path("alone"));
    let asked = ["--limit", "20", "--orders", "random:8"];
    let with_workers = [&asked[..], &["--workers", "2"]].concat();
    let mut command = run(&context, &model, &with_workers, &out);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut running = command.spawn().unwrap();
    let records = |part: &str| context.path(format!("orphans.workers/{part}-of-2/trials.jsonl"));
    let begun = Instant::now();
    until(begun, "no worker began", || ["1", "2"].iter().all(|part| has_begun(&records(part))).then_some(()));
    running.kill().unwrap();
    running.wait().unwrap();
    until(begun, "workers went on", || worker("1/2", &out).or(worker("2/2", &out)).is_none().then_some(()));
    let lines = |part: &str| fs::read_to_string(records(part)).unwrap().lines().count();
    assert!(lines("1") + lines("2") < 160, "they were done before the kill");
    let said = rendered(&mut run(&context, &model, &with_workers, &out));
    assert!(said.contains("Joined 2 parts"), "{said}");
    rendered(&mut run(&context, &model, &asked, &alone));
    same(&out, &alone);
}

#[cfg(unix)]
#[test]
fn the_scripts_for_slurm_make_a_run_of_an_array() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let out = context.path("array");
    let program = context.command(&[]).get_program().to_os_string();
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/slurm");
    let script = |name: &str| {
        let mut command = Command::new("bash");
        command.arg(scripts.join(name)).env("TOMEVAL", &program).env_remove("TOMEVAL_DATA");
        command
    };
    // The variables of a task of an array, as Slurm sets them.
    for task in 3..5 {
        let mut command = script("run.sh");
        command.arg(&model).args(["demo", "."]).arg(&out).args(["--limit", "6", "--batch-tokens", "1"]);
        command.args(["--device", "cpu"]);
        command.args(["--threads", "1", "--orders", "random:2", "--language", "en"]).current_dir(context.folder());
        command.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_ARRAY_TASK_MIN", "3");
        command.env("SLURM_ARRAY_TASK_MAX", "4").env("SLURM_ARRAY_TASK_COUNT", "2");
        let said = rendered(&mut command);
        assert!(said.contains(&format!("part {}/2 of the work", task - 2)), "{said}");
    }
    let said = rendered(script("merge.sh").arg(&out));
    assert!(said.contains("Joined 2 shards"), "{said}");
    let alone = context.path("alone");
    rendered(&mut run(&context, &model, &["--limit", "6", "--orders", "random:2"], &alone));
    assert_eq!(fs::read(out.join("trials.jsonl")).unwrap(), fs::read(alone.join("trials.jsonl")).unwrap());
}
