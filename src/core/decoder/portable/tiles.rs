//! The non-empty tiles of a pass's mask.
//!
//! # Design of a custom kernel
//!
//! Attention on plain tensors cannot keep scores on chip: they are written and read once in f32. A kernel after
//! FlashAttention-2 (Dao 2023, arXiv:2307.08691, algorithm 1) would, and this module has everything it needs from the
//! host. It is not written: on an H200, softmax and both products of attention are 32 % of a prefill of 4,096 tokens.
//!
//! - One thread block takes a tile of queries of one key head and loops over the non-empty tiles of its [`tiles`] row,
//!   which the host lists: query tile, first row, and whether the tile is [whole](Tile::whole), so that most tiles load
//!   no mask.
//! - Queries of all heads that share a key head are packed: the 64 rows of a tile are `64 / group` queries times
//!   `group` heads, so that a decoding step fills more of the tensor cores than one row in 64.
//! - Products are `mma.sync` m16n8k16 of 16-bit operands with f32 accumulators (sm_80 and up): queries are scaled in
//!   f32 before rounding; scores, running maximum and sum stay in f32 registers; probabilities are rounded only for the
//!   second product, as in `attention.rs`.
//! - The mask of a tile that is not whole is `from <= query < to` by the row's
//!   [`Intervals`](super::intervals::Intervals), and under a window `depth of query < until`: three numbers per row and
//!   one per query in shared memory, and nothing of size queries by rows. A pass that is not in depth-first order has
//!   several intervals per row, combined with OR.
//! - A soft cap is applied to the scores in registers. Keys and values are read directly from the cache: head by head,
//!   row after row, with spare capacity at the end (`cache.rs`).
//!
//! The same list serves the tensors of `attention.rs`, which cannot skip single tiles: a block of queries is computed
//! over the rows from its first tile to its last, except wide gaps, and needs no mask if all tiles between are whole.

use std::ops::Range;

use super::intervals::{Intervals, Seen};

/// A tile of queries by cache rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tile {
    pub queries: Range<usize>,
    pub rows: Range<usize>,
    /// Whether every query sees every row.
    pub whole: bool,
}

/// Number of cache rows per tile.
const TILE_ROWS: usize = 64;

/// The tiles of `queries` queries by `rows` rows in which any query sees any row, sorted by queries, then rows.
pub(super) fn tiles(intervals: &Intervals, queries: usize, rows: usize) -> Vec<Tile> {
    let cut = |all: usize, size: usize| (0..all).step_by(size).map(move |start| start..(start + size).min(all));
    let mut tiles = Vec::new();
    for queries in cut(intervals.queries(), queries) {
        for rows in cut(intervals.rows(), rows) {
            match intervals.seen(&queries, &rows) {
                Seen::Nothing => {}
                seen => tiles.push(Tile { queries: queries.clone(), rows, whole: seen == Seen::All }),
            }
        }
    }
    tiles
}

/// Queries, and the rows over which they are computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub queries: Range<usize>,
    /// Ranges in order, with gaps between them.
    pub rows: Vec<Range<usize>>,
    /// Whether every query sees every row.
    pub whole: bool,
}

/// Minimum width of an unseen gap of rows that is left out: the remaining rows then have to be gathered by a copy.
const WORTH_A_COPY: usize = 4 * TILE_ROWS;

/// For each run of `queries` queries, the rows from the first to the last that is seen, in whole tiles and without wide
/// gaps.
pub(super) fn blocks(intervals: &Intervals, queries: usize) -> Vec<Block> {
    let tiles = tiles(intervals, queries, TILE_ROWS);
    let of_block = tiles.chunk_by(|one, next| one.queries == next.queries).filter_map(|tiles| {
        let queries = tiles.first()?.queries.clone();
        let without_gaps = tiles.chunk_by(|one, next| one.rows.end == next.rows.start);
        let mut rows: Vec<Range<usize>> =
            without_gaps.map(|tiles| tiles[0].rows.start..tiles[tiles.len() - 1].rows.end).collect();
        let (seen, span) = (rows.iter().map(Range::len).sum::<usize>(), rows[0].start..rows[rows.len() - 1].end);
        let whole = seen == span.len() && tiles.iter().all(|tile| tile.whole);
        if span.len() - seen < WORTH_A_COPY {
            rows = vec![span];
        }
        Some(Block { queries, rows, whole })
    });
    of_block.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decoder::portable::tries::{Trie, dense, tries};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

        #[test]
        fn tiles_are_those_in_which_something_is_seen(trie in tries(), sizes in (1usize..70, 1usize..70)) {
            let Trie { layout, window, .. } = &trie;
            let (intervals, dense) = (Intervals::new(layout, *window), dense(layout, *window));
            let found = tiles(&intervals, sizes.0, sizes.1);
            let mut places = found.iter();
            let mut next = places.next();
            for from in (0..intervals.queries()).step_by(sizes.0) {
                for start in (0..intervals.rows()).step_by(sizes.1) {
                    let queries = from..(from + sizes.0).min(intervals.queries());
                    let rows = start..(start + sizes.1).min(intervals.rows());
                    let seen: Vec<bool> = queries.clone().flat_map(|query| dense[query][rows.clone()].to_vec()).collect();
                    if !seen.contains(&true) {
                        continue;
                    }
                    let tile = next.unwrap();
                    prop_assert_eq!((&tile.queries, &tile.rows), (&queries, &rows));
                    let whole = !seen.contains(&false);
                    // If rows have several intervals, a whole tile may go undetected; one marked whole always is.
                    prop_assert!(tile.whole == whole || (whole && !trie.depth_first));
                    next = places.next();
                }
            }
            prop_assert_eq!(next, None);
        }

        #[test]
        fn blocks_hold_all_that_is_seen(trie in tries(), size in 1usize..200) {
            let Trie { layout, window, .. } = &trie;
            let (intervals, dense) = (Intervals::new(layout, *window), dense(layout, *window));
            let blocks = blocks(&intervals, size);
            let covered: Vec<usize> = blocks.iter().flat_map(|block| block.queries.clone()).collect();
            prop_assert_eq!(covered, (0..intervals.queries()).collect::<Vec<_>>());
            for Block { queries, rows, whole } in blocks {
                let within = |row: usize| rows.iter().any(|range| range.contains(&row));
                for query in queries {
                    prop_assert!((0..intervals.rows()).all(|row| within(row) || !dense[query][row]));
                    prop_assert!(!whole || (0..intervals.rows()).all(|row| !within(row) || dense[query][row]));
                }
            }
        }
    }
}
