//! `tomeval selftest`: right arithmetic passes, anything else is missed and named.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{Device, Tensor};
use serde_json::Value;

use crate::support::context::{Output, Run, TestContext};
use crate::support::fixture;

fn selftest(arguments: &[&str]) -> Output {
    TestContext::new().command(&["selftest", "--device", "cpu"]).args(arguments).run()
}

/// A folder with one family, and its changed tensors of one of its files.
fn one_family(file: &str, change: impl Fn(&mut HashMap<String, Tensor>)) -> TestContext {
    let context = TestContext::new();
    let family = context.path("llama");
    fs::create_dir(&family).unwrap();
    for name in ["config.json", "model.safetensors", "expected.safetensors"] {
        fs::copy(fixture("llama").join(name), family.join(name)).unwrap();
    }
    fs::copy(fixture("precisions.json"), context.path("precisions.json")).unwrap();
    let mut tensors = candle_core::safetensors::load(family.join(file), &Device::Cpu).unwrap();
    change(&mut tensors);
    candle_core::safetensors::save(&tensors, family.join(file)).unwrap();
    context
}

fn document(folder: &Path, code: i32) -> Value {
    selftest(&["--json", "--fixtures", folder.to_str().unwrap()]).code(code).json()
}

/// The parts of f32 rows that are missed, each once.
fn missed_in_f32(document: &Value) -> Vec<String> {
    let rows = document["rows"].as_array().unwrap().iter().filter(|row| row["dtype"] == "f32");
    let checks = rows.flat_map(|row| row["checks"].as_array().unwrap()).filter(|check| check["passed"] == false);
    let mut parts: Vec<String> = checks.map(|check| check["part"].as_str().unwrap().to_string()).collect();
    parts.sort();
    parts.dedup();
    parts
}

fn add(tensors: &mut HashMap<String, Tensor>, name: &str, value: f64) {
    let changed = (&tensors[name] + value).unwrap();
    tensors.insert(name.to_string(), changed);
}

#[test]
fn what_is_built_in_passes_in_every_type() {
    let text = selftest(&[]).success().stdout;
    println!("{text}");
    for part in
        ["deepseek_v3", "llama-q8_0", "quantized", "bf16", "f16", "plain", "fused", "Not compared: baichuan2_13b"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn a_whole_folder_passes_and_says_what_it_cannot_compare() {
    let made = one_family("model.safetensors", |_| ());
    fs::create_dir(made.path("gguf")).unwrap();
    fs::copy(fixture("gguf/qwen2-f32.gguf"), made.path("gguf/qwen2-f32.gguf")).unwrap();
    let document = document(made.folder(), 0);
    assert_eq!(document["rows"].as_array().unwrap().len(), 6, "two arithmetics in three types");
    assert_eq!(document["skipped"][0]["fixture"], "qwen2-f32.gguf");
}

#[test]
fn a_changed_weight_or_expectation_is_missed_where_it_shows() {
    let layer = "model.layers.0.self_attn.q_proj.weight";
    let made = one_family("model.safetensors", |tensors| add(tensors, layer, 0.01));
    let missed = missed_in_f32(&document(made.folder(), 1));
    for part in ["capture", "hidden", "logits", "reply"] {
        assert!(missed.iter().any(|missed| missed == part), "{missed:?}");
    }

    let made = one_family("expected.safetensors", |tensors| add(tensors, "attentions", 2e-5));
    assert_eq!(missed_in_f32(&document(made.folder(), 1)), ["capture"]);
    let made = one_family("expected.safetensors", |tensors| add(tensors, "greedy_logprobs", 2e-4));
    assert_eq!(missed_in_f32(&document(made.folder(), 1)), ["reply"]);
    let made = one_family("expected.safetensors", |tensors| add(tensors, "logits_b1", 2e-4));
    assert_eq!(missed_in_f32(&document(made.folder(), 1)), ["logits"]);
    let made = one_family("expected.safetensors", |tensors| add(tensors, "logits", f64::NAN));
    let missed = document(made.folder(), 1);
    assert_eq!(missed["rows"].as_array().unwrap().iter().filter(|row| row["passed"] == true).count(), 0);
    let text = selftest(&["--fixtures", made.folder().to_str().unwrap()]).stdout;
    assert!(text.contains("MISSED") && text.contains("NaN/inf"), "{text}");
}

#[test]
fn what_cannot_be_read_is_a_miss_or_an_error() {
    let made = one_family("expected.safetensors", |tensors| {
        tensors.remove("attentions");
    });
    let document = document(made.folder(), 1);
    assert!(document["rows"][0]["problem"].as_str().unwrap().contains("attentions"), "{document}");

    let empty = TestContext::new();
    for (folder, part) in [(empty.path(""), "no fixtures here"), (empty.path("absent"), "absent")] {
        let output = selftest(&["--fixtures", folder.to_str().unwrap()]).code(2);
        assert!(output.stderr.contains(part), "{output:?}");
    }
    fs::write(made.path("precisions.json"), "{}").unwrap();
    let output = selftest(&["--fixtures", made.folder().to_str().unwrap()]);
    assert!(output.stderr.contains("precisions.json"), "{output:?}");
}
