//! The integers, scales and minima in GGUF blocks.
//!
//! Every value is `scale * (number - offset)` or `scale * number - minimum`, where scale and minimum may be the block's own
//! times a small integer. The layouts are those of `ggml-common.h`
//! and `dequantize_row_*` in llama.cpp's `ggml-quants.c`.

use std::array::from_fn;

use candle_core::quantized::GgmlDType;
use half::f16;

/// Encoding of a GGUF format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    /// Values in a block.
    pub values: usize,
    /// Bytes of a block.
    pub bytes: usize,
    /// Consecutive values that share a scale: 16 or 32.
    pub sharing: usize,
    /// Bits per number as stored in a panel: 4 or 8.
    pub bits: usize,
    pub zero: Zero,
    /// Whether a block's scale and minimum are multiplied by integers, one for each [`Format::sharing`] values.
    pub factors: bool,
    /// Reads a block of [`Format::bytes`].
    pub read: fn(&[u8], &mut Numbers),
}

/// Subtracted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zero {
    /// The same integer from every number, before it is scaled.
    Offset(u8),
    /// A minimum for each scale, after scaling.
    Minimum,
}

/// The contents of one block; a block with 32 values uses only the first ones.
#[derive(Debug)]
pub(super) struct Numbers {
    pub numbers: [u8; 256],
    /// Of the block.
    pub scale: f16,
    /// Of the block, in formats with minima.
    pub minimum: f16,
    /// What the scale is multiplied by, one per [`Format::sharing`] values, in formats with factors.
    pub factors: [i8; 16],
    /// The same for the minimum.
    pub factors_of_minimum: [i8; 16],
}

impl Numbers {
    pub const EMPTY: Numbers = Numbers {
        numbers: [0; 256],
        scale: f16::ZERO,
        minimum: f16::ZERO,
        factors: [1; 16],
        factors_of_minimum: [1; 16],
    };
}

impl Format {
    /// The format of a tensor type, if it consists of scaled integers.
    pub fn from_dtype(dtype: GgmlDType) -> Option<Format> {
        use Zero::{Minimum, Offset};
        let format = |values, sharing, bits, zero, read: fn(&[u8], &mut Numbers)| {
            Some(Format { values, bytes: dtype.type_size(), sharing, bits, zero, factors: values == 256, read })
        };
        match dtype {
            GgmlDType::Q4_0 => format(32, 32, 4, Offset(8), q4_0),
            GgmlDType::Q4_1 => format(32, 32, 4, Minimum, q4_1),
            GgmlDType::Q5_0 => format(32, 32, 8, Offset(16), q5_0),
            GgmlDType::Q5_1 => format(32, 32, 8, Minimum, q5_1),
            GgmlDType::Q8_0 => format(32, 32, 8, Offset(128), q8_0),
            GgmlDType::Q2K => format(256, 16, 4, Minimum, q2_k),
            GgmlDType::Q3K => format(256, 16, 4, Offset(4), q3_k),
            GgmlDType::Q4K => format(256, 32, 4, Minimum, q4_k),
            GgmlDType::Q5K => format(256, 32, 8, Minimum, q5_k),
            GgmlDType::Q6K => format(256, 16, 8, Offset(32), q6_k),
            _ => None,
        }
    }
}

fn q4_0(block: &[u8], to: &mut Numbers) {
    to.scale = half(block, 0);
    halves(&block[2..18], &mut to.numbers);
}

fn q4_1(block: &[u8], to: &mut Numbers) {
    (to.scale, to.minimum) = (half(block, 0), -half(block, 2));
    halves(&block[4..20], &mut to.numbers);
}

fn q5_0(block: &[u8], to: &mut Numbers) {
    to.scale = half(block, 0);
    halves(&block[6..22], &mut to.numbers);
    fifths(&block[2..6], &mut to.numbers);
}

fn q5_1(block: &[u8], to: &mut Numbers) {
    (to.scale, to.minimum) = (half(block, 0), -half(block, 2));
    halves(&block[8..24], &mut to.numbers);
    fifths(&block[4..8], &mut to.numbers);
}

fn q8_0(block: &[u8], to: &mut Numbers) {
    to.scale = half(block, 0);
    for (number, byte) in to.numbers.iter_mut().zip(&block[2..34]) {
        *number = byte.wrapping_add(128);
    }
}

fn q2_k(block: &[u8], to: &mut Numbers) {
    (to.scale, to.minimum) = (half(block, 80), half(block, 82));
    to.factors = from_fn(|at| (block[at] & 15) as i8);
    to.factors_of_minimum = from_fn(|at| (block[at] >> 4) as i8);
    to.numbers = from_fn(|at| quarter(&block[16..80], at));
}

fn q3_k(block: &[u8], to: &mut Numbers) {
    let (third, packed) = (&block[..32], &block[96..108]);
    to.scale = half(block, 108);
    to.factors = from_fn(|at| {
        let low = if at < 8 { packed[at] & 15 } else { packed[at - 8] >> 4 };
        let high = packed[8 + at % 4] >> (2 * (at / 4)) & 3;
        (low | high << 4) as i8 - 32
    });
    to.numbers = from_fn(|at| quarter(&block[32..96], at) | (third[at % 32] >> (at / 32) & 1) << 2);
}

fn q4_k(block: &[u8], to: &mut Numbers) {
    six_bits(block, to);
    for (bytes, numbers) in block[16..144].chunks_exact(32).zip(to.numbers.chunks_exact_mut(64)) {
        halves(bytes, numbers);
    }
}

