//! Settings from the metadata of a GGUF file.

use std::path::Path;

use candle_core::quantized::gguf_file::{Content, Value};
use serde_json::{Map, json};

use super::check::checked;
use super::family::{Family, ROPE_DIVISORS};
use super::keys::Keys;
use crate::decoder::{Activation, DecoderError, DecoderSpec, Gguf, LayerAttention, Pairing, Rotary, Scaling};
use crate::model::ModelError;

/// Read the settings in the metadata of an opened GGUF file. Fails as [`read_config`](super::read_config) does.
pub fn read(file: &Gguf) -> Result<DecoderSpec, ModelError> {
    let path = file.path();
    let keys = metadata(path, file.content());
    let (family, naming) = keys.family("general.architecture", Family::gguf_naming)?;
    let name: &str = family.into();
    let key = |key: &str| format!("{name}.{key}");
    let (hidden, heads, layers) = (
        keys.count(&key("embedding_length"))?,
        keys.count(&key("attention.head_count"))?,
        keys.layers(&key("block_count"))?,
    );
    let expert_key = key("expert_count");
    keys.refuse(&expert_key, &[json!(0)], "mixtures of experts are not supported")?;
    keys.refuse(&key("attention.causal"), &[json!(true)], "only causal attention is supported")?;
    let head_dim = match keys.maybe_count(&key("attention.key_length"))? {
        Some(head_dim) => head_dim,
        None if heads > 0 => hidden / heads,
        None => return Err(keys.wrong(&key("attention.head_count"), "expected at least 1")),
    };
    let value_dim = key("attention.value_length");
    if keys.maybe_count(&value_dim)?.is_some_and(|dim| dim != head_dim) {
        return Err(keys.wrong(&value_dim, format!("expected {head_dim}, as for the keys")));
    }
    let max_position = keys.count(&key("context_length"))?;
    let width = keys.maybe_count(&key("rope.dimension_count"))?.unwrap_or(head_dim);
    let divisors = file.vector(ROPE_DIVISORS)?;
    let scaling = match divisors {
        Some(divisors) if divisors.len() == width / 2 => Scaling::Divisors { divisors },
        Some(divisors) => {
            return Err(ModelError::Decoder(DecoderError::Shape {
                file: path.to_path_buf(),
                tensor: ROPE_DIVISORS.to_string(),
                found: vec![divisors.len()],
                expected: vec![width / 2],
            }));
        }
        None => scaling(&keys, name, max_position)?,
    };
    let theta = keys.maybe_number(&key("rope.freq_base"))?.unwrap_or(10_000.0);
    // Rows of `llama` files are brought back into half order when they are read.
    let rotary = Rotary { width, theta, pairing: Pairing::Halves, scaling };
    let window = keys.maybe_count(&key("attention.sliding_window"))?.filter(|&window| window > 0);
    let has = |tensor: &str| file.content().tensor_infos.contains_key(tensor);
    let embedding = file.content().tensor_infos.get(naming.embedding).ok_or_else(|| {
        let tensor = naming.embedding.to_string();
        ModelError::Decoder(DecoderError::MissingWeight { file: path.to_path_buf(), tensor })
    })?;
    let spec = DecoderSpec {
        family: family.into(),
        vocab_size: embedding.shape.dims().first().copied().unwrap_or(0),
        hidden,
        layers,
        heads,
        kv_heads: keys.maybe_count(&key("attention.head_count_kv"))?.unwrap_or(heads),
        head_dim,
        intermediate: keys.count(&key("feed_forward_length"))?,
        max_position,
        norm_eps: keys.number(&key("attention.layer_norm_rms_epsilon"))? as f32,
        norm_offset: 0.0,
        activation: Activation::Silu,
        query_key_norm: family.query_key_norm(),
        qkv_bias: has("blk.0.attn_q.bias"),
        output_bias: has("blk.0.attn_output.bias"),
        mlp_bias: has("blk.0.ffn_down.bias"),
        tied_head: !has(naming.head),
        rotaries: vec![rotary],
        attention: vec![LayerAttention { window, rotary: Some(0) }; layers],
        embedding_scale: 1.0,
        residual_scale: 1.0,
        score_scale: (head_dim as f32).powf(-0.5),
        score_cap: None,
        logit_scale: 1.0,
        logit_cap: None,
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

/// Settings of a family that change nothing here.
const HARMLESS: [&str; 5] = [
    "vocab_size",
    "tensor_data_layout",
    "rope.scaling.finetuned",
    "expert_used_count",
    "rope.scaling.original_context_length",
];

fn scaling(keys: &Keys, family: &str, max_position: usize) -> Result<Scaling, ModelError> {
    let key = |name: &str| format!("{family}.rope.scaling.{name}");
    let kind = key("type");
    match keys.maybe_text(&kind)?.unwrap_or("none") {
        "none" => Ok(Scaling::Unscaled),
        "linear" => Ok(Scaling::Linear { factor: keys.number(&key("factor"))? }),
        "yarn" => {
            let factor = keys.number(&key("factor"))?;
            let original = keys.maybe_number(&key("original_context_length"))?.unwrap_or(max_position as f64);
            let magnitude = if factor > 1.0 { 0.1 * factor.ln() + 1.0 } else { 1.0 };
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

/// The metadata as keys. Of arrays, which hold the tokenizer, only the length is kept: no setting that is read is one.
fn metadata(path: &Path, content: &Content) -> Keys {
    let mut values = Map::new();
    for (key, value) in &content.metadata {
        let value = match value {
            Value::U8(number) => json!(number),
            Value::I8(number) => json!(number),
            Value::U16(number) => json!(number),
            Value::I16(number) => json!(number),
            Value::U32(number) => json!(number),
            Value::I32(number) => json!(number),
            Value::U64(number) => json!(number),
            Value::I64(number) => json!(number),
            // JSON has no NaN and no infinity: as `null` they would count as absent.
            Value::F32(number) if !number.is_finite() => json!(number.to_string()),
            Value::F64(number) if !number.is_finite() => json!(number.to_string()),
            Value::F32(number) => json!(number),
            Value::F64(number) => json!(number),
            Value::Bool(flag) => json!(flag),
            Value::String(text) => json!(text),
            Value::Array(values) => json!(format!("a list of {} values", values.len())),
        };
        values.insert(key.clone(), value);
    }
    Keys::new(path, values)
}
