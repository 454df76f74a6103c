//! Audits: trials asked again, what is said of servers that drift and of shards whose machines differ, and servers that cut
//! prompts.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::servers::{ITEMS, LIMIT, Place, said};
use crate::support::context::Run;
use crate::support::files::{edit_json, read_json, read_json_lines, records};
use crate::support::model_server::{Asked, Kind, ModelServer, NAME, Reply, TOP, VLLM, serve, serve_changed};

const LETTERS: [&str; 2] = ["--scoring", "letter"];

/// The tokens of the first position, changed.
fn drifted(mut honest: Value) -> Value {
    let first = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
    for (at, logprob) in first.values_mut().enumerate() {
        *logprob = json!(logprob.as_f64().unwrap() - 0.4 * ((at * 3) % 4) as f64);
    }
    honest
}

/// A server whose answers depend on whether the salt of a request was seen before.
fn cold_drift(model: &Path) -> ModelServer {
    let seen = Mutex::new(HashSet::new());
    serve_changed(model, VLLM, move |asked, honest| {
        let salt = asked.body["cache_salt"].as_str();
        let cold = salt.is_some_and(|salt| seen.lock().unwrap().insert(salt.to_string()));
        Reply::Json(if cold { drifted(honest) } else { honest })
    })
}

fn cells(summary: &Value) -> Vec<(&str, bool)> {
    let cells = summary["cells"].as_array().unwrap().iter();
    cells.map(|cell| (cell["cell"].as_str().unwrap(), cell["largest"].as_f64().unwrap() > 0.0)).collect()
}

/// The files of a run that an audit must not change.
fn unchanged(out: &Path) -> [String; 4] {
    ["trials.jsonl", "trials.sha256", "results.json", "report.csv"]
        .map(|name| fs::read_to_string(out.join(name)).unwrap())
}

#[test]
fn an_honest_server_is_audited_and_its_records_and_results_stay_as_they_are() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let more = [&place.tokenizer()[..], &LETTERS].concat();
    let (with, without) = (place.out("a/run"), place.out("b/run"));
    let told = said(&mut place.audited(&server, &with, &more), 0);
    let asked: Vec<Asked> = server.log();
    said(&mut place.run(&server, &without, &more), 0);
    assert_eq!(unchanged(&with), unchanged(&without));
    assert!(!without.join("audit.json").exists() && !without.join("audit.jsonl").exists());
    assert!(told.contains("Audit: 6 trials asked again, by cache_salt, with 1 and 6 in flight"), "{told}");
    assert!(told.contains("move by up to 0 nats") && told.contains("0 of 6 choices move"), "{told}");
    let summary = read_json(&with.join("audit.json"));
    assert_eq!((&summary["steady"], &summary["trials"], &summary["moved"]), (&json!(true), &json!(6), &json!(0)));
    let steady = ["cold-alone", "cached-alone", "cold-loaded", "cached-loaded"].map(|cell| (cell, false));
    assert_eq!(cells(&summary), steady);
    assert_eq!(read_json_lines(&with.join("audit.jsonl")).len(), 24);
    // Each trial has a salt of its own, once cold and once cached, and another one under load.
    let salts: Vec<String> =
        asked.iter().filter_map(|asked| asked.body["cache_salt"].as_str().map(String::from)).collect();
    assert_eq!((salts.len(), salts.iter().collect::<HashSet<_>>().len()), (24, 12));
    // The same command finds both done.
    let before = server.of_trials();
    let told = said(&mut place.audited(&server, &with, &more), 0);
    assert!(told.contains("already complete"), "{told}");
    assert_eq!(server.of_trials(), before);
    // A run that was not audited is, when the same command allows it.
    said(&mut place.audited(&server, &without, &[&more[..], &["--audit", "2"]].concat()), 0);
    assert_eq!(read_json(&without.join("audit.json"))["trials"], json!(2));
    assert_eq!(server.of_trials(), before + 8);
    assert_eq!(unchanged(&with), unchanged(&without));
}

