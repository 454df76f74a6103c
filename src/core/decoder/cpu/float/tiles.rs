//! Rows packed for products with panels.

use std::ops::Range;

use multiversion::multiversion;

use super::layout::{STRIP, Strip, TILE};
use crate::decoder::cpu::norm::{self, Norm, scale};

/// Inputs that are multiplied with all panels of a task before the next ones: this part of a panel and of some tiles
/// fits the L2 cache.
const INPUTS: usize = 2048;

/// Number of final tiles per thread that are blocks of their own.
const SINGLE: usize = 4;

/// Rows packed tile by tile: `(inputs / 16, rows of the tile)` strips, so that a tile is read sequentially and a row is
/// copied 16 elements at a time. Elements after the last input are not read.
#[derive(Debug, Default)]
pub(in crate::decoder) struct Tiles {
    strips: Vec<Strip>,
    rows: usize,
    inputs: usize,
}

impl Tiles {
    /// Packs the first `rows` rows of `from`, which are `stride` apart; normed first if a norm is given.
    pub fn pack(&mut self, from: &[f32], stride: usize, rows: usize, inputs: usize, norm: Option<&Norm>) {
        (self.rows, self.inputs) = (rows, inputs);
        self.strips.resize(rows * inputs.div_ceil(STRIP), Strip([0.0; STRIP]));
        for part in self.inputs() {
            for tile in tiles(rows) {
                let to = &mut self.strips[place(rows, &part, &tile)];
                for (at, row) in tile.clone().enumerate() {
                    let from = &from[row * stride..][..inputs];
                    match norm {
                        None => pack(to, at, tile.len(), &from[part.clone()]),
                        Some(norm) => pack_normed(to, at, tile.len(), from, norm, part.clone()),
                    }
                }
            }
        }
    }

    /// The inputs in parts that begin at a strip.
    pub fn inputs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let inputs = self.inputs;
        let strips = parts(inputs.div_ceil(STRIP), inputs.div_ceil(INPUTS));
        strips.map(move |strips| strips.start * STRIP..inputs.min(strips.end * STRIP))
    }

    /// All tiles of one part of the inputs, with their rows.
    pub(super) fn of<'a>(&'a self, part: &'a Range<usize>) -> impl Iterator<Item = (Range<usize>, &'a [Strip])> {
        tiles(self.rows).map(move |tile| (tile.clone(), &self.strips[place(self.rows, part, &tile)]))
    }
}

/// Position of a tile: all tiles of a part of the inputs come before those of the next.
fn place(rows: usize, part: &Range<usize>, tile: &Range<usize>) -> Range<usize> {
    let at = |row: usize| part.start / STRIP * rows + part.len().div_ceil(STRIP) * row;
    at(tile.start)..at(tile.end)
}

/// Ranges of rows that are multiplied together.
fn tiles(rows: usize) -> impl Iterator<Item = Range<usize>> {
    parts(rows, rows.div_ceil(TILE))
}

/// Rows divided into blocks that threads take one after the other: two tiles each, which share one read of a panel from
/// the L2 cache, and single tiles towards the end, so that no thread waits long for the last. Every thread gets the
/// same number of tiles.
pub(super) fn blocks(rows: usize, threads: usize) -> Vec<Range<usize>> {
    let tiles = rows.div_ceil(TILE).next_multiple_of(threads).min(rows);
    let mut blocks: Vec<Range<usize>> = Vec::with_capacity(tiles);
    for (number, tile) in parts(rows, tiles).enumerate() {
        match blocks.last_mut() {
            Some(last) if number % 2 == 1 && tiles - number >= SINGLE * threads => last.end = tile.end,
            _ => blocks.push(tile),
        }
    }
    blocks
}

/// `total` divided into `count` parts of nearly equal length.
pub(in crate::decoder::cpu) fn parts(total: usize, count: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    (0..count).map(move |part| part * total / count..(part + 1) * total / count)
}

/// Writes a row as strips, `rows` apart, from `at` on.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(in crate::decoder::cpu) fn pack(to: &mut [Strip], at: usize, rows: usize, from: &[f32]) {
    let (whole, rest) = from.as_chunks();
    let mut strips = to.chunks_exact_mut(rows).map(|to| &mut to[at].0);
    for (from, to) in whole.iter().zip(&mut strips) {
        *to = *from;
    }
    for to in strips {
        to[..rest.len()].copy_from_slice(rest);
    }
}

/// Like [`pack`] for a part of a row, normed.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn pack_normed(to: &mut [Strip], at: usize, rows: usize, from: &[f32], norm: &Norm, part: Range<usize>) {
    let scale = scale(from, norm.eps);
    let (values, values_rest) = from[part.clone()].as_chunks::<STRIP>();
    let (weights, weights_rest) = norm.weight[part].as_chunks::<STRIP>();
    let mut strips = to.chunks_exact_mut(rows).map(|to| &mut to[at].0);
    for ((values, weights), to) in values.iter().zip(weights).zip(&mut strips) {
        norm::write(to, values, scale, weights);
    }
    for to in strips {
        norm::write(to, values_rest, scale, weights_rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::cpu::Rows;

    #[test]
    fn every_value_has_its_place() {
        for (rows, inputs) in [(1, 5), (TILE, 3), (TILE + 1, 7), (5, 2 * INPUTS + 3)] {
            let stride = inputs + 2;
            let from: Vec<f32> = (0..rows * stride).map(|at| at as f32).collect();
            let norm = Norm { weight: (0..inputs).map(|input| input as f32 / 100.0).collect(), eps: 1e-3 };
            let normed = norm.rows(&Rows { width: inputs, ..Rows::new(from.clone(), stride) });
            for norm in [None, Some(&norm)] {
                let mut packed = Tiles::default();
                packed.pack(&from, stride, rows, inputs, norm);
                let mut seen = 0;
                for part in packed.inputs() {
                    for (tile, values) in packed.of(&part) {
                        for (number, row) in tile.clone().enumerate() {
                            let strips = values.iter().skip(number).step_by(tile.len());
                            for (input, value) in part.clone().zip(strips.flat_map(|strip| strip.0)) {
                                let plain =
                                    if norm.is_some() { normed.row(row)[input] } else { from[row * stride + input] };
                                assert_eq!(value, plain, "row {row}, input {input}");
                                seen += 1;
                            }
                        }
                    }
                }
                assert_eq!(seen, rows * inputs);
            }
        }
    }

    #[test]
    fn blocks_are_all_rows_and_end_small() {
        for (rows, threads) in [(0, 2), (1, 2), (5, 8), (96, 2), (512, 1), (512, 2), (513, 64), (4096, 3)] {
            let blocks = blocks(rows, threads);
            assert_eq!(blocks.iter().cloned().flatten().collect::<Vec<_>>(), (0..rows).collect::<Vec<_>>());
            assert!(blocks.iter().all(|block| (1..=2 * TILE).contains(&block.len())), "{blocks:?}");
            assert!(blocks.iter().rev().take(threads).all(|block| block.len() <= TILE), "{blocks:?}");
        }
        let tiles: usize = blocks(100, 2).iter().map(|block| block.len().div_ceil(TILE)).sum();
        assert_eq!(tiles, 10, "as many for either thread");
    }
}
