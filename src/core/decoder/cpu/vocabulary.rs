//! The embedding matrix, the head that produces the logits, or one matrix that is both.

use std::ops::Range;
use std::sync::Arc;

use multiversion::multiversion;
use rayon::prelude::*;

use super::Rows;
use super::float::{FloatPanels, LANES, Tiles};
use super::linear::{Converted, convert};
use super::math::{by_rows, dot};
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use super::quantized::ReducedMatrix;
use crate::decoder::DecoderError;
use crate::decoder::ops::Weight;
use crate::decoder::precision::Precision;

/// A matrix `(tokens, width)`. Cloning it does not copy the weights.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    weight: VocabularyWeight,
    tokens: usize,
    width: usize,
}

#[derive(Debug, Clone)]
enum VocabularyWeight {
    /// In f32, for the products of this crate.
    Panels(Arc<FloatPanels>),
    /// In f32, token by token.
    ByRows(Arc<Vec<f32>>),
    /// In fewer bits than f32.
    Reduced(Arc<ReducedMatrix>),
}

/// Tokens whose products one thread computes at a time; whole panels.
const PIECE: usize = 16 * LANES;

/// Number of rows up to which `gemm`, which packs the weights first, would spend longer on packing than on the product.
const FEW: usize = 16;

impl Vocabulary {
    /// Stores a matrix in the given precision.
    pub fn new(weight: Weight, width: usize, precision: Precision) -> Result<Vocabulary, DecoderError> {
        let (tokens, kept) = convert(weight, precision)?;
        let weight = match kept {
            Converted::Float(stack) => match FloatPanels::new(&stack)? {
                Some(panels) => VocabularyWeight::Panels(Arc::new(panels)),
                None => VocabularyWeight::ByRows(Arc::new(stack.by_rows()?)),
            },
            Converted::Reduced(reduced) => VocabularyWeight::Reduced(Arc::new(reduced)),
        };
        Ok(Vocabulary { weight, tokens, width })
    }

    /// Number of weights per token.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes of the weights in memory.
    pub fn bytes(&self) -> usize {
        match &self.weight {
            VocabularyWeight::Panels(_) | VocabularyWeight::ByRows(_) => self.tokens * self.width * size_of::<f32>(),
            VocabularyWeight::Reduced(weight) => weight.bytes(),
        }
    }

    /// Writes the weights of a token.
    pub fn token(&self, token: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        match &self.weight {
            VocabularyWeight::Panels(panels) => panels.output(token, to),
            VocabularyWeight::ByRows(weight) => to.copy_from_slice(&weight[token * self.width..][..self.width]),
            VocabularyWeight::Reduced(weight) => weight.dequantize(token..token + 1, self.width, to)?,
        }
        Ok(())
    }

    /// Whether a row of [`products`](Self::products) is bit-identical whatever the other rows.
    pub fn rows_are_independent(&self) -> bool {
        match &self.weight {
            VocabularyWeight::Panels(_) => true,
            VocabularyWeight::ByRows(_) => false,
            VocabularyWeight::Reduced(weight) => weight.rows_are_independent(),
        }
    }

    /// Products of rows with all tokens, `(rows, tokens)`.
    pub fn products(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let mut out = x.beside(x.len(), self.tokens);
        let to = ViewMut::by_rows(&mut out.values, x.len(), self.tokens, self.tokens);
        match &self.weight {
            VocabularyWeight::Panels(panels) => panels.multiply(to, Onto::Replace, 1.0, x, None),
            VocabularyWeight::ByRows(weight) if (1..=FEW).contains(&x.len()) => few(to, weight, x),
            VocabularyWeight::ByRows(weight) => by_gemm(to, weight, x, Threads::All),
            VocabularyWeight::Reduced(weight) => weight.multiply(to, Onto::Replace, 1.0, x)?,
        }
        Ok(out)
    }

    /// The results of `work` on the products of rows with some tokens, `(rows, tokens)`, for all tokens in ascending
    /// order. The products use the weights in f32, whatever their storage format.
    pub fn by_pieces<T: Send>(
        &self,
        x: &Rows,
        work: impl Fn(Range<usize>, &mut [f32]) -> T + Sync,
    ) -> Result<Vec<T>, DecoderError> {
        let mut tiles = Tiles::default();
        if let VocabularyWeight::Panels(_) = self.weight {
            tiles.pack(&x.values, x.stride, x.len(), x.width, None);
        }
        let piece = |(products, dequantized): &mut (Vec<f32>, Vec<f32>), first: usize| {
            let tokens = first..self.tokens.min(first + PIECE);
            products.resize(x.len() * tokens.len(), 0.0);
            let to = ViewMut::by_rows(products, x.len(), tokens.len(), tokens.len());
            match &self.weight {
                VocabularyWeight::Panels(panels) => {
                    let mut each: Vec<&mut [f32]> = to.values.chunks_exact_mut(to.row).collect();
                    let panel = first / LANES..tokens.end.div_ceil(LANES);
                    panels.products(panel, &tiles, &mut each, Onto::Replace, 1.0);
                }
                VocabularyWeight::ByRows(weight) => by_gemm(to, &weight[first * self.width..], x, Threads::One),
                VocabularyWeight::Reduced(weight) => {
                    dequantized.resize(tokens.len() * self.width, 0.0);
                    weight.dequantize(tokens.clone(), self.width, dequantized)?;
                    by_gemm(to, dequantized, x, Threads::One);
                }
            }
            Ok(work(tokens, products))
        };
        (0..self.tokens).into_par_iter().step_by(PIECE).map_init(Default::default, piece).collect()
    }
}

