//! Attention with keys and values in panels, on processors with AVX2 or AVX-512.
//!
//! A tile holds a few consecutive queries of the pass, each with all heads that share a key head: the rows of its
//! products. In passes with many queries, keys and values of the whole cache are packed once for all of them: 32 keys
//! side by side for each element of a head, so that a panel gives the scores of 32 keys, and 32 elements of the values
//! side by side for each key. A tile then lists the panels of which any query sees a key. In passes with few queries,
//! each tile reads its rows directly from the cache, one after the other. Keys of a tile that a query does not see are
//! masked before the softmax.
//!
//! The result of a query is bit-identical whatever else is in its tile, its pass and the cache: a score is summed over
//! the elements of a head in order, the probabilities in sixteen partial sums by depth, the values key by key in order
//! of depth, and masked keys add nothing.

use std::cell::RefCell;
use std::ops::Range;

use multiversion::multiversion;

use super::packed::KvPanels;
use super::softmax::{SeenRun, cap_scores, exponentials, sum_by_depth};
use crate::decoder::cpu::Rows;
use crate::decoder::cpu::cache::LayerCache;
use crate::decoder::cpu::float::{
    Floats, Gathered, LANES, STRIP, Strip, TILE, TileProduct, mix_tile, multiply_tile, pack, parts,
};
use crate::decoder::cpu::math::{in_order, split};
use crate::decoder::cpu::matmul::Onto;
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::Layout;
use crate::decoder::rows::RowRanges;

/// Consecutive queries of the pass.
#[derive(Debug, Clone)]
pub struct QueryTile {
    /// Queries as pass tokens.
    tokens: Range<usize>,
    /// Panels of keys in ascending runs.
    panels: RowRanges,
    /// Keys that any query sees, ascending; extended to the start of their strips if packed.
    keys: RowRanges,
    /// Keys that each query sees, ascending, which is also in order of depth.
    seen: Vec<RowRanges>,
    /// Depth of the first key that each query sees.
    depths: Vec<usize>,
    /// The cache row of each key, if keys are numbered within the tile; otherwise keys are cache rows.
    rows: Vec<u32>,
}

/// Bytes of keys and values that are packed at a time; with long contexts, that is a few heads.
const PANEL_BYTES: usize = 16 << 20;

/// Overhead of a panel beyond its products, in rows.
const ROWS_PER_PANEL: usize = 2;

/// Number of tiles per thread from which no tile is divided.
const TILES: usize = 4;

/// Number of multiplications below which waking a second thread does not pay.
const ALONE: usize = 1 << 18;

/// Source of keys and values for tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Panels of the whole cache: for many queries that see much of it.
    Panels,
    /// The cache.
    Cache,
}

impl QueryTile {
    /// The query of one token, which sees the cache rows `seen` from depth `depth` on.
    fn of_token(token: usize, seen: RowRanges, depth: usize, source: Source) -> QueryTile {
        let seen = seen.sorted();
        let (panels, keys) = match source {
            Source::Cache => (RowRanges::default(), seen.clone()),
            Source::Panels => {
                let panels: RowRanges = seen.iter().map(|rows| rows.start / LANES..rows.end.div_ceil(LANES)).collect();
                let keys: RowRanges = seen.iter().map(|rows| rows.start / STRIP * STRIP..rows.end).collect();
                (panels.sorted(), keys.sorted())
            }
        };
        let (seen, depths, rows) = (vec![seen], vec![depth], Vec::new());
        QueryTile { tokens: token..token + 1, panels, keys, seen, depths, rows }
    }

    /// Both tiles merged.
    fn joined(&self, next: &QueryTile) -> QueryTile {
        QueryTile {
            tokens: self.tokens.start..next.tokens.end,
            panels: self.panels.joined(&next.panels),
            keys: self.keys.joined(&next.keys),
            seen: [&self.seen[..], &next.seen].concat(),
            depths: [&self.depths[..], &next.depths].concat(),
            rows: Vec::new(),
        }
    }

