//! Matrix products on checked slices.

use gemm::Parallelism;

/// A matrix in a slice: element `(i, j)` is at `i * row + j * column`.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    pub row: usize,
    pub column: usize,
}

/// A mutable matrix.
pub struct ViewMut<'a> {
    pub values: &'a mut [f32],
    pub rows: usize,
    pub columns: usize,
    pub row: usize,
    pub column: usize,
}

impl<'a> View<'a> {
    /// A matrix whose rows are contiguous and `stride` apart.
    pub fn by_rows(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> View<'a> {
        View { values, rows, columns, row: stride, column: 1 }
    }

    /// The transposed matrix.
    pub fn transposed(self) -> View<'a> {
        View { rows: self.columns, columns: self.rows, row: self.column, column: self.row, ..self }
    }
}

impl<'a> ViewMut<'a> {
    /// A matrix whose rows are contiguous and `stride` apart.
    pub fn by_rows(values: &'a mut [f32], rows: usize, columns: usize, stride: usize) -> ViewMut<'a> {
        ViewMut { values, rows, columns, row: stride, column: 1 }
    }
}

/// Whether a product may use all threads of the pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    One,
    All,
}

/// Whether a product replaces the existing values or is added to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Onto {
    /// `out = factor * lhs rhs`.
    Replace,
    /// `out += factor * lhs rhs`.
    Add,
}

impl Onto {
    /// Writes one value of a result.
    #[inline(always)]
    pub fn put(self, value: f32, to: &mut f32) {
        *to = if self == Onto::Add { *to + value } else { value };
    }
}

/// `out = factor * lhs rhs`, or `out += factor * lhs rhs`. Panics if the shapes do not match or a matrix exceeds its
/// slice.
pub fn multiply(out: ViewMut, onto: Onto, factor: f32, lhs: View, rhs: View, threads: Threads) {
    assert!(lhs.rows == out.rows && rhs.columns == out.columns && lhs.columns == rhs.rows, "shapes of a product fit");
    if out.rows == 0 || out.columns == 0 {
        return;
    }
    let end = |rows: usize, columns: usize, row: usize, column: usize| match rows * columns {
        0 => 0,
        _ => (rows - 1) * row + (columns - 1) * column + 1,
    };
    assert!(end(out.rows, out.columns, out.row, out.column) <= out.values.len(), "the result lies in its slice");
    assert!(end(lhs.rows, lhs.columns, lhs.row, lhs.column) <= lhs.values.len(), "the left factor lies in its slice");
    assert!(end(rhs.rows, rhs.columns, rhs.row, rhs.column) <= rhs.values.len(), "the right factor lies in its slice");
    // No two elements of the result may share a location, since threads write them.
    assert!(
        (out.row >= out.column * out.columns || out.rows == 1)
            || (out.column >= out.row * out.rows || out.columns == 1),
        "the elements of the result are distinct"
    );
    let parallelism = match threads {
        Threads::One => Parallelism::None,
        Threads::All => Parallelism::Rayon(0),
    };
    // SAFETY: all three matrices lie within their slices, as asserted; the result is borrowed mutably, so it overlaps
    // neither factor, and its elements are distinct. `gemm` has no safe interface, and using tensors instead would cost
    // an allocation and a copy per product.
    #[allow(unsafe_code)]
    unsafe {
        gemm::gemm(
            out.rows,
            out.columns,
            lhs.columns,
            out.values.as_mut_ptr(),
            out.column as isize,
            out.row as isize,
            onto == Onto::Add,
            lhs.values.as_ptr(),
            lhs.column as isize,
            lhs.row as isize,
            rhs.values.as_ptr(),
            rhs.column as isize,
            rhs.row as isize,
            1.0,
            factor,
            false,
            false,
            false,
            parallelism,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_strides_and_accumulate() {
        // (2, 3) times the transpose of (2, 3), each within wider rows.
        let a: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let mut out = vec![100.0; 6];
        let lhs = View::by_rows(&a, 2, 3, 4);
        multiply(ViewMut::by_rows(&mut out, 2, 2, 3), Onto::Replace, 1.0, lhs, lhs.transposed(), Threads::One);
        assert_eq!(out, [5.0, 17.0, 100.0, 17.0, 77.0, 100.0]);
        multiply(ViewMut::by_rows(&mut out, 2, 2, 3), Onto::Add, 2.0, lhs, lhs.transposed(), Threads::All);
        assert_eq!(out, [15.0, 51.0, 100.0, 51.0, 231.0, 100.0]);
    }
}
