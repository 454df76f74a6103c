//! Vendor-specific configurations of families that ship their code with their weights.

use serde_json::json;

use super::check::MOST_LAYERS;
use super::family::Family;
use super::keys::Keys;
use crate::decoder::{Activation, DecoderSpec, LayerAttention, Pairing, QueryKeyNorm, Rotary, Scaling, slopes};
use crate::model::error::ModelError;

/// Sizes whose names differ between families.
struct Sizes {
    vocab_size: usize,
    hidden: usize,
    layers: usize,
    heads: usize,
    kv_heads: usize,
    head_dim: usize,
    intermediate: usize,
    max_position: usize,
    norm_eps: f64,
}

/// A decoder of these sizes without special features.
fn plain(family: Family, sizes: Sizes, rotary: Option<Rotary>) -> DecoderSpec {
    let Sizes { vocab_size, hidden, layers, heads, kv_heads, head_dim, intermediate, max_position, norm_eps } = sizes;
    DecoderSpec {
        family: family.into(),
        vocab_size,
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        latent: None,
        intermediate,
        experts: None,
        max_position,
        norm_eps: norm_eps as f32,
        norm_offset: 0.0,
        activation: Activation::Silu,
        query_key_norm: QueryKeyNorm::Absent,
        qkv_bias: false,
        output_bias: false,
        mlp_bias: false,
        tied_head: false,
        attention: vec![LayerAttention { window: None, rotary: rotary.as_ref().map(|_| 0) }; layers.min(MOST_LAYERS)],
        rotaries: rotary.into_iter().collect(),
        linear_biases: None,
        log_scaled_beyond: None,
        embedding_scale: 1.0,
        residual_scale: 1.0,
        score_scale: (head_dim as f32).powf(-0.5),
        score_cap: None,
        logit_scale: 1.0,
        logit_cap: None,
        normalised_head: false,
        prediction_layers: 0,
        naming: family.naming(),
    }
}

/// ChatGLM2, ChatGLM3 and the first GLM-4 release.
pub(super) fn chatglm(keys: &Keys) -> Result<DecoderSpec, ModelError> {
    keys.refuse("rmsnorm", &[json!(true)], "only RMS norm is supported")?;
    keys.refuse("post_layer_norm", &[json!(true)], "a final norm is expected")?;
    keys.refuse("apply_residual_connection_post_layernorm", &[json!(false)], "not supported")?;
    keys.refuse("multi_query_attention", &[json!(true)], "only grouped queries are supported")?;
    keys.refuse("pre_seq_len", &[], "prefix tuning is not supported")?;
    keys.refuse("position_encoding_2d", &[json!(false)], "the first ChatGLM is not supported")?;
    let head_dim = keys.count("kv_channels")?;
    let linear_bias = keys.flag("add_bias_linear", false)?;
    let rotary = Rotary {
        width: head_dim / 2,
        theta: 10_000.0 * keys.maybe_number("rope_ratio")?.unwrap_or(1.0),
        pairing: Pairing::Interleaved,
        scaling: Scaling::Unscaled,
    };
    let sizes = Sizes {
        vocab_size: keys.count("padded_vocab_size")?,
        hidden: keys.count("hidden_size")?,
        layers: keys.layers("num_layers")?,
        heads: keys.count("num_attention_heads")?,
        kv_heads: keys.count("multi_query_group_num")?,
        head_dim,
        intermediate: keys.count("ffn_hidden_size")?,
        max_position: keys.count("seq_length")?,
        norm_eps: keys.number("layernorm_epsilon")?,
    };
    Ok(DecoderSpec {
        qkv_bias: linear_bias || keys.flag("add_qkv_bias", false)?,
        output_bias: linear_bias,
        mlp_bias: linear_bias,
        tied_head: keys.flag("tie_word_embeddings", false)?,
        ..plain(Family::ChatGlm, sizes, Some(rotary))
    })
}

