//! Settings from the metadata of a GGUF file.

use std::path::Path;

use candle_core::quantized::gguf_file::{Content, Value};
use serde_json::{Map, Value as Json, json};

use super::check::{MOST_EXPERTS, MOST_LAYERS, checked};
use super::family::{Architecture, Family, GGUF_APART, GGUF_FUSED_QKV, LONG_FACTORS, ROPE_DIVISORS};
use super::keys::Keys;
use super::vendor_config::BAICHUAN_1;
use super::{longrope_attention, magnitude};
use crate::decoder::{
    Activation, DecoderError, DecoderSpec, ExpertGroups, ExpertScore, Experts, Gguf, Latent, LatentNaming,
    LayerAttention, Naming, Pairing, Rotary, Scaling, SharedExpert, slopes,
};
use crate::model::ModelError;

/// Read the settings in the metadata of an opened GGUF file. Fails as [`read_config`](super::read_config) does.
pub fn read(file: &Gguf) -> Result<DecoderSpec, ModelError> {
    of_keys(file, metadata(file.path(), file.content()))
}

/// The settings of the architecture in an opened GGUF file that are never read. Fails as [`read`] does.
pub fn unread(file: &Gguf) -> Result<Vec<String>, ModelError> {
    let keys = metadata(file.path(), file.content());
    of_keys(file, keys.clone())?;
    let beginning = format!("{}.", keys.architecture("general.architecture")?.name);
    Ok(keys.unread().into_iter().filter(|key| key.starts_with(&beginning)).collect())
}

fn of_keys(file: &Gguf, keys: Keys) -> Result<DecoderSpec, ModelError> {
    let path = file.path();
    let architecture = keys.architecture("general.architecture")?;
    let Architecture { name, family, .. } = *architecture;
    let has = |tensor: &str| file.content().tensor_infos.contains_key(tensor);
    let naming = Naming {
        latent: architecture
            .naming
            .latent
            .map(|names| LatentNaming { apart: has("blk.0.attn_k_b.weight").then_some(GGUF_APART), ..names }),
        fused_qkv: (architecture.may_fuse_qkv && has("blk.0.attn_qkv.weight")).then_some(GGUF_FUSED_QKV),
        ..architecture.naming
    };
    let key = |key: &str| format!("{name}.{key}");
    let (hidden, heads, layers) = (
        keys.count(&key("embedding_length"))?,
        keys.count(&key("attention.head_count"))?,
        keys.layers(&key("block_count"))?,
    );
    let experts = experts(&keys, architecture, layers, &has)?;
    if family == Family::Granite {
        // In Granite's files this key says whether anything is rotated at all.
        keys.refuse(&key("rope.scaling.finetuned"), &[json!(true)], "layers without rotation are not supported here")?;
    }
    keys.refuse(&key("attention.causal"), &[json!(true)], "only causal attention is supported")?;
    let latent = latent(&keys, architecture)?;
    let head_dim = match keys.maybe_count(&key("attention.key_length"))? {
        _ if let Some(latent) = latent => latent.head_dim(),
        Some(head_dim) => head_dim,
        None if heads > 0 => hidden / heads,
        None => return Err(keys.wrong(&key("attention.head_count"), "expected at least 1")),
    };
    let value_dim = key("attention.value_length");
    if keys.maybe_count(&value_dim)?.is_some_and(|dim| latent.is_none() && dim != head_dim) {
        return Err(keys.wrong(&value_dim, format!("expected {head_dim}, as for the keys")));
    }
    let max_position = keys.count(&key("context_length"))?;
    let rotaries = rotaries(file, &keys, architecture, head_dim, max_position)?;
    let mut attention = layers_of(&keys, architecture, layers)?;
    let embedding = file.content().tensor_infos.get(naming.embedding).ok_or_else(|| {
        let tensor = naming.embedding.to_string();
        ModelError::Decoder(DecoderError::MissingWeight { file: path.to_path_buf(), tensor })
    })?;
    let vocab_size = embedding.shape.dims().first().copied().unwrap_or(0);
    let linear_biases = (family == Family::Baichuan && linear_by_layers(&keys, name, layers)?).then(|| slopes(heads));
    if linear_biases.is_some() {
        attention.iter_mut().for_each(|layer| layer.rotary = None);
    }
    let factor = |name: &str| Ok::<_, ModelError>(keys.maybe_number(&key(name))?.filter(|factor| *factor != 0.0));
    let granite = |name: &str| if family == Family::Granite { factor(name) } else { Ok(None) };
    let score_scale = match factor("attention.scale")? {
        Some(scale) => scale,
        None if let Some(latent) = latent => latent_scale(&keys, name, &latent)?,
        None => (score_width(family, hidden, heads, layers, head_dim) as f64).powf(-0.5),
    };
    let cap = |name: &str, usual: Option<f64>| Ok::<_, ModelError>(factor(name)?.or(usual).map(|cap| cap as f32));
    let (score_cap, logit_cap) = match family {
        // llama.cpp's own values for files without them.
        Family::Gemma2 => (cap("attn_logit_softcapping", Some(50.0))?, cap("final_logit_softcapping", Some(30.0))?),
        Family::Gemma3Text => (None, cap("final_logit_softcapping", None)?),
        _ => (None, None),
    };
    let spec = DecoderSpec {
        family: family.into(),
        vocab_size,
        hidden,
        layers,
        heads,
        // Newer files of latent attention state one head, which is the latent.
        kv_heads: match (latent, keys.maybe_count(&key("attention.head_count_kv"))?) {
            (None, Some(kv_heads)) => kv_heads,
            _ => heads,
        },
        head_dim,
        latent,
        // The first Qwen counts gate and up together.
        intermediate: keys.count(&key("feed_forward_length"))? / if family == Family::Qwen { 2 } else { 1 },
        experts,
        max_position,
        norm_eps: norm_eps(&keys, architecture)?,
        // Gemma's norm weights are stored with the 1 added to them.
        norm_offset: 0.0,
        activation: if family.is_gemma() { Activation::GeluTanh } else { Activation::Silu },
        query_key_norm: family.query_key_norm(),
        qkv_bias: has("blk.0.attn_q.bias") || (naming.fused_qkv.is_some() && has("blk.0.attn_qkv.bias")),
        output_bias: has("blk.0.attn_output.bias"),
        mlp_bias: has("blk.0.ffn_down.bias"),
        tied_head: !has(naming.head),
        rotaries,
        attention,
        linear_biases,
        log_scaled_beyond: None,
        embedding_scale: match family.is_gemma() {
            true => (hidden as f32).sqrt(),
            false => granite("embedding_scale")?.unwrap_or(1.0) as f32,
        },
        residual_scale: granite("residual_scale")?.unwrap_or(1.0) as f32,
        score_scale: score_scale as f32,
        score_cap,
        logit_scale: (1.0 / granite("logit_scale")?.unwrap_or(1.0)) as f32,
        logit_cap,
        normalised_head: family == Family::Baichuan && vocab_size != BAICHUAN_1,
        prediction_layers: 0,
        naming,
    };
    keys.refuse_unasked(&|key| {
        // Other keys describe the file or its tokenizer.
        let own = key.strip_prefix(name);
        own.is_some_and(|own| !own.strip_prefix('.').is_some_and(|own| HARMLESS.contains(&own)))
    })?;
    checked(spec, path)
}

