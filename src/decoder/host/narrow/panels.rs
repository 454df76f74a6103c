//! Matrices of GGUF blocks arranged for products in whole numbers.
//!
//! A panel holds 16 outputs. Of each span of 32 inputs, a line of 64 bytes holds four inputs of every output, so that one
//! instruction multiplies and adds 64 numbers. Activations are rounded to 8 bits, with a scale for each span and row: rows do
//! not depend on which others are beside them.

use std::ops::Range;

use candle_core::quantized::{GgmlDType, QTensor};
use multiversion::multiversion;
use rayon::prelude::*;

use super::numbers::{Format, Numbers, Zero};
use super::vnni::Vnni;
use crate::decoder::DecoderError;
use crate::decoder::host::Rows;
use crate::decoder::host::math::by_rows;
use crate::decoder::host::matmul::{Onto, ViewMut};

/// Outputs in a panel.
pub(super) const LANES: usize = 16;

/// Inputs that share a scale among the activations.
pub(super) const SPAN: usize = 32;

/// Rows of activations that are rounded and multiplied together: their products stay in a cache.
const ROWS: usize = 128;

/// Rows of activations whose sums stay in registers.
pub(super) const TILE: usize = 8;

/// 64 bytes: numbers of four inputs for each output, `(LANES, 4)`. Where two numbers are in a byte, the lower halves hold
/// four inputs of the span's first half, the upper halves those 16 inputs further on.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub [u8; 4 * LANES]);

/// A matrix `(outputs, inputs)`.
pub(in crate::decoder::host) struct Panels {
    vnni: Vnni,
    format: Format,
    outputs: usize,
    inputs: usize,
    panels: Vec<Panel>,
}

/// All inputs of 16 outputs; outputs behind the last one are zero.
pub(super) struct Panel {
    /// `(spans, 8)`, or `(spans, 4)` with two numbers in a byte.
    pub lines: Vec<Line>,
    /// `(spans, 1)` or `(spans, 2)`, for every output.
    pub scales: Vec<[f32; LANES]>,
    /// As the scales; none in formats with an offset.
    pub minima: Vec<[f32; LANES]>,
}

/// Rows of activations in whole numbers: [`tiles`] one after the other, each `(spans, rows of the tile)`.
pub(super) struct Rounded {
    pub spans: usize,
    numbers: Vec<[i8; SPAN]>,
    scales: Vec<f32>,
    /// For each scale of the weights in a span, the sum of the numbers; times the offset, where they have one.
    taken: Vec<[f32; 2]>,
}

/// A tile of `Rounded`, by spans and rows.
pub(super) struct Tile<'a, const ROWS: usize> {
    pub numbers: &'a [[[i8; SPAN]; ROWS]],
    pub scales: &'a [[f32; ROWS]],
    pub taken: &'a [[[f32; 2]; ROWS]],
}

/// Rows are multiplied in tiles of [`TILE`], then two, then one.
pub(super) fn tiles(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let tile = next..next + [TILE, 2, 1].into_iter().find(|tile| next + tile <= rows)?;
        next = tile.end;
        Some(tile)
    })
}

impl Panels {
    /// Arrange a matrix; none where its format is not made of scaled whole numbers or this processor has no instructions for
    /// their products.
    pub fn new(tensor: &QTensor) -> Result<Option<Panels>, DecoderError> {
        let (Some(format), Some(vnni)) = (Format::of(tensor.dtype()), Vnni::detect()) else { return Ok(None) };
        let (outputs, inputs) = tensor.shape().dims2()?;
        let bytes = tensor.data()?;
        let rows: Vec<&[u8]> = bytes.chunks_exact(inputs / format.values * format.bytes).collect();
        let panels = rows.par_chunks(LANES).map(|rows| Panel::new(format, rows, inputs)).collect();
        Ok(Some(Panels { vnni, format, outputs, inputs, panels }))
    }

    /// Bytes that a matrix takes once it is arranged; none where [`Panels::new`] would give none.
    pub fn bytes(dtype: GgmlDType, outputs: usize, inputs: usize) -> Option<usize> {
        let (format, _) = Format::of(dtype).zip(Vnni::detect())?;
        let span = format.lines() * size_of::<Line>() + (format.scales() + format.minima()) * size_of::<[f32; LANES]>();
        Some(outputs.div_ceil(LANES) * (inputs / SPAN) * span)
    }

