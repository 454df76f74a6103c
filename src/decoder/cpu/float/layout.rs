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

/// Rows whose sums stay in registers.
pub(in crate::decoder::cpu) const TILE: usize = 12;

/// Inputs of a row that stand side by side.
pub(in crate::decoder::cpu) const STRIP: usize = 16;

/// Numbers of one row, a line of the cache.
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
    /// What becomes of the values at the place of the result.
    pub onto: Onto,
    pub factor: f32,
}

/// The first `len`, whatever they hold; new ones where there are too few.
pub(in crate::decoder::cpu) fn room(lanes: &mut Vec<Lanes>, len: usize) -> &mut [Lanes] {
    if lanes.len() < len {
        *lanes = zeroed_vec(len);
    }
    &mut lanes[..len]
}
