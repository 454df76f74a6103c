//! Panel products in f32, with AVX-512.

use std::arch::x86_64::*;
use std::array::from_fn;

use super::layout::{Gathered, LANES, Lanes, STRIP, Strip, TILE, TileProduct};
use crate::decoder::cpu::matmul::Onto;

/// Proof that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

/// Lanes of a register.
const REGISTER: usize = 16;

impl Avx512 {
    /// `Some` on processors that have the instructions.
    pub fn detect() -> Option<Avx512> {
        is_x86_feature_detected!("avx512f").then_some(Avx512(()))
    }

    /// Writes a product to the columns of `out` from `first` on. The sums run over the inputs in order.
    pub(super) fn products<const ROWS: usize>(
        self,
        product: TileProduct<[Strip; ROWS]>,
        out: &mut [&mut [f32]; ROWS],
        first: usize,
    ) {
        // SAFETY: the only way to an `Avx512` is `detect`, so the processor has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            products(product, out, first);
        }
    }

    /// Products of key rows with the rows of a tile, `(rows of the tile, keys)`, times a factor. Each entry of `tile`
    /// holds one element of every row. The sums run over the elements in order.
    pub(in crate::decoder::cpu) fn scores(self, tile: &[Strip], keys: Gathered, factor: f32, out: &mut [&mut [f32]]) {
        assert!(out.len() <= TILE && tile.len() == keys.width);
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            scores(tile, keys, factor, out);
        }
    }

    /// Sums of value rows, weighted separately for each row of a tile, with weights in `(keys / 16, rows of the tile)`
    /// strips. The sums run over the value rows in order.
    pub(super) fn mix<const ROWS: usize>(
        self,
        values: Gathered,
        weights: &[[Strip; ROWS]],
        out: &mut [&mut [f32]; ROWS],
    ) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            mix(values, weights, out);
        }
    }
}

/// Number of key rows whose products are summed together, so that their memory reads overlap.
const SIDE_BY_SIDE: usize = 8;

/// One lane per row of the tile, one register per key row.
#[target_feature(enable = "avx512f")]
fn scores(tile: &[Strip], keys: Gathered, factor: f32, out: &mut [&mut [f32]]) {
    let (strips, rest) = tile.as_chunks::<STRIP>();
    let factor = _mm512_set1_ps(factor);
    for first in (0..keys.rows.len()).step_by(SIDE_BY_SIDE) {
        let count = SIDE_BY_SIDE.min(keys.rows.len() - first);
        // Repeats the last row if fewer are left.
        let each: [&[f32]; SIDE_BY_SIDE] = from_fn(|at| keys.row(first + at.min(count - 1)));
        let numbers: [(&[[f32; STRIP]], &[f32]); SIDE_BY_SIDE] = each.map(|key| key.as_chunks());
        let mut sums = [_mm512_setzero_ps(); SIDE_BY_SIDE];
        for (strip, rows) in strips.iter().enumerate() {
            let numbers: [&[f32; STRIP]; SIDE_BY_SIDE] = from_fn(|at| &numbers[at].0[strip]);
            for input in 0..STRIP {
                let rows = load_strip(&rows[input]);
                for at in 0..SIDE_BY_SIDE {
                    sums[at] = _mm512_fmadd_ps(_mm512_set1_ps(numbers[at][input]), rows, sums[at]);
                }
            }
        }
        for (input, rows) in rest.iter().enumerate() {
            let rows = load_strip(rows);
            for at in 0..SIDE_BY_SIDE {
                sums[at] = _mm512_fmadd_ps(_mm512_set1_ps(numbers[at].1[input]), rows, sums[at]);
            }
        }
        let mut products = [Strip([0.0; STRIP]); SIDE_BY_SIDE];
        for (products, sums) in products.iter_mut().zip(sums) {
            store_strip(_mm512_mul_ps(factor, sums), products);
        }
        for (row, out) in out.iter_mut().enumerate() {
            for (out, products) in out[first..first + count].iter_mut().zip(&products) {
                *out = products.0[row];
            }
        }
    }
}

