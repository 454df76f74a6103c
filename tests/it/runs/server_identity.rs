//! What a server says of itself at the beginning and at the end of a run, and what becomes of a run whose server is
//! another one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, read_json, read_json_lines, records};
use crate::support::model_server::{Asked, ModelServer, Reply, VLLM, serve_changed};
use crate::support::tiny_models::tiny_model;

const LIMIT: Duration = Duration::from_secs(120);

/// A server that is another one after some trials were answered, as `change` makes its answers; the number is how many
/// trials are answered before. It fails at the trial after `fails`, once.
fn changing(
    model: &Path,
    after: usize,
    fails: usize,
    change: impl Fn(&Asked, &mut Value) + Send + Sync + 'static,
) -> (ModelServer, Arc<AtomicUsize>) {
    let trials = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&trials);
    let server = serve_changed(model, VLLM, move |asked, mut honest| {
        if asked.path == "/v1/models" {
            honest["data"][0]["root"] = json!("org/first");
        }
        let before = match asked.is_of_a_trial() {
            true => counted.fetch_add(1, Ordering::SeqCst),
            false => counted.load(Ordering::SeqCst),
        };
        if asked.is_of_a_trial() && (fails..fails + 2).contains(&before) {
            return Reply::Status(503, Vec::new(), "overloaded".to_string());
        }
        if before >= after {
            change(asked, &mut honest);
        }
        Reply::Json(honest)
    });
    (server, trials)
}

struct Place {
    context: TestContext,
    model: PathBuf,
}

impl Place {
    fn new() -> Self {
        let context = TestContext::new();
        let model = tiny_model(context.folder());
        Place { context, model }
    }

    fn run(&self, server: &ModelServer, out: &Path, more: &[&str], code: i32) -> String {
        let mut command = self.context.command(&["run", "--model", &server.name(), "--offline", "--audit", "0"]);
        command.args(["--benchmark", "demo", "--language", "en", "--limit", "3", "--orders", "random:2", "--no-pmi"]);
        command.args(["--scoring", "letter", "--retry-wait", "0.01", "--retries", "1", "--concurrency", "1"]);
        command.arg("--tokenizer").arg(&self.model).arg("--out").arg(out).args(more);
        command.run_within(LIMIT).code(code).stderr
    }
}

#[test]
fn both_ends_are_recorded_and_an_unchanged_server_changes_nothing() {
    let place = Place::new();
    let (server, _) = changing(&place.model, usize::MAX, usize::MAX - 2, |_, _| ());
    let out = place.context.path("run");
    place.run(&server, &out, &[], 0);
    let model = &manifest(&out)["model"];
    assert_eq!((&model["root"], &model["context"]), (&json!("org/first"), &json!(16000)));
    let ends = read_json_lines(&out.join("server.jsonl"));
    assert_eq!(ends.len(), 1);
    for (key, value) in
        [("version", "0.1.tiny"), ("fingerprint", "fp-1"), ("root", "org/first"), ("answers_as", "tiny")]
    {
        assert_eq!(ends[0][key], json!(value), "{key}");
    }
    assert_eq!((&ends[0]["listed"], &ends[0]["changed"]), (&json!(true), &json!([])));
    assert!(!fs::read_to_string(out.join("report.md")).unwrap().contains("UNSTEADY"));
}

#[test]
fn another_root_or_context_stops_a_resume_with_what_is_kept() {
    type Change = fn(&Asked, &mut Value);
    let cases: [(&str, Change, &str); 2] = [
        (
            "root",
            |asked, json| {
                if asked.path == "/v1/models" {
                    json["data"][0]["root"] = json!("org/second")
                }
            },
            "org/second",
        ),
        (
            "context",
            |asked, json| {
                if asked.path == "/v1/models" {
                    json["data"][0]["max_model_len"] = json!(900)
                }
            },
            "900",
        ),
    ];
    for (name, change, now) in cases {
        let place = Place::new();
        let (server, _) = changing(&place.model, 2, 2, change);
        let out = place.context.path(name);
        place.run(&server, &out, &[], 3);
        let kept = records(&out).len();
        assert_eq!(kept, 5);
        let said = place.run(&server, &out, &[], 3);
        assert!(said.contains(&format!("model.{name}")) && said.contains(now), "{said}");
        assert!(said.contains("Finished work is in"), "{said}");
        assert_eq!(records(&out).len(), kept);
        // Whoever wants both may have both, and the manifest says so.
        if name == "root" {
            place.run(&server, &out, &["--allow-mixed"], 1);
            assert_eq!(manifest(&out)["mixed"][0]["key"], json!("model.root"));
        }
    }
}

#[test]
fn a_run_begun_before_these_keys_goes_on() {
    let place = Place::new();
    let (server, _) = changing(&place.model, usize::MAX, 2, |_, _| ());
    let out = place.context.path("older");
    place.run(&server, &out, &[], 3);
    let mut older = manifest(&out);
    for key in ["root", "context", "sha256"] {
        let within = if key == "sha256" { &mut older } else { &mut older["model"] };
        within.as_object_mut().unwrap().remove(key).unwrap();
    }
    fs::write(out.join("manifest.json"), older.to_string()).unwrap();
    place.run(&server, &out, &[], 0);
    assert!(manifest(&out)["model"].get("root").is_none() && read_json(&out.join("results.json")).is_object());
}

#[test]
fn another_version_or_fingerprint_is_warned_of_on_top_and_stops_where_that_is_asked() {
    let place = Place::new();
    let update = |asked: &Asked, json: &mut Value| match asked.path.as_str() {
        "/version" => json["version"] = json!("0.2.tiny"),
        "/v1/completions" => json["system_fingerprint"] = json!("fp-2"),
        _ => {}
    };
    let (server, _) = changing(&place.model, 2, usize::MAX - 2, update);
    let out = place.context.path("updated");
    let said = place.run(&server, &out, &[], 1);
    assert!(said.contains("warning: the server changed during the run: version: 0.1.tiny, then 0.2.tiny"), "{said}");
    let changed = &read_json_lines(&out.join("server.jsonl"))[0]["changed"];
    assert_eq!(changed, &json!(["version: 0.1.tiny, then 0.2.tiny", "fingerprint: fp-1, then fp-2"]));
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    let top: String = report.lines().take(12).collect();
    assert!(top.contains("UNSTEADY") && top.contains("fp-1, fp-2"), "{report}");

    let (server, _) = changing(&place.model, 2, 2, update);
    let out = place.context.path("strict");
    place.run(&server, &out, &[], 3);
    let kept = records(&out).len();
    let said = place.run(&server, &out, &["--strict-server"], 3);
    assert!(said.contains("0.2.tiny") && said.contains("Finished work is in"), "{said}");
    assert_eq!(records(&out).len(), kept);
}
