//! Block-wise attention, with products computed by `gemm`.
//!
//! A block holds consecutive queries of the pass that see nearly the same keys: a stretch of a long branch, or several
//! short branches of one prefix, whose keys are then read once for all of them. All heads that share a key head form
//! one matrix of C columns (query heads of the group x queries). Scores are stored as `(keys, C)`, so that the softmax
//! runs along the keys with the columns side by side in vector registers, and neither product has to pack keys or
//! values.

use std::cell::RefCell;
use std::ops::Range;

use multiversion::multiversion;

use crate::decoder::cpu::Rows;
use crate::decoder::cpu::cache::LayerCache;
use crate::decoder::cpu::math::{exp, in_order, soft_cap, split};
use crate::decoder::cpu::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::{Layout, Placed};
use crate::decoder::rows::RowRanges;

/// A block of queries that see nearly the same keys.
#[derive(Debug, Clone)]
pub struct QueryBlock {
    /// Queries as pass tokens.
    tokens: Range<usize>,
    /// Key heads computed by this block.
    kv_heads: Range<usize>,
    /// Cache rows of all keys that any query sees.
    keys: RowRanges,
    /// For each key, the queries that see it, counted from the block's first.
    seen: Vec<Range<usize>>,
}

/// Queries per block: enough for efficient products, few enough to waste little above the diagonal.
const QUERIES: usize = 32;

/// Branches share a block of at most 1/`PARTS` of a pass, so that all threads have blocks.
const PARTS: usize = 16;

/// Largest size in bytes of a block's scores that fits the L2 cache.
const SCORE_BYTES: usize = 768 * 1024;

/// Columns computed at a time.
const COLUMNS: usize = 16;

/// Overhead of a block beyond its products, in keys.
const KEYS_PER_BLOCK: usize = 32;

/// Number of multiplications below which waking a second thread does not pay.
const ALONE: usize = 1 << 19;

impl QueryBlock {
    /// Queries of one branch, each of which sees itself and the `window - 1` keys before it.
    fn of_branch(branch: &Placed, tokens: Range<usize>, window: Option<usize>, heads: &Heads) -> QueryBlock {
        let queries = tokens.len();
        let depth = branch.depth + tokens.start - branch.tokens.start;
        let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
        let seen_by = |key: usize| {
            let to = window.map_or(queries, |window| (key + window).saturating_sub(depth).min(queries));
            key.saturating_sub(depth)..to
        };
        QueryBlock {
            tokens,
            kv_heads: 0..heads.kv_heads,
            keys: branch.path.slice(first..depth + queries),
            seen: (first..depth + queries).map(seen_by).collect(),
        }
    }

    /// Both blocks merged, if the queries that see each key are consecutive.
    fn joined(&self, next: &QueryBlock) -> Option<QueryBlock> {
        if self.tokens.end != next.tokens.start || !self.keys.is_sorted() || !next.keys.is_sorted() {
            return None;
        }
        let queries = self.tokens.len();
        let mut joined = QueryBlock {
            tokens: self.tokens.start..next.tokens.end,
            kv_heads: self.kv_heads.clone(),
            keys: RowRanges::default(),
            seen: Vec::with_capacity(self.seen.len() + next.tokens.len()),
        };
        let (mut mine, mut theirs) = (self.each_key().peekable(), next.each_key().peekable());
        loop {
            let row = match (mine.peek(), theirs.peek()) {
                (Some(mine), Some(theirs)) => mine.0.min(theirs.0),
                (Some(mine), None) => mine.0,
                (None, Some(theirs)) => theirs.0,
                (None, None) => return Some(joined),
            };
            let mine = mine.next_if(|key| key.0 == row).map(|(_, seen)| seen.clone());
            let theirs = theirs.next_if(|key| key.0 == row).map(|(_, seen)| seen.start + queries..seen.end + queries);
            let seen = match (mine, theirs) {
                (Some(mine), Some(theirs)) if mine.end == theirs.start => mine.start..theirs.end,
                (Some(_), Some(_)) => return None,
                (mine, theirs) => mine.or(theirs)?,
            };
            joined.keys.push(row..row + 1);
            joined.seen.push(seen);
        }
    }

    /// Splits a block of a single query into one block per key head, so that all threads have work.
    fn by_heads(self) -> Vec<QueryBlock> {
        if self.tokens.len() > 1 {
            return vec![self];
        }
        self.kv_heads.clone().map(|head| QueryBlock { kv_heads: head..head + 1, ..self.clone() }).collect()
    }

    /// Cache row of each key and the queries that see it.
    fn each_key(&self) -> impl Iterator<Item = (usize, &Range<usize>)> {
        self.keys.rows().zip(&self.seen)
    }

    /// Estimated time of the block, in products of a key with a query. On average, half a vector of columns is wasted.
    fn cost(&self, heads: &Heads) -> usize {
        (self.seen.len() + KEYS_PER_BLOCK) * (self.tokens.len() * heads.group() + COLUMNS / 2)
    }