/// Two registers of each value row at a time; the last may be partly used.
#[target_feature(enable = "avx512f")]
fn mix<const ROWS: usize>(values: Gathered, weights: &[[Strip; ROWS]], out: &mut [&mut [f32]; ROWS]) {
    for first in (0..values.width).step_by(LANES) {
        let lanes = LANES.min(values.width - first);
        let used: [__mmask16; 2] = [0, REGISTER].map(|from| lanes_below(lanes.saturating_sub(from)));
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        for (strip, weights) in weights.iter().enumerate() {
            let keys = strip * STRIP..values.rows.len().min((strip + 1) * STRIP);
            for (at, key) in keys.enumerate() {
                let numbers = &values.row(key)[first..first + lanes];
                let numbers = [load_part(numbers, 0, used[0]), load_part(numbers, REGISTER, used[1])];
                for row in 0..ROWS {
                    let weight = _mm512_set1_ps(weights[row].0[at]);
                    sums[row] = [
                        _mm512_fmadd_ps(numbers[0], weight, sums[row][0]),
                        _mm512_fmadd_ps(numbers[1], weight, sums[row][1]),
                    ];
                }
            }
        }
        for (out, sums) in out.iter_mut().zip(sums) {
            let mut wide = [0.0; LANES];
            store(sums[0], &mut wide, 0);
            store(sums[1], &mut wide, REGISTER);
            out[first..first + lanes].copy_from_slice(&wide[..lanes]);
        }
    }
}

/// A mask of the first `count` lanes of a register.
fn lanes_below(count: usize) -> __mmask16 {
    if count >= REGISTER { !0 } else { (1 << count) - 1 }
}

/// Loads the lanes of a mask from some numbers at an offset; the other lanes are zero. The numbers must cover the mask.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_part(numbers: &[f32], from: usize, used: __mmask16) -> __m512 {
    let numbers = numbers.get(from..).unwrap_or(&[]);
    debug_assert!(used.count_ones() as usize <= numbers.len());
    // SAFETY: only elements under the mask are read, and the callers' masks do not exceed the slice.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_maskz_loadu_ps(used, numbers.as_ptr())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_strip(strip: &Strip) -> __m512 {
    // SAFETY: a strip is 64 bytes, aligned to 64.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_load_ps(strip.0.as_ptr())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_strip(values: __m512, to: &mut Strip) {
    // SAFETY: a strip is 64 bytes, aligned to 64.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_store_ps(to.0.as_mut_ptr(), values);
    }
}

/// Two registers of weights and one element of each row at a time. The loops over rows are short enough to be unrolled,
/// so that all sums stay in registers.
#[target_feature(enable = "avx512f")]
fn products<const ROWS: usize>(product: TileProduct<[Strip; ROWS]>, out: &mut [&mut [f32]; ROWS], first: usize) {
    let TileProduct { panels, inputs, rows, onto, factor, resumed, next } = product;
    let mut next = next.chunks(next.len().div_ceil(rows.len().max(1)).max(1));
    for (panel, first) in panels.chunks_exact(inputs).zip((first..).step_by(LANES)) {
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        if resumed {
            for (out, sums) in out.iter().zip(&mut sums) {
                let out = out[first..].first_chunk().expect("the columns of whole panels");
                *sums = [load(out, 0), load(out, REGISTER)];
            }
        }
        for (panel, strips) in panel.chunks(STRIP).zip(rows) {
            next.next().unwrap_or(&[]).iter().for_each(fetch);
            for (input, weights) in panel.iter().enumerate() {
                let weights = [load(&weights.0, 0), load(&weights.0, REGISTER)];
                for row in 0..ROWS {
                    let number = _mm512_set1_ps(strips[row].0[input]);
                    sums[row] = [
                        _mm512_fmadd_ps(weights[0], number, sums[row][0]),
                        _mm512_fmadd_ps(weights[1], number, sums[row][1]),
                    ];
                }
            }
        }
        let factor = _mm512_set1_ps(factor);
        for (out, sums) in out.iter_mut().zip(sums) {
            let out = out[first..].first_chunk_mut().expect("the columns of whole panels");
            for (sum, from) in sums.into_iter().zip([0, REGISTER]) {
                let value = match onto {
                    Onto::Replace => _mm512_mul_ps(factor, sum),
                    Onto::Add => _mm512_fmadd_ps(factor, sum, load(out, from)),
                };
                store(value, out, from);
            }
        }
    }
}

/// Prefetches some weights into the L2 cache.
#[inline(always)]
fn fetch(lanes: &Lanes) {
    for line in lanes.0.chunks(STRIP) {
        // SAFETY: a prefetch hint, which reads no value.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast());
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(values: &[f32; LANES], from: usize) -> __m512 {
    let values: &[f32; REGISTER] = values[from..].first_chunk().expect("a register begins at lane 0 or 16");
    // SAFETY: 16 numbers of 4 bytes are the 64 that are read; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_ps(values.as_ptr())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(values: __m512, to: &mut [f32; LANES], from: usize) {
    let to: &mut [f32; REGISTER] = to[from..].first_chunk_mut().expect("a register begins at lane 0 or 16");
    // SAFETY: 16 numbers of 4 bytes are the 64 that are written; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_ps(to.as_mut_ptr(), values);
    }
}
