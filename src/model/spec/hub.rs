//! Settings from a `config.json`.

use std::path::Path;

use serde_json::{Value, json};

use super::check::{MOST_LAYERS, checked};
use super::experts::experts;
use super::family::Family;
use super::keys::Keys;
use super::{longrope_attention, magnitude, nested, vendor_config};
use crate::decoder::{Activation, DecoderSpec, FP8_SQUARE, Latent, LayerAttention, Pairing, Rotary, Scaling};
use crate::model::ModelError;

/// Read a `config.json`, in the form written by transformers 5 or the older one.
///
/// # Errors
/// Missing keys, unsupported families, and every known setting whose value would change the result in an unsupported
/// way.
pub fn read(path: &Path) -> Result<DecoderSpec, ModelError> {
    of_keys(&Keys::read(path)?)
}

/// The settings of a `config.json` that are never read, since no result depends on them.
///
/// # Errors
/// As [`read`].
pub fn unread(path: &Path) -> Result<Vec<String>, ModelError> {
    let keys = Keys::read(path)?;
    of_keys(&keys)?;
    Ok(keys.unread())
}

/// Read the keys of a configuration, as [`read`] does.
pub(super) fn of_keys(keys: &Keys) -> Result<DecoderSpec, ModelError> {
    if let Some((text, around)) = nested::parts(keys)? {
        refuse_what_is_not_computed(&around)?;
        around.refuse_unasked(&matters)?;
        return of_keys(&text).map(nested::within);
    }
    let family = keys.family("model_type")?;
    refuse_what_is_not_computed(keys)?;
    let spec = match family {
        Family::ChatGlm => vendor_config::chatglm(keys)?,
        Family::Baichuan => vendor_config::baichuan(keys)?,
        Family::Qwen => vendor_config::qwen(keys)?,
        _ => usual(keys, family)?,
    };
    keys.refuse_unasked(&matters)?;
    checked(spec, keys.file())
}

/// Parts of the names of settings that may change the result.
const TELLING: [&str; 25] = [
    "multiplier",
    "scal",
    "softcap",
    "clip",
    "expert",
    "moe",
    "lora",
    "sink",
    "alibi",
    "norm",
    "rope",
    "rotary",
    "residual",
    "temperature",
    "logit",
    "parallel",
    "bidirectional",
    "chunk",
    "mup",
    "mscale",
    "window",
    "attn",
    "attention",
    "prefix",
    "router",
];

/// Parts of names that match [`TELLING`] and have no effect: they are for training, choose between forms of the same
/// calculation, or belong to tensors, which are accounted for separately.
const HARMLESS: [&str; 23] = [
    "drop",
    "flash",
    "_implementation",
    "_bias",
    "fp32",
    "output_",
    "logits_to_keep",
    "aux_loss",
    "jitter",
    "max_window_layers",
    "use_sliding_window",
    "sliding_window_pattern",
    "layer_norm_eps",
    "layernorm_epsilon",
    "query_key_layer_scaling",
    "original_rope",
    "norm_eps",
    "initializer",
    "init_",
    "fuse",
    "xformers",
    "efficient_attention",
    "sdpa",
];

/// Sampling settings, which older files store beside those of the model. Nothing is sampled here.
const SAMPLING: [&str; 2] = ["temperature", "prefix"];

/// Whether a setting may change the result, judged by its name.
fn matters(key: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| key.contains(part));
    !key.starts_with('_') && has(&TELLING) && !has(&HARMLESS) && !SAMPLING.contains(&key)
}

/// Refuse settings that change the result and are supported in no family.
fn refuse_what_is_not_computed(keys: &Keys) -> Result<(), ModelError> {
    refuse_quantised(keys)?;
    keys.refuse("compression_config", &[], QUANTISED)?;
    keys.refuse("clip_qkv", &[], "clipping is not supported")?;
    keys.refuse("use_bidirectional_attention", &[json!(false)], "only causal attention is supported")?;
    keys.refuse("is_encoder_decoder", &[json!(false)], "only decoders are supported")?;
    Ok(())
}

const QUANTISED: &str = "an unsupported quantisation scheme; use the unquantised checkpoint or a GGUF file";

