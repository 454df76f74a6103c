//! Weight matrices kept in fewer bits than f32.
//!
//! Where candle multiplies the blocks of a GGUF format faster than f32, they are multiplied as they are, and activations are
//! rounded to 8 bits for it. All other matrices are widened to f32 a few rows at a time, right before the product with those
//! rows: for hundreds of tokens that is a small part of the product, and the scores are those of the same weights in f32.

use std::borrow::Cow;
use std::ops::Range;

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rayon::prelude::*;

use crate::decoder::DecoderError;

/// A matrix `(outputs, inputs)`.
pub(super) enum Narrow {
    Bf16(Vec<bf16>),
    F16(Vec<f16>),
    Blocks(Blocks),
}

/// A matrix in GGUF blocks.
pub(super) struct Blocks {
    /// `(outputs, inputs)`. candle arranges the blocks a second time for its products, when the first one is asked for.
    tensor: QTensor,
    outputs: usize,
    inputs: usize,
}

/// Rows widened by one thread at a time.
const PIECE: usize = 32;

/// Rows that candle's products need to be multiples of to be fast.
const FAST_INPUTS: usize = 256;

impl Narrow {
    /// Rows `outputs` in f32, written to `to`.
    pub fn widen(&self, outputs: Range<usize>, inputs: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        let values = outputs.start * inputs..outputs.end * inputs;
        let piece = PIECE * inputs;
        match self {
            Narrow::Bf16(from) => {
                let pieces = to.par_chunks_mut(piece).zip(from[values].par_chunks(piece));
                pieces.for_each(|(to, from)| from.convert_to_f32_slice(to));
            }
            Narrow::F16(from) => {
                let pieces = to.par_chunks_mut(piece).zip(from[values].par_chunks(piece));
                pieces.for_each(|(to, from)| from.convert_to_f32_slice(to));
            }
            Narrow::Blocks(blocks) => {
                let pieces = to.par_chunks_mut(piece).enumerate();
                pieces.try_for_each(|(piece, to)| blocks.widen(outputs.start + piece * PIECE, to))?;
            }
        }
        Ok(())
    }

    /// Rows widened together: enough for every thread.
    pub fn rows_at_a_time() -> usize {
        PIECE * rayon::current_num_threads().max(16)
    }

    /// The blocks, where multiplying them as they are is faster than widening them.
    pub fn as_they_are(&self) -> Option<&Blocks> {
        match self {
            Narrow::Blocks(blocks) if has_fast_products(blocks.tensor.dtype(), blocks.inputs) => Some(blocks),
            _ => None,
        }
    }
}

/// Formats whose products are faster in candle 0.11 than widened ones. Measured with 512 tokens on four layers of 2048 and
/// 8192 (x86-64, AVX-512, two threads), tokens/s as they are against widened: Q8_0 509 to 221, Q4_K 638 to 234, Q6_K 370 to
/// 212; but Q5_K 134 to 223, Q3_K 144 to 220, Q4_0 60 to 226.
fn has_fast_products(dtype: GgmlDType, inputs: usize) -> bool {
    matches!(dtype, GgmlDType::Q8_0 | GgmlDType::Q4K | GgmlDType::Q6K) && inputs.is_multiple_of(FAST_INPUTS)
}

/// The format in which blocks of `dtype` are kept.
fn kept_as(dtype: GgmlDType) -> GgmlDType {
    match dtype {
        GgmlDType::Q4_0 | GgmlDType::Q5_0 => GgmlDType::Q8_0,
        other => other,
    }
}

/// Bytes that a matrix of `elements` with rows of `inputs` takes: twice its blocks where they are multiplied as they are,
/// since candle arranges them a second time for that.
pub(crate) fn block_bytes(dtype: GgmlDType, elements: usize, inputs: usize) -> usize {
    let dtype = kept_as(dtype);
    let bytes = elements / dtype.block_size() * dtype.type_size();
    if has_fast_products(dtype, inputs) { 2 * bytes } else { bytes }
}

