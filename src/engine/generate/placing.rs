//! New positions of cache rows when the cache is compacted.

use crate::decoder::RowRanges;

/// New positions of rows: rows of a text become consecutive. Since two paths share only a prefix, the rows of every
/// path stay in ascending order.
pub(super) struct Placing {
    /// New index of each row from `first` on, if assigned.
    places: Vec<Option<usize>>,
    /// Earlier rows stay in place.
    first: usize,
}

impl Placing {
    /// For a cache of `rows` rows.
    pub fn new(rows: usize, first: usize) -> Placing {
        Placing { places: vec![None; rows - first], first }
    }

    /// Places the rows of a path that have no position yet, and updates the path.
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
        // Two replies to one prompt of four rows, with alternating rows; rows 12 and 13 are unused.
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
