//! Keys and values of one layer, in reusable memory.

use std::ops::Range;

use super::Rows;
use super::activations::{Buffer, Buffers};
use super::math::by_rows;
use crate::decoder::ops::Heads;
use crate::decoder::rows::RowRanges;

/// Keys and values of one layer, `(rows, kv heads * head size)` each.
#[derive(Debug)]
pub struct LayerCache {
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

    /// Reserves capacity for `rows` rows in total.
    pub fn reserve(&mut self, rows: usize) {
        self.keys.reserve(rows * self.width);
        self.values.reserve(rows * self.width);
    }

    /// Appends the keys and values of `qkv`.
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

    /// Drops all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        let len = self.keys.len().min(rows * self.width);
        self.keys.set_len(len);
        self.values.set_len(len);
    }

    /// Keeps the given rows in the given order.
    pub fn keep(&mut self, rows: &RowRanges) {
        gather(&mut self.keys, self.width, rows);
        gather(&mut self.values, self.width, rows);
    }
}

/// Gathers rows: in place if they ascend, else through a copy of those that move.
fn gather(values: &mut Buffer, width: usize, rows: &RowRanges) {
    let mut kept = 0;
    if !rows.is_sorted() {
        let stays = |rows: &&Range<usize>| {
            let stays = rows.start == kept;
            kept += if stays { rows.len() } else { 0 };
            stays
        };
        let staying = rows.iter().take_while(stays).count();
        let moved: Vec<f32> =
            rows.iter().skip(staying).flat_map(|rows| &values[rows.start * width..rows.end * width]).copied().collect();
        values.set_len(kept * width + moved.len());
        values[kept * width..].copy_from_slice(&moved);
        return;
    }
    for rows in rows {
        if rows.start * width != kept {
            values.copy_within(rows.start * width..rows.end * width, kept);
        }
        kept += rows.len() * width;
    }
    values.set_len(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_gathered_in_any_order() {
        for order in [
            vec![0..3, 3..9],
            vec![0..2, 4..7],
            vec![2..3, 5..9],
            vec![0..4, 7..9, 4..6],
            vec![5..9, 0..5],
            vec![0..3, 1..2, 1..2, 5..9],
            vec![0..9, 0..9],
        ] {
            let mut values = Buffers::default().longest();
            values.set_len(18);
            values.iter_mut().enumerate().for_each(|(at, value)| *value = at as f32);
            gather(&mut values, 2, &order.iter().cloned().collect());
            let expected: Vec<f32> =
                order.iter().cloned().flatten().flat_map(|row| [2.0 * row as f32, 2.0 * row as f32 + 1.0]).collect();
            assert_eq!(values[..], expected, "{order:?}");
        }
    }
}
