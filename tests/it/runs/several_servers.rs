//! Runs by several servers of one model, and the order of sending that fills their caches.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::servers::{LIMIT, Place, said};
use crate::support::context::Run;
use crate::support::files::{manifest, records};
use crate::support::model_server::{Asked, ModelServer, NAME, Reply, TOP, VLLM, serve, serve_cache, serve_changed};

/// Items enough for both servers.
const ITEMS: [&str; 11] = [
    "--benchmark",
    "demo",
    "--language",
    "en",
    "--limit",
    "8",
    "--orders",
    "random:2",
    "--no-pmi",
    "--scoring",
    "letter",
];

fn named(servers: &[&ModelServer]) -> String {
    let addresses: Vec<&str> = servers.iter().map(|server| server.address()).collect();
    format!("openai:{}#{NAME}", addresses.join(","))
}

fn run(place: &Place, servers: &[&ModelServer], out: &Path, more: &[&str]) -> Command {
    let mut command = place.command(&[
        "run",
        "--model",
        &named(servers),
        "--offline",
        "--audit",
        "0",
        "--retry-wait",
        "0.01",
        "--out",
    ]);
    command.arg(out).args(ITEMS).args(place.tokenizer()).args(more);
    command
}

/// A server that breaks every connection once it has answered some trials, until it is mended.
fn dying(place: &Place, after: usize) -> (ModelServer, Arc<AtomicBool>) {
    let (answered, mended) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let whole = Arc::clone(&mended);
    let server = serve_changed(&place.model, VLLM, move |asked, honest| {
        let alive = |count| count < after || whole.load(Ordering::Relaxed);
        match asked.is_of_a_trial() && !alive(answered.fetch_add(1, Ordering::Relaxed)) {
            true => Reply::Reset,
            false => Reply::Json(honest),
        }
    });
    (server, mended)
}

/// The records as text, without the servers' names; and these.
fn nameless(out: &Path) -> (Vec<String>, Vec<Value>) {
    let mut names = Vec::new();
    let texts = records(out).into_iter().map(|mut record| {
        names.extend(record["served"].as_object_mut().and_then(|served| served.shift_remove("server")));
        record.to_string()
    });
    (texts.collect(), names)
}

#[test]
fn a_server_that_is_killed_leaves_its_trials_to_the_other() {
    let place = Place::new();
    let alone = serve(&place.model, VLLM);
    let one = place.out("one");
    run(&place, &[&alone], &one, &[]).run_within(LIMIT).success();
    let (expected, names) = nameless(&one);
    assert!(names.is_empty(), "one server is not named");
    assert!(manifest(&one)["model"].get("others").is_none());

    let (first, (second, _)) = (serve(&place.model, VLLM), dying(&place, 3));
    let out = place.out("two");
    let rendered = said(&mut run(&place, &[&first, &second], &out, &["--retries", "1", "--concurrency", "2"]), 0);
    assert!(rendered.contains(&format!("{} is left out: ", second.address())), "{rendered}");
    let (texts, names) = nameless(&out);
    assert_eq!(texts, expected);
    let of = |server: &ModelServer| {
        let base = json!(format!("{}/v1", server.address()));
        names.iter().filter(|name| **name == base).count()
    };
    assert_eq!((of(&first), of(&second)), (expected.len() - 3, 3));
    assert_eq!(first.of_trials(), expected.len() - 3, "nothing is asked twice");
    assert_eq!(manifest(&out)["model"]["others"], json!([format!("{}/v1", second.address())]));
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains(second.address()), "{report}");
}

#[test]
fn a_run_of_two_servers_goes_on_with_one_or_three() {
    let place = Place::new();
    let ((first, mended), (second, _), third) = (dying(&place, 3), dying(&place, 2), serve(&place.model, VLLM));
    let out = place.out("run");
    let hasty = ["--retries", "0", "--concurrency", "2"];
    let rendered = said(&mut run(&place, &[&first, &second], &out, &hasty), 3);
    assert!(rendered.contains("is left out") && rendered.contains("run the same command again"), "{rendered}");
    assert_eq!(records(&out).len(), 5, "what both answered is kept");
    // More of them, one of them already down; then one alone, which the records name all the same.
    mended.store(true, Ordering::Relaxed);
    let copy = place.out("copy");
    fs::create_dir(&copy).unwrap();
    for file in fs::read_dir(&out).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::copy(file.path(), copy.join(file.file_name())).unwrap();
    }
    run(&place, &[&third, &second, &first], &copy, &hasty).run_within(LIMIT).success();
    run(&place, &[&first], &out, &hasty).run_within(LIMIT).success();
    let (texts, names) = nameless(&out);
    assert_eq!((texts.len(), names.len()), (nameless(&copy).0.len(), texts.len()));
    assert_eq!(texts, nameless(&copy).0);
}

