//! Every tensor of the weight files is read, or is known not to matter.

use std::collections::BTreeMap;

use serde::Serialize;

use super::family::{LONG_FACTORS, ROPE_DIVISORS};
use crate::decoder::{DecoderError, DecoderSpec, Scaling, TensorEntry, Weights, same_shape};
use crate::model::ModelError;

/// A tensor that is in the files and not read, since the model's numbers do not depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadTensor {
    /// Its name.
    pub name: String,
    /// Why it is not read.
    pub reason: &'static str,
}

/// How many tensors an error names.
const NAMED: usize = 5;

/// Check that the files hold what `spec` asks for and nothing else that could matter; returns the rest.
///
/// # Errors
/// A tensor that is missing, has another shape, or has no place in such a model.
pub fn account(spec: &DecoderSpec, weights: &Weights) -> Result<Vec<UnreadTensor>, ModelError> {
    let entries = weights.entries();
    let Some(first) = entries.first().copied() else { return Ok(Vec::new()) };
    let mut left: BTreeMap<&str, TensorEntry<'_>> = entries.into_iter().map(|entry| (entry.name, entry)).collect();
    let missing = |tensor| DecoderError::MissingWeight { file: first.file.to_path_buf(), tensor };
    for (tensor, expected) in spec.tensors() {
        if let Some(factors) = weights.factors_of(&tensor)
            && left.remove(factors.as_str()).is_none()
        {
            return Err(missing(factors).into());
        }
        match left.remove(tensor.as_str()) {
            Some(entry) if same_shape(entry.shape, &expected) => {}
            Some(TensorEntry { shape, file, .. }) => {
                let (file, found) = (file.to_path_buf(), shape.to_vec());
                return Err(DecoderError::Shape { file, tensor, found, expected }.into());
            }
            None => return Err(missing(tensor).into()),
        }
    }
    if spec.rotaries.iter().any(|rotary| matches!(rotary.scaling, Scaling::Divisors { .. })) {
        left.remove(ROPE_DIVISORS);
    }
    if spec.rotaries.iter().any(|rotary| matches!(rotary.scaling, Scaling::Long { .. })) {
        for name in LONG_FACTORS {
            left.remove(name);
        }
    }
    let mut unread = Vec::new();
    let mut foreign: Vec<TensorEntry<'_>> = Vec::new();
    for (name, entry) in left {
        match reason(spec, name) {
            Some(reason) => unread.push(UnreadTensor { name: name.to_string(), reason }),
            None if name == spec.naming.head && weights.same_values(name, spec.naming.embedding)? => {
                unread.push(UnreadTensor { name: name.to_string(), reason: "the embedding once more, as the head" });
            }
            None => foreign.push(entry),
        }
    }
    match foreign.first() {
        None => Ok(unread),
        Some(first) => Err(ModelError::Unaccounted {
            file: first.file.to_path_buf(),
            family: spec.family,
            layers: spec.layers,
            tensors: foreign.iter().take(NAMED).map(|entry| entry.name.to_string()).collect(),
            more: foreign.len().saturating_sub(NAMED),
        }),
    }
}

/// Names that end so, of tensors that follow from the configuration.
const COMPUTED: [(&str, &str); 8] = [
    ("rotary_emb.inv_freq", "rotary frequencies, computed from the configuration"),
    ("rotary_pos_emb.inv_freq", "rotary frequencies, computed from the configuration"),
    ("rotary_emb.cos_cached", "rotary angles, computed from the configuration"),
    ("rotary_emb.sin_cached", "rotary angles, computed from the configuration"),
    (".attn_rot_embd.weight", "rotary frequencies, computed from the configuration"),
    (".self_attn.bias", "an attention mask"),
    (".self_attn.masked_bias", "an attention mask"),
    (".attn.masked_bias", "an attention mask"),
];

/// Names that begin so, of parts that no text goes through.
const BESIDE: [(&str, &str); 10] = [
    ("mtp.", "predicts further tokens"),
    ("model.mtp.", "predicts further tokens"),
    ("vision_tower.", "sees images"),
    ("model.vision_tower.", "sees images"),
    ("vision_model.", "sees images"),
    ("visual.", "sees images"),
    ("model.visual.", "sees images"),
    ("transformer.vision.", "sees images"),
    ("multi_modal_projector.", "sees images"),
    ("model.multi_modal_projector.", "sees images"),
];

/// Why a tensor that is not read changes nothing; `None` where it may.
fn reason(spec: &DecoderSpec, name: &str) -> Option<&'static str> {
    let ending = COMPUTED.iter().find(|(ending, _)| name.ends_with(ending));
    let beginning = || BESIDE.iter().find(|(beginning, _)| name.starts_with(beginning));
    if let Some((_, reason)) = ending.or_else(beginning) {
        return Some(reason);
    }
    let (layer, _) = name.strip_prefix(spec.naming.layer)?.split_once('.')?;
    let behind = spec.layers..spec.layers + spec.prediction_layers;
    layer.parse().is_ok_and(|layer| behind.contains(&layer)).then_some("predicts further tokens")
}
