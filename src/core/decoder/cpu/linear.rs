//! Matrix products with the weights of a model.

use half::{bf16, f16};

use super::Rows;
use super::float::{Biased, FloatMatrix};
use super::math::{by_rows, split};
use super::matmul::{Onto, ViewMut};
use super::norm::Norm;
use super::quantized::ReducedMatrix;
use crate::decoder::DecoderError;
use crate::decoder::ops::Weight;
use crate::decoder::precision::Precision;
use crate::decoder::weights::Stack;

/// `x W^T + b`; the outputs may come from several matrices side by side.
#[derive(Debug)]
pub struct Linear {
    parts: Vec<Submatrix>,
    inputs: usize,
    outputs: usize,
    bias: Option<Vec<f32>>,
}

/// One weight matrix.
#[derive(Debug)]
struct Submatrix {
    outputs: usize,
    weight: LinearWeight,
}

#[derive(Debug)]
enum LinearWeight {
    /// In f32.
    Float(FloatMatrix),
    /// `(outputs, inputs)` in fewer bits than f32.
    Reduced(ReducedMatrix),
}

/// A weight matrix in f32, `(outputs, inputs)`.
pub struct Dense {
    pub values: Vec<f32>,
    pub outputs: usize,
    pub inputs: usize,
}

/// A converted weight: expanded to f32, in an order that depends on its use, or kept in fewer bits.
pub(super) enum Converted {
    Float(Stack),
    Reduced(ReducedMatrix),
}

/// The number of outputs of `weight`, and the weight in the given precision.
pub(super) fn convert(weight: Weight, precision: Precision) -> Result<(usize, Converted), DecoderError> {
    match weight {
        Weight::Dense(stack) => {
            let outputs = stack.rows();
            let kept = match precision {
                Precision::F32 | Precision::Quantized | Precision::Q8_0 | Precision::Q4_0 | Precision::Q4K => {
                    Converted::Float(stack)
                }
                Precision::BF16 => Converted::Reduced(ReducedMatrix::Bf16(stack.by_rows_as(bf16::from_f32)?)),
                Precision::F16 => Converted::Reduced(ReducedMatrix::F16(stack.by_rows_as(f16::from_f32)?)),
            };
            Ok((outputs, kept))
        }
        Weight::Blocks(tensor) => {
            let (outputs, _) = tensor.shape().dims2()?;
            Ok((outputs, Converted::Reduced(ReducedMatrix::of_blocks(tensor)?)))
        }
    }
}

impl Linear {
    /// Converts `weights` to the given precision.
    pub fn new(
        weights: Vec<Weight>,
        inputs: usize,
        bias: Option<Vec<f32>>,
        precision: Precision,
    ) -> Result<Linear, DecoderError> {
        let mut parts = Vec::with_capacity(weights.len());
        for weight in weights {
            let (outputs, kept) = convert(weight, precision)?;
            let weight = match kept {
                Converted::Float(stack) => LinearWeight::Float(FloatMatrix::new(&stack)?),
                Converted::Reduced(reduced) => LinearWeight::Reduced(reduced),
            };
            parts.push(Submatrix { outputs, weight });
        }
        let outputs = parts.iter().map(|part| part.outputs).sum();
        Ok(Linear { parts, inputs, outputs, bias })
    }

    /// Outputs and inputs.
    pub fn sizes(&self) -> (usize, usize) {
        (self.outputs, self.inputs)
    }

    /// Bytes of the weights in memory.
    pub fn bytes(&self) -> usize {
        let of_part = |part: &Submatrix| match &part.weight {
            LinearWeight::Float(_) => part.outputs * self.inputs * size_of::<f32>(),
            LinearWeight::Reduced(weight) => weight.bytes(),
        };
        self.parts.iter().map(of_part).sum()
    }

    /// `x W^T + b`, of the rows after the norm if one is given.
    pub fn product(&self, x: &Rows, norm: Option<&Norm>) -> Result<Rows, DecoderError> {
        let mut out = x.beside(x.len(), self.outputs);
        match (self.panels(), norm) {
            (Some(Biased { weight, bias: None }), Some(_)) => {
                let to = ViewMut::by_rows(&mut out.values, x.len(), self.outputs, self.outputs);
                weight.multiply(to, Onto::Replace, 1.0, x, norm);
            }
            (_, None) => self.onto(&mut out, Onto::Replace, x, 1.0)?,
            (_, Some(norm)) => self.onto(&mut out, Onto::Replace, &norm.rows(x), 1.0)?,
        }
        Ok(out)
    }

    /// The weight and the bias, if the weight is one matrix in panels.
    pub fn panels(&self) -> Option<Biased<'_>> {
        match &self.parts[..] {
            [Submatrix { weight: LinearWeight::Float(FloatMatrix::Panels(weight)), .. }] => {
                Some(Biased { weight, bias: self.bias.as_deref() })
            }
            _ => None,
        }
    }

    /// Whether a row of a product is bit-identical whatever the other rows.
    pub fn rows_are_independent(&self) -> bool {
        self.parts.iter().all(|part| match &part.weight {
            LinearWeight::Float(weight) => matches!(weight, FloatMatrix::Panels(_)),
            LinearWeight::Reduced(weight) => weight.rows_are_independent(),
        })
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
        let stride = out.stride;
        let mut at = 0;
        for part in &self.parts {
            let out = ViewMut::by_rows(&mut out.values[at..], x.len(), part.outputs, stride);
            match &part.weight {
                LinearWeight::Float(weight) => weight.multiply(out, onto, scale, x),
                LinearWeight::Reduced(weight) => weight.multiply(out, onto, scale, x)?,
            }
            at += part.outputs;
        }
        Ok(())
    }

    /// The whole weight in f32, `(outputs, inputs)`.
    pub fn dense(&self) -> Result<Dense, DecoderError> {
        let mut values = vec![0.0; self.outputs * self.inputs];
        let sizes = self.parts.iter().map(|part| part.outputs * self.inputs);
        for (part, values) in self.parts.iter().zip(split(&mut values, sizes)) {
            match &part.weight {
                LinearWeight::Float(weight) => weight.by_rows(part.outputs, values),
                LinearWeight::Reduced(weight) => weight.dequantize(0..part.outputs, self.inputs, values)?,
            }
        }
        Ok(Dense { values, outputs: self.outputs, inputs: self.inputs })
    }
}
