//! Which queries of a pass see which cache rows, as two numbers per row.
//!
//! In depth-first order the queries below a node of the trie are consecutive. The queries that see a cache row
//! therefore form one interval, restricted under a sliding window to those that are not too deep. In other orders some
//! rows have several intervals.
//!
//! ```text
//! pass tokens      0 1 2 | 3 4 | 5          branches: 0..3, 3..5 below it, 5..6 beside both
//! cached row       0..6                     seen by all
//! row of token 0   0..5      of token 3   3..5
//! row of token 1   1..5      of token 4   4..5
//! row of token 2   2..5      of token 5   5..6
//! ```

use std::ops::Range;

use candle_core::{DType, Device};

use super::array::Array;
use crate::decoder::DecoderError;
use crate::decoder::pass::Layout;

/// The queries that see each cache row, including the pass's own rows.
#[derive(Debug)]
pub(super) struct Intervals {
    depths: Depths,
    /// A query sees itself and the `window - 1` positions before it.
    window: Option<usize>,
    /// Layers with one interval per row; more than one for passes that are not in depth-first order.
    layers: Vec<Vec<Interval>>,
}

/// Queries `from..to` at depths below `until` see the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Interval {
    from: usize,
    to: usize,
    /// Depth at which the row's window ends.
    until: usize,
}

/// The interval of a row that no query sees.
const UNSEEN: Interval = Interval { from: 0, to: 0, until: 0 };

/// The depth of each query. Within a branch it increases by one per query.
#[derive(Debug)]
struct Depths {
    of: Vec<usize>,
    /// The first query of each branch.
    starts: Vec<usize>,
}

/// Visibility of a part of the mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// No query sees any row.
    Nothing,
    /// Some queries see some rows.
    Some,
    /// Every query sees every row.
    All,
}

impl Intervals {
    /// The intervals of a pass.
    pub fn new(layout: &Layout, window: Option<usize>) -> Intervals {
        let rows = layout.cached + layout.positions.len();
        let starts = layout.branches.iter().map(|branch| branch.tokens.start).collect();
        let depths = Depths { of: layout.positions.clone(), starts };
        let mut intervals = Intervals { depths, window, layers: vec![vec![UNSEEN; rows]] };
        for branch in &layout.branches {
            for (depth, row) in branch.path.rows().enumerate() {
                // Queries of the branch that are not above the row.
                let from = branch.tokens.start + depth.saturating_sub(branch.depth);
                let until = window.map_or(usize::MAX, |window| depth + window);
                intervals.insert(row, Interval { from, to: branch.tokens.end, until });
            }
        }
        intervals
    }

    fn insert(&mut self, row: usize, seen: Interval) {
        for layer in &mut self.layers {
            let known = &mut layer[row];
            if *known == UNSEEN {
                *known = seen;
                return;
            }
            if known.until == seen.until && (known.from..=known.to).contains(&seen.from) {
                known.to = known.to.max(seen.to);
                return;
            }
        }
        let mut layer = vec![UNSEEN; self.rows()];
        layer[row] = seen;
        self.layers.push(layer);
    }

    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.depths.of.len()
    }

    /// Number of cache rows.
    pub fn rows(&self) -> usize {
        self.layers[0].len()
    }

    /// Returns the visibility of a part of the mask. [`Seen::All`] is only detected by the first interval of each row.
    pub fn seen(&self, queries: &Range<usize>, rows: &Range<usize>) -> Seen {
        let some = |interval: &Interval| {
            let seen = interval.from.max(queries.start)..interval.to.min(queries.end);
            !seen.is_empty() && (self.window.is_none() || self.depths.least(seen) < interval.until)
        };
        let all = |interval: &Interval| {
            let covers = interval.from <= queries.start && queries.end <= interval.to;
            covers && (self.window.is_none() || self.depths.most(queries.clone()) < interval.until)
        };
        if self.layers[0][rows.clone()].iter().all(all) {
            Seen::All
        } else if self.layers.iter().any(|layer| layer[rows.clone()].iter().any(some)) {
            Seen::Some
        } else {
            Seen::Nothing
        }
    }

    /// Sends the intervals to a device, which computes masks from them.
    pub fn send(&self, device: &Device) -> Result<SentIntervals, DecoderError> {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let mut of_rows = Vec::with_capacity(3 * self.layers.len() * self.rows());
        for layer in &self.layers {
            of_rows.extend(layer.iter().map(|interval| number(interval.from)));
            of_rows.extend(layer.iter().map(|interval| number(interval.to)));
            of_rows.extend(layer.iter().map(|interval| number(interval.until)));
        }
        let queries = (0..self.queries()).map(number).chain(self.depths.of.iter().copied().map(number)).collect();
        Ok(SentIntervals {
            rows: Array::send(of_rows, (3 * self.layers.len(), self.rows()), device)?,
            queries: Array::send(queries, (2, self.queries(), 1), device)?,
            layers: self.layers.len(),
            windowed: self.window.is_some(),
        })
    }
}

