//! Attention rows of chosen queries.

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
    let value_norms = captured.value_norms;
    let asked = captured.asked(layer, layout, window);
    if asked.is_empty() {
        return Ok(());
    }
    let (kv_heads, group, head_dim) = (heads.kv_heads, heads.group(), heads.head_dim);
    let output = if value_norms { Some(output.dense()?) } else { None }; // (D, Q)
    let (all_keys, all_values) = cache.all()?;
    for mut asked in asked {
        let path: Vec<u32> = asked.each_row().map(|row| row as u32).collect();
        let path = Tensor::new(path, qkv.device())?;
        let keys = all_keys.index_select(&path, 0)?.to_dtype(DType::F32)?; // (keys, kv heads, head size)
        let q = qkv.narrow(0, asked.token, 1)?.narrow(1, 0, heads.queries().len())?;
        let q = q.to_dtype(DType::F32)?.reshape((kv_heads, group, head_dim))?;
        let scores = (q.matmul(&keys.permute((1, 2, 0))?.contiguous()?)? * f64::from(heads.scale))?;
        let scores = match heads.cap {
            None => scores,
            Some(cap) => ((scores / f64::from(cap))?.tanh()? * f64::from(cap))?,
        };
        let mut mask = vec![0.0f32; asked.keys()];
        mask[..asked.unseen].fill(f32::NEG_INFINITY);
        let scores = scores.broadcast_add(&Tensor::new(mask, qkv.device())?)?;
        let weights = candle_nn::ops::softmax(&scores, D::Minus1)?.reshape((heads.heads, asked.keys()))?;
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
        for (number, &head) in asked.heads.iter().enumerate() {
            asked.write(number, &weights[head], norms.as_ref().map(|norms| &norms[head][..]));
        }
    }
    Ok(())
}