#[test]
fn a_server_that_drifts_with_its_cache_is_warned_of_in_every_report() {
    let place = Place::new();
    let server = cold_drift(&place.model);
    let out = place.out("run");
    let told = said(&mut place.audited(&server, &out, &[&place.tokenizer()[..], &LETTERS].concat()), 0);
    let summary = read_json(&out.join("audit.json"));
    assert_eq!(summary["steady"], json!(false), "{summary}");
    assert_eq!(
        cells(&summary),
        [("cold-alone", true), ("cached-alone", false), ("cold-loaded", true), ("cached-loaded", false)]
    );
    assert!(summary["largest"].as_f64().unwrap() > 0.3 && summary["moved"].as_u64().unwrap() > 0, "{summary}");
    assert!(summary["close_choices"].as_u64().unwrap() > 0 && summary["run_choices"] == json!(6), "{summary}");
    let warning = "UNSTEADY";
    assert!(told.contains("WARNING: the server does not repeat itself"), "{told}");
    assert!(told.contains("VLLM_BATCH_INVARIANT=1"), "{told}");
    for name in ["report.md", "report.csv", "results.json", "report.html", "README.md"] {
        let text = fs::read_to_string(out.join(name)).unwrap();
        assert!(text.contains(warning), "{name}: {text:.2000}");
    }
    for format in ["terminal", "markdown", "csv", "latex", "json", "html"] {
        let file = place.out("rendered");
        place
            .command(&["report", out.to_str().unwrap(), "--format", format, "--output", file.to_str().unwrap()])
            .run_within(LIMIT)
            .success();
        let text = fs::read_to_string(&file).unwrap();
        let top = text.find(warning).unwrap_or(usize::MAX);
        assert!(top < if format == "html" { usize::MAX } else { 700 }, "{format}: {text:.2000}");
    }
    // The records are those of the run.
    assert!(records(&out).iter().all(|record| record["failure"].is_null()));
    // A summary that nobody can read is no reason to be silent.
    fs::write(out.join("audit.json"), "{").unwrap();
    let shown = place.command(&["report", out.to_str().unwrap()]).run_within(LIMIT).success().stdout;
    assert!(shown.contains("audit.json cannot be read"), "{shown}");
}

#[test]
fn of_several_servers_each_is_audited_and_the_one_that_moves_is_named() {
    let place = Place::new();
    let (steady, drifting) = (serve(&place.model, VLLM), cold_drift(&place.model));
    let more = [&place.tokenizer()[..], &LETTERS].concat();
    let audited = |out: &Path, servers: [&ModelServer; 2]| {
        let name = format!("openai:{},{}#{NAME}", servers[0].address(), servers[1].address());
        let mut command = place.command(&["run", "--model", &name, "--offline", "--retry-wait", "0.01", "--out"]);
        command.arg(out).args(ITEMS).args(&more);
        command
    };
    let out = place.out("run");
    let told = said(&mut audited(&out, [&steady, &drifting]), 0);
    let of = |server: &ModelServer| format!("{}/v1", server.address());
    assert!(told.contains(&format!("of 2 servers {} moves most", of(&drifting))), "{told}");
    let summary = read_json(&out.join("audit.json"));
    let moved = |server: &ModelServer| {
        let found = summary["servers"].as_array().unwrap().iter().find(|found| found["server"] == json!(of(server)));
        (found.unwrap()["answers"].clone(), found.unwrap()["moved"].as_u64().unwrap() > 0)
    };
    assert_eq!((moved(&steady), moved(&drifting)), ((json!(12), false), (json!(12), true)), "{summary}");
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("UNSTEADY") && report.contains(&format!("{} moves most", of(&drifting))), "{report}");
    // One that is gone when the audit begins leaves its part to the other.
    let (asked_before, gone) = (AtomicUsize::new(0), AtomicBool::new(false));
    let dying = serve_changed(&place.model, VLLM, move |asked, honest| {
        let trial = asked.is_of_a_trial() && asked_before.fetch_add(1, Ordering::SeqCst) >= 2;
        match trial || gone.load(Ordering::SeqCst) {
            true => {
                gone.store(true, Ordering::SeqCst);
                Reply::Reset
            }
            false => Reply::Json(honest),
        }
    });
    let out = place.out("dying");
    let told = said(&mut audited(&out, [&steady, &dying]), 0);
    assert!(told.contains(&format!("the audit leaves out {}: ", of(&dying))) && !told.contains(": stopped"), "{told}");
    let lines = read_json_lines(&out.join("audit.jsonl"));
    assert!(lines.len() == 24 && lines.iter().all(|line| line["server"] == json!(of(&steady))), "{told}");
}

