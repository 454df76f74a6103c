//! Causal attention over paths of a trie, block by block.
//!
//! Within a block of queries of one branch, all heads that share a key head form one matrix of C columns (query heads of the
//! group x queries). Scores are kept as `(keys, C)`, so that the softmax runs along the keys with the columns side by side
//! in vector registers, and both products read their left factor without packing.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::Rows;
use super::math::{exp, tanh};
use super::matmul::{Onto, Threads, View, ViewMut, multiply};
use crate::decoder::ops::Heads;
use crate::decoder::pass::Layout;

/// Keys and values of one layer, `(rows, kv heads * head size)` each.
#[derive(Debug, Clone)]
pub(crate) struct LayerCache {
    pub keys: Vec<f32>,
    pub values: Vec<f32>,
    pub width: usize,
}

impl LayerCache {
    /// An empty cache.
    pub fn new(width: usize) -> LayerCache {
        LayerCache { keys: Vec::new(), values: Vec::new(), width }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.keys.len() / self.width
    }

    /// Append the keys and values of `qkv`.
    pub fn store(&mut self, qkv: &Rows, heads: &Heads) {
        for row in qkv.values.chunks_exact(qkv.stride) {
            self.keys.extend_from_slice(&row[heads.keys()]);
            self.values.extend_from_slice(&row[heads.values()]);
        }
    }

    /// Drop all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.keys.truncate(rows * self.width);
        self.values.truncate(rows * self.width);
    }

    /// Keep the given rows in the given order.
    pub fn keep(&mut self, rows: &[Range<usize>]) {
        gather(&mut self.keys, self.width, rows);
        gather(&mut self.values, self.width, rows);
    }

    /// Bytes of the rows held.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.keys[..]) + size_of_val(&self.values[..])
    }
}

/// Gather rows: in place where they ascend, else through a copy.
fn gather(values: &mut Vec<f32>, width: usize, rows: &[Range<usize>]) {
    let ascending = rows.windows(2).all(|pair| pair[0].end <= pair[1].start);
    if !ascending {
        *values = rows.iter().flat_map(|rows| &values[rows.start * width..rows.end * width]).copied().collect();
        return;
    }
    let mut kept = 0;
    for rows in rows {
        values.copy_within(rows.start * width..rows.end * width, kept);
        kept += rows.len() * width;
    }
    values.truncate(kept);
}

/// A block of queries that see nearly the same keys.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Queries as tokens of the pass.
    tokens: Range<usize>,
    /// Key heads computed by this block.
    kv_heads: Range<usize>,
    /// Cache rows of the keys in depth order, the queries' own rows last.
    keys: Vec<Range<usize>>,
    /// Number of keys.
    count: usize,
    /// A query sees itself and the `window - 1` keys before it.
    window: Option<usize>,
}

/// Queries of a block: large enough for the products, small enough to waste little above the diagonal.
const QUERIES: usize = 32;

/// Scores of a block in bytes that still fit the second-level cache.
const SCORE_BYTES: usize = 768 * 1024;

/// Multiplications below which the work is not worth waking a second thread.
const ALONE: usize = 1 << 19;

/// Cut a pass into blocks that can be computed independently, in order of tokens.
pub(crate) fn blocks(layout: &Layout, heads: &Heads, window: Option<usize>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for branch in &layout.branches {
        let mut start = branch.tokens.start;
        while start < branch.tokens.end {
            let depth = branch.depth + start - branch.tokens.start;
            let per_query = heads.group() * size_of::<f32>() * (depth + QUERIES);
            let queries = QUERIES.min(SCORE_BYTES / per_query).max(4).min(branch.tokens.end - start);
            let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
            let keys = branch.rows_at(first..depth + queries);
            let count = depth + queries - first;
            let tokens = start..start + queries;
            // A single query leaves too few blocks for the threads; its heads are independent and contiguous.
            let step = if queries == 1 { 1 } else { heads.kv_heads };
            for kv_head in (0..heads.kv_heads).step_by(step) {
                let kv_heads = kv_head..kv_head + step;
                blocks.push(Block { tokens: tokens.clone(), kv_heads, keys: keys.clone(), count, window });
            }
            start += queries;
        }
    }
    blocks
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    /// Queries, scaled: `(head size, C)`.
    queries: Vec<f32>,
    /// Scores, then probabilities before division by their sum: `(keys, C)`.
    scores: Vec<f32>,
    /// `(head size, C)`.
    mixed: Vec<f32>,
    /// Per column.
    largest: Vec<f32>,
    /// Per column.
    sums: Vec<f32>,
}

/// Attention of every token: `(tokens, heads * head size)`.
pub(super) fn attend(qkv: &Rows, cache: &LayerCache, blocks: &[Block], heads: &Heads) -> Rows {
    let mut out = Rows::zeros(qkv.len(), heads.queries().len());
    let mut rest = &mut out.values[..];
    let mut work = Vec::with_capacity(blocks.len());
    for block in blocks {
        let size = block.tokens.len() * block.kv_heads.len() * heads.group() * heads.head_dim;
        let (own, after) = rest.split_at_mut(size);
        rest = after;
        work.push((block, own));
    }
    let compute = |scratch: &mut Scratch, (block, out): &mut (&Block, &mut [f32])| {
        for (number, kv_head) in block.kv_heads.clone().enumerate() {
            let width = heads.group() * heads.head_dim;
            attend_block(block, kv_head, qkv, cache, heads, scratch);
            let stride = block.kv_heads.len() * width;
            write(scratch, block.tokens.len(), heads, &mut out[number * width..], stride);
        }
    };
    let scores: usize = blocks.iter().map(|block| block.tokens.len() * block.count * block.kv_heads.len()).sum();
    if scores * heads.group() * heads.head_dim < ALONE {
        let mut scratch = Scratch::default();
        work.iter_mut().for_each(|work| compute(&mut scratch, work));
    } else {
        // Later blocks of a sequence see more keys: started first, they do not leave one thread waiting at the end.
        work.par_iter_mut().rev().with_max_len(1).for_each_init(Scratch::default, compute);
    }
    out
}

