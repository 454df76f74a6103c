//! `tomeval models`, `doctor` and `logprob`, driven as a user would, without network.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use crate::support::context::{Run, TestContext};
use crate::support::files::copy_folder;
use crate::support::fixture;

/// A copy of a fixture that a test may damage.
fn copy_of(name: &str, context: &TestContext) -> PathBuf {
    let copy = context.path(name);
    copy_folder(&fixture(name), &copy);
    copy
}

#[test]
fn cards_are_listed_with_what_is_here() {
    let context = TestContext::with_own_caches();
    let document = context.run(&["models", "list", "--json"]).success().json();
    assert_eq!(document["version"], 2);
    assert!(document["machine"]["free"].as_u64() <= document["machine"]["total"].as_u64());
    let models = document["models"].as_array().expect("a list");
    let demo = models.iter().find(|card| card["name"] == "smollm2-135m-instruct").expect("the demo model has a card");
    assert_eq!((&demo["family"], &demo["path"]), (&Value::from("llama"), &Value::Null));
    assert_eq!((&demo["parameters"], &demo["shape"]["layers"]), (&Value::from(134_515_008), &Value::from(30)));
    let precisions: Vec<&Value> =
        demo["memory"].as_array().expect("a list").iter().map(|at| &at["precision"]).collect();
    assert_eq!(precisions, ["f32", "bf16", "q8_0", "q4_k"]);
    let adapter = models.iter().find(|card| card["name"] == "guanaco-65b").expect("an adapter has a card");
    assert_eq!(adapter["fits"], Value::Null);
    assert!(adapter["cannot_be_run"].as_str().is_some_and(|reason| reason.contains("huggyllama/llama-65b")));
    context.run(&["models", "list"]).success().with_stdout(contains("chatglm3-6b"));
}

#[test]
fn cards_are_filtered_by_paper_and_family() {
    let context = TestContext::with_own_caches();
    let names = |arguments: &[&str]| -> Vec<String> {
        let document = context.command(&["models", "list", "--json"]).args(arguments).run().success().json();
        let models = document["models"].as_array().expect("a list");
        models.iter().map(|card| card["name"].as_str().expect("a name").to_string()).collect()
    };
    // The open models of ToMValley's Table 5.
    assert_eq!(
        names(&["--paper", "tomvalley"]),
        [
            "llama-3.1-8b-instruct",
            "llama-3.1-70b-instruct",
            "mistral-7b-instruct-v0.3",
            "mixtral-8x7b-instruct-v0.1",
            "qwen2-7b-instruct",
            "qwen2-72b-instruct",
            "glm-4-9b-chat",
            "deepseek-v2-lite-chat",
        ]
    );
    assert_eq!(names(&["--paper", "tombench", "--family", "llama"]), ["llama-2-13b-chat"]);
    assert!(names(&["--paper", "hi-tom", "--family", "qwen3"]).is_empty());
    let refused = |arguments: &[&str], expected: &str| {
        context.command(&["models", "list"]).args(arguments).run().code(2).with_stderr(contains(expected));
    };
    refused(&["--paper", "tomi"], "unknown paper `tomi`; use tombench, hi-tom, multi-tom, tomvalley, xtom");
    refused(&["--family", "lama"], "unknown family; use one of baichuan, chatglm");
}