    /// Bytes of the scores of one key head.
    fn score_bytes(&self, heads: &Heads) -> usize {
        self.seen.len() * self.tokens.len() * heads.group() * size_of::<f32>()
    }
}

/// Cuts a pass into blocks that can be computed independently, in order of tokens.
pub(super) fn blocks(layout: &Layout, heads: &Heads, window: Option<usize>) -> Vec<QueryBlock> {
    let most = QUERIES.min(layout.positions.len().div_ceil(PARTS));
    let mut blocks: Vec<QueryBlock> = Vec::new();
    for branch in &layout.branches {
        let mut start = branch.tokens.start;
        while start < branch.tokens.end {
            let depth = branch.depth + start - branch.tokens.start;
            let per_query = heads.group() * size_of::<f32>() * (depth + QUERIES);
            let queries = QUERIES.min(SCORE_BYTES / per_query).max(4).min(branch.tokens.end - start);
            let block = QueryBlock::of_branch(branch, start..start + queries, window, heads);
            start += queries;
            let fitting = blocks.last().filter(|last| last.tokens.len() + queries <= most);
            let joined = fitting.and_then(|last| {
                let joined = last.joined(&block)?;
                let cheaper = joined.cost(heads) < last.cost(heads) + block.cost(heads);
                (cheaper && joined.score_bytes(heads) <= SCORE_BYTES).then_some(joined)
            });
            match (joined, blocks.last_mut()) {
                (Some(joined), Some(last)) => *last = joined,
                _ => blocks.push(block),
            }
        }
    }
    blocks.into_iter().flat_map(QueryBlock::by_heads).collect()
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    /// Queries, scaled: `(head size, C)`.
    queries: Vec<f32>,
    /// Scores, then probabilities before division by their sum: `(keys, C)`.
    scores: Vec<f32>,
    /// `(C, head size)`.
    mixed: Vec<f32>,
    /// Per column.
    largest: Vec<f32>,
    /// Per column.
    sums: Vec<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(blocks: &[QueryBlock], input: &AttentionInput<Rows, LayerCache>) -> Rows {
    let &AttentionInput { qkv, heads, .. } = input;
    let mut out = qkv.beside(qkv.len(), heads.queries().len());
    let sizes = blocks.iter().map(|block| block.tokens.len() * block.kv_heads.len() * heads.group() * heads.head_dim);
    let mut work: Vec<_> = blocks.iter().zip(split(&mut out.values, sizes)).collect();
    let compute = |(block, out): (&QueryBlock, &mut [f32])| {
        SCRATCH.with_borrow_mut(|scratch| {
            let width = heads.group() * heads.head_dim;
            let stride = block.kv_heads.len() * width;
            for (number, kv_head) in block.kv_heads.clone().enumerate() {
                scratch.attend(block, kv_head, input);
                write(&scratch.mixed, &scratch.sums, block.tokens.len(), heads, &mut out[number * width..], stride);
            }
        });
    };
    let scores: usize = blocks.iter().map(|block| block.tokens.len() * block.seen.len() * block.kv_heads.len()).sum();
    if scores * heads.group() * heads.head_dim < ALONE {
        work.into_iter().for_each(compute);
    } else {
        // Later blocks of a sequence see more keys: starting them first avoids one running alone at the end.
        work.reverse();
        in_order(work, compute);
    }
    out
}

impl Scratch {
    /// Mixes the values of one key head for all queries of a block, into `mixed` and `sums`.
    fn attend(&mut self, block: &QueryBlock, kv_head: usize, input: &AttentionInput<Rows, LayerCache>) {
        let &AttentionInput { qkv, cache, heads } = input;
        let Scratch { queries: packed, scores, mixed, largest, sums } = self;
        let (queries, group, head_dim) = (block.tokens.len(), heads.group(), heads.head_dim);
        let (used, count) = (group * queries, block.seen.len());
        // With whole vectors of columns, `gemm` need not pack them; the padding columns are never read.
        let columns = used.next_multiple_of(if queries > 1 { COLUMNS } else { 1 });

        packed.resize(head_dim * columns, 0.0);
        for member in 0..group {
            let head = (kv_head * group + member) * head_dim;
            for (query, token) in block.tokens.clone().enumerate() {
                let at = token * qkv.stride + head;
                let column = member * queries + query;
                for (dim, value) in qkv.values[at..at + head_dim].iter().enumerate() {
                    packed[dim * columns + column] = value * heads.scale;
                }
            }
        }

        scores.resize(count * columns, 0.0);
        let head = kv_head * head_dim;
        let mut at = 0;
        for rows in &block.keys {
            let keys = View::by_rows(&cache.keys[rows.start * cache.width + head..], rows.len(), head_dim, cache.width);
            let queries = View::by_rows(packed, head_dim, columns, columns);
            let scores = ViewMut::by_rows(&mut scores[at * columns..], rows.len(), columns, columns);
            multiply(scores, Onto::Replace, 1.0, keys, queries, Threads::One);
            at += rows.len();
        }

        softmax(scores, columns, block, heads, largest, sums);

        mixed.resize(used * head_dim, 0.0);
        let mut at = 0;
        for rows in &block.keys {
            let values =
                View::by_rows(&cache.values[rows.start * cache.width + head..], rows.len(), head_dim, cache.width);
            let probabilities = View::by_rows(&scores[at * columns..], rows.len(), used, columns);
            let onto = if at == 0 { Onto::Replace } else { Onto::Add };
            let mixed = ViewMut::by_rows(mixed, used, head_dim, head_dim);
            multiply(mixed, onto, 1.0, probabilities.transposed(), values, Threads::One);
            at += rows.len();
        }
    }
}

/// Divides by the sums and writes `(queries, group * head size)` with rows `stride` apart.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn write(mixed: &[f32], sums: &[f32], queries: usize, heads: &Heads, out: &mut [f32], stride: usize) {
    for (column, mixed) in mixed.chunks_exact(heads.head_dim).enumerate() {
        let (member, query) = (column / queries, column % queries);
        let scale = 1.0 / sums[column];
        let at = query * stride + member * heads.head_dim;
        for (out, mixed) in out[at..at + heads.head_dim].iter_mut().zip(mixed) {
            *out = mixed * scale;
        }
    }
}

