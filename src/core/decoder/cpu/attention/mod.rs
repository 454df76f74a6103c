//! Causal attention over paths of a trie.

use super::Rows;
use super::cache::LayerCache;
use super::float::Floats;
use crate::decoder::ops::{AttentionInput, Heads};
use crate::decoder::pass::Layout;

mod blocks;
mod packed;
mod softmax;
mod tiles;

use blocks::QueryBlock;
use tiles::{QueryTile, Source};

/// The queries of a pass, cut into parts that can be computed independently.
#[derive(Debug)]
pub enum AttentionPlan {
    /// With products by `gemm`.
    Blocks(Vec<QueryBlock>),
    /// With products of this crate.
    Tiles(Vec<QueryTile>, Source, Floats),
}

/// Mean number of queries per cache row from which packing all keys and values at once pays.
const MANY: usize = 8;

impl AttentionPlan {
    /// Cuts a pass into parts, in order of tokens.
    pub fn new(layout: &Layout, heads: &Heads, window: Option<usize>) -> AttentionPlan {
        let Some(floats) = Floats::detect() else {
            return AttentionPlan::Blocks(blocks::blocks(layout, heads, window));
        };
        let many = layout.pairs(window) >= MANY * (layout.cached + layout.positions.len());
        let source = if many { Source::Panels } else { Source::Cache };
        AttentionPlan::Tiles(tiles::tiles(layout, heads, window, source), source, floats)
    }

    /// Attention of every token: `(tokens, heads * head size)`.
    pub fn attend(&self, input: &AttentionInput<Rows, LayerCache>) -> Rows {
        match self {
            AttentionPlan::Blocks(blocks) => blocks::attend(blocks, input),
            AttentionPlan::Tiles(tiles, source, floats) => tiles::attend(tiles, *source, *floats, input),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::decoder::ops::Heads;
    use crate::decoder::pass::{Branch, Layout, Pass};
    use crate::decoder::rows::RowRanges;

    pub const HEADS: Heads = Heads { heads: 6, kv_heads: 2, head_dim: 8, value_dim: 8, scale: 1.0, cap: None };

    /// A pass over `cached` rows. Each branch is given as a length and a parent, an earlier branch or the cached rows.
    pub fn pass(cached: usize, branches: &[(usize, usize)]) -> Pass {
        let mut made: Vec<Branch> = Vec::new();
        let mut at = 0;
        for (length, parent) in branches {
            let prefix = match made.get(*parent) {
                Some(parent) => {
                    let own = cached + parent.tokens.start..cached + parent.tokens.end;
                    parent.prefix.iter().cloned().chain([own]).collect()
                }
                None => RowRanges::first(cached),
            };
            made.push(Branch { tokens: at..at + length, prefix });
            at += length;
        }
        Pass { tokens: vec![0; at], branches: made, ..Pass::default() }
    }

    pub fn layout(pass: &Pass, cached: usize) -> Layout {
        Layout::check(pass, cached, 1).unwrap()
    }

    /// The cache rows that a token sees.
    pub fn path(layout: &Layout, token: usize, window: Option<usize>) -> Vec<usize> {
        let depth = layout.positions[token] + 1;
        let first = window.map_or(0, |window| depth.saturating_sub(window));
        layout.branch_of(token).path.slice(first..depth).rows().collect()
    }
}
