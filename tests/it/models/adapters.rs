//! `--adapter`: adapters made and computed by PEFT (`tests/fixtures/adapters/make_adapters.py`) give its logits, on
//! safetensors and GGUF files; those that do not belong to a model are refused with the tensor.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use predicates::str::contains;
use serde_json::{Value, json};
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::context::{Run, TestContext};
use crate::support::files::{manifest, read_json};
use crate::support::fixture;
use crate::support::tiny_models::tiny_model;

const TOLERANCE: f32 = 1e-4;

fn adapter(name: &str) -> PathBuf {
    fixture("adapters").join(name)
}

fn opened(base: &str, folder: &Path) -> Result<ModelFiles, String> {
    let files = ModelFiles::from_path(&fixture(base)).unwrap();
    files.with_adapter(&folder.into()).map_err(|error| error.to_string())
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn logits(decoder: &Decoder, ids: &[u32]) -> Vec<f32> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(ids, 0)).unwrap();
    values(&decoder.logits(&output.hidden).unwrap())
}

/// Largest difference from PEFT's logits of a model with an adapter, or without.
fn apart(base: &str, name: &str, merged: bool, precision: Precision) -> f32 {
    let expected: HashMap<String, Tensor> =
        candle_core::safetensors::load(adapter(name).join("expected.safetensors"), &Device::Cpu).unwrap();
    let ids: Vec<i64> = expected["input_ids"].flatten_all().unwrap().to_vec1().unwrap();
    let ids: Vec<u32> = ids.into_iter().map(|id| id as u32).collect();
    let expected = values(&expected["logits"]);
    let files = match merged {
        true => opened(base, &adapter(name)).unwrap(),
        false => ModelFiles::from_path(&fixture(base)).unwrap(),
    };
    let found = logits(&files.decoder(&Device::Cpu, precision).unwrap(), &ids);
    assert_eq!(found.len(), expected.len());
    let differences = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
    let largest = differences.fold(0.0, |most, next: f32| if next > most || next.is_nan() { next } else { most });
    println!("{name} on {base}: {largest:.2e}");
    largest
}

#[test]
fn adapters_give_the_logits_of_peft() {
    for (base, name) in [
        ("llama", "llama"),
        ("llama", "llama_embedding"),
        ("qwen2", "qwen2"),
        ("qwen2", "qwen2_layer"),
        ("phi3", "phi3"),
    ] {
        assert!(apart(base, name, true, Precision::F32) <= TOLERANCE, "{name}");
    }
}

#[test]
fn adapters_are_merged_into_gguf_files_in_their_layout() {
    for (base, name) in
        [("gguf/llama-f32.gguf", "llama"), ("gguf/qwen2-f32.gguf", "qwen2"), ("gguf/phi3-f32.gguf", "phi3")]
    {
        assert!(apart(base, name, true, Precision::F32) <= TOLERANCE, "{name}");
    }
    // The blocks of what is not adapted stay as they are, and are all that differs.
    let [with, without] =
        [true, false].map(|merged| apart("gguf/qwen2-q8_0.gguf", "qwen2", merged, Precision::Quantized));
    assert!(with > 0.0 && with < 0.2 * without, "{with} {without}");
}

/// A copy of an adapter with another configuration or other tensors.
fn changed(name: &str, config: impl Fn(&mut Value), tensors: impl Fn(&mut HashMap<String, Tensor>)) -> TestContext {
    let context = TestContext::new();
    let source = adapter(name);
    let mut settings = read_json(&source.join("adapter_config.json"));
    config(&mut settings);
    context.write("adapter_config.json", settings.to_string());
    let mut found = candle_core::safetensors::load(source.join("adapter_model.safetensors"), &Device::Cpu).unwrap();
    tensors(&mut found);
    candle_core::safetensors::save(&found, context.path("adapter_model.safetensors")).unwrap();
    context
}

fn refused(base: &str, folder: &Path) -> String {
    let opened = opened(base, folder).and_then(|files| files.open().map_err(|error| error.to_string()));
    opened.map(drop).expect_err("refused")
}

