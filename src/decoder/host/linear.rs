//! Matrix products with the weights of a model.

use half::{bf16, f16};
use rayon::prelude::*;

use super::Rows;
use super::math::by_rows;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use super::narrow::Narrow;
use crate::decoder::ops::Weight;
use crate::decoder::weights::Stack;
use crate::decoder::{DecoderError, Precision};

/// `x W^T + b`, where the outputs may come from several matrices side by side.
#[derive(Debug)]
pub(crate) struct Linear {
    parts: Vec<Part>,
    inputs: usize,
    outputs: usize,
    bias: Option<Vec<f32>>,
}

/// One weight matrix.
#[derive(Debug)]
struct Part {
    outputs: usize,
    weight: Stored,
}

#[derive(Debug)]
enum Stored {
    /// `(inputs, outputs)`: the order in which products of few rows run fastest.
    Transposed(Vec<f32>),
    /// `(outputs, inputs)` in fewer bits.
    Narrow(Narrow),
}

/// A weight matrix in f32, `(outputs, inputs)`.
pub(crate) struct Dense {
    pub values: Vec<f32>,
    pub outputs: usize,
    pub inputs: usize,
}

/// What becomes of a weight: expanded to f32, in an order that depends on its use, or kept in fewer bits.
pub(super) enum Kept {
    Wide(Stack),
    Narrow(Narrow),
}

/// The number of outputs of `weight`, and the weight in the given precision.
pub(super) fn keep(weight: Weight, precision: Precision) -> Result<(usize, Kept), DecoderError> {
    match weight {
        Weight::Dense(stack) => {
            let outputs = stack.rows();
            let kept = match precision {
                Precision::F32 | Precision::Quantized => Kept::Wide(stack),
                Precision::BF16 => {
                    Kept::Narrow(Narrow::Bf16(stack.by_rows()?.into_par_iter().map(bf16::from_f32).collect()))
                }
                Precision::F16 => {
                    Kept::Narrow(Narrow::F16(stack.by_rows()?.into_par_iter().map(f16::from_f32).collect()))
                }
            };
            Ok((outputs, kept))
        }
        Weight::Blocks(tensor) => {
            let (outputs, _) = tensor.shape().dims2()?;
            Ok((outputs, Kept::Narrow(Narrow::of_blocks(tensor)?)))
        }
    }
}

impl Linear {
    /// Keep `weights` in the given precision.
    pub fn new(
        weights: Vec<Weight>,
        inputs: usize,
        bias: Option<Vec<f32>>,
        precision: Precision,
    ) -> Result<Linear, DecoderError> {
        let mut parts = Vec::with_capacity(weights.len());
        for weight in weights {
            let (outputs, kept) = keep(weight, precision)?;
            let weight = match kept {
                Kept::Wide(stack) => Stored::Transposed(stack.by_columns()?),
                Kept::Narrow(narrow) => Stored::Narrow(narrow),
            };
            parts.push(Part { outputs, weight });
        }
        let outputs = parts.iter().map(|part| part.outputs).sum();
        Ok(Linear { parts, inputs, outputs, bias })
    }

    /// `x W^T + b`.
    pub fn product(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let mut out = x.beside(x.len(), self.outputs);
        self.onto(&mut out, Onto::Replace, x, 1.0)?;
        Ok(out)
    }

    /// `residual += scale * (x W^T + b)`.
    pub fn add_product(&self, residual: &mut Rows, x: &Rows, scale: f32) -> Result<(), DecoderError> {
        self.onto(residual, Onto::Add, x, scale)
    }

    fn onto(&self, out: &mut Rows, mut onto: Onto, x: &Rows, scale: f32) -> Result<(), DecoderError> {
        if let Some(bias) = &self.bias {
            let stride = out.stride;
            by_rows(&mut out.values, stride, |_, chunk| {
                for row in chunk.chunks_exact_mut(stride) {
                    for (out, bias) in row.iter_mut().zip(bias) {
                        onto.put(scale * bias, out);
                    }
                }
            });
            onto = Onto::Add;
        }
        let rows = x.len();
        let lhs = View::by_rows(&x.values, rows, self.inputs, x.stride);
        let stride = out.stride;
        let mut at = 0;
        for part in &self.parts {
            match &part.weight {
                Stored::Transposed(weight) => {
                    let rhs = View::by_rows(weight, self.inputs, part.outputs, part.outputs);
                    let out = ViewMut::by_rows(&mut out.values[at..], rows, part.outputs, stride);
                    multiply(out, onto, scale, lhs, rhs, Threads::All);
                }
                Stored::Narrow(weight) => {
                    let out = ViewMut::by_rows(&mut out.values[at..], rows, part.outputs, stride);
                    weight.multiply(out, onto, scale, x)?;
                }
            }
            at += part.outputs;
        }
        Ok(())
    }

    /// The whole weight in f32, `(outputs, inputs)`.
    pub fn dense(&self) -> Result<Dense, DecoderError> {
        let mut values = vec![0.0; self.outputs * self.inputs];
        let mut rest = &mut values[..];
        for part in &self.parts {
            let (mine, others) = rest.split_at_mut(part.outputs * self.inputs);
            match &part.weight {
                Stored::Transposed(weight) => mine.copy_from_slice(&transpose(weight, part.outputs)),
                Stored::Narrow(weight) => weight.widen(0..part.outputs, self.inputs, mine)?,
            }
            rest = others;
        }
        Ok(Dense { values, outputs: self.outputs, inputs: self.inputs })
    }
}

/// `(rows, columns)` to `(columns, rows)`, tile by tile.
fn transpose(values: &[f32], columns: usize) -> Vec<f32> {
    const TILE: usize = 16;
    let rows = values.len() / columns;
    let mut out = vec![0.0; values.len()];
    out.par_chunks_mut(TILE * rows).enumerate().for_each(|(tile, out)| {
        let width = out.len() / rows;
        for (row, values) in values.chunks_exact(columns).enumerate() {
            for (column, value) in values[tile * TILE..tile * TILE + width].iter().enumerate() {
                out[column * rows + row] = *value;
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        for (rows, columns) in [(1, 1), (3, 50), (40, 17), (16, 16)] {
            let values: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let once = transpose(&values, columns);
            for (row, values) in values.chunks_exact(columns).enumerate() {
                for (column, value) in values.iter().enumerate() {
                    assert_eq!(once[column * rows + row], *value);
                }
            }
            assert_eq!(transpose(&once, rows), values);
        }
    }
}
