//! Memory layouts for products in f32: weights in panels, rows in strips.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_vec;

use crate::decoder::cpu::matmul::Onto;

/// Outputs per panel.
pub(in crate::decoder::cpu) const LANES: usize = 32;

/// The weights of one input.
#[derive(Debug, Clone, Copy, Zeroable)]
#[repr(align(64))]
pub(in crate::decoder::cpu) struct Lanes(pub [f32; LANES]);

/// Maximum rows of a tile: their sums with a panel stay in registers.
pub(in crate::decoder::cpu) const TILE: usize = 12;

/// Inputs of a row per strip.
pub(in crate::decoder::cpu) const STRIP: usize = 16;

/// Consecutive elements of a row: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::decoder::cpu) struct Strip(pub [f32; STRIP]);

/// A product of consecutive panels with a tile of rows: `factor * x W^T`.
#[derive(Clone, Copy)]
pub(in crate::decoder::cpu) struct TileProduct<'a, S> {
    /// `(panels, inputs)`.
    pub panels: &'a [Lanes],
    pub inputs: usize,
    /// `(inputs / 16, rows of the tile)` strips.
    pub rows: &'a [S],
    /// Whether the result replaces the existing values or is added to them.
    pub onto: Onto,
    pub factor: f32,
    /// Whether the sums continue from the existing values, as if those covered the preceding inputs. The result then
    /// replaces them.
    pub resumed: bool,
    /// The panels multiplied next: prefetched meanwhile.
    pub next: &'a [Lanes],
}

/// Some elements of selected rows of a matrix.
#[derive(Clone, Copy)]
pub(in crate::decoder::cpu) struct Gathered<'a> {
    pub values: &'a [f32],
    /// The rows, in order of use.
    pub rows: &'a [u32],
    /// Distance from one row to the next.
    pub stride: usize,
    /// First element used in each row.
    pub first: usize,
    /// Number of elements used in each row.
    pub width: usize,
}

impl<'a> Gathered<'a> {
    /// The elements of one of the rows.
    pub fn row(&self, at: usize) -> &'a [f32] {
        &self.values[self.rows[at] as usize * self.stride + self.first..][..self.width]
    }
}

/// The first `len` lanes, with unspecified contents; reallocated if there are fewer.
pub(in crate::decoder::cpu) fn room(lanes: &mut Vec<Lanes>, len: usize) -> &mut [Lanes] {
    if lanes.len() < len {
        *lanes = zeroed_vec(len);
    }
    &mut lanes[..len]
}
