//! Matrix products with the weights of a model.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use half::{bf16, f16};
use rayon::prelude::*;

use super::math::by_rows;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use super::narrow::{Blocks, Narrow};
use super::{Rows, Table};
use crate::decoder::ops::Weight;
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
    /// `(outputs, inputs)`: a head, which may be the embedding matrix as well and is used a few outputs at a time.
    Rows(Arc<Vec<f32>>),
    /// `(outputs, inputs)` in fewer bits.
    Narrow(Narrow),
}

/// A weight matrix in f32, `(outputs, inputs)`.
pub(crate) struct Dense {
    pub values: Vec<f32>,
    pub outputs: usize,
    pub inputs: usize,
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
            parts.push(match weight {
                Weight::Dense(stack) => {
                    let weight = match precision {
                        Precision::F32 | Precision::Quantized => Stored::Transposed(stack.by_columns()?),
                        Precision::BF16 => {
                            Stored::Narrow(Narrow::Bf16(stack.by_rows()?.into_par_iter().map(bf16::from_f32).collect()))
                        }
                        Precision::F16 => {
                            Stored::Narrow(Narrow::F16(stack.by_rows()?.into_par_iter().map(f16::from_f32).collect()))
                        }
                    };
                    Part { outputs: stack.rows(), weight }
                }
                Weight::Blocks(tensor) => {
                    let blocks = Blocks::new(tensor)?;
                    Part { outputs: blocks.outputs(), weight: Stored::Narrow(Narrow::Blocks(blocks)) }
                }
            });
        }
        let outputs = parts.iter().map(|part| part.outputs).sum();
        Ok(Linear { parts, inputs, outputs, bias })
    }

    /// Keep a head: as [`Linear::new`], but with the weights of one output side by side.
    pub fn head(weight: Weight, inputs: usize, precision: Precision) -> Result<Linear, DecoderError> {
        match (weight, precision) {
            (Weight::Dense(stack), Precision::F32 | Precision::Quantized) => {
                let outputs = stack.rows();
                let parts = vec![Part { outputs, weight: Stored::Rows(Arc::new(stack.by_rows()?)) }];
                Ok(Linear { parts, inputs, outputs, bias: None })
            }
            (weight, precision) => Linear::new(vec![weight], inputs, None, precision),
        }
    }

    /// The embedding matrix as head.
    pub fn tied(table: &Table) -> Linear {
        let outputs = table.values.len() / table.width;
        let parts = vec![Part { outputs, weight: Stored::Rows(table.values.clone()) }];
        Linear { parts, inputs: table.width, outputs, bias: None }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// `x W^T + b`.
    pub fn product(&self, x: &Rows) -> Result<Rows, DecoderError> {
        let mut out = Rows::zeros(x.len(), self.outputs);
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
                        *out += scale * bias;
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
                Stored::Rows(weight) => {
                    let rhs = View::by_rows(weight, part.outputs, self.inputs, self.inputs).transposed();
                    let out = ViewMut::by_rows(&mut out.values[at..], rows, part.outputs, stride);
                    multiply(out, onto, scale, lhs, rhs, Threads::All);
                }
                Stored::Narrow(weight) => match weight.as_they_are() {
                    Some(blocks) => {
                        let compact: Vec<f32> = (0..rows).flat_map(|row| x.row(row)).copied().collect();
                        let product = blocks.product(compact)?;
                        for (out, product) in
                            out.values.chunks_exact_mut(stride).zip(product.chunks_exact(part.outputs))
                        {
                            for (out, product) in out[at..].iter_mut().zip(product) {
                                *out = if onto == Onto::Add { *out + scale * product } else { scale * product };
                            }
                        }
                    }
                    None => self.widened(weight, part.outputs, at, out, onto, lhs, scale)?,
                },
            }
            at += part.outputs;
        }
        Ok(())
    }

    /// A product with a matrix that is widened to f32 a few rows at a time.
    #[allow(clippy::too_many_arguments)]
    fn widened(
        &self,
        weight: &Narrow,
        outputs: usize,
        at: usize,
        out: &mut Rows,
        onto: Onto,
        lhs: View,
        scale: f32,
    ) -> Result<(), DecoderError> {
        let step = Narrow::rows_at_a_time().min(outputs);
        let mut buffer = vec![0.0; step * self.inputs];
        let stride = out.stride;
        for first in (0..outputs).step_by(step) {
            let rows = first..outputs.min(first + step);
            let buffer = &mut buffer[..rows.len() * self.inputs];
            weight.widen(rows.clone(), self.inputs, buffer)?;
            let rhs = View::by_rows(buffer, rows.len(), self.inputs, self.inputs).transposed();
            let out = ViewMut::by_rows(&mut out.values[at + first..], lhs.rows, rows.len(), stride);
            multiply(out, onto, scale, lhs, rhs, Threads::All);
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
                Stored::Rows(weight) => mine.copy_from_slice(weight),
                Stored::Narrow(weight) => weight.widen(0..part.outputs, self.inputs, mine)?,
            }
            rest = others;
        }
        Ok(Dense { values, outputs: self.outputs, inputs: self.inputs })
    }

    /// Rows `outputs` of a head's weight in f32, `(outputs, inputs)`; borrowed where they are kept so.
    pub fn rows(&self, outputs: Range<usize>) -> Result<Cow<'_, [f32]>, DecoderError> {
        match self.parts.first().map(|part| &part.weight) {
            Some(Stored::Rows(weight)) => {
                Ok(Cow::Borrowed(&weight[outputs.start * self.inputs..outputs.end * self.inputs]))
            }
            Some(Stored::Narrow(weight)) => {
                let mut values = vec![0.0; outputs.len() * self.inputs];
                weight.widen(outputs, self.inputs, &mut values)?;
                Ok(Cow::Owned(values))
            }
            Some(Stored::Transposed(_)) | None => {
                unreachable!("a head is made by `Linear::head` or `Linear::tied`, which keep rows")
            }
        }
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
