//! A model of SmolLM2-135M's shape with random weights, in f32, and tokens for it.

use candle_core::Device;
use tomeval::{Decoder, Precision};

/// The shape of SmolLM2-135M.
const CONFIG: &str = r#"{
    "model_type": "llama", "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
    "rope_theta": 100000.0, "hidden_act": "silu", "tie_word_embeddings": true
}"#;

/// The model.
pub fn decoder() -> Decoder {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let config = folder.path().join("config.json");
    std::fs::write(&config, CONFIG).expect("the configuration can be written");
    let spec = tomeval::internal::read_config(&config).expect("the configuration is sound");
    Decoder::random(spec, 1, &Device::Cpu, Precision::F32).expect("the model is made")
}

/// `count` tokens of its vocabulary.
pub fn tokens(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| (i * 7919) % 49152).collect()
}
