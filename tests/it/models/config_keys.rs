//! Settings that files on the Hub have beside those of the model: none of them refuses a checkpoint, and quantised weights are
//! refused by the name of their setting.

use std::path::Path;

use serde_json::{Value, json};
use tomeval::internal::read_config;

use crate::support::fixture;

const FAMILIES: [&str; 20] = [
    "llama",
    "llama_rope_llama3",
    "llama_rope_linear",
    "mistral",
    "qwen2",
    "qwen3",
    "qwen3_yarn",
    "phi3",
    "phi3_longrope",
    "gemma2",
    "gemma3_text",
    "glm4",
    "smollm3",
    "olmo2",
    "granite",
    "mixtral",
    "qwen2_moe",
    "qwen3_moe",
    "deepseek_v2",
    "deepseek_v3",
];

fn config(family: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixture(family).join("config.json")).unwrap()).unwrap()
}

fn with(config: &Value, key: &str, value: Value, folder: &Path) -> std::path::PathBuf {
    let mut config = config.clone();
    config[key] = value;
    let path = folder.join("config.json");
    std::fs::write(&path, config.to_string()).unwrap();
    path
}

/// As trainers, mergers and older versions of transformers write them.
fn harmless() -> Vec<(&'static str, Value)> {
    vec![
        // Every file of transformers, by version.
        ("_name_or_path", json!("organisation/model")),
        ("_attn_implementation_autoset", json!(true)),
        ("_flash_attn_2_enabled", json!(true)),
        ("attn_implementation", json!("flash_attention_2")),
        ("architectures", json!(["SomethingForCausalLM"])),
        ("auto_map", json!({"AutoConfig": "configuration_x.XConfig"})),
        ("attention_dropout", json!(0.1)),
        ("attention_probs_dropout_prob", json!(0.1)),
        ("embd_pdrop", json!(0.1)),
        ("resid_pdrop", json!(0.1)),
        ("hidden_dropout", json!(0.1)),
        ("bos_token_id", json!(1)),
        ("eos_token_id", json!([2, 32000])),
        ("pad_token_id", json!(0)),
        ("dtype", json!("bfloat16")),
        ("torch_dtype", json!("bfloat16")),
        ("transformers_version", json!("4.57.1")),
        ("use_cache", json!(false)),
        ("cache_implementation", json!("hybrid")),
        ("initializer_range", json!(0.02)),
        ("initializer_factor", json!(0.5)),
        ("pretraining_tp", json!(1)),
        ("gradient_checkpointing", json!(false)),
        ("output_attentions", json!(true)),
        ("output_router_logits", json!(true)),
        ("num_logits_to_keep", json!(3)),
        ("router_aux_loss_coef", json!(0.001)),
        ("router_jitter_noise", json!(0.01)),
        ("chunk_size_feed_forward", json!(0)),
        ("id2label", json!({"0": "LABEL_0"})),
        ("problem_type", json!(null)),
        ("tokenizer_class", json!("LlamaTokenizerFast")),
        ("torchscript", json!(false)),
        ("return_dict", json!(true)),
        // Sampling, from before it had a file of its own.
        ("temperature", json!(0.6)),
        ("top_p", json!(0.9)),
        ("top_k", json!(50)),
        ("repetition_penalty", json!(1.2)),
        ("length_penalty", json!(1.5)),
        ("prefix", json!("Answer: ")),
        ("max_length", json!(4096)),
        ("max_new_tokens", json!(512)),
        ("model_max_length", json!(8192)),
        ("max_sequence_length", json!(2048)),
        ("max_window_layers", json!(28)),
        ("layer_norm_eps", json!(1e-5)),
        ("norm_eps", json!(1e-5)),
        // Unsloth, axolotl and other trainers; merges.
        ("unsloth_version", json!("2025.3.1")),
        ("unsloth_fixed", json!(true)),
        ("unsloth_training_args", json!({"lora": 1})),
        ("neftune_noise_alpha", json!(5)),
        ("use_flash_attn", json!(true)),
        ("use_flash_attention_2", json!(true)),
        ("use_memory_efficient_attention", json!(true)),
        ("use_xformers", json!(true)),
        ("fused_rms_norm", json!(true)),
        ("fuse_attn_qkv", json!(false)),
        ("attention_softmax_in_fp32", json!(true)),
        ("use_bfloat16", json!(true)),
        ("mergekit", json!({"merge_method": "ties"})),
        ("embedding_init_std", json!(0.02)),
        ("interpolate_factor", json!(1)),
        ("full_attn_mod", json!(1)),
        ("lm_head_bias", json!(false)),
        ("use_mrope", json!(false)),
        ("use_moe", json!(false)),
        ("mup_enabled", json!(false)),
        ("clip_qkv", json!(null)),
        ("quantization_config", json!(null)),
    ]
}

#[test]
fn harmless_settings_refuse_no_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = Vec::new();
    for family in FAMILIES {
        let config = config(family);
        let spec = read_config(&fixture(family).join("config.json")).unwrap();
        for (key, value) in harmless() {
            if config.get(key).is_some() {
                continue;
            }
            match read_config(&with(&config, key, value, folder.path())) {
                Ok(read) => assert_eq!(read, spec, "{family}: {key}"),
                Err(error) => refused.push(format!("{family}: {key}: {error}")),
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn settings_that_change_the_result_are_still_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = config("llama");
    for (key, value) in [
        ("attn_temperature_tuning", json!(4)),
        ("logit_scale", json!(0.0625)),
        ("dual_chunk_attention_config", json!({"chunk_size": 262144})),
        ("use_parallel_residual", json!(true)),
        ("scale_emb", json!(12)),
        ("num_experts", json!(8)),
    ] {
        let error = read_config(&with(&config, key, value, folder.path())).expect_err(key).to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn quantised_weights_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (key, value) in [
        ("quantization_config", json!({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true})),
        ("quantization_config", json!({"quant_method": "gptq", "bits": 4, "desc_act": false})),
        ("quantization_config", json!({"quant_method": "bitsandbytes", "load_in_4bit": true})),
        ("quantization_config", json!({"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]})),
        ("compression_config", json!({"format": "int-quantized"})),
    ] {
        for family in ["llama", "qwen3"] {
            let error = read_config(&with(&config(family), key, value.clone(), folder.path())).expect_err(family);
            let error = error.to_string();
            assert!(error.contains(key) && error.contains("use the unquantised checkpoint"), "{error}");
        }
    }
}