/// Refuse schemes of quantised weights, except DeepSeek's 8-bit floats with a factor for each square.
fn refuse_quantised(keys: &Keys) -> Result<(), ModelError> {
    let Some(config) = keys.object("quantization_config")? else { return Ok(()) };
    match config.maybe_text("quant_method")? {
        Some("fp8") => {
            config.refuse("fmt", &[json!("e4m3")], "the only supported 8-bit float is e4m3")?;
            // Activation quantisation used elsewhere, and matrices left unquantised, which the files show.
            for key in ["activation_scheme", "modules_to_not_convert", "ignored_layers"] {
                config.get(key);
            }
            match config.get("weight_block_size") {
                Some(size) if *size == json!([FP8_SQUARE, FP8_SQUARE]) => Ok(()),
                _ => Err(config.wrong("weight_block_size", format!("expected [{FP8_SQUARE}, {FP8_SQUARE}]"))),
            }
        }
        Some(_) => Err(config.wrong("quant_method", QUANTISED)),
        None => Err(keys.wrong("quantization_config", QUANTISED)),
    }
}

/// All families with the keys of Llama's configuration.
fn usual(keys: &Keys, family: Family) -> Result<DecoderSpec, ModelError> {
    let hidden = keys.count("hidden_size")?;
    let heads = keys.count("num_attention_heads")?;
    let layers = keys.layers("num_hidden_layers")?;
    let max_position = keys.count("max_position_embeddings")?;
    let latent = latent(keys, family)?;
    let head_dim = match latent.map(|latent| latent.head_dim()).or(keys.maybe_count("head_dim")?) {
        Some(head_dim) => head_dim,
        None if heads > 0 && hidden.is_multiple_of(heads) => hidden / heads,
        None => return Err(keys.wrong("head_dim", "expected, because the hidden size is not a multiple of the heads")),
    };
    let gemma = family.is_gemma();

    let attention_bias = match family {
        Family::Qwen2 => true,
        Family::Qwen2Moe => keys.flag("qkv_bias", true)?,
        Family::InternLm3 => keys.flag("qkv_bias", false)? || keys.flag("attention_bias", false)?,
        _ => keys.flag("attention_bias", false)?,
    };
    let output_bias = match family {
        Family::Qwen2 | Family::Qwen2Moe | Family::Glm | Family::Glm4 => false,
        Family::InternLm3 => keys.flag("bias", false)? || keys.flag("attention_bias", false)?,
        _ => attention_bias,
    };
    let mlp_bias = match family {
        Family::InternLm3 => keys.flag("bias", false)? || keys.flag("mlp_bias", false)?,
        _ => keys.flag("mlp_bias", false)?,
    };
    let experts = experts(keys, family, layers)?;
    let rotated = latent.map_or(head_dim, |latent| latent.rotated);
    let (rotaries, attention) = layers_of(keys, family, layers, rotated, max_position)?;
    let query_scale = if gemma { keys.maybe_number("query_pre_attn_scalar")? } else { None };
    let score_scale = match family {
        Family::Granite => keys.number("attention_multiplier")?,
        _ if let Some(latent) = latent => latent_scale(keys, &latent)?,
        _ => query_scale.unwrap_or(head_dim as f64).powf(-0.5),
    };
    let granite = |key: &str| if family == Family::Granite { keys.number(key) } else { Ok(1.0) };
    let cap = |key: &str| {
        if gemma { keys.maybe_number(key) } else { keys.refuse(key, &[], "not supported here").map(|()| None) }
    };
    Ok(DecoderSpec {
        family: family.into(),
        vocab_size: keys.count("vocab_size")?,
        hidden,
        layers,
        heads,
        kv_heads: keys.maybe_count("num_key_value_heads")?.unwrap_or(heads),
        head_dim,
        latent,
        intermediate: keys.count("intermediate_size")?,
        experts,
        max_position,
        norm_eps: keys.number("rms_norm_eps")? as f32,
        norm_offset: if gemma { 1.0 } else { 0.0 },
        activation: activation(keys, gemma)?,
        query_key_norm: family.query_key_norm(),
        qkv_bias: attention_bias,
        output_bias,
        mlp_bias,
        tied_head: keys.flag("tie_word_embeddings", gemma)?,
        rotaries,
        attention,
        linear_biases: None,
        log_scaled_beyond: None,
        embedding_scale: if gemma { (hidden as f32).sqrt() } else { granite("embedding_multiplier")? as f32 },
        residual_scale: granite("residual_multiplier")? as f32,
        score_scale: score_scale as f32,
        score_cap: cap("attn_logit_softcapping")?.map(|cap| cap as f32),
        logit_scale: (1.0 / granite("logits_scaling")?) as f32,
        logit_cap: cap("final_logit_softcapping")?.map(|cap| cap as f32),
        normalised_head: false,
        prediction_layers: keys.maybe_count("num_nextn_predict_layers")?.unwrap_or(0).min(MOST_LAYERS),
        naming: family.naming(),
    })
}

