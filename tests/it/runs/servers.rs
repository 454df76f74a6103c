//! Models on servers: an honest one gives what the engine here computes, and a broken or hostile one costs no answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, read_json, read_json_lines, records};
use crate::support::fixture;
use crate::support::model_server::{
    Asked, ECHO, ECHO_AFTER_BOS, Kind, ModelServer, Reply, TOP, VLLM, serve, serve_changed,
};
use crate::support::tiny_models::tiny_model;

/// What the tests ask: three items of the demo inventory in two orders.
pub(super) const ITEMS: [&str; 9] =
    ["--benchmark", "demo", "--language", "en", "--limit", "3", "--orders", "random:2", "--no-pmi"];

/// Time that a command may take.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

pub(super) struct Place {
    pub(super) context: TestContext,
    pub(super) model: PathBuf,
}

impl Place {
    pub(super) fn new() -> Self {
        let context = TestContext::new();
        let model = tiny_model(context.folder());
        Place { context, model }
    }

    pub(super) fn out(&self, name: &str) -> PathBuf {
        self.context.path(name)
    }

    pub(super) fn tokenizer(&self) -> [&str; 2] {
        ["--tokenizer", self.model.to_str().unwrap()]
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.context.command(arguments)
    }

    /// A run by a server, whose retries wait for no time worth speaking of. Trials are not asked again (`audit.rs`).
    pub(super) fn run(&self, server: &ModelServer, out: &Path, more: &[&str]) -> Command {
        self.audited(server, out, &[&["--audit", "0"], more].concat())
    }

    /// The same, with an audit as `more` says.
    pub(super) fn audited(&self, server: &ModelServer, out: &Path, more: &[&str]) -> Command {
        let mut command =
            self.command(&["run", "--model", &server.name(), "--offline", "--retry-wait", "0.01", "--out"]);
        command.arg(out).args(ITEMS).args(more);
        command
    }
}