/// Products of rows with the first tokens of `weight`, `(tokens, width)`.
fn by_gemm(out: ViewMut, weight: &[f32], x: &Rows, threads: Threads) {
    let lhs = View::by_rows(&x.values, x.len(), x.width, x.stride);
    let rhs = View::by_rows(weight, out.columns, x.width, x.width).transposed();
    multiply(out, Onto::Replace, 1.0, lhs, rhs, threads);
}

/// Products of few rows with all weights.
fn few(out: ViewMut, weight: &[f32], x: &Rows) {
    let rows = x.len();
    // (tokens, rows), so that every weight is read once.
    let mut products = vec![0.0; out.columns * rows];
    by_rows(&mut products, rows, |first, products| {
        dots(products, &weight[first * x.width..], x);
    });
    by_rows(out.values, out.row, |first, values| {
        for (row, values) in (first..).zip(values.chunks_exact_mut(out.row)) {
            let products = products[row..].iter().step_by(rows);
            values.iter_mut().zip(products).for_each(|(value, product)| *value = *product);
        }
    });
}

/// Dot products of each weight row with each row of `x`, `(weight rows, rows of x)`.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn dots(products: &mut [f32], weights: &[f32], x: &Rows) {
    for (products, weights) in products.chunks_exact_mut(x.len()).zip(weights.chunks_exact(x.width)) {
        for (row, product) in products.iter_mut().enumerate() {
            *product = dot(weights, x.row(row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::activations::tests::activations;
    use super::*;
    use crate::decoder::weights::{Matrix, Stack};

    /// The same matrix in every form that this processor supports, with its values.
    fn kept(tokens: usize, width: usize) -> (Vec<Vocabulary>, Vec<f32>) {
        let values: Vec<f32> = (0..tokens * width).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        let stack = || Stack::new(Matrix::plain(values.clone(), &[tokens, width]));
        let by_rows = Vocabulary { weight: VocabularyWeight::ByRows(Arc::new(values.clone())), tokens, width };
        let float = Vocabulary::new(Weight::Dense(stack()), width, Precision::F32).unwrap();
        let reduced = Vocabulary::new(Weight::Dense(stack()), width, Precision::BF16).unwrap();
        (vec![by_rows, float, reduced], values)
    }

    #[test]
    fn tokens_give_their_values_back() {
        let (vocabularies, values) = kept(70, 33);
        for (vocabulary, tolerance) in vocabularies.iter().zip([0.0, 0.0, 4e-3]) {
            for (token, values) in values.chunks(33).enumerate() {
                let mut weights = vec![f32::NAN; 33];
                vocabulary.token(token, &mut weights).unwrap();
                for (weight, value) in weights.iter().zip(values) {
                    assert!((weight - value).abs() <= tolerance * value.abs(), "{weight} {value}");
                }
            }
        }
    }

    #[test]
    fn products_are_the_same_in_pieces_and_together() {
        // Less than a panel, and a last piece that is not full; more inputs than one part holds.
        for (tokens, width) in [(7, 3), (PIECE + 70, 64), (PIECE, 2500)] {
            for vocabulary in kept(tokens, width).0 {
                let mut weights = vec![f32::NAN; tokens * width];
                for (token, weights) in weights.chunks_mut(width).enumerate() {
                    vocabulary.token(token, weights).unwrap();
                }
                for rows in [1, 13, 40] {
                    let x = activations(rows, width);
                    let together = vocabulary.products(&x).unwrap();
                    let pieces = vocabulary.by_pieces(&x, |tokens, products| (tokens, products.to_vec())).unwrap();
                    let mut next = 0;
                    for (piece, products) in pieces {
                        assert_eq!((piece.start, products.len()), (next, piece.len() * rows));
                        next = piece.end;
                        for (row, products) in products.chunks(piece.len()).enumerate() {
                            for (token, product) in piece.clone().zip(products) {
                                let pairs = weights[token * width..][..width].iter().zip(x.row(row));
                                let exact: f64 = pairs.map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
                                let off = (exact - f64::from(*product)).abs();
                                assert!(off < 2e-5, "{tokens} x {width}, row {row}, token {token}: off by {off}");
                                let off = (product - together.row(row)[token]).abs();
                                assert!(off < 2e-5, "{tokens} x {width}, row {row}, token {token}: {off} together");
                            }
                        }
                    }
                    assert_eq!(next, tokens);
                }
            }
        }
    }
}
