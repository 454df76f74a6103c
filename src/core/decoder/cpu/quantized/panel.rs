//! The weights of 16 outputs as integers.
//!
//! For each span of 32 inputs, a line of 64 bytes holds four inputs of every output, so that one instruction multiplies
//! and adds 64 numbers.

use std::ops::Range;

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

/// All inputs of 16 outputs; outputs after the last one are zero.
pub(super) struct Panel {
    /// `(spans, 8)`, or `(spans, 4)` with two numbers per byte.
    pub lines: Vec<Line>,
    /// `(spans, 1)` or `(spans, 2)`, each for every output.
    pub scales: Vec<[f32; OUTPUTS]>,
    /// Shaped like the scales; empty in formats with an offset.
    pub minima: Vec<[f32; OUTPUTS]>,
}

impl Panel {
    /// Packs at most 16 rows of blocks.
    pub fn new(format: Format, rows: &[&[u8]], inputs: usize) -> Panel {
        let spans = inputs / SPAN;
        let mut panel = Panel {
            lines: vec![Line([0; 4 * OUTPUTS]); spans * format.lines()],
            scales: vec![[0.0; OUTPUTS]; spans * format.scales()],
            minima: vec![[0.0; OUTPUTS]; spans * format.minima()],
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
                let first = first * format.scales();
                let scales = format.scales() * spans_of_block;
                for (to, scale) in panel.scales[first..][..scales].iter_mut().zip(read.scales) {
                    to[lane] = scale;
                }
                for (to, minimum) in panel.minima.iter_mut().skip(first).take(scales).zip(read.minima) {
                    to[lane] = minimum;
                }
            }
        }
        panel
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

    /// Minima per span.
    pub fn minima(self) -> usize {
        if self.zero == Zero::Minimum { self.scales() } else { 0 }
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
        for (input, values) in values.iter_mut().enumerate() {
            let (line, byte, shift) = format.place(input);
            let (numbers, shift) = (lines[line].0.as_chunks().0, 8 * byte + shift);
            let at = span * format.scales() + input / format.sharing;
            for lane in 0..OUTPUTS {
                let number = (u32::from_le_bytes(numbers[lane]) >> shift & mask) as f32;
                values[lane] = match format.zero {
                    Zero::Offset(offset) => panel.scales[at][lane] * (number - f32::from(offset)),
                    Zero::Minimum => panel.scales[at][lane] * number - panel.minima[at][lane],
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
