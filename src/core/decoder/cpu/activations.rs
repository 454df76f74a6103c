//! Activations and reusable buffers.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// Activations `(rows, width)`: row `i` starts at `i * stride`.
#[derive(Debug)]
pub struct Rows {
    pub values: Buffer,
    pub stride: usize,
    pub width: usize,
}

impl Rows {
    /// Rows with the given values, concatenated.
    pub fn new(values: Vec<f32>, width: usize) -> Rows {
        Rows { values: Buffer { len: values.len(), values, home: Buffers::default() }, stride: width, width }
    }

    /// Rows in a buffer of the same pool. Their values are unspecified: see [`Buffers::rows`].
    pub fn beside(&self, rows: usize, width: usize) -> Rows {
        self.values.home.rows(rows, width)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.stride
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.stride..row * self.stride + self.width]
    }

    /// All values, including those between the rows; their buffer leaves the pool.
    pub fn into_values(mut self) -> Vec<f32> {
        let mut values = std::mem::take(&mut self.values.values);
        values.truncate(self.values.len);
        values
    }
}

/// A pool of unused buffers.
///
/// Every operation of a pass allocates some megabytes of activations and drops them soon after. Memory returned to the
/// system in between comes back as zeroed pages, with one fault each: in a pass of 512 tokens that took a tenth of the
/// time, and storing its keys and values in new memory up to a sixteenth. The pool never holds more buffers than were
/// in use at one time.
#[derive(Debug, Clone, Default)]
pub struct Buffers(Arc<Mutex<Vec<Vec<f32>>>>);

impl Buffers {
    /// Rows with unspecified values: data of an earlier operation, or NaN in builds with debug assertions. The
    /// operation that takes them must set all values.
    pub fn rows(&self, rows: usize, width: usize) -> Rows {
        let len = rows * width;
        let mut values = self.take(len);
        if values.len() < len {
            values = vec![0.0; len];
        }
        let mut values = Buffer { values, len: 0, home: self.clone() };
        values.set_len(len);
        Rows { values, stride: width, width }
    }

    /// An empty buffer with the largest capacity in the pool.
    pub fn longest(&self) -> Buffer {
        Buffer { values: self.take(usize::MAX), len: 0, home: self.clone() }
    }

    /// The shortest buffer that is long enough, else the longest one, to be replaced, else an empty one.
    fn take(&self, len: usize) -> Vec<f32> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = (0..free.len()).filter(|&at| free[at].len() >= len).min_by_key(|&at| free[at].len());
        let at = fitting.or_else(|| (0..free.len()).max_by_key(|&at| free[at].len()));
        at.map(|at| free.swap_remove(at)).unwrap_or_default()
    }
}

/// Values in a buffer that returns to its pool when dropped.
#[derive(Debug)]
pub struct Buffer {
    /// The whole buffer: at least `len` values.
    values: Vec<f32>,
    len: usize,
    home: Buffers,
}

impl Buffer {
    /// Reserves capacity for `len` values up front, so that growing to this size leaves no undersized buffers behind.
    pub fn reserve(&mut self, len: usize) {
        self.values.reserve_exact(len.saturating_sub(self.values.len()));
    }

    /// Keeps the first `len` values; new ones are unspecified, as in [`Buffers::rows`].
    pub fn set_len(&mut self, len: usize) {
        if self.values.len() < len {
            self.values.resize(len, 0.0);
        }
        if cfg!(debug_assertions) && self.len < len {
            self.values[self.len..len].fill(f32::NAN);
        }
        self.len = len;
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.values.is_empty() {
            let values = std::mem::take(&mut self.values);
            self.home.0.lock().unwrap_or_else(PoisonError::into_inner).push(values);
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.values[..self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[..self.len]
    }
}

#[cfg(test)]
pub(in crate::decoder::cpu) mod tests {
    use super::*;

    /// Rows of some values; the gaps between them must not be read.
    pub fn activations(rows: usize, width: usize) -> Rows {
        let stride = width + 5;
        let value = |at: usize| if at % stride < width { (at as f32 * 0.37).sin() } else { f32::NAN };
        Rows { width, ..Rows::new((0..rows * stride).map(value).collect(), stride) }
    }

    #[test]
    fn buffers_are_used_again() {
        let buffers = Buffers::default();
        let free = || {
            let mut lengths: Vec<usize> = buffers.0.lock().unwrap().iter().map(Vec::len).collect();
            lengths.sort_unstable();
            lengths
        };
        let (small, large) = (buffers.rows(3, 10), buffers.rows(3, 20));
        assert_eq!((small.len(), small.values.len(), large.row(2).len()), (3, 30, 20));
        drop(small);
        drop(large);
        assert_eq!(free(), [30, 60]);
        // The shortest that is long enough.
        let rows = buffers.rows(4, 8);
        assert_eq!((rows.values.len(), free()), (32, vec![30]));
        // One that is too short is replaced.
        let beside = rows.beside(5, 8);
        assert_eq!(free(), [0; 0]);
        drop((rows, beside));
        assert_eq!(free(), [40, 60]);
    }

    #[test]
    fn a_buffer_that_grows_starts_with_the_longest() {
        let buffers = Buffers::default();
        drop((buffers.rows(3, 10), buffers.rows(3, 20)));
        let mut grown = buffers.longest();
        grown.reserve(70);
        let place = grown.values.as_ptr();
        assert_eq!(grown.len(), 0);
        grown.set_len(2);
        grown.copy_from_slice(&[1.0, 2.0]);
        grown.set_len(70);
        assert_eq!((grown.len(), &grown[..2]), (70, &[1.0, 2.0][..]));
        assert_eq!(grown.values.as_ptr(), place, "there was room");
        grown.set_len(1);
        drop(grown);
        let lengths: Vec<usize> = buffers.0.lock().unwrap().iter().map(Vec::len).collect();
        assert_eq!(lengths, [30, 70], "it goes back with all it has grown to");
    }

    #[test]
    fn values_taken_out_do_not_come_back() {
        let buffers = Buffers::default();
        drop(buffers.rows(4, 4));
        let mut rows = buffers.rows(2, 3);
        rows.values.copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(rows.into_values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(buffers.0.lock().unwrap().is_empty());
    }
}
