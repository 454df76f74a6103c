//! Panel products in integers on 256 bits: with AVX2, and with AVX-VNNI where the processor has it. The integers are
//! those of AVX-512 VNNI, and what follows is computed in the same order, so that all three give the same bits.

use std::arch::x86_64::*;

use half::f16;

use super::panel::{Line, OUTPUTS, Panel, SPAN, place};
use super::rounded::{Rounded, TILE, tiles};
use crate::decoder::cpu::math::prefetch;

/// Proof that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

/// Proof that this processor has AVX-VNNI besides.
#[derive(Debug, Clone, Copy)]
pub(super) struct AvxVnni(());

/// Outputs in a register.
const LANES: usize = 8;

impl Avx2 {
    /// `Some` on processors that have the instructions.
    pub fn detect() -> Option<Avx2> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c"))
            .then_some(Avx2(()))
    }

    /// Products of all rows with the outputs of a panel, `(rows, OUTPUTS)`. Products of as many fours of inputs as `FOURS`
    /// fit into 16 bits together; 0 if not even those of one do. For the others see [`super::Integers::products`].
    pub fn products<const FOURS: usize, const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
        self,
        panel: &Panel,
        next: &[Line],
        rows: &Rounded,
        out: &mut [[f32; OUTPUTS]],
    ) {
        // SAFETY: the only way to an `Avx2` is `detect`, so the processor has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            products_in_shorts::<FOURS, HALVES, FACTORS, MINIMA>(panel, next, rows, out);
        }
    }
}

impl AvxVnni {
    /// `Some` on processors that have the instructions.
    pub fn detect() -> Option<AvxVnni> {
        (Avx2::detect().is_some() && is_x86_feature_detected!("avxvnni")).then_some(AvxVnni(()))
    }

    /// Like [`Avx2::products`].
    pub fn products<const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
        self,
        panel: &Panel,
        next: &[Line],
        rows: &Rounded,
        out: &mut [[f32; OUTPUTS]],
    ) {
        // SAFETY: the only way to an `AvxVnni` is `detect`, so the processor has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            products_in_words::<8, HALVES, FACTORS, MINIMA>(panel, next, rows, out);
        }
    }
}

/// The products of all rows, and those of a tile of `ROWS` rows, with these instructions. `dots` multiplies the inputs
/// under one scale of eight outputs.
macro_rules! products {
    ($features:literal, $all:ident, $of_tile:ident, $dots:ident) => {
        #[target_feature(enable = $features)]
        fn $all<const FOURS: usize, const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
            panel: &Panel,
            mut next: &[Line],
            rows: &Rounded,
            out: &mut [[f32; OUTPUTS]],
        ) {
            for tile in tiles(out.len()) {
                let out = &mut out[tile.clone()];
                match out.len() {
                    1 => $of_tile::<1, FOURS, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
                    2 => $of_tile::<2, FOURS, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
                    _ => $of_tile::<TILE, FOURS, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
                }
                next = &[];
            }
        }

        #[target_feature(enable = $features)]
        fn $of_tile<
            const ROWS: usize,
            const FOURS: usize,
            const HALVES: bool,
            const FACTORS: usize,
            const MINIMA: bool,
        >(
            panel: &Panel,
            next: &[Line],
            rows: &Rounded,
            first: usize,
            out: &mut [[f32; OUTPUTS]],
        ) {
            let tile = rows.tile::<ROWS>(first);
            let lines = panel.lines.chunks_exact(if HALVES { 4 } else { 8 });
            let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
            let mut next = next.chunks(if HALVES { 4 } else { 8 });
            for (span, lines) in lines.take(rows.spans).enumerate() {
                prefetch(next.next().unwrap_or(&[]));
                let (numbers, taken) = (&tile.numbers[span], &tile.taken[span]);
                for half in 0..2 {
                    let mut values = [_mm256_setzero_ps(); ROWS];
                    // The numbers under one scale: all or half of a span.
                    for part in 0..FACTORS.max(1) {
                        let dots = $dots::<ROWS, FOURS, HALVES, FACTORS>(lines, numbers, half, part);
                        let (scale, minimum) = scales::<FACTORS, MINIMA>(panel, span, part, half);
                        for row in 0..ROWS {
                            let dot = _mm256_cvtepi32_ps(dots[row]);
                            let taken = _mm256_set1_ps(taken[row][part]);
                            let number = if MINIMA || FOURS == 0 { dot } else { _mm256_sub_ps(dot, taken) };
                            let value = match part {
                                0 => _mm256_mul_ps(number, scale),
                                _ => _mm256_fmadd_ps(number, scale, values[row]),
                            };
                            values[row] = match MINIMA {
                                true => _mm256_fnmadd_ps(minimum, taken, value),
                                false => value,
                            };
                        }
                    }
                    for row in 0..ROWS {
                        let scale = _mm256_set1_ps(tile.scales[span][row]);
                        sums[row][half] = _mm256_fmadd_ps(values[row], scale, sums[row][half]);
                    }
                }
            }
            for (out, sums) in out.iter_mut().zip(sums) {
                for (out, sum) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(sums) {
                    *out = store_f32(sum);
                }
            }
        }
    };
}

products!("avx2,fma,f16c", products_in_shorts, products_of_shorts, dots_in_shorts);
products!("avx2,fma,f16c,avxvnni", products_in_words, products_of_words, dots_in_words);

