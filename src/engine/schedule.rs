//! Packing: the edges of a trie cut into passes of bounded size.
//!
//! Edges are taken in depth-first order, so a later pass needs only a single path of earlier ones: the ancestors of its
//! first token. Those rows are gathered after the shared prefix before the pass; everything else is dropped.

use std::ops::Range;

use super::request::Path;
use super::trie::Trie;
use crate::decoder::{Branch, Pass, RowRanges};

/// One packed forward with its preparation and targets.
#[derive(Debug, Clone)]
pub(crate) struct ScheduledPass {
    /// Cache rows to keep before the pass, in this order; the rest is dropped.
    pub keep: RowRanges,
    /// The forward itself.
    pub pass: Pass,
    /// Log-probabilities to read from its rows.
    pub targets: Vec<Target>,
}

/// One log-probability wanted from a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    /// Index into [`Pass::rows`].
    pub row: usize,
    /// The predicted token.
    pub token: u32,
    /// The path of the token.
    pub path: usize,
    /// Index among the scored tokens of that path.
    pub index: usize,
}

/// A piece of an edge inside one pass.
struct Piece {
    edge: usize,
    /// Cache rows during the current pass.
    rows: Range<usize>,
}

/// Shorter pieces are not split off to fill a pass.
const SMALLEST_PIECE: usize = 8;

/// Cut a trie below a shared prefix of `shared` cached rows into passes of at most `pass_tokens` tokens.
pub(crate) fn schedule(
    paths: &[Path<'_>],
    trie: &Trie,
    shared: usize,
    pass_tokens: usize,
    one_edge_a_pass: bool,
) -> Vec<ScheduledPass> {
    let cut = cut(trie, pass_tokens, one_edge_a_pass);
    let wanted = targets_by_edge(paths, trie);
    let mut passes = Vec::with_capacity(cut.len());
    // Ancestors of the next pass, in depth order, at their current cache rows.
    let mut kept: Vec<Piece> = Vec::new();
    for pieces in cut {
        let first = &pieces[0];
        let ancestors = ancestors(trie, first.0);
        let mut keep = RowRanges::first(shared);
        let mut base = shared;
        let mut open: Vec<Piece> = Vec::new();
        for piece in kept.into_iter().filter(|piece| piece.edge == first.0 || ancestors.contains(&piece.edge)) {
            keep.push(piece.rows.clone());
            let rows = base..base + piece.rows.len();
            base = rows.end;
            open.push(Piece { rows, ..piece });
        }
        let mut scheduled = ScheduledPass {
            keep,
            pass: Pass { stage: trie.edges[first.0].stage, ..Pass::default() },
            targets: Vec::new(),
        };
        for (edge, depths) in pieces {
            let above = self::ancestors(trie, edge);
            open.retain(|piece| piece.edge == edge || above.contains(&piece.edge));
            let start = scheduled.pass.tokens.len();
            scheduled.pass.tokens.extend(paths[trie.edges[edge].path].slice(depths.clone()));
            scheduled
                .pass
                .branches
                .push(Branch { tokens: start..start + depths.len(), prefix: prefix(trie, edge, &open, shared) });
            scheduled.collect(&wanted[edge], &depths, start);
            open.push(Piece { edge, rows: base + start..base + start + depths.len() });
        }
        passes.push(scheduled);
        kept = open;
    }
    passes
}

impl ScheduledPass {
    /// Adds the rows and targets of the edge's `wanted` within these depths.
    fn collect(&mut self, wanted: &[(usize, Target)], depths: &Range<usize>, start: usize) {
        let mut last_depth = None;
        let inside = wanted.partition_point(|(depth, _)| *depth < depths.start)
            ..wanted.partition_point(|(depth, _)| *depth < depths.end);
        for (depth, target) in &wanted[inside] {
            if last_depth != Some(*depth) {
                self.pass.rows.push(start + depth - depths.start);
                last_depth = Some(*depth);
            }
            self.targets.push(Target { row: self.pass.rows.len() - 1, ..*target });
        }
    }
}

/// Pieces of edges per pass: sizes as even as the edges allow, never above `pass_tokens`.
fn cut(trie: &Trie, pass_tokens: usize, one_edge_a_pass: bool) -> Vec<Vec<(usize, Range<usize>)>> {
    let passes = trie.tokens().div_ceil(pass_tokens).max(1);
    let even = if one_edge_a_pass {
        pass_tokens
    } else {
        trie.tokens().div_ceil(passes).next_multiple_of(SMALLEST_PIECE).min(pass_tokens)
    };
    let mut cut: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
    let (mut room, mut stage) = (0, 0);
    for (edge, Range { start, end }) in trie.edges.iter().map(|edge| edge.from..edge.to).enumerate() {
        let mut from = start;
        // A pass uses one set of rotary factors.
        if one_edge_a_pass || trie.edges[edge].stage != stage {
            room = 0;
        }
        stage = trie.edges[edge].stage;
        while from < end {
            let left = end - from;
            if room == 0 || (left > room && room < SMALLEST_PIECE) {
                cut.push(Vec::new());
                room = even;
            }
            let taken = left.min(room);
            if let Some(pieces) = cut.last_mut() {
                pieces.push((edge, from..from + taken));
            }
            room -= taken;
            from += taken;
        }
    }
    cut
}

/// The edge's ancestors, excluding itself, deepest first.
fn ancestors(trie: &Trie, edge: usize) -> Vec<usize> {
    std::iter::successors(trie.edges[edge].parent, |&above| trie.edges[above].parent).collect()
}

/// Cache rows of everything above the next token of `edge`, in depth order.
fn prefix(trie: &Trie, edge: usize, open: &[Piece], shared: usize) -> RowRanges {
    let top = ancestors(trie, edge).last().copied().unwrap_or(edge);
    let on_shared = trie.edges[top].from.min(shared);
    let pieces = open.iter().map(|piece| piece.rows.clone());
    std::iter::once(0..on_shared).chain(pieces).collect()
}

/// Targets on each edge, sorted by depth; [`Target::row`] is set later.
fn targets_by_edge(paths: &[Path<'_>], trie: &Trie) -> Vec<Vec<(usize, Target)>> {
    let mut wanted: Vec<Vec<(usize, Target)>> = vec![Vec::new(); trie.edges.len()];
    for (number, path) in paths.iter().enumerate() {
        let mut edge = trie.last_edge[number];
        let targets: Vec<(usize, u32)> = path.targets().collect();
        for (index, &(depth, token)) in targets.iter().enumerate().rev() {
            while depth < trie.edges[edge].from {
                edge = trie.edges[edge].parent.expect("the first scored row lies below the shared prefix");
            }
            wanted[edge].push((depth, Target { row: 0, token, path: number, index }));
        }
    }
    for targets in &mut wanted {
        targets.sort_by_key(|(depth, target)| (*depth, target.path, target.index));
    }
    wanted
}
