//! Run folders that were changed, damaged, shared or carried to other machines: nothing of it is taken in silence, and
//! nothing that was computed is lost. Needs the tiny models of the fixtures alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tomeval::internal::ClaimedFolder;
use tomeval::read_run;

use crate::support::context::{Output, Run, TestContext};
use crate::support::files::{edit_json, manifest, read_json};
use crate::support::tiny_run::TinyRun;

fn trials(run: &Path) -> String {
    fs::read_to_string(run.join("trials.jsonl")).unwrap()
}

/// Change line `number` (from 0) of the records.
fn edit_line(run: &Path, number: usize, change: impl FnOnce(&mut Value)) {
    let text = trials(run);
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut json: Value = serde_json::from_str(&lines[number]).unwrap();
    change(&mut json);
    lines[number] = json.to_string();
    fs::write(run.join("trials.jsonl"), lines.join("\n") + "\n").unwrap();
}

fn batches(manifest: &mut Value) -> &mut Vec<Value> {
    manifest["model"]["plan"]["batches"].as_array_mut().unwrap()
}

/// Leave the first `lines` records of a run, as a stop would.
fn cut(run: &Path, lines: usize) {
    for name in ["trials.jsonl", "trials.sha256"] {
        let kept: String = fs::read_to_string(run.join(name)).unwrap().split_inclusive('\n').take(lines).collect();
        fs::write(run.join(name), kept).unwrap();
    }
}

fn report(context: &TestContext, run: &Path) -> Output {
    context.command(&["report"]).arg(run).run()
}

#[test]
fn what_was_changed_is_refused_wherever_a_run_is_read() {
    let run = TinyRun::get();
    let context = TestContext::new();
    type Change = (&'static str, &'static str, fn(&Path));
    let changes: [Change; 14] = [
        ("a unit is empty", "holds no trial", |run| {
            edit_json(&run.join("manifest.json"), |manifest| batches(manifest)[1]["trials"] = json!([]));
        }),
        ("a trial is dropped", "line 1", |run| {
            edit_json(&run.join("manifest.json"), |manifest| {
                drop(batches(manifest)[0]["trials"].as_array_mut().unwrap().pop());
            });
        }),
        ("a trial is out of range", "names trial 9999", |run| {
            edit_json(&run.join("manifest.json"), |manifest| batches(manifest)[0]["trials"][1] = json!(9999));
        }),
        ("a trial is planned twice", "twice", |run| {
            edit_json(&run.join("manifest.json"), |manifest| {
                let first = batches(manifest)[0]["trials"][0].clone();
                batches(manifest)[1]["trials"][1] = first;
            });
        }),
        ("passes of no tokens", "passes of 0 tokens", |run| {
            edit_json(&run.join("manifest.json"), |manifest| {
                manifest["model"]["plan"]["packing"]["pass_tokens"] = json!(0);
            });
        }),
        ("a shard that is none", "`shard` is 0 of 0", |run| {
            edit_json(&run.join("manifest.json"), |manifest| manifest["shard"] = json!({"index": 0, "of": 0}));
        }),
        ("draws beyond sense", "`random:4000000000`", |run| {
            edit_json(&run.join("manifest.json"), |manifest| {
                manifest["settings"]["orders"] = json!("random:4000000000");
            });
        }),
        ("a count beyond sense", "line 3: counts its order", |run| {
            edit_line(run, 2, |record| record["count"] = json!(4_000_000_000u64));
        }),
        ("an order that was not drawn", "line 3: shows", |run| {
            edit_line(run, 2, |record| record["order"].as_array_mut().unwrap().rotate_left(1));
        }),
        ("a positive log-probability", "line 2: has an invalid log-probability", |run| {
            edit_line(run, 1, |record| record["asks"][0]["results"][0]["logprobs"][0] = json!(0.5));
        }),
        ("another style", "line 2: has style other", |run| {
            edit_line(run, 1, |record| record["style"] = json!("other"));
        }),
        ("another scoring", "line 2: was scored by text", |run| {
            edit_line(run, 1, |record| record["scoring"] = json!("text"));
        }),
        ("a record is there twice", "line 2: is the same trial as line 1", |run| {
            let text = trials(run);
            let first = text.lines().next().unwrap();
            fs::write(run.join("trials.jsonl"), format!("{first}\n{text}")).unwrap();
        }),
        ("one record too many", "exceeds the", |run| {
            let mut text = trials(run);
            let last = text.lines().last().unwrap().to_string();
            text += &format!("{}\n", last.replace("\"id\":\"", "\"id\":\"x"));
            fs::write(run.join("trials.jsonl"), text).unwrap();
        }),
    ];
    for (number, (what, rendered, change)) in changes.into_iter().enumerate() {
        let changed = run.copy(&context.path(number.to_string()));
        change(&changed);
        let error = read_run(&changed).expect_err(what).to_string();
        assert!(error.contains(rendered) && error.contains("--out"), "{what}: {error}");
        let before = trials(&changed);
        run.run(&changed, &[]).code(2);
        assert_eq!(trials(&changed), before, "{what}: nothing is lost");
    }
}