/// What a command says that ends with this code.
pub(super) fn said(command: &mut Command, code: i32) -> String {
    let text = command.run_within(LIMIT).code(code).stderr;
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Sums of log-probabilities by item, order and continuation.
fn sums(out: &Path) -> Vec<(String, Vec<f64>)> {
    let sum = |result: &Value| {
        let values = result["logprobs"].as_array().unwrap();
        if values.is_empty() { f64::NEG_INFINITY } else { values.iter().map(|value| value.as_f64().unwrap()).sum() }
    };
    let of_record = |record: &Value| {
        let results =
            record["asks"].as_array().into_iter().flatten().flat_map(|ask| ask["results"].as_array().unwrap());
        (format!("{} {}", record["id"], record["order"]), results.map(sum).collect())
    };
    let mut all: Vec<(String, Vec<f64>)> = records(out).iter().map(of_record).collect();
    all.sort_by(|one, next| one.0.cmp(&next.0));
    all
}

pub(super) fn local(place: &Place, out: &Path, more: &[&str]) {
    let mut command = place.command(&["run", "--offline", "--device", "cpu", "--model"]);
    command.arg(&place.model).arg("--out").arg(out).args(ITEMS).args(more).run_within(LIMIT).success();
}

/// The largest difference between two runs.
pub(super) fn apart(one: &Path, other: &Path) -> f64 {
    let (one, other) = (sums(one), sums(other));
    assert_eq!(one.len(), other.len());
    let mut largest: f64 = 0.0;
    for ((id, values), (other_id, others)) in one.iter().zip(&other) {
        assert_eq!((id, values.len()), (other_id, others.len()));
        assert!(!values.is_empty(), "{id}");
        values.iter().zip(others).for_each(|(a, b)| largest = largest.max((a - b).abs()));
    }
    largest
}

#[test]
fn a_server_gives_what_the_engine_here_computes() {
    let place = Place::new();
    let tokenizer = place.tokenizer();
    let no_template = ["--chat-template", "none"];
    let cases: [(&str, Kind, &str, Vec<&str>, &str); 5] = [
        ("named", VLLM, "letter", tokenizer.to_vec(), "named-ids"),
        ("prompt", VLLM, "letter", [&tokenizer[..], &["--scores-from", "prompt"]].concat(), "prompt-logprobs"),
        ("texts", VLLM, "text", [&tokenizer[..], &["--scores-from", "prompt"]].concat(), "prompt-logprobs"),
        ("echo", ECHO, "hybrid", tokenizer.to_vec(), "echo"),
        // Without a tokenizer the boundary is found by the texts of tokens.
        ("raw", ECHO, "text", no_template.to_vec(), "echo"),
    ];
    for (name, kind, scoring, more, mode) in cases {
        let server = serve(&place.model, kind);
        let out = place.out(name);
        place.run(&server, &out, &[&more[..], &["--scoring", scoring]].concat()).run_within(LIMIT).success();
        let model = &manifest(&out)["model"];
        assert_eq!((&model["backend"], &model["scores"]), (&json!("server"), &json!(mode)), "{name}");
        assert_eq!((&model["elsewhere"], &model["version"]), (&json!(false), &json!("0.1.tiny")), "{name}");
        let here = place.out(&format!("{name}-here"));
        let template = if name == "raw" { &no_template[..] } else { &[] };
        local(&place, &here, &[template, &["--scoring", scoring]].concat());
        let difference = apart(&out, &here);
        assert!(difference < 1e-4, "{name}: {difference}");
        let served = records(&out);
        assert!(
            served.iter().all(|record| record["served"] == json!({"version": "0.1.tiny", "fingerprint": "fp-1"})),
            "{name}"
        );
        let report = fs::read_to_string(out.join("report.md")).unwrap();
        assert!(report.contains("the items stayed on this machine"), "{report}");
    }
}

#[test]
fn labels_beyond_the_likeliest_tokens_have_bounds_and_are_counted() {
    let place = Place::new();
    // Only one label of each prompt is among the tokens that the server gives.
    let server = serve_changed(&place.model, TOP, |asked, mut honest| {
        if asked.is_of_a_trial() {
            honest["choices"][0]["logprobs"]["top_logprobs"][0] = json!({"B": -0.4, "x": -2.0, "y": -3.5});
        }
        Reply::Json(honest)
    });
    let more = [&place.tokenizer()[..], &["--scoring", "letter"]].concat();
    let out = place.out("top");
    place.run(&server, &out, &more).run_within(LIMIT).success();
    assert_eq!(manifest(&out)["model"]["scores"], json!("top"));
    for record in records(&out) {
        for result in record["asks"][0]["results"].as_array().unwrap() {
            match result["text"] == json!("B") {
                true => assert_eq!(result["logprobs"], json!([-0.4])),
                false => assert_eq!((&result["logprobs"], &result["at_most"]), (&json!([]), &json!(-3.5))),
            }
        }
    }
    let results = read_json(&out.join("results.json"));
    let rendered = results["provenance"]["log-likelihoods"].as_str().unwrap().to_string();
    assert!(rendered.contains("no value for") && rendered.contains("labels"), "{rendered}");
    place.command(&["report", out.to_str().unwrap(), "--json"]).run_within(LIMIT).success();

    let none = serve_changed(&place.model, TOP, |asked, mut honest| {
        if asked.is_of_a_trial() {
            honest["choices"][0]["logprobs"]["top_logprobs"][0] = json!({" A": -0.4, "The": -2.0});
        }
        Reply::Json(honest)
    });
    let out = place.out("none");
    place.run(&none, &out, &more).run_within(LIMIT).code(1);
    assert!(
        records(&out).iter().all(|record| record["failure"]["kind"] == json!("not-given")),
        "a space makes another token"
    );
}

#[test]
fn letters_are_scored_by_chats_where_the_server_writes_the_prompts() {
    let place = Place::new();
    // So many that every label is among them. Chats cannot begin the model's turn, so the style must not either.
    let server = serve(&place.model, Kind { top: 1000, ..TOP });
    let (there, here) = (place.out("there"), place.out("here"));
    let packs = place.out("packs");
    fs::create_dir(&packs).unwrap();
    let pack = "benchmark = \"demo\"\nsource = \"a test\"\n[[style]]\nname = \"vanilla\"\nlanguage = \"en\"\n\
                user = \"{story?}\\n{question}\\n{options}\\nAnswer with a letter.\"\nlabels = [\"A\", \"B\", \"C\", \"D\"]\n";
    fs::write(packs.join("demo.toml"), pack).unwrap();
    let style = ["--scoring", "letter", "--prompts", packs.to_str().unwrap()];
    place.run(&server, &there, &[&style[..], &["--top-logprobs", "700"]].concat()).run_within(LIMIT).success();
    let model = &manifest(&there)["model"];
    assert_eq!(
        (&model["route"], &model["scores"], &model["top"]),
        (&json!("chat"), &json!("chat-top"), &json!(700)),
        "{model}"
    );
    let asked = server.log().into_iter().filter(Asked::is_of_a_trial).collect::<Vec<_>>();
    assert!(asked.iter().all(|asked| asked.path.ends_with("/chat/completions")));
    local(&place, &here, &style);
    let difference = apart(&there, &here);
    assert!(difference < 1e-4, "{difference}");
    let prompts = |out: &Path| {
        let mut all: Vec<String> =
            records(out).iter().map(|record| record["asks"][0]["prompt_tokens"].to_string()).collect();
        all.sort();
        all
    };
    assert_eq!(prompts(&there), prompts(&here));
}

#[test]
fn no_prompt_begins_twice() {
    let place = Place::new();
    let tokenizer = place.tokenizer();
    // A server that begins every prompt itself, whatever it is told, and a template that writes the same token.
    let server = serve(&place.model, ECHO_AFTER_BOS);
    for scoring in ["letter", "hybrid"] {
        let (there, here) = (place.out(&format!("there-{scoring}")), place.out(&format!("here-{scoring}")));
        let more = [&tokenizer[..], &["--scoring", scoring, "--scores-from", "prompt"]].concat();
        place.run(&server, &there, &more).run_within(LIMIT).success();
        local(&place, &here, &["--scoring", scoring]);
        let difference = apart(&there, &here);
        assert!(difference < 1e-4, "{scoring}: {difference}");
    }
    let trials: Vec<Asked> = server.log().into_iter().filter(Asked::is_of_a_trial).collect();
    assert!(trials.iter().all(|asked| !asked.body["prompt"].as_str().unwrap().starts_with("<s>")));
    // Raw prompts begin as the tokenizer begins them, here and there.
    let raw = ["--chat-template", "none", "--scoring", "text"];
    let (there, here) = (place.out("there-raw"), place.out("here-raw"));
    place.run(&server, &there, &[&tokenizer[..], &raw].concat()).run_within(LIMIT).success();
    local(&place, &here, &raw);
    assert!(apart(&there, &here) < 1e-4);
    // What the server begins and the template does not cannot be left out.
    let template = place.out("no-bos.jinja");
    fs::write(&template, "{% for message in messages %}[{{ message.content }}]{% endfor %}").unwrap();
    let bare = ["--chat-template", template.to_str().unwrap(), "--scoring", "letter"];
    let rendered = said(&mut place.run(&server, &place.out("bare"), &[&tokenizer[..], &bare].concat()), 2);
    assert!(rendered.contains("always adds a start token to prompts"), "{rendered}");
    // One that begins them twice all the same is noticed by the number of tokens, in every way of asking.
    let ways: [(Kind, &[&str]); 3] = [
        (VLLM, &["--scoring", "letter", "--scores-from", "named"]),
        (TOP, &["--scoring", "letter", "--scores-from", "top"]),
        (TOP, &["--scoring", "generate", "--max-new-tokens", "2", "--chat-template", place.model.to_str().unwrap()]),
    ];
    for (at, (kind, more)) in ways.into_iter().enumerate() {
        let twice = serve_changed(&place.model, kind, |asked, mut honest| {
            if asked.is_of_a_trial() {
                honest["usage"]["prompt_tokens"] = json!(honest["usage"]["prompt_tokens"].as_u64().unwrap() + 1);
            }
            Reply::Json(honest)
        });
        let rendered =
            said(&mut place.run(&twice, &place.out(&format!("twice-{at}")), &[&tokenizer[..], more].concat()), 2);
        assert!(rendered.contains("adds tokens in front"), "{more:?}: {rendered}");
    }
}

#[test]
fn replies_are_those_that_the_engine_here_writes() {
    let place = Place::new();
    let server = serve(&place.model, TOP);
    let (there, here) = (place.out("there"), place.out("here"));
    let more = ["--scoring", "generate", "--max-new-tokens", "6"];
    place.run(&server, &there, &more).run_within(LIMIT).done();
    let mut command = place.command(&["run", "--offline", "--model", place.model.to_str().unwrap(), "--out"]);
    command.arg(&here).args(ITEMS).args(more).run_within(LIMIT).done();
    let texts = |out: &Path| {
        let mut all: Vec<String> = records(out)
            .iter()
            .map(|record| format!("{} {} {}", record["id"], record["order"], record["asks"][0]["reply"]["text"]))
            .collect();
        all.sort();
        all
    };
    assert_eq!(texts(&there), texts(&here));
    assert_eq!(manifest(&there)["model"]["route"], json!("chat"));
}

#[test]
fn a_style_in_two_phases_is_asked_as_here() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let phases = ["--style", "simtom", "--scoring", "letter", "--max-new-tokens", "6"];
    let [out, here] = ["served", "here"].map(|name| place.out(name));
    place.run(&server, &out, &[&place.tokenizer()[..], &phases].concat()).run_within(LIMIT).success();
    local(&place, &here, &phases);
    let replies = |out: &Path| -> Vec<Value> {
        records(&out.join("generate-simtom-perspective"))
            .iter()
            .map(|one| one["asks"][0]["reply"]["text"].clone())
            .collect()
    };
    assert_eq!(replies(&out), replies(&here));
    let [out, here] = [out, here].map(|out| out.join("letter-simtom"));
    assert_eq!(manifest(&out)["settings"]["phase"], manifest(&here)["settings"]["phase"]);
    let difference = apart(&out, &here);
    assert!(difference < 1e-4, "{difference}");
}

