//! Accounts for every tensor of the weight files: read, or known to be irrelevant.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::family::{LONG_FACTORS, ROPE_DIVISORS};
use crate::decoder::{DecoderError, DecoderSpec, Scaling, TensorEntry, Weights, same_shape};
use crate::model::ModelError;

/// A tensor in the files that is not read, since the model's numbers do not depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadTensor {
    pub name: String,
    /// The reason.
    pub reason: &'static str,
}

/// Maximum number of tensors that an error names.
const NAMED: usize = 5;

/// The tensors of weight files, compared with those of a model.
#[derive(Debug)]
pub struct Survey {
    /// Number of tensors that match the model.
    pub found: usize,
    /// Tensors that are missing or have another shape, in the order of the model.
    pub faults: Vec<DecoderError>,
    /// Tensors that are not read and change nothing.
    pub unread: Vec<UnreadTensor>,
    /// Tensors that have no place in such a model.
    pub foreign: Vec<String>,
    /// The file of the first of these.
    foreign_in: PathBuf,
}

/// Check that the files hold the tensors of `spec` and no others that could matter; returns the others.
///
/// # Errors
/// A tensor that is missing, has another shape, or has no place in such a model.
pub fn account(spec: &DecoderSpec, weights: &Weights) -> Result<Vec<UnreadTensor>, ModelError> {
    survey(spec, weights)?.account(spec)
}

/// Look for every tensor of `spec`, and for a reason for every other one.
///
/// # Errors
/// Unreadable weights where two tensors are compared.
pub fn survey(spec: &DecoderSpec, weights: &Weights) -> Result<Survey, ModelError> {
    let entries = weights.entries();
    let mut survey =
        Survey { found: 0, faults: Vec::new(), unread: Vec::new(), foreign: Vec::new(), foreign_in: PathBuf::new() };
    let Some(first) = entries.first().copied() else { return Ok(survey) };
    let mut left: BTreeMap<&str, TensorEntry<'_>> = entries.into_iter().map(|entry| (entry.name, entry)).collect();
    let missing = |tensor| DecoderError::MissingWeight { file: first.file.to_path_buf(), tensor };
    for (tensor, expected) in spec.tensors() {
        if let Some(factors) = weights.factors_of(&tensor) {
            match left.remove(factors.as_str()) {
                Some(_) => survey.found += 1,
                None => survey.faults.push(missing(factors)),
            }
        }
        match left.remove(tensor.as_str()) {
            Some(entry) if same_shape(entry.shape, &expected) => survey.found += 1,
            Some(TensorEntry { shape, file, .. }) => {
                let (file, found) = (file.to_path_buf(), shape.to_vec());
                survey.faults.push(DecoderError::Shape { file, tensor, found, expected });
            }
            None => survey.faults.push(missing(tensor)),
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
    for (name, entry) in left {
        match reason(spec, name) {
            Some(reason) => survey.unread.push(UnreadTensor { name: name.to_string(), reason }),
            None if name == spec.naming.head && weights.same_values(name, spec.naming.embedding)? => {
                let reason = "a copy of the embedding, as the head";
                survey.unread.push(UnreadTensor { name: name.to_string(), reason });
            }
            None => {
                if survey.foreign.is_empty() {
                    survey.foreign_in = entry.file.to_path_buf();
                }
                survey.foreign.push(name.to_string());
            }
        }
    }
    Ok(survey)
}

impl Survey {
    /// The unread tensors, if there is no other fault.
    fn account(self, spec: &DecoderSpec) -> Result<Vec<UnreadTensor>, ModelError> {
        if let Some(fault) = self.faults.into_iter().next() {
            return Err(fault.into());
        }
        if self.foreign.is_empty() {
            return Ok(self.unread);
        }
        Err(ModelError::Unaccounted {
            file: self.foreign_in,
            family: spec.family,
            layers: spec.layers,
            tensors: self.foreign.iter().take(NAMED).cloned().collect(),
            more: self.foreign.len().saturating_sub(NAMED),
        })
    }

    /// The first error that shows that the files are not a model of these settings.
    pub fn obstacle(self, spec: &DecoderSpec) -> Option<ModelError> {
        self.account(spec).err()
    }
}

/// Name endings of tensors that follow from the configuration.
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

/// Name prefixes of parts that text does not pass through.
const BESIDE: [(&str, &str); 12] = [
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
    ("image_newline", "sees images"),
    ("model.image_newline", "sees images"),
];

/// The reason why an unread tensor changes nothing; `None` where it may.
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