#[test]
fn adapters_of_other_models_are_refused_with_the_tensor() {
    for (base, name, part) in [
        ("qwen2", "llama", "the model ties its head to its embedding"),
        ("phi3", "llama", "another model"),
        ("llama", "phi3", "another model"),
        ("llama", "qwen2", "another model"),
        ("qwen2", "phi3", "another model"),
    ] {
        let problem = refused(base, &adapter(name));
        assert!(problem.contains("adapter_model.safetensors: tensor `base_model.model."), "{problem}");
        assert!(problem.contains(part), "{problem}");
    }
    // Norms of GGUF files are kept otherwise.
    assert!(refused("gguf/llama-f32.gguf", &adapter("llama_embedding")).contains("norm.weight"));
}

#[test]
fn every_tensor_of_an_adapter_must_have_its_place() {
    const QUERY: &str = "base_model.model.model.layers.0.self_attn.q_proj";
    let first = format!("{QUERY}.lora_A.weight");
    let check = |context: &TestContext, part: &str| {
        let problem = refused("llama", context.folder());
        assert!(problem.contains(part), "{problem}");
    };
    let rename = |from: &str, to: &str| {
        let (from, to) = (from.to_string(), to.to_string());
        changed(
            "llama",
            |_| (),
            move |tensors| {
                let tensor = tensors.remove(&from).unwrap();
                tensors.insert(to.clone(), tensor);
            },
        )
    };
    let without = |names: &'static [&'static str]| {
        changed(
            "llama",
            |_| (),
            move |tensors| names.iter().for_each(|name| drop(tensors.remove(&format!("{QUERY}.{name}")))),
        )
    };
    check(&rename("base_model.model.lm_head.weight", "lm_head.weight"), "does not begin with base_model.model.");
    check(&rename(&first, &format!("{QUERY}.lora_C.weight")), "lora_A.weight is missing");
    check(&rename("base_model.model.lm_head.weight", "base_model.model.score.weight"), "no score.weight");
    check(&without(&["lora_A.weight"]), "its other factor");
    check(&without(&["lora_B.weight"]), "its other factor");
    check(&without(&["lora_A.weight", "lora_B.weight"]), "the file is truncated");
    check(&changed("llama", |config| config["target_modules"] = json!(["v_proj"]), |_| ()), "does not name");
    check(&changed("llama", |config| config["rank_pattern"] = json!({}), |_| ()), "its shape is [2, 64]");
    check(&changed("llama", |config| config["use_dora"] = true.into(), |_| ()), "`use_dora` is true");
    // The head of this base is its embedding.
    let tied = changed(
        "qwen2",
        |_| (),
        |tensors| {
            let head = Tensor::zeros((320, 64), DType::F32, &Device::Cpu).unwrap();
            tensors.insert("base_model.model.lm_head.weight".to_string(), head);
        },
    );
    assert!(refused("qwen2", tied.folder()).contains("the model ties its head to its embedding"));
    let empty = TestContext::new();
    assert!(refused("llama", empty.folder()).contains("it has no adapter_config.json"));
}

#[test]
fn a_run_names_its_adapter_and_is_not_gone_on_with_by_another() {
    let context = TestContext::new();
    let (base, out) = (tiny_model(context.folder()), context.path("run"));
    let (own, other) = (adapter("llama"), adapter("llama_embedding"));
    let arguments = ["run", "--offline", "--benchmark", "demo", "--limit", "2", "--orders", "identity"];
    let run = |adapter: &Path| {
        let mut run = context.command(&arguments);
        run.arg("--model").arg(&base).arg("--adapter").arg(adapter).arg("--out").arg(&out).run()
    };
    run(&own).success();
    let manifest = manifest(&out);
    let model = &manifest["model"];
    assert_eq!(model["name"], "tiny + llama");
    assert_eq!((&model["adapter"]["name"], &model["adapter"]["base"]), (&json!("llama"), &json!("tiny")));
    assert_eq!((&model["adapter"]["rank"], &model["adapter"]["alpha"]), (&json!(4), &json!(8)));
    assert!(
        model["sha256"].get("adapter_config.json").is_some()
            && model["sha256"].get("adapter_model.safetensors").is_some()
    );
    let report = context.command(&["report"]).arg(&out).json();
    let said = report.to_string();
    assert!(said.contains("llama, of rank 4 and alpha 8, merged into tiny"), "{said}");
    run(&other).failure().with_stderr(contains("another model.name (tiny + llama, not tiny + llama_embedding)"));
    // The model is found again with its adapter.
    let attend = ["attend", "--offline", "--limit", "1", "--deletion-draws", "0"];
    context.command(&attend).arg("--run").arg(&out).run().success().with_stderr(contains("tiny + llama in f32"));
}
