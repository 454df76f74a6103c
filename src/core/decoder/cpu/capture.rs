//! Attention rows of chosen queries, computed separately from the fused attention.

use multiversion::multiversion;
use rayon::prelude::*;

use super::Rows;
use super::cache::LayerCache;
use super::linear::Linear;
use super::math::{dot, sum_of_squares};
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::DecoderError;
use crate::decoder::capture::LayerQuery;
use crate::decoder::ops::{AttentionInput, soft_cap};
use crate::decoder::rows::RowRanges;

/// Computes the attention rows of some queries, one per head in path order, and their value-weighted norms if the
/// output product is given.
pub(super) fn capture(
    mut queries: Vec<LayerQuery>,
    input: &AttentionInput<Rows, LayerCache>,
    output: Option<&Linear>,
) -> Result<(), DecoderError> {
    let norms = output.map(|output| ValueNorms::new(&queries, input, output)).transpose()?;
    queries.par_iter_mut().for_each(|query| {
        for number in 0..query.heads.len() {
            let weights = weights(query, query.heads[number], input);
            let norms = norms.as_ref().map(|norms| norms.weighted(number, query, &weights));
            query.write(number, &weights, norms.as_deref());
        }
    });
    Ok(())
}

/// Attention probabilities of one head of a query.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn weights(query: &LayerQuery, head: usize, input: &AttentionInput<Rows, LayerCache>) -> Vec<f32> {
    let &AttentionInput { qkv, cache, heads } = input;
    let head_dim = heads.head_dim;
    let at = head / heads.group() * head_dim;
    let values = &qkv.row(query.token)[head * head_dim..][..head_dim];
    let mut weights = Vec::new();
    for row in query.path.rows() {
        let score = heads.scale * dot(&cache.keys[row * cache.width + at..][..head_dim], values);
        weights.push(heads.cap.map_or(score, |cap| soft_cap(score, cap)));
    }
    weights[..query.unseen].fill(f32::NEG_INFINITY);
    softmax(&mut weights);
    weights
}

#[inline(always)]
fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// `|W_o v|` of every value that any query sees, per requested head. They do not depend on the query.
struct ValueNorms {
    /// Cache rows in ascending order.
    rows: Vec<usize>,
    /// `(requested heads, rows)`.
    norms: Vec<f32>,
}

impl ValueNorms {
    fn new(
        queries: &[LayerQuery],
        input: &AttentionInput<Rows, LayerCache>,
        output: &Linear,
    ) -> Result<ValueNorms, DecoderError> {
        let &AttentionInput { cache, heads, .. } = input;
        let paths: RowRanges = queries.iter().flat_map(|query| query.path.iter().cloned()).collect();
        let rows: Vec<usize> = paths.sorted().rows().collect();
        let width = cache.width;
        let values: Vec<f32> = rows.iter().flat_map(|row| &cache.values[row * width..][..width]).copied().collect();
        let output = output.dense()?; // (D, Q)
        let wanted = queries.first().map_or(&[][..], |query| query.heads);
        let mut norms = vec![0.0; wanted.len() * rows.len()];
        norms.par_chunks_mut(rows.len()).zip(wanted).for_each(|(norms, head)| {
            let columns = &output.values[head * heads.value_dim..];
            let output = View::by_rows(columns, output.outputs, heads.value_dim, output.inputs);
            let start = head / heads.group() * heads.head_dim;
            norms_of_head(norms, View::by_rows(&values[start..], rows.len(), heads.value_dim, width), output);
        });
        Ok(ValueNorms { rows, norms })
    }

    /// The norms of the rows a query sees, times its probabilities.
    fn weighted(&self, number: usize, query: &LayerQuery, weights: &[f32]) -> Vec<f32> {
        let norms = &self.norms[number * self.rows.len()..][..self.rows.len()];
        let mut weighted = Vec::with_capacity(weights.len());
        for range in &query.path {
            // The rows of a range are consecutive here too, since all of them are included.
            let start = self.rows.partition_point(|&row| row < range.start);
            weighted
                .extend(norms[start..start + range.len()].iter().zip(&weights[weighted.len()..]).map(|(n, w)| n * w));
        }
        weighted
    }
}

/// `|W_o v|` of each value row, in blocks of rows to keep the products small.
fn norms_of_head(norms: &mut [f32], values: View, output: View) {
    const ROWS: usize = 64;
    let hidden = output.rows;
    let mut projected = vec![0.0; ROWS.min(norms.len()) * hidden];
    for (number, norms) in norms.chunks_mut(ROWS).enumerate() {
        let rows = norms.len();
        let values = View { values: &values.values[number * ROWS * values.row..], rows, ..values };
        let out = ViewMut::by_rows(&mut projected, rows, hidden, hidden);
        multiply(out, Onto::Replace, 1.0, values, output.transposed(), Threads::One);
        lengths(norms, &projected, hidden);
    }
}

/// Euclidean norms of rows of `width` values.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn lengths(lengths: &mut [f32], rows: &[f32], width: usize) {
    for (length, row) in lengths.iter_mut().zip(rows.chunks_exact(width)) {
        *length = sum_of_squares(row).sqrt();
    }
}
