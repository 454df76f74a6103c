//! New positions of cache rows when the cache is compacted.

use crate::decoder::RowRanges;

/// New places of rows: those of a text follow one another, which keeps the rows of every path in ascending order, since
/// what two paths share is the beginning of both.
pub(super) struct Placing {
    /// The new number of each row from `first` on, where it has one already.
    places: Vec<Option<usize>>,
    /// Rows before it stay where they are.
    first: usize,
}

impl Placing {
    /// For a cache of `rows` rows.
    pub fn new(rows: usize, first: usize) -> Placing {
        Placing { places: vec![None; rows - first], first }
    }

    /// Place the rows of a path that have no place yet, and write down where they all are.
    pub fn path(&mut self, path: &mut RowRanges, keep: &mut RowRanges) {
        let mut moved = RowRanges::default();
        for row in path.rows() {
            let to = match row.checked_sub(self.first) {
                None => row,
                Some(row_of_new) => *self.places[row_of_new].get_or_insert_with(|| {
                    keep.push(row..row + 1);
                    keep.len() - 1
                }),
            };
            moved.push(to..to + 1);
        }
        *path = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ranges: &[std::ops::Range<usize>]) -> RowRanges {
        ranges.iter().cloned().collect()
    }

    #[test]
    fn texts_lie_side_by_side_and_their_rows_ascend() {
        // Two replies to one prompt of four rows, a row each in turn; rows 12 and 13 are nobody's.
        let mut paths =
            [rows(&[0..4, 4..5, 6..7, 8..9]), rows(&[0..4, 5..6, 7..8, 9..10]), rows(&[0..2, 10..12, 14..15])];
        let (mut keep, mut place) = (RowRanges::default(), Placing::new(15, 0));
        paths.iter_mut().for_each(|path| place.path(path, &mut keep));
        assert_eq!(keep, rows(&[0..4, 4..5, 6..7, 8..9, 5..6, 7..8, 9..10, 10..12, 14..15]));
        assert_eq!(paths, [rows(&[0..7]), rows(&[0..4, 7..10]), rows(&[0..2, 10..13])]);
    }

    #[test]
    fn rows_that_are_placed_already_stay() {
        let mut paths = [rows(&[0..6, 8..9, 10..11]), rows(&[0..2, 6..8, 9..10, 11..12])];
        let (mut keep, mut place) = (RowRanges::first(8), Placing::new(12, 8));
        paths.iter_mut().for_each(|path| place.path(path, &mut keep));
        assert_eq!(keep, rows(&[0..9, 10..11, 9..10, 11..12]));
        assert_eq!(paths, [rows(&[0..6, 8..10]), rows(&[0..2, 6..8, 10..12])]);
    }
}