    /// The tile with its keys renumbered consecutively.
    fn numbered(self) -> QueryTile {
        let number = |seen: &Range<usize>| {
            let mut before = 0;
            for rows in &self.keys {
                if rows.end > seen.start {
                    return before + seen.start - rows.start..before + seen.end - rows.start;
                }
                before += rows.len();
            }
            before..before
        };
        let seen = self.seen.iter().map(|seen| seen.iter().map(number).collect()).collect();
        let rows: Vec<u32> = self.keys.rows().map(|row| row as u32).collect();
        let panels = RowRanges::first(rows.len().div_ceil(LANES));
        QueryTile { seen, panels, keys: RowRanges::first(rows.len()), rows, ..self }
    }

    /// Number of keys in all panels.
    fn columns(&self) -> usize {
        self.panels.len() * LANES
    }

    /// Estimated time of the products, in products of one row with one key.
    fn cost(&self, heads: &Heads, source: Source) -> usize {
        let keys = match source {
            Source::Panels => self.columns(),
            Source::Cache => self.keys.len(),
        };
        keys * (self.tokens.len() * heads.group() + ROWS_PER_PANEL)
    }

    /// Runs of keys, each with the column of its first key, at the start of a strip.
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

    /// Runs of rows that a query sees.
    fn seen_by_column(&self, query: usize) -> impl Iterator<Item = SeenRun> {
        let (mut runs, mut before) = (self.panels.iter().peekable(), 0);
        let mut depth = self.depths[query];
        self.seen[query].iter().map(move |seen| {
            while let Some(run) = runs.next_if(|run| run.end * LANES <= seen.start) {
                before += run.len();
            }
            let first = runs.peek().map_or(0, |run| run.start);
            let at = depth;
            depth += seen.len();
            SeenRun { keys: seen.len(), column: before * LANES + seen.start - first * LANES, depth: at }
        })
    }