/// The sizes of latent attention, in families that have it.
fn latent(keys: &Keys, family: Family) -> Result<Option<Latent>, ModelError> {
    if !family.is_deepseek() {
        return Ok(None);
    }
    // If present, it gives the rotated columns.
    keys.maybe_count("head_dim")?;
    keys.maybe_count("qk_head_dim")?;
    Ok(Some(Latent {
        query_rank: keys.maybe_count("q_lora_rank")?,
        rank: keys.count("kv_lora_rank")?,
        rotated: keys.count("qk_rope_head_dim")?,
        still: keys.count("qk_nope_head_dim")?,
        value: keys.count("v_head_dim")?,
    }))
}

/// The factor on scores of latent attention: a scaled rope's magnitude for all columns enters twice, from queries and
/// from keys.
fn latent_scale(keys: &Keys, latent: &Latent) -> Result<f64, ModelError> {
    let usual = ((latent.rotated + latent.still) as f64).powf(-0.5);
    let scaling = match keys.object("rope_parameters")? {
        Some(parameters) => Some(parameters),
        None => keys.object("rope_scaling")?,
    };
    let Some(scaling) = scaling else { return Ok(usual) };
    let kind = scaling.maybe_text("rope_type")?.or(scaling.maybe_text("type")?).unwrap_or("default");
    match scaling.maybe_number("mscale_all_dim")? {
        Some(all) if kind != "default" && all != 0.0 => Ok(usual * magnitude(scaling.number("factor")?, all).powi(2)),
        _ => Ok(usual),
    }
}

fn activation(keys: &Keys, gemma: bool) -> Result<Activation, ModelError> {
    // Gemma's key; its older files have both.
    let key = if gemma && keys.get("hidden_activation").is_some() { "hidden_activation" } else { "hidden_act" };
    match keys.maybe_text(key)? {
        Some("silu" | "swish") => Ok(Activation::Silu),
        Some("gelu_pytorch_tanh") => Ok(Activation::GeluTanh),
        _ => Err(keys.wrong(key, "expected silu or gelu_pytorch_tanh")),
    }
}