/// Settings of a family that have no effect here.
const HARMLESS: [&str; 4] =
    ["vocab_size", "tensor_data_layout", "rope.scaling.finetuned", "rope.scaling.original_context_length"];

/// The sizes of latent attention. In older files the length of keys and values is that of a head, in newer ones that of
/// the latent, and separate keys give a head's length.
fn latent(keys: &Keys, architecture: &Architecture) -> Result<Option<Latent>, ModelError> {
    if architecture.naming.latent.is_none() {
        return Ok(None);
    }
    let key = |key: &str| format!("{}.{key}", architecture.name);
    let length = |kind: &str| match keys.maybe_count(&key(&format!("attention.{kind}_length_mla")))? {
        Some(length) => Ok(length),
        None => keys.count(&key(&format!("attention.{kind}_length"))),
    };
    let rotated = keys.count(&key("rope.dimension_count"))?;
    let head = length("key")?;
    let Some(still) = head.checked_sub(rotated) else {
        return Err(keys.wrong(&key("rope.dimension_count"), format!("expected at most {head}, the length of a key")));
    };
    Ok(Some(Latent {
        query_rank: keys.maybe_count(&key("attention.q_lora_rank"))?,
        rank: keys.count(&key("attention.kv_lora_rank"))?,
        rotated,
        still,
        value: length("value")?,
    }))
}

