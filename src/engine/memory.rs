//! Memory of passes: keys and values, activations, attention scores and logits.

use serde::{Deserialize, Serialize};

use crate::decoder::{Arithmetic, DecoderSpec, Latent, Stages};

/// Head rows whose logits exist at the same time.
pub(super) const HEAD_BLOCK_ROWS: usize = 64;

/// Sequence length in tokens that a GPU's budget allows besides its passes.
const GPU_CONTEXT: usize = 8192;

/// Memory for keys, values and activations, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCosts {
    /// Keys and values of one cached token, over all layers.
    pub kv_bytes_per_token: usize,
    /// Further bytes of each cached token during a layer's attention.
    pub row_bytes: usize,
    /// Activations of one packed token at the widest point of a layer, attention scores excluded.
    pub activation_bytes_per_token: usize,
    /// Masks of a pair of packed token and cache row.
    pub mask_bytes_per_pair: usize,
    /// Attention scores of such a pair, including copies.
    pub score_bytes_per_pair: usize,
    /// Limit on the bytes of scores, which are computed for some tokens at a time.
    pub most_score_bytes: usize,
    /// Logits of one block of head rows.
    pub head_bytes: usize,
    /// Tokens above which a sequence shares no keys and values with shorter ones ([`DecoderSpec::stages`]).
    #[serde(rename = "original_context")]
    pub stages: Option<Stages>,
}

impl MemoryCosts {
    /// Costs of a decoder of this shape: the residual stream and its norm, fused queries, keys and values, the
    /// attention output, fused gate and up with their product, and head logits in blocks. If the arithmetic works on
    /// whole tensors, also f32 copies of its operands, the mask, and the scores of some tokens at a time.
    pub fn new(spec: &DecoderSpec, arithmetic: Arithmetic) -> Self {
        let Arithmetic { value_bytes, most_score_bytes } = arithmetic;
        let kv_width = spec.kv_heads * spec.attention_dim();
        let latents = |latent: Latent| {
            let keys_and_values = latent.rank + latent.rotated + spec.heads * (latent.still + latent.value);
            latent.query_rank.unwrap_or(0) + latent.rank + keys_and_values + spec.heads * latent.head_dim()
        };
        let latents = spec.latent.map_or(0, latents);
        // Linear biases widen a copy.
        let widened = if spec.linear_biases.is_some() { spec.query_width() + 2 * spec.kv_width() } else { 0 };
        let attention = 2 * spec.heads * spec.attention_dim() + 2 * kv_width + latents + widened;
        let widths = 3 * spec.hidden + attention + 3 * spec.widest_network()
            // Experts read copies of their tokens and write to separate outputs.
            + if spec.experts.is_some() { 3 * spec.hidden } else { 0 };
        let f32s = size_of::<f32>();
        let costs = MemoryCosts {
            kv_bytes_per_token: spec.layers * 2 * kv_width * value_bytes,
            row_bytes: 0,
            activation_bytes_per_token: widths * value_bytes,
            mask_bytes_per_pair: 0,
            score_bytes_per_pair: 0,
            most_score_bytes: 0,
            head_bytes: HEAD_BLOCK_ROWS * spec.vocab_size * f32s,
            stages: spec.stages(),
        };
        let Some(most_score_bytes) = most_score_bytes else { return costs };
        let windows = spec.attention.iter().map(|layer| layer.window).collect::<std::collections::BTreeSet<_>>();
        // The tokens of all experts side by side, their outputs, and these again in token order.
        let shares = spec.experts.as_ref().map_or(0, |experts| 3 * experts.active * spec.hidden);
        MemoryCosts {
            // Keys in f32, or earlier, keys and values being moved within the cache.
            row_bytes: kv_width * f32s.max(2 * value_bytes),
            activation_bytes_per_token: (widths + shares) * (value_bytes + f32s),
            mask_bytes_per_pair: windows.len() * f32s,
            // Products, masked or capped, softmax, weights.
            score_bytes_per_pair: spec.heads * (3 * f32s + value_bytes),
            most_score_bytes: most_score_bytes * (3 * f32s + value_bytes) / f32s,
            head_bytes: 2 * costs.head_bytes,
            ..costs
        }
    }

