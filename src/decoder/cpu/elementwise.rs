//! Embedding and residual additions.

use rayon::prelude::*;

use super::Rows;
use super::activations::Buffers;
use super::math::by_rows;
use super::vocabulary::Vocabulary;
use crate::decoder::DecoderError;

/// Tokens below which waking a second thread does not pay.
const TOKENS: usize = 16;

/// Rows of the embedding matrix, scaled.
pub(super) fn embed(table: &Vocabulary, tokens: &[u32], scale: f32, buffers: &Buffers) -> Result<Rows, DecoderError> {
    let width = table.width();
    let mut out = buffers.rows(tokens.len(), width);
    out.values.par_chunks_mut(width).zip(tokens).with_min_len(TOKENS).try_for_each(|(out, &token)| {
        table.token(token as usize, out)?;
        if scale != 1.0 {
            out.iter_mut().for_each(|value| *value *= scale);
        }
        Ok::<_, DecoderError>(())
    })?;
    Ok(out)
}

/// The given rows, in that order.
pub(super) fn select(x: &Rows, rows: &[usize]) -> Rows {
    let mut out = x.beside(rows.len(), x.width);
    for (out, &row) in out.values.chunks_exact_mut(x.width).zip(rows) {
        out.copy_from_slice(x.row(row));
    }
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
