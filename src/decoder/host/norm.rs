//! RMS norm (Zhang and Sennrich 2019, equation 4).

use std::ops::Range;

use super::Rows;
use super::math::{by_rows, sum_of_squares};

/// A norm's weight and the number added to the mean square.
#[derive(Debug, Clone)]
pub(crate) struct Norm {
    pub weight: Vec<f32>,
    pub eps: f32,
}

impl Norm {
    /// `x / rms(x) * weight` of each row.
    pub fn rows(&self, x: &Rows) -> Rows {
        let width = x.width;
        let mut out = Rows::zeros(x.len(), width);
        by_rows(&mut out.values, width, |first, chunk| {
            for (row, out) in chunk.chunks_exact_mut(width).enumerate() {
                let x = x.row(first + row);
                let scale = self.scale(x);
                for ((out, x), weight) in out.iter_mut().zip(x).zip(&self.weight) {
                    *out = x * scale * weight;
                }
            }
        });
        out
    }

    /// The same in place, for each run of `width` values within `columns`. The weight has that width.
    pub fn columns(&self, x: &mut Rows, columns: Range<usize>, width: usize) {
        let stride = x.stride;
        by_rows(&mut x.values, stride, |_, chunk| {
            for row in chunk.chunks_exact_mut(stride) {
                for run in row[columns.clone()].chunks_exact_mut(width) {
                    let scale = self.scale(run);
                    for (x, weight) in run.iter_mut().zip(&self.weight) {
                        *x = *x * scale * weight;
                    }
                }
            }
        });
    }

    #[inline(always)]
    fn scale(&self, x: &[f32]) -> f32 {
        1.0 / (sum_of_squares(x) / x.len() as f32 + self.eps).sqrt()
    }
}
