//! Products of a panel in f32, with AVX-512.

use std::arch::x86_64::*;

use super::layout::{LANES, STRIP, Strip, TileProduct};
use crate::decoder::cpu::matmul::Onto;

/// Proof that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

/// Lanes of a register.
const REGISTER: usize = 16;

impl Avx512 {
    /// `Some` on processors that have them.
    pub fn detect() -> Option<Avx512> {
        is_x86_feature_detected!("avx512f").then_some(Avx512(()))
    }

    /// Write a product to the columns of `out` from `first` on. The sums run over the inputs in their order.
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
}

/// Two registers of weights and one number of each row at a time. The loops over rows are short enough to be unrolled,
/// so that all sums stay in registers.
#[target_feature(enable = "avx512f")]
fn products<const ROWS: usize>(product: TileProduct<[Strip; ROWS]>, out: &mut [&mut [f32]; ROWS], first: usize) {
    let TileProduct { panels, inputs, rows, onto, factor, resumed } = product;
    for (panel, first) in panels.chunks_exact(inputs).zip((first..).step_by(LANES)) {
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        if resumed {
            for (out, sums) in out.iter().zip(&mut sums) {
                let out = out[first..].first_chunk().expect("the columns of whole panels");
                *sums = [load(out, 0), load(out, REGISTER)];
            }
        }
        for (panel, strips) in panel.chunks(STRIP).zip(rows) {
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
