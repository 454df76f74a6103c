//! Attention over the whole pass at once, with an explicit ancestor mask.

use candle_core::{D, DType, Device, Tensor};

use super::cache::LayerCache;
use super::soft_cap;
use crate::decoder::DecoderError;
use crate::decoder::ops::AttentionInput;
use crate::decoder::pass::Layout;

/// What each token of a pass sees: `(tokens, rows)`, 0 where it looks and minus infinity elsewhere.
#[derive(Debug)]
pub(crate) struct AncestorMask {
    mask: Tensor,
}

/// Bytes of f32 scores that exist at one time.
pub(crate) const MOST_SCORE_BYTES: usize = 256 * 1024 * 1024;

/// The mask of a pass.
pub(super) fn mask(layout: &Layout, window: Option<usize>, device: &Device) -> Result<AncestorMask, DecoderError> {
    let (tokens, rows) = (layout.positions.len(), layout.cached + layout.positions.len());
    let mut mask = vec![f32::NEG_INFINITY; tokens * rows];
    for branch in &layout.branches {
        for token in branch.tokens.clone() {
            let depth = layout.positions[token];
            let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
            for seen in &branch.path.slice(first..depth + 1) {
                mask[token * rows..(token + 1) * rows][seen.clone()].fill(0.0);
            }
        }
    }
    Ok(AncestorMask { mask: Tensor::from_vec(mask, (tokens, rows), device)? })
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(input: &AttentionInput<Tensor, LayerCache>, mask: &AncestorMask) -> Result<Tensor, DecoderError> {
    let &AttentionInput { qkv, cache, heads } = input;
    let tokens = qkv.dim(0)?;
    let (kv_heads, group, head_dim) = (heads.kv_heads, heads.group(), heads.head_dim);
    let (keys, values) = cache.all()?; // (rows, kv heads, head size)
    let rows = keys.dim(0)?;
    // In f32, because a score of 10 has steps of 0.06 in bf16, and one before its scale may not fit into f16.
    let keys = keys.to_dtype(DType::F32)?.permute((1, 2, 0))?.contiguous()?; // (kv heads, head size, rows)
    let values = values.transpose(0, 1)?.contiguous()?; // (kv heads, rows, head size)
    let queries =
        qkv.narrow(1, 0, heads.queries().len())?.to_dtype(DType::F32)?.reshape((tokens, kv_heads, group, head_dim))?;
    let at_once = (MOST_SCORE_BYTES / (heads.heads * rows * size_of::<f32>())).clamp(1, tokens);
    let mut mixed = Vec::with_capacity(tokens.div_ceil(at_once));
    for start in (0..tokens).step_by(at_once) {
        let count = at_once.min(tokens - start);
        let queries = queries.narrow(0, start, count)?.permute((1, 2, 0, 3))?.contiguous()?;
        let queries = queries.reshape((kv_heads, group * count, head_dim))?;
        let scores = queries.matmul(&keys)? * f64::from(heads.scale);
        let scores = soft_cap(scores?, heads.cap)?;
        let mask = mask.mask.narrow(0, start, count)?;
        let scores = scores.reshape((kv_heads, group, count, rows))?.broadcast_add(&mask)?;
        let weights = candle_nn::ops::softmax(&scores, D::Minus1)?.to_dtype(values.dtype())?;
        let weights = weights.reshape((kv_heads, group * count, rows))?;
        let part = weights.matmul(&values)?.reshape((kv_heads, group, count, head_dim))?;
        mixed.push(part.permute((2, 0, 1, 3))?.reshape((count, heads.queries().len()))?);
    }
    Ok(if mixed.len() == 1 { mixed.swap_remove(0) } else { Tensor::cat(&mixed, 0)? })
}
