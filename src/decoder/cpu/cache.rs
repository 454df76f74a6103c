//! Keys and values of one layer, in memory that is used again.

use super::Rows;
use super::activations::{Buffer, Buffers};
use super::math::by_rows;
use crate::decoder::ops::Heads;
use crate::decoder::rows::RowRanges;

/// Keys and values of one layer, `(rows, kv heads * head size)` each.
#[derive(Debug)]
pub(crate) struct LayerCache {
    pub keys: Buffer,
    pub values: Buffer,
    pub width: usize,
}

impl LayerCache {
    /// An empty cache.
    pub fn new(width: usize, buffers: &Buffers) -> LayerCache {
        LayerCache { keys: buffers.longest(), values: buffers.longest(), width }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.keys.len() / self.width
    }

    /// Make room for `rows` rows in all.
    pub fn reserve(&mut self, rows: usize) {
        self.keys.reserve(rows * self.width);
        self.values.reserve(rows * self.width);
    }

    /// Append the keys and values of `qkv`.
    pub fn store(&mut self, qkv: &Rows, heads: &Heads) {
        let from = self.keys.len();
        for (kept, columns) in [(&mut self.keys, heads.keys()), (&mut self.values, heads.values())] {
            kept.set_len(from + qkv.len() * self.width);
            by_rows(&mut kept[from..], self.width, |first, kept| {
                for (row, kept) in (first..).zip(kept.chunks_exact_mut(self.width)) {
                    kept.copy_from_slice(&qkv.row(row)[columns.clone()]);
                }
            });
        }
    }

    /// Drop all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        let len = self.keys.len().min(rows * self.width);
        self.keys.set_len(len);
        self.values.set_len(len);
    }

    /// Keep the given rows in the given order.
    pub fn keep(&mut self, rows: &RowRanges) {
        gather(&mut self.keys, self.width, rows);
        gather(&mut self.values, self.width, rows);
    }
}

/// Gather rows: in place where they ascend, else through a copy.
fn gather(values: &mut Buffer, width: usize, rows: &RowRanges) {
    if !rows.is_sorted() {
        let kept: Vec<f32> =
            rows.iter().flat_map(|rows| &values[rows.start * width..rows.end * width]).copied().collect();
        values.set_len(kept.len());
        values.copy_from_slice(&kept);
        return;
    }
    let mut kept = 0;
    for rows in rows {
        if rows.start * width != kept {
            values.copy_within(rows.start * width..rows.end * width, kept);
        }
        kept += rows.len() * width;
    }
    values.set_len(kept);
}
