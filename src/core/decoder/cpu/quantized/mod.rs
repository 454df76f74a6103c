//! Weight matrices stored in fewer bits than f32.
//!
//! Where integers multiply faster than f32, matrices in GGUF blocks are multiplied as integers, with activations
//! rounded to 8 bits: by [`QuantizedPanels`] on processors with suitable instructions, else by candle in the formats
//! for which it is fast. All other matrices are dequantized to f32 a few rows at a time, right before the product with
//! those rows: with hundreds of tokens that takes a small part of the product's time, and the scores are those of the
//! same weights in f32.

use std::borrow::Cow;
use std::ops::Range;

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rayon::prelude::*;

use super::Rows;
use super::math::by_rows;
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::DecoderError;

#[cfg(target_arch = "x86_64")]
mod avx2;
mod integers;
mod numbers;
mod panel;
mod panels;
mod rounded;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vnni;

use integers::Integers;
use numbers::{Format, Numbers, Zero};
use panels::QuantizedPanels;

/// A matrix `(outputs, inputs)`.
pub(super) enum ReducedMatrix {
    Bf16(Vec<bf16>),
    F16(Vec<f16>),
    Panels(QuantizedPanels),
    Blocks(GgufBlocks),
}

/// A matrix in GGUF blocks.
pub(super) struct GgufBlocks {
    /// `(outputs, inputs)`. At the first product, candle makes a second, packed copy of the blocks.
    tensor: QTensor,
    outputs: usize,
    inputs: usize,
}

/// Rows dequantized by one thread at a time.
const PIECE: usize = 32;

/// Candle's products are fast if the number of inputs is a multiple of this.
const FAST_INPUTS: usize = 256;

impl ReducedMatrix {
    /// Stores a matrix in GGUF blocks, packed for integer products where possible.
    pub fn of_blocks(tensor: QTensor) -> Result<ReducedMatrix, DecoderError> {
        Ok(match QuantizedPanels::new(&tensor)? {
            Some(panels) => ReducedMatrix::Panels(panels),
            None => ReducedMatrix::Blocks(GgufBlocks::new(tensor)?),
        })
    }

    /// Writes rows `outputs` in f32 to `to`.
    pub fn dequantize(&self, outputs: Range<usize>, inputs: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        let pieces = to.par_chunks_mut(PIECE * inputs).enumerate();
        let pieces = pieces.map(|(piece, to)| (outputs.start + piece * PIECE, to));
        match self {
            ReducedMatrix::Bf16(from) => {
                pieces.for_each(|(first, to)| from[first * inputs..][..to.len()].convert_to_f32_slice(to));
            }
            ReducedMatrix::F16(from) => {
                pieces.for_each(|(first, to)| from[first * inputs..][..to.len()].convert_to_f32_slice(to));
            }
            ReducedMatrix::Panels(panels) => pieces.for_each(|(first, to)| panels.dequantize(first, to)),
            ReducedMatrix::Blocks(blocks) => pieces.try_for_each(|(first, to)| blocks.dequantize(first, to))?,
        }
        Ok(())
    }

    /// Bytes that a product reads.
    pub fn bytes(&self) -> usize {
        match self {
            ReducedMatrix::Bf16(values) => size_of_val(&values[..]),
            ReducedMatrix::F16(values) => size_of_val(&values[..]),
            ReducedMatrix::Panels(panels) => panels.kept_bytes(),
            ReducedMatrix::Blocks(blocks) => blocks.tensor.storage_size_in_bytes(),
        }
    }

    /// Whether a row of a product is bit-identical whatever the other rows.
    pub fn rows_are_independent(&self) -> bool {
        matches!(self, ReducedMatrix::Panels(_))
    }

    /// `out = factor * x W^T`, or adds this to `out`.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) -> Result<(), DecoderError> {
        match self {
            ReducedMatrix::Panels(panels) => panels.multiply(out, onto, factor, x),
            ReducedMatrix::Blocks(blocks) if has_fast_products(blocks.tensor.dtype(), blocks.inputs) => {
                blocks.multiply(out, onto, factor, x)?;
            }
            _ => self.multiply_dequantized(out, onto, factor, x)?,
        }
        Ok(())
    }

    fn multiply_dequantized(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) -> Result<(), DecoderError> {
        // Enough rows for every thread.
        let step = (PIECE * rayon::current_num_threads().max(16)).min(out.columns);
        let mut buffer = vec![0.0; step * x.width];
        let lhs = View::by_rows(&x.values, x.len(), x.width, x.stride);
        for first in (0..out.columns).step_by(step) {
            let columns = first..out.columns.min(first + step);
            let buffer = &mut buffer[..columns.len() * x.width];
            self.dequantize(columns.clone(), x.width, buffer)?;
            let rhs = View::by_rows(buffer, columns.len(), x.width, x.width).transposed();
            let out = ViewMut::by_rows(&mut out.values[first..], lhs.rows, columns.len(), out.row);
            multiply(out, onto, factor, lhs, rhs, Threads::All);
        }
        Ok(())
    }
}

