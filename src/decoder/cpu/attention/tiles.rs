//! Attention with keys and values in panels, for passes of many queries on processors with AVX-512.
//!
//! Keys and values of the cache are packed once for all queries of a pass: 32 keys side by side for each number of a
//! head, so that a panel gives the scores of 32 keys, and 32 numbers of the values side by side for each key. A tile
//! holds a few consecutive queries of the pass, each with all heads that share a key head: the rows of its products. It
//! lists the panels of which some query sees a key; the keys among them that a query does not see are hidden before the
//! softmax.

use std::cell::RefCell;
use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use crate::decoder::cpu::Rows;
use crate::decoder::cpu::cache::LayerCache;
use crate::decoder::cpu::float::{
    Avx512, LANES, Lanes, STRIP, Strip, TILE, TileProduct, multiply_tile, pack, parts, room,
};
use crate::decoder::cpu::math::{exp_below_one, in_order, largest, soft_cap, split, sum};
use crate::decoder::cpu::matmul::Onto;
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::Layout;
use crate::decoder::rows::RowRanges;

/// Consecutive queries of the pass.
#[derive(Debug, Clone)]
pub(crate) struct QueryTile {
    /// Queries as tokens of the pass.
    tokens: Range<usize>,
    /// Panels of cache rows, ascending, in runs.
    panels: RowRanges,
    /// Cache rows that some query sees, ascending, extended to the start of their strips.
    keys: RowRanges,
    /// Cache rows that each query sees, ascending.
    seen: Vec<RowRanges>,
}

/// Bytes of keys and values that are packed at a time: with long contexts, those of a few heads.
const PANEL_BYTES: usize = 16 << 20;

/// What a panel costs besides its products, in rows.
const ROWS_PER_PANEL: usize = 2;

impl QueryTile {
    /// The query of one token, which sees the cache rows `seen`.
    fn of_token(token: usize, seen: RowRanges) -> QueryTile {
        let seen = seen.sorted();
        let panels: RowRanges = seen.iter().map(|rows| rows.start / LANES..rows.end.div_ceil(LANES)).collect();
        let keys: RowRanges = seen.iter().map(|rows| rows.start / STRIP * STRIP..rows.end).collect();
        QueryTile { tokens: token..token + 1, panels: panels.sorted(), keys: keys.sorted(), seen: vec![seen] }
    }

    /// Both as one.
    fn joined(&self, next: &QueryTile) -> QueryTile {
        QueryTile {
            tokens: self.tokens.start..next.tokens.end,
            panels: self.panels.joined(&next.panels),
            keys: self.keys.joined(&next.keys),
            seen: [&self.seen[..], &next.seen].concat(),
        }
    }

    /// Keys of all panels.
    fn columns(&self) -> usize {
        self.panels.len() * LANES
    }

    /// Time of the products, in products of one row with one key.
    fn cost(&self, heads: &Heads) -> usize {
        self.columns() * (self.tokens.len() * heads.group() + ROWS_PER_PANEL)
    }

    /// Runs of keys, each with the column of its first key, where a strip starts.
    fn keys_by_column(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (mut runs, mut before) = (self.panels.iter().peekable(), 0);
        self.keys.iter().map(move |keys| {
            while let Some(run) = runs.next_if(|run| run.end * LANES <= keys.start) {
                before += run.len();
            }
            let first = runs.peek().map_or(0, |run| run.start);
            (keys.clone(), before * LANES + keys.start - first * LANES)
        })
    }

    /// Make the scores of the keys that a query does not see negative infinity.
    fn hide(&self, query: usize, scores: &mut [f32]) {
        let mut rest = scores;
        for run in &self.panels {
            let rows = run.start * LANES..run.end * LANES;
            let (own, after) = rest.split_at_mut(rows.len());
            let mut next = rows.start;
            for seen in &self.seen[query] {
                let seen = seen.start.clamp(next, rows.end)..seen.end.clamp(next, rows.end);
                own[next - rows.start..seen.start - rows.start].fill(f32::NEG_INFINITY);
                next = seen.end;
            }
            own[next - rows.start..].fill(f32::NEG_INFINITY);
            rest = after;
        }
    }
}

