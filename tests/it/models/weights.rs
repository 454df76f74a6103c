//! Weight files in other formats, and what is said about files that are wrong.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use half::bf16;
use tomeval::ModelFiles;
use tomeval::internal::DecoderError;
use tomeval::internal::{ModelError, read_config};
use tomeval::{Decoder, Pass, Precision};

use crate::support::files::read_json;
use crate::support::fixture;
use crate::support::tiny_chatglm::{TinyChatGlm, reference_logits};

/// A copy of a fixture's configuration and weights that may be spoilt.
fn copy(family: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture(family)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        if name.starts_with("model") || name == "config.json" {
            fs::copy(&path, folder.path().join(name)).unwrap();
        }
    }
    folder
}

fn load(path: &Path, precision: Precision) -> Result<Decoder, ModelError> {
    ModelFiles::from_path(path)?.decoder(&Device::Cpu, precision)
}

fn load_plain(path: &Path, precision: Precision) -> Decoder {
    let (spec, weights) = ModelFiles::from_path(path).unwrap().open().unwrap();
    Decoder::load_portable(spec, weights, &Device::Cpu, precision).unwrap()
}

/// Bytes of the weights once loaded.
fn weight_bytes(path: &Path, precision: Precision) -> u64 {
    let (spec, weights) = ModelFiles::from_path(path).unwrap().open().unwrap();
    Decoder::weight_bytes(&spec, &weights, &Device::Cpu, precision).unwrap()
}

fn logits(decoder: &Decoder, ids: &[u32]) -> Vec<f32> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(ids, 0)).unwrap();
    decoder.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let difference = |(a, b): (&f32, &f32)| if a.is_nan() || b.is_nan() { f32::INFINITY } else { (a - b).abs() };
    a.iter().zip(b).map(difference).fold(0.0, f32::max)
}

const IDS: [u32; 12] = [3, 1, 4, 1, 5, 92, 65, 35, 89, 79, 3, 238];

/// The weights of the llama fixture, each rounded by `round`, as a folder.
fn rounded(round: impl Fn(Tensor) -> Tensor) -> tempfile::TempDir {
    let folder = copy("llama");
    let weights = folder.path().join("model.safetensors");
    let tensors = candle_core::safetensors::load(&weights, &Device::Cpu).unwrap();
    let tensors: HashMap<String, Tensor> = tensors.into_iter().map(|(name, tensor)| (name, round(tensor))).collect();
    candle_core::safetensors::save(&tensors, &weights).unwrap();
    folder
}

#[test]
fn half_precision_files_load_as_the_same_numbers_in_f32() {
    for dtype in [DType::BF16, DType::F16] {
        let half = rounded(|tensor| tensor.to_dtype(dtype).unwrap());
        let widened = rounded(|tensor| tensor.to_dtype(dtype).unwrap().to_dtype(DType::F32).unwrap());
        let [half, widened] = [half, widened].map(|folder| logits(&load(folder.path(), Precision::F32).unwrap(), &IDS));
        assert_eq!(half, widened, "{dtype:?}: the same numbers in the same order of operations");
        let unrounded = logits(&load(&fixture("llama"), Precision::F32).unwrap(), &IDS);
        assert!(largest_difference(&half, &unrounded) > 1e-4, "rounding must show, else nothing was tested");
    }
}

#[test]
fn weights_kept_in_half_precision_compute_as_if_rounded() {
    for (precision, dtype) in [(Precision::BF16, DType::BF16), (Precision::F16, DType::F16)] {
        let kept = logits(&load(&fixture("llama"), precision).unwrap(), &IDS);
        // Norms stay in f32: matrices are rounded, the one of embeddings among them.
        let folder = rounded(|tensor| tensor);
        let weights = folder.path().join("model.safetensors");
        let tensors = candle_core::safetensors::load(&weights, &Device::Cpu).unwrap();
        let tensors: HashMap<String, Tensor> = tensors
            .into_iter()
            .map(|(name, tensor)| {
                let tensor = match tensor.dims().len() == 2 {
                    true => tensor.to_dtype(dtype).unwrap().to_dtype(DType::F32).unwrap(),
                    false => tensor,
                };
                (name, tensor)
            })
            .collect();
        candle_core::safetensors::save(&tensors, &weights).unwrap();
        let rounded = logits(&load(folder.path(), Precision::F32).unwrap(), &IDS);
        let difference = largest_difference(&kept, &rounded);
        assert!(difference < 2e-5, "{precision}: largest difference {difference:e}");
    }
}

