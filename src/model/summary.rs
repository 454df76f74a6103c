//! Summarises a model from its files, without loading weights.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{ModelError, ModelFiles, ModelFormat, SpecSummary, UnreadTensor, spec};
use crate::decoder::{DecoderError, DecoderSpec};

/// Shapes and sizes of a model. Facts known only for supported models are `None` for others.
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
    /// Longest sequence of the model.
    pub context: Option<usize>,
    /// Base of the rotary embedding; of the first one, where layers have several.
    pub rope_base: Option<f64>,
    /// Reason why the model cannot be run: an unsupported family or setting, or tensors that do not match the settings.
    /// Absent for models that can be run, which have all of the settings above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Features that its settings give the decoder; absent where they cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computes: Option<SpecSummary>,
    /// The settings themselves.
    #[serde(skip)]
    pub spec: Option<DecoderSpec>,
    /// Names of settings in the files that are never read.
    pub unread_settings: Vec<String>,
    /// Number of tensors in the files that match the settings; absent where these cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<usize>,
    /// Tensors in the settings that the files lack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Tensors whose shape differs from the settings, with both shapes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub misshapen: Vec<String>,
    /// Tensors that have no place in a model of these settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Tensors in the files that are not read, since no result depends on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadTensor>,
    /// Tensors in the files.
    pub tensors: usize,
    /// Numbers in those tensors.
    pub parameters: u64,
    /// Numbers by storage type.
    pub stored_as: BTreeMap<String, u64>,
    /// Bytes of the weight files.
    pub file_bytes: u64,
    /// Bytes of all weights as 32-bit floats, the default on the CPU.
    pub f32_bytes: u64,
}

impl Summary {
    /// Read settings and the list of weights, as the decoder does.
    ///
    /// # Errors
    /// Files that cannot be read, are malformed or cut short.
    pub fn from_files(files: &ModelFiles) -> Result<Self, ModelError> {
        let weights = files.weights()?;
        let spec = match files.spec(&weights) {
            Err(error) if !cannot_be_run(&error) => return Err(error),
            read => read,
        };
        let family = match &spec {
            Ok(spec) => Some(spec.family.to_string()),
            Err(ModelError::Family { family, .. }) => Some(family.clone()),
            Err(_) => None,
        };
        let mut unsupported = spec.as_ref().err().map(ModelError::to_string);
        let spec = spec.ok();
        let mut tensors_of_spec = Tensors::default();
        if let Some(spec) = &spec {
            let survey = spec::survey(spec, &weights)?;
            tensors_of_spec = Tensors::from_survey(&survey);
            unsupported = survey.obstacle(spec).map(|error| error.to_string());
        }
        let unread_settings = match spec {
            Some(_) => files.unread_settings(&weights)?,
            None => Vec::new(),
        };
        let Tensors { found, missing, misshapen, foreign, unread } = tensors_of_spec;
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
            layers: spec.as_ref().map(|spec| spec.layers),
            hidden: spec.as_ref().map(|spec| spec.hidden),
            intermediate: spec.as_ref().map(|spec| spec.intermediate),
            heads: spec.as_ref().map(|spec| spec.heads),
            key_value_heads: spec.as_ref().map(|spec| spec.kv_heads),
            head_size: spec.as_ref().map(|spec| spec.head_dim),
            vocabulary: spec.as_ref().map(|spec| spec.vocab_size),
            context: spec.as_ref().map(|spec| spec.max_position),
            rope_base: spec.as_ref().and_then(|spec| spec.rotaries.first()).map(|rotary| rotary.theta),
            unsupported,
            computes: spec.as_ref().map(SpecSummary::from_spec),
            spec,
            unread_settings,
            found,
            missing,
            misshapen,
            foreign,
            unread,
            tensors,
            parameters,
            stored_as,
            file_bytes: files.file_bytes()?,
            f32_bytes: parameters * 4,
        })
    }
}

/// The tensors of the files compared with those of the settings, by name.
#[derive(Default)]
struct Tensors {
    found: Option<usize>,
    missing: Vec<String>,
    misshapen: Vec<String>,
    foreign: Vec<String>,
    unread: Vec<UnreadTensor>,
}

impl Tensors {
    fn from_survey(survey: &spec::Survey) -> Tensors {
        let (mut missing, mut misshapen) = (Vec::new(), Vec::new());
        for fault in &survey.faults {
            match fault {
                DecoderError::Shape { tensor, found, expected, .. } => {
                    misshapen.push(format!("{tensor}: {found:?}, expected {expected:?}"));
                }
                DecoderError::MissingWeight { tensor, .. } => missing.push(tensor.clone()),
                _ => {}
            }
        }
        let (foreign, unread) = (survey.foreign.clone(), survey.unread.clone());
        Tensors { found: Some(survey.found), missing, misshapen, foreign, unread }
    }
}

/// Whether a model whose settings give this error can still be described.
fn cannot_be_run(error: &ModelError) -> bool {
    use ModelError::{Decoder, Family, Setting};
    matches!(error, Family { .. } | Setting { .. } | Decoder(DecoderError::MissingWeight { .. }))
}