/// The vocabulary size of Baichuan 1, whose head is not normalised; nothing else in its configuration identifies it.
pub(super) const BAICHUAN_1: usize = 64_000;

/// Baichuan 2 and 1. Models with rotary positions have `max_position_embeddings`, those with linear biases do not.
pub(super) fn baichuan(keys: &Keys) -> Result<DecoderSpec, ModelError> {
    keys.refuse("hidden_act", &[json!("silu")], "only silu is supported in this family")?;
    keys.refuse("tie_word_embeddings", &[json!(false)], "only an untied head is supported in this family")?;
    let (hidden, heads) = (keys.count("hidden_size")?, keys.count("num_attention_heads")?);
    let head_dim = hidden.checked_div(heads).filter(|_| hidden.is_multiple_of(heads.max(1))).unwrap_or(0);
    let longest = keys.maybe_count("model_max_length")?;
    let (rotary, max_position) = match keys.maybe_count("max_position_embeddings")? {
        Some(positions) => {
            let scaling = Scaling::Unscaled;
            (Some(Rotary { width: head_dim, theta: 10_000.0, pairing: Pairing::Halves, scaling }), positions)
        }
        None => match longest {
            Some(longest) => (None, longest),
            None => return Err(keys.wrong("model_max_length", "expected a whole number")),
        },
    };
    let sizes = Sizes {
        vocab_size: keys.count("vocab_size")?,
        hidden,
        layers: keys.layers("num_hidden_layers")?,
        heads,
        kv_heads: heads,
        head_dim,
        intermediate: keys.count("intermediate_size")?,
        max_position,
        norm_eps: keys.number("rms_norm_eps")?,
    };
    Ok(DecoderSpec {
        linear_biases: rotary.is_none().then(|| slopes(heads)),
        normalised_head: sizes.vocab_size != BAICHUAN_1,
        ..plain(Family::Baichuan, sizes, rotary)
    })
}

/// The first Qwen.
pub(super) fn qwen(keys: &Keys) -> Result<DecoderSpec, ModelError> {
    keys.refuse("no_bias", &[json!(true)], "biases of outputs are not supported")?;
    keys.refuse("rotary_pct", &[json!(1.0), json!(1)], "only whole heads are rotated in this family")?;
    keys.refuse("scale_attn_weights", &[json!(true)], "only scaled scores are supported")?;
    keys.refuse("tie_word_embeddings", &[json!(false)], "only an untied head is supported in this family")?;
    keys.refuse("use_cache_quantization", &[json!(false)], "quantised keys and values are not supported")?;
    let (hidden, heads) = (keys.count("hidden_size")?, keys.count("num_attention_heads")?);
    let head_dim = keys.count("kv_channels")?;
    let trained = keys.count("seq_length")?;
    let (log_scaled, stretched) = (keys.flag("use_logn_attn", true)?, keys.flag("use_dynamic_ntk", true)?);
    if trained < 2 {
        return Err(keys.wrong("seq_length", "expected at least 2"));
    }
    // Without stretching, the context is the trained length.
    let positions = keys.maybe_count("max_position_embeddings")?.unwrap_or(trained);
    let scaling = if stretched { Scaling::Ntk { original: trained } } else { Scaling::Unscaled };
    let theta = keys.maybe_number("rotary_emb_base")?.unwrap_or(10_000.0);
    let sizes = Sizes {
        vocab_size: keys.count("vocab_size")?,
        hidden,
        layers: keys.layers("num_hidden_layers")?,
        heads,
        kv_heads: heads,
        head_dim,
        // The configuration counts gate and up together.
        intermediate: keys.count("intermediate_size")? / 2,
        max_position: positions,
        norm_eps: keys.number("layer_norm_epsilon")?,
    };
    let rotary = Rotary { width: head_dim, theta, pairing: Pairing::Halves, scaling };
    Ok(DecoderSpec {
        qkv_bias: true,
        log_scaled_beyond: log_scaled.then_some(trained),
        ..plain(Family::Qwen, sizes, Some(rotary))
    })
}
