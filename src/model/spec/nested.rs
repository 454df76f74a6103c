//! Extracts the text model of a multimodal configuration.
//!
//! Multimodal configurations hold that of the text model in a separate object, and their files add a prefix to its
//! tensors. The vision part is never read: prompts are text, for which these models compute the same as the text model
//! alone.

use serde_json::{Map, Value, json};

use super::family::Family;
use super::keys::Keys;
use crate::decoder::{DecoderSpec, Naming, Weights};
use crate::model::ModelError;

/// The object with the settings of the text model.
const TEXT: &str = "text_config";

/// Kinds of models with a text model of a supported family, and that family where their files do not name it.
const KINDS: [(&str, Family); 4] = [
    ("gemma3", Family::Gemma3Text),
    ("mistral3", Family::Mistral),
    ("llava", Family::Llama),
    ("llava_next", Family::Llama),
];

/// Prefixes of the text model's tensors: as published by the makers, and as saved by newer versions of transformers.
const LAYOUTS: [Layout; 2] = [
    Layout {
        embedding: "language_model.model.embed_tokens.weight",
        final_norm: "language_model.model.norm.weight",
        head: "language_model.lm_head.weight",
        layer: "language_model.model.layers.",
    },
    Layout {
        embedding: "model.language_model.embed_tokens.weight",
        final_norm: "model.language_model.norm.weight",
        head: "lm_head.weight",
        layer: "model.language_model.layers.",
    },
];

struct Layout {
    embedding: &'static str,
    final_norm: &'static str,
    head: &'static str,
    layer: &'static str,
}

impl Layout {
    fn apply(&self, naming: Naming) -> Naming {
        let Layout { embedding, final_norm, head, layer } = *self;
        Naming { embedding, final_norm, head, layer, ..naming }
    }
}

/// The family of the text model within a kind of models.
pub(super) fn text_family(kind: &str) -> Option<Family> {
    KINDS.iter().find(|(name, _)| *name == kind).map(|(_, family)| *family)
}

/// The settings of the text model and the surrounding ones, if a configuration is multimodal.
///
/// # Errors
/// No settings of a text model.
pub(super) fn parts(keys: &Keys) -> Result<Option<(Keys, Keys)>, ModelError> {
    let Some(family) = keys.maybe_text("model_type")?.and_then(text_family) else { return Ok(None) };
    let text = keys.object(TEXT)?.ok_or_else(|| keys.wrong(TEXT, "expected the settings of the text model"))?;
    let name: &'static str = family.into();
    let mut unsaid = Map::from_iter([("model_type".to_string(), json!(name))]);
    if let Some(tied) = keys.get("tie_word_embeddings") {
        unsaid.insert("tie_word_embeddings".to_string(), tied.clone());
    }
    let text = text.or(&unsaid);
    let text = text.or(&defaults(text.family("model_type")?, text.get("rope_parameters").is_some()));
    Ok(Some((text, keys.without(TEXT))))
}

/// Values that published files leave to the defaults of the classes `Gemma3TextConfig`, `LlamaConfig` and
/// `MistralConfig` of transformers.
fn defaults(family: Family, has_rotaries: bool) -> Map<String, Value> {
    let mut values = match family {
        Family::Gemma3Text => json!({
            "vocab_size": 262_208,
            "hidden_size": 2304,
            "intermediate_size": 9216,
            "num_hidden_layers": 26,
            "num_attention_heads": 8,
            "num_key_value_heads": 4,
            "head_dim": 256,
            "hidden_activation": "gelu_pytorch_tanh",
            "max_position_embeddings": 131_072,
            "rms_norm_eps": 1e-6,
            "query_pre_attn_scalar": 256,
            "sliding_window": 4096,
        }),
        Family::Llama => json!({
            "vocab_size": 32_000,
            "hidden_size": 4096,
            "intermediate_size": 11_008,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "hidden_act": "silu",
            "max_position_embeddings": 2048,
            "rms_norm_eps": 1e-6,
        }),
        Family::Mistral => json!({
            "vocab_size": 32_000,
            "hidden_size": 4096,
            "intermediate_size": 14_336,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "hidden_act": "silu",
            "max_position_embeddings": 131_072,
            "rms_norm_eps": 1e-6,
            "sliding_window": 4096,
        }),
        _ => json!({}),
    };
    if family == Family::Gemma3Text && !has_rotaries {
        values["rope_theta"] = json!(1_000_000.0);
        values["rope_local_base_freq"] = json!(10_000.0);
    }
    match values {
        Value::Object(values) => values,
        _ => Map::new(),
    }
}

/// The settings of a text model within a multimodal one, with its tensors named as published.
pub(super) fn within(spec: DecoderSpec) -> DecoderSpec {
    DecoderSpec { naming: LAYOUTS[0].apply(spec.naming), ..spec }
}

/// Whether the settings are those of such a text model.
pub(super) fn is_part(spec: &DecoderSpec) -> bool {
    LAYOUTS.iter().any(|layout| layout.embedding == spec.naming.embedding)
}

/// The same with its tensors named as in these files.
pub(super) fn named_as_in(weights: &Weights, spec: DecoderSpec) -> DecoderSpec {
    let here = |layout: &&Layout| weights.entries().iter().any(|entry| entry.name == layout.embedding);
    match LAYOUTS.iter().find(here) {
        Some(layout) if is_part(&spec) => DecoderSpec { naming: layout.apply(spec.naming), ..spec },
        _ => spec,
    }
}
