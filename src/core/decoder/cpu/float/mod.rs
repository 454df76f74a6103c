//! Weight matrices in f32, laid out for products with hundreds of rows or with few.

use rayon::prelude::*;

use super::Rows;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::DecoderError;
use crate::decoder::weights::Stack;

mod feed_forward;
mod layout;
mod multiply;
mod panels;
mod tiles;
mod vectors;

pub(super) use feed_forward::{Biased, feed_forward};
pub(super) use layout::{Gathered, LANES, Lanes, STRIP, Strip, TILE, TileProduct, room};
pub(super) use multiply::{mix_tile, multiply_tile};
pub(super) use panels::FloatPanels;
pub(super) use tiles::{Tiles, pack, parts};
pub(super) use vectors::Floats;

/// The instructions for products in f32, as makers of processors name them; `None` if the products are `gemm`'s.
pub fn float_instructions() -> Option<&'static str> {
    Floats::detect().map(Floats::name)
}

/// A matrix `(outputs, inputs)`.
#[derive(Debug)]
pub(super) enum FloatMatrix {
    /// For the products of this crate.
    Panels(FloatPanels),
    /// `(inputs, outputs)`: the order in which products of few rows by `gemm` run fastest.
    Transposed(Vec<f32>),
}

impl FloatMatrix {
    /// Expands a matrix to f32, in the best layout for this processor.
    pub fn new(stack: &Stack) -> Result<FloatMatrix, DecoderError> {
        Ok(match FloatPanels::new(stack)? {
            Some(panels) => FloatMatrix::Panels(panels),
            None => FloatMatrix::Transposed(stack.by_columns()?),
        })
    }

    /// `out = factor * x W^T`, or adds this to `out`.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) {
        match self {
            FloatMatrix::Panels(panels) => panels.multiply(out, onto, factor, x, None),
            FloatMatrix::Transposed(weight) => {
                let lhs = View::by_rows(&x.values, out.rows, x.width, x.stride);
                let rhs = View::by_rows(weight, x.width, out.columns, out.columns);
                multiply(out, onto, factor, lhs, rhs, Threads::All);
            }
        }
    }

    /// Writes all values, `(outputs, inputs)`, to `to`.
    pub fn by_rows(&self, outputs: usize, to: &mut [f32]) {
        match self {
            FloatMatrix::Panels(panels) => panels.by_rows(to),
            FloatMatrix::Transposed(weight) => transpose(weight, outputs, to),
        }
    }
}

