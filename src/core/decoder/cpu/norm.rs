//! RMS norm (Zhang and Sennrich 2019, equation 4).

use std::ops::Range;

use multiversion::multiversion;

use super::Rows;
use super::math::{by_rows, sum_of_squares};

/// A norm's weight and the number added to the mean square.
#[derive(Debug, Clone)]
pub struct Norm {
    pub weight: Vec<f32>,
    pub eps: f32,
}

impl Norm {
    /// `x / rms(x) * weight` of each row.
    pub fn rows(&self, x: &Rows) -> Rows {
        let width = x.width;
        let mut out = x.beside(x.len(), width);
        by_rows(&mut out.values, width, |first, out| {
            norm_rows(out, &x.values[first * x.stride..], x.stride, &self.weight, self.eps);
        });
        out
    }

    /// Norms each run of `width` values within `columns` in place. The weight has that width.
    pub fn columns(&self, x: &mut Rows, columns: Range<usize>, width: usize) {
        let stride = x.stride;
        by_rows(&mut x.values, stride, |_, rows| {
            norm_columns(rows, stride, columns.clone(), width, &self.weight, self.eps);
        });
    }
}

#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn norm_rows(out: &mut [f32], x: &[f32], stride: usize, weight: &[f32], eps: f32) {
    for (out, x) in out.chunks_exact_mut(weight.len()).zip(x.chunks(stride)) {
        let x = &x[..weight.len()];
        write(out, x, scale(x, eps), weight);
    }
}

#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn norm_columns(rows: &mut [f32], stride: usize, columns: Range<usize>, width: usize, weight: &[f32], eps: f32) {
    for row in rows.chunks_exact_mut(stride) {
        for run in row[columns.clone()].chunks_exact_mut(width) {
            let scale = scale(run, eps);
            for (x, weight) in run.iter_mut().zip(weight) {
                *x = *x * scale * weight;
            }
        }
    }
}

/// One over the root mean square of the values.
#[inline(always)]
pub(super) fn scale(x: &[f32], eps: f32) -> f32 {
    1.0 / (sum_of_squares(x) / x.len() as f32 + eps).sqrt()
}

/// `x * scale * weight`.
#[inline(always)]
pub(super) fn write(out: &mut [f32], x: &[f32], scale: f32, weight: &[f32]) {
    for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
        *out = x * scale * weight;
    }
}