/// Rotary embeddings, and window and rotation of each layer.
fn layers_of(
    keys: &Keys,
    family: Family,
    layers: usize,
    head_dim: usize,
    max_position: usize,
) -> Result<(Vec<Rotary>, Vec<LayerAttention>), ModelError> {
    let windowed = windowed_layers(keys, family, layers)?;
    let window = keys.maybe_count("sliding_window")?.filter(|&window| window > 0);
    if windowed.contains(&true) && window.is_none() {
        return Err(keys.wrong("sliding_window", "expected a window of at least 1, because some layers use one"));
    }
    let new_style = keys.object("rope_parameters")?;
    let rotaries = match (&new_style, family) {
        (Some(both), Family::Gemma3Text) => {
            let of = |name: &str| both.object(name)?.ok_or_else(|| both.wrong(name, "expected an object"));
            let full = of("full_attention")?;
            let sliding = of("sliding_attention")?;
            vec![
                rotary(keys, &full, family, full.number("rope_theta")?, head_dim, max_position)?,
                rotary(keys, &sliding, family, sliding.number("rope_theta")?, head_dim, max_position)?,
            ]
        }
        (Some(parameters), _) => {
            let theta = parameters.number("rope_theta")?;
            keys.refuse("rope_theta", &[json!(theta), json!(theta as i64)], "expected the value in `rope_parameters`")?;
            vec![rotary(keys, parameters, family, theta, head_dim, max_position)?]
        }
        (None, _) => {
            let unscaled = Keys::new(keys.file(), serde_json::Map::new());
            let theta = keys.maybe_number("rope_theta")?.unwrap_or(10_000.0);
            let scaling = keys.object("rope_scaling")?.unwrap_or_else(|| unscaled.clone());
            let mut rotaries = vec![rotary(keys, &scaling, family, theta, head_dim, max_position)?];
            if family == Family::Gemma3Text {
                let theta = keys.number("rope_local_base_freq")?;
                rotaries.push(rotary(keys, &unscaled, family, theta, head_dim, max_position)?);
            }
            rotaries
        }
    };
    let rotated = rotated_layers(keys, family, layers)?;
    let attention = windowed.iter().zip(&rotated).map(|(&windowed, &rotated)| {
        let rotary = if windowed && rotaries.len() > 1 { 1 } else { 0 };
        LayerAttention { window: window.filter(|_| windowed), rotary: rotated.then_some(rotary) }
    });
    let attention = attention.collect();
    Ok((rotaries, attention))
}

/// Which layers have a window.
fn windowed_layers(keys: &Keys, family: Family, layers: usize) -> Result<Vec<bool>, ModelError> {
    let listed = keys.maybe_list("layer_types", |kind| match kind.as_str()? {
        "full_attention" => Some(false),
        "sliding_attention" => Some(true),
        _ => None,
    });
    let expected = format!("expected {layers} entries, each full_attention or sliding_attention");
    let listed = listed.map_err(|_| keys.wrong("layer_types", expected.clone()))?;
    if let Some(listed) = listed {
        return if listed.len() == layers { Ok(listed) } else { Err(keys.wrong("layer_types", expected)) };
    }
    let every = |windowed: &dyn Fn(usize) -> bool| Ok((0..layers).map(windowed).collect());
    match family {
        Family::Mistral | Family::Mixtral | Family::Phi3 => {
            let present = keys.maybe_count("sliding_window")?.is_some_and(|window| window > 0);
            every(&|_| present)
        }
        Family::Qwen2 | Family::Qwen2Moe | Family::Qwen3 | Family::Qwen3Moe | Family::SmolLm3 => {
            let used = keys.flag("use_sliding_window", false)?;
            let full = keys.maybe_count("max_window_layers")?.unwrap_or(28);
            every(&|layer| used && layer >= full)
        }
        Family::Gemma2 => every(&|layer| layer % 2 == 0),
        Family::Gemma3Text => {
            let pattern = keys.maybe_count("sliding_window_pattern")?.unwrap_or(6).max(1);
            every(&|layer| !(layer + 1).is_multiple_of(pattern))
        }
        _ => every(&|_| false),
    }
}

/// Which layers rotate queries and keys: all but every n-th of SmolLM3.
fn rotated_layers(keys: &Keys, family: Family, layers: usize) -> Result<Vec<bool>, ModelError> {
    if family != Family::SmolLm3 {
        return Ok(vec![true; layers]);
    }
    let interval = keys.maybe_count("no_rope_layer_interval")?.unwrap_or(4).max(1);
    match keys.maybe_list("no_rope_layers", |value| value.as_u64().filter(|flag| *flag <= 1))? {
        Some(listed) if listed.len() == layers => Ok(listed.into_iter().map(|rotated| rotated != 0).collect()),
        Some(_) => Err(keys.wrong("no_rope_layers", format!("expected {layers} entries"))),
        None => Ok((0..layers).map(|layer| !(layer + 1).is_multiple_of(interval)).collect()),
    }
}

