//! Weights and settings that do not belong together, and settings that would change a result without a word.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::{Content, Value, write};
use candle_core::{DType, Device, Tensor};
use serde_json::json;
use tomeval::ModelFiles;
use tomeval::internal::ModelSummary;

use crate::support::fixture;

/// A copy of a fixture that may be spoilt.
fn copy(family: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture(family)).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// What opening says; empty where nothing is wrong.
fn said(path: &Path) -> String {
    let opened = ModelFiles::from_path(path).and_then(|files| files.open());
    opened.err().map(|error| error.to_string()).unwrap_or_default()
}

fn assert_says(path: &Path, parts: &[&str]) {
    let said = said(path);
    for part in parts {
        assert!(said.contains(part), "`{part}` is not said: {said}");
    }
}

fn with_config(family: &str, change: impl FnOnce(&mut serde_json::Value)) -> tempfile::TempDir {
    let folder = copy(family);
    let path = folder.path().join("config.json");
    let mut config = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut config);
    fs::write(path, config.to_string()).unwrap();
    folder
}

fn with_tensors(family: &str, change: impl FnOnce(&mut HashMap<String, Tensor>)) -> tempfile::TempDir {
    let folder = copy(family);
    let path = folder.path().join("model.safetensors");
    let mut tensors = candle_core::safetensors::load(&path, &Device::Cpu).unwrap();
    change(&mut tensors);
    candle_core::safetensors::save(&tensors, path).unwrap();
    folder
}

/// A copy of a GGUF fixture with other metadata and tensors.
fn with_gguf(
    name: &str,
    change: impl FnOnce(&mut HashMap<String, Value>, &mut HashMap<String, QTensor>),
) -> (tempfile::TempDir, PathBuf) {
    let source = fixture(name);
    let mut file = fs::File::open(&source).unwrap();
    let content = Content::read(&mut file).unwrap();
    let names: Vec<String> = content.tensor_infos.keys().cloned().collect();
    let mut tensors: HashMap<String, QTensor> = names
        .into_iter()
        .map(|name| {
            let tensor = content.tensor(&mut file, &name, &Device::Cpu).unwrap();
            (name, tensor)
        })
        .collect();
    let mut metadata = content.metadata;
    change(&mut metadata, &mut tensors);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.gguf");
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    write(&mut fs::File::create(&path).unwrap(), &metadata, &tensors).unwrap();
    (folder, path)
}

fn zeros(shape: &[usize]) -> Tensor {
    Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap()
}

#[test]
fn fewer_layers_in_the_configuration_than_in_the_file_are_refused() {
    let folder = with_config("llama", |config| config["num_hidden_layers"] = json!(1));
    assert_says(folder.path(), &["model.safetensors", "tensors are not part of a llama model of 1 layers"]);
    assert_says(folder.path(), &["`model.layers.1.", " more; weights and configuration do not match"]);
    let (_folder, path) = with_gguf("gguf/llama-f32.gguf", |metadata, _| {
        metadata.insert("llama.block_count".to_string(), Value::U32(1));
    });
    assert_says(&path, &["changed.gguf", "not part of a llama model of 1 layers", "`blk.1."]);
}

#[test]
fn biases_that_would_be_dropped_are_refused() {
    let bias = "model.layers.0.self_attn.q_proj.bias";
    let folder = with_tensors("llama", |tensors| drop(tensors.insert(bias.to_string(), zeros(&[64]))));
    assert_says(folder.path(), &["one tensor is not part", bias]);
    let (_folder, path) = with_gguf("gguf/llama-f32.gguf", |_, tensors| {
        let bias = QTensor::quantize(&zeros(&[64]), candle_core::quantized::GgmlDType::F32).unwrap();
        tensors.insert("blk.1.attn_q.bias".to_string(), bias);
    });
    assert_says(&path, &["one tensor is not part", "blk.1.attn_q.bias"]);
}

#[test]
fn tensors_that_change_nothing_are_left_and_shown() {
    let embedding = "model.embed_tokens.weight";
    for (name, other) in [("lm_head.weight", embedding), ("model.layers.0.self_attn.rotary_emb.inv_freq", "")] {
        // A family whose fixture ties its head.
        let folder = with_tensors("gemma2", |tensors| {
            let tensor = tensors.get(other).cloned().unwrap_or_else(|| zeros(&[8]));
            tensors.insert(name.to_string(), tensor);
        });
        assert_says(folder.path(), &[]);
        assert_eq!(said(folder.path()), "");
        let summary = ModelSummary::from_files(&ModelFiles::from_path(folder.path()).unwrap()).unwrap();
        assert_eq!(summary.unread.iter().map(|tensor| tensor.name.as_str()).collect::<Vec<_>>(), [name]);
        assert!(summary.unsupported.is_none());
    }
    let another = with_tensors("gemma2", |tensors| {
        let head = (tensors[embedding].clone() + 1.0).unwrap();
        tensors.insert("lm_head.weight".to_string(), head);
    });
    assert_says(another.path(), &["one tensor is not part", "`lm_head.weight`"]);
    let summary = ModelSummary::from_files(&ModelFiles::from_path(another.path()).unwrap()).unwrap();
    assert!(summary.unsupported.unwrap().contains("lm_head.weight"));
}