/// Mix the values of one key head for all queries of a block, into `scratch.mixed` and `scratch.sums`.
fn attend_block(block: &Block, kv_head: usize, qkv: &Rows, cache: &LayerCache, heads: &Heads, scratch: &mut Scratch) {
    let (queries, group, head_dim) = (block.tokens.len(), heads.group(), heads.head_dim);
    // Whole vectors in the columns spare the products their packing; the columns added compute nothing that is read.
    let columns = (group * queries).next_multiple_of(if queries > 1 { 16 } else { 1 });

    scratch.queries.resize(head_dim * columns, 0.0);
    for member in 0..group {
        let head = (kv_head * group + member) * head_dim;
        for (query, token) in block.tokens.clone().enumerate() {
            let at = token * qkv.stride + head;
            let column = member * queries + query;
            for (dim, value) in qkv.values[at..at + head_dim].iter().enumerate() {
                scratch.queries[dim * columns + column] = value * heads.scale;
            }
        }
    }

    scratch.scores.resize(block.count * columns, 0.0);
    let head = kv_head * head_dim;
    let mut at = 0;
    for rows in &block.keys {
        let keys = View::by_rows(&cache.keys[rows.start * cache.width + head..], rows.len(), head_dim, cache.width);
        let queries = View::by_rows(&scratch.queries, head_dim, columns, columns);
        let scores = &mut scratch.scores[at * columns..];
        multiply(
            ViewMut::by_rows(scores, rows.len(), columns, columns),
            Onto::Replace,
            1.0,
            keys,
            queries,
            Threads::One,
        );
        at += rows.len();
    }

    let Scratch { scores, largest, sums, .. } = scratch;
    let mask = Mask { queries, group, before: block.count - queries, window: block.window };
    softmax(&mut scores[..block.count * columns], columns, heads.cap, &mask, largest, sums);

    scratch.mixed.resize(head_dim * columns, 0.0);
    let mut at = 0;
    for rows in &block.keys {
        let values = View::by_rows(&cache.values[rows.start * cache.width + head..], rows.len(), head_dim, cache.width);
        let probabilities = View::by_rows(&scratch.scores[at * columns..], rows.len(), columns, columns);
        let onto = if at == 0 { Onto::Replace } else { Onto::Add };
        let mixed = ViewMut::by_rows(&mut scratch.mixed, head_dim, columns, columns);
        multiply(mixed, onto, 1.0, values.transposed(), probabilities, Threads::One);
        at += rows.len();
    }
}

/// Divide by the sums and write `(queries, group * head size)` with rows `stride` apart.
fn write(scratch: &Scratch, queries: usize, heads: &Heads, out: &mut [f32], stride: usize) {
    let columns = scratch.sums.len();
    for query in 0..queries {
        for member in 0..heads.group() {
            let column = member * queries + query;
            let scale = 1.0 / scratch.sums[column];
            let at = query * stride + member * heads.head_dim;
            for (dim, out) in out[at..at + heads.head_dim].iter_mut().enumerate() {
                *out = scratch.mixed[dim * columns + column] * scale;
            }
        }
    }
}

/// What the queries of a block do not see. Columns are `group` runs of `queries`; the last `queries` keys are their own.
struct Mask {
    queries: usize,
    group: usize,
    /// Keys before those of the queries themselves.
    before: usize,
    window: Option<usize>,
}

impl Mask {
    /// The queries that see key number `key`.
    #[inline(always)]
    fn seen_by(&self, key: usize) -> Range<usize> {
        let from = key.saturating_sub(self.before);
        // Query q stands at key number before + q and sees the window - 1 keys before its own.
        let to = self.window.map_or(self.queries, |window| (key + window).saturating_sub(self.before));
        from..to.clamp(from, self.queries)
    }
}

/// Cap and mask `(keys, columns)` scores and replace them by `exp(score - largest)`; the sums per column go to `sums`.
#[multiversion(targets = "simd")]
fn softmax(
    scores: &mut [f32],
    columns: usize,
    cap: Option<f32>,
    mask: &Mask,
    largest: &mut Vec<f32>,
    sums: &mut Vec<f32>,
) {
    largest.clear();
    largest.resize(columns, f32::NEG_INFINITY);
    sums.clear();
    sums.resize(columns, 0.0);
    for (key, scores) in scores.chunks_exact_mut(columns).enumerate() {
        if let Some(cap) = cap {
            for score in scores.iter_mut() {
                *score = cap * tanh(*score / cap);
            }
        }
        let seen = mask.seen_by(key);
        if seen.len() < mask.queries {
            for scores in scores.chunks_exact_mut(mask.queries).take(mask.group) {
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