/// Transposes `(rows, columns)` to `(columns, rows)`, tile by tile.
fn transpose(values: &[f32], columns: usize, out: &mut [f32]) {
    const TILE: usize = 16;
    let rows = values.len() / columns;
    out.par_chunks_mut(TILE * rows).enumerate().for_each(|(tile, out)| {
        let width = out.len() / rows;
        for (row, values) in values.chunks_exact(columns).enumerate() {
            for (column, value) in values[tile * TILE..tile * TILE + width].iter().enumerate() {
                out[column * rows + row] = *value;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::activations::tests::activations;
    use super::*;
    use crate::decoder::weights::Matrix;

    /// A stack of two matrices, and its values.
    fn stack(outputs: usize, inputs: usize) -> (Stack, Vec<f32>) {
        let values: Vec<f32> =
            (0..outputs * inputs).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        let (above, below) = values.split_at(outputs / 3 * inputs);
        let mut stack = Stack::new(Matrix::plain(above.to_vec(), &[outputs / 3, inputs]));
        stack.push(Matrix::plain(below.to_vec(), &[outputs - outputs / 3, inputs]));
        (stack, values)
    }

    /// The matrix in both layouts; only one on processors without the instructions for panels.
    fn kept(stack: &Stack) -> Vec<FloatMatrix> {
        let transposed = FloatMatrix::Transposed(stack.by_columns().unwrap());
        match FloatPanels::new(stack).unwrap() {
            Some(panels) => vec![transposed, FloatMatrix::Panels(panels)],
            None => {
                println!("skipped: no AVX2 here, so panels in f32 are not tested");
                vec![transposed]
            }
        }
    }

    #[test]
    fn products_are_those_in_f64() {
        // Partly filled panels, fewer inputs than one part, and more than one part of inputs.
        for (outputs, inputs) in [(7, 3), (70, 64), (96, 130), (33, 4099)] {
            let (stack, weights) = stack(outputs, inputs);
            for matrix in kept(&stack) {
                // One row, every tile remainder, and more rows than are multiplied together.
                for rows in (1..=14).chain([25, 130]) {
                    let x = activations(rows, inputs);
                    let stride = outputs + 3;
                    for (onto, before) in [(Onto::Replace, f32::NAN), (Onto::Add, 1.0)] {
                        let mut out = vec![before; rows * stride];
                        matrix.multiply(ViewMut::by_rows(&mut out[2..], rows, outputs, stride), onto, 0.5, &x);
                        for (row, out) in out.chunks(stride).enumerate() {
                            for (output, value) in out[2..outputs + 2].iter().enumerate() {
                                let weights = &weights[output * inputs..][..inputs];
                                let pairs = weights.iter().zip(x.row(row));
                                let sum: f64 = pairs.map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
                                let exact = 0.5 * sum + if onto == Onto::Add { 1.0 } else { 0.0 };
                                let off = (exact - f64::from(*value)).abs();
                                assert!(off < 2e-5, "{outputs} x {inputs}, {rows} rows, {row}, {output}: off by {off}");
                            }
                            let beside = out[..2].iter().chain(&out[outputs + 2..]);
                            assert!(beside.map(|value| value.to_bits()).all(|bits| bits == before.to_bits()));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_s_products_in_panels_do_not_depend_on_the_rows_beside_it() {
        let (stack, _) = stack(70, 2500);
        for matrix in kept(&stack).iter().filter(|matrix| matches!(matrix, FloatMatrix::Panels(_))) {
            let product = |x: &Rows| {
                let mut out = vec![f32::NAN; x.len() * 70];
                matrix.multiply(ViewMut::by_rows(&mut out, x.len(), 70, 70), Onto::Replace, 1.0, x);
                out
            };
            let x = activations(200, 2500);
            for (row, together) in product(&x).chunks(70).enumerate() {
                assert_eq!(product(&Rows::new(x.row(row).to_vec(), 2500)), together, "row {row}");
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        for (outputs, inputs) in [(7, 3), (70, 2500)] {
            let (stack, _) = stack(outputs, inputs);
            for rows in (1..=14).chain([130]) {
                let x = activations(rows, inputs);
                let product = |floats| {
                    let panels = FloatPanels::with(floats, &stack).unwrap();
                    let mut out = vec![1.0; rows * outputs];
                    panels.multiply(ViewMut::by_rows(&mut out, rows, outputs, outputs), Onto::Add, 0.3, &x, None);
                    out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
                };
                let mut all = Floats::all().map(|floats| (floats.name(), product(floats)));
                let Some((_, first)) = all.next() else { return println!("skipped: no AVX2 here") };
                for (name, bits) in all {
                    assert_eq!(bits, first, "{outputs} x {inputs}, {rows} rows, {name}");
                }
            }
        }
    }

    #[test]
    fn every_order_gives_its_values_back() {
        let (stack, values) = stack(70, 33);
        for matrix in kept(&stack) {
            let mut rows = vec![f32::NAN; values.len()];
            matrix.by_rows(70, &mut rows);
            assert_eq!(rows, values);
        }
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        for (rows, columns) in [(1, 1), (3, 50), (40, 17), (16, 16)] {
            let values: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let (mut once, mut twice) = (vec![f32::NAN; values.len()], vec![f32::NAN; values.len()]);
            transpose(&values, columns, &mut once);
            for (row, values) in values.chunks_exact(columns).enumerate() {
                for (column, value) in values.iter().enumerate() {
                    assert_eq!(once[column * rows + row], *value);
                }
            }
            transpose(&once, rows, &mut twice);
            assert_eq!(twice, values);
        }
    }
}
