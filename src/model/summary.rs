//! What a model's files say of it, without loading weights.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ModelError, ModelFiles, ModelFormat};

/// Shapes and sizes of a model. What is known only of models that can be run is `None` for others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// `safetensors` or `gguf`.
    pub format: &'static str,
    /// Architecture family as the files name it, for instance `llama`.
    pub family: Option<String>,
    /// Transformer layers.
    pub layers: Option<usize>,
    /// Width of the residual stream.
    pub hidden: Option<usize>,
    /// Width inside the MLP.
    pub intermediate: Option<usize>,
    /// Query heads.
    pub heads: Option<usize>,
    /// Key and value heads.
    pub key_value_heads: Option<usize>,
    /// Width of a head.
    pub head_size: Option<usize>,
    /// Rows of the embedding.
    pub vocabulary: Option<usize>,
    /// Longest sequence the model was made for.
    pub context: Option<usize>,
    /// Base of the rotary embedding; of the first, where layers have several.
    pub rope_base: Option<f64>,
    /// Why the model cannot be run: a family or a setting that is not computed. Absent for models that can, which have all
    /// of the settings above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Tensors in the files.
    pub tensors: usize,
    /// Numbers in those tensors.
    pub parameters: u64,
    /// Numbers by how they are stored.
    pub stored_as: BTreeMap<String, u64>,
    /// Bytes of the weight files.
    pub file_bytes: u64,
    /// Bytes of all weights as 32-bit floats, which is how the CPU computes by default.
    pub f32_bytes: u64,
}

impl Summary {
    /// Read settings and the list of weights, as the decoder does.
    ///
    /// # Errors
    /// Files that cannot be read, are malformed or cut short.
    pub fn of(files: &ModelFiles) -> Result<Self, ModelError> {
        let weights = files.weights()?;
        let spec = match files.spec(&weights) {
            Err(error) if !matches!(error, ModelError::Family { .. } | ModelError::Setting { .. }) => {
                return Err(error);
            }
            read => read,
        };
        let family = match &spec {
            Ok(spec) => Some(spec.family.to_string()),
            Err(ModelError::Family { family, .. }) => Some(family.clone()),
            Err(_) => None,
        };
        let unsupported = spec.as_ref().err().map(ModelError::to_string);
        let spec = spec.as_ref().ok();
        let stored = weights.stored();
        let tensors = stored.len();
        let mut stored_as = BTreeMap::new();
        for (format, numbers) in stored {
            *stored_as.entry(format).or_default() += numbers as u64;
        }
        let parameters: u64 = stored_as.values().sum();
        Ok(Summary {
            format: match files.format {
                ModelFormat::Safetensors { .. } => "safetensors",
                ModelFormat::Gguf { .. } => "gguf",
            },
            family,
            layers: spec.map(|spec| spec.layers),
            hidden: spec.map(|spec| spec.hidden),
            intermediate: spec.map(|spec| spec.intermediate),
            heads: spec.map(|spec| spec.heads),
            key_value_heads: spec.map(|spec| spec.kv_heads),
            head_size: spec.map(|spec| spec.head_dim),
            vocabulary: spec.map(|spec| spec.vocab_size),
            context: spec.map(|spec| spec.max_position),
            rope_base: spec.and_then(|spec| spec.rotaries.first()).map(|rotary| rotary.theta),
            unsupported,
            tensors,
            parameters,
            stored_as,
            file_bytes: files.file_bytes()?,
            f32_bytes: parameters * 4,
        })
    }
}