    /// Sets the scores of the keys that a query does not see to negative infinity.
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

/// Cuts a pass into tiles, in order of tokens.
pub(super) fn tiles(layout: &Layout, heads: &Heads, window: Option<usize>, source: Source) -> Vec<QueryTile> {
    let most = (TILE / heads.group()).max(1);
    let mut tiles: Vec<QueryTile> = Vec::new();
    for branch in &layout.branches {
        for (token, depth) in branch.tokens.clone().zip(branch.depth..) {
            let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
            let tile = QueryTile::of_token(token, branch.path.slice(first..depth + 1), first, source);
            let joined = tiles.last().filter(|last| last.tokens.len() < most).and_then(|last| {
                let joined = last.joined(&tile);
                let apart = last.cost(heads, source) + tile.cost(heads, source);
                (joined.cost(heads, source) <= apart).then_some(joined)
            });
            match (joined, tiles.last_mut()) {
                (Some(joined), Some(last)) => *last = joined,
                _ => tiles.push(tile),
            }
        }
    }
    match source {
        Source::Panels => tiles,
        Source::Cache => tiles.into_iter().map(QueryTile::numbered).collect(),
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    /// Queries: `(head size / 16, rows of the tile)`, or one element of every row per strip.
    queries: Vec<Strip>,
    /// `(rows of the tile, keys)`.
    scores: Vec<f32>,
    /// Probabilities before division by their sum: `(keys / 16, rows of the tile)`.
    probabilities: Vec<Strip>,
    /// Strips with keys that any query sees.
    strips: Vec<Range<usize>>,
    /// [`QueryTile::seen_by_column`] of one query.
    seen: Vec<SeenRun>,
}

thread_local! {
    static PANELS: RefCell<KvPanels> = RefCell::default();
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(
    tiles: &[QueryTile],
    source: Source,
    floats: Floats,
    input: &AttentionInput<Rows, LayerCache>,
) -> Rows {
    if source == Source::Cache {
        return attend_in_place(tiles, floats, input);
    }
    let of_one_head = 2 * input.cache.rows() * input.heads.head_dim * size_of::<f32>();
    attend_by(PANEL_BYTES / of_one_head, tiles, floats, input)
}

/// Attention that reads the cache directly. Few tiles are divided by key heads, so that all threads have work;
/// otherwise a thread reads whole rows.
fn attend_in_place(tiles: &[QueryTile], floats: Floats, input: &AttentionInput<Rows, LayerCache>) -> Rows {
    let &AttentionInput { qkv, cache, heads } = input;
    let mut out = qkv.beside(qkv.len(), heads.queries().len());
    let pass = Attention { qkv, keys_values: KeysValues::InCache(cache), heads, floats };
    let few = tiles.len() < TILES * rayon::current_num_threads();
    let parts: Vec<(&QueryTile, Range<usize>)> = tiles
        .iter()
        .flat_map(|tile| {
            let at_once = if tile.tokens.len() == 1 && few { 1 } else { heads.kv_heads };
            (0..heads.kv_heads).step_by(at_once).map(move |first| (tile, first..first + at_once))
        })
        .collect();
    let sizes = parts.iter().map(|(tile, kv)| tile.tokens.len() * kv.len() * heads.group() * heads.head_dim);
    let mut work: Vec<_> = parts.iter().zip(split(&mut out.values, sizes)).collect();
    let compute = |((tile, kv_heads), out): (&(&QueryTile, Range<usize>), &mut [f32])| {
        SCRATCH.with_borrow_mut(|scratch| pass.tile(tile, kv_heads.clone(), kv_heads.start, out, scratch));
    };
    let scores: usize = tiles.iter().map(|tile| tile.columns() * tile.tokens.len()).sum();
    if scores * heads.heads * heads.head_dim < ALONE {
        work.into_iter().for_each(compute);
    } else {
        work.reverse();
        in_order(work, compute);
    }
    out
}

/// Attention with the keys and values of `at_once` heads packed at a time, for all tiles.
fn attend_by(at_once: usize, tiles: &[QueryTile], floats: Floats, input: &AttentionInput<Rows, LayerCache>) -> Rows {
    let &AttentionInput { qkv, cache, heads } = input;
    let mut out = qkv.beside(qkv.len(), heads.queries().len());
    let at_once = at_once.clamp(1, heads.kv_heads);
    // Taken and put back, because a thread that waits for the others may start another pass.
    let mut panels = PANELS.take();
    for kv_heads in parts(heads.kv_heads, heads.kv_heads.div_ceil(at_once)) {
        panels.pack(cache, heads, kv_heads.clone());
        let pass = Attention { qkv, keys_values: KeysValues::Panels(&panels), heads, floats };
        let sizes = tiles.iter().map(|tile| tile.tokens.len() * out.stride);
        let mut work: Vec<_> = tiles.iter().zip(split(&mut out.values, sizes)).collect();
        // Later tiles of a sequence see more keys: starting them first avoids one running alone at the end.
        work.reverse();
        in_order(work, |(tile, out)| {
            SCRATCH.with_borrow_mut(|scratch| pass.tile(tile, kv_heads.clone(), 0, out, scratch));
        });
    }
    PANELS.set(panels);
    out
}

/// Data shared by all tiles of a pass.
struct Attention<'a> {
    qkv: &'a Rows,
    keys_values: KeysValues<'a>,
    heads: &'a Heads,
    floats: Floats,
}

/// Source of a tile's keys and values.
#[derive(Clone, Copy)]
enum KeysValues<'a> {
    /// Panels of the whole cache.
    Panels(&'a KvPanels),
    /// The cache, at the rows that the tile lists.
    InCache(&'a LayerCache),
}

impl Attention<'_> {
    /// Attention of the query heads of some key heads, written to their place in `(queries, heads * head size)`, whose
    /// heads start with those of key head `first`.
    fn tile(&self, tile: &QueryTile, kv_heads: Range<usize>, first: usize, out: &mut [f32], scratch: &mut Scratch) {
        let group = self.heads.group();
        for kv_head in kv_heads {
            for members in parts(group, group.div_ceil(TILE)) {
                let heads = kv_head * group + members.start..kv_head * group + members.end;
                self.heads(tile, kv_head, heads, first * group, out, scratch);
            }
        }
    }

    /// Attention of some heads that share a key head.
    fn heads(
        &self,
        tile: &QueryTile,
        kv_head: usize,
        heads: Range<usize>,
        first_head: usize,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Heads { head_dim, scale, cap, .. } = *self.heads;
        let (rows, columns) = (tile.tokens.len() * heads.len(), tile.columns());
        let Scratch { queries, scores, probabilities, strips, seen } = scratch;
        strips.clear();
        strips.extend(tile.keys_by_column().map(|(keys, column)| {
            let first = column / STRIP;
            first..first + keys.len().div_ceil(STRIP)
        }));
        scores.resize(rows * columns, 0.0);
        probabilities.resize(rows * columns / STRIP, Strip([0.0; STRIP]));

        let each_row = tile.tokens.clone().flat_map(|token| heads.clone().map(move |head| (token, head)));
        let each_row = each_row.map(|(token, head)| &self.qkv.row(token)[head * head_dim..][..head_dim]).enumerate();
        let mut each: Vec<&mut [f32]> = scores.chunks_exact_mut(columns).collect();
        match self.keys_values {
            KeysValues::Panels(panels) => {
                queries.resize(rows * head_dim.div_ceil(STRIP), Strip([0.0; STRIP]));
                each_row.for_each(|(at, query)| pack(queries, at, rows, query));
                let mut first = 0;
                for run in &tile.panels {
                    let product = TileProduct {
                        panels: panels.keys(kv_head, run.clone()),
                        inputs: head_dim,
                        rows: queries,
                        onto: Onto::Replace,
                        factor: scale,
                        resumed: false,
                        next: &[],
                    };
                    multiply_tile(self.floats, product, &mut each, first);
                    first += run.len() * LANES;
                }
            }
            KeysValues::InCache(cache) => {
                queries.resize(head_dim, Strip([0.0; STRIP]));
                for (at, query) in each_row {
                    queries.iter_mut().zip(query).for_each(|(numbers, number)| numbers.0[at] = *number);
                }
                self.floats.scores(queries, self.gathered(&cache.keys, tile, kv_head), scale, &mut each);
            }
        }

        let mut sums = [0.0; TILE];
        for (at, scores) in each.into_iter().enumerate() {
            if let Some(cap) = cap {
                cap_scores(scores, cap);
            }
            let query = at / heads.len();
            tile.hide(query, scores);
            exponentials(scores, strips, probabilities, at, rows);
            if at % heads.len() == 0 {
                seen.clear();
                seen.extend(tile.seen_by_column(query));
            }
            sums[at] = sum_by_depth(seen, probabilities, at, rows);
        }

        let width = out.len() / tile.tokens.len();
        let heads = heads.start - first_head..heads.end - first_head;
        let mut mixed: Vec<&mut [f32]> = out
            .chunks_exact_mut(width)
            .flat_map(|query| query[heads.start * head_dim..heads.end * head_dim].chunks_exact_mut(head_dim))
            .collect();
        match self.keys_values {
            KeysValues::Panels(panels) => {
                for part in 0..head_dim.div_ceil(LANES) {
                    let mut resumed = false;
                    for (keys, column) in tile.keys_by_column() {
                        let product = TileProduct {
                            panels: panels.values(kv_head, part, keys.clone()),
                            inputs: keys.len(),
                            rows: &probabilities[column / STRIP * rows..],
                            onto: Onto::Replace,
                            factor: 1.0,
                            resumed,
                            next: &[],
                        };
                        multiply_tile(self.floats, product, &mut mixed, part * LANES);
                        resumed = true;
                    }
                }
            }
            KeysValues::InCache(cache) => {
                let values = self.gathered(&cache.values, tile, kv_head);
                mix_tile(self.floats, values, &probabilities[..rows * columns / STRIP], &mut mixed);
            }
        }
        for (mixed, sum) in mixed.into_iter().zip(sums) {
            divide(mixed, sum);
        }
    }

    /// The keys or values of a key head that a tile lists.
    fn gathered<'b>(&self, values: &'b [f32], tile: &'b QueryTile, kv_head: usize) -> Gathered<'b> {
        let width = self.heads.head_dim;
        Gathered { values, rows: &tile.rows, stride: self.heads.kv_width(), first: kv_head * width, width }
    }
}

#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn divide(values: &mut [f32], by: f32) {
    let scale = 1.0 / by;
    for value in values {
        *value *= scale;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{HEADS, layout, pass, path};
    use super::*;
    use crate::decoder::cpu::activations::Buffers;
    use crate::decoder::cpu::activations::tests::activations;

    proptest! {
        /// Whichever queries share a tile, each sees the rows of its own path within the window, and no others.
        #[test]
        fn queries_see_their_paths(
            cached in 1usize..80,
            branches in prop::collection::vec((1usize..40, 0usize..12), 1..24),
            window in prop::option::of(1usize..60),
            source in prop::sample::select(vec![Source::Panels, Source::Cache]),
        ) {
            let layout = layout(&pass(cached, &branches), cached);
            let mut next = 0;
            for tile in tiles(&layout, &HEADS, window, source) {
                prop_assert_eq!(tile.tokens.start, next);
                next = tile.tokens.end;
                for (query, token) in tile.tokens.clone().enumerate() {
                    let mut scores = vec![0.0; tile.columns()];
                    tile.hide(query, &mut scores);
                    let keys = tile.panels.iter().flat_map(|run| run.start * LANES..run.end * LANES);
                    let rows = keys.map(|key| match source {
                        Source::Panels => key,
                        Source::Cache => tile.rows.get(key).map_or(usize::MAX, |row| *row as usize),
                    });
                    let seen = rows.zip(scores).filter(|(_, score)| *score == 0.0).map(|(row, _)| row);
                    prop_assert_eq!(seen.collect::<Vec<_>>(), path(&layout, token, window), "token {}", token);
                }
            }
            prop_assert_eq!(next, layout.positions.len());
        }
    }

    #[test]
    fn it_does_not_matter_what_is_packed_together() {
        let Some(floats) = Floats::detect() else { return println!("skipped: no AVX2 here") };
        let heads = Heads { heads: 6, kv_heads: 3, head_dim: 20, value_dim: 20, scale: 0.3, cap: None };
        let layout = layout(&pass(40, &[(30, usize::MAX), (5, 0), (17, 0)]), 40);
        let mut cache = LayerCache::new(heads.kv_width(), &Buffers::default());
        let (prefix, qkv) = (activations(40, heads.values().end), activations(52, heads.values().end));
        cache.store(&prefix, &heads);
        cache.store(&qkv, &heads);
        let (read, tiles) = (tiles(&layout, &heads, None, Source::Cache), tiles(&layout, &heads, None, Source::Panels));
        let input = AttentionInput { qkv: &qkv, cache: &cache, heads: &heads };
        let together = attend_by(3, &tiles, floats, &input);
        for at_once in [1, 2] {
            let apart = attend_by(at_once, &tiles, floats, &input);
            assert_eq!(apart.values[..], together.values[..], "{at_once} at a time");
        }
        for floats in Floats::all() {
            let name = floats.name();
            assert_eq!(attend_by(3, &tiles, floats, &input).values[..], together.values[..], "{name}");
            assert_eq!(attend_in_place(&read, floats, &input).values[..], together.values[..], "{name}, in the cache");
        }
        let single = |tile: &QueryTile| {
            let queries = tile.tokens.clone().zip(&tile.seen).zip(&tile.depths);
            let of = |((token, seen), depth): ((usize, &RowRanges), &usize)| {
                QueryTile::of_token(token, seen.clone(), *depth, Source::Cache).numbered()
            };
            queries.map(of).collect::<Vec<_>>()
        };
        let singles: Vec<QueryTile> = tiles.iter().flat_map(single).collect();
        assert_eq!(attend_in_place(&singles, floats, &input).values[..], together.values[..], "each on its own");
    }

    #[test]
    fn short_branches_of_one_prefix_share_tiles() {
        // 40 branches of one token under 300 rows, and the same under prefixes of their own.
        let branches: Vec<(usize, usize)> = (0..40).map(|_| (1, usize::MAX)).collect();
        for source in [Source::Panels, Source::Cache] {
            assert_eq!(tiles(&layout(&pass(300, &branches), 300), &HEADS, None, source).len(), 10);
        }
        let apart: Vec<(usize, usize)> = (0..40).map(|prefix| (1, prefix)).collect();
        let prefixes: Vec<(usize, usize)> = (0..40).map(|_| (64, usize::MAX)).collect();
        let apart = tiles(&layout(&pass(1, &[prefixes, apart].concat()), 1), &HEADS, None, Source::Panels);
        assert_eq!(apart.iter().filter(|tile| tile.tokens.start >= 2560).count(), 40);
    }
}
