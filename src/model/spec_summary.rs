//! Describes a [`DecoderSpec`] in words, for `models inspect`.

use serde::Serialize;

use crate::decoder::{Activation, DecoderSpec, Pairing, QueryKeyNorm, Rotary, Scaling};

/// Features of a decoder other than its sizes. Features that a family lacks are absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpecSummary {
    /// The experts of a mixture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<String>,
    /// The latents of keys, values and queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latents: Option<String>,
    /// Positions of a layer's norms.
    pub norms: Vec<&'static str>,
    /// Norms on queries and keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_key_norm: Option<&'static str>,
    /// Products with biases.
    pub biases: Vec<&'static str>,
    /// The non-linearity of the feed-forward network.
    pub activation: &'static str,
    /// Rotary embeddings.
    pub rotaries: Vec<RotarySummary>,
    /// Layers without rotation.
    pub unrotated_layers: usize,
    /// Windows, with their numbers of layers.
    pub windows: Vec<(usize, usize)>,
    /// Soft cap on attention scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_cap: Option<f32>,
    /// Soft cap on logits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logit_cap: Option<f32>,
    /// Factors other than one: on the embedding, on the outputs of blocks, on logits.
    pub factors: Vec<(&'static str, f32)>,
    /// Whether the head is the embedding.
    pub tied_head: bool,
}

/// A rotary embedding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RotarySummary {
    /// Base of the frequencies.
    pub base: f64,
    /// Rotated dimensions of a head.
    pub width: usize,
    /// Pairing of dimensions: `halves` or `interleaved`.
    pub pairing: &'static str,
    /// Scaling of frequencies for longer contexts.
    pub scaling: String,
}

impl SpecSummary {
    /// Describe a spec.
    pub fn from_spec(spec: &DecoderSpec) -> SpecSummary {
        let places = ["before attention", "after attention", "before feed-forward", "after feed-forward"];
        let norms = places.into_iter().zip(spec.naming.norms).filter_map(|(place, norm)| norm.map(|_| place));
        let biases = [
            ("queries, keys, values", spec.qkv_bias),
            ("attention output", spec.output_bias),
            ("feed-forward", spec.mlp_bias),
        ];
        let factors =
            [("embedding", spec.embedding_scale), ("residual", spec.residual_scale), ("logits", spec.logit_scale)];
        let mut windows: Vec<(usize, usize)> = Vec::new();
        for window in spec.attention.iter().filter_map(|layer| layer.window) {
            match windows.iter_mut().find(|(found, _)| *found == window) {
                Some((_, layers)) => *layers += 1,
                None => windows.push((window, 1)),
            }
        }
        let experts = spec.experts.as_ref().map(|experts| {
            let shared = experts.shared.map(|shared| format!(", and one of {} for all", shared.intermediate));
            let layers = experts.layers.iter().filter(|has| **has).count();
            let (count, active, width) = (experts.count, experts.active, experts.intermediate);
            format!("{active} of {count}, {width} wide{}, in {layers} layers", shared.unwrap_or_default())
        });
        let latents = spec.latent.map(|latent| {
            let query = latent.query_rank.map_or(String::new(), |rank| format!(", of queries {rank}"));
            format!("of keys and values {}{query}", latent.rank)
        });
        SpecSummary {
            experts,
            latents,
            norms: norms.collect(),
            query_key_norm: match spec.query_key_norm {
                QueryKeyNorm::Absent => None,
                QueryKeyNorm::EachHead => Some("each head"),
                QueryKeyNorm::WholeProjection => Some("all heads together"),
            },
            biases: biases.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect(),
            activation: match spec.activation {
                Activation::Silu => "SiLU",
                Activation::GeluTanh => "GELU, tanh form",
            },
            rotaries: spec.rotaries.iter().map(RotarySummary::from_rotary).collect(),
            unrotated_layers: spec.attention.iter().filter(|layer| layer.rotary.is_none()).count(),
            windows,
            score_cap: spec.score_cap,
            logit_cap: spec.logit_cap,
            factors: factors.into_iter().filter(|(_, factor)| *factor != 1.0).collect(),
            tied_head: spec.tied_head,
        }
    }