impl Depths {
    /// Smallest depth of some queries; `queries` must not be empty.
    fn least(&self, queries: Range<usize>) -> usize {
        let starts = self.within(&queries).iter().map(|&start| self.of[start]);
        starts.fold(self.of[queries.start], usize::min)
    }

    /// Largest depth of some queries; `queries` must not be empty.
    fn most(&self, queries: Range<usize>) -> usize {
        let ends = self.within(&queries).iter().map(|&start| self.of[start - 1]);
        ends.fold(self.of[queries.end - 1], usize::max)
    }

    /// Branches that start after the first of these queries.
    fn within(&self, queries: &Range<usize>) -> &[usize] {
        let place = |query: usize| self.starts.partition_point(|&start| start < query);
        let from = place(queries.start + 1);
        &self.starts[from..place(queries.end).max(from)]
    }
}

/// Intervals on a device.
#[derive(Debug)]
pub(super) struct SentIntervals {
    /// `from`, `to` and `until` for each layer of intervals: `(3 * layers, rows)`.
    rows: Array,
    /// Indices of the queries, then their depths: `(2, queries, 1)`.
    queries: Array,
    layers: usize,
    windowed: bool,
}

impl SentIntervals {
    /// A part of the mask, `(queries, rows)` in f32: 0 where a query sees the row and negative infinity elsewhere.
    /// Computed on the device by comparisons.
    pub fn mask(&self, queries: &Range<usize>, rows: &Range<usize>) -> Result<Array, DecoderError> {
        let of_rows = |which: usize| self.rows.narrow(0, which, 1)?.narrow(1, rows.start, rows.len());
        let of_queries =
            |which: usize| self.queries.narrow(0, which, 1)?.squeeze(0)?.narrow(0, queries.start, queries.len());
        let mut seen: Option<Array> = None;
        for layer in 0..self.layers {
            let number = of_queries(0)?;
            let mut one = number.ge(&of_rows(3 * layer)?)?.mul(&number.lt(&of_rows(3 * layer + 1)?)?)?;
            if self.windowed {
                one = one.mul(&of_queries(1)?.lt(&of_rows(3 * layer + 2)?)?)?;
            }
            seen = Some(match seen {
                None => one,
                Some(seen) => seen.maximum(&one)?,
            });
        }
        let seen = seen.ok_or_else(|| DecoderError::Pass("mask without intervals".to_string()))?;
        // The logarithms of 1 and 0.
        Ok(seen.to_dtype(DType::F32)?.log()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decoder::pass::Pass;
    use crate::decoder::portable::tries::{Trie, dense, tries};

    fn mask(intervals: &Intervals, queries: &Range<usize>, rows: &Range<usize>) -> Vec<f32> {
        intervals.send(&Device::Cpu).unwrap().mask(queries, rows).unwrap().values().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

        #[test]
        fn masks_are_those_of_the_paths(trie in tries(), part in (0.0..1.0f64, 0.0..1.0f64)) {
            let Trie { layout, window, .. } = &trie;
            let (intervals, dense) = (Intervals::new(layout, *window), dense(layout, *window));
            let (queries, rows) = (intervals.queries(), intervals.rows());
            let queries = (part.0 * queries as f64) as usize..queries;
            let rows = 0..rows - (part.1 * rows as f64) as usize;
            let wanted = queries.clone().flat_map(|query| dense[query][rows.clone()].to_vec());
            let wanted: Vec<f32> = wanted.map(|seen| if seen { 0.0 } else { f32::NEG_INFINITY }).collect();
            prop_assert_eq!(mask(&intervals, &queries, &rows), wanted);
        }

        #[test]
        fn in_depth_first_order_one_interval_is_enough(trie in tries()) {
            let layers = Intervals::new(&trie.layout, trie.window).layers.len();
            prop_assert!(layers == 1 || !trie.depth_first, "{} intervals", layers);
        }
    }

    #[test]
    fn the_example_of_the_documentation_holds() {
        let branch = |tokens: Range<usize>, prefix: &[Range<usize>]| crate::decoder::Branch {
            tokens,
            prefix: prefix.iter().cloned().collect(),
        };
        let branches = vec![branch(0..3, &[0..6]), branch(3..5, &[0..9]), branch(5..6, &[0..6])];
        let pass = Pass { tokens: vec![0; 6], branches, ..Pass::default() };
        let intervals = Intervals::new(&Layout::check(&pass, 6, 1).unwrap(), None);
        assert_eq!(intervals.layers.len(), 1);
        let found: Vec<[usize; 2]> = intervals.layers[0].iter().map(|interval| [interval.from, interval.to]).collect();
        assert_eq!(found[..6], [[0, 6]; 6]);
        assert_eq!(found[6..], [[0, 5], [1, 5], [2, 5], [3, 5], [4, 5], [5, 6]]);
    }
}