/// One rotary embedding. `scaling` is the object with the rope type, or empty.
fn rotary(
    keys: &Keys,
    scaling: &Keys,
    family: Family,
    theta: f64,
    head_dim: usize,
    max_position: usize,
) -> Result<Rotary, ModelError> {
    let share = match scaling.maybe_number("partial_rotary_factor")? {
        Some(share) => share,
        None => keys.maybe_number("partial_rotary_factor")?.unwrap_or(if family.is_glm() { 0.5 } else { 1.0 }),
    };
    if !(share > 0.0 && share <= 1.0) {
        return Err(keys.wrong("partial_rotary_factor", "expected a number above 0 and at most 1"));
    }
    let width = (head_dim as f64 * share) as usize;
    let pairing = match family {
        Family::DeepseekV3 if !keys.flag("rope_interleave", true)? => Pairing::Halves,
        _ if family.is_glm() || family.is_deepseek() => Pairing::Interleaved,
        _ => Pairing::Halves,
    };
    let (type_key, older) = ("rope_type", scaling.get("type").cloned());
    let type_key = match scaling.get(type_key) {
        Some(newer) if older.as_ref().is_none_or(|older| older == newer) => type_key,
        Some(_) => return Err(scaling.wrong("type", "expected the same as `rope_type`")),
        None => "type",
    };
    let own_original = scaling.maybe_number("original_max_position_embeddings")?;
    let original = match own_original {
        Some(original) => Some(original),
        None => keys.maybe_number("original_max_position_embeddings")?,
    };
    let scaling = match scaling.maybe_text(type_key)?.unwrap_or("default") {
        "default" => Scaling::Unscaled,
        "linear" => Scaling::Linear { factor: scaling.number("factor")? },
        "dynamic" => {
            // The factor has an effect only beyond the original context, which is refused.
            scaling.maybe_number("factor")?;
            Scaling::Dynamic { original: original.map_or(max_position, |original| original as usize) }
        }
        "llama3" => Scaling::Llama3 {
            factor: scaling.number("factor")?,
            low: scaling.number("low_freq_factor")?,
            high: scaling.number("high_freq_factor")?,
            original: scaling.number("original_max_position_embeddings")?,
        },
        "yarn" => yarn(scaling, original.unwrap_or(max_position as f64))?,
        "longrope" | "su" => {
            let original = original.ok_or_else(|| {
                keys.wrong("original_max_position_embeddings", "expected, because the rope type needs it")
            })?;
            longrope(scaling, width, original, max_position)?
        }
        _ => {
            let known = "expected default, linear, dynamic, llama3, yarn or longrope";
            return Err(scaling.wrong(type_key, known));
        }
    };
    Ok(Rotary { width, theta, pairing, scaling })
}

fn yarn(scaling: &Keys, original: f64) -> Result<Scaling, ModelError> {
    let factor = scaling.number("factor")?;
    let (mscale, all) = (scaling.maybe_number("mscale")?, scaling.maybe_number("mscale_all_dim")?);
    let attention = match (scaling.maybe_number("attention_factor")?, mscale, all) {
        (Some(attention), ..) => attention,
        (None, Some(mscale), Some(all)) if mscale != 0.0 && all != 0.0 => {
            magnitude(factor, mscale) / magnitude(factor, all)
        }
        _ => magnitude(factor, 1.0),
    };
    Ok(Scaling::Yarn {
        factor,
        beta_fast: scaling.maybe_number("beta_fast")?.unwrap_or(32.0),
        beta_slow: scaling.maybe_number("beta_slow")?.unwrap_or(1.0),
        original,
        attention,
        truncate: scaling.flag("truncate", true)?,
    })
}

fn longrope(scaling: &Keys, width: usize, original: f64, max_position: usize) -> Result<Scaling, ModelError> {
    let factors = |key: &str| match scaling.maybe_list(key, Value::as_f64)? {
        Some(factors) if factors.len() == width / 2 => Ok(factors),
        _ => Err(scaling.wrong(key, format!("expected {} numbers", width / 2))),
    };
    let stretch = scaling.maybe_number("factor")?.unwrap_or(max_position as f64 / original);
    let usual = longrope_attention(stretch, original);
    let attention = scaling.maybe_number("attention_factor")?.unwrap_or(usual);
    Ok(Scaling::Long {
        short: factors("short_factor")?,
        long: factors("long_factor")?,
        original: original as usize,
        attention,
    })
}