/// Whether candle 0.11 multiplies a format faster than dequantizing it and multiplying in f32. Measured with 512 tokens
/// on four layers of 2048 and 8192 (x86-64, AVX-512, two threads), tokens/s in candle vs. dequantized: Q8_0 509 vs.
/// 221, Q4_K 638 vs. 234, Q6_K 370 vs. 212; but Q5_K 134 vs. 223, Q3_K 144 vs. 220, Q4_0 60 vs. 226.
fn has_fast_products(dtype: GgmlDType, inputs: usize) -> bool {
    matches!(dtype, GgmlDType::Q8_0 | GgmlDType::Q4K | GgmlDType::Q6K) && inputs.is_multiple_of(FAST_INPUTS)
}

/// The format and its offset, if candle's blocks are stored as Q8_0 with the same values, whose products are much
/// faster.
fn kept_in_eight_bits(dtype: GgmlDType) -> Option<(Format, u8)> {
    match (dtype, Format::from_dtype(dtype)?) {
        (GgmlDType::Q4_0 | GgmlDType::Q5_0, format @ Format { zero: Zero::Offset(offset), .. }) => {
            Some((format, offset))
        }
        _ => None,
    }
}

/// Bytes of a matrix in GGUF blocks in memory. For candle's own products that is twice its blocks, since candle keeps a
/// packed copy.
pub fn block_bytes(dtype: GgmlDType, outputs: usize, inputs: usize) -> usize {
    QuantizedPanels::bytes(dtype, outputs, inputs).unwrap_or_else(|| {
        let dtype = kept_in_eight_bits(dtype).map_or(dtype, |_| GgmlDType::Q8_0);
        let bytes = outputs * inputs / dtype.block_size() * dtype.type_size();
        if has_fast_products(dtype, inputs) { 2 * bytes } else { bytes }
    })
}

/// How this processor multiplies matrices of a block format: as integers by its own instructions (`vnni`, with the same bits
/// whichever these are) or by candle, or in f32 after dequantizing. Matrices too narrow for candle's products are dequantized wherever candle's are used.
pub fn product_path(dtype: GgmlDType) -> &'static str {
    let kept = kept_in_eight_bits(dtype).map_or(dtype, |_| GgmlDType::Q8_0);
    match (QuantizedPanels::bytes(dtype, 1, FAST_INPUTS), has_fast_products(kept, FAST_INPUTS)) {
        (Some(_), _) => "vnni",
        (None, true) => "candle",
        (None, false) => "dequantised",
    }
}

/// The instructions for products in integers, as makers of processors name them; `None` if there are none.
pub fn integer_instructions() -> Option<&'static str> {
    Integers::detect().map(Integers::name)
}

impl GgufBlocks {
    /// Stores a matrix.
    fn new(tensor: QTensor) -> Result<GgufBlocks, DecoderError> {
        let (outputs, inputs) = tensor.shape().dims2()?;
        let tensor = match kept_in_eight_bits(tensor.dtype()) {
            Some((format, offset)) => {
                let bytes = in_eight_bits(format, offset, &tensor.data()?);
                let storage = QStorage::from_data(Cow::Owned(bytes), &Device::Cpu, GgmlDType::Q8_0)?;
                QTensor::new(storage, (outputs, inputs))?
            }
            None => tensor,
        };
        Ok(GgufBlocks { tensor, outputs, inputs })
    }

    /// Writes the rows from `first` on, as many as `to` holds.
    fn dequantize(&self, first: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        let rows: Vec<u32> = (first..first + to.len() / self.inputs).map(|row| row as u32).collect();
        let count = rows.len();
        let values = self.tensor.embedding(&Tensor::from_vec(rows, count, &Device::Cpu)?)?;
        to.copy_from_slice(&values.flatten_all()?.to_vec1::<f32>()?);
        Ok(())
    }

    /// `out = factor * x W^T`, or adds this to `out`, by candle's product.
    fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) -> Result<(), DecoderError> {
        let compact: Vec<f32> = (0..out.rows).flat_map(|row| x.row(row)).copied().collect();
        let x = Tensor::from_vec(compact, (out.rows, self.inputs), &Device::Cpu)?;
        let product: Vec<f32> = x.apply_op1_no_bwd(&self.tensor)?.flatten_all()?.to_vec1()?;
        by_rows(out.values, out.row, |first, values| {
            for (values, product) in
                values.chunks_mut(out.row).zip(product[first * self.outputs..].chunks(self.outputs))
            {
                for (value, product) in values.iter_mut().zip(product) {
                    onto.put(factor * product, value);
                }
            }
        });
        Ok(())
    }
}

