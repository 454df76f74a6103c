//! Embedding and residual additions.

use std::ops::Range;

use rayon::prelude::*;

use super::Rows;
use super::activations::Buffers;
use super::math::by_rows;
use super::vocabulary::Vocabulary;
use crate::decoder::DecoderError;
use crate::decoder::ops::Columns;

/// Number of tokens below which waking a second thread does not pay.
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

/// `x[i, columns] *= factors[i]`.
pub(super) fn scale_columns(x: &mut Rows, columns: Range<usize>, factors: &[f32]) {
    let stride = x.stride;
    for (row, factor) in x.values.chunks_exact_mut(stride).zip(factors) {
        row[columns.clone()].iter_mut().for_each(|value| *value *= factor);
    }
}

/// Columns of several activations with the same rows, side by side.
pub(super) fn columns(x: &[&Rows], columns: &[Columns]) -> Rows {
    let width = columns.iter().map(Columns::width).sum();
    let mut out = x[0].beside(x[0].len(), width);
    by_rows(&mut out.values, width, |first, chunk| {
        for (row, mut out) in (first..).zip(chunk.chunks_exact_mut(width)) {
            for columns in columns {
                let (to, rest) = out.split_at_mut(columns.width());
                match columns {
                    Columns::Of(which, range) => to.copy_from_slice(&x[*which].row(row)[range.clone()]),
                    Columns::Zeros(_) => to.fill(0.0),
                }
                out = rest;
            }
        }
    });
    out
}

/// `onto[rows[i]] += weights[i] * x[i]`.
pub(super) fn add_rows(onto: &mut Rows, x: &Rows, rows: &[usize], weights: &[f32]) {
    let (stride, width) = (onto.stride, onto.width);
    for (from, (&row, &weight)) in rows.iter().zip(weights).enumerate() {
        let onto = &mut onto.values[row * stride..row * stride + width];
        for (onto, x) in onto.iter_mut().zip(x.row(from)) {
            *onto += weight * x;
        }
    }
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