#[test]
fn a_number_that_was_changed_is_told_and_never_built_upon() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let changed = run.copy(&context.path("changed"));
    edit_line(&changed, 1, |record| record["asks"][0]["results"][0]["logprobs"][0] = json!(-0.125));
    let rendered = "line 2: changed after it was written";
    let report = report(&context, &changed).code(1);
    assert_eq!(report.stderr.matches(rendered).count(), 1);
    let said = "line 2 of trials.jsonl is changed since writing";
    assert!(report.stdout.starts_with("CHANGED RECORDS") && report.stdout.contains(said), "{}", report.stdout);
    for (format, tables) in
        [("markdown", "\n### "), ("latex", "\\begin{ta"), ("json", "\"results\": ["), ("html", "<table")]
    {
        let report = context.command(&["report", "--format", format]).arg(&changed).run().code(1);
        let written = report.stdout;
        let place = written.find(said).unwrap_or_else(|| panic!("{format}: {written}"));
        assert!(written.find(tables).is_some_and(|table| place < table), "{format}: before all tables");
    }

    let lines = trials(&changed).lines().count();
    cut(&changed, lines - 1);
    let again = run.run(&changed, &[]).code(2);
    assert!(again.stderr.contains(rendered), "{}", again.stderr);
    // The way out that is told.
    cut(&changed, 1);
    assert!(run.run(&changed, &[]).status.success());
    assert_eq!(trials(&changed), trials(&run.finished()));

    let changed = run.copy(&context.path("manifest"));
    edit_json(&changed.join("manifest.json"), |manifest| manifest["created"] = json!("2020-01-01T00:00:00Z"));
    let rendered = "manifest.json was changed after it was written";
    for output in [context.command(&["report"]).arg(&changed).args(["--tie", "first"]).run(), run.run(&changed, &[])] {
        assert!(output.status.success() && output.stderr.contains(rendered), "{}", output.stderr);
    }
}

#[test]
fn records_that_were_lost_are_told_and_done_again() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let lost = run.copy(&context.path("lost"));
    fs::remove_file(lost.join("trials.jsonl")).unwrap();
    assert!(read_run(&lost).unwrap().read.warnings[0].contains("has only 0 of"));
    let again = run.run(&lost, &[]);
    assert!(again.status.success() && again.stderr.contains("redoing them"), "{}", again.stderr);
    assert_eq!(trials(&lost), trials(&run.finished()));
    assert!(read_run(&lost).unwrap().read.warnings.is_empty());
}

#[test]
fn two_runs_never_write_to_one_folder() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let out = context.path("claimed");
    let claimed = ClaimedFolder::claim(&out).unwrap();
    let refused = run.run(&out, &[]).code(2);
    assert!(refused.stderr.contains("in use by another tomeval"), "{}", refused.stderr);
    assert!(!out.join("manifest.json").exists());
    drop(claimed);

    for round in 0..3 {
        let out = context.path(format!("both-{round}"));
        let start = |seed: &str| {
            run.command(&out, &["--seed", seed]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let both = [start("1"), start("2")].map(|child| Output::from(child.wait_with_output().unwrap()));
        let done = both.iter().filter(|output| output.status.success()).count();
        assert_eq!(done, 1, "{}", both.each_ref().map(|output| output.stderr.as_str()).concat());
        assert!(both.iter().any(|output| output.status.code() == Some(2)));
        assert!(read_run(&out).unwrap().read.is_finished());
    }
}

#[test]
fn leftovers_of_a_kill_are_in_nobodys_way() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let shards: Vec<PathBuf> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let out = context.path(shard.replace('/', "-of-"));
            assert!(run.run(&out, &["--shard", shard]).status.success());
            out
        })
        .collect();
    let leave = |out: &Path| {
        fs::create_dir_all(out).unwrap();
        for name in ["trials.jsonl", "trials.sha256", ".unfinished-aB3dE6.tmp", ".tmpaB3dE6"] {
            fs::write(out.join(name), if name.starts_with('t') { "" } else { "{\"format\":" }).unwrap();
        }
    };
    let [began, joined] = ["began", "joined"].map(|name| context.path(name));
    leave(&began);
    let output = run.run(&began, &[]);
    assert!(output.status.success(), "{}", output.stderr);
    leave(&joined);
    for _ in 0..2 {
        context.command(&["merge", "--out"]).arg(&joined).args(&shards).run().success();
    }
    for out in [&began, &joined] {
        assert_eq!(trials(out), trials(&run.finished()));
        assert!(!out.join(".unfinished-aB3dE6.tmp").exists());
    }
    let sums = |out: &Path| fs::read_to_string(out.join("trials.sha256")).unwrap();
    assert_eq!(sums(&joined), sums(&run.finished()));

    // Records without a manifest are somebody's work.
    fs::remove_file(began.join("manifest.json")).unwrap();
    let refused = run.run(&began, &[]).code(2);
    assert!(refused.stderr.contains("contains trials.jsonl but no manifest.json"), "{}", refused.stderr);
    assert_eq!(trials(&began), trials(&run.finished()));
}

