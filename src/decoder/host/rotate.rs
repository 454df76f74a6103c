//! Rotation of queries and keys in place.

use super::Rows;
use super::math::by_rows;
use crate::decoder::ops::Heads;
use crate::decoder::rotary::{Angles, Pairing};

/// Rotate the leading dimensions of every query and key head by the angles of its token.
pub(super) fn rotate(qkv: &mut Rows, angles: &Angles, pairing: Pairing, heads: &Heads) {
    let stride = qkv.stride;
    let half = angles.cos.len() / qkv.len().max(1);
    by_rows(&mut qkv.values, stride, |first, chunk| {
        for (row, qkv) in chunk.chunks_exact_mut(stride).enumerate() {
            let at = (first + row) * half..(first + row + 1) * half;
            let (cos, sin) = (&angles.cos[at.clone()], &angles.sin[at]);
            for head in qkv[..heads.keys().end].chunks_exact_mut(heads.head_dim) {
                match pairing {
                    Pairing::Halves => {
                        let (a, b) = head[..2 * half].split_at_mut(half);
                        for (((a, b), cos), sin) in a.iter_mut().zip(b).zip(cos).zip(sin) {
                            (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
                        }
                    }
                    Pairing::Interleaved => {
                        for ((pair, cos), sin) in head[..2 * half].as_chunks_mut::<2>().0.iter_mut().zip(cos).zip(sin) {
                            let [a, b] = *pair;
                            *pair = [a * cos - b * sin, b * cos + a * sin];
                        }
                    }
                }
            }
        }
    });
}