#[test]
fn what_servers_do_to_replies_by_default_is_switched_off() {
    let place = Place::new();
    let more = ["--scoring", "generate", "--max-new-tokens", "2", "--top-p", "0.9", "--temperature", "0.5"];
    let server = serve(&place.model, TOP);
    place.run(&server, &place.out("open"), &more).run_within(LIMIT).done();
    let trials: Vec<Asked> = server.log().into_iter().filter(Asked::is_of_a_trial).collect();
    assert!(!trials.is_empty());
    for asked in trials {
        let sent = |name: &str| asked.body[name].clone();
        assert_eq!((sent("repetition_penalty"), sent("repeat_penalty")), (json!(1.0), json!(1.0)));
        assert_eq!((sent("top_p"), sent("min_p"), sent("top_k")), (json!(0.9), json!(0.0), json!(-1)));
    }
    // One that knows the protocol's own keys alone is asked with those, and the run says what that leaves open.
    let strict = serve_changed(&place.model, TOP, |asked, honest| match asked.body.get("repeat_penalty") {
        Some(_) => Reply::Status(400, Vec::new(), "{\"message\":\"unknown key\"}".to_string()),
        None => Reply::Json(honest),
    });
    let rendered = place.run(&strict, &place.out("strict"), &more).run_within(LIMIT).stderr;
    assert!(rendered.contains("takes no repetition_penalty") && !rendered.contains("unknown key"), "{rendered}");
    let trials: Vec<Asked> = strict.log().into_iter().filter(Asked::is_of_a_trial).collect();
    assert!(trials.iter().all(|asked| asked.body["frequency_penalty"] == json!(0.0)) && !trials.is_empty());
}

/// A server that stops answering trials after some, until it is told to go on.
fn failing(place: &Place, after: usize) -> (ModelServer, Arc<AtomicBool>) {
    let (answered, whole) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let mended = Arc::clone(&whole);
    let server = serve_changed(&place.model, VLLM, move |asked, honest| {
        let trial = asked.is_of_a_trial();
        match trial && !mended.load(Ordering::Relaxed) && answered.fetch_add(1, Ordering::Relaxed) >= after {
            true => Reply::Status(503, Vec::new(), "overloaded".to_string()),
            false => Reply::Json(honest),
        }
    });
    (server, whole)
}

#[test]
fn a_stopped_run_goes_on_and_ends_in_the_same_bytes() {
    let place = Place::new();
    let (server, whole) = failing(&place, 3);
    let out = place.out("run");
    let more = [&place.tokenizer()[..], &["--scoring", "letter", "--retries", "1", "--concurrency", "2"]].concat();
    let rendered = said(&mut place.run(&server, &out, &more), 3);
    assert!(
        rendered.contains("status 503: overloaded") && rendered.contains("run the same command again"),
        "{rendered}"
    );
    assert_eq!(records(&out).len(), 3, "what was answered is kept");
    whole.store(true, Ordering::Relaxed);
    let before = server.of_trials();
    place.run(&server, &out, &more).run_within(LIMIT).success();
    assert_eq!(server.of_trials() - before, records(&out).len() - 3, "nothing is asked twice");
    let unbroken = place.out("unbroken");
    place.run(&server, &unbroken, &more).run_within(LIMIT).success();
    for file in ["trials.jsonl", "results.json"] {
        assert_eq!(fs::read(out.join(file)).unwrap(), fs::read(unbroken.join(file)).unwrap(), "{file}");
    }
    // A finished run asks nothing more.
    let before = server.of_trials();
    place.run(&server, &out, &more).run_within(LIMIT).success();
    assert_eq!(server.of_trials(), before);
}

#[test]
fn a_killed_run_loses_the_requests_in_flight_and_no_others() {
    let place = Place::new();
    let server = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Late(honest, Duration::from_millis(150)),
        false => Reply::Json(honest),
    });
    let more = [&place.tokenizer()[..], &["--scoring", "letter", "--concurrency", "1"]].concat();
    let out = place.out("killed");
    let mut command = place.command(&["run", "--model", &server.name(), "--offline", "--out"]);
    command.arg(&out).args(ITEMS).args(&more);
    let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while server.of_trials() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = fs::read_to_string(out.join("trials.jsonl")).unwrap().lines().count();
    assert!(kept >= 1, "answers were recorded as they came");
    place.run(&server, &out, &more).run_within(LIMIT).success();
    let unbroken = place.out("unbroken");
    place.run(&server, &unbroken, &more).run_within(LIMIT).success();
    assert_eq!(fs::read(out.join("trials.jsonl")).unwrap(), fs::read(unbroken.join("trials.jsonl")).unwrap());
}

