//! Rows arranged for products with panels.

use std::ops::Range;

use multiversion::multiversion;

use crate::decoder::host::norm::{Norm, scale};

/// Rows whose sums stay in registers.
pub(super) const TILE: usize = 12;

/// Inputs that are multiplied with all panels of a task before the next: so many of a panel and of some tiles fit the
/// second-level cache.
const INPUTS: usize = 2048;

/// Tiles for each thread below which there are equally many for all.
const EVEN: usize = 8;

/// Tiles for each thread that are blocks of their own.
const SINGLE: usize = 4;

/// Some rows, tile by tile: of each the numbers of one input side by side, `(inputs, rows of the tile)`.
#[derive(Debug, Default)]
pub(in crate::decoder) struct Tiles {
    values: Vec<f32>,
    rows: usize,
    inputs: usize,
}

impl Tiles {
    /// Arrange the first `rows` rows of `from`, which are `stride` apart; with a norm, what it makes of them.
    pub fn pack(&mut self, from: &[f32], stride: usize, rows: usize, inputs: usize, norm: Option<&Norm>) {
        (self.rows, self.inputs) = (rows, inputs);
        self.values.resize(rows * inputs, 0.0);
        for part in self.inputs() {
            for tile in tiles(rows) {
                let to = &mut self.values[place(rows, &part, &tile)];
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

    /// The inputs, in parts.
    pub fn inputs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        parts(self.inputs, self.inputs.div_ceil(INPUTS))
    }

    /// All tiles of a part of the inputs.
    pub fn of<'a>(&'a self, part: &'a Range<usize>) -> impl Iterator<Item = (Range<usize>, &'a [f32])> {
        tiles(self.rows).map(move |tile| (tile.clone(), &self.values[place(self.rows, part, &tile)]))
    }
}

/// Where a tile stands: all tiles of a part of the inputs, then those of the next.
fn place(rows: usize, part: &Range<usize>, tile: &Range<usize>) -> Range<usize> {
    let at = |row: usize| part.start * rows + part.len() * row;
    at(tile.start)..at(tile.end)
}

/// Rows that are multiplied together.
fn tiles(rows: usize) -> impl Iterator<Item = Range<usize>> {
    parts(rows, rows.div_ceil(TILE))
}

/// Rows divided into blocks that threads take one after the other: of two tiles, for which a panel is then read from the
/// second-level cache, and towards the end of one, so that no thread waits long for another's last.
pub(super) fn blocks(rows: usize, threads: usize) -> Vec<Range<usize>> {
    let fewest = rows.div_ceil(TILE);
    let tiles = if fewest < EVEN * threads { fewest.next_multiple_of(threads).min(rows) } else { fewest };
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
pub(super) fn parts(total: usize, count: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    (0..count).map(move |part| part * total / count..(part + 1) * total / count)
}

/// Write the values of a row `rows` apart, from `at` on.
#[multiversion(targets = "simd")]
fn pack(to: &mut [f32], at: usize, rows: usize, from: &[f32]) {
    for (to, value) in to.chunks_exact_mut(rows).zip(from) {
        to[at] = *value;
    }
}

/// The same with a part of the values of a row after its norm.
#[multiversion(targets = "simd")]
fn pack_normed(to: &mut [f32], at: usize, rows: usize, from: &[f32], norm: &Norm, part: Range<usize>) {
    let scale = scale(from, norm.eps);
    let values = from[part.clone()].iter().zip(&norm.weight[part]);
    for (to, (value, weight)) in to.chunks_exact_mut(rows).zip(values) {
        to[at] = value * scale * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::host::Rows;

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
                        for (input, values) in part.clone().zip(values.chunks_exact(tile.len())) {
                            for (row, value) in tile.clone().zip(values) {
                                let plain =
                                    if norm.is_some() { normed.row(row)[input] } else { from[row * stride + input] };
                                assert_eq!(*value, plain, "row {row}, input {input}");
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