#[test]
fn a_trial_that_one_server_refuses_is_asked_at_the_other() {
    let place = Place::new();
    let first = serve(&place.model, VLLM);
    let refusing = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(400, Vec::new(), "{\"message\":\"not today\"}".to_string()),
        false => Reply::Json(honest),
    });
    let out = place.out("run");
    let rendered = said(&mut run(&place, &[&refusing, &first], &out, &["--concurrency", "1"]), 0);
    assert!(records(&out).iter().all(|record| record.get("failure").is_none()));
    assert!(refusing.of_trials() <= 10 && refusing.of_trials() > 0, "{rendered}");
    // One that needs another key is left out at once.
    let locked = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(401, Vec::new(), String::new()),
        false => Reply::Json(honest),
    });
    let rendered = said(&mut run(&place, &[&locked, &first], &place.out("locked"), &["--concurrency", "1"]), 0);
    assert!(rendered.contains("is left out") && rendered.contains("status 401"), "{rendered}");
    assert_eq!(locked.of_trials(), 1);
}

#[test]
fn servers_that_do_not_answer_alike_are_refused() {
    let place = Place::new();
    let first = serve(&place.model, VLLM);
    let probes = |asked: &Asked| asked.body.to_string().contains("Reading test");
    let other = serve_changed(&place.model, VLLM, move |asked, mut honest| {
        if probes(asked) {
            let found = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
            found.values_mut().for_each(|value| *value = json!(value.as_f64().unwrap() - 0.37));
        }
        Reply::Json(honest)
    });
    let rendered = said(&mut run(&place, &[&first, &other], &place.out("other"), &[]), 2);
    let words = [first.address(), other.address(), "0.37 nats", "Reading test"];
    assert!(words.iter().all(|word| rendered.contains(word)), "{rendered}");
    assert_eq!(first.log().iter().filter(|asked| probes(asked)).count(), 8);
    assert_eq!((first.of_trials(), other.of_trials()), (0, 0));
    // Another model behind the same name, and an address given twice.
    let renamed = serve_changed(&place.model, VLLM, |_, mut honest| {
        honest["model"] = json!("another");
        Reply::Json(honest)
    });
    let rendered = said(&mut run(&place, &[&first, &renamed], &place.out("renamed"), &[]), 2);
    assert!(rendered.contains("\"another\"") && rendered.contains("\"tiny\""), "{rendered}");
    let rendered = said(&mut run(&place, &[&first, &first], &place.out("twice"), &[]), 2);
    assert!(rendered.contains("named twice"), "{rendered}");
    // Other commands take one.
    let rendered = said(&mut place.command(&["models", "inspect", &named(&[&first, &other]), "--offline"]), 2);
    assert!(rendered.contains("several servers are for `run` and `plan`"), "{rendered}");
}

#[test]
fn abilities_are_those_of_all_and_each_server_gets_its_key() {
    let place = Place::new();
    let (first, second) = (serve(&place.model, VLLM), serve(&place.model, TOP));
    let out = place.out("run");
    let mut command = run(&place, &[&first, &second], &out, &["--api-key-env", "KEY_A,KEY_B"]);
    command.env("KEY_A", "sk-first-0123456789").env("KEY_B", "sk-second-0123456789").run_within(LIMIT);
    assert_eq!(manifest(&out)["model"]["scores"], json!("top"), "only one of them takes named tokens");
    for (server, key) in [(&first, "Bearer sk-first-0123456789"), (&second, "Bearer sk-second-0123456789")] {
        assert!(server.log().iter().all(|asked| asked.header("authorization") == Some(key)));
        assert!(server.of_trials() > 0);
    }
    let mut command = run(&place, &[&first, &second], &out, &["--api-key-env", "KEY_A,KEY_B,KEY_C"]);
    let rendered = said(command.env("KEY_A", "sk-first-0123456789"), 2);
    assert!(rendered.contains("3 variables for 2 servers"), "{rendered}");
}

/// The share of the shared tokens that a run found in the cache, as it says.
fn cached(rendered: &str) -> f64 {
    let words: Vec<&str> = rendered.split_whitespace().collect();
    let at = words.windows(4).position(|words| words[1..] == ["%", "of", "the"]);
    at.and_then(|at| words[at].parse().ok()).unwrap_or_else(|| panic!("{rendered}"))
}

#[test]
fn a_first_run_finds_what_its_prompts_share_in_the_cache() {
    let place = Place::new();
    // Stories long enough to share blocks, each with three questions.
    let data = place.out("Hi-ToM_data.json");
    let stories = ["make", "hi-tom", "--chapters", "1", "--stories", "8", "--seed", "77", "--out"];
    place.command(&stories).arg(&data).run_within(LIMIT).success();
    for at_a_time in ["8", "32"] {
        let server = serve_cache(&place.model, Duration::from_millis(10));
        let mut command = place.command(&["run", "--model", &server.name(), "--offline", "--benchmark", "hi-tom"]);
        command.arg("--data").arg(&data).arg("--out").arg(place.out(at_a_time));
        command.args(["--orders", "random:3", "--scoring", "letter", "--concurrency", at_a_time]);
        let rendered = said(command.args(place.tokenizer()), 0);
        assert!(cached(&rendered) >= 90.0, "{at_a_time}: {rendered}");
        println!("{at_a_time} in flight: {:.1} % of what prompts share", cached(&rendered));
    }
    // Where the server does not tell, the run says how it can be made to.
    let silent = serve(&place.model, VLLM);
    let rendered = said(&mut run(&place, &[&silent], &place.out("silent"), &[]), 0);
    assert!(rendered.contains("--enable-prompt-tokens-details"), "{rendered}");
}