/// A server whose first `bad` answers to trials are changed.
fn serve_bad(model: &Path, bad: usize, change: impl Fn(Value) -> Reply + Send + Sync + 'static) -> ModelServer {
    let given = AtomicUsize::new(0);
    serve_changed(model, VLLM, move |asked, honest| {
        match asked.is_of_a_trial() && given.fetch_add(1, Ordering::Relaxed) < bad {
            true => change(honest),
            false => Reply::Json(honest),
        }
    })
}

/// What comes of a server whose first answers to trials are changed.
fn hostile(
    place: &Place,
    name: &str,
    bad: usize,
    change: impl Fn(Value) -> Reply + Send + Sync + 'static,
) -> (String, PathBuf) {
    let server = serve_bad(&place.model, bad, change);
    let out = place.out(name);
    let timeout = ["--scoring", "letter", "--request-timeout", "2", "--concurrency", "2"];
    let more = [&place.tokenizer()[..], &timeout].concat();
    (said(&mut place.run(&server, &out, &more), 0), out)
}

#[test]
fn what_passes_by_costs_no_answers() {
    let place = Place::new();
    let whole = place.out("whole");
    let server = serve(&place.model, VLLM);
    let more = [&place.tokenizer()[..], &["--scoring", "letter"]].concat();
    place.run(&server, &whole, &more).run_within(LIMIT).success();
    let same = |name: &str, (_, out): (String, PathBuf)| {
        assert_eq!(
            fs::read(out.join("trials.jsonl")).unwrap(),
            fs::read(whole.join("trials.jsonl")).unwrap(),
            "{name}"
        );
    };
    type Change = fn(Value) -> Reply;
    let storm = |_| {
        Reply::Status(
            429,
            vec![("Retry-After", "0.05".to_string())],
            "{\"error\":{\"message\":\"slow down\"}}".to_string(),
        )
    };
    let cases: [(&str, usize, Change); 8] = [
        ("reset", 3, |_| Reply::Reset),
        ("half", 3, |honest| Reply::Cut(honest, 40)),
        ("no-json", 3, |_| Reply::Status(200, Vec::new(), "<html>gateway</html>".to_string())),
        // One trial is asked three times at most, and both in flight may meet the same one.
        ("no-choices", 2, |_| Reply::Json(json!({"choices": []}))),
        // The first trial is sent alone, as all share its prefix, and is tried seven times.
        ("storm", 6, storm),
        ("down", 3, |_| Reply::Status(502, Vec::new(), String::new())),
        ("slow", 2, |honest| Reply::Late(honest, Duration::from_secs(3))),
        ("dribbled", 2, Reply::Dribbled),
    ];
    for (name, bad, change) in cases {
        same(name, hostile(&place, name, bad, change));
    }
}

#[test]
fn answers_that_cannot_be_used_fail_their_trial_alone() {
    let place = Place::new();
    type Change = fn(Value) -> Reply;
    let cases: [(&str, Change, &str); 5] = [
        (
            "nan",
            |mut honest| {
                let first = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
                first.values_mut().for_each(|value| *value = Value::Null);
                Reply::Json(honest)
            },
            "invalid log-probability",
        ),
        (
            "above-one",
            |mut honest| {
                let first = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
                first.values_mut().for_each(|value| *value = json!(-0.01));
                Reply::Json(honest)
            },
            "add up to",
        ),
        (
            "too-few",
            |mut honest| {
                let first = honest["choices"][0]["logprobs"]["top_logprobs"][0].as_object_mut().unwrap();
                let last = first.keys().next_back().cloned().unwrap();
                first.shift_remove(&last);
                Reply::Json(honest)
            },
            "lacks the requested token",
        ),
        (
            "no-usage",
            |mut honest| {
                honest.as_object_mut().unwrap().remove("usage");
                Reply::Json(honest)
            },
            "lacks `usage.prompt_tokens`",
        ),
        (
            "refused",
            |_| Reply::Status(400, Vec::new(), "{\"message\":\"bad\\u001b[31m words\"}".to_string()),
            "status 400: bad",
        ),
    ];
    for (name, change, why) in cases {
        // What cannot be used may have been broken on its way, and is asked for again; a refusal is not.
        let bad = if name == "refused" { 1 } else { 3 };
        let server = serve_bad(&place.model, bad, change);
        let out = place.out(name);
        let more = [&place.tokenizer()[..], &["--scoring", "letter", "--concurrency", "1"]].concat();
        place.run(&server, &out, &more).run_within(LIMIT).code(1);
        let failed: Vec<Value> = records(&out).into_iter().filter(|record| record.get("failure").is_some()).collect();
        assert_eq!(failed.len(), 1, "{name}");
        assert_eq!(failed[0]["failure"]["kind"], json!("server"), "{name}");
        let message = failed[0]["failure"]["message"].as_str().unwrap();
        assert!(message.contains(why) && !message.contains('\u{1b}'), "{name}: {message}");
    }
}

#[test]
fn a_reply_is_kept_as_far_as_its_tokens_can_reach() {
    let place = Place::new();
    let server = serve_bad(&place.model, 1, |mut honest| {
        honest["choices"][0]["message"]["content"] = json!("答案是A。".repeat(100_000));
        honest["choices"][0]["finish_reason"] = json!("stop");
        Reply::Json(honest)
    });
    let out = place.out("endless");
    let more = ["--scoring", "generate", "--max-new-tokens", "6", "--concurrency", "1"];
    place.run(&server, &out, &more).run_within(LIMIT).done();
    let reply = |record: &Value| record["asks"][0]["reply"].clone();
    let long: Vec<Value> =
        records(&out).iter().map(reply).filter(|reply| reply["text"].to_string().len() > 999).collect();
    let [long] = &long[..] else { panic!("one reply was long: {long:?}") };
    // Six tokens of 256 bytes where the tokenizer is not known, cut at a character of three bytes.
    let text = long["text"].as_str().unwrap();
    assert!((6 * 256 - 2..=6 * 256).contains(&text.len()), "{}", text.len());
    assert_eq!(long["end"], json!("length"));
}