#[cfg(unix)]
#[test]
fn everyone_may_read_what_the_umask_lets_them() {
    use std::os::unix::fs::PermissionsExt;
    let run = TinyRun::get();
    let mode = |name: &str| fs::metadata(run.finished().join(name)).unwrap().permissions().mode() & 0o777;
    for name in ["manifest.json", "results.json", "report.md", "report.csv", "trials.sha256"] {
        assert_eq!(mode(name), mode("trials.jsonl"), "{name}");
    }
}

#[test]
fn a_run_goes_on_with_other_threads_and_says_so() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let stopped = run.copy(&context.path("stopped"));
    let half = trials(&stopped).lines().count() / 2;
    cut(&stopped, half);
    edit_json(&stopped.join("manifest.json"), |manifest| {
        manifest["model"]["machine"]["cpu"] = json!("Another (sse4.2, avx)");
        manifest.as_object_mut().unwrap().remove("sha256");
    });
    let output = run.run(&stopped, &["--threads", "2"]);
    assert!(output.status.success(), "{}", output.stderr);
    assert!(output.stderr.contains("model.machine.threads (1, not 2)"), "{}", output.stderr);
    let mixed = manifest(&stopped)["mixed"].clone();
    let keys: Vec<&str> = mixed.as_array().unwrap().iter().map(|mixture| mixture["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["model.machine.cpu", "model.machine.threads"]);
    assert_eq!((&mixed[1]["first"], &mixed[1]["other"]), (&json!(1), &json!(2)));
    let results = read_json(&stopped.join("results.json"));
    assert!(results.to_string().contains("model.machine.threads"));

    // Another arithmetic moves numbers by more than rounding.
    cut(&stopped, half);
    let rendered = run.run(&stopped, &["--dtype", "bf16"]).code(2).stderr;
    assert!(
        rendered.contains("model.machine.dtype (f32, not bf16)") && rendered.contains("--allow-mixed"),
        "{rendered}"
    );
    let allowed = run.run(&stopped, &["--dtype", "bf16", "--allow-mixed"]);
    assert!(allowed.status.success(), "{}", allowed.stderr);
    assert!(manifest(&stopped)["mixed"].to_string().contains("\"model.machine.dtype\""));

    // Other work is never mixed in.
    let other = run.run(&stopped, &["--orders", "identity", "--allow-mixed"]).code(2);
    assert!(
        other.stderr.contains("holds another run: begun with --orders random:3, now with --orders identity; choose"),
        "{}",
        other.stderr
    );
}

#[test]
fn shards_of_other_machines_are_joined_and_the_manifest_says_so() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let shard = |name: &str, more: &[&str]| {
        let out = context.path(name);
        let output = run.run(&out, more);
        assert!(output.status.success(), "{}", output.stderr);
        out
    };
    let first = shard("1", &["--shard", "1/2"]);
    let threads = shard("2", &["--shard", "2/2", "--threads", "2"]);
    let rounded = shard("2-bf16", &["--shard", "2/2", "--dtype", "bf16"]);
    let merge = |shards: &[&PathBuf], more: &[&str]| {
        let out = context.path("joined");
        let output = context.command(&["merge", "--out"]).arg(&out).args(shards).args(more).run();
        (output, out)
    };
    let (output, out) = merge(&[&first, &threads], &[]);
    assert!(output.status.success() && output.stderr.contains("model.machine.threads"), "{}", output.stderr);
    assert_eq!(manifest(&out)["mixed"][0]["key"], "model.machine.threads");
    fs::remove_dir_all(&out).unwrap();

    let (output, out) = merge(&[&first, &rounded], &[]);
    let output = output.code(2);
    assert!(output.stderr.contains("model.machine.dtype (f32, not bf16)"), "{}", output.stderr);
    assert!(output.stderr.contains("--allow-mixed") && !out.exists());
    let (output, out) = merge(&[&first, &rounded], &["--allow-mixed"]);
    assert!(output.status.success(), "{}", output.stderr);
    assert_eq!(manifest(&out)["mixed"][0]["other"], "bf16");

    let (output, _) = merge(&[&first], &[]);
    assert!(output.stderr.contains("shard 2/2 is not named"), "{}", output.stderr);
    // A stop between the last reply and the order of all.
    fs::write(first.join("trials.unordered"), "").unwrap();
    let (output, _) = merge(&[&first, &threads], &[]);
    let output = output.code(2);
    assert!(output.stderr.contains("run its command again to finish it"), "{}", output.stderr);
    fs::remove_file(first.join("trials.unordered")).unwrap();
    let (output, _) = merge(&[&first, &first, &threads], &[]);
    assert!(output.stderr.contains("name each shard once"), "{}", output.stderr);
}