#[test]
fn a_server_that_drifts_under_load_is_found_where_its_cache_is_not_controlled() {
    let place = Place::new();
    // The run asks six trials under load, then the audit the same alone and under load; a busy machine may not overlap them.
    let asked_before = AtomicUsize::new(0);
    // So many tokens that every label is among them.
    let server = serve_changed(&place.model, Kind { top: 1000, ..TOP }, move |asked, honest| {
        if !asked.is_of_a_trial() {
            return Reply::Json(honest);
        }
        let alone = (6..12).contains(&asked_before.fetch_add(1, Ordering::SeqCst));
        Reply::Json(if alone { honest } else { drifted(honest) })
    });
    let out = place.out("run");
    let how = ["--scores-from", "top", "--top-logprobs", "700", "--concurrency", "4"];
    let told = said(&mut place.audited(&server, &out, &[&place.tokenizer()[..], &LETTERS, &how].concat()), 0);
    assert!(told.contains("cache not controlled, with 1 and 4 in flight"), "{told}");
    let summary = read_json(&out.join("audit.json"));
    assert_eq!((&summary["cache"], &summary["steady"]), (&Value::Null, &json!(false)));
    let cells = summary["cells"].as_array().unwrap();
    assert_eq!([&cells[0]["cell"], &cells[1]["cell"]], [&json!("alone"), &json!("loaded")]);
    // The run itself was made under load, so that asking alone differs from it.
    assert!(cells[0]["moved"].as_u64().unwrap() > 0, "{summary}");
}

#[test]
fn an_audit_without_an_answer_says_nothing_of_the_server() {
    let place = Place::new();
    let asked_before = AtomicUsize::new(0);
    let server = serve_changed(&place.model, VLLM, move |asked, honest| {
        match asked.is_of_a_trial() && asked_before.fetch_add(1, Ordering::SeqCst) >= 6 {
            true => Reply::Status(400, Vec::new(), "not today".to_string()),
            false => Reply::Json(honest),
        }
    });
    let out = place.out("run");
    let more = [&place.tokenizer()[..], &LETTERS].concat();
    let told = said(&mut place.audited(&server, &out, &more), 1);
    assert!(told.contains("the audit is not complete: of 6 trials none was answered again"), "{told}");
    assert!(!out.join("audit.json").exists() && !out.join("audit.jsonl").exists());
    assert!(!fs::read_to_string(out.join("report.md")).unwrap().contains("UNSTEADY"));
    // The same command asks all of them again.
    let before = server.of_trials();
    let refused = said(&mut place.audited(&server, &out, &more), 1);
    assert!(refused.contains("none was answered again") && server.of_trials() >= before + 6, "{refused}");
    let honest = serve(&place.model, VLLM);
    said(&mut place.audited(&honest, &out, &more), 0);
    assert_eq!(read_json(&out.join("audit.json"))["steady"], json!(true));
}

#[test]
fn an_audit_that_ended_early_is_continued_to_the_same_bytes() {
    let place = Place::new();
    let more = [&place.tokenizer()[..], &LETTERS, &["--retries", "0"]].concat();
    let honest = serve(&place.model, VLLM);
    let whole = place.out("whole");
    said(&mut place.audited(&honest, &whole, &more), 0);
    // The server goes away in the middle of the audit.
    let left = std::sync::Arc::new(AtomicUsize::new(9));
    let counted = std::sync::Arc::clone(&left);
    let server = serve_changed(&place.model, VLLM, move |asked, honest| {
        let salted = asked.body.get("cache_salt").is_some();
        match salted && counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err() {
            true => Reply::Reset,
            false => Reply::Json(honest),
        }
    });
    let out = place.out("cut");
    let told = said(&mut place.audited(&server, &out, &more), 1);
    assert!(told.contains("the audit is not complete") && told.contains("the same command continues it"), "{told}");
    assert!(!out.join("audit.json").exists());
    let some = read_json_lines(&out.join("audit.jsonl")).len();
    assert!((1..24).contains(&some), "{some}");
    // As after a kill: half a line at the end.
    let torn = fs::read_to_string(out.join("audit.jsonl")).unwrap() + "{\"id\": \"dem";
    fs::write(out.join("audit.jsonl"), torn).unwrap();
    left.store(usize::MAX, Ordering::SeqCst);
    let asked = server.of_trials();
    said(&mut place.audited(&server, &out, &more), 0);
    assert!(server.of_trials() - asked < 24, "what is there is not asked again");
    for name in ["audit.jsonl", "audit.json", "trials.jsonl"] {
        let [one, next] = [&whole, &out].map(|out| fs::read_to_string(out.join(name)).unwrap());
        assert_eq!(one, next, "{name}");
    }
}

