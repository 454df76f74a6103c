//! Weight matrices kept in fewer bits than they are multiplied in.
//!
//! They are widened to f32 a few rows at a time, right before the product with those rows: for hundreds of tokens that is a
//! small part of the product, and the scores are those of the same weights in f32.

use std::borrow::Cow;
use std::ops::Range;

use candle_core::CpuStorage;
use candle_core::quantized::{GgmlDType, QTensor, QuantizedType};
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

/// A matrix in GGUF blocks, cut into pieces of [`PIECE`] rows.
pub(super) struct Blocks {
    pieces: Vec<Box<dyn QuantizedType>>,
    dtype: GgmlDType,
    outputs: usize,
}

/// Rows widened by one thread at a time.
const PIECE: usize = 128;

/// Most rows of activations that are rounded to 8 bits and multiplied with the blocks as they are. More rows share the cost
/// of widening, and gain by exact activations.
const FEW: usize = 8;

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
            Narrow::Blocks(blocks) => blocks.widen(outputs, inputs, to)?,
        }
        Ok(())
    }

    /// Rows widened together so that every thread has some.
    pub fn rows_at_a_time() -> usize {
        PIECE * rayon::current_num_threads().max(4)
    }

    /// The blocks, where multiplying `rows` rows with them as they are is faster than widening them.
    pub fn as_they_are(&self, rows: usize) -> Option<&Blocks> {
        match self {
            Narrow::Blocks(blocks) if rows <= FEW && has_fast_dot_products(blocks.dtype) => Some(blocks),
            _ => None,
        }
    }
}

/// Block formats with vector instructions in candle; in the others one dot product takes longer than widening.
fn has_fast_dot_products(dtype: GgmlDType) -> bool {
    use GgmlDType::{Q2K, Q3K, Q4_0, Q4K, Q5K, Q6K, Q8_0};
    matches!(dtype, Q4_0 | Q8_0 | Q2K | Q3K | Q4K | Q5K | Q6K)
}

impl Blocks {
    pub fn new(tensor: &QTensor) -> Result<Blocks, DecoderError> {
        let (outputs, dtype) = (tensor.shape().dims2()?.0, tensor.dtype());
        let bytes = tensor.data()?;
        let piece = bytes.len() / outputs * PIECE;
        let pieces = bytes.chunks(piece).map(|bytes| dtype.from_data(Cow::Borrowed(bytes))).collect();
        Ok(Blocks { pieces, dtype, outputs })
    }

    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Rows of one piece.
    fn piece_rows(&self, piece: usize) -> Range<usize> {
        piece * PIECE..self.outputs.min((piece + 1) * PIECE)
    }

    fn widen(&self, outputs: Range<usize>, inputs: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        let mut tasks = Vec::new();
        let (mut rest, mut at) = (to, outputs.start);
        while at < outputs.end {
            let rows = self.piece_rows(at / PIECE);
            let end = rows.end.min(outputs.end);
            let (mine, others) = rest.split_at_mut((end - at) * inputs);
            tasks.push((at / PIECE, at - rows.start, mine));
            (rest, at) = (others, end);
        }
        tasks.into_par_iter().try_for_each(|(piece, skipped, to)| {
            let storage = self.pieces[piece].dequantize(self.piece_rows(piece).len() * inputs)?;
            let CpuStorage::F32(values) = storage else {
                return Err(candle_core::Error::Msg(format!("{:?} blocks do not widen to f32", self.dtype)).into());
            };
            let skipped = skipped * inputs;
            to.copy_from_slice(&values[skipped..skipped + to.len()]);
            Ok(())
        })
    }

    /// `x W^T` of `rows` compact rows, handed over piece by piece: the first output, and `(rows, outputs of the piece)`.
    pub fn product(
        &self,
        x: &[f32],
        rows: usize,
        inputs: usize,
        mut take: impl FnMut(usize, &[f32]),
    ) -> Result<(), DecoderError> {
        let mut out = vec![0.0; rows * PIECE];
        for (number, piece) in self.pieces.iter().enumerate() {
            let outputs = self.piece_rows(number);
            let out = &mut out[..rows * outputs.len()];
            piece.matmul_t((rows, inputs, outputs.len()), x, out)?;
            take(outputs.start, out);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Narrow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Narrow::Bf16(values) => write!(f, "Bf16({})", values.len()),
            Narrow::F16(values) => write!(f, "F16({})", values.len()),
            Narrow::Blocks(blocks) => write!(f, "{:?}({} rows)", blocks.dtype, blocks.outputs),
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::*;

    const INPUTS: usize = 256;

    fn matrix(rows: usize) -> Vec<f32> {
        (0..rows * INPUTS).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect()
    }

    #[test]
    fn any_range_of_rows_widens_to_what_the_whole_matrix_does() {
        let rows = 2 * PIECE + 44;
        let dense = Tensor::from_vec(matrix(rows), (rows, INPUTS), &Device::Cpu).unwrap();
        for dtype in [GgmlDType::Q4_0, GgmlDType::Q4_1, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K] {
            let tensor = QTensor::quantize(&dense, dtype).unwrap();
            let whole: Vec<f32> = tensor.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1().unwrap();
            let narrow = Narrow::Blocks(Blocks::new(&tensor).unwrap());
            for range in [0..rows, 0..1, PIECE - 3..PIECE + 3, 2 * PIECE..rows, 5..2 * PIECE + 1, 7..7] {
                let mut widened = vec![f32::NAN; range.len() * INPUTS];
                narrow.widen(range.clone(), INPUTS, &mut widened).unwrap();
                assert_eq!(widened, whole[range.start * INPUTS..range.end * INPUTS], "{dtype:?} {range:?}");
            }
        }
    }

    #[test]
    fn few_rows_are_multiplied_with_the_blocks_within_their_rounding() {
        let (rows, tokens) = (PIECE + 10, 3);
        let dense = Tensor::from_vec(matrix(rows), (rows, INPUTS), &Device::Cpu).unwrap();
        let narrow = Narrow::Blocks(Blocks::new(&QTensor::quantize(&dense, GgmlDType::Q8_0).unwrap()).unwrap());
        assert!(narrow.as_they_are(FEW + 1).is_none());
        let x: Vec<f32> = (0..tokens * INPUTS).map(|at| (at as f32 * 0.37).sin()).collect();
        let mut widened = vec![0.0; rows * INPUTS];
        narrow.widen(0..rows, INPUTS, &mut widened).unwrap();
        let mut covered = 0;
        let check = |first: usize, out: &[f32]| {
            let outputs = out.len() / tokens;
            for (token, out) in out.chunks_exact(outputs).enumerate() {
                for (output, value) in out.iter().enumerate() {
                    let weights = &widened[(first + output) * INPUTS..][..INPUTS];
                    let exact: f32 = weights.iter().zip(&x[token * INPUTS..]).map(|(weight, x)| weight * x).sum();
                    assert!((exact - value).abs() < 0.02, "{token} {output}: {exact} {value}");
                }
            }
            covered += outputs;
        };
        narrow.as_they_are(tokens).unwrap().product(&x, tokens, INPUTS, check).unwrap();
        assert_eq!(covered, rows);
    }
}
