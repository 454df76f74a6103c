//! Attention rows of chosen queries, computed on their own beside the forward.

use multiversion::multiversion;
use rayon::prelude::*;

use super::Rows;
use super::cache::LayerCache;
use super::linear::Linear;
use super::math::{dot, sum_of_squares};
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::DecoderError;
use crate::decoder::capture::{Asked, Captured};
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
    let value_norms = captured.value_norms;
    let mut asked = captured.asked(layer, layout, window);
    if asked.is_empty() {
        return Ok(());
    }
    let norms = if value_norms { Some(ValueNorms::new(&asked, cache, heads, output)?) } else { None };
    asked.par_iter_mut().for_each(|asked| {
        for number in 0..asked.heads.len() {
            let weights = weights(asked, asked.heads[number], qkv.row(asked.token), cache, heads);
            let norms = norms.as_ref().map(|norms| norms.weighted(number, asked, &weights));
            asked.write(number, &weights, norms.as_deref());
        }
    });
    Ok(())
}

/// Attention probabilities of one head of a query.
#[multiversion(targets = "simd")]
fn weights(asked: &Asked, head: usize, qkv: &[f32], cache: &LayerCache, heads: &Heads) -> Vec<f32> {
    let head_dim = heads.head_dim;
    let at = head / heads.group() * head_dim;
    let query = &qkv[head * head_dim..(head + 1) * head_dim];
    let mut weights = Vec::new();
    for row in asked.each_row() {
        let score = heads.scale * dot(&cache.keys[row * cache.width + at..][..head_dim], query);
        weights.push(heads.cap.map_or(score, |cap| cap * (score / cap).tanh()));
    }
    weights[..asked.unseen].fill(f32::NEG_INFINITY);
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

/// `|W_o v|` of every value that some query sees, per head wanted: they do not depend on the query.
struct ValueNorms {
    /// Cache rows in ascending order.
    rows: Vec<usize>,
    /// `(heads wanted, rows)`.
    norms: Vec<f32>,
}

impl ValueNorms {
    fn new(asked: &[Asked], cache: &LayerCache, heads: &Heads, output: &Linear) -> Result<ValueNorms, DecoderError> {
        let mut rows: Vec<usize> = asked.iter().flat_map(Asked::each_row).collect();
        rows.sort_unstable();
        rows.dedup();
        let width = cache.width;
        let values: Vec<f32> = rows.iter().flat_map(|row| &cache.values[row * width..][..width]).copied().collect();
        let output = output.dense()?; // (D, Q)
        let wanted = asked.first().map_or(&[][..], |asked| asked.heads);
        let mut norms = vec![0.0; wanted.len() * rows.len()];
        norms.par_chunks_mut(rows.len()).zip(wanted).for_each(|(norms, head)| {
            let columns = &output.values[head * heads.head_dim..];
            let output = View::by_rows(columns, output.outputs, heads.head_dim, output.inputs);
            let start = head / heads.group() * heads.head_dim;
            norms_of_head(norms, View::by_rows(&values[start..], rows.len(), heads.head_dim, width), output);
        });
        Ok(ValueNorms { rows, norms })
    }

    /// The norms of the rows a query sees, times its probabilities.
    fn weighted(&self, number: usize, asked: &Asked, weights: &[f32]) -> Vec<f32> {
        let norms = &self.norms[number * self.rows.len()..][..self.rows.len()];
        let mut weighted = Vec::with_capacity(weights.len());
        for range in &asked.rows {
            // Rows of one range follow one another here too: every one of them is among the rows.
            let start = self.rows.partition_point(|&row| row < range.start);
            weighted
                .extend(norms[start..start + range.len()].iter().zip(&weights[weighted.len()..]).map(|(n, w)| n * w));
        }
        weighted
    }
}

/// `|W_o v|` of each value row, in blocks of rows so that the products stay small.
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

/// Euclidean lengths of rows of `width`.
#[multiversion(targets = "simd")]
fn lengths(lengths: &mut [f32], rows: &[f32], width: usize) {
    for (length, row) in lengths.iter_mut().zip(rows.chunks_exact(width)) {
        *length = sum_of_squares(row).sqrt();
    }
}