#[test]
fn a_server_that_answers_nothing_is_asked_no_more() {
    let place = Place::new();
    let server = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(400, Vec::new(), "{\"message\":\"unknown key\"}".to_string()),
        false => Reply::Json(honest),
    });
    let out = place.out("refused");
    let more = [&place.tokenizer()[..], &["--scoring", "letter"]].concat();
    let rendered = said(&mut place.run(&server, &out, &more), 2);
    let last = rendered.lines().last().unwrap_or_default();
    assert!(last.contains("consecutive failures") && last.contains("unknown key"), "{rendered}");
    assert_eq!(records(&out).len(), 0, "what would be asked in vain is not written down as answered");
    let silent = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Reset,
        false => Reply::Json(honest),
    });
    let more = [&more[..], &["--retries", "0"]].concat();
    let rendered = said(&mut place.run(&silent, &place.out("silent"), &more), 2);
    assert!(rendered.contains("not answered") || rendered.contains("consecutive failures"), "{rendered}");
    let lines = rendered.lines().filter(|line| line.starts_with("tomeval:")).count();
    assert_eq!(lines, 1, "{rendered}");
}

#[test]
fn a_run_stops_after_ten_failures_with_its_cause_last() {
    let place = Place::new();
    let items = ["--benchmark", "demo", "--language", "en", "--limit", "20", "--orders", "identity", "--no-pmi"];
    let one_by_one = ["--scoring", "letter", "--concurrency", "1", "--retries", "0"];
    let run = |server: &ModelServer, out: &Path| {
        let mut command = place.command(&["run", "--model", &server.name(), "--offline", "--out"]);
        command.arg(out).args(items).args(one_by_one).args(place.tokenizer());
        command
    };
    // Three trials are answered; what was answered is kept, and nothing after it.
    let (server, _) = failing(&place, 3);
    let out = place.out("stopped");
    let rendered = said(&mut run(&server, &out), 3);
    let last = rendered.lines().last().unwrap_or_default();
    assert!(last.contains("10 consecutive failures") && last.contains("status 503: overloaded"), "{rendered}");
    assert_eq!(records(&out).len(), 3);
    // One more may have been sent before the tenth failure was noted.
    assert!((13..=14).contains(&server.of_trials()), "{}", server.of_trials());
    // Prompts that are too long are no failures of the server.
    let long = serve_changed(&place.model, VLLM, |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(400, Vec::new(), "{\"message\":\"maximum context length is 9\"}".to_string()),
        false => Reply::Json(honest),
    });
    let out = place.out("long");
    said(&mut run(&long, &out), 1);
    assert!(records(&out).len() > 10);
    assert!(records(&out).iter().all(|record| record["failure"]["kind"] == json!("too-long")));
}

#[test]
fn a_server_that_is_not_there_is_said_at_once() {
    let place = Place::new();
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|bound| bound.local_addr()).unwrap();
    let absent = format!("openai:http://{free}#tiny");
    let run = |more: &[&str]| {
        let begun = Instant::now();
        let mut command = place.command(&["run", "--model", &absent, "--benchmark", "demo", "--offline"]);
        (said(command.args(more), 2), begun.elapsed())
    };
    let (rendered, time) = run(&[]);
    assert!(rendered.contains("Connection refused") && rendered.contains("--wait SECONDS"), "{rendered}");
    let (waited, longer) = run(&["--wait", "3"]);
    assert!(waited.contains("for 3 seconds") && !waited.contains("--wait"), "{waited}");
    assert!(longer > time + Duration::from_secs(1), "{time:?} without waiting, {longer:?} with");
}

#[test]
fn a_server_that_still_loads_is_waited_for() {
    let place = Place::new();
    let server = serve_changed(&place.model, VLLM, |asked, honest| match asked.path.as_str() {
        "/v1/models" if asked.number < 2 => Reply::Status(503, Vec::new(), "loading model".to_string()),
        _ => Reply::Json(honest),
    });
    let more = [&place.tokenizer()[..], &["--wait", "60", "--retries", "0"]].concat();
    place.run(&server, &place.out("waited"), &more).run_within(LIMIT).success();
}

#[test]
fn what_could_never_be_answered_is_refused_before_the_first_trial() {
    let place = Place::new();
    let server = serve(&place.model, TOP);
    let check = |more: &[&str], words: &[&str]| {
        let rendered = said(&mut place.run(&server, &place.out("refused"), more), 2);
        assert!(words.iter().all(|word| rendered.contains(word)), "{more:?}: {rendered}");
    };
    check(&["--scoring", "generate", "--max-new-tokens", "16000"], &["--max-new-tokens", "context of 16000"]);
    let raw = ["--scoring", "letter", "--chat-template", "none", "--top-logprobs"];
    check(&[&raw[..], &["21"]].concat(), &["--top-logprobs 21", "gives at most"]);
    assert_eq!(server.of_trials(), 0);
    // Chats cannot begin the model's turn, as most built-in styles do: which can be scored is said, and is what `run` does.
    let rendered =
        place.command(&["models", "inspect", &server.name(), "--offline"]).run_within(LIMIT).success().stdout;
    let promised = rendered.split("of the built-in styles only").nth(1).unwrap_or_default();
    let promised = promised.split(", since").next().unwrap_or_default();
    assert!(promised.contains(" custom vanilla") && !promised.contains("tombench"), "{rendered}");
}

/// Every file below a folder that holds a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let below = |path: PathBuf| if path.is_dir() { holding(&path, text) } else { vec![path] };
    let has = |path: &PathBuf| path.is_dir() || String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text);
    entries.flat_map(below).filter(has).collect()
}

