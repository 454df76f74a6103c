//! Matrix products with the weights of a model.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::{Device, Module, Tensor};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rayon::prelude::*;

use super::math::by_rows;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
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
    /// `(outputs, inputs)`, widened block by block.
    Bf16(Vec<bf16>),
    /// `(outputs, inputs)`, widened block by block.
    F16(Vec<f16>),
    /// `(outputs, inputs)` in GGUF blocks; activations are rounded to 8 bits in the product.
    Blocks(Box<(QMatMul, Arc<QTensor>)>),
}

/// A weight matrix in f32, `(outputs, inputs)`.
pub(crate) struct Dense {
    pub values: Vec<f32>,
    pub outputs: usize,
    pub inputs: usize,
}

/// Rows of a half-precision matrix widened at a time.
const WIDENED: usize = 512;

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
                Weight::Dense { values, outputs } => {
                    let weight = match precision {
                        Precision::F32 | Precision::Quantized => Stored::Transposed(transpose(&values, inputs)),
                        Precision::BF16 => Stored::Bf16(values.iter().map(|&value| bf16::from_f32(value)).collect()),
                        Precision::F16 => Stored::F16(values.iter().map(|&value| f16::from_f32(value)).collect()),
                    };
                    Part { outputs, weight }
                }
                Weight::Blocks(blocks) => {
                    let outputs = blocks.shape().dims()[0];
                    let blocks = Arc::new(blocks);
                    let product = QMatMul::from_arc(blocks.clone())?;
                    Part { outputs, weight: Stored::Blocks(Box::new((product, blocks))) }
                }
            });
        }
        let outputs = parts.iter().map(|part| part.outputs).sum();
        Ok(Linear { parts, inputs, outputs, bias })
    }

    /// Keep a head: as [`Linear::new`], but with the weights of one output side by side.
    pub fn head(weight: Weight, inputs: usize, precision: Precision) -> Result<Linear, DecoderError> {
        match (weight, precision) {
            (Weight::Dense { values, outputs }, Precision::F32 | Precision::Quantized) => {
                let parts = vec![Part { outputs, weight: Stored::Rows(Arc::new(values)) }];
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
        let mut at = 0;
        for part in &self.parts {
            let stride = out.stride;
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
                Stored::Bf16(weight) => {
                    self.widened(weight, |from, to| from.convert_to_f32_slice(to), at, out, onto, lhs, scale);
                }
                Stored::F16(weight) => {
                    self.widened(weight, |from, to| from.convert_to_f32_slice(to), at, out, onto, lhs, scale);
                }
                Stored::Blocks(blocks) => {
                    let compact: Vec<f32> = (0..rows).flat_map(|row| x.row(row)).copied().collect();
                    let x = Tensor::from_vec(compact, (rows, self.inputs), &Device::Cpu)?;
                    let product: Vec<f32> = blocks.0.forward(&x)?.flatten_all()?.to_vec1()?;
                    for (out, product) in out.values.chunks_exact_mut(stride).zip(product.chunks_exact(part.outputs)) {
                        for (out, product) in out[at..].iter_mut().zip(product) {
                            *out = if onto == Onto::Add { *out + scale * product } else { scale * product };
                        }
                    }
                }
            }
            at += part.outputs;
        }
        Ok(())
    }

    /// A product with a matrix that is widened to f32 a few rows at a time.
    #[allow(clippy::too_many_arguments)]
    fn widened<T: Sync>(
        &self,
        weight: &[T],
        widen: impl Fn(&[T], &mut [f32]) + Sync,
        at: usize,
        out: &mut Rows,
        onto: Onto,
        lhs: View,
        scale: f32,
    ) {
        let mut buffer = vec![0.0; WIDENED.min(weight.len() / self.inputs) * self.inputs];
        let stride = out.stride;
        for (number, block) in weight.chunks(WIDENED * self.inputs).enumerate() {
            let outputs = block.len() / self.inputs;
            let buffer = &mut buffer[..block.len()];
            let piece = 32 * self.inputs;
            buffer.par_chunks_mut(piece).zip(block.par_chunks(piece)).for_each(|(to, from)| widen(from, to));
            let rhs = View::by_rows(buffer, outputs, self.inputs, self.inputs).transposed();
            let out = ViewMut::by_rows(&mut out.values[at + number * WIDENED..], lhs.rows, outputs, stride);
            multiply(out, onto, scale, lhs, rhs, Threads::All);
        }
    }

    /// The whole weight in f32, `(outputs, inputs)`.
    pub fn dense(&self) -> Result<Dense, DecoderError> {
        let mut values = Vec::with_capacity(self.outputs * self.inputs);
        for part in &self.parts {
            match &part.weight {
                Stored::Transposed(weight) => values.extend(transpose(weight, part.outputs)),
                Stored::Rows(weight) => values.extend_from_slice(weight),
                Stored::Bf16(weight) => values.extend(weight.iter().map(|value| value.to_f32())),
                Stored::F16(weight) => values.extend(weight.iter().map(|value| value.to_f32())),
                Stored::Blocks(blocks) => {
                    values.extend(blocks.1.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?);
                }
            }
        }
        Ok(Dense { values, outputs: self.outputs, inputs: self.inputs })
    }

    /// Rows `outputs` of the weight in f32, `(outputs, inputs)`; borrowed where they are kept so.
    pub fn rows(&self, outputs: std::ops::Range<usize>) -> Option<Cow<'_, [f32]>> {
        let [part] = &self.parts[..] else { return None };
        let range = outputs.start * self.inputs..outputs.end * self.inputs;
        match &part.weight {
            Stored::Rows(weight) => Some(Cow::Borrowed(&weight[range])),
            Stored::Bf16(weight) => Some(Cow::Owned(weight[range].iter().map(|value| value.to_f32()).collect())),
            Stored::F16(weight) => Some(Cow::Owned(weight[range].iter().map(|value| value.to_f32()).collect())),
            Stored::Transposed(_) | Stored::Blocks(_) => None,
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