#[test]
fn greedy_replies_are_audited_and_sampled_ones_are_not() {
    let place = Place::new();
    let written = ["--scoring", "generate", "--max-new-tokens", "4"];
    let number = AtomicUsize::new(0);
    let server = serve_changed(&place.model, TOP, move |asked, mut honest| {
        if asked.is_of_a_trial() && number.fetch_add(1, Ordering::SeqCst) > 6 {
            honest["choices"][0]["message"]["content"] = json!("(A) and no other");
        }
        Reply::Json(honest)
    });
    let out = place.out("greedy");
    place.audited(&server, &out, &written).run_within(LIMIT);
    let summary = read_json(&out.join("audit.json"));
    let replies = &summary["replies"];
    assert!(replies["compared"] == json!(12) && replies["other"].as_u64().unwrap() >= 10, "{summary}");
    assert!(replies["earliest"].is_u64() && summary["largest"].is_null(), "{summary}");
    let sampled = [&written[..], &["--temperature", "0.5"]].concat();
    let out = place.out("sampled");
    let told = place.audited(&server, &out, &sampled).run_within(LIMIT).stderr;
    assert!(told.contains("sampled replies are not audited") && !out.join("audit.json").exists(), "{told}");
}

#[test]
fn a_plan_has_the_requests_of_an_audit() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let name = server.name();
    let plan = |more: &[&str]| {
        let mut plan = place.command(&["plan", "--model", &name, "--offline", "--json"]);
        plan.args(&ITEMS[..8]).args(place.tokenizer()).args(more).run_within(LIMIT).success().json()
    };
    let found = plan(&[]);
    let (audit, trials) = (&found["audit"], &found["trials"]);
    assert_eq!((&audit["trials"], &audit["conditions"]), (trials, &json!(4)));
    assert_eq!(audit["requests"].as_u64().unwrap(), trials.as_u64().unwrap() * 4);
    assert_eq!(audit["tokens"].as_u64().unwrap(), found["tokens"].as_u64().unwrap() * 4);
    assert_eq!(plan(&["--audit", "0"])["audit"], Value::Null);
    assert_eq!(plan(&["--audit", "2"])["audit"]["requests"], json!(8));
    let local = place.command(&["plan", "--offline", "--audit", "2", "--model", place.model.to_str().unwrap()]);
    let mut local = local;
    assert!(said(local.args(&ITEMS[..8]), 2).contains("--audit needs a server"));
}

/// A server that reads the last `most` tokens of a prompt and answers all the same.
fn cutting(model: &Path, most: u64) -> ModelServer {
    serve_changed(model, VLLM, move |_, mut honest| {
        if let Some(tokens) = honest["usage"]["prompt_tokens"].as_u64() {
            honest["usage"]["prompt_tokens"] = json!(tokens.min(most));
        }
        Reply::Json(honest)
    })
}

#[test]
fn a_server_that_cuts_prompts_is_refused_before_the_first_trial() {
    let place = Place::new();
    let items = place.out("long.jsonl");
    let story = "Ann puts the ball into the box and goes away. ".repeat(120);
    let row = json!({"id": "long", "story": story, "question": "Where is the ball?", "options": ["box", "bed"], "answer": "A"});
    fs::write(&items, format!("{row}\n")).unwrap();
    let run = |server: &ModelServer, out: &Path| {
        let mut command =
            place.command(&["run", "--offline", "--retry-wait", "0.01", "--audit", "0", "--model", &server.name()]);
        command.args([
            "--benchmark",
            "custom",
            "--orders",
            "identity",
            "--scoring",
            "generate",
            "--max-new-tokens",
            "2",
        ]);
        command.arg("--data").arg(&items).arg("--out").arg(out);
        command
    };
    let cut = cutting(&place.model, 512);
    let told = said(&mut run(&cut, &place.out("cut")), 2);
    assert!(told.contains("reads only 512 of them") && told.contains("it cuts longer prompts"), "{told}");
    assert_eq!(cut.of_trials(), 0);
    assert!(!place.out("cut").join("trials.jsonl").exists() || records(&place.out("cut")).is_empty());
    let lengths = cut.log().iter().filter(|asked| asked.is_about_length()).count();
    assert!(lengths <= 4, "{lengths} requests");
    let inspected = place.command(&["models", "inspect", &cut.name(), "--offline"]).run_within(LIMIT).stdout;
    assert!(inspected.contains("CUT: ") && inspected.contains("reads only 512"), "{inspected}");
    let honest = serve(&place.model, VLLM);
    let told = said(&mut run(&honest, &place.out("whole")), 0);
    assert!(!told.contains("cuts"), "{told}");
    assert_eq!(honest.of_trials(), 1);
    let inspected =
        place.command(&["models", "inspect", &honest.name(), "--offline", "--json"]).run_within(LIMIT).json();
    assert_eq!(inspected["truncates"], json!(false));
    assert!(inspected["long_prompts"].as_str().unwrap().contains("(16"), "{inspected}");
}