/// Cut a pass into tiles, in order of tokens.
pub(super) fn tiles(layout: &Layout, heads: &Heads, window: Option<usize>) -> Vec<QueryTile> {
    let most = (TILE / heads.group()).max(1);
    let mut tiles: Vec<QueryTile> = Vec::new();
    for branch in &layout.branches {
        for (token, depth) in branch.tokens.clone().zip(branch.depth..) {
            let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
            let tile = QueryTile::of_token(token, branch.path.slice(first..depth + 1));
            let joined = tiles.last().filter(|last| last.tokens.len() < most).and_then(|last| {
                let joined = last.joined(&tile);
                (joined.cost(heads) <= last.cost(heads) + tile.cost(heads)).then_some(joined)
            });
            match (joined, tiles.last_mut()) {
                (Some(joined), Some(last)) => *last = joined,
                _ => tiles.push(tile),
            }
        }
    }
    tiles
}

/// Keys and values of some heads of one layer in panels.
#[derive(Default)]
struct KvPanels {
    /// The key heads.
    kv_heads: Range<usize>,
    head_dim: usize,
    /// Rows of the cache.
    rows: usize,
    /// `(key heads, panels of 32 cache rows, head size)`; rows after the last one are not set.
    keys: Vec<Lanes>,
    /// `(key heads, head size / 32, cache rows)`; numbers after the last one of a head are not set.
    values: Vec<Lanes>,
}

