//! `doctor --server --reference`: a server that runs the model it says passes in any precision, and one that runs
//! something else does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tomeval::Precision;

use crate::support::context::{Run, TestContext};
use crate::support::files::{copy_folder, edit_json};
use crate::support::model_server::{Kind, ModelServer, Reply, TOP, VLLM, serve, serve_changed, serve_in};
use crate::support::tiny_models::tiny_model;

const LIMIT: Duration = Duration::from_secs(300);

/// What `doctor` finds of a server, with its exit code.
fn doctor(context: &TestContext, server: &ModelServer, reference: &Path, code: i32) -> (Value, String) {
    let begun = Instant::now();
    let mut command = context.command(&["doctor", "--server", &server.name(), "--offline", "--json"]);
    command.args(["--device", "cpu", "--retry-wait", "0.01", "--reference"]).arg(reference);
    let done = command.run_within(LIMIT);
    println!("{code} in {:?}: {}\n{}", begun.elapsed(), done.stdout, done.stderr);
    let done = done.code(code);
    (done.json()["reference"].clone(), done.stderr)
}

/// A copy of a model.
fn copy(context: &TestContext, model: &Path, name: &str) -> PathBuf {
    let to = context.path(name);
    copy_folder(model, &to);
    to
}

fn with_rope_base(context: &TestContext, model: &Path) -> PathBuf {
    let other = copy(context, model, "rope");
    edit_json(&other.join("config.json"), |config| config["rope_parameters"]["rope_theta"] = json!(1_000_000.0));
    other
}

fn with_other_weights(context: &TestContext, model: &Path) -> PathBuf {
    let other = copy(context, model, "weights");
    let file = other.join("model.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    // Each tensor is read back to front by fours: the same values in other places.
    let reversed: Vec<u8> = bytes[header..].chunks(4).rev().flatten().copied().collect();
    bytes.splice(header.., reversed);
    fs::write(file, bytes).unwrap();
    other
}

fn with_other_template(context: &TestContext, model: &Path) -> PathBuf {
    let other = copy(context, model, "template");
    edit_json(&other.join("tokenizer_config.json"), |settings| {
        let template = settings["chat_template"].as_str().unwrap();
        settings["chat_template"] = json!(template.replace("'[INST] '", "'[INSTRUCTION] '"));
    });
    other
}

#[test]
fn healthy_servers_pass_in_every_precision() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    for precision in [Precision::BF16, Precision::Q4_0] {
        let server = serve_in(precision, &model, VLLM);
        let (found, _) = doctor(&context, &server, &model, 0);
        assert_eq!((&found["verdict"], &found["compared"]), (&json!("same"), &json!("prompt-logprobs")));
        let groups: Vec<&Value> = found["parts"].as_array().unwrap().iter().map(|part| &part["group"]).collect();
        assert_eq!(groups, [&json!("short"), &json!("long"), &json!("chats")]);
        assert_eq!((&found["parts"][0]["prompts"], &found["parts"][1]["prompts"]), (&json!(16), &json!(8)));
        assert!(found["parts"][1]["compared"].as_u64().unwrap() > 8 * 1500);
    }
}

#[test]
fn planted_faults_fail_with_what_is_wrong() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    type Plant = fn(&TestContext, &Path) -> PathBuf;
    let cases: [(Plant, &str); 3] = [
        (with_rope_base, "Long texts: the server's log-probabilities lie apart"),
        (with_other_weights, "Short texts: the server's log-probabilities lie apart"),
        (with_other_template, "8 chats with other tokens: the server's template makes"),
    ];
    for (plant, words) in cases {
        let server = serve(&plant(&context, &model), VLLM);
        let (found, said) = doctor(&context, &server, &model, 2);
        assert_eq!(found["verdict"], json!("other"));
        let last = said.lines().last().unwrap();
        assert!(last.contains("does not run the reference") && last.contains(words), "{last}");
    }
}

#[test]
fn where_no_log_probabilities_of_prompts_come_the_next_tokens_and_the_replies_are_compared() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    // Replies to long texts take the tests' server long.
    edit_json(&model.join("config.json"), |config| config["max_position_embeddings"] = json!(700));
    let other = with_other_weights(&context, &model);
    let none = Kind { top: 0, ..TOP };
    for (kind, way) in [(TOP, "top"), (none, "replies")] {
        let (found, _) = doctor(&context, &serve_in(Precision::Q4_0, &model, kind), &model, 0);
        assert_eq!((&found["verdict"], &found["compared"]), (&json!("same"), &json!(way)));
        assert!(found["notes"][0].as_str().unwrap().starts_with("A context of 700 tokens takes no text of 1,500"));
        let (found, _) = doctor(&context, &serve(&other, kind), &model, 2);
        assert_eq!((&found["verdict"], &found["compared"]), (&json!("other"), &json!(way)));
    }
}

#[test]
fn prompts_without_an_answer_leave_it_open_and_another_tokenizer_is_a_fault() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let refuses = |long: bool, status: u16, message: &'static str| {
        serve_changed(&model, TOP, move |asked, honest| match asked.body["prompt"].as_str() {
            Some(prompt) if long && prompt.len() > 1000 => {
                Reply::Status(status, Vec::new(), json!({"error": {"message": message}}).to_string())
            }
            _ => Reply::Json(honest),
        })
    };
    let (found, _) = doctor(&context, &refuses(true, 400, "the prompt is too long"), &model, 1);
    assert_eq!(found["verdict"], json!("open"));
    assert!(found["notes"][0].as_str().unwrap().starts_with("8 of 32 prompts have no answer: "), "{found}");
    let twice = serve_changed(&model, TOP, |asked, mut honest| {
        if asked.body["prompt"].as_str().is_some_and(|prompt| prompt.len() > 60) {
            honest["usage"]["prompt_tokens"] = json!(honest["usage"]["prompt_tokens"].as_u64().unwrap() + 1);
        }
        Reply::Json(honest)
    });
    let (found, _) = doctor(&context, &twice, &model, 2);
    for (fault, texts) in [(0, "16 texts with other tokens"), (1, "8 texts with other tokens")] {
        assert!(found["faults"][fault].as_str().unwrap().contains(texts), "{found}");
    }
}

#[test]
fn doctor_names_what_it_needs() {
    let context = TestContext::new();
    let model = tiny_model(context.folder());
    let said = |arguments: &[&str]| context.command(arguments).run_within(LIMIT).code(2).stderr;
    assert!(said(&["doctor", "--reference", "m"]).contains("--server"));
    assert!(said(&["doctor", "--concurrency", "3"]).contains("--concurrency needs a server"));
    let server = serve(&model, VLLM);
    let absent = said(&["doctor", "--server", &server.name(), "--offline", "--reference", "no/such/folder"]);
    assert!(absent.contains("no/such/folder"), "{absent}");
    assert_eq!(server.log().len(), 0, "nothing is asked where the reference is absent");
    let mut plain = context.command(&["doctor", "--server", &server.name(), "--offline", "--tokenizer"]);
    let plain = plain.arg(&model).run_within(LIMIT).success();
    assert!(plain.stdout.contains("0.1.tiny") && plain.stdout.lines().all(|line| line.chars().count() <= 80));
}