#[test]
fn machines_of_shards_are_compared_by_the_trials_that_all_score() {
    let place = Place::new();
    let shard = |index: usize| {
        let out = place.out(&format!("shard-{index}"));
        let mut command = place.command(&["run", "--offline", "--device", "cpu", "--batch-tokens", "1", "--model"]);
        command.arg(&place.model).arg("--out").arg(&out).args(ITEMS).args(LETTERS);
        command.arg("--shard").arg(format!("{index}/2")).run_within(LIMIT).success();
        out
    };
    let shards = [shard(1), shard(2)];
    let lines = shards.each_ref().map(|out| read_json_lines(&out.join("audit.jsonl")));
    assert_eq!(lines[0].len(), 6, "all trials, as there are fewer than eight");
    assert_eq!(lines[0], lines[1]);
    let merge = |name: &str| {
        let out = place.out(name);
        let mut command = place.command(&["merge", "--out"]);
        (command.arg(&out).args(&shards).run_within(LIMIT).success().stderr, out)
    };
    let (told, out) = merge("same");
    assert!(told.contains("Audit: 6 trials scored by each of 2 shards") && told.contains("by up to 0 nats"), "{told}");
    assert_eq!(read_json(&out.join("audit.json"))["compared"], json!("shards"));
    assert!(!fs::read_to_string(out.join("report.md")).unwrap().contains("UNSTEADY"));
    // Another machine's arithmetic moves a choice.
    let mut changed = lines[1].clone();
    let scores = changed[0]["scores"].as_array_mut().unwrap();
    scores.iter_mut().enumerate().for_each(|(at, score)| *score = json!(score.as_f64().unwrap() - 0.3 * at as f64));
    changed[0]["choice"] = json!([(changed[0]["choice"][0].as_u64().unwrap() + 1) % 2]);
    let text: String = changed.iter().map(|line| format!("{line}\n")).collect();
    fs::write(shards[1].join("audit.jsonl"), text).unwrap();
    let (told, out) = merge("other");
    assert!(told.contains("1 of 6 choices move") && told.contains("WARNING: the machines of the shards"), "{told}");
    assert!(fs::read_to_string(out.join("report.md")).unwrap().contains("UNSTEADY"));
    edit_json(&out.join("audit.json"), |summary| summary["steady"] = json!(true));
    let shown = place.command(&["report", out.to_str().unwrap()]).run_within(LIMIT).success().stdout;
    assert!(!shown.contains("UNSTEADY"), "{shown}");
}

#[test]
fn doctor_says_at_which_load_a_server_repeats_itself() {
    let place = Place::new();
    let doctor = |server: &ModelServer| {
        let mut command = place.command(&["doctor", "--server", &server.name(), "--offline"]);
        command.args(place.tokenizer());
        command
    };
    let honest = serve(&place.model, VLLM);
    let found = doctor(&honest).arg("--json").run_within(LIMIT).code(0).json();
    assert_eq!(found["steadiness"]["steady_at"], json!([1, 8, 32]), "{found}");
    assert_eq!(found["steadiness"]["settings"].as_array().unwrap().len(), 6);
    let drifting = cold_drift(&place.model);
    let shown = doctor(&drifting).run_within(LIMIT).code(1).stdout;
    assert!(shown.contains("NOT STEADY") && shown.contains("none of these settings"), "{shown}");
    assert!(shown.contains("VLLM_BATCH_INVARIANT=1"), "{shown}");
}
