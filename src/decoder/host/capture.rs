//! Attention rows of chosen queries, computed on their own beside the forward.

use super::Rows;
use super::attention::LayerCache;
use super::linear::Linear;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::DecoderError;
use crate::decoder::capture::Captured;
use crate::decoder::ops::Heads;
use crate::decoder::pass::Layout;

/// Write the attention rows of layer `layer` into `captured`: for each query one row per head, in path order.
#[allow(clippy::too_many_arguments)]
pub(super) fn capture(
    captured: &mut Captured,
    layer: usize,
    qkv: &Rows,
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
    // (D, Q), only read where norms are asked for.
    let output = if captured.value_norms { Some(output.dense()?) } else { None };
    let (head_dim, group) = (heads.head_dim, heads.group());
    for query in &mut answer.queries {
        let branch = layout.branch_of(query.token);
        let keys = branch.rows_at(0..query.keys);
        let unseen = window.map_or(0, |window| query.keys.saturating_sub(window));
        for (number, &head) in answer.heads.iter().enumerate() {
            let at = head / group * head_dim;
            let q = &qkv.row(query.token)[head * head_dim..(head + 1) * head_dim];
            let dot = |key: &[f32]| key.iter().zip(q).map(|(key, q)| key * q).sum::<f32>();
            let rows = || keys.iter().cloned().flatten();
            let scores = rows().map(|row| {
                let score = heads.scale * dot(&cache.keys[row * cache.width + at..][..head_dim]);
                heads.cap.map_or(score, |cap| cap * (score / cap).tanh())
            });
            let mut weights: Vec<f32> = scores.collect();
            weights[..unseen].fill(f32::NEG_INFINITY);
            softmax(&mut weights);
            let norms = output.as_ref().map(|output| {
                let values: Vec<f32> =
                    rows().flat_map(|row| &cache.values[row * cache.width + at..][..head_dim]).copied().collect();
                let columns = &output.values[head * head_dim..];
                let output = View::by_rows(columns, output.outputs, head_dim, output.inputs);
                let norms = value_norms(&values, head_dim, output);
                norms.iter().zip(&weights).map(|(norm, weight)| norm * weight).collect::<Vec<f32>>()
            });
            for &place in &places {
                let row = (place * answer.heads.len() + number) * query.keys;
                query.weights[row..row + query.keys].copy_from_slice(&weights);
                if let (Some(all), Some(norms)) = (&mut query.value_norms, &norms) {
                    all[row..row + query.keys].copy_from_slice(norms);
                }
            }
        }
    }
    Ok(())
}

fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// `|W_o v|` of each value row, in blocks of keys so that the products stay small.
fn value_norms(values: &[f32], head_dim: usize, output: View) -> Vec<f32> {
    const KEYS: usize = 256;
    let hidden = output.rows;
    let mut projected = vec![0.0; KEYS * hidden];
    let mut norms = Vec::with_capacity(values.len() / head_dim);
    for block in values.chunks(KEYS * head_dim) {
        let keys = block.len() / head_dim;
        let values = View::by_rows(block, keys, head_dim, head_dim);
        let out = ViewMut::by_rows(&mut projected, keys, hidden, hidden);
        multiply(out, Onto::Replace, 1.0, values, output.transposed(), Threads::All);
        norms.extend(projected.chunks_exact(hidden).take(keys).map(|row| super::math::sum_of_squares(row).sqrt()));
    }
    norms
}