    /// Rows of a name and a value; `layers` is the model's number of layers.
    pub fn rows(&self, layers: usize) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        rows.extend(self.experts.iter().map(|experts| ("experts", experts.clone())));
        rows.extend(self.latents.iter().map(|latents| ("latents", latents.clone())));
        rows.push(("norms", self.norms.join(", ")));
        rows.extend(self.query_key_norm.map(|norm| ("query-key norm", norm.to_string())));
        if !self.biases.is_empty() {
            rows.push(("biases", self.biases.join("; ")));
        }
        rows.push(("activation", self.activation.to_string()));
        rows.extend(self.rotaries.iter().map(|rotary| ("rotary", rotary.in_words())));
        if self.unrotated_layers > 0 {
            rows.push(("not rotated", format!("{} of {layers} layers", self.unrotated_layers)));
        }
        let windows = self.windows.iter();
        rows.extend(windows.map(|(window, of)| ("window", format!("{window} tokens in {of} of {layers} layers"))));
        rows.extend(self.score_cap.map(|cap| ("cap on scores", cap.to_string())));
        rows.extend(self.logit_cap.map(|cap| ("cap on logits", cap.to_string())));
        rows.extend(self.factors.iter().map(|(what, factor)| ("factor", format!("{factor} on the {what}"))));
        rows.push(("head", if self.tied_head { "the embedding" } else { "a matrix of its own" }.to_string()));
        rows
    }
}

impl RotarySummary {
    fn from_rotary(rotary: &Rotary) -> RotarySummary {
        RotarySummary {
            base: rotary.theta,
            width: rotary.width,
            pairing: match rotary.pairing {
                Pairing::Halves => "halves",
                Pairing::Interleaved => "interleaved",
            },
            scaling: match &rotary.scaling {
                Scaling::Unscaled => "unscaled".to_string(),
                Scaling::Linear { factor } => format!("linear, factor {factor}"),
                Scaling::Dynamic { original } => format!("dynamic, unscaled up to {original} tokens"),
                Scaling::Llama3 { factor, original, .. } => {
                    format!("Llama 3, factor {factor} of low frequencies, original context {original}")
                }
                Scaling::Yarn { factor, original, attention, .. } => {
                    format!("YaRN, factor {factor}, original context {original}, attention factor {attention:.4}")
                }
                Scaling::Ntk { .. } => "dynamic NTK: the length of a sequence decides".to_string(),
                Scaling::Divisors { divisors } => format!("{} divisors from the file", divisors.len()),
                Scaling::Long { original, attention, .. } => {
                    format!("LongRoPE, other factors beyond {original} tokens, attention factor {attention:.4}")
                }
            },
        }
    }

    fn in_words(&self) -> String {
        format!("base {}, {} dimensions ({}), {}", self.base, self.width, self.pairing, self.scaling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(name: &str) -> Vec<(&'static str, String)> {
        let config = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
        let spec = crate::model::read_config(&config.join("config.json")).expect("the fixture is valid");
        SpecSummary::from_spec(&spec).rows(spec.layers)
    }

    #[test]
    fn what_a_family_has_is_told_and_nothing_else() {
        let has = |name: &str, key: &str, part: &str| {
            let rows = described(name);
            assert!(rows.iter().any(|(found, value)| *found == key && value.contains(part)), "{name} {key}: {rows:?}");
        };
        has("qwen3_moe", "experts", " wide");
        has("deepseek_v3", "latents", "of queries");
        has("gemma2", "cap on scores", "3");
        has("gemma2", "norms", "after feed-forward");
        has("gemma2", "window", " of 2 layers");
        has("gemma3_text", "query-key norm", "each head");
        has("granite", "factor", "on the residual");
        has("glm4", "rotary", "interleaved");
        has("llama_rope_llama3", "rotary", "Llama 3");
        has("phi3_longrope", "rotary", "LongRoPE");
        has("qwen2", "biases", "queries");
        has("smollm3", "not rotated", "layers");
        let llama = described("llama");
        let absent = ["query-key norm", "biases", "not rotated", "window", "cap on scores", "factor", "experts"];
        assert!(llama.iter().all(|(name, _)| !absent.contains(name)), "{llama:?}");
    }
}
