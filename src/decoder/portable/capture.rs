//! Attention rows of chosen queries.

use candle_core::{D, DType, Tensor};

use super::cache::LayerCache;
use super::linear::Linear;
use super::soft_cap;
use crate::decoder::DecoderError;
use crate::decoder::capture::LayerQuery;
use crate::decoder::ops::AttentionInput;

/// Compute the attention rows of some queries, and their value-weighted norms where the output product is given.
pub(super) fn capture(
    queries: Vec<LayerQuery>,
    input: &AttentionInput<Tensor, LayerCache>,
    output: Option<&Linear>,
) -> Result<(), DecoderError> {
    let &AttentionInput { qkv, cache, heads } = input;
    let (kv_heads, group, head_dim, value_dim) = (heads.kv_heads, heads.group(), heads.head_dim, heads.value_dim);
    let output = output.map(Linear::dense).transpose()?; // (D, Q)
    let (all_keys, all_values) = cache.all()?;
    for mut query in queries {
        let path: Vec<u32> = query.path.rows().map(|row| row as u32).collect();
        let path = Tensor::new(path, qkv.device())?;
        let keys = all_keys.index_select(&path, 0)?.to_dtype(DType::F32)?; // (keys, kv heads, head size)
        let q = qkv.narrow(0, query.token, 1)?.narrow(1, 0, heads.queries().len())?;
        let q = q.to_dtype(DType::F32)?.reshape((kv_heads, group, head_dim))?;
        let scores = q.matmul(&keys.permute((1, 2, 0))?.contiguous()?)? * f64::from(heads.scale);
        let scores = soft_cap(scores?, heads.cap)?;
        let mut mask = vec![0.0f32; query.keys()];
        mask[..query.unseen].fill(f32::NEG_INFINITY);
        let scores = scores.broadcast_add(&Tensor::new(mask, qkv.device())?)?;
        let weights = candle_nn::ops::softmax(&scores, D::Minus1)?.reshape((heads.heads, query.keys()))?;
        let norms = match &output {
            None => None,
            Some(output) => {
                let values = all_values.index_select(&path, 0)?.to_dtype(DType::F32)?;
                let mut norms = Vec::with_capacity(heads.heads);
                for head in 0..heads.heads {
                    let value = values.narrow(1, head / group, 1)?.squeeze(1)?;
                    let value = value.narrow(1, 0, value_dim)?.contiguous()?; // (keys, value size)
                    let output = output.narrow(1, head * value_dim, value_dim)?; // (D, value size)
                    norms.push(value.matmul(&output.t()?.contiguous()?)?.sqr()?.sum(D::Minus1)?.sqrt()?);
                }
                Some((Tensor::stack(&norms, 0)? * &weights)?.to_vec2::<f32>()?)
            }
        };
        let weights = weights.to_vec2::<f32>()?;
        for (number, &head) in query.heads.iter().enumerate() {
            query.write(number, &weights[head], norms.as_ref().map(|norms| &norms[head][..]));
        }
    }
    Ok(())
}