    /// Bytes that are kept.
    #[cfg(test)]
    pub fn kept_bytes(&self) -> usize {
        let bytes = |panel: &Panel| {
            size_of_val(&panel.lines[..]) + size_of_val(&panel.scales[..]) + size_of_val(&panel.minima[..])
        };
        self.panels.iter().map(bytes).sum()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The rows from `first` on, as many as `to` holds, in f32.
    pub fn widen(&self, first: usize, to: &mut [f32]) {
        let (mut row, mut rest) = (first, to);
        while !rest.is_empty() {
            let lanes = row % LANES..LANES.min(row % LANES + rest.len() / self.inputs);
            let (to, after) = rest.split_at_mut(lanes.len() * self.inputs);
            widen(&self.panels[row / LANES], self.format, lanes.clone(), to);
            (row, rest) = (row + lanes.len(), after);
        }
    }

    /// `out = factor * x W^T`, or the same added to `out`.
    pub fn multiply(&self, out: ViewMut, onto: Onto, factor: f32, x: &Rows) {
        let mut products = vec![[0.0; LANES]; self.panels.len() * ROWS.min(out.rows)];
        for first in (0..out.rows).step_by(ROWS) {
            let rows = first..out.rows.min(first + ROWS);
            let rounded = Rounded::new(x, rows.clone(), self.format);
            // (panels, rows, LANES)
            let products = &mut products[..self.panels.len() * rows.len()];
            let panels = self.panels.par_iter().zip(products.par_chunks_mut(rows.len()));
            panels.for_each(|(panel, products)| self.products(panel, &rounded, products));
            let end = out.values.len().min(rows.end * out.row);
            by_rows(&mut out.values[first * out.row..end], out.row, |start, values| {
                for (row, values) in (start..).zip(values.chunks_mut(out.row)) {
                    put(&mut values[..out.columns], onto, factor, &products[row..], rows.len());
                }
            });
        }
    }

    fn products(&self, panel: &Panel, rows: &Rounded, out: &mut [[f32; LANES]]) {
        let vnni = self.vnni;
        match (self.format.bits, self.format.sharing, self.format.zero) {
            (4, 16, Zero::Minimum) => vnni.products::<true, true, true>(panel, rows, out),
            (4, 16, Zero::Offset(_)) => vnni.products::<true, true, false>(panel, rows, out),
            (4, _, Zero::Minimum) => vnni.products::<true, false, true>(panel, rows, out),
            (4, _, Zero::Offset(_)) => vnni.products::<true, false, false>(panel, rows, out),
            (_, 16, Zero::Minimum) => vnni.products::<false, true, true>(panel, rows, out),
            (_, 16, Zero::Offset(_)) => vnni.products::<false, true, false>(panel, rows, out),
            (_, _, Zero::Minimum) => vnni.products::<false, false, true>(panel, rows, out),
            (_, _, Zero::Offset(_)) => vnni.products::<false, false, false>(panel, rows, out),
        }
    }
}

impl Format {
    /// Lines of a span.
    fn lines(self) -> usize {
        SPAN * self.bits / 8 / 4
    }

    /// Scales of a span.
    fn scales(self) -> usize {
        SPAN / self.sharing
    }

    /// Minima of a span.
    fn minima(self) -> usize {
        if self.zero == Zero::Minimum { self.scales() } else { 0 }
    }

    /// Where the number of an input of a span stands: its line, its byte within those of an output, and its bits.
    fn place(self, input: usize) -> (usize, usize, usize) {
        match self.bits {
            4 => (input % 16 / 4, input % 4, 4 * (input / 16)),
            _ => (input / 4, input % 4, 0),
        }
    }

