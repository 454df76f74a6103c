//! Sizes of a model from its card, and the number of weights they imply.

use serde::{Deserialize, Serialize};

/// Sizes that a model's makers published. Everything else that affects its number of weights (norms, biases) follows
/// from its family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Where the sizes are published.
    pub source: String,
    /// Transformer layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width of the feed-forward network, in layers without experts.
    pub intermediate: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Rows of the embedding.
    pub vocabulary: usize,
    /// Whether the embedding is also the head.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
    /// Window of layers with one, in positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<usize>,
    /// The experts of a mixture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<ShapeOfExperts>,
    /// Ranks and widths of latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1), whose heads are `plain` and
    /// `rotary` columns wide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latent: Option<ShapeOfLatents>,
}

/// Sizes of a mixture's experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeOfExperts {
    /// Routed experts of a layer.
    pub count: usize,
    /// Routed experts per token.
    pub active: usize,
    /// Feed-forward width of each.
    pub width: usize,
    /// Feed-forward width of the shared expert; 0 without one.
    #[serde(default)]
    pub shared: usize,
    /// Number of initial layers with one dense network and no experts.
    #[serde(default)]
    pub dense_layers: usize,
}

/// Sizes of latent attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeOfLatents {
    /// Width of the latent of queries; absent where they are computed from the residual stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_rank: Option<usize>,
    /// Width of the latent of keys and values.
    pub kv_rank: usize,
    /// Columns of a head that are not rotated.
    pub plain: usize,
    /// Columns of a head that are rotated.
    pub rotary: usize,
    /// Columns of a head's values.
    pub value: usize,
}

impl Shape {
    /// The number of weights of such a model; `family` is its name in configurations.
    pub fn parameters(&self, family: &str) -> u64 {
        self.weights(family, |experts| experts.count)
    }

    /// Weights used per token: of a mixture's experts only the active ones.
    pub fn active_parameters(&self, family: &str) -> u64 {
        self.weights(family, |experts| experts.active)
    }

    fn weights(&self, family: &str, used: impl Fn(&ShapeOfExperts) -> usize) -> u64 {
        let gated = |width: usize| 3 * self.hidden * width;
        let dense = gated(self.intermediate);
        let networks = match &self.experts {
            None => self.layers * dense,
            Some(experts) => {
                let shared_gate = if family == "qwen2_moe" { self.hidden } else { 0 };
                let correction = if family == "deepseek_v3" { experts.count } else { 0 };
                let router = experts.count * self.hidden + correction;
                let mixture = used(experts) * gated(experts.width) + gated(experts.shared) + shared_gate + router;
                experts.dense_layers * dense + self.layers.saturating_sub(experts.dense_layers) * mixture
            }
        };
        let block_norms = match family {
            "gemma2" | "gemma3" | "gemma3_text" | "glm4" => 4,
            _ => 2,
        };
        let in_layer = self.attention(family) + block_norms * self.hidden;
        let tables = self.vocabulary * self.hidden * if self.tied { 1 } else { 2 };
        (self.layers * in_layer + networks + self.hidden + tables) as u64
    }

    /// Weights of a layer's attention, with biases and the norms of queries, keys and latents.
    fn attention(&self, family: &str) -> usize {
        if let Some(latent) = &self.latent {
            let queries = self.heads * (latent.plain + latent.rotary);
            let query = latent.query_rank.map_or(self.hidden * queries, |rank| rank * (self.hidden + queries + 1));
            let keys_and_values = self.hidden * (latent.kv_rank + latent.rotary)
                + latent.kv_rank * (1 + self.heads * (latent.plain + latent.value));
            return query + keys_and_values + self.heads * latent.value * self.hidden;
        }
        let (queries, keys) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let biases = match family {
            "qwen" | "qwen2" | "qwen2_moe" | "chatglm" | "glm" | "glm4" => queries + 2 * keys,
            _ => 0,
        };
        let norms = match family {
            "qwen3" | "qwen3_moe" | "gemma3" | "gemma3_text" => 2 * self.head_dim,
            "olmo2" => queries + keys,
            _ => 0,
        };
        self.hidden * (queries + 2 * keys) + queries * self.hidden + biases + norms
    }
}
