//! Studies: several models and tasks from one file.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::TestContext;
use crate::support::files::read_json;
use crate::support::tiny_models::tiny_model_of;

/// A file of two models, of which the second fails in one way, and two tasks.
fn study(context: &TestContext) -> PathBuf {
    for family in ["llama", "qwen2"] {
        let made = tiny_model_of(context.folder(), family);
        if made != context.path(family) {
            fs::rename(made, context.path(family)).unwrap();
        }
    }
    let text = "orders = 'random:2'\nlanguages = ['en']\nscorings = ['letter', 'text']\nthreads = 1\ndevice = 'cpu'\noffline = true\n\
                [[model]]\nmodel = 'llama'\n[[model]]\nname = 'other'\nmodel = 'qwen2'\n\
                [[task]]\nbenchmark = 'demo'\nlimit = 6\n[[task]]\nname = 'stories'\nbenchmark = 'demo'\nlimit_stories = 2\nscorings = ['letter']\n\
                [[skip]]\nmodel = 'other'\ntask = 'demo'\nscoring = 'text'\n";
    context.write("study.toml", text)
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_study_is_its_runs() {
    let context = TestContext::new();
    let file = study(&context);
    let file = file.to_str().unwrap();
    context
        .run(&["study", file, "--plan"])
        .success()
        .with_stdout(contains("other/stories").and(contains("not measured")));
    let out = context.path("study");
    let done = context.run(&["study", file]).success();
    assert!(done.stdout.contains("llama") && done.stdout.contains("rank"), "{}", done.stdout);
    assert_eq!(done.stderr.matches("\nrun ").count(), 4, "{}", done.stderr);
    assert!(!out.join("other/demo/text-vanilla").exists(), "skipped");
    // Each is the very run that its arguments make.
    let single = context.path("single");
    let model = context.path("llama");
    let alone = ["run", "--offline", "--device", "cpu", "--threads", "1", "--model", model.to_str().unwrap()];
    let asked =
        ["--benchmark", "demo", "--language", "en", "--limit", "6", "--orders", "random:2", "--scoring", "letter,text"];
    context.run(&[&alone[..], &asked, &["--out", single.to_str().unwrap()]].concat()).success();
    for way in ["letter-vanilla", "text-vanilla"] {
        for name in ["trials.jsonl", "inputs/data.json"] {
            assert_eq!(read(&out.join("llama/demo").join(way).join(name)), read(&single.join(way).join(name)), "{way}");
        }
    }
    // Again nothing is computed, and a part of it is what is named.
    let before = read(&out.join("study.json"));
    let again = context.run(&["study", file]).success();
    assert_eq!(again.stderr.matches("is already complete").count(), 5, "{}", again.stderr);
    assert_eq!(read(&out.join("study.json")), before);
    let part = context.run(&["study", file, "--only", "model=other", "--only", "task=stories", "--json"]).success();
    assert_eq!(part.json()["figures"][0]["models"].as_array().unwrap().len(), 1);
    context.run(&["study", file, "--only", "model=nobody"]).failure().with_stderr(contains("--only"));
    let report: Value = serde_json::from_slice(&before).unwrap();
    let figure = &report["figures"][0];
    assert_eq!((&figure["task"], &figure["way"]), (&"demo".into(), &"letter-vanilla".into()));
    let standing = &figure["models"][0]["standing"];
    assert!(standing["group"].as_str().is_some() && standing["rank"][0] == 1, "{figure}");
}

#[test]
fn one_failure_does_not_end_a_study() {
    let context = TestContext::new();
    let file = study(&context);
    fs::remove_file(context.path("qwen2/config.json")).unwrap();
    let file = file.to_str().unwrap();
    let done = context.run(&["study", file]).code(1);
    assert!(
        done.stderr.contains("Failed: other/demo") && done.stderr.contains("Failed: other/stories"),
        "{}",
        done.stderr
    );
    let report = read_json(&context.path("study/study.json"));
    assert_eq!(report["missing"], serde_json::json!(["other/demo", "other/stories"]));
    assert_eq!(report["figures"][0]["models"][0]["model"], "llama");
}

#[test]
fn parts_of_a_study_are_joined_and_models_need_no_file() {
    let context = TestContext::new();
    let file = study(&context);
    let file = file.to_str().unwrap();
    let parts = ["1/2", "2/2"].map(|part| {
        context.run(&["study", file, "--shard", part, "--only", "task=stories"]).success();
        context.path(format!("study-{}", part.replace('/', "-of-"))).to_str().unwrap().to_string()
    });
    let joined = context.path("joined");
    let out = joined.to_str().unwrap();
    context.run(&["merge", "--out", out, &parts[0], &parts[1]]).success();
    let whole = context.run(&["study", file, "--out", out, "--only", "task=stories"]).success();
    assert_eq!(whole.stderr.matches("is already complete").count(), 2, "{}", whole.stderr);
    let (one, other) = (context.path("llama"), context.path("qwen2"));
    let models = ["--model", one.to_str().unwrap(), "--model", other.to_str().unwrap()];
    let asked = [
        "--offline",
        "--device",
        "cpu",
        "--threads",
        "1",
        "--benchmark",
        "demo",
        "--language",
        "en",
        "--limit-stories",
        "2",
    ];
    let both = context.path("both");
    let run = [&["run"][..], &models, &asked, &["--orders", "random:2", "--out", both.to_str().unwrap()]].concat();
    context.run(&run).success();
    let name = "letter-vanilla/trials.jsonl";
    assert_eq!(read(&both.join("llama").join(name)), read(&joined.join("llama/stories").join(name)));
    context.run(&[&run[..], &["--name", "x"]].concat()).failure().with_stderr(contains("--name applies to one model"));
    context.run(&[&["plan"][..], &models, &asked].concat()).success().with_stdout(contains("qwen2"));
    context.run(&[&["attend"][..], &models].concat()).failure().with_stderr(contains("--model is given 2 times"));
}