impl Blocks {
    /// Keep a matrix: Q4_0 and Q5_0 as the same values in blocks of Q8_0, whose products are faster by far.
    pub fn new(tensor: QTensor) -> Result<Blocks, DecoderError> {
        let (outputs, inputs) = tensor.shape().dims2()?;
        let as_eight_bits = match tensor.dtype() {
            GgmlDType::Q4_0 => Some(tensor.data()?.chunks_exact(18).flat_map(eight_from_four).collect::<Vec<u8>>()),
            GgmlDType::Q5_0 => Some(tensor.data()?.chunks_exact(22).flat_map(eight_from_five).collect()),
            _ => None,
        };
        let tensor = match as_eight_bits {
            Some(bytes) => {
                let storage = QStorage::from_data(Cow::Owned(bytes), &Device::Cpu, kept_as(tensor.dtype()))?;
                QTensor::new(storage, (outputs, inputs))?
            }
            None => tensor,
        };
        Ok(Blocks { tensor, outputs, inputs })
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The rows from `first` on, as many as `to` holds.
    fn widen(&self, first: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        let rows: Vec<u32> = (first..first + to.len() / self.inputs).map(|row| row as u32).collect();
        let count = rows.len();
        let values = self.tensor.embedding(&Tensor::from_vec(rows, count, &Device::Cpu)?)?;
        to.copy_from_slice(&values.flatten_all()?.to_vec1::<f32>()?);
        Ok(())
    }

    /// `x W^T` of compact rows: `(rows, outputs)`.
    pub fn product(&self, x: Vec<f32>) -> Result<Vec<f32>, DecoderError> {
        let rows = x.len() / self.inputs;
        let x = Tensor::from_vec(x, (rows, self.inputs), &Device::Cpu)?;
        Ok(x.apply_op1_no_bwd(&self.tensor)?.flatten_all()?.to_vec1()?)
    }
}

/// A block of Q8_0 (scale in f16, 32 signed bytes) with the values of a block of Q4_0 (the same scale, 32 numbers of 4 bits
/// less 8: those of the lower halves of 16 bytes, then those of the upper).
fn eight_from_four(block: &[u8]) -> [u8; 34] {
    let (scale, halves) = block.split_at(2);
    std::array::from_fn(|at| match at {
        0 | 1 => scale[at],
        2..18 => (halves[at - 2] & 15).wrapping_sub(8),
        _ => (halves[at - 18] >> 4).wrapping_sub(8),
    })
}

/// The same of Q5_0, whose numbers have a fifth bit in 4 bytes behind the scale, and are less 16.
fn eight_from_five(block: &[u8]) -> [u8; 34] {
    let (scale, rest) = block.split_at(2);
    let (fifth, halves) = rest.split_at(4);
    let bit = |number: usize| (fifth[number / 8] >> (number % 8) & 1) << 4;
    std::array::from_fn(|at| match at {
        0 | 1 => scale[at],
        2..18 => (halves[at - 2] & 15 | bit(at - 2)).wrapping_sub(16),
        _ => (halves[at - 18] >> 4 | bit(at - 2)).wrapping_sub(16),
    })
}

impl std::fmt::Debug for Narrow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Narrow::Bf16(values) => write!(f, "Bf16({})", values.len()),
            Narrow::F16(values) => write!(f, "F16({})", values.len()),
            Narrow::Blocks(blocks) => write!(f, "{:?}({} rows)", blocks.tensor.dtype(), blocks.outputs),
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::*;

    const INPUTS: usize = 256;

    fn matrix(rows: usize) -> Tensor {
        let values = (0..rows * INPUTS).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        Tensor::from_vec::<_, f32>(values, (rows, INPUTS), &Device::Cpu).unwrap()
    }

    #[test]
    fn any_range_of_rows_widens_to_exactly_its_values() {
        use GgmlDType::{Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q6K, Q8_0};
        let rows = 2 * PIECE + 11;
        for dtype in [Q4_0, Q5_0, Q4_1, Q5_1, Q8_0, Q4K, Q6K] {
            let tensor = QTensor::quantize(&matrix(rows), dtype).unwrap();
            let whole: Vec<f32> = tensor.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1().unwrap();
            let narrow = Narrow::Blocks(Blocks::new(tensor).unwrap());
            for range in [0..rows, 0..1, PIECE - 3..PIECE + 3, 2 * PIECE..rows, 5..2 * PIECE + 1, 7..7] {
                let mut widened = vec![f32::NAN; range.len() * INPUTS];
                narrow.widen(range.clone(), INPUTS, &mut widened).unwrap();
                assert_eq!(widened, whole[range.start * INPUTS..range.end * INPUTS], "{dtype:?} {range:?}");
            }
        }
    }

    #[test]
    fn blocks_are_multiplied_within_the_rounding_of_activations() {
        let (rows, tokens) = (PIECE + 10, 3);
        let x: Vec<f32> = (0..tokens * INPUTS).map(|at| (at as f32 * 0.37).sin()).collect();
        for dtype in [GgmlDType::Q4_0, GgmlDType::Q5_0, GgmlDType::Q8_0, GgmlDType::Q6K] {
            let narrow = Narrow::Blocks(Blocks::new(QTensor::quantize(&matrix(rows), dtype).unwrap()).unwrap());
            let mut widened = vec![0.0; rows * INPUTS];
            narrow.widen(0..rows, INPUTS, &mut widened).unwrap();
            let product = narrow.as_they_are().unwrap().product(x.clone()).unwrap();
            for (token, out) in product.chunks_exact(rows).enumerate() {
                for (weights, value) in widened.chunks_exact(INPUTS).zip(out) {
                    let exact: f32 = weights.iter().zip(&x[token * INPUTS..]).map(|(weight, x)| weight * x).sum();
                    assert!((exact - value).abs() < 0.02, "{dtype:?} {token}: {exact} {value}");
                }
            }
        }
    }

    #[test]
    fn narrow_rows_and_formats_without_fast_products_are_widened() {
        let blocks = |inputs: usize, dtype| {
            let dense = matrix(8).reshape((8 * INPUTS / inputs, inputs)).unwrap();
            Narrow::Blocks(Blocks::new(QTensor::quantize(&dense, dtype).unwrap()).unwrap())
        };
        assert!(blocks(256, GgmlDType::Q8_0).as_they_are().is_some());
        assert!(blocks(64, GgmlDType::Q8_0).as_they_are().is_none());
        assert!(blocks(256, GgmlDType::Q4_1).as_they_are().is_none());
        assert!(Narrow::F16(Vec::new()).as_they_are().is_none());
    }
}
