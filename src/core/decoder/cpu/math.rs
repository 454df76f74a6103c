//! Elementary functions that compile to vector instructions, prefetching, and distribution of work among threads.
//!
//! The loops around these functions carry `#[multiversion]`, which compiles them once per instruction set and chooses
//! at run time. A closure does not inherit the instruction set of the function that calls it, so such loops are named
//! functions without closures for their bodies.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// `e^x` in f32 with a relative error below 2e-7; 0 below -87, and `e^88` above 88.
///
/// Range reduction by powers of two and the polynomial of the Cephes library's `expf`: the library function is one call
/// per element, this is a handful of vector instructions.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    if x < LEAST { 0.0 } else { power_of_e::<false>(x.clamp(LEAST, 88.0)) }
}

/// Like [`exp`] for numbers that are not positive, in fewer instructions: for loops that only run on processors with
/// fused multiply-add, which elsewhere is a function call.
#[inline(always)]
pub(super) fn exp_below_one(x: f32) -> f32 {
    if x < LEAST { 0.0 } else { power_of_e::<true>(x) }
}

/// Smallest exponent whose power is not flushed to 0.
const LEAST: f32 = -87.0;

/// `e^x` between -87 and 88.
#[inline(always)]
fn power_of_e<const FUSED: bool>(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer in the low bits
    let add = |a: f32, b: f32, c: f32| if FUSED { a.mul_add(b, c) } else { a * b + c };
    let shifted = add(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = add(n, 2.121_944_4e-4, add(n, -0.693_359_4, x));
    let p = 1.987_569_1e-4;
    let p = add(p, r, 1.398_199_9e-3);
    let p = add(p, r, 8.333_452e-3);
    let p = add(p, r, 4.166_579_6e-2);
    let p = add(p, r, 1.666_666_5e-1);
    let p = add(p, r, 5e-1);
    let p = add(p * r, r, r) + 1.0;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    p * power
}

/// `x * sigmoid(x)`.
#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// The tanh form of GELU.
#[inline(always)]
pub(super) fn gelu_tanh(x: f32) -> f32 {
    // 0.5 (1 + tanh(z)) = sigmoid(2 z)
    let z = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    x / (1.0 + exp(-2.0 * z))
}

/// `tanh(x)`.
#[inline(always)]
fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (1.0 + exp(2.0 * x))
}

/// `cap * tanh(value / cap)`.
#[inline(always)]
pub(super) fn soft_cap(value: f32, cap: f32) -> f32 {
    cap * tanh(value / cap)
}

/// Sum of squares, in sixteen partial sums.
#[inline(always)]
pub(super) fn sum_of_squares(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<16>();
    let mut sums = [0.0f32; 16];
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value * value;
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|value| value * value).sum::<f32>()
}

/// Reduces sixteen numbers to one by repeatedly combining halves.
#[inline(always)]
fn halved(mut lanes: [f32; 16], together: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [8, 4, 2, 1] {
        let (one, other) = lanes.split_at_mut(half);
        for (one, other) in one.iter_mut().zip(other) {
            *one = together(*one, *other);
        }
    }
    lanes[0]
}

/// Sum of sixteen partial sums.
#[inline(always)]
pub(super) fn sum(lanes: [f32; 16]) -> f32 {
    halved(lanes, |one, other| one + other)
}

/// The largest value; negative infinity if there are none.
#[inline(always)]
pub(super) fn largest(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<16>();
    let mut lanes = [f32::NEG_INFINITY; 16];
    for chunk in chunks {
        for (largest, value) in lanes.iter_mut().zip(chunk) {
            *largest = if *value > *largest { *value } else { *largest };
        }
    }
    let lanes = halved(lanes, |one, other| if one > other { one } else { other });
    rest.iter().copied().fold(lanes, f32::max)
}

/// Dot product, in sixteen partial sums.
#[inline(always)]
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((one, one_rest), (other, other_rest)) = (one.as_chunks::<16>(), other.as_chunks::<16>());
    let mut sums = [0.0f32; 16];
    for (one, other) in one.iter().zip(other) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += one * other;
        }
    }
    sums.iter().sum::<f32>() + one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum::<f32>()
}

/// Number of values below which a second thread does not pay.
const ALONE: usize = 16 * 1024;