#[test]
fn blocks_that_are_expanded_for_each_product_give_the_exact_logits_whatever_the_number_of_rows() {
    for family in ["llama", "qwen2"] {
        let path = fixture(&format!("gguf/{family}-q8_0.gguf"));
        let exact = logits(&load(&path, Precision::F32).unwrap(), &IDS);
        let plain = load_plain(&path, Precision::Quantized);
        let together = logits(&plain, &IDS);
        let difference = largest_difference(&exact, &together);
        assert!(difference <= 1e-4, "{family}: largest difference {difference}");
        let mut cache = plain.cache();
        let one_by_one = IDS.iter().enumerate().flat_map(|(at, &id)| {
            let output = plain.forward(&mut cache, &Pass::sequence(&[id], at)).unwrap();
            plain.logits(&output.hidden).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap()
        });
        let difference = largest_difference(&one_by_one.collect::<Vec<f32>>(), &together);
        assert!(difference <= 1e-4, "{family}, token by token: largest difference {difference}");
    }
}

/// A llama GGUF file with rows of 256, so that the CPU multiplies its blocks as they are.
fn wide_gguf(folder: &Path) -> PathBuf {
    use candle_core::quantized::gguf_file::{Value, write};
    use candle_core::quantized::{GgmlDType, QTensor};
    let metadata = [
        ("general.architecture", Value::String("llama".to_string())),
        ("llama.block_count", Value::U32(2)),
        ("llama.embedding_length", Value::U32(256)),
        ("llama.feed_forward_length", Value::U32(512)),
        ("llama.attention.head_count", Value::U32(4)),
        ("llama.attention.head_count_kv", Value::U32(2)),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("llama.context_length", Value::U32(64)),
    ];
    let mut tensors = Vec::new();
    let mut generator = 7u32;
    let mut add = |name: String, rows: usize, columns: usize, dtype: GgmlDType| {
        let values: Vec<f32> = (0..rows * columns)
            .map(|_| {
                generator = generator.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((generator >> 8) as f32 / (1 << 23) as f32 - 1.0) * 2.0 / (columns as f32).sqrt()
            })
            .collect();
        let tensor = Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap();
        tensors.push((name, QTensor::quantize(&tensor, dtype).unwrap()));
    };
    add("token_embd.weight".to_string(), 320, 256, GgmlDType::Q8_0);
    for layer in 0..2 {
        for (part, rows, columns, dtype) in [
            ("attn_q", 256, 256, GgmlDType::Q8_0),
            ("attn_k", 128, 256, GgmlDType::Q4K),
            ("attn_v", 128, 256, GgmlDType::Q6K),
            ("attn_output", 256, 256, GgmlDType::Q4K),
            ("ffn_gate", 512, 256, GgmlDType::Q8_0),
            ("ffn_up", 512, 256, GgmlDType::F32),
            ("ffn_down", 256, 512, GgmlDType::Q5K),
        ] {
            add(format!("blk.{layer}.{part}.weight"), rows, columns, dtype);
        }
    }
    let norms = ["blk.0.attn_norm", "blk.0.ffn_norm", "blk.1.attn_norm", "blk.1.ffn_norm", "output_norm"];
    for norm in norms {
        let ones = Tensor::ones(256, DType::F32, &Device::Cpu).unwrap();
        tensors.push((format!("{norm}.weight"), QTensor::quantize(&ones, GgmlDType::F32).unwrap()));
    }
    let path = folder.join("wide.gguf");
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (*key, value)).collect();
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (&name[..], tensor)).collect();
    write(&mut fs::File::create(&path).unwrap(), &metadata, &tensors).unwrap();
    path
}

#[test]
fn a_matrix_without_columns_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = wide_gguf(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    let name = b"blk.0.attn_q.weight";
    // Behind the name stand the number of dimensions in four bytes and the columns in eight.
    let columns = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len() + 4;
    assert_eq!(bytes[columns..columns + 8], 256u64.to_le_bytes());
    bytes[columns..columns + 8].fill(0);
    fs::write(&path, bytes).unwrap();
    for precision in [Precision::F32, Precision::Quantized] {
        let error = load(&path, precision).err().unwrap().to_string();
        assert!(error.contains("blk.0.attn_q.weight") && error.contains("[256, 0]"), "{error}");
    }
}

#[test]
fn blocks_multiplied_as_they_are_stay_close_to_expanded_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = wide_gguf(folder.path());
    assert!(weight_bytes(&path, Precision::Quantized) < weight_bytes(&path, Precision::F32));
    let exact = logits(&load(&path, Precision::F32).unwrap(), &IDS);
    let quantised = logits(&load(&path, Precision::Quantized).unwrap(), &IDS);
    let spread = exact.iter().map(|logit| logit * logit).sum::<f32>() / exact.len() as f32;
    let error: f32 = exact.iter().zip(&quantised).map(|(a, b)| (a - b).powi(2)).sum::<f32>() / exact.len() as f32;
    println!("root mean square of the logits {}, of the difference {}", spread.sqrt(), error.sqrt());
    // Rounding activations to 8 bits: a per cent or two of the spread. Rows in a wrong order would differ by all of it.
    assert!(error > 0.0, "the blocks were expanded: nothing was tested");
    assert!(error.sqrt() < 0.05 * spread.sqrt(), "{} against {}", error.sqrt(), spread.sqrt());
}