#[test]
fn a_card_is_shown_without_the_models_files() {
    let context = TestContext::with_own_caches();
    let text = context.run(&["models", "show", "qwen3-235b-a22b"]).success().stdout;
    for expected in [
        "Qwen/Qwen3-235B-A22B",
        "235B",
        "used by a token",
        "8 of 128, 1536 wide",
        "XToM: Tables 8 to 10",
        "off with enable_thinking=false",
        "sizes from",
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    let document = context.run(&["models", "show", "--json", "llama-3.1-8b-instruct"]).success().json();
    assert_eq!((&document["version"], &document["model"]["parameters"]), (&2.into(), &8_030_261_248_u64.into()));
    let refused = |name: &str| context.run(&["models", "show", name]).code(2);
    refused("qwen3-8B").with_stderr(contains("perhaps you mean `qwen3-8b`"));
    refused("zzz").with_stderr(contains("`tomeval models list` names all"));
    assert_eq!(fs::read_dir(context.folder()).expect("the folder is there").count(), 0, "something was written");
}

#[test]
fn a_folder_is_inspected() {
    let context = TestContext::with_own_caches();
    let folder = fixture("mistral");
    let document = context.command(&["models", "inspect", "--json"]).arg(&folder).run().success().json();
    let summary = &document["summary"];
    assert_eq!((&summary["layers"], &summary["vocabulary"]), (&Value::from(2), &Value::from(320)));
    assert_eq!(summary["f32_bytes"].as_u64(), summary["parameters"].as_u64().map(|count| count * 4));
    assert_eq!(document["template"]["origin"], "tokenizer_config.json");
    let hashes = document["sha256"].as_object().expect("hashes by file");
    assert!(hashes.contains_key("model-00002-of-00002.safetensors") && hashes.contains_key("tokenizer.json"));
}

#[test]
fn the_tokenizer_file_that_is_read_is_named_with_those_that_are_not() {
    let context = TestContext::with_own_caches();
    let folder = copy_of("mistral", &context);
    fs::write(folder.join("tekken.json"), "{}").expect("a file can be written");
    let document = context.command(&["models", "inspect", "--json"]).arg(&folder).run().success().json();
    assert!(document["tokenizer"]["file"].as_str().is_some_and(|file| file.ends_with("tokenizer.json")));
    assert_eq!(document["tokenizer"]["passed_over"], serde_json::json!(["tekken.json"]));
    assert_eq!(document["sha256"].get("tekken.json"), None, "it decides nothing");
    let shown = context.command(&["models", "inspect"]).arg(&folder).run().success();
    shown.with_stdout(contains("tokenizer.json (not from tekken.json, also present)"));
}

#[test]
fn a_model_that_cannot_be_run_is_inspected_with_the_reason() {
    let context = TestContext::with_own_caches();
    let folder = copy_of("llama", &context);
    let config = folder.join("config.json");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace(r#""model_type": "llama""#, r#""model_type": "mamba""#)).unwrap();
    let document = context.command(&["models", "inspect", "--json"]).arg(&folder).run().code(1).json();
    let summary = &document["summary"];
    assert_eq!((&summary["family"], &summary["layers"]), (&Value::from("mamba"), &Value::Null));
    assert!(summary["parameters"].as_u64() > Some(0));
    let reason = summary["unsupported"].as_str().expect("the reason is there");
    assert!(reason.contains("config.json") && reason.contains("`mamba` is not supported"), "{reason}");
}

/// What `models inspect` tells people of a fixture.
fn inspected(context: &TestContext, model: &Path) -> String {
    context.command(&["models", "inspect"]).arg(model).run().done().stdout
}

#[test]
fn people_are_told_what_a_model_computes_and_what_its_template_does() {
    let context = TestContext::with_own_caches();
    let text = inspected(&context, &fixture("gemma3_text"));
    for expected in [
        "query-key norm  each head",
        "norms           before attention, after attention, before feed-forward, after feed-forward",
        "rotary          base 10000, 16 dimensions (halves), unscaled",
        "rotary          linear, factor 8",
        "window          8 tokens in 2 of 3 layers",
        "as the settings say",
        "memory          bf16  ",
        "for a prompt of 2500 tokens",
        "system message  ",
        "a user turn     ",
        "not asked for   transformers_version",
        "variables       none",
        "system message  becomes part of the first user turn",
    ] {
        let (name, value) = expected.split_once("  ").unwrap_or((expected, ""));
        let line = text.lines().any(|line| line.contains(name) && line.contains(value.trim()));
        assert!(line, "{expected}:\n{text}");
    }
    let text = inspected(&context, &fixture("phi3_longrope"));
    assert!(text.contains("LongRoPE, other factors beyond"), "{text}");
}

#[test]
fn missing_and_foreign_tensors_are_listed() {
    let context = TestContext::with_own_caches();
    let folder = copy_of("qwen3", &context);
    let config = folder.join("config.json");
    let text = fs::read_to_string(&config).expect("a copy can be read");
    let mut values: Value = serde_json::from_str(&text).expect("it is JSON");
    values["num_hidden_layers"] = Value::from(1);
    // A list by layer would no longer fit.
    values.as_object_mut().expect("an object").remove("layer_types");
    values["harmless\u{1b}"] = Value::from(1);
    fs::write(&config, values.to_string()).expect("a copy can be damaged");
    let document = context.command(&["models", "inspect", "--json"]).arg(&folder).run().code(1).json();
    let summary = &document["summary"];
    assert_eq!((&summary["layers"], &summary["missing"]), (&Value::from(1), &Value::Null));
    let foreign = summary["foreign"].as_array().expect("a list");
    assert!(
        foreign.iter().all(|name| name.as_str().is_some_and(|name| name.starts_with("model.layers.1."))),
        "{foreign:?}"
    );
    assert!(summary["unsupported"].as_str().is_some_and(|reason| reason.contains("model.layers.1.")));
    let text = inspected(&context, &folder);
    assert!(text.contains("no place for") && text.contains("more"), "{text}");
    assert!(!text.contains('\u{1b}') && text.contains("harmless"), "{text}");

    values["num_hidden_layers"] = Value::from(3);
    fs::write(&config, values.to_string()).expect("a copy can be damaged");
    let document = context.command(&["models", "inspect", "--json"]).arg(&folder).run().code(1).json();
    let missing = document["summary"]["missing"].as_array().expect("a list").len();
    assert!(missing >= 9, "{missing} tensors of the third layer");
    assert!(document["summary"]["found"].as_u64() > Some(0));
}

#[test]
fn a_gguf_file_is_inspected() {
    let context = TestContext::with_own_caches();
    let document =
        context.command(&["models", "inspect", "--json"]).arg(fixture("gguf/qwen2-q8_0.gguf")).run().success().json();
    assert_eq!((&document["summary"]["format"], &document["summary"]["family"]), (&"gguf".into(), &"qwen2".into()));
    assert_eq!(document["template"]["origin"], "GGUF metadata");
    assert_eq!(document["tokenizer"]["kind"], "byte-level BPE");
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    let context = TestContext::with_own_caches();
    let inspect = |name: &str| context.run(&["models", "inspect", name]).code(2);
    inspect("smolm2-135m-instruct").with_stderr(contains("perhaps you mean `smollm2-135m-instruct`"));
    inspect("no/such/folder").with_stderr(contains("no such file or folder"));
    inspect("guanaco-65b").with_stderr(contains("cannot be run").and(contains("an adapter of huggyllama/llama-65b")));
}

#[test]
fn broken_files_are_refused_by_name() {
    let context = TestContext::with_own_caches();
    let check = |path: &Path, expected: &str| {
        let assert = context.command(&["models", "inspect"]).arg(path).run().code(2);
        assert.with_stderr(contains(expected).and(contains("panicked").not()));
    };
    let wrong = context.path("wrong.gguf");
    fs::write(&wrong, "PK not a model").expect("a file can be written");
    check(&wrong, "not a GGUF file");
    let whole = fs::read(fixture("gguf/llama-f32.gguf")).expect("the fixture can be read");
    for (name, length) in [("header.gguf", 5_000), ("tensors.gguf", whole.len() - 1_000)] {
        let cut = context.path(name);
        fs::write(&cut, &whole[..length]).expect("a file can be written");
        check(&cut, if length == 5_000 { "GGUF header" } else { "cut short" });
    }

    let shardless = copy_of("mistral", &context);
    fs::remove_file(shardless.join("model-00002-of-00002.safetensors")).expect("a copy can be damaged");
    check(&shardless, "model-00002-of-00002.safetensors");
    let truncated = copy_of("llama", &context);
    let weights = truncated.join("model.safetensors");
    let bytes = fs::read(&weights).expect("a copy can be read");
    fs::write(&weights, &bytes[..bytes.len() / 2]).expect("a copy can be damaged");
    check(&truncated, "cut short");
    let mismatched = copy_of("qwen3", &context);
    fs::copy(fixture("qwen2/tokenizer.json"), mismatched.join("tokenizer.json")).expect("a copy can be damaged");
    fs::copy(fixture("qwen2/tokenizer_config.json"), mismatched.join("tokenizer_config.json")).expect("as above");
    check(&mismatched, "do not match");
    check(context.folder(), "config.json");
}

#[test]
fn offline_never_asks_and_says_how_to_mend() {
    let context = TestContext::with_own_caches();
    for name in ["smollm2-135m-instruct", "qwen3-8b", "some/model"] {
        let assert = context.run(&["models", "pull", "--offline", name]).code(2);
        assert.with_stderr(contains("--offline").and(contains(format!("models pull {name}"))));
    }
}

#[test]
fn an_unwritable_cache_is_named_before_anything_is_fetched() {
    let context = TestContext::with_own_caches();
    let file = context.path("a-file");
    fs::write(&file, "").expect("a file can be written");
    context
        .command(&[])
        .env("TOMEVAL_CACHE", &file)
        .args(["models", "pull", "smollm2-135m-instruct"])
        .run()
        .code(2)
        .with_stderr(contains("cannot write to the cache").and(contains("TOMEVAL_CACHE")));
}

#[test]
fn a_pinned_file_of_another_hash_is_refused() {
    let context = TestContext::with_own_caches();
    let path = context.path("cache/models/SmolLM2-135M-Instruct.Q4_1.gguf");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a temporary folder can be made");
    let file = fs::File::create(&path).expect("a file can be made");
    file.set_len(98_362_432).expect("a file with holes takes no room");
    context.run(&["models", "pull", "--offline", "smollm2-135m-instruct"]).code(2).with_stderr(
        contains("is refused").and(contains("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53")),
    );
}

#[test]
fn a_file_that_changed_behind_its_times_is_hashed_again() {
    let context = TestContext::with_own_caches();
    let folder = copy_of("llama", &context);
    let config = folder.join("config.json");
    let hash = || {
        context.command(&["models", "inspect", "--json"]).arg(&folder).run().success().json()["sha256"]["config.json"]
            .clone()
    };
    let text = fs::read_to_string(&config).expect("a copy can be read");
    assert_eq!(hash(), tomeval::internal::sha256_bytes(&text).as_str());
    // Another content of the same size, with the times of before, once in place and once as another file.
    let spaces = |text: &str| text.replacen("\n  ", "\n \t", 1);
    let times = fs::metadata(&config).and_then(|found| found.modified()).expect("this system knows times");
    let changed = spaces(&text);
    assert!(changed != text && changed.len() == text.len());
    let write = |path: &Path, text: &str| {
        fs::write(path, text).expect("a copy can be changed");
        let file = fs::File::options().write(true).open(path).expect("a copy can be opened");
        file.set_modified(times).expect("times can be set");
    };
    write(&config, &changed);
    assert_eq!(hash(), tomeval::internal::sha256_bytes(&changed).as_str());
    let beside = context.path("beside");
    write(&beside, &text);
    fs::rename(&beside, &config).expect("a copy can be replaced");
    assert_eq!(hash(), tomeval::internal::sha256_bytes(&text).as_str());
}

#[test]
fn doctor_reports_this_machine() {
    let context = TestContext::with_own_caches();
    let document = context.run(&["doctor", "--json"]).success().json();
    assert!(document["cpu"]["threads"].as_u64() > Some(0));
    assert!(document["memory"]["total_bytes"].as_u64() > Some(0));
    assert_eq!(document["devices"][0]["usable"], true);
    let missing = document["missing"].to_string();
    assert!(missing.contains("models pull smollm2-135m-instruct"), "{missing}");
    context.run(&["doctor"]).success().with_stdout(contains("CPU"));
}

#[cfg(feature = "hub")]
#[test]
fn a_model_is_fetched_from_the_hub_and_then_found_without_it() {
    let context = TestContext::with_own_caches();
    let server = crate::support::hub_server::serve("tiny/llama", fixture("llama"));
    let pull = |offline: bool| {
        let mut command = context.command(&[]);
        command.env("HF_ENDPOINT", server.address()).args(["models", "pull", "tiny/llama"]);
        if offline {
            command.arg("--offline").env("HF_ENDPOINT", "http://127.0.0.1:1");
        }
        command
    };
    // A part that an interrupted download left behind is continued, not fetched again.
    let weights = fs::read(fixture("llama/model.safetensors")).expect("the fixture can be read");
    let blobs = context.path("huggingface/hub/models--tiny--llama/blobs");
    fs::create_dir_all(&blobs).expect("a temporary folder can be made");
    fs::write(blobs.join("etag-model.part"), &weights[..100_000]).expect("a part can be written");

    pull(false).run().success().with_stdout(contains("model.safetensors").and(contains("tokenizer.json")));
    assert!(server.ranges_of("model.safetensors").contains(&"bytes=100000-".to_string()));
    let asked = server.requests();
    let found = pull(true).run().success().stdout;
    assert_eq!(server.requests(), asked);
    let path = found.lines().find(|line| line.ends_with("model.safetensors")).expect("the weights are listed");
    assert_eq!(fs::read(path).expect("the fetched file can be read"), weights);
    assert!(!found.contains("chat.json"), "{found}");
}

#[cfg(feature = "hub")]
#[test]
fn what_the_hub_refuses_is_explained() {
    let context = TestContext::with_own_caches();
    let server = crate::support::hub_server::serve("tiny/llama", fixture("llama"));
    let pull = |name: &str| {
        let mut command = context.command(&[]);
        command.env("HF_ENDPOINT", server.address()).args(["models", "pull", name]).run().code(2)
    };
    pull("no/model").with_stderr(contains("no such repository"));
    pull("gated/model").with_stderr(contains("HF_TOKEN"));
    context.run(&["models", "pull", "tiny/llama"]).code(2).with_stderr(contains("cannot be reached"));
}

#[test]
fn continuations_are_scored_and_bad_rows_reported() {
    let context = TestContext::with_own_caches();
    let input = context.path("rows.jsonl");
    let output = context.path("scores.jsonl");
    let rows = concat!(
        "\u{feff}{\"id\": \"raw\", \"prompt\": \"Where is the ball?\", \"continuations\": [\" in the box\", \" out\"]}\r\n",
        "{\"id\": 2, \"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}], \"answer_prefix\": \"[[\", \"continuations\": [\"A\"]}\n",
        "{\"id\": 3, \"prompt\": NaN}\n",
        "{\"id\": 4, \"prompt\": \"a\", \"continuations\": [\"\"]}\n",
    );
    fs::write(
        &input,
        format!("{rows}{{\"id\": 5, \"prompt\": \"{}\", \"continuations\": [\"x\"]}}\n", "word ".repeat(400)),
    )
    .expect("a file can be written");
    let mut command = context.command(&[]);
    command.args(["logprob", "--threads", "1", "--device", "cpu", "--model"]).arg(fixture("llama"));
    command.arg("--input").arg(&input).arg("--output").arg(&output);
    command
        .run()
        .code(1)
        .with_stderr(contains("line 3").and(contains("line 4")).and(contains("line 5")).and(contains("rows.jsonl")));

    let text = fs::read_to_string(&output).expect("the output is there");
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    assert_eq!(rows.iter().map(|row| &row["id"]).collect::<Vec<_>>(), [&Value::from("raw"), &Value::from(2)]);
    for row in &rows {
        assert_eq!(row["prompt_tokens"].as_u64(), row["prompt_ids"].as_array().map(|ids| ids.len() as u64));
        for result in row["results"].as_array().expect("a list") {
            let logprobs: Vec<f64> =
                result["logprobs"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
            assert_eq!(logprobs.len(), result["token_ids"].as_array().expect("a list").len());
            assert!(!logprobs.is_empty() && logprobs.iter().all(|&logprob| logprob < 0.0));
            assert!((logprobs.iter().sum::<f64>() - result["sum"].as_f64().expect("a number")).abs() < 1e-4);
        }
    }
    // BOS by the tokenizer's rule for raw text, by the template for chats.
    assert_eq!((&rows[0]["prompt_ids"][0], &rows[1]["prompt_ids"][0]), (&Value::from(1), &Value::from(1)));
    assert_ne!(rows[1]["prompt_ids"][1], Value::from(1));
}
