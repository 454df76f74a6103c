//! Keys and values packed for the products of attention.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::decoder::cpu::cache::LayerCache;
use crate::decoder::cpu::float::{LANES, Lanes, room};
use crate::decoder::ops::Heads;

/// Keys and values of some heads of one layer in panels.
#[derive(Default)]
pub(super) struct KvPanels {
    /// The key heads.
    pub kv_heads: Range<usize>,
    head_dim: usize,
    /// Rows of the cache.
    rows: usize,
    /// `(key heads, panels of 32 cache rows, head size)`; rows after the last one are not set.
    keys: Vec<Lanes>,
    /// `(key heads, head size / 32, cache rows)`; numbers after the last one of a head are not set.
    values: Vec<Lanes>,
}

impl KvPanels {
    /// Pack all rows of a cache.
    pub fn pack(&mut self, cache: &LayerCache, heads: &Heads, kv_heads: Range<usize>) {
        let (rows, head_dim, first) = (cache.rows(), heads.head_dim, kv_heads.start);
        let (panels, parts) = (rows.div_ceil(LANES), head_dim.div_ceil(LANES));
        let keys = room(&mut self.keys, kv_heads.len() * panels * head_dim);
        let values = room(&mut self.values, kv_heads.len() * parts * rows);
        let pack_keys = || {
            keys.par_chunks_mut(head_dim).enumerate().for_each(|(number, to)| {
                let (head, panel) = (first + number / panels, number % panels);
                for (lane, row) in (panel * LANES..rows.min((panel + 1) * LANES)).enumerate() {
                    let from = &cache.keys[row * cache.width + head * head_dim..][..head_dim];
                    for (to, value) in to.iter_mut().zip(from) {
                        to.0[lane] = *value;
                    }
                }
            });
        };
        let pack_values = || {
            values.par_chunks_mut(rows).enumerate().for_each(|(number, to)| {
                let (head, part) = (first + number / parts, number % parts);
                let columns = part * LANES..head_dim.min((part + 1) * LANES);
                for (to, from) in to.iter_mut().zip(cache.values.chunks_exact(cache.width)) {
                    let from = &from[head * head_dim..][columns.clone()];
                    match from.first_chunk() {
                        Some(whole) => to.0 = *whole,
                        None => to.0[..from.len()].copy_from_slice(from),
                    }
                }
            });
        };
        rayon::join(pack_keys, pack_values);
        (self.kv_heads, self.head_dim, self.rows) = (kv_heads, head_dim, rows);
    }

    /// Some panels of keys.
    pub fn keys(&self, kv_head: usize, panels: Range<usize>) -> &[Lanes] {
        let before = (kv_head - self.kv_heads.start) * self.rows.div_ceil(LANES);
        &self.keys[(before + panels.start) * self.head_dim..(before + panels.end) * self.head_dim]
    }

    /// 32 numbers of the values of some cache rows.
    pub fn values(&self, kv_head: usize, part: usize, rows: Range<usize>) -> &[Lanes] {
        let before = ((kv_head - self.kv_heads.start) * self.head_dim.div_ceil(LANES) + part) * self.rows;
        &self.values[before + rows.start..before + rows.end]
    }
}

/// Keys and values that a tile sees, of one key head. What no query sees is not set.
#[derive(Default)]
pub(super) struct TilePanels {
    /// `(panels of the tile, head size)`.
    pub keys: Vec<Lanes>,
    /// `(head size / 32, columns of the tile)`.
    pub values: Vec<Lanes>,
}

impl TilePanels {
    /// Pack the runs of rows that a tile of so many columns sees, each to the columns from its first on.
    pub fn pack(
        &mut self,
        columns: usize,
        runs: impl Iterator<Item = (Range<usize>, usize)>,
        kv_head: usize,
        cache: &LayerCache,
        head_dim: usize,
    ) {
        let keys = room(&mut self.keys, columns / LANES * head_dim);
        let values = room(&mut self.values, head_dim.div_ceil(LANES) * columns);
        for (rows, column) in runs {
            pack_rows(keys, values, columns, column, rows, kv_head * head_dim..(kv_head + 1) * head_dim, cache);
        }
    }
}

/// Pack some rows of a head, whose numbers are `head`, to the columns from `column` on.
#[multiversion(targets = "simd")]
fn pack_rows(
    keys: &mut [Lanes],
    values: &mut [Lanes],
    columns: usize,
    column: usize,
    rows: Range<usize>,
    head: Range<usize>,
    cache: &LayerCache,
) {
    let head_dim = head.len();
    for (column, row) in (column..).zip(rows) {
        let at = row * cache.width;
        let panel = &mut keys[column / LANES * head_dim..][..head_dim];
        for (to, key) in panel.iter_mut().zip(&cache.keys[at + head.start..at + head.end]) {
            to.0[column % LANES] = *key;
        }
        for (part, from) in cache.values[at + head.start..at + head.end].chunks(LANES).enumerate() {
            let to = &mut values[part * columns + column].0;
            match from.first_chunk() {
                Some(whole) => *to = *whole,
                None => to[..from.len()].copy_from_slice(from),
            }
        }
    }
}
