//! Attention rows of chosen queries.

use candle_core::{D, DType};

use super::activations::Activations;
use super::array::Array;
use super::attention::weights;
use super::cache::LayerCache;
use super::linear::Linear;
use crate::decoder::DecoderError;
use crate::decoder::capture::LayerQuery;
use crate::decoder::ops::AttentionInput;
use crate::decoder::rows::RowRanges;

/// Computes the attention rows of some queries, and their value-weighted norms if the output product is given. The host
/// waits once for all of them.
pub(super) fn capture(
    mut queries: Vec<LayerQuery>,
    input: &AttentionInput<Activations, LayerCache>,
    output: Option<&Linear>,
) -> Result<(), DecoderError> {
    let &AttentionInput { qkv, cache, heads } = input;
    let (kv_heads, group, head_dim) = (heads.kv_heads, heads.group(), heads.head_dim);
    let all_queries = qkv.heads(heads.queries(), head_dim)?; // (tokens, heads, head size)
    let seen = |query: &LayerQuery| query.path.slice(query.unseen..query.keys());
    let mut answers = Vec::with_capacity(queries.len() + 1);
    for query in &queries {
        let (keys, _) = cache.some(&seen(query))?;
        let q = all_queries.narrow(0, query.token, 1)?.to_dtype(keys.dtype())?.reshape((kv_heads, group, head_dim))?;
        let weights = weights(&q, &keys, None, heads, DType::F32)?; // (kv heads, group, keys)
        answers.push(weights.reshape(heads.heads * (query.keys() - query.unseen))?);
    }
    let paths: RowRanges = queries.iter().flat_map(|query| seen(query).iter().cloned().collect::<Vec<_>>()).collect();
    let paths = paths.sorted();
    let wanted = queries.first().map_or(&[][..], |query| query.heads);
    if let Some(output) = output {
        answers.push(value_norms(wanted, &paths, input, output)?);
    }
    let answers: Vec<f32> = Array::cat(&answers, 0)?.values()?;
    let (weights, norms) = answers.split_at(answers.len() - output.map_or(0, |_| wanted.len() * paths.len()));
    let places: Vec<usize> = paths.rows().collect();
    let mut weights = weights.iter().copied();
    for query in &mut queries {
        let (keys, rows) = (query.keys(), seen(query));
        let weights: Vec<f32> = weights.by_ref().take(heads.heads * rows.len()).collect();
        for (number, &head) in query.heads.iter().enumerate() {
            let mut row = vec![0.0; query.unseen];
            row.extend(&weights[head * rows.len()..(head + 1) * rows.len()]);
            let norms = output.map(|_| {
                let of_head = &norms[number * places.len()..(number + 1) * places.len()];
                let mut weighted = Vec::with_capacity(keys);
                weighted.resize(query.unseen, 0.0);
                for range in &rows {
                    // The rows of a range are consecutive here too, since all of them are included.
                    let start = places.partition_point(|&row| row < range.start);
                    let norms = &of_head[start..start + range.len()];
                    weighted.extend(norms.iter().zip(&row[weighted.len()..]).map(|(norm, weight)| norm * weight));
                }
                weighted
            });
            query.write(number, &row, norms.as_deref());
        }
    }
    Ok(())
}

/// `|W_o v|` of the values in some rows, head by head; they do not depend on the query.
fn value_norms(
    wanted: &[usize],
    rows: &RowRanges,
    input: &AttentionInput<Activations, LayerCache>,
    output: &Linear,
) -> Result<Array, DecoderError> {
    let &AttentionInput { cache, heads, .. } = input;
    let (_, values) = cache.some(rows)?;
    let values = values.narrow(2, 0, heads.value_dim)?;
    let output = output.dense()?; // (D, Q)
    let of_head = |&head: &usize| {
        let value = values.narrow(0, head / heads.group(), 1)?.squeeze(0)?.to_dtype(DType::F32)?.contiguous()?;
        let output = output.narrow(1, head * heads.value_dim, heads.value_dim)?.contiguous()?; // (D, value size)
        Ok(value.matmul(&output.t()?)?.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?.squeeze(1)?)
    };
    Ok(Array::cat(&wanted.iter().map(of_head).collect::<Result<Vec<_>, DecoderError>>()?, 0)?)
}