#[test]
fn a_key_is_found_nowhere() {
    const KEY: &str = "sk-planted-0123456789abcdef";
    let place = Place::new();
    // The server repeats the key wherever it can.
    let server = serve_changed(&place.model, TOP, |asked, mut honest| {
        let key = asked.header("authorization").unwrap_or_default().trim_start_matches("Bearer ").to_string();
        if !asked.path.contains("completions") {
            return Reply::Json(honest);
        }
        honest["system_fingerprint"] = json!(format!("fp-{key}"));
        honest[key.as_str()] = json!(key);
        if asked.is_of_a_trial() {
            match asked.number % 5 {
                0 => {
                    return Reply::Status(
                        400,
                        Vec::new(),
                        json!({"error": {"message": format!("bad key {key}")}}).to_string(),
                    );
                }
                1 => return Reply::Status(500, Vec::new(), format!("plain words about {key}")),
                _ => honest["choices"][0]["message"]["content"] = json!(format!("[[A]] said {key}")),
            }
        }
        Reply::Json(honest)
    });
    let file = place.out("key.txt");
    fs::write(&file, format!("{KEY}\n")).unwrap();
    let ways: [(&str, &[&str], Option<(&str, &str)>); 3] = [
        ("environment", &[], Some(("TOMEVAL_API_KEY", KEY))),
        ("variable", &["--api-key-env", "MY_KEY"], Some(("MY_KEY", KEY))),
        ("file", &["--api-key-file", file.to_str().unwrap()], None),
    ];
    for (name, arguments, variable) in ways {
        let out = place.out(name);
        let more = ["--scoring", "generate", "--max-new-tokens", "4"];
        let mut command = place.run(&server, &out, &[arguments, &more[..]].concat());
        if let Some((variable, key)) = variable {
            command.env(variable, key);
        }
        let output = command.env("RUST_LOG", "trace").run_within(LIMIT);
        let rendered = output.stdout + &output.stderr;
        assert!(!rendered.contains(KEY), "{name}: {rendered}");
        assert!(!holding(&out, KEY).iter().any(|_| true), "{name}: {:?}", holding(&out, KEY));
        assert!(
            records(&out).iter().any(|record| record.to_string().contains("[key]")),
            "{name}: it was there to be hidden"
        );
    }
    let bearer = format!("Bearer {KEY}");
    assert!(server.log().iter().all(|asked| asked.header("authorization") == Some(&bearer)));
    // Never on the command line, where others read it and shells keep it.
    let named = format!("openai:http://me:{KEY}@127.0.0.1:1#m");
    let rendered = said(&mut place.command(&["run", "--model", &named, "--offline"]), 2);
    assert!(!rendered.contains(KEY) && rendered.contains("--api-key-env"), "{rendered}");
}

#[test]
fn a_redirect_to_another_server_is_not_followed() {
    let place = Place::new();
    let elsewhere = serve(&place.model, TOP);
    let address = elsewhere.address().to_string();
    let server = serve_changed(&place.model, TOP, move |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(307, vec![("Location", format!("{address}{}", asked.path))], String::new()),
        false => Reply::Json(honest),
    });
    let more = [&place.tokenizer()[..], &["--scoring", "letter"]].concat();
    let mut command = place.run(&server, &place.out("moved"), &more);
    let rendered = said(command.env("TOMEVAL_API_KEY", "sk-0123456789abcdef"), 2);
    assert!(rendered.contains("redirects to") && rendered.contains(elsewhere.address()), "{rendered}");
    assert_eq!(elsewhere.log().len(), 0, "neither the key nor an item went there");
}

#[test]
fn a_key_in_the_host_of_a_redirect_is_hidden_though_hosts_are_in_small_letters() {
    const KEY: &str = "SkAbCd12";
    let place = Place::new();
    let server = serve_changed(&place.model, TOP, move |asked, honest| match asked.is_of_a_trial() {
        true => Reply::Status(307, vec![("Location", format!("http://{KEY}.example{}", asked.path))], String::new()),
        false => Reply::Json(honest),
    });
    let more = [&place.tokenizer()[..], &["--scoring", "letter"]].concat();
    let out = place.out("moved");
    let rendered = said(place.run(&server, &out, &more).env("TOMEVAL_API_KEY", KEY), 2);
    assert!(rendered.contains("redirects to") && rendered.contains("[key].example"), "{rendered}");
    assert!(!rendered.to_lowercase().contains(&KEY.to_lowercase()), "{rendered}");
    assert!([KEY, "skabcd12"].iter().all(|key| holding(&out, key).is_empty()));
}

#[test]
fn another_model_or_version_does_not_slip_in() {
    let place = Place::new();
    // The first two trials are answered as before.
    let later =
        |asked: &Asked, given: &AtomicUsize| asked.is_of_a_trial() && given.fetch_add(1, Ordering::Relaxed) >= 2;
    let given = AtomicUsize::new(0);
    let renamed = serve_changed(&place.model, TOP, move |asked, mut honest| {
        if later(asked, &given) {
            honest["model"] = json!("another");
        }
        Reply::Json(honest)
    });
    let more = [&place.tokenizer()[..], &["--scoring", "letter", "--concurrency", "1"]].concat();
    let rendered = said(&mut place.run(&renamed, &place.out("renamed"), &more), 3);
    assert!(rendered.contains("\"another\"") && rendered.contains("\"tiny\""), "{rendered}");

    let updated = || {
        let given = AtomicUsize::new(0);
        move |asked: &Asked, mut honest: Value| {
            if later(asked, &given) {
                honest["system_fingerprint"] = json!("fp-2");
            }
            Reply::Json(honest)
        }
    };
    let server = serve_changed(&place.model, TOP, updated());
    let out = place.out("updated");
    place.run(&server, &out, &more).run_within(LIMIT).done();
    let prints: Vec<Value> = records(&out).iter().map(|record| record["served"]["fingerprint"].clone()).collect();
    assert!(prints.contains(&json!("fp-1")) && prints.contains(&json!("fp-2")), "{prints:?}");
    let server = serve_changed(&place.model, TOP, updated());
    let strict = [&more[..], &["--strict-server"]].concat();
    let rendered = said(&mut place.run(&server, &place.out("strict"), &strict), 3);
    assert!(rendered.contains("fp-2") && rendered.contains("--strict-server"), "{rendered}");
}