/// Converts blocks that begin with an f16 scale to Q8_0 blocks (f16 scale, 32 signed bytes) with the same values.
fn in_eight_bits(format: Format, offset: u8, blocks: &[u8]) -> Vec<u8> {
    let mut read = Numbers::EMPTY;
    let mut bytes = Vec::with_capacity(blocks.len() / format.bytes * GgmlDType::Q8_0.type_size());
    for block in blocks.chunks_exact(format.bytes) {
        (format.read)(block, &mut read);
        bytes.extend(&block[..2]);
        bytes.extend(read.numbers[..format.values].iter().map(|number| number.wrapping_sub(offset)));
    }
    bytes
}

impl std::fmt::Debug for ReducedMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReducedMatrix::Bf16(values) => write!(f, "Bf16({})", values.len()),
            ReducedMatrix::F16(values) => write!(f, "F16({})", values.len()),
            ReducedMatrix::Panels(panels) => write!(f, "Panels({} rows)", panels.outputs()),
            ReducedMatrix::Blocks(blocks) => write!(f, "{:?}({} rows)", blocks.tensor.dtype(), blocks.outputs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::activations::tests::activations;
    use super::numbers::tests::{ALL, blocks, drawn};
    use super::*;

    /// A matrix in blocks, stored in both ways; only one on processors without the instructions for panels.
    fn kept(dtype: GgmlDType, rows: usize, inputs: usize) -> Vec<ReducedMatrix> {
        let blocks = ReducedMatrix::Blocks(GgufBlocks::new(drawn(dtype, rows, inputs)).unwrap());
        match QuantizedPanels::new(&drawn(dtype, rows, inputs)).unwrap() {
            Some(panels) => vec![blocks, ReducedMatrix::Panels(panels)],
            None => {
                println!("skipped: no AVX2 here, so panels of {dtype:?} are not tested");
                vec![blocks]
            }
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        const ROWS: usize = 40;
        for dtype in ALL {
            // The largest sums in 16 bits: numbers of 4 to 6 bits all ones, those of 8 the least.
            for weights in [drawn(dtype, ROWS, 512), blocks(dtype, ROWS, 512, || 255), blocks(dtype, ROWS, 512, || 128)]
            {
                for tokens in [1, 2, 11] {
                    let mut x = activations(tokens, 512);
                    x.values[..256].fill(1.0);
                    let product = |integers| {
                        let panels = QuantizedPanels::with(integers, &weights).unwrap().unwrap();
                        let mut out = vec![0.0; tokens * ROWS];
                        panels.multiply(ViewMut::by_rows(&mut out, tokens, ROWS, ROWS), Onto::Replace, 1.0, &x);
                        out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
                    };
                    let mut all = Integers::all().map(|integers| (integers.name(), product(integers)));
                    let Some((_, first)) = all.next() else { return println!("skipped: no AVX2 here") };
                    for (name, bits) in all {
                        assert_eq!(bits, first, "{dtype:?} {name}");
                    }
                }
            }
        }
    }

    /// The product in f64 of dequantized weights, with the maximum error from rounding the activations to 8 bits.
    fn exact(matrix: &ReducedMatrix, rows: usize, x: &Rows) -> Vec<(f64, f64)> {
        let mut dequantized = vec![0.0; rows * x.width];
        matrix.dequantize(0..rows, x.width, &mut dequantized).unwrap();
        let dot = |weights: &[f32], x: &[f32]| {
            let pairs = weights.iter().zip(x).map(|(&weight, &x)| (f64::from(weight), f64::from(x)));
            (pairs.clone().map(|(weight, x)| weight * x).sum(), pairs.map(|(weight, _)| weight.abs() / 254.0).sum())
        };
        (0..x.len())
            .flat_map(|token| dequantized.chunks(x.width).map(move |weights| dot(weights, x.row(token))))
            .collect()
    }

    #[test]
    fn any_range_of_rows_dequantizes_to_exactly_its_values() {
        let (rows, inputs) = (2 * PIECE + 11, 512);
        for dtype in ALL {
            let tensor = drawn(dtype, rows, inputs).dequantize(&Device::Cpu).unwrap();
            let whole: Vec<f32> = tensor.flatten_all().unwrap().to_vec1().unwrap();
            for matrix in kept(dtype, rows, inputs) {
                for range in [0..rows, 0..1, PIECE - 3..PIECE + 3, 2 * PIECE..rows, 5..2 * PIECE + 1, 7..7] {
                    let mut dequantized = vec![f32::NAN; range.len() * inputs];
                    matrix.dequantize(range.clone(), inputs, &mut dequantized).unwrap();
                    assert_eq!(
                        dequantized,
                        whole[range.start * inputs..range.end * inputs],
                        "{matrix:?} {dtype:?} {range:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn products_lie_within_the_rounding_of_activations() {
        let (rows, inputs) = (PIECE + 10, 512);
        for dtype in ALL {
            for matrix in kept(dtype, rows, inputs) {
                // One row, every tile remainder, and more rows than are multiplied together.
                for tokens in [1, 2, 3, 7, 8, 15, 130] {
                    let x = activations(tokens, inputs);
                    let exact = exact(&matrix, rows, &x);
                    let stride = rows + 3;
                    let mut out = vec![1.0; tokens * stride];
                    let view = ViewMut::by_rows(&mut out[2..], tokens, rows, stride);
                    matrix.multiply(view, Onto::Add, 0.5, &x).unwrap();
                    for (at, (exact, bound)) in exact.iter().enumerate() {
                        let value = f64::from(out[2 + at / rows * stride + at % rows]);
                        let off = (1.0 + 0.5 * exact - value).abs();
                        assert!(
                            off <= 0.5 * bound + 1e-4,
                            "{matrix:?} {dtype:?} {tokens}, {at}: off by {off}, {bound}"
                        );
                    }
                    assert!((0..tokens).all(|row| out[row * stride..][..2] == [1.0; 2]), "nothing beside is written");
                }
            }
        }
    }

    #[test]
    fn products_of_quantised_weights_are_close_to_those_in_f32() {
        let (rows, inputs, tokens) = (PIECE + 10, 256, 3);
        let values = (0..rows * inputs).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        let dense = Tensor::from_vec::<_, f32>(values, (rows, inputs), &Device::Cpu).unwrap();
        let values = (0..tokens * inputs).map(|at| (at as f32 * 0.37).sin()).collect();
        let x = Rows::new(values, inputs);
        for dtype in ALL {
            let blocks = || QTensor::quantize(&dense, dtype).unwrap();
            let panels = QuantizedPanels::new(&blocks()).unwrap().map(ReducedMatrix::Panels);
            for matrix in [ReducedMatrix::Blocks(GgufBlocks::new(blocks()).unwrap())].into_iter().chain(panels) {
                let mut out = vec![f32::NAN; tokens * rows];
                let view = ViewMut::by_rows(&mut out, tokens, rows, rows);
                matrix.multiply(view, Onto::Replace, 1.0, &x).unwrap();
                for ((exact, _), value) in exact(&matrix, rows, &x).into_iter().zip(out) {
                    assert!((exact - f64::from(value)).abs() < 0.02, "{matrix:?} {dtype:?}: {exact} {value}");
                }
            }
        }
    }

    #[test]
    fn candle_multiplies_wide_blocks_of_the_formats_it_is_fast_with() {
        assert!(has_fast_products(GgmlDType::Q8_0, 256));
        assert!(!has_fast_products(GgmlDType::Q8_0, 64));
        assert!(!has_fast_products(GgmlDType::Q4_1, 256));
    }

    #[test]
    fn a_row_s_products_do_not_depend_on_the_rows_beside_it() {
        for dtype in ALL {
            for matrix in kept(dtype, 40, 512).into_iter().filter(|matrix| matches!(matrix, ReducedMatrix::Panels(_))) {
                let product = |x: &Rows| {
                    let mut out = vec![0.0; x.len() * 40];
                    let view = ViewMut::by_rows(&mut out, x.len(), 40, 40);
                    matrix.multiply(view, Onto::Replace, 1.0, x).unwrap();
                    out
                };
                let x = activations(11, 512);
                let together = product(&x);
                for row in 0..11 {
                    let alone = Rows::new(x.row(row).to_vec(), 512);
                    assert_eq!(product(&alone), together[row * 40..][..40], "{dtype:?} row {row}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_not_rounded_away() {
        // candle's own products of blocks do round it away.
        for matrix in
            kept(GgmlDType::Q4K, 16, 256).into_iter().filter(|matrix| matches!(matrix, ReducedMatrix::Panels(_)))
        {
            for broken in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut x = activations(2, 256);
                x.values[77] = broken;
                let mut out = vec![0.0; 32];
                matrix.multiply(ViewMut::by_rows(&mut out, 2, 16, 16), Onto::Replace, 1.0, &x).unwrap();
                assert!(out[..16].iter().all(|value| !value.is_finite()), "{matrix:?}: {broken} gave {out:?}");
                assert!(out[16..].iter().all(|value| value.is_finite()));
            }
        }
    }

    #[test]
    fn bytes_are_counted_as_they_are_kept() {
        for dtype in ALL {
            if let Some(panels) = QuantizedPanels::new(&drawn(dtype, 50, 512)).unwrap() {
                assert_eq!(panels.kept_bytes(), block_bytes(dtype, 50, 512), "{dtype:?}");
            }
        }
    }
}