    /// Bytes needed for a pass of `tokens` over `rows` cache rows, its own included.
    pub fn pass_bytes(&self, rows: usize, tokens: usize) -> u64 {
        let pairs = rows.saturating_mul(tokens);
        let scores = self.score_bytes_per_pair.saturating_mul(pairs).min(self.most_score_bytes);
        let all = [
            (self.kv_bytes_per_token + self.row_bytes).saturating_mul(rows),
            self.activation_bytes_per_token.saturating_mul(tokens),
            self.mask_bytes_per_pair.saturating_mul(pairs),
            scores,
            self.head_bytes,
        ];
        all.into_iter().fold(0, usize::saturating_add) as u64
    }

    /// Bytes needed for one pass of `tokens` that keeps keys and values of one of the `layers` layers at a time.
    pub fn bytes_of_one_pass(&self, layers: usize, tokens: usize) -> u64 {
        let kv_bytes_per_token = self.kv_bytes_per_token.div_ceil(layers.max(1));
        MemoryCosts { kv_bytes_per_token, ..*self }.pass_bytes(tokens, tokens)
    }

    /// Default budget of a GPU: passes of `pass_tokens` over a sequence of 8,192 tokens, or of the model's context if
    /// shorter, in whole GiB. It follows from the model's shape alone, so that every shard makes the same plan.
    pub fn gpu_budget(&self, spec: &DecoderSpec, pass_tokens: usize) -> u64 {
        const GIB: u64 = 1 << 30;
        self.pass_bytes(spec.max_position.min(GPU_CONTEXT) + pass_tokens, pass_tokens).div_ceil(GIB) * GIB
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The shape of Llama 3.1 8B.
    fn spec() -> DecoderSpec {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama/config.json");
        let tiny = crate::model::read_config(&config).unwrap();
        DecoderSpec {
            hidden: 4096,
            intermediate: 14336,
            layers: 32,
            heads: 32,
            latent: None,
            kv_heads: 8,
            head_dim: 128,
            vocab_size: 128256,
            max_position: 131072,
            ..tiny
        }
    }

    #[test]
    fn sixteen_bits_halve_keys_and_values_and_whole_tensors_have_masks_and_scores() {
        let spec = spec();
        let cpu = MemoryCosts::new(&spec, Arithmetic::CPU);
        let gpu = MemoryCosts::new(&spec, Arithmetic { value_bytes: 2, most_score_bytes: Some(256 << 20) });
        assert_eq!(cpu.kv_bytes_per_token, 2 * gpu.kv_bytes_per_token);
        assert_eq!(cpu.kv_bytes_per_token, 32 * 2 * 1024 * 4);
        assert_eq!((cpu.mask_bytes_per_pair, cpu.score_bytes_per_pair), (0, 0));
        assert_eq!(gpu.mask_bytes_per_pair, 4);
        let more = gpu.pass_bytes(12288, 4096) - gpu.pass_bytes(12288, 2048);
        assert!(more > 4 * 12288 * 2048, "the mask grows with the pass: {more}");
    }

    #[test]
    fn the_budget_of_a_gpu_has_room_for_long_passes() {
        let spec = spec();
        let gpu = MemoryCosts::new(&spec, Arithmetic { value_bytes: 2, most_score_bytes: Some(256 << 20) });
        let budget = gpu.gpu_budget(&spec, 4096);
        assert!(budget >= gpu.pass_bytes(12288, 4096) && budget.is_multiple_of(1 << 30), "{budget}");
        assert!((4..=8).contains(&(budget >> 30)), "{} GiB", budget >> 30);
    }
}
