//! In-place rotation of queries and keys.

use multiversion::multiversion;

use super::Rows;
use super::math::by_rows;
use crate::decoder::ops::Heads;
use crate::decoder::rotary::{Angles, Pairing};

/// Rotates the leading dimensions of every query and key head by the angles of its token.
pub(super) fn rotate(qkv: &mut Rows, angles: &Angles, pairing: Pairing, heads: &Heads) {
    let (stride, width) = (qkv.stride, heads.keys().end);
    let half = angles.cos.len() / qkv.len().max(1);
    by_rows(&mut qkv.values, stride, |first, rows| {
        for (row, qkv) in (first..).zip(rows.chunks_exact_mut(stride)) {
            let at = row * half..(row + 1) * half;
            rotate_row(&mut qkv[..width], &angles.cos[at.clone()], &angles.sin[at], pairing, heads.head_dim);
        }
    });
}

#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn rotate_row(row: &mut [f32], cos: &[f32], sin: &[f32], pairing: Pairing, head_dim: usize) {
    for head in row.chunks_exact_mut(head_dim) {
        let head = &mut head[..2 * cos.len()];
        match pairing {
            Pairing::Halves => {
                let (a, b) = head.split_at_mut(cos.len());
                for (((a, b), cos), sin) in a.iter_mut().zip(b).zip(cos).zip(sin) {
                    (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
                }
            }
            Pairing::Interleaved => {
                for ((pair, cos), sin) in head.as_chunks_mut::<2>().0.iter_mut().zip(cos).zip(sin) {
                    let [a, b] = *pair;
                    *pair = [a * cos - b * sin, b * cos + a * sin];
                }
            }
        }
    }
}