/// Calls `work(first row, rows)` on groups of whole rows, in parallel.
pub(super) fn by_rows<F: Fn(usize, &mut [f32]) + Sync>(values: &mut [f32], stride: usize, work: F) {
    let rows = values.len() / stride.max(1);
    let threads = rayon::current_num_threads();
    if values.len() < ALONE || threads == 1 {
        return work(0, values);
    }
    // Four groups per thread, so that other threads can take over from one that is delayed.
    let group = rows.div_ceil(4 * threads).max(1);
    values.par_chunks_mut(group * stride).enumerate().for_each(|(number, chunk)| work(number * group, chunk));
}

/// Consecutive parts of `values` with the given lengths.
pub(super) fn split(mut values: &mut [f32], lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = &mut [f32]> {
    lengths.map(move |length| {
        let (part, rest) = std::mem::take(&mut values).split_at_mut(length);
        values = rest;
        part
    })
}

/// Prefetches values, of whole cache lines each, into the L2 cache.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
pub(super) fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for value in values {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        for at in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch hint, which reads no value.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(value).cast::<i8>().wrapping_add(at));
            }
        }
    }
}

/// Works on `tasks` with all threads; each takes the next task as soon as it is free.
pub(super) fn in_order<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Sync) {
    in_queues(tasks, 1, work);
}

/// Works on `tasks` with all threads: each on consecutive ones, the same in every call, so that it reads memory in order.
/// A thread that is done takes over the last tasks of others.
pub(super) fn side_by_side<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Sync) {
    in_queues(tasks, rayon::current_num_threads(), work);
}

/// Works on `tasks`, divided into queues of consecutive ones. A thread takes the first of its own queue, then the last of
/// others.
fn in_queues<T: Send>(tasks: Vec<T>, count: usize, work: impl Fn(T) + Sync) {
    let each = tasks.len().div_ceil(count);
    let mut tasks = tasks.into_iter();
    let queues: Vec<Mutex<VecDeque<T>>> = (0..count).map(|_| Mutex::new(tasks.by_ref().take(each).collect())).collect();
    let taken = |number: usize, of: fn(&mut VecDeque<T>) -> Option<T>| {
        of(&mut queues[number % count].lock().unwrap_or_else(PoisonError::into_inner))
    };
    rayon::broadcast(|thread| {
        let own = thread.index();
        let others = own + 1..own + count;
        let next = || {
            taken(own, VecDeque::pop_front)
                .or_else(|| others.clone().find_map(|other| taken(other, VecDeque::pop_back)))
        };
        while let Some(task) = next() {
            work(task);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn exp_is_exact_to_a_few_units_in_the_last_place() {
        let mut worst = 0.0f64;
        for step in -86_000..88_000 {
            let x = step as f32 * 1e-3;
            let exact = f64::from(x).exp();
            if x <= 0.0 {
                worst = worst.max((f64::from(exp_below_one(x)) - exact).abs() / exact);
            }
            worst = worst.max((f64::from(exp(x)) - exact).abs() / exact);
        }
        assert!(worst < 2e-7, "largest relative error {worst:e}");
        assert_eq!((exp(f32::NEG_INFINITY), exp_below_one(f32::NEG_INFINITY)), (0.0, 0.0));
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn activations_agree_with_the_library_functions() {
        for step in -200..200 {
            let x = step as f32 * 0.1;
            assert!((tanh(x) - x.tanh()).abs() < 3e-7, "tanh({x})");
            assert!((silu(x) - x / (1.0 + (-x).exp())).abs() < 2e-6, "silu({x})");
            let z = (2.0f32 / std::f32::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            assert!((gelu_tanh(x) - 0.5 * x * (1.0 + z.tanh())).abs() < 2e-6, "gelu({x})");
        }
    }

    #[test]
    fn every_task_is_done_once() {
        for count in [0, 1, 2, 7, 100] {
            for queues in [1, 2, 3] {
                let seen: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                in_queues((0..count).collect(), queues, |task| {
                    seen[task].fetch_add(1, Ordering::Relaxed);
                });
                assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1), "{count} tasks, {queues} queues");
            }
        }
    }

    #[test]
    fn every_row_is_visited_once() {
        for rows in [1, 7, 1000] {
            let mut values = vec![0.0; rows * 48];
            by_rows(&mut values, 48, |first, chunk| {
                for (row, values) in chunk.chunks_exact_mut(48).enumerate() {
                    values.iter_mut().for_each(|value| *value += (first + row) as f32 + 1.0);
                }
            });
            assert!(values.iter().enumerate().all(|(at, &value)| value == (at / 48) as f32 + 1.0));
        }
    }
}
