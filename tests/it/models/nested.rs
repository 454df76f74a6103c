//! Models of more than text: the text model within computes what it does alone, however its tensors are named; what sees
//! images is not read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{Device, Tensor, safetensors};
use serde_json::{Value, json};
use tomeval::internal::ModelSummary;
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::files::read_json;
use crate::support::fixture;

/// Kinds of such models, with the fixture of their text model.
const KINDS: [(&str, &str); 4] =
    [("gemma3", "gemma3_text"), ("mistral3", "mistral"), ("llava", "llama"), ("llava_next", "llama")];

/// What tensors are called as published, and as newer versions of transformers save them.
const LAYOUTS: [(&str, &str); 2] = [("language_model.model.", "language_model."), ("model.language_model.", "")];

fn config(family: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixture(family).join("config.json")).unwrap()).unwrap()
}

/// The text model of a fixture as a part of a larger one.
fn wrapped(kind: &str, family: &str, (model, head): (&str, &str), folder: &Path) -> PathBuf {
    let renamed = |name: &str| match name.strip_prefix("model.") {
        Some(rest) => format!("{model}{rest}"),
        None => format!("{head}{name}"),
    };
    let mut tensors: HashMap<String, Tensor> = HashMap::new();
    for file in std::fs::read_dir(fixture(family)).unwrap().map(|entry| entry.unwrap().path()) {
        if file.file_name().unwrap().to_str().unwrap().starts_with("model")
            && file.extension().unwrap() == "safetensors"
        {
            let weights = safetensors::load(file, &Device::Cpu).unwrap();
            tensors.extend(weights.into_iter().map(|(name, tensor)| (renamed(&name), tensor)));
        }
    }
    let sight = Tensor::zeros((3, 5), candle_core::DType::F32, &Device::Cpu).unwrap();
    tensors.insert("vision_tower.embeddings.weight".to_string(), sight.clone());
    tensors.insert("model.multi_modal_projector.linear_1.weight".to_string(), sight.clone());
    tensors.insert("image_newline".to_string(), sight);
    safetensors::save(&tensors, folder.join("model.safetensors")).unwrap();
    let outer = json!({
        "model_type": kind,
        "image_token_index": 7,
        "vision_config": { "hidden_size": 8, "model_type": "siglip_vision_model", "num_attention_heads": 2 },
        "text_config": config(family),
    });
    std::fs::write(folder.join("config.json"), outer.to_string()).unwrap();
    folder.to_path_buf()
}

fn logits(folder: &Path) -> Vec<f32> {
    let (spec, weights) = ModelFiles::from_path(folder).unwrap().open().unwrap();
    let decoder = Decoder::load(spec, weights, &Device::Cpu, Precision::F32).unwrap();
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&[5, 9, 2, 11, 3, 8], 0)).unwrap();
    decoder.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn the_text_model_within_is_the_same_in_every_layout() {
    for (kind, family) in KINDS {
        let alone = logits(&fixture(family));
        for layout in LAYOUTS {
            let folder = tempfile::tempdir().unwrap();
            let path = wrapped(kind, family, layout, folder.path());
            assert_eq!(logits(&path), alone, "{kind}, {layout:?}");
            let summary = ModelSummary::from_files(&ModelFiles::from_path(&path).unwrap()).unwrap();
            let unread: Vec<_> = summary.unread.iter().map(|tensor| (tensor.name.as_str(), tensor.reason)).collect();
            let expected =
                ["image_newline", "model.multi_modal_projector.linear_1.weight", "vision_tower.embeddings.weight"];
            assert_eq!(unread, expected.map(|name| (name, "sees images")), "{kind}, {layout:?}");
        }
    }
}

/// What goes wrong is said with the full name of the setting.
#[test]
fn settings_within_are_checked_as_those_of_text_models_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = wrapped("gemma3", "gemma3_text", LAYOUTS[0], folder.path());
    let whole = read_json(&path.join("config.json"));
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut config = whole.clone();
        change(&mut config);
        std::fs::write(path.join("config.json"), config.to_string()).unwrap();
        ModelFiles::from_path(&path).unwrap().open().unwrap_err().to_string()
    };
    let rendered = refused(&|config| config["text_config"]["logit_scale"] = json!(0.5));
    assert!(rendered.contains("text_config.logit_scale"), "{rendered}");
    let rendered = refused(&|config| config["text_config"]["hidden_size"] = json!("many"));
    assert!(rendered.contains("text_config.hidden_size"), "{rendered}");
    let rendered = refused(&|config| config["text_config"] = Value::Null);
    assert!(rendered.contains("expected the settings of the text model"), "{rendered}");
    let rendered = refused(&|config| config["quantization_config"] = json!({ "quant_method": "gptq" }));
    assert!(rendered.contains("quant_method"), "{rendered}");
    let rendered = refused(&|config| config["text_config"]["model_type"] = json!("llama4_text"));
    assert!(rendered.contains("`llama4_text` is not supported"), "{rendered}");
}

/// Families that lack no more than a name are refused with what they have that is not computed.
#[test]
fn recurrent_families_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = wrapped("gemma3", "gemma3_text", LAYOUTS[0], folder.path());
    for (family, reason) in [("qwen3_next", "since it has recurrent layers"), ("qwen2_5_vl", "since it has positions")]
    {
        std::fs::write(path.join("config.json"), json!({ "model_type": family }).to_string()).unwrap();
        let rendered = ModelFiles::from_path(&path).unwrap().open().unwrap_err().to_string();
        assert!(rendered.contains(&format!("`{family}` is not supported, {reason}")), "{rendered}");
    }
}