#[test]
fn nothing_leaves_this_machine_offline() {
    let context = TestContext::new();
    let rendered = said(&mut context.command(&["run", "--model", "openai:http://192.0.2.1:9#m", "--offline"]), 2);
    assert!(
        rendered.contains("--offline allows only servers on this machine") && rendered.contains("192.0.2.1"),
        "{rendered}"
    );
}

#[test]
fn what_a_server_cannot_do_is_refused_by_name() {
    let place = Place::new();
    let bare = serve(&place.model, TOP);
    let check = |arguments: &[&str], words: &[&str]| {
        let mut command = place.command(&arguments[..1]);
        command.args(["--model", &bare.name(), "--offline"]).args(&arguments[1..]);
        let rendered = said(&mut command, 2);
        assert!(words.iter().all(|word| rendered.contains(word)), "{arguments:?}: {rendered}");
    };
    check(&["run", "--verify-batching", "2"], &["--verify-batching"]);
    check(&["run", "--dtype", "f32"], &["--dtype", "server"]);
    check(
        &["run", "--scoring", "text", "--chat-template", "none"],
        &["log-probabilities of the prompt", "echo is not supported"],
    );
    check(&["attend"], &["server", "attention"]);
    check(&["bench"], &["server"]);
    let rendered = said(&mut place.command(&["run", "--concurrency", "3", "--offline"]), 2);
    assert!(rendered.contains("--concurrency needs a server"), "{rendered}");
    let thinking = serve_changed(&place.model, TOP, |asked, mut honest| {
        if asked.path.contains("chat") {
            honest["choices"][0]["message"]["content"] = json!("<think>\nHm");
        }
        Reply::Json(honest)
    });
    let rendered = said(&mut place.run(&thinking, &place.out("thinking"), &["--scoring", "letter"]), 2);
    assert!(rendered.contains("<think>") && rendered.contains("enable_thinking=false"), "{rendered}");
}

#[test]
fn log_probabilities_that_cannot_be_are_no_way_to_score() {
    let place = Place::new();
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 3] = [
        ("zero", |logprobs| logprobs.as_array_mut().unwrap().iter_mut().skip(1).for_each(|value| *value = json!(0.0))),
        ("absent", |logprobs| *logprobs = Value::Null),
        ("shifted", |logprobs| {
            let list = logprobs.as_array_mut().unwrap();
            list.rotate_right(1);
            list[0] = Value::Null;
        }),
    ];
    for (name, change) in cases {
        let server = serve_changed(&place.model, ECHO, move |asked, mut honest| {
            if asked.body["echo"] == json!(true) {
                change(&mut honest["choices"][0]["logprobs"]["token_logprobs"]);
            }
            Reply::Json(honest)
        });
        let mut command = place.run(&server, &place.out(name), &["--scoring", "text", "--chat-template", "none"]);
        let rendered = said(&mut command, 2);
        assert!(rendered.contains("log-probabilities of the prompt"), "{name}: {rendered}");
    }
}

#[test]
fn a_tokenizer_of_another_model_is_noticed() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let other = fixture("mistral");
    let more = ["--tokenizer", other.to_str().unwrap(), "--scoring", "text"];
    let output = place.run(&server, &place.out("other"), &more).run_within(LIMIT);
    let rendered = output.stderr;
    assert_ne!(output.status.code(), Some(0), "{rendered}");
    assert!(rendered.contains("named tokenizer"), "{rendered}");
}

#[test]
fn inspect_and_plan_tell_what_a_server_can_do() {
    let place = Place::new();
    let server = serve(&place.model, VLLM);
    let mut inspect = place.command(&["models", "inspect", &server.name(), "--offline", "--json"]);
    let rendered = inspect.args(place.tokenizer()).run_within(LIMIT).success().json();
    assert_eq!(
        (&rendered["model"], &rendered["on_this_machine"], &rendered["server"]["version"]),
        (&json!("tiny"), &json!(true), &json!("0.1.tiny"))
    );
    let how = |what: &str| {
        let found = rendered["can"].as_array().unwrap().iter().find(|can| can["what"] == json!(what));
        found.unwrap()["how"].as_str().unwrap().to_string()
    };
    assert!(how("--scoring letter").contains("named tokens") && how("--scoring text").contains("exact"), "{rendered}");
    // The only model there is needs no name.
    let bare = server.name().split('#').next().unwrap().to_string();
    place.command(&["models", "inspect", &bare, "--offline"]).run_within(LIMIT).success();

    let mut plan = place.command(&["plan", "--model", &server.name(), "--offline", "--json"]);
    let rendered = plan.args(&ITEMS[..8]).args(place.tokenizer()).run_within(LIMIT).success().json();
    let (requests, tokens, fresh) =
        (&rendered["requests"], rendered["tokens"].as_u64().unwrap(), rendered["fresh_tokens"].as_u64().unwrap());
    assert_eq!(requests, &rendered["trials"], "named tokens take a request a trial");
    assert!(fresh < tokens && fresh > 0, "{rendered}");
    assert_eq!(server.of_trials(), 0, "a plan asks nothing");
}

#[test]
fn logprob_asks_servers() {
    let place = Place::new();
    let input = place.out("rows.jsonl");
    let rows = "{\"id\": 1, \"prompt\": \"Ann is in the\", \"continuations\": [\" kitchen\", \" garden\"]}\n\
                {\"id\": \"chat\", \"messages\": [{\"role\": \"user\", \"content\": \"A or B?\"}], \"answer_prefix\": \"[[\", \"continuations\": [\"A\", \"B\"]}\n";
    fs::write(&input, rows).unwrap();
    let read = |model: &str, more: &[&str]| {
        let output = place.out("scores.jsonl");
        let mut command = place.command(&["logprob", "--offline", "--model", model, "--input"]);
        command.arg(&input).arg("--output").arg(&output).args(more).run_within(LIMIT).success();
        read_json_lines(&output)
    };
    let server = serve(&place.model, VLLM);
    let there = read(&server.name(), &place.tokenizer());
    let here = read(place.model.to_str().unwrap(), &["--device", "cpu"]);
    assert_eq!(there.len(), 2);
    for (there, here) in there.iter().zip(&here) {
        for key in ["id", "prompt_tokens", "prompt_ids"] {
            assert_eq!(there[key], here[key], "{key}");
        }
        for (there, here) in there["results"].as_array().unwrap().iter().zip(here["results"].as_array().unwrap()) {
            assert_eq!(there["token_ids"], here["token_ids"]);
            assert!((there["sum"].as_f64().unwrap() - here["sum"].as_f64().unwrap()).abs() < 1e-4);
        }
    }
}

