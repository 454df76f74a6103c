//! Attention rows of chosen queries.

use std::ops::Range;

use candle_core::{D, DType, Tensor};

use super::Linear;
use super::cache::LayerCache;
use crate::decoder::DecoderError;
use crate::decoder::capture::Captured;
use crate::decoder::ops::Heads;
use crate::decoder::pass::Layout;

/// Write the attention rows of layer `layer` into `captured`.
#[allow(clippy::too_many_arguments)]
pub(super) fn capture(
    captured: &mut Captured,
    layer: usize,
    qkv: &Tensor,
    cache: &LayerCache,
    layout: &Layout,
    window: Option<usize>,
    heads: &Heads,
    output: &Linear,
) -> Result<(), DecoderError> {
    let answer = &mut captured.answer;
    let places: Vec<usize> = (0..answer.layers.len()).filter(|&place| answer.layers[place] == layer).collect();
    if places.is_empty() || answer.queries.is_empty() {
        return Ok(());
    }
    let (kv_heads, group, head_dim) = (heads.kv_heads, heads.group(), heads.head_dim);
    let output = if captured.value_norms { Some(output.dense()?) } else { None }; // (D, Q)
    let (all_keys, all_values) = cache.all()?;
    for query in &mut answer.queries {
        let path = path(&layout.branch_of(query.token).rows_at(0..query.keys));
        let path = Tensor::new(path, qkv.device())?;
        let keys = all_keys.index_select(&path, 0)?.to_dtype(DType::F32)?; // (keys, kv heads, head size)
        let q = qkv.narrow(0, query.token, 1)?.narrow(1, 0, heads.queries().len())?;
        let q = q.to_dtype(DType::F32)?.reshape((kv_heads, group, head_dim))?;
        let scores = (q.matmul(&keys.permute((1, 2, 0))?.contiguous()?)? * f64::from(heads.scale))?;
        let scores = match heads.cap {
            None => scores,
            Some(cap) => ((scores / f64::from(cap))?.tanh()? * f64::from(cap))?,
        };
        let unseen = window.map_or(0, |window| query.keys.saturating_sub(window));
        let mut mask = vec![0.0f32; query.keys];
        mask[..unseen].fill(f32::NEG_INFINITY);
        let scores = scores.broadcast_add(&Tensor::new(mask, qkv.device())?)?;
        let weights = candle_nn::ops::softmax(&scores, D::Minus1)?.reshape((heads.heads, query.keys))?;
        let norms = match &output {
            None => None,
            Some(output) => {
                let values = all_values.index_select(&path, 0)?.to_dtype(DType::F32)?;
                let mut norms = Vec::with_capacity(heads.heads);
                for head in 0..heads.heads {
                    let value = values.narrow(1, head / group, 1)?.squeeze(1)?.contiguous()?; // (keys, head size)
                    let output = output.narrow(1, head * head_dim, head_dim)?; // (D, head size)
                    norms.push(value.matmul(&output.t()?.contiguous()?)?.sqr()?.sum(D::Minus1)?.sqrt()?);
                }
                Some((Tensor::stack(&norms, 0)? * &weights)?.to_vec2::<f32>()?)
            }
        };
        let weights = weights.to_vec2::<f32>()?;
        for &place in &places {
            for (number, &head) in answer.heads.iter().enumerate() {
                let row = (place * answer.heads.len() + number) * query.keys;
                query.weights[row..row + query.keys].copy_from_slice(&weights[head]);
                if let (Some(all), Some(norms)) = (&mut query.value_norms, &norms) {
                    all[row..row + query.keys].copy_from_slice(&norms[head]);
                }
            }
        }
    }
    Ok(())
}

fn path(rows: &[Range<usize>]) -> Vec<u32> {
    rows.iter().cloned().flatten().map(|row| row as u32).collect()
}
