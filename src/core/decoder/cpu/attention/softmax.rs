//! Softmax of a row of scores whose keys may be anywhere in the cache.

use std::ops::Range;

use multiversion::multiversion;

use crate::decoder::cpu::float::{STRIP, Strip};
use crate::decoder::cpu::math::{exp_below_one, largest, soft_cap, sum};

/// Seen keys that are consecutive in both the cache and depth.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenRun {
    pub keys: usize,
    /// Column of the first key.
    pub column: usize,
    /// Depth of the first key.
    pub depth: usize,
}

/// Soft cap on scores.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(super) fn cap_scores(scores: &mut [f32], cap: f32) {
    for score in scores {
        *score = soft_cap(*score, cap);
    }
}

/// Writes `exp(score - largest)` of the strips of a row to strips `rows` apart, from `at` on.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(super) fn exponentials(scores: &[f32], strips: &[Range<usize>], to: &mut [Strip], at: usize, rows: usize) {
    let (scores, _) = scores.as_chunks::<STRIP>();
    let mut highest = f32::NEG_INFINITY;
    for strips in strips {
        highest = highest.max(largest(scores[strips.clone()].as_flattened()));
    }
    for strips in strips {
        let to = to[strips.start * rows..].chunks_exact_mut(rows).map(|strips| &mut strips[at].0);
        for (scores, to) in scores[strips.clone()].iter().zip(to) {
            for (score, to) in scores.iter().zip(to) {
                *to = exp_below_one(score - highest);
            }
        }
    }
}

/// The sum of a row's exponentials over the keys it sees: sixteen partial sums, each over the keys whose depths have
/// the same remainder, in order of depth, so that the positions of keys in the cache do not matter.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
pub(super) fn sum_by_depth(seen: &[SeenRun], strips: &[Strip], at: usize, rows: usize) -> f32 {
    let mut sums = [0.0f32; STRIP];
    for &SeenRun { keys, column, depth } in seen {
        // Offset from a depth's remainder to its lane in the strip, constant over the run.
        let turn = (column % STRIP + STRIP - depth % STRIP) % STRIP;
        let mut lanes = [0.0f32; STRIP];
        for (lane, to) in lanes.iter_mut().enumerate() {
            *to = sums[(lane + STRIP - turn) % STRIP];
        }
        let end = column + keys;
        for strip in column / STRIP..end.div_ceil(STRIP) {
            let numbers = &strips[strip * rows + at].0;
            let within = column.max(strip * STRIP) - strip * STRIP..end.min((strip + 1) * STRIP) - strip * STRIP;
            if within.len() == STRIP {
                for (lane, number) in lanes.iter_mut().zip(numbers) {
                    *lane += number;
                }
            } else {
                for (lane, number) in lanes[within.clone()].iter_mut().zip(&numbers[within]) {
                    *lane += number;
                }
            }
        }
        for (remainder, to) in sums.iter_mut().enumerate() {
            *to = lanes[(remainder + turn) % STRIP];
        }
    }
    sum(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_wherever_the_keys_stand() {
        let value = |depth: usize| ((depth * 7919 % 1009) as f32 / 1009.0).powi(3);
        let sum_of = |first: usize, runs: &[(usize, usize)]| {
            // The middle one of three rows; unseen keys are zero, as are exponentials of hidden scores.
            let mut strips = vec![Strip([0.0; STRIP]); 3 * 20];
            let (mut depth, mut seen) = (first, Vec::new());
            for &(column, keys) in runs {
                seen.push(SeenRun { keys, column, depth });
                for column in column..column + keys {
                    strips[column / STRIP * 3 + 1].0[column % STRIP] = value(depth);
                    depth += 1;
                }
            }
            sum_by_depth(&seen, &strips, 1, 3).to_bits()
        };
        for first in [0, 5, 16] {
            let whole = sum_of(first, &[(first % STRIP, 150)]);
            for runs in [
                vec![(0, 150)],
                vec![(7, 150)],
                vec![(3, 1), (9, 1), (40, 148)],
                vec![(0, 70), (81, 3), (90, 40), (200, 37)],
                (0..150).map(|key| (2 * key + key % 2, 1)).collect(),
            ] {
                assert_eq!(sum_of(first, &runs), whole, "{first}, {runs:?}");
            }
        }
    }
}
