//! Keys and values packed for the products of attention.

use std::ops::Range;

use rayon::prelude::*;

use crate::decoder::cpu::cache::LayerCache;
use crate::decoder::cpu::float::{LANES, Lanes, room};
use crate::decoder::ops::Heads;

/// Keys and values of some heads of one layer, in panels.
#[derive(Default)]
pub(super) struct KvPanels {
    /// The key heads.
    pub kv_heads: Range<usize>,
    head_dim: usize,
    /// Number of cache rows.
    rows: usize,
    /// `(key heads, panels of 32 cache rows, head size)`; rows after the last one are unspecified.
    keys: Vec<Lanes>,
    /// `(key heads, head size / 32, cache rows)`; elements after the end of a head are unspecified.
    values: Vec<Lanes>,
}

impl KvPanels {
    /// Packs all rows of a cache.
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

    /// A range of panels of keys.
    pub fn keys(&self, kv_head: usize, panels: Range<usize>) -> &[Lanes] {
        let before = (kv_head - self.kv_heads.start) * self.rows.div_ceil(LANES);
        &self.keys[(before + panels.start) * self.head_dim..(before + panels.end) * self.head_dim]
    }

    /// 32 elements of the values of some cache rows.
    pub fn values(&self, kv_head: usize, part: usize, rows: Range<usize>) -> &[Lanes] {
        let before = ((kv_head - self.kv_heads.start) * self.head_dim.div_ceil(LANES) + part) * self.rows;
        &self.values[before + rows.start..before + rows.end]
    }
}
