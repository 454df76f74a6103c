//! A model of ChatGLM3's shape with random weights (fused biased projections, two groups of keys, interleaved partial
//! rotation), and candle-transformers' own implementation of it as an independent reference.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::chatglm;

const LAYERS: usize = 2;
const HIDDEN: usize = 64;
const HEADS: usize = 4;
const GROUPS: usize = 2;
const CHANNELS: usize = 16;
const FEED_FORWARD: usize = 96;

/// What may differ between tests.
pub struct TinyChatGlm {
    /// Rows of the embedding matrix.
    pub vocab: usize,
    /// Longest sequence.
    pub seq_length: usize,
}

impl TinyChatGlm {
    /// Write `config.json` and `model.safetensors`.
    pub fn write(&self, folder: &Path) {
        candle_core::safetensors::save(&self.weights(), folder.join("model.safetensors")).unwrap();
        let config = serde_json::json!({
            "model_type": "chatglm", "num_layers": LAYERS, "padded_vocab_size": self.vocab, "hidden_size": HIDDEN,
            "ffn_hidden_size": FEED_FORWARD, "kv_channels": CHANNELS, "num_attention_heads": HEADS,
            "multi_query_group_num": GROUPS, "multi_query_attention": true, "seq_length": self.seq_length,
            "layernorm_epsilon": 1e-5, "rmsnorm": true, "post_layer_norm": true,
            "apply_residual_connection_post_layernorm": false, "add_bias_linear": false, "add_qkv_bias": true
        });
        fs::write(folder.join("config.json"), config.to_string()).unwrap();
    }

    /// The model in `folder` as candle-transformers computes it.
    pub fn reference(&self, folder: &Path) -> chatglm::Model {
        let config = chatglm::Config {
            num_layers: LAYERS,
            padded_vocab_size: self.vocab,
            hidden_size: HIDDEN,
            ffn_hidden_size: FEED_FORWARD,
            kv_channels: CHANNELS,
            num_attention_heads: HEADS,
            multi_query_group_num: GROUPS,
            seq_length: self.seq_length,
            ..chatglm::Config::glm3_6b()
        };
        let weights = candle_core::safetensors::load(folder.join("model.safetensors"), &Device::Cpu).unwrap();
        chatglm::Model::new(&config, VarBuilder::from_tensors(weights, DType::F32, &Device::Cpu)).unwrap()
    }

    fn weights(&self) -> HashMap<String, Tensor> {
        let mut tensors = HashMap::new();
        let mut generator = 1u32;
        let mut add = |name: String, shape: &[usize]| {
            let count: usize = shape.iter().product();
            let scale = if shape.len() == 2 { 1.5 / (shape[1] as f32).sqrt() } else { 0.5 };
            let values: Vec<f32> = (0..count)
                .map(|_| {
                    generator = generator.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let centred = (generator >> 8) as f32 / (1 << 23) as f32 - 1.0;
                    centred * scale + if name.ends_with("layernorm.weight") { 1.0 } else { 0.0 }
                })
                .collect();
            tensors.insert(name, Tensor::from_vec(values, shape, &Device::Cpu).unwrap());
        };
        add("transformer.embedding.word_embeddings.weight".to_string(), &[self.vocab, HIDDEN]);
        add("transformer.output_layer.weight".to_string(), &[self.vocab, HIDDEN]);
        add("transformer.encoder.final_layernorm.weight".to_string(), &[HIDDEN]);
        for layer in 0..LAYERS {
            let mut add =
                |name: &str, shape: &[usize]| add(format!("transformer.encoder.layers.{layer}.{name}"), shape);
            let qkv = HEADS * CHANNELS + 2 * GROUPS * CHANNELS;
            add("input_layernorm.weight", &[HIDDEN]);
            add("post_attention_layernorm.weight", &[HIDDEN]);
            add("self_attention.query_key_value.weight", &[qkv, HIDDEN]);
            add("self_attention.query_key_value.bias", &[qkv]);
            add("self_attention.dense.weight", &[HIDDEN, HEADS * CHANNELS]);
            add("mlp.dense_h_to_4h.weight", &[2 * FEED_FORWARD, HIDDEN]);
            add("mlp.dense_4h_to_h.weight", &[HIDDEN, FEED_FORWARD]);
        }
        tensors
    }
}

/// Logits behind `ids`.
pub fn reference_logits(model: &mut chatglm::Model, ids: &[u32]) -> Vec<f32> {
    model.reset_kv_cache();
    let input = Tensor::new(ids, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    model.forward(&input).unwrap().flatten_all().unwrap().to_vec1().unwrap()
}