/// ChatGLM3 against candle-transformers' own implementation, on a tiny model with random weights.
#[test]
fn chatglm_equals_candle_transformers() {
    let folder = tempfile::tempdir().unwrap();
    let vocab = 101;
    let tiny = TinyChatGlm { vocab, seq_length: 64 };
    tiny.write(folder.path());
    let mut reference = tiny.reference(folder.path());

    let ids: Vec<u32> = (0..40).map(|i| (i * 37 + 11) % vocab as u32).collect();
    let ours = [load(folder.path(), Precision::F32).unwrap(), load_plain(folder.path(), Precision::F32)];
    let ours = ours.map(|decoder| logits(&decoder, &ids));
    for length in [1, 2, 17, 40] {
        let expected = reference_logits(&mut reference, &ids[..length]);
        for ours in &ours {
            let difference = largest_difference(&ours[(length - 1) * vocab..length * vocab], &expected);
            assert!(difference < 1e-4, "after {length} tokens: {difference:e}");
        }
    }
}

/// Change one key of a copy of the llama fixture's configuration and return what loading says.
fn refusal(key: &str, value: serde_json::Value) -> String {
    refusal_of("llama", key, value)
}

fn refusal_of(family: &str, key: &str, value: serde_json::Value) -> String {
    let folder = copy(family);
    let config = folder.path().join("config.json");
    let mut keys = read_json(&config);
    keys[key] = value;
    fs::write(&config, keys.to_string()).unwrap();
    read_config(&config).map(|_| ()).unwrap_err().to_string()
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not said: {message}");
    }
}

#[test]
fn settings_that_are_not_computed_are_refused_by_name() {
    use serde_json::json;
    assert_says(&refusal("hidden_act", json!("relu")), &["config.json", "`hidden_act`", "relu", "silu"]);
    let rope = json!({"rope_type": "spiral", "rope_theta": 10000.0});
    assert_says(&refusal("rope_parameters", rope), &["config.json", "rope_parameters.rope_type", "spiral", "yarn"]);
    assert_says(&refusal("model_type", json!("mamba")), &["`mamba` is not supported", "llama, mistral"]);
    assert_says(&refusal("hidden_size", json!("wide")), &["`hidden_size`", "wide", "whole number"]);
    assert_says(&refusal("num_key_value_heads", json!(3)), &["number of heads", "multiple of 3"]);
    assert_says(&refusal("quantization_config", json!({"bits": 4})), &["quantization_config", "GGUF"]);
    assert_says(&refusal("attn_logit_softcapping", json!(30.0)), &["attn_logit_softcapping", "30"]);
    assert_says(&refusal("rms_norm_eps", json!(null)), &["rms_norm_eps", "null", "expected a number"]);
    assert_says(&refusal("num_experts", json!(8)), &["`num_experts`", "8", "mixtures of this family"]);
}

#[test]
fn mixtures_that_cannot_be_are_refused_by_the_name_of_the_setting() {
    use serde_json::json;
    let says = |family: &str, key: &str, value: serde_json::Value, parts: &[&str]| {
        assert_says(&refusal_of(family, key, value), &[&["config.json", key], parts].concat());
    };
    for none in [0, 9] {
        says("mixtral", "num_experts_per_tok", json!(none), &["expected 1 to"]);
    }
    says("qwen3_moe", "num_experts", json!(5000), &["expected 1 to 4096"]);
    says("deepseek_v3", "n_group", json!(3), &["divisor", "8"]);
    // One group has two experts, a token goes to three.
    says("deepseek_v3", "topk_group", json!(1), &["enough for 3 experts per token"]);
    says("deepseek_v3", "scoring_func", json!("softmax"), &["only sigmoid"]);
    says("deepseek_v3", "topk_method", json!("greedy"), &["noaux_tc"]);
    says("deepseek_v2", "topk_method", json!("noaux_tc"), &["group_limited_greedy"]);
    says("deepseek_v2", "norm_topk_prob", json!(true), &["not supported"]);
    says("deepseek_v2", "kv_lora_rank", json!(null), &["whole number"]);
    assert_says(&refusal_of("deepseek_v2", "v_head_dim", json!(0)), &["values", "0", "at least 1"]);
    assert_says(&refusal_of("deepseek_v2", "qk_rope_head_dim", json!(7)), &["rotary dimensions", "even number"]);
}

