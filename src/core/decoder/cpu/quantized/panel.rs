//! The weights of 16 outputs as integers.
//!
//! For each span of 32 inputs, a line of 64 bytes holds four inputs of every output, so that one instruction multiplies
//! and adds 64 numbers.

use std::ops::Range;

use half::f16;
use multiversion::multiversion;

use super::numbers::{Format, Numbers, Zero};

/// Outputs per panel.
pub(super) const OUTPUTS: usize = 16;

/// Number of inputs per activation scale.
pub(super) const SPAN: usize = 32;

/// 64 bytes: numbers of four inputs for each output, `(OUTPUTS, 4)`. If a byte holds two numbers, the low nibbles hold
/// four inputs of the span's first half, the high nibbles those 16 inputs further on.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub [u8; 4 * OUTPUTS]);

/// All inputs of 16 outputs; outputs after the last one are zero. Scales are kept as small as the file has them: one
/// sequence alone is bound by the bytes that are read.
pub(super) struct Panel {
    /// `(spans, 8)`, or `(spans, 4)` with two numbers per byte.
    pub lines: Vec<Line>,
    /// Scales of blocks, for every output: `(blocks, 1)`, or `(blocks, 2)` with minima behind the scales.
    pub halves: Vec<[f16; OUTPUTS]>,
    /// Their factors, for every output: `(spans, scales per span, 1)`, or `(spans, scales per span, 2)` with minima; empty in
    /// formats without.
    pub factors: Vec<[i8; OUTPUTS]>,
}

/// Spans of a block that has factors.
const SPANS_OF_BLOCK: usize = 8;

/// Where the first scale of a part of a span is, and its first factor, in a format with so many factors per span.
#[inline(always)]
pub(super) fn place<const FACTORS: usize, const MINIMA: bool>(span: usize, part: usize) -> (usize, usize) {
    let kinds = if MINIMA { 2 } else { 1 };
    let block = if FACTORS == 0 { span } else { span / SPANS_OF_BLOCK };
    (block * kinds, (span * FACTORS + part) * kinds)
}

impl Panel {
    /// Packs at most 16 rows of blocks.
    pub fn new(format: Format, rows: &[&[u8]], inputs: usize) -> Panel {
        let spans = inputs / SPAN;
        let mut panel = Panel {
            lines: vec![Line([0; 4 * OUTPUTS]); spans * format.lines()],
            halves: vec![[f16::ZERO; OUTPUTS]; inputs / format.values * format.kinds()],
            factors: vec![[0; OUTPUTS]; spans * format.factors()],
        };
        let spans_of_block = format.values / SPAN;
        let mut read = Numbers::EMPTY;
        for (lane, row) in rows.iter().enumerate() {
            for (block, bytes) in row.chunks_exact(format.bytes).enumerate() {
                (format.read)(bytes, &mut read);
                let first = block * spans_of_block;
                for (span, numbers) in (first..).zip(read.numbers[..format.values].chunks_exact(SPAN)) {
                    let lines = &mut panel.lines[span * format.lines()..][..format.lines()];
                    for (input, number) in numbers.iter().enumerate() {
                        let (line, byte, shift) = format.place(input);
                        lines[line].0[4 * lane + byte] |= number << shift;
                    }
                }
                for (to, half) in panel.halves[block * format.kinds()..].iter_mut().zip([read.scale, read.minimum]) {
                    to[lane] = half;
                }
                let factors = read.factors.iter().zip(&read.factors_of_minimum);
                let kinds = panel.factors.chunks_exact_mut(format.kinds());
                for (to, (scale, minimum)) in kinds.skip(first * format.scales()).zip(factors) {
                    for (to, factor) in to.iter_mut().zip([scale, minimum]) {
                        to[lane] = *factor;
                    }
                }
            }
        }
        panel
    }

    /// The scales at a position of [`Format::scales`] per span, or the minima there.
    fn scales(&self, format: Format, at: usize, kind: usize) -> [f32; OUTPUTS] {
        let (span, kinds) = (at / format.scales(), format.kinds());
        let halves = self.halves[span * SPAN / format.values * kinds + kind].map(f16::to_f32);
        match format.factors {
            false => halves,
            true => {
                let factors = &self.factors[at * kinds + kind];
                std::array::from_fn(|lane| halves[lane] * f32::from(factors[lane]))
            }
        }
    }
}

impl Format {
    /// Lines per span.
    pub fn lines(self) -> usize {
        SPAN * self.bits / 8 / 4
    }

    /// Scales per span.
    pub fn scales(self) -> usize {
        SPAN / self.sharing
    }

    /// 2 with minima beside the scales, else 1.
    pub fn kinds(self) -> usize {
        if self.zero == Zero::Minimum { 2 } else { 1 }
    }

    /// Factors per span.
    pub fn factors(self) -> usize {
        if self.factors { self.scales() * self.kinds() } else { 0 }
    }

    /// Location of an input's number within a span: its line, its byte within those of an output, and its bit offset.
    fn place(self, input: usize) -> (usize, usize, usize) {
        match self.bits {
            4 => (input % 16 / 4, input % 4, 4 * (input / 16)),
            _ => (input / 4, input % 4, 0),
        }
    }
}

/// Dequantizes some outputs of a panel to f32, `(lanes, inputs)`.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(super) fn dequantize(panel: &Panel, format: Format, lanes: Range<usize>, to: &mut [f32]) {
    let mask = if format.bits == 4 { 15 } else { 255 };
    let inputs = to.len() / lanes.len();
    // (SPAN, OUTPUTS): one input of all outputs at a time.
    let mut values = [[0.0; OUTPUTS]; SPAN];
    for span in 0..inputs / SPAN {
        let lines = &panel.lines[span * format.lines()..][..format.lines()];
        let first = span * format.scales();
        // The second of each is not read in formats with one.
        let of = |kind| [first, first + format.scales() - 1].map(|at| panel.scales(format, at, kind));
        let (scales, minima) = (of(0), of(format.kinds() - 1));
        for (input, values) in values.iter_mut().enumerate() {
            let (line, byte, shift) = format.place(input);
            let (numbers, shift) = (lines[line].0.as_chunks().0, 8 * byte + shift);
            let at = input / format.sharing;
            for lane in 0..OUTPUTS {
                let number = (u32::from_le_bytes(numbers[lane]) >> shift & mask) as f32;
                values[lane] = match format.zero {
                    Zero::Offset(offset) => scales[at][lane] * (number - f32::from(offset)),
                    Zero::Minimum => scales[at][lane] * number - minima[at][lane],
                };
            }
        }
        for (lane, to) in lanes.clone().zip(to.chunks_exact_mut(inputs)) {
            for (to, values) in to[span * SPAN..][..SPAN].iter_mut().zip(&values) {
                *to = values[lane];
            }
        }
    }
}
