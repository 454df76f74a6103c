//! Ordered rows of the KV cache.

use std::ops::Range;

/// Rows of the KV cache in a given order, as ranges; no range is empty or continues the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowRanges(Vec<Range<usize>>);

impl RowRanges {
    /// The first `rows` rows.
    pub fn first(rows: usize) -> RowRanges {
        std::iter::once(0..rows).collect()
    }

    /// Appends rows.
    pub fn push(&mut self, rows: Range<usize>) {
        match self.0.last_mut() {
            _ if rows.is_empty() => {}
            Some(last) if last.end == rows.start => last.end = rows.end,
            _ => self.0.push(rows),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.iter().map(ExactSizeIterator::len).sum()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Range<usize>> {
        self.0.iter()
    }

    /// The rows one by one.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// The rows at `places`, counted from the first row.
    pub fn slice(&self, places: Range<usize>) -> RowRanges {
        let mut at = 0;
        let within = self.0.iter().map(|rows| {
            let from = places.start.clamp(at, at + rows.len()) - at;
            let to = places.end.clamp(at, at + rows.len()) - at;
            at += rows.len();
            rows.start + from..rows.start + to
        });
        within.collect()
    }

    /// The same rows in ascending order, each once.
    pub fn sorted(mut self) -> RowRanges {
        self.0.sort_unstable_by_key(|rows| rows.start);
        let mut sorted = RowRanges(Vec::with_capacity(self.0.len()));
        for rows in self.0 {
            let start = sorted.0.last().map_or(rows.start, |last| last.end.max(rows.start));
            sorted.push(start..rows.end);
        }
        sorted
    }

    /// All rows of both in ascending order, each once.
    pub fn joined(&self, other: &RowRanges) -> RowRanges {
        RowRanges([&self.0[..], &other.0].concat()).sorted()
    }

    /// Whether the rows ascend.
    pub fn is_sorted(&self) -> bool {
        self.0.is_sorted_by(|one, next| one.end <= next.start)
    }
}

impl FromIterator<Range<usize>> for RowRanges {
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(ranges: I) -> RowRanges {
        let mut rows = RowRanges::default();
        rows.extend(ranges);
        rows
    }
}

impl Extend<Range<usize>> for RowRanges {
    fn extend<I: IntoIterator<Item = Range<usize>>>(&mut self, ranges: I) {
        ranges.into_iter().for_each(|rows| self.push(rows));
    }
}

impl<'a> IntoIterator for &'a RowRanges {
    type Item = &'a Range<usize>;
    type IntoIter = std::slice::Iter<'a, Range<usize>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows<const N: usize>(ranges: [Range<usize>; N]) -> RowRanges {
        ranges.into_iter().collect()
    }

    #[test]
    fn ranges_that_continue_one_another_are_one() {
        let path = rows([0..4, 4..4, 8..11, 11..13, 2..3]);
        assert_eq!(path.0, [0..4, 8..13, 2..3]);
        assert_eq!((path.len(), path.rows().collect::<Vec<_>>()), (10, vec![0, 1, 2, 3, 8, 9, 10, 11, 12, 2]));
        assert!(RowRanges::first(0).is_empty());
    }

    #[test]
    fn a_slice_counts_rows() {
        let path = rows([0..2, 4..8, 13..14]);
        assert_eq!(path.slice(1..7), rows([1..2, 4..8, 13..14]));
        assert_eq!(path.slice(2..5).0, [4..7]);
        assert_eq!(path.slice(3..3), RowRanges::default());
    }

    #[test]
    fn sorted_rows_ascend_and_come_once() {
        let path = rows([8..13, 0..4, 3..6, 1..2, 13..14]);
        assert!(!path.is_sorted());
        assert_eq!(path.sorted(), rows([0..6, 8..14]));
        assert!(rows([0..4, 4..6, 8..9]).is_sorted());
    }
}