#[test]
fn damaged_files_are_named() {
    let says =
        |folder: &Path, parts: &[&str]| assert_says(&load(folder, Precision::F32).unwrap_err().to_string(), parts);

    let folder = copy("llama");
    let weights = folder.path().join("model.safetensors");
    let bytes = fs::read(&weights).unwrap();
    fs::write(&weights, &bytes[..bytes.len() - 100]).unwrap();
    says(folder.path(), &["model.safetensors", "not a complete safetensors file", "fetch"]);
    fs::write(&weights, b"").unwrap();
    says(folder.path(), &["model.safetensors", "empty"]);
    fs::remove_file(&weights).unwrap();
    says(folder.path(), &["expected model.safetensors"]);
    fs::remove_file(folder.path().join("config.json")).unwrap();
    says(folder.path(), &["config.json"]);

    let folder = copy("mistral");
    fs::remove_file(folder.path().join("model-00002-of-00002.safetensors")).unwrap();
    says(folder.path(), &["model-00002-of-00002.safetensors"]);

    let folder = rounded(|tensor| tensor);
    let weights = folder.path().join("model.safetensors");
    let mut tensors = candle_core::safetensors::load(&weights, &Device::Cpu).unwrap();
    let norm = tensors.remove("model.norm.weight").unwrap();
    candle_core::safetensors::save(&tensors, &weights).unwrap();
    says(folder.path(), &["model.safetensors", "`model.norm.weight` is missing"]);
    tensors.insert("model.norm.weight".to_string(), norm.narrow(0, 0, 60).unwrap());
    candle_core::safetensors::save(&tensors, &weights).unwrap();
    says(folder.path(), &["`model.norm.weight` has shape [60]", "[64]"]);
    tensors.insert("model.norm.weight".to_string(), norm.to_dtype(DType::I64).unwrap());
    candle_core::safetensors::save(&tensors, &weights).unwrap();
    says(folder.path(), &["`model.norm.weight` is stored as I64"]);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.gguf");
    let bytes = fs::read(fixture("gguf/llama-f32.gguf")).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 1000]).unwrap();
    says(&file, &["m.gguf", "cut short", "fetch"]);
    fs::write(&file, &bytes[..200]).unwrap();
    says(&file, &["m.gguf", "not a complete GGUF file"]);
    fs::write(&file, b"GGML, not what it says").unwrap();
    says(&file, &["m.gguf", "not a GGUF file", "GGML"]);
    let message = load(&fixture("llama"), Precision::Quantized).unwrap_err().to_string();
    assert_says(&message, &["quantized", "GGUF"]);
}

#[test]
fn sequences_beyond_the_context_are_refused_with_both_lengths() {
    let refusal = |family: &str, length: usize| {
        let decoder = load(&fixture(family), Precision::F32).unwrap();
        let mut cache = decoder.cache();
        decoder.forward(&mut cache, &Pass::sequence(&vec![1; length - 1], 0)).unwrap();
        let message = decoder.forward(&mut cache, &Pass::sequence(&[1], length - 1)).unwrap_err().to_string();
        assert_eq!(cache.rows(), length - 1, "a refused pass leaves the cache as it was");
        message
    };
    assert_says(&refusal("llama", 129), &["129 tokens exceeds the 128"]);
    assert_says(&refusal("internlm3", 129), &["129 tokens exceeds the 128"]);

    let decoder = load(&fixture("llama"), Precision::F32).unwrap();
    let message = decoder.forward(&mut decoder.cache(), &Pass::sequence(&[320], 0)).unwrap_err().to_string();
    assert_says(&message, &["token 320", "vocabulary of 320"]);
    let other = load(&fixture("gemma3_text"), Precision::F32).unwrap();
    assert!(matches!(other.forward(&mut decoder.cache(), &Pass::sequence(&[1], 0)), Err(DecoderError::ForeignCache)));
}

#[test]
fn counted_weights_are_those_of_the_file() {
    for family in ["llama", "llama_rope_linear", "qwen2", "qwen3", "glm4", "olmo2", "gemma3_text", "phi3"] {
        let tensors = candle_core::safetensors::load(fixture(family).join("model.safetensors"), &Device::Cpu).unwrap();
        let stored: usize = tensors.values().map(Tensor::elem_count).sum();
        assert_eq!(read_config(&fixture(family).join("config.json")).unwrap().weights(), stored, "{family}");
    }
}

#[test]
fn bf16_rounds_to_the_nearest_even() {
    // What the half-precision tests rest on: the library's rounding is that of the format, not truncation.
    assert_eq!(bf16::from_f32(1.0 + 1.0 / 256.0).to_f32(), 1.0);
    assert_eq!(bf16::from_f32(1.0 + 3.0 / 256.0).to_f32(), 1.0 + 2.0 / 128.0);
}