fn q5_k(block: &[u8], to: &mut Numbers) {
    six_bits(block, to);
    for (bytes, numbers) in block[48..176].chunks_exact(32).zip(to.numbers.chunks_exact_mut(64)) {
        halves(bytes, numbers);
    }
    for (at, number) in to.numbers.iter_mut().enumerate() {
        *number |= (block[16 + at % 32] >> (at / 32) & 1) << 4;
    }
}

fn q6_k(block: &[u8], to: &mut Numbers) {
    to.scale = half(block, 208);
    to.factors = from_fn(|at| block[192 + at] as i8);
    to.numbers = from_fn(|at| {
        let (half, at) = (at / 128, at % 128);
        let low = block[64 * half + at % 64] >> (4 * (at / 64)) & 15;
        let high = block[128 + 32 * half + at % 32] >> (2 * (at / 32)) & 3;
        low | high << 4
    });
}

/// The f16 number at byte `at`.
fn half(block: &[u8], at: usize) -> f16 {
    f16::from_le_bytes([block[at], block[at + 1]])
}

/// The low nibbles of all bytes, then the high nibbles.
fn halves(bytes: &[u8], numbers: &mut [u8]) {
    for (at, byte) in bytes.iter().enumerate() {
        numbers[at] = byte & 15;
        numbers[at + bytes.len()] = byte >> 4;
    }
}

/// The fifth bits of 32 numbers.
fn fifths(bits: &[u8], numbers: &mut [u8]) {
    for (at, number) in numbers[..32].iter_mut().enumerate() {
        *number |= (bits[at / 8] >> (at % 8) & 1) << 4;
    }
}

/// Number `at` of 256 two-bit numbers: 32 bytes hold 128 of them, 32 numbers per bit pair.
fn quarter(bytes: &[u8], at: usize) -> u8 {
    bytes[32 * (at / 128) + at % 32] >> (2 * (at % 128 / 32)) & 3
}

/// Eight scales and eight minima of six bits, in the twelve bytes after their two f16 scale factors.
fn six_bits(block: &[u8], to: &mut Numbers) {
    (to.scale, to.minimum) = (half(block, 0), half(block, 2));
    let packed = &block[4..16];
    for at in 0..8 {
        let (of_scale, of_minimum) = match at {
            0..4 => (packed[at] & 63, packed[at + 4] & 63),
            _ => (packed[at + 4] & 15 | packed[at - 4] >> 6 << 4, packed[at + 4] >> 4 | packed[at] >> 6 << 4),
        };
        (to.factors[at], to.factors_of_minimum[at]) = (of_scale as i8, of_minimum as i8);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use candle_core::quantized::{QStorage, QTensor};
    use candle_core::{Device, Tensor};

    use super::*;

    /// Every format that is multiplied as integers.
    pub(in crate::decoder) use crate::decoder::checked_products::BLOCKS as ALL;

    /// A matrix `(rows, inputs)` whose blocks are random bytes, so that every bit pattern occurs; scales are small
    /// numbers, since random ones could be infinite.
    pub fn drawn(dtype: GgmlDType, rows: usize, inputs: usize) -> QTensor {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        blocks(dtype, rows, inputs, || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as u8
        })
    }

    /// The same with these bytes.
    pub fn blocks(dtype: GgmlDType, rows: usize, inputs: usize, mut draw: impl FnMut() -> u8) -> QTensor {
        let format = Format::from_dtype(dtype).unwrap();
        let halves: &[usize] = match dtype {
            GgmlDType::Q4_0 | GgmlDType::Q5_0 | GgmlDType::Q8_0 => &[0],
            GgmlDType::Q2K => &[80, 82],
            GgmlDType::Q3K => &[108],
            GgmlDType::Q6K => &[208],
            _ => &[0, 2],
        };
        let mut bytes: Vec<u8> = (0..rows * inputs / format.values * format.bytes).map(|_| draw()).collect();
        for block in bytes.chunks_exact_mut(format.bytes) {
            for &at in halves {
                let small = (f32::from(draw()) / 128.0 - 1.0) * 0.01;
                block[at..at + 2].copy_from_slice(&f16::from_f32(small).to_le_bytes());
            }
        }
        let storage = QStorage::from_data(bytes.into(), &Device::Cpu, dtype).unwrap();
        QTensor::new(storage, (rows, inputs)).unwrap()
    }

    #[test]
    fn the_values_of_every_format_are_those_candle_reads() {
        for dtype in ALL {
            let format = Format::from_dtype(dtype).unwrap();
            let tensor = drawn(dtype, 7, 512);
            let expected: Tensor = tensor.dequantize(&Device::Cpu).unwrap();
            let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
            let mut read = Numbers::EMPTY;
            let bytes = tensor.data().unwrap();
            for (block, expected) in bytes.chunks_exact(format.bytes).zip(expected.chunks_exact(format.values)) {
                (format.read)(block, &mut read);
                for (at, expected) in expected.iter().enumerate() {
                    let number = f32::from(read.numbers[at]);
                    let of_block = |half: f16, factors: &[i8; 16]| match format.factors {
                        true => half.to_f32() * f32::from(factors[at / format.sharing]),
                        false => half.to_f32(),
                    };
                    let scale = of_block(read.scale, &read.factors);
                    let value = match format.zero {
                        Zero::Offset(offset) => scale * (number - f32::from(offset)),
                        Zero::Minimum => scale * number - of_block(read.minimum, &read.factors_of_minimum),
                    };
                    assert_eq!(value, *expected, "{dtype:?} value {at}");
                    assert!(number < (1 << format.bits) as f32);
                }
            }
        }
    }
}
