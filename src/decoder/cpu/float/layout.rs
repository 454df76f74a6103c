//! The layouts that products in f32 read: weights in panels, rows in strips.

use bytemuck::Zeroable;
use bytemuck::allocation::zeroed_vec;

use crate::decoder::cpu::matmul::Onto;

/// Outputs in a panel.
pub(in crate::decoder::cpu) const LANES: usize = 32;

/// The weights of one input.
#[derive(Debug, Clone, Copy, Zeroable)]
#[repr(align(64))]
pub(in crate::decoder::cpu) struct Lanes(pub [f32; LANES]);

/// Most rows of a tile: their sums with a panel stay in registers.
pub(in crate::decoder::cpu) const TILE: usize = 12;

/// Inputs of a row in a strip.
pub(in crate::decoder::cpu) const STRIP: usize = 16;

/// Consecutive numbers of a row: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::decoder::cpu) struct Strip(pub [f32; STRIP]);

/// A product of some panels, one after the other, with a tile of rows: `factor * x W^T`.
#[derive(Clone, Copy)]
pub(in crate::decoder::cpu) struct TileProduct<'a, S> {
    /// `(panels, inputs)`.
    pub panels: &'a [Lanes],
    pub inputs: usize,
    /// `(inputs / 16, rows of the tile)` strips.
    pub rows: &'a [S],
    /// Whether the result replaces what is there or is added to it.
    pub onto: Onto,
    pub factor: f32,
    /// Whether the sums go on from what is there, as if its inputs came before these. The result then replaces it.
    pub resumed: bool,
    /// What is multiplied next: fetched from memory meanwhile.
    pub next: &'a [Lanes],
}

/// Some numbers of some rows of a matrix, wherever the rows stand.
#[derive(Clone, Copy)]
pub(in crate::decoder::cpu) struct Gathered<'a> {
    pub values: &'a [f32],
    /// The rows, in the order in which they are taken.
    pub rows: &'a [u32],
    /// Numbers from one row to the next.
    pub stride: usize,
    /// The first number of each row.
    pub first: usize,
    /// How many numbers of each row.
    pub width: usize,
}

impl<'a> Gathered<'a> {
    /// The numbers of one of the rows.
    pub fn row(&self, at: usize) -> &'a [f32] {
        &self.values[self.rows[at] as usize * self.stride + self.first..][..self.width]
    }
}

/// The first `len` lanes, whatever they hold, allocated anew where there are fewer.
pub(in crate::decoder::cpu) fn room(lanes: &mut Vec<Lanes>, len: usize) -> &mut [Lanes] {
    if lanes.len() < len {
        *lanes = zeroed_vec(len);
    }
    &mut lanes[..len]
}