/// Caps and masks `(keys, columns)` scores and replaces them by `exp(score - largest)`; the sums per column go to
/// `sums`. The columns are groups of the block's queries; those after the last group are never read.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn softmax(
    scores: &mut [f32],
    columns: usize,
    block: &QueryBlock,
    heads: &Heads,
    largest: &mut Vec<f32>,
    sums: &mut Vec<f32>,
) {
    let (queries, cap) = (block.tokens.len(), heads.cap);
    let used = heads.group() * queries;
    largest.clear();
    largest.resize(columns, f32::NEG_INFINITY);
    sums.clear();
    sums.resize(columns, 0.0);
    for (scores, seen) in scores.chunks_exact_mut(columns).zip(&block.seen) {
        if let Some(cap) = cap {
            for score in scores.iter_mut() {
                *score = soft_cap(*score, cap);
            }
        }
        if seen.len() < queries {
            for scores in scores[..used].chunks_exact_mut(queries) {
                scores[..seen.start].fill(f32::NEG_INFINITY);
                scores[seen.end..].fill(f32::NEG_INFINITY);
            }
        }
        for (largest, score) in largest.iter_mut().zip(scores.iter()) {
            *largest = largest.max(*score);
        }
    }
    for scores in scores.chunks_exact_mut(columns) {
        for ((score, largest), sum) in scores.iter_mut().zip(largest.iter()).zip(sums.iter_mut()) {
            *score = exp(*score - *largest);
            *sum += *score;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{HEADS, layout, pass, path};
    use super::*;

    proptest! {
        /// Whichever branches share a block, every query sees the rows of its own path within the window, and no
        /// others.
        #[test]
        fn queries_see_their_paths(
            cached in 1usize..40,
            branches in prop::collection::vec((1usize..40, 0usize..12), 1..24),
            window in prop::option::of(1usize..60),
        ) {
            let layout = layout(&pass(cached, &branches), cached);
            let blocks = blocks(&layout, &HEADS, window);
            let mut next = 0;
            for block in blocks.iter().filter(|block| block.kv_heads.start == 0) {
                prop_assert_eq!(block.tokens.start, next);
                next = block.tokens.end;
                for (query, token) in block.tokens.clone().enumerate() {
                    let seen = block.each_key().filter(|(_, seen)| seen.contains(&query)).map(|(row, _)| row);
                    prop_assert_eq!(seen.collect::<Vec<_>>(), path(&layout, token, window), "token {}", token);
                }
            }
            prop_assert_eq!(next, layout.positions.len());
        }
    }

    #[test]
    fn short_branches_of_one_prefix_share_a_block() {
        // 40 branches of 3 tokens under 300 rows, and the same under prefixes of their own.
        let branches: Vec<(usize, usize)> = (0..40).map(|_| (3, usize::MAX)).collect();
        let shared = blocks(&layout(&pass(300, &branches), 300), &HEADS, None);
        assert!(shared.len() <= 20, "{} blocks", shared.len());
        assert!(shared.iter().all(|block| block.tokens.len() * PARTS <= 120 + 3 * PARTS));
        let apart: Vec<(usize, usize)> = (0..40).map(|prefix| (3, prefix)).collect();
        let prefixes: Vec<(usize, usize)> = (0..40).map(|_| (30, usize::MAX)).collect();
        let apart = layout(&pass(1, &[prefixes, apart].concat()), 1);
        let apart = blocks(&apart, &HEADS, None);
        assert_eq!(apart.iter().filter(|block| block.tokens.start >= 1200).count(), 40);
    }
}
