//! From a card's shape to the [`DecoderSpec`] of such a model, through the same reader as configurations.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::keys::Keys;
use super::{hub, nested};
use crate::decoder::DecoderSpec;
use crate::model::{ModelError, Shape};

/// Context where a card names none: computations from a shape do not depend on it.
const CONTEXT: usize = 4096;

/// The settings of a model of this shape. Sizes, norms, biases and windows are the model's; rotary embeddings are
/// unscaled and factors are one, so it takes the model's memory and time but gives other numbers.
///
/// # Errors
/// An unsupported family, or one that needs more than a card has.
pub fn of_shape(name: &str, family: &str, shape: &Shape, context: Option<usize>) -> Result<DecoderSpec, ModelError> {
    let family = match nested::text_family(family) {
        Some(of_text) => of_text.into(),
        None => family,
    };
    let mut values = usual(family, shape, context.unwrap_or(CONTEXT));
    let own = match family {
        "chatglm" => chatglm(shape, context.unwrap_or(CONTEXT)),
        "gemma2" => json!({ "hidden_activation": "gelu_pytorch_tanh" }),
        "gemma3_text" => json!({ "hidden_activation": "gelu_pytorch_tanh", "rope_local_base_freq": 10_000 }),
        "granite" => json!({
            "attention_multiplier": 1.0,
            "embedding_multiplier": 1.0,
            "residual_multiplier": 1.0,
            "logits_scaling": 1.0,
        }),
        "glm" | "glm4" => json!({ "attention_bias": true }),
        "qwen" => qwen(shape, context.unwrap_or(CONTEXT)),
        "baichuan" => baichuan(shape, context.unwrap_or(CONTEXT)),
        _ => json!({}),
    };
    for more in [own, experts(family, shape), latents(shape)] {
        if let Value::Object(more) = more {
            values.extend(more);
        }
    }
    hub::of_keys(&Keys::new(Path::new(&format!("models/{name}.toml")), values))
}

/// Keys shared by the configurations of most families.
fn usual(family: &str, shape: &Shape, context: usize) -> Map<String, Value> {
    let keys = json!({
        "model_type": family,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "intermediate_size": shape.intermediate,
        "vocab_size": shape.vocabulary,
        "max_position_embeddings": context,
        "tie_word_embeddings": shape.tied,
        "sliding_window": shape.window,
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
    });
    match keys {
        Value::Object(keys) => keys,
        _ => Map::new(),
    }
}

fn chatglm(shape: &Shape, context: usize) -> Value {
    json!({
        "num_layers": shape.layers,
        "kv_channels": shape.head_dim,
        "multi_query_attention": true,
        "multi_query_group_num": shape.kv_heads,
        "ffn_hidden_size": shape.intermediate,
        "padded_vocab_size": shape.vocabulary,
        "seq_length": context,
        "layernorm_epsilon": 1e-5,
        "add_qkv_bias": true,
        "rmsnorm": true,
    })
}

/// The first Qwen, whose configuration counts gate and up together.
fn qwen(shape: &Shape, context: usize) -> Value {
    json!({
        "kv_channels": shape.head_dim,
        "intermediate_size": 2 * shape.intermediate,
        "seq_length": context,
        "layer_norm_epsilon": 1e-5,
        "no_bias": true,
    })
}

/// Width of Baichuan's 7B models, which have rotary positions; larger ones have linear biases.
const BAICHUAN_7B: usize = 4096;

fn baichuan(shape: &Shape, context: usize) -> Value {
    let rotary = (shape.hidden <= BAICHUAN_7B).then_some(context);
    json!({ "model_max_length": context, "max_position_embeddings": rotary })
}

/// Names of the experts' sizes, which differ between families.
fn experts(family: &str, shape: &Shape) -> Value {
    let Some(experts) = shape.experts else { return json!({}) };
    match family {
        "mixtral" => json!({ "num_local_experts": experts.count, "num_experts_per_tok": experts.active }),
        "qwen2_moe" | "qwen3_moe" => {
            let shared = (family == "qwen2_moe").then_some(experts.shared);
            json!({
                "num_experts": experts.count,
                "num_experts_per_tok": experts.active,
                "moe_intermediate_size": experts.width,
                "shared_expert_intermediate_size": shared,
                "norm_topk_prob": true,
            })
        }
        _ => json!({
            "n_routed_experts": experts.count,
            "num_experts_per_tok": experts.active,
            "moe_intermediate_size": experts.width,
            "n_shared_experts": experts.shared / experts.width.max(1),
            "first_k_dense_replace": experts.dense_layers,
        }),
    }
}

fn latents(shape: &Shape) -> Value {
    let Some(latent) = shape.latent else { return json!({}) };
    json!({
        "q_lora_rank": latent.query_rank,
        "kv_lora_rank": latent.kv_rank,
        "qk_nope_head_dim": latent.plain,
        "qk_rope_head_dim": latent.rotary,
        "v_head_dim": latent.value,
    })
}