    /// Sums of the numbers that meet each scale of the weights, times the offset.
    #[inline(always)]
    fn taken(self, numbers: &[i8; SPAN]) -> [f32; 2] {
        let factor = match self.zero {
            Zero::Offset(offset) => i32::from(offset),
            Zero::Minimum => 1,
        };
        let mut sums = [0; 2];
        for (sum, half) in sums.iter_mut().zip(numbers.as_chunks::<{ SPAN / 2 }>().0) {
            for number in half {
                *sum += factor * i32::from(*number);
            }
        }
        let [first, second] = sums;
        if self.sharing == SPAN { [(first + second) as f32, 0.0] } else { [first as f32, second as f32] }
    }
}

impl Panel {
    /// Arrange at most 16 rows of blocks.
    fn new(format: Format, rows: &[&[u8]], inputs: usize) -> Panel {
        let spans = inputs / SPAN;
        let mut panel = Panel {
            lines: vec![Line([0; 4 * LANES]); spans * format.lines()],
            scales: vec![[0.0; LANES]; spans * format.scales()],
            minima: vec![[0.0; LANES]; spans * format.minima()],
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

impl Rounded {
    /// Round some rows. A number that is not finite makes the scale of its span so, and with it all products of its row.
    fn new(x: &Rows, rows: Range<usize>, format: Format) -> Rounded {
        let spans = x.width / SPAN;
        let mut rounded = Rounded {
            spans,
            numbers: vec![[0; SPAN]; rows.len() * spans],
            scales: vec![0.0; rows.len() * spans],
            taken: vec![[0.0; 2]; rows.len() * spans],
        };
        let Rounded { numbers, scales, taken, .. } = &mut rounded;
        let size = TILE * spans;
        let of_tiles = numbers.par_chunks_mut(size).zip(scales.par_chunks_mut(size)).zip(taken.par_chunks_mut(size));
        of_tiles.enumerate().for_each(|(number, ((numbers, scales), taken))| {
            let first = rows.start + number * TILE;
            for tile in tiles(TILE.min(rows.end - first)) {
                for row in tile.clone() {
                    let x = x.row(first + row);
                    let (start, step) = (tile.start * spans + row - tile.start, tile.len());
                    round_row(x, format, start, step, numbers, scales, taken);
                }
            }
        });
        rounded
    }

    /// The tile that begins with row `first`.
    pub fn tile<const ROWS: usize>(&self, first: usize) -> Tile<'_, ROWS> {
        let at = first * self.spans..(first + ROWS) * self.spans;
        Tile {
            numbers: self.numbers[at.clone()].as_chunks().0,
            scales: self.scales[at.clone()].as_chunks().0,
            taken: self.taken[at].as_chunks().0,
        }
    }
}

/// Some outputs of a panel in f32, `(lanes, inputs)`.
#[multiversion(targets = "simd")]
fn widen(panel: &Panel, format: Format, lanes: Range<usize>, to: &mut [f32]) {
    let mask = if format.bits == 4 { 15 } else { 255 };
    let inputs = to.len() / lanes.len();
    // (SPAN, LANES): one input of all outputs at a time.
    let mut values = [[0.0; LANES]; SPAN];
    for span in 0..inputs / SPAN {
        let lines = &panel.lines[span * format.lines()..][..format.lines()];
        for (input, values) in values.iter_mut().enumerate() {
            let (line, byte, shift) = format.place(input);
            let (numbers, shift) = (lines[line].0.as_chunks().0, 8 * byte + shift);
            let at = span * format.scales() + input / format.sharing;
            for lane in 0..LANES {
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

/// Bring a row's products, `step` apart for one panel after the other, to their place.
#[multiversion(targets = "simd")]
fn put(values: &mut [f32], onto: Onto, factor: f32, products: &[[f32; LANES]], step: usize) {
    for (values, product) in values.chunks_mut(LANES).zip(products.iter().step_by(step)) {
        for (value, product) in values.iter_mut().zip(product) {
            onto.put(factor * product, value);
        }
    }
}

/// Round the values of a row, a span to a scale, and write them from `start` on, `step` apart.
#[multiversion(targets = "simd")]
fn round_row(
    x: &[f32],
    format: Format,
    start: usize,
    step: usize,
    numbers: &mut [[i8; SPAN]],
    scales: &mut [f32],
    taken: &mut [[f32; 2]],
) {
    for (span, values) in x.as_chunks::<SPAN>().0.iter().enumerate() {
        let at = start + span * step;
        scales[at] = round(values, &mut numbers[at]);
        taken[at] = format.taken(&numbers[at]);
    }
}

/// Round to whole numbers from -127 to 127, and return what one of them is worth.
#[inline(always)]
fn round(values: &[f32; SPAN], numbers: &mut [i8; SPAN]) -> f32 {
    const WHOLE: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to a whole number in the low bits
    // As whole numbers, the bits of what is not finite are the largest.
    let largest = values.iter().fold(0, |largest, value| value.abs().to_bits().max(largest));
    let scale = f32::from_bits(largest) / 127.0;
    let inverse = if scale >= f32::MIN_POSITIVE { 1.0 / scale } else { 0.0 };
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = (value * inverse + WHOLE).to_bits() as i8;
    }
    scale
}