#[test]
fn a_finished_run_is_complete_at_once() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let done = run.copy(&context.path("done"));
    let before = ["manifest.json", "trials.jsonl", "timings.jsonl"].map(|name| fs::read(done.join(name)).unwrap());
    fs::remove_file(done.join("results.json")).unwrap();
    let output = run.run(&done, &["--threads", "2"]);
    let rendered = output.stderr;
    assert!(output.status.success() && rendered.contains("already complete"), "{rendered}");
    assert!(!rendered.contains("Memory") && !rendered.contains("tokens to forward"), "no weights, no plan: {rendered}");
    assert!(output.stdout.contains("Accuracy by task"));
    let after = ["manifest.json", "trials.jsonl", "timings.jsonl"].map(|name| fs::read(done.join(name)).unwrap());
    assert_eq!(before, after);
    assert_eq!(fs::read(done.join("results.json")).unwrap(), fs::read(run.finished().join("results.json")).unwrap());
}

#[test]
fn contradictions_are_told_before_anything_is_computed() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let out = context.path("none");
    let cases: [(&[&str], &str); 4] = [
        (&["--normalisation", "pmi"], "letters have none; use --scoring text or hybrid"),
        (&["--normalisation", "pmi", "--scoring", "text", "--no-pmi"], "--no-pmi left them out"),
        (&["--condition", "plain", "--condition", "plain"], "--condition plain is given twice"),
        (&["--style", "unheard-of"], "unheard-of"),
    ];
    for (arguments, rendered) in cases {
        let output = run.run(&out, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stderr.contains(rendered), "{arguments:?}: {}", output.stderr);
        assert!(!out.exists(), "{arguments:?}");
    }
    let output = context.command(&["report", "--normalisation", "pmi"]).arg(run.finished()).run().code(2);
    assert!(output.stderr.contains("letters have none"), "{}", output.stderr);
}

#[test]
fn clusters_shard_a_run_only_where_asked() {
    let run = TinyRun::get();
    let context = TestContext::new();
    let started = |name: &str, more: &[&str], variables: &[(&str, &str)]| {
        let out = context.path(name);
        let output = run.command(&out, more).envs(variables.iter().copied()).run();
        (output, out)
    };
    let slurm = [("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")];
    let (output, out) = started("whole", &[], &slurm);
    assert!(output.status.success(), "{}", output.stderr);
    let hints: Vec<String> =
        output.stderr.lines().filter(|line| line.contains("--shard auto")).map(str::to_string).collect();
    assert_eq!(hints.len(), 1, "{}", output.stderr);
    assert!(hints[0].contains("SLURM_PROCID=1") && hints[0].contains("part 2/2"), "{}", hints[0]);
    assert_eq!(manifest(&out)["shard"], Value::Null);
    assert_eq!(trials(&out), trials(&run.finished()));

    let (output, out) = started("part", &["--shard", "auto"], &slurm);
    assert!(output.status.success(), "{}", output.stderr);
    assert_eq!(manifest(&out)["shard"], json!({"index": 2, "of": 2}));
    let kubernetes = [("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "3")];
    let (_, out) = started("first", &["--shard", "auto"], &kubernetes);
    assert_eq!(manifest(&out)["shard"], json!({"index": 1, "of": 3}));

    let (output, _) = started("none", &["--shard", "auto"], &[]);
    let output = output.code(2);
    assert!(output.stderr.contains("write --shard I/N"), "{}", output.stderr);
}
