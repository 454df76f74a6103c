//! Random passes for tests, and the rows that their tokens see.

use proptest::prelude::*;

use crate::decoder::pass::{Branch, Layout, Pass};
use crate::decoder::rows::RowRanges;

/// A random pass over a cache, with a window.
#[derive(Debug)]
pub(super) struct Trie {
    pub layout: Layout,
    pub window: Option<usize>,
    /// Whether its branches are in depth-first order.
    pub depth_first: bool,
}

/// Tries over a cached path, or over a cache of several paths; branches start at any node, or below the preceding
/// branch or one of its ancestors.
pub(super) fn tries() -> impl Strategy<Value = Trie> {
    let lengths = prop_oneof![Just(1usize), 1usize..9, 60usize..70];
    let branches = prop::collection::vec((lengths, any::<prop::sample::Index>()), 1..8);
    let windows = prop_oneof![Just(None), (1usize..8).prop_map(Some), (60usize..80).prop_map(Some)];
    let cached = prop_oneof![Just(0usize), 1usize..9, 60usize..140];
    (branches, windows, cached, any::<bool>(), any::<bool>()).prop_map(
        |(branches, window, cached, depth_first, cut)| {
            // No branch sees the middle of a cache with holes.
            let stem: RowRanges = match cut {
                true => [0..cached / 3, cached / 2..cached].into_iter().collect(),
                false => RowRanges::first(cached),
            };
            let mut pass = Pass::default();
            // Paths to which the next branch may be attached.
            let mut open: Vec<RowRanges> = vec![stem];
            for (length, place) in branches {
                let start = pass.tokens.len();
                let chosen = place.index(open.len());
                let prefix = open[chosen].clone();
                if depth_first {
                    open.truncate(chosen + 1);
                }
                let mut path = prefix.clone();
                path.push(cached + start..cached + start + length);
                open.push(path);
                pass.tokens.resize(start + length, 0);
                pass.branches.push(Branch { tokens: start..start + length, prefix });
            }
            Trie { layout: Layout::check(&pass, cached, 1).unwrap(), window, depth_first }
        },
    )
}

/// Which rows each query sees, derived from its path.
pub(super) fn dense(layout: &Layout, window: Option<usize>) -> Vec<Vec<bool>> {
    let rows = layout.cached + layout.positions.len();
    let of_query = |(query, &depth): (usize, &usize)| {
        let mut seen = vec![false; rows];
        let first = window.map_or(0, |window| (depth + 1).saturating_sub(window));
        layout.branch_of(query).path.slice(first..depth + 1).rows().for_each(|row| seen[row] = true);
        seen
    };
    layout.positions.iter().enumerate().map(of_query).collect()
}
