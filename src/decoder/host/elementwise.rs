//! Embedding and residual additions.

use rayon::prelude::*;

use super::Rows;
use super::head::Head;
use super::math::by_rows;
use crate::decoder::DecoderError;

/// Tokens for which a second thread is not worth waking.
const TOKENS: usize = 16;

/// Rows of the embedding matrix, scaled.
pub(super) fn embed(table: &Head, tokens: &[u32], scale: f32) -> Result<Rows, DecoderError> {
    let width = table.width();
    let mut out = Rows::zeros(tokens.len(), width);
    out.values.par_chunks_mut(width).zip(tokens).with_min_len(TOKENS).try_for_each(|(out, &token)| {
        let row = table.rows(token as usize..token as usize + 1)?;
        for (out, value) in out.iter_mut().zip(&*row) {
            *out = value * scale;
        }
        Ok::<_, DecoderError>(())
    })?;
    Ok(out)
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