/// The factor on scores of latent attention; files hold a tenth of its weight in YaRN's magnitude.
fn latent_scale(keys: &Keys, name: &str, latent: &Latent) -> Result<f64, ModelError> {
    let usual = ((latent.rotated + latent.still) as f64).powf(-0.5);
    match keys.maybe_number(&format!("{name}.rope.scaling.yarn_log_multiplier"))? {
        Some(tenth) if tenth != 0.0 => {
            let factor = keys.number(&format!("{name}.rope.scaling.factor"))?;
            Ok(usual * magnitude(factor, 10.0 * tenth).powi(2))
        }
        _ => Ok(usual),
    }
}

/// The experts of a mixture; layers without a router have one dense network.
fn experts(
    keys: &Keys,
    architecture: &Architecture,
    layers: usize,
    has: &impl Fn(&str) -> bool,
) -> Result<Option<Experts>, ModelError> {
    let Architecture { name, family, naming, .. } = architecture;
    let key = |key: &str| format!("{name}.{key}");
    let count = keys.maybe_count(&key("expert_count"))?.unwrap_or(0);
    if count == 0 {
        return Ok(None);
    }
    let Some(of_experts) = &naming.experts else {
        return Err(keys.wrong(&key("expert_count"), "mixtures of this architecture are not supported"));
    };
    if count > MOST_EXPERTS {
        return Err(keys.wrong(&key("expert_count"), format!("expected at most {MOST_EXPERTS}")));
    }
    let active = keys.count(&key("expert_used_count"))?;
    if active == 0 || active > count {
        return Err(keys.wrong(&key("expert_used_count"), format!("expected 1 to {count}")));
    }
    // Files of Mixtral have no separate width for experts.
    let intermediate = match keys.maybe_count(&key("expert_feed_forward_length"))? {
        Some(width) => width,
        None => keys.count(&key("feed_forward_length"))?,
    };
    let shared = match keys.maybe_count(&key("expert_shared_feed_forward_length"))?.filter(|&width| width > 0) {
        Some(intermediate) => {
            let gate = format!("blk.0.{}.weight", of_experts.shared_gate);
            Some(SharedExpert { intermediate, gated: has(&gate) })
        }
        // DeepSeek's shared experts form one network with their total width.
        None => keys
            .maybe_count(&key("expert_shared_count"))?
            .filter(|&shared| shared > 0)
            .map(|shared| SharedExpert { intermediate: shared.saturating_mul(intermediate), gated: false }),
    };
    // 1 is a softmax, 2 a sigmoid; older files do not say.
    let gating = key("expert_gating_func");
    let score = match keys.maybe_count(&gating)? {
        None | Some(0 | 1) => ExpertScore::Softmax,
        Some(2) => ExpertScore::Sigmoid,
        Some(_) => return Err(keys.wrong(&gating, "expected 1 (softmax) or 2 (sigmoid)")),
    };
    let summed = if score == ExpertScore::Sigmoid { 2 } else { 1 };
    let groups = keys.maybe_count(&key("expert_group_count"))?.filter(|&groups| groups > 1);
    let groups = match groups {
        None => None,
        Some(groups) if count.is_multiple_of(groups) => {
            let used = keys.count(&key("expert_group_used_count"))?;
            if used == 0 || used > groups || used * (count / groups) < active {
                return Err(keys.wrong(&key("expert_group_used_count"), format!("expected 1 to {groups}")));
            }
            Some(ExpertGroups { count: groups, active: used, summed })
        }
        Some(_) => {
            return Err(keys.wrong(&key("expert_group_count"), format!("expected a divisor of {count}")));
        }
    };
    if groups.is_none() {
        keys.maybe_count(&key("expert_group_used_count"))?;
    }
    // As in llama.cpp: by architecture, where files do not say.
    let normalised = match family {
        Family::DeepseekV2 => keys.flag(&key("expert_weights_norm"), false)?,
        Family::Qwen2Moe => false,
        _ => true,
    };
    Ok(Some(Experts {
        count,
        active,
        intermediate,
        score,
        groups,
        corrected: has(&format!("blk.{}.{}", layers.saturating_sub(1), of_experts.correction)),
        normalised,
        scale: keys.maybe_number(&key("expert_weights_scale"))?.filter(|scale| *scale != 0.0).unwrap_or(1.0) as f32,
        shared,
        layers: (0..layers).map(|layer| has(&format!("blk.{layer}.{}.weight", of_experts.router))).collect(),
    }))
}

/// Files do not say whether Baichuan's positions are rotary or linear biases: as in llama.cpp, the number of layers
/// distinguishes its 7B and 13B models.
fn linear_by_layers(keys: &Keys, name: &str, layers: usize) -> Result<bool, ModelError> {
    match layers {
        32 => Ok(false),
        40 => Ok(true),
        _ => Err(keys.wrong(&format!("{name}.block_count"), "expected 32 (rotary positions) or 40 (linear biases)")),
    }
}

