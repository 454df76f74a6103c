//! From hidden states to log-probabilities, a piece of the vocabulary at a time.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use multiversion::multiversion;
use rayon::prelude::*;

use super::Rows;
use super::linear::{Kept, keep};
use super::math::{by_rows, dot, exp};
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use super::narrow::Narrow;
use crate::decoder::ops::{Logits, Weight};
use crate::decoder::{DecoderError, Precision};

/// A matrix `(vocabulary, width)` that makes logits, or the one of embeddings, or both: the weights of one token are side by
/// side, since it is used some tokens at a time. Cloning it copies no weights.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    weight: Stored,
    vocabulary: usize,
    width: usize,
}

#[derive(Debug, Clone)]
enum Stored {
    /// In f32.
    Wide(Arc<Vec<f32>>),
    /// In fewer bits.
    Narrow(Arc<Narrow>),
}

impl Head {
    /// Keep a matrix in the given precision.
    pub fn new(weight: Weight, width: usize, precision: Precision) -> Result<Head, DecoderError> {
        let (vocabulary, kept) = keep(weight, precision)?;
        let weight = match kept {
            Kept::Wide(stack) => Stored::Wide(Arc::new(stack.by_rows()?)),
            Kept::Narrow(narrow) => Stored::Narrow(Arc::new(narrow)),
        };
        Ok(Head { weight, vocabulary, width })
    }

    /// Weights of one token.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The weights of `tokens` in f32, `(tokens, width)`; borrowed where they are kept so.
    pub fn rows(&self, tokens: Range<usize>) -> Result<Cow<'_, [f32]>, DecoderError> {
        match &self.weight {
            Stored::Wide(weight) => Ok(Cow::Borrowed(&weight[tokens.start * self.width..tokens.end * self.width])),
            Stored::Narrow(weight) => {
                let mut values = vec![0.0; tokens.len() * self.width];
                weight.widen(tokens, self.width, &mut values)?;
                Ok(Cow::Owned(values))
            }
        }
    }

    /// Products of compact rows `x` with all tokens, `(rows, vocabulary)`.
    fn product(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let mut out = x.beside(x.len(), self.vocabulary);
        let to = ViewMut::by_rows(&mut out.values, x.len(), self.vocabulary, self.vocabulary);
        match &self.weight {
            Stored::Wide(weight) if (1..=FEW).contains(&x.len()) => few(to, weight, x),
            Stored::Wide(weight) => {
                let lhs = View::by_rows(&x.values, x.len(), x.width, x.stride);
                let rhs = View::by_rows(weight, self.vocabulary, self.width, self.width).transposed();
                multiply(to, Onto::Replace, 1.0, lhs, rhs, Threads::All);
            }
            Stored::Narrow(weight) => weight.multiply(to, Onto::Replace, 1.0, x)?,
        }
        Ok(out)
    }
}

/// Tokens of the vocabulary whose logits exist at one time in one thread.
const PIECE: usize = 1024;

/// Rows of hidden states for which arranging the weights, as products of many rows do, would take longer than the product.
const FEW: usize = 16;

/// Rows of hidden states whose log-probabilities are computed together.
const ROWS: usize = 128;

/// Products of few compact rows with all weights.
fn few(out: ViewMut, weight: &[f32], x: &Rows) {
    let rows = x.len();
    // (vocabulary, rows): every weight is read once.
    let mut products = vec![0.0; out.columns * rows];
    by_rows(&mut products, rows, |first, products| {
        dots(products, &weight[first * x.width..], &x.values, x.width);
    });
    by_rows(out.values, out.row, |first, values| {
        for (row, values) in (first..).zip(values.chunks_exact_mut(out.row)) {
            let products = products[row..].iter().step_by(rows);
            values.iter_mut().zip(products).for_each(|(value, product)| *value = *product);
        }
    });
}

/// Scalar products of each weight row with each row of `x`, `(weight rows, rows of x)`.
#[multiversion(targets = "simd")]
fn dots(products: &mut [f32], weights: &[f32], x: &[f32], width: usize) {
    for (products, weights) in products.chunks_exact_mut(x.len() / width).zip(weights.chunks_exact(width)) {
        for (product, x) in products.iter_mut().zip(x.chunks_exact(width)) {
            *product = dot(weights, x);
        }
    }
}

/// `(rows, vocab)` in f32.
pub(super) fn logits(hidden: &Tensor, head: &Head, logits: &Logits) -> Result<Tensor, DecoderError> {
    let mut out = head.product(&rows(hidden)?)?;
    let stride = out.stride;
    if logits.scale != 1.0 || logits.cap.is_some() {
        by_rows(&mut out.values, stride, |_, chunk| chunk.iter_mut().for_each(|value| *value = logits.of(*value)));
    }
    let shape = (out.len(), out.width);
    Ok(Tensor::from_vec(out.into_values(), shape, &Device::Cpu)?)
}

