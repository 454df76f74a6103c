//! Activations rounded to 8-bit integers, with a scale for each span of inputs and row, so that a row does not depend
//! on the others.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::numbers::{Format, Zero};
use super::panel::SPAN;
use crate::decoder::cpu::Rows;

/// Maximum rows of a tile: their sums with a panel stay in registers.
pub(super) const TILE: usize = 8;

/// Rows of activations as integers: concatenated [`tiles`], each `(spans, rows of the tile)`.
pub(super) struct Rounded {
    pub spans: usize,
    numbers: Vec<[i8; SPAN]>,
    scales: Vec<f32>,
    /// For each scale of the weights in a span, the sum of the numbers, times the offset of the weights if they have
    /// one.
    taken: Vec<[f32; 2]>,
}

/// Destination of rounded rows.
struct RoundedMut<'a> {
    numbers: &'a mut [[i8; SPAN]],
    scales: &'a mut [f32],
    taken: &'a mut [[f32; 2]],
}

/// A tile of [`Rounded`], by spans and rows.
pub(super) struct RoundedTile<'a, const ROWS: usize> {
    pub numbers: &'a [[[i8; SPAN]; ROWS]],
    pub scales: &'a [[f32; ROWS]],
    pub taken: &'a [[[f32; 2]; ROWS]],
}

/// Divides rows into tiles of [`TILE`], then two, then one.
pub(super) fn tiles(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let tile = next..next + [TILE, 2, 1].into_iter().find(|tile| next + tile <= rows)?;
        next = tile.end;
        Some(tile)
    })
}

impl Rounded {
    /// Rounds some rows. A non-finite number makes the scale of its span, and so all products of its row, non-finite.
    pub fn new(x: &Rows, rows: Range<usize>, format: Format) -> Rounded {
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
            let mut to = RoundedMut { numbers, scales, taken };
            for tile in tiles(TILE.min(rows.end - first)) {
                for row in tile.clone() {
                    let x = x.row(first + row);
                    let (start, step) = (tile.start * spans + row - tile.start, tile.len());
                    round_row(x, format, start, step, &mut to);
                }
            }
        });
        rounded
    }

    /// The tile that begins at row `first`.
    pub fn tile<const ROWS: usize>(&self, first: usize) -> RoundedTile<'_, ROWS> {
        let at = first * self.spans..(first + ROWS) * self.spans;
        RoundedTile {
            numbers: self.numbers[at.clone()].as_chunks().0,
            scales: self.scales[at.clone()].as_chunks().0,
            taken: self.taken[at].as_chunks().0,
        }
    }
}

/// Rounds the values of a row, one scale per span, and writes them from `start` on, `step` apart.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn round_row(x: &[f32], format: Format, start: usize, step: usize, to: &mut RoundedMut) {
    for (span, values) in x.as_chunks::<SPAN>().0.iter().enumerate() {
        let at = start + span * step;
        to.scales[at] = round(values, &mut to.numbers[at]);
        to.taken[at] = taken(format, &to.numbers[at]);
    }
}

/// Rounds to integers from -127 to 127 and returns the scale.
#[inline(always)]
fn round(values: &[f32; SPAN], numbers: &mut [i8; SPAN]) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    // Compared as integers, the bits of non-finite values are the largest.
    let largest = values.iter().fold(0, |largest, value| value.abs().to_bits().max(largest));
    let scale = f32::from_bits(largest) / 127.0;
    let inverse = if scale >= f32::MIN_POSITIVE { 1.0 / scale } else { 0.0 };
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = (value * inverse + ROUND).to_bits() as i8;
    }
    scale
}

/// Sums of the numbers under each scale of the weights, times the offset of the weights.
#[inline(always)]
fn taken(format: Format, numbers: &[i8; SPAN]) -> [f32; 2] {
    let factor = match format.zero {
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
    if format.sharing == SPAN { [(first + second) as f32, 0.0] } else { [first as f32, second as f32] }
}