fn probe(place: &Place, model: &[&str], what: &[&str], rows: &Path) -> Command {
    let mut command = place.command(&["probe"]);
    command.args(what).args(["--offline", "--json", "--seed", "5", "--draws", "99"]).args(model).arg("--out").arg(rows);
    command
}

/// Rows of `probe --out`, without the canary line.
fn probed(rows: &Path) -> Vec<Value> {
    let mut rows = read_json_lines(rows);
    rows.iter_mut().for_each(|row| drop(row.as_object_mut().unwrap().remove("canary")));
    rows
}

#[test]
fn probes_of_a_served_model_find_what_they_find_here() {
    let place = Place::new();
    let made = place.out("Hi-ToM_data.json");
    let stories = ["make", "hi-tom", "--chapters", "1", "--stories", "2", "--seed", "77", "--out"];
    place.command(&stories).arg(&made).run_within(LIMIT).success();
    let made = made.to_str().unwrap();
    let min_k = ["min-k", "--benchmark", "hi-tom", "--data", made];
    let orders = ["orders", "--benchmark", "demo", "-l", "en", "--limit", "4", "--orders", "2"];
    let here = ["--device", "cpu", "--model", place.model.to_str().unwrap()];
    let tokenizer = place.tokenizer();
    for (name, what, value) in [("min-k", &min_k[..], "min_k"), ("orders", &orders[..], "released")] {
        let rows = place.out(&format!("{name}.jsonl"));
        probe(&place, &here, what, &rows).run_within(LIMIT).success();
        let expected = probed(&rows);
        for (kind, tokens) in [(VLLM, true), (ECHO, true), (ECHO, false)] {
            let server = serve(&place.model, kind);
            let served = server.name();
            let model = [&["--model", &served][..], if tokens { &tokenizer } else { &[] }].concat();
            let document = probe(&place, &model, what, &rows).run_within(LIMIT).success().json();
            assert_eq!((&document["model"]["name"], document.get("device")), (&json!("tiny"), None));
            let found = probed(&rows);
            assert_eq!(found.len(), expected.len(), "{name}");
            for (row, known) in found.iter().zip(&expected) {
                assert_eq!(
                    (&row["id"], &row["tokens"], &row["rank"]),
                    (&known["id"], &known["tokens"], &known["rank"])
                );
                if let Some(known) = known[value].as_f64() {
                    let found = row[value].as_f64().unwrap();
                    assert!((found - known).abs() < 1e-4, "{name} {kind:?}: {found} and {known}");
                }
            }
            assert!(expected.iter().any(|row| row[value].is_number()), "{name}");
        }
    }
}

#[test]
fn a_served_model_recites_what_it_recites_here() {
    let place = Place::new();
    let what = ["recall", "--benchmark", "demo", "-l", "en", "--limit-stories", "3", "--protocol", "completion"];
    let recall = |model: &[&str], rows: &Path| {
        let mut command = place.command(&["probe"]);
        command.args(what).args(["--offline", "--json"]).args(model).arg("--out").arg(rows);
        command
    };
    let rows = place.out("rows.jsonl");
    recall(&["--device", "cpu", "--model", place.model.to_str().unwrap()], &rows).run_within(LIMIT).success();
    let expected = probed(&rows);
    assert!(expected.iter().filter(|row| row["reply"].is_string()).count() >= 2, "{expected:?}");
    let server = serve(&place.model, TOP);
    let name = server.name();
    let model =
        [&["--model", &name, "--chat-template", place.model.to_str().unwrap()][..], &place.tokenizer()].concat();
    recall(&model, &rows).run_within(LIMIT).success();
    assert_eq!(probed(&rows), expected);
    let noted = said(&mut recall(&["--model", &name], &rows), 0);
    assert!(noted.contains("without --tokenizer the token count"), "{noted}");
}

#[test]
fn probes_tell_what_a_server_cannot_and_does_not_answer() {
    let place = Place::new();
    let rows = place.out("rows.jsonl");
    let what = ["orders", "--benchmark", "demo", "-l", "en", "--limit", "4", "--orders", "2"];
    let without = serve(&place.model, TOP);
    let refused = said(&mut probe(&place, &["--model", &without.name()], &what, &rows), 2);
    assert!(refused.contains("needs log-probabilities of whole prompts, which the server does not give"), "{refused}");
    assert!(refused.contains("`probe recall`"), "{refused}");
    let refused = said(&mut probe(&place, &["--model", &without.name(), "--dtype", "f32"], &what, &rows), 2);
    assert!(refused.contains("--dtype cannot be used with a server"), "{refused}");
    let logprob = ["logprob", "--model", &without.name(), "--quantize", "q8_0", "--input", "rows.jsonl"];
    let refused = said(&mut place.command(&logprob), 2);
    assert!(refused.contains("--quantize cannot be used with a server"), "{refused}");
    let first = Arc::new(std::sync::OnceLock::new());
    let broken = serve_changed(&place.model, ECHO, move |asked, honest| match asked.is_of_a_trial() {
        // The first text asked about is refused whenever it is asked.
        true if *first.get_or_init(|| asked.body["prompt"].clone()) == asked.body["prompt"] => {
            Reply::Status(400, Vec::new(), json!({"error": {"message": "not this one"}}).to_string())
        }
        _ => Reply::Json(honest),
    });
    let rendered = said(&mut probe(&place, &["--model", &broken.name()], &what, &rows), 1);
    assert!(rendered.contains("1 question has no answer") && rendered.contains("not this one"), "{rendered}");
    let found = probed(&rows);
    assert_eq!(
        found.iter().filter(|row| row["skipped"].as_str().is_some_and(|why| why.contains("not this one"))).count(),
        1
    );
    assert!(found.iter().any(|row| row["z"].is_number()));
}