#[test]
fn settings_that_are_not_known_and_may_change_the_result_are_refused() {
    for (key, value) in [("embedding_multiplier", json!(12.0)), ("attn_temperature", json!(4)), ("mup_width", json!(2))]
    {
        let folder = with_config("llama", |config| config[key] = value);
        assert_says(folder.path(), &["config.json", &format!("`{key}`"), "may change the result"]);
    }
    let folder = with_config("llama_rope_llama3", |config| config["rope_parameters"]["high_scale"] = json!(2.0));
    assert_says(folder.path(), &["`rope_parameters.high_scale`"]);
    let folder = with_config("mistral", |config| {
        let window = config["sliding_window"].take();
        config["sliding_windw"] = window;
    });
    assert_says(folder.path(), &["`sliding_windw`", "did you mean `sliding_window`?"]);
    let (_folder, path) = with_gguf("gguf/llama-f32.gguf", |metadata, _| {
        metadata.insert("llama.logit_scale".to_string(), Value::F32(0.5));
    });
    assert_says(&path, &["`llama.logit_scale`", "may change the result"]);
    let harmless = with_config("llama", |config| {
        config["embedding_multiplier"] = json!(1.0);
        config["use_flash_attn"] = json!(true);
        config["comment"] = json!("written by hand");
    });
    assert_eq!(said(harmless.path()), "");
}

#[test]
fn numbers_out_of_range_are_refused_in_both_formats() {
    for (family, key, value) in [
        ("llama", "rms_norm_eps", json!(-1e-5)),
        ("llama", "rms_norm_eps", json!(1e300)),
        ("llama", "num_hidden_layers", json!(1e14)),
        ("llama", "hidden_size", json!(1e14)),
        ("granite", "residual_multiplier", json!(-0.2)),
        ("granite", "logits_scaling", json!(0)),
        ("gemma2", "query_pre_attn_scalar", json!(-4)),
        ("gemma2", "final_logit_softcapping", json!(-30)),
    ] {
        let folder = with_config(family, |config| config[key] = value.clone());
        assert_says(folder.path(), &["config.json", "expected"]);
    }
    for (family, key, value) in [
        ("llama", "rope_theta", json!(-10000.0)),
        ("llama", "rope_theta", json!(1e300)),
        ("llama_rope_linear", "factor", json!(-4.0)),
        ("llama_rope_llama3", "low_freq_factor", json!(9.0)),
        ("qwen3_yarn", "beta_fast", json!(-32.0)),
        ("glm", "partial_rotary_factor", json!(-0.5)),
    ] {
        let folder = with_config(family, |config| config["rope_parameters"][key] = value.clone());
        assert_says(folder.path(), &["config.json", "expected"]);
    }
    let folder = with_config("phi3_longrope", |config| config["rope_parameters"]["long_factor"][2] = json!(0.0));
    assert_says(folder.path(), &["config.json", "factor of a rotary frequency"]);

    let numbers =
        [Value::F32(f32::NAN), Value::F32(-1.0), Value::String("10000".to_string()), Value::Array(Vec::new())];
    for number in numbers {
        for key in ["llama.rope.freq_base", "llama.attention.layer_norm_rms_epsilon"] {
            let (_folder, path) = with_gguf("gguf/llama-f32.gguf", |metadata, _| {
                metadata.insert(key.to_string(), number.clone());
            });
            assert_says(&path, &["changed.gguf", "expected"]);
        }
    }
}

#[test]
fn a_tensor_in_two_files_is_refused() {
    let folder = copy("mistral");
    let path = |shard: usize| folder.path().join(format!("model-0000{shard}-of-00002.safetensors"));
    let first = candle_core::safetensors::load(path(1), &Device::Cpu).unwrap();
    let mut second = candle_core::safetensors::load(path(2), &Device::Cpu).unwrap();
    let (name, tensor) = first.iter().next().unwrap();
    second.insert(name.clone(), tensor.clone());
    candle_core::safetensors::save(&second, path(2)).unwrap();
    assert_says(folder.path(), &[name, "duplicate tensor"]);
}

#[test]
fn settings_of_the_tokenizer_that_are_no_object_are_refused() {
    for name in ["tokenizer_config.json", "generation_config.json"] {
        let folder = copy("llama");
        fs::write(folder.path().join(name), "[1, 2]").unwrap();
        let error = ModelFiles::from_path(folder.path()).unwrap().text_parts().unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("expected a JSON object"), "{error}");
    }
}