/// The epsilon of the norms; files of the first Qwen may store it under the key of other norms.
fn norm_eps(keys: &Keys, architecture: &Architecture) -> Result<f32, ModelError> {
    let key = |kind: &str| format!("{}.attention.layer_norm_{kind}epsilon", architecture.name);
    let other = if architecture.family == Family::Qwen { keys.maybe_number(&key(""))? } else { None };
    match (keys.maybe_number(&key("rms_"))?, other) {
        (Some(eps), _) | (None, Some(eps)) => Ok(eps as f32),
        (None, None) => Ok(keys.number(&key("rms_"))? as f32),
    }
}

/// The width whose square root divides attention scores. GGUF has no field for Gemma's: its largest models, identified
/// by their layers as in llama.cpp, divide by a head's share of the residual stream's width.
fn score_width(family: Family, hidden: usize, heads: usize, layers: usize, head_dim: usize) -> usize {
    match (family, layers) {
        (Family::Gemma2, 46) | (Family::Gemma3Text, 62) => hidden / heads.max(1),
        _ => head_dim,
    }
}

/// The rotary embeddings: one, and in Gemma 3 a second for layers with a window.
fn rotaries(
    file: &Gguf,
    keys: &Keys,
    architecture: &Architecture,
    head_dim: usize,
    max_position: usize,
) -> Result<Vec<Rotary>, ModelError> {
    let Architecture { name, family, .. } = *architecture;
    let key = |key: &str| format!("{name}.{key}");
    let width = keys.maybe_count(&key("rope.dimension_count"))?.unwrap_or(head_dim);
    let vector = |tensor: &str| match file.vector(tensor)? {
        Some(found) if found.len() != width / 2 => Err(ModelError::Decoder(DecoderError::Shape {
            file: file.path().to_path_buf(),
            tensor: tensor.to_string(),
            found: vec![found.len()],
            expected: vec![width / 2],
        })),
        found => Ok(found),
    };
    let scaling = match (vector(ROPE_DIVISORS)?, vector(LONG_FACTORS[0])?, vector(LONG_FACTORS[1])?) {
        (Some(divisors), ..) => Scaling::Divisors { divisors },
        (None, Some(short), Some(long)) => long_factors(keys, name, short, long, max_position)?,
        _ => scaling(keys, name, max_position)?,
    };
    let theta = keys.maybe_number(&key("rope.freq_base"))?.unwrap_or(10_000.0);
    // Rows of families with paired rows are restored to half order when they are read.
    let pairing = match family {
        Family::ChatGlm | Family::Glm4 | Family::DeepseekV2 => Pairing::Interleaved,
        _ => Pairing::Halves,
    };
    let mut rotaries = vec![Rotary { width, theta, pairing, scaling }];
    if family == Family::Gemma3Text {
        let theta = keys.maybe_number(&key("rope.freq_base_swa"))?.unwrap_or(10_000.0);
        rotaries.push(Rotary { width, theta, pairing, scaling: Scaling::Unscaled });
    }
    Ok(rotaries)
}

fn long_factors(
    keys: &Keys,
    name: &str,
    short: Vec<f32>,
    long: Vec<f32>,
    max_position: usize,
) -> Result<Scaling, ModelError> {
    let original = keys.count(&format!("{name}.rope.scaling.original_context_length"))?;
    let stretch = max_position as f64 / original.max(1) as f64;
    let usual = longrope_attention(stretch, original as f64);
    let attention = keys.maybe_number(&format!("{name}.rope.scaling.attn_factor"))?.unwrap_or(usual);
    let wide = |factors: Vec<f32>| factors.into_iter().map(f64::from).collect();
    Ok(Scaling::Long { short: wide(short), long: wide(long), original, attention })
}

/// Period of the layers that do not rotate, or that have no window.
const SMOLLM3_TURN: usize = 4;
const GEMMA2_TURN: usize = 2;
const GEMMA3_TURN: usize = 6;
const OLMO2_TURN: usize = 4;

/// Gemma 2's window, where a file does not give it.
const GEMMA2_WINDOW: usize = 4096;