impl KvPanels {
    fn pack(&mut self, cache: &LayerCache, heads: &Heads, kv_heads: Range<usize>) {
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
    fn keys(&self, kv_head: usize, panels: Range<usize>) -> &[Lanes] {
        let before = (kv_head - self.kv_heads.start) * self.rows.div_ceil(LANES);
        &self.keys[(before + panels.start) * self.head_dim..(before + panels.end) * self.head_dim]
    }

    /// 32 numbers of the values of some cache rows.
    fn values(&self, kv_head: usize, part: usize, rows: Range<usize>) -> &[Lanes] {
        let before = ((kv_head - self.kv_heads.start) * self.head_dim.div_ceil(LANES) + part) * self.rows;
        &self.values[before + rows.start..before + rows.end]
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    /// Queries: `(head size / 16, rows of the tile)`.
    queries: Vec<Strip>,
    /// `(rows of the tile, keys)`.
    scores: Vec<f32>,
    /// Probabilities before division by their sum: `(keys / 16, rows of the tile)`.
    probabilities: Vec<Strip>,
    /// Strips with keys that some query sees.
    strips: Vec<Range<usize>>,
}

thread_local! {
    static PANELS: RefCell<KvPanels> = RefCell::default();
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(tiles: &[QueryTile], avx512: Avx512, input: &AttentionInput<Rows, LayerCache>) -> Rows {
    let of_one_head = 2 * input.cache.rows() * input.heads.head_dim * size_of::<f32>();
    attend_by(PANEL_BYTES / of_one_head, tiles, avx512, input)
}

/// The same with the keys and values of `at_once` heads packed at a time.
fn attend_by(at_once: usize, tiles: &[QueryTile], avx512: Avx512, input: &AttentionInput<Rows, LayerCache>) -> Rows {
    let &AttentionInput { qkv, cache, heads } = input;
    let mut out = qkv.beside(qkv.len(), heads.queries().len());
    let at_once = at_once.clamp(1, heads.kv_heads);
    // Taken and put back, because a thread that waits for the others may start another pass.
    let mut panels = PANELS.take();
    for kv_heads in parts(heads.kv_heads, heads.kv_heads.div_ceil(at_once)) {
        panels.pack(cache, heads, kv_heads);
        let pass = Attention { qkv, panels: &panels, heads, avx512 };
        let sizes = tiles.iter().map(|tile| tile.tokens.len() * out.stride);
        let mut work: Vec<_> = tiles.iter().zip(split(&mut out.values, sizes)).collect();
        // Later tiles of a sequence see more keys: started first, none of them is left running alone at the end.
        work.reverse();
        in_order(work, |(tile, out)| SCRATCH.with_borrow_mut(|scratch| pass.tile(tile, out, scratch)));
    }
    PANELS.set(panels);
    out
}

/// What all tiles of a pass have in common.
struct Attention<'a> {
    qkv: &'a Rows,
    panels: &'a KvPanels,
    heads: &'a Heads,
    avx512: Avx512,
}

impl Attention<'_> {
    /// Attention of the heads whose keys are packed, written to their place in `(queries, heads * head size)`.
    fn tile(&self, tile: &QueryTile, out: &mut [f32], scratch: &mut Scratch) {
        let group = self.heads.group();
        for kv_head in self.panels.kv_heads.clone() {
            for members in parts(group, group.div_ceil(TILE)) {
                let heads = kv_head * group + members.start..kv_head * group + members.end;
                self.heads(tile, kv_head, heads, out, scratch);
            }
        }
    }

    /// The same for some heads that share a key head.
    fn heads(&self, tile: &QueryTile, kv_head: usize, heads: Range<usize>, out: &mut [f32], scratch: &mut Scratch) {
        let Heads { head_dim, scale, cap, .. } = *self.heads;
        let (rows, columns) = (tile.tokens.len() * heads.len(), tile.columns());
        let Scratch { queries, scores, probabilities, strips } = scratch;
        strips.clear();
        strips.extend(tile.keys_by_column().map(|(keys, column)| {
            let first = column / STRIP;
            first..first + keys.len().div_ceil(STRIP)
        }));
        queries.resize(rows * head_dim.div_ceil(STRIP), Strip([0.0; STRIP]));
        scores.resize(rows * columns, 0.0);
        probabilities.resize(rows * columns / STRIP, Strip([0.0; STRIP]));

        let each_row = tile.tokens.clone().flat_map(|token| heads.clone().map(move |head| (token, head)));
        for (at, (token, head)) in each_row.enumerate() {
            pack(queries, at, rows, &self.qkv.row(token)[head * head_dim..][..head_dim]);
        }

        let mut each: Vec<&mut [f32]> = scores.chunks_exact_mut(columns).collect();
        let mut first = 0;
        for run in &tile.panels {
            let keys = self.panels.keys(kv_head, run.clone());
            let product =
                TileProduct { panels: keys, inputs: head_dim, rows: queries, onto: Onto::Replace, factor: scale };
            multiply_tile(self.avx512, product, &mut each, first);
            first += run.len() * LANES;
        }

        let mut sums = [0.0; TILE];
        for (at, scores) in each.into_iter().enumerate() {
            if let Some(cap) = cap {
                cap_scores(scores, cap);
            }
            tile.hide(at / heads.len(), scores);
            sums[at] = softmax(scores, strips, probabilities, at, rows);
        }

        let width = self.heads.queries().len();
        let mut mixed: Vec<&mut [f32]> = out
            .chunks_exact_mut(width)
            .flat_map(|query| query[heads.start * head_dim..heads.end * head_dim].chunks_exact_mut(head_dim))
            .collect();
        for part in 0..head_dim.div_ceil(LANES) {
            let mut onto = Onto::Replace;
            for (keys, column) in tile.keys_by_column() {
                let probabilities = &probabilities[column / STRIP * rows..];
                let values = self.panels.values(kv_head, part, keys.clone());
                let product =
                    TileProduct { panels: values, inputs: keys.len(), rows: probabilities, onto, factor: 1.0 };
                multiply_tile(self.avx512, product, &mut mixed, part * LANES);
                onto = Onto::Add;
            }
        }
        for (mixed, sum) in mixed.into_iter().zip(sums) {
            divide(mixed, sum);
        }
    }
}

/// Soft cap on scores.
#[multiversion(targets = "simd")]
fn cap_scores(scores: &mut [f32], cap: f32) {
    for score in scores {
        *score = soft_cap(*score, cap);
    }
}

#[multiversion(targets = "simd")]
fn divide(values: &mut [f32], by: f32) {
    let scale = 1.0 / by;
    for value in values {
        *value *= scale;
    }
}

/// Write `exp(score - largest)` of the strips of a row to strips `rows` apart, from `at` on; returns their sum.
#[multiversion(targets = "simd")]
fn softmax(scores: &[f32], strips: &[Range<usize>], to: &mut [Strip], at: usize, rows: usize) -> f32 {
    let (scores, _) = scores.as_chunks::<STRIP>();
    let mut highest = f32::NEG_INFINITY;
    for strips in strips {
        highest = highest.max(largest(scores[strips.clone()].as_flattened()));
    }
    let mut sums = [0.0; STRIP];
    for strips in strips {
        let to = to[strips.start * rows..].chunks_exact_mut(rows).map(|strips| &mut strips[at].0);
        for (scores, to) in scores[strips.clone()].iter().zip(to) {
            for ((score, to), sum) in scores.iter().zip(to).zip(&mut sums) {
                *to = exp_below_one(score - highest);
                *sum += *to;
            }
        }
    }
    sum(sums)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{HEADS, layout, pass, path};
    use super::*;
    use crate::decoder::cpu::activations::Buffers;
    use crate::decoder::cpu::activations::tests::activations;

    proptest! {
        /// Whatever queries share a tile, every one sees the rows of its own path within the window, and no others.
        #[test]
        fn queries_see_their_paths(
            cached in 1usize..80,
            branches in prop::collection::vec((1usize..40, 0usize..12), 1..24),
            window in prop::option::of(1usize..60),
        ) {
            let layout = layout(&pass(cached, &branches), cached);
            let mut next = 0;
            for tile in tiles(&layout, &HEADS, window) {
                prop_assert_eq!(tile.tokens.start, next);
                next = tile.tokens.end;
                for (query, token) in tile.tokens.clone().enumerate() {
                    let mut scores = vec![0.0; tile.columns()];
                    tile.hide(query, &mut scores);
                    let rows = tile.panels.iter().flat_map(|run| run.start * LANES..run.end * LANES);
                    let seen = rows.zip(scores).filter(|(_, score)| *score == 0.0).map(|(row, _)| row);
                    prop_assert_eq!(seen.collect::<Vec<_>>(), path(&layout, token, window), "token {}", token);
                }
            }
            prop_assert_eq!(next, layout.positions.len());
        }
    }

    #[test]
    fn it_does_not_matter_how_many_heads_are_packed_at_one_time() {
        let Some(avx512) = Avx512::detect() else {
            println!("skipped: no AVX-512 here");
            return;
        };
        let heads = Heads { heads: 6, kv_heads: 3, head_dim: 20, scale: 0.3, cap: None };
        let layout = layout(&pass(40, &[(30, usize::MAX), (5, 0), (17, 0)]), 40);
        let mut cache = LayerCache::new(heads.kv_width(), &Buffers::default());
        let (prefix, qkv) = (activations(40, heads.values().end), activations(52, heads.values().end));
        cache.store(&prefix, &heads);
        cache.store(&qkv, &heads);
        let tiles = tiles(&layout, &heads, None);
        let input = AttentionInput { qkv: &qkv, cache: &cache, heads: &heads };
        let together = attend_by(3, &tiles, avx512, &input);
        for at_once in [1, 2] {
            let apart = attend_by(at_once, &tiles, avx512, &input);
            assert_eq!(apart.values[..], together.values[..], "{at_once} at a time");
        }
    }

    #[test]
    fn short_branches_of_one_prefix_share_tiles() {
        // 40 branches of one token under 300 rows, and the same under prefixes of their own.
        let branches: Vec<(usize, usize)> = (0..40).map(|_| (1, usize::MAX)).collect();
        assert_eq!(tiles(&layout(&pass(300, &branches), 300), &HEADS, None).len(), 10);
        let apart: Vec<(usize, usize)> = (0..40).map(|prefix| (1, prefix)).collect();
        let prefixes: Vec<(usize, usize)> = (0..40).map(|_| (64, usize::MAX)).collect();
        let apart = tiles(&layout(&pass(1, &[prefixes, apart].concat()), 1), &HEADS, None);
        assert_eq!(apart.iter().filter(|tile| tile.tokens.start >= 2560).count(), 40);
    }
}