/// The fours of inputs under a scale.
fn fours<const FACTORS: usize>(part: usize) -> std::ops::Range<usize> {
    if FACTORS == 2 { 4 * part..4 * part + 4 } else { 0..8 }
}

/// Sums of pairs in 16 bits, as many as fit, then of fours in 32.
#[target_feature(enable = "avx2")]
#[inline]
fn dots_in_shorts<const ROWS: usize, const FOURS: usize, const HALVES: bool, const FACTORS: usize>(
    lines: &[Line],
    numbers: &[[i8; SPAN]; ROWS],
    half: usize,
    part: usize,
) -> [__m256i; ROWS] {
    let (ones, all) = (_mm256_set1_epi16(1), fours::<FACTORS>(part));
    let mut dots = [_mm256_setzero_si256(); ROWS];
    for first in all.clone().step_by(FOURS.max(1)) {
        let mut shorts = [_mm256_setzero_si256(); ROWS];
        for at in first..(first + FOURS.max(1)).min(all.end) {
            let weights = weights::<HALVES>(lines, half, at);
            for row in 0..ROWS {
                let numbers = four(&numbers[row], at);
                let pairs = match FOURS {
                    // Numbers of 8 bits less their offset, whose signs go to the other factor.
                    0 => {
                        let weights = _mm256_xor_si256(weights, _mm256_set1_epi8(-128));
                        _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(numbers, weights))
                    }
                    _ => _mm256_maddubs_epi16(weights, numbers),
                };
                shorts[row] = _mm256_add_epi16(shorts[row], pairs);
            }
        }
        for row in 0..ROWS {
            dots[row] = _mm256_add_epi32(dots[row], _mm256_madd_epi16(shorts[row], ones));
        }
    }
    dots
}

/// Sums of fours in 32 bits.
#[target_feature(enable = "avx2,avxvnni")]
#[inline]
fn dots_in_words<const ROWS: usize, const FOURS: usize, const HALVES: bool, const FACTORS: usize>(
    lines: &[Line],
    numbers: &[[i8; SPAN]; ROWS],
    half: usize,
    part: usize,
) -> [__m256i; ROWS] {
    let mut dots = [_mm256_setzero_si256(); ROWS];
    for at in fours::<FACTORS>(part) {
        let weights = weights::<HALVES>(lines, half, at);
        for row in 0..ROWS {
            dots[row] = _mm256_dpbusd_avx_epi32(dots[row], weights, four(&numbers[row], at));
        }
    }
    dots
}

/// Four inputs of eight outputs.
#[target_feature(enable = "avx2")]
#[inline]
fn weights<const HALVES: bool>(lines: &[Line], half: usize, at: usize) -> __m256i {
    let lower = _mm256_set1_epi8(15);
    match (HALVES, at) {
        (false, _) => load(&lines[at], half),
        (true, 0..4) => _mm256_and_si256(load(&lines[at], half), lower),
        (true, _) => _mm256_and_si256(_mm256_srli_epi16::<4>(load(&lines[at - 4], half)), lower),
    }
}

/// Four numbers of a row, broadcast to every lane.
#[target_feature(enable = "avx2")]
#[inline]
fn four(numbers: &[i8; SPAN], at: usize) -> __m256i {
    let four = numbers.as_chunks::<4>().0[at];
    _mm256_set1_epi32(i32::from_le_bytes(four.map(|number| number as u8)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(line: &Line, half: usize) -> __m256i {
    let bytes: &[u8; 4 * LANES] = &line.0.as_chunks().0[half];
    // SAFETY: 32 bytes are read, which need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_loadu_si256(bytes.as_ptr().cast())
    }
}

/// The scales of eight outputs of a panel and their minima.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn scales<const FACTORS: usize, const MINIMA: bool>(
    panel: &Panel,
    span: usize,
    part: usize,
    half: usize,
) -> (__m256, __m256) {
    let of = |kind: usize| {
        let (at, factor) = place::<FACTORS, MINIMA>(span, part);
        let of_block = load_f16(&panel.halves[at + kind], half);
        if FACTORS == 0 { of_block } else { _mm256_mul_ps(of_block, load_i8(&panel.factors[factor + kind], half)) }
    };
    (of(0), if MINIMA { of(1) } else { _mm256_setzero_ps() })
}

#[target_feature(enable = "avx2,f16c")]
#[inline]
fn load_f16(values: &[f16; OUTPUTS], half: usize) -> __m256 {
    let values: &[f16; LANES] = &values.as_chunks().0[half];
    // SAFETY: 8 numbers of 2 bytes are the 16 that are read; they need no alignment.
    #[allow(unsafe_code)]
    let bits = unsafe { _mm_loadu_si128(values.as_ptr().cast()) };
    _mm256_cvtph_ps(bits)
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_i8(values: &[i8; OUTPUTS], half: usize) -> __m256 {
    let values: &[i8; LANES] = &values.as_chunks().0[half];
    // SAFETY: 8 bytes are read, which need no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm_loadl_epi64(values.as_ptr().cast()) };
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes))
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_f32(values: __m256) -> [f32; LANES] {
    let mut out = [0.0; LANES];
    // SAFETY: 8 numbers of 4 bytes are the 32 that are written; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_storeu_ps(out.as_mut_ptr(), values);
    }
    out
}
