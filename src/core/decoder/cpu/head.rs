//! From hidden states to logits and log-probabilities.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};
use multiversion::multiversion;

use super::Rows;
use super::float::parts;
use super::math::{by_rows, exp, largest};
use super::vocabulary::Vocabulary;
use crate::decoder::DecoderError;
use crate::decoder::ops::Logits;

/// Maximum rows of hidden states whose log-probabilities are computed together.
const ROWS: usize = 128;

/// `(rows, vocabulary)` in f32.
pub(super) fn logits(hidden: &Tensor, head: &Vocabulary, logits: &Logits) -> Result<Tensor, DecoderError> {
    let mut out = head.products(&rows(hidden)?)?;
    let stride = out.stride;
    if logits.scale != 1.0 || logits.cap.is_some() {
        by_rows(&mut out.values, stride, |_, chunk| chunk.iter_mut().for_each(|value| *value = logits.of(*value)));
    }
    let shape = (out.len(), out.width);
    Ok(Tensor::from_vec(out.into_values(), shape, &Device::Cpu)?)
}

/// Natural log-probabilities of `(row of hidden, token)` pairs, normalised over the whole vocabulary.
pub(super) fn log_probs(
    hidden: &Tensor,
    head: &Vocabulary,
    logits: &Logits,
    targets: &[(usize, u32)],
) -> Result<Vec<f32>, DecoderError> {
    let hidden = rows(hidden)?;
    // The distinct rows of the targets, in ascending order.
    let mut wanted: Vec<usize> = targets.iter().map(|&(row, _)| row).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut out = vec![0.0; targets.len()];
    for group in parts(wanted.len(), wanted.len().div_ceil(ROWS)) {
        let group = &wanted[group];
        let x = super::elementwise::select(&hidden, group);
        let of_group: Vec<Target> = targets
            .iter()
            .enumerate()
            .filter_map(|(number, &(row, token))| {
                let row = group.binary_search(&row).ok()?;
                Some(Target { number, row, token: token as usize })
            })
            .collect();
        let pieces = head.by_pieces(&x, |tokens, products| Piece::new(tokens, products, logits, &of_group))?;
        let normalisers: Vec<f32> = (0..group.len()).map(|row| normaliser(&pieces, row)).collect();
        for (target, logit) in pieces.iter().flat_map(|piece| &piece.targets) {
            out[target.number] = logit - normalisers[target.row];
        }
    }
    Ok(out)
}

/// One target of a group of rows.
#[derive(Clone, Copy)]
struct Target {
    /// Its position in the result.
    number: usize,
    row: usize,
    token: usize,
}

/// Results kept for a piece of the vocabulary.
struct Piece {
    /// One per row.
    sums: Vec<SumOfExp>,
    /// Logits of the targets within the piece.
    targets: Vec<(Target, f32)>,
}

/// A sum of exponentials: `sum * exp(largest)`.
struct SumOfExp {
    largest: f32,
    /// Sum of `exp(logit - largest)`.
    sum: f32,
}

impl Piece {
    fn new(tokens: Range<usize>, products: &mut [f32], logits: &Logits, targets: &[Target]) -> Piece {
        let sums = products.chunks_exact_mut(tokens.len()).map(|products| sum_of_exp(products, logits)).collect();
        let within = targets.iter().filter(|target| tokens.contains(&target.token));
        let logit = |target: &Target| products[target.row * tokens.len() + target.token - tokens.start];
        let targets = within.map(|target| (*target, logit(target))).collect();
        Piece { sums, targets }
    }
}

/// Turns the products of a row into logits in place, and sums their exponentials.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn sum_of_exp(products: &mut [f32], logits: &Logits) -> SumOfExp {
    products.iter_mut().for_each(|value| *value = logits.of(*value));
    let largest = largest(products);
    let (chunks, rest) = products.as_chunks::<16>();
    let mut sums = [0.0f32; 16];
    for chunk in chunks {
        for (sum, logit) in sums.iter_mut().zip(chunk) {
            *sum += exp(logit - largest);
        }
    }
    let rest: f32 = rest.iter().map(|logit| exp(logit - largest)).sum();
    SumOfExp { largest, sum: sums.iter().sum::<f32>() + rest }
}

/// Logarithm of the sum of exponentials of a row, over all pieces in order.
fn normaliser(pieces: &[Piece], row: usize) -> f32 {
    let of_row = || pieces.iter().map(|piece| &piece.sums[row]);
    let largest = of_row().map(|piece| piece.largest).fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = of_row().map(|piece| f64::from(piece.sum) * f64::from(piece.largest - largest).exp()).sum();
    largest + sum.ln() as f32
}

/// The values of an f32 tensor `(rows, width)`.
fn rows(hidden: &Tensor) -> Result<Rows, DecoderError> {
    let (_, width) = hidden.dims2()?;
    let values = hidden.to_dtype(DType::F32)?.to_device(&Device::Cpu)?.flatten_all()?.to_vec1()?;
    Ok(Rows::new(values, width))
}
