//! Embedding and residual additions.

use super::math::by_rows;
use super::{Rows, Table};

/// Rows of the embedding matrix, scaled.
pub(super) fn embed(table: &Table, tokens: &[u32], scale: f32) -> Rows {
    let width = table.width;
    let mut out = Rows::zeros(tokens.len(), width);
    by_rows(&mut out.values, width, |first, chunk| {
        for (row, out) in chunk.chunks_exact_mut(width).enumerate() {
            let at = tokens[first + row] as usize * width;
            for (out, value) in out.iter_mut().zip(&table.values[at..at + width]) {
                *out = value * scale;
            }
        }
    });
    out
}

/// `residual += scale * x`.
pub(super) fn add(residual: &mut Rows, x: &Rows, scale: f32) {
    let stride = residual.stride;
    by_rows(&mut residual.values, stride, |first, chunk| {
        for (row, residual) in chunk.chunks_exact_mut(stride).enumerate() {
            for (residual, x) in residual.iter_mut().zip(x.row(first + row)) {
                *residual += scale * x;
            }
        }
    });
}