/// Window and rotary embedding of each layer.
fn layers_of(keys: &Keys, architecture: &Architecture, layers: usize) -> Result<Vec<LayerAttention>, ModelError> {
    let Architecture { name, family, .. } = *architecture;
    let window = keys.maybe_count(&format!("{name}.attention.sliding_window"))?;
    let window = if family == Family::Gemma2 { window.or(Some(GEMMA2_WINDOW)) } else { window };
    let window = window.filter(|&window| window > 0);
    let pattern = format!("{name}.attention.sliding_window_pattern");
    let windowed: Vec<bool> = match (keys.get(&pattern), family) {
        (Some(Json::Array(_)), _) => {
            let listed = keys.maybe_list(&pattern, |value| value.as_bool().or(value.as_u64().map(|flag| flag != 0)))?;
            let listed = listed.filter(|listed| listed.len() == layers);
            listed.ok_or_else(|| keys.wrong(&pattern, format!("expected {layers} entries")))?
        }
        (Some(_), _) | (None, Family::Gemma2 | Family::Gemma3Text | Family::Olmo2) => {
            let usual = match family {
                Family::Gemma2 => GEMMA2_TURN,
                Family::Gemma3Text => GEMMA3_TURN,
                _ => OLMO2_TURN,
            };
            let turn = keys.maybe_count(&pattern)?.unwrap_or(usual).max(1);
            (0..layers).map(|layer| !(layer + 1).is_multiple_of(turn)).collect()
        }
        (None, _) => vec![true; layers],
    };
    let layer = |(layer, windowed): (usize, bool)| {
        let rotated = family != Family::SmolLm3 || !(layer + 1).is_multiple_of(SMOLLM3_TURN);
        let rotary = if family == Family::Gemma3Text && windowed && window.is_some() { 1 } else { 0 };
        LayerAttention { window: window.filter(|_| windowed), rotary: rotated.then_some(rotary) }
    };
    Ok(windowed.into_iter().enumerate().map(layer).collect())
}

fn scaling(keys: &Keys, family: &str, max_position: usize) -> Result<Scaling, ModelError> {
    let key = |name: &str| format!("{family}.rope.scaling.{name}");
    let kind = key("type");
    match keys.maybe_text(&kind)?.unwrap_or("none") {
        "none" => Ok(Scaling::Unscaled),
        "linear" => Ok(Scaling::Linear { factor: keys.number(&key("factor"))? }),
        "yarn" => {
            let factor = keys.number(&key("factor"))?;
            let original = keys.maybe_number(&key("original_context_length"))?.unwrap_or(max_position as f64);
            // The magnitude is either in the scores or in the rotation.
            let in_scores = keys.maybe_number(&key("yarn_log_multiplier"))?.is_some_and(|weight| weight != 0.0);
            let magnitude = if in_scores { 1.0 } else { magnitude(factor, 1.0) };
            Ok(Scaling::Yarn {
                factor,
                beta_fast: keys.maybe_number(&key("yarn_beta_fast"))?.unwrap_or(32.0),
                beta_slow: keys.maybe_number(&key("yarn_beta_slow"))?.unwrap_or(1.0),
                original,
                attention: magnitude * keys.maybe_number(&key("attn_factor"))?.unwrap_or(1.0),
                truncate: true,
            })
        }
        _ => Err(keys.wrong(&kind, "expected none, linear or yarn")),
    }
}

/// The metadata as keys. For long arrays, which hold the tokenizer, only the length is kept: no setting is one.
fn metadata(path: &Path, content: &Content) -> Keys {
    let mut values = Map::new();
    for (key, value) in &content.metadata {
        let value = match value {
            Value::Array(list) if list.len() <= MOST_LAYERS && !key.starts_with("tokenizer.") => {
                Json::Array(list.iter().map(simple).collect())
            }
            value => simple(value),
        };
        values.insert(key.clone(), value);
    }
    Keys::new(path, values)
}

fn simple(value: &Value) -> Json {
    match value {
        Value::U8(number) => json!(number),
        Value::I8(number) => json!(number),
        Value::U16(number) => json!(number),
        Value::I16(number) => json!(number),
        Value::U32(number) => json!(number),
        Value::I32(number) => json!(number),
        Value::U64(number) => json!(number),
        Value::I64(number) => json!(number),
        // JSON has neither NaN nor infinity: as `null` they would count as absent.
        Value::F32(number) if !number.is_finite() => json!(number.to_string()),
        Value::F64(number) if !number.is_finite() => json!(number.to_string()),
        Value::F32(number) => json!(number),
        Value::F64(number) => json!(number),
        Value::Bool(flag) => json!(flag),
        Value::String(text) => json!(text),
        Value::Array(values) => json!(format!("a list of {} values", values.len())),
    }
}