/// Natural log-probabilities of `(row of hidden, token)`, normalised over the whole vocabulary.
pub(super) fn log_probs(
    hidden: &Tensor,
    head: &Head,
    logits: &Logits,
    targets: &[(usize, u32)],
) -> Result<Vec<f32>, DecoderError> {
    let hidden = rows(hidden)?;
    // Only rows that are asked for, each once, in ascending order.
    let mut wanted: Vec<usize> = targets.iter().map(|&(row, _)| row).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut out = vec![0.0; targets.len()];
    for group in wanted.chunks(ROWS) {
        // (D, columns), one column per row of the group.
        let columns = group.len();
        let mut transposed = vec![0.0; hidden.width * columns];
        for (column, &row) in group.iter().enumerate() {
            for (dim, value) in hidden.row(row).iter().enumerate() {
                transposed[dim * columns + column] = *value;
            }
        }
        let asked: Vec<Asked> = targets
            .iter()
            .enumerate()
            .filter_map(|(number, &(row, token))| {
                let column = group.binary_search(&row).ok()?;
                Some(Asked { number, column, token: token as usize })
            })
            .collect();
        let pieces: Vec<Range<usize>> =
            (0..head.vocabulary).step_by(PIECE).map(|from| from..head.vocabulary.min(from + PIECE)).collect();
        let piece = |tokens: Range<usize>| {
            let weight = head.rows(tokens.clone())?;
            let mut scores = vec![0.0; tokens.len() * columns];
            let lhs = View::by_rows(&weight, tokens.len(), hidden.width, hidden.width);
            let rhs = View::by_rows(&transposed, hidden.width, columns, columns);
            let product = ViewMut::by_rows(&mut scores, tokens.len(), columns, columns);
            multiply(product, Onto::Replace, 1.0, lhs, rhs, Threads::One);
            Ok(Piece::sum_up(tokens, scores, columns, logits, &asked))
        };
        let pieces = pieces.into_par_iter().map(piece).collect::<Result<Vec<Piece>, DecoderError>>()?;
        let normalisers = normalisers(&pieces, columns);
        for (asked, logit) in pieces.iter().flat_map(|piece| &piece.asked) {
            out[asked.number] = logit - normalisers[asked.column];
        }
    }
    Ok(out)
}

/// One target of a group.
#[derive(Clone, Copy)]
struct Asked {
    /// Its place in the answer.
    number: usize,
    column: usize,
    token: usize,
}

/// What is kept of a piece of the vocabulary.
struct Piece {
    largest: Vec<f32>,
    /// Sum of `exp(logit - largest)` per column.
    sums: Vec<f32>,
    /// Logits of the targets within the piece.
    asked: Vec<(Asked, f32)>,
}

impl Piece {
    fn sum_up(tokens: Range<usize>, mut scores: Vec<f32>, columns: usize, logits: &Logits, asked: &[Asked]) -> Piece {
        let mut largest = vec![f32::NEG_INFINITY; columns];
        let mut sums = vec![0.0; columns];
        sum_up(&mut scores, columns, logits, &mut largest, &mut sums);
        let within = asked.iter().filter(|asked| tokens.contains(&asked.token));
        let asked =
            within.map(|asked| (*asked, scores[(asked.token - tokens.start) * columns + asked.column])).collect();
        Piece { largest, sums, asked }
    }
}

/// Turn products into logits, and find the largest and the sum of `exp(logit - largest)` per column.
#[multiversion(targets = "simd")]
fn sum_up(scores: &mut [f32], columns: usize, logits: &Logits, largest: &mut [f32], sums: &mut [f32]) {
    for row in scores.chunks_exact_mut(columns) {
        for (score, largest) in row.iter_mut().zip(largest.iter_mut()) {
            *score = logits.of(*score);
            *largest = largest.max(*score);
        }
    }
    for row in scores.chunks_exact(columns) {
        for ((score, largest), sum) in row.iter().zip(largest.iter()).zip(sums.iter_mut()) {
            *sum += exp(score - largest);
        }
    }
}

/// Logarithm of the sum of exponentials per column, over all pieces in order.
fn normalisers(pieces: &[Piece], columns: usize) -> Vec<f32> {
    let of = |column: usize| {
        let largest = pieces.iter().map(|piece| piece.largest[column]).fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = pieces
            .iter()
            .map(|piece| f64::from(piece.sums[column]) * f64::from(piece.largest[column] - largest).exp())
            .sum();
        largest + sum.ln() as f32
    };
    (0..columns).map(of).collect()
}

/// The values of an f32 tensor `(rows, width)`.
fn rows(hidden: &Tensor) -> Result<Rows, DecoderError> {
    let (_, width) = hidden.dims2()?;
    let values = hidden.to_dtype(DType::F32)?.to_device(&Device::Cpu)?.flatten_all()?.to_vec1()?;
    Ok(Rows::new(values, width))
}
