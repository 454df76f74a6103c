//! Panel products in integers, with the AVX-512 VNNI instructions.

use std::arch::x86_64::*;
use std::array::from_fn;

use half::f16;

use super::panel::{Line, OUTPUTS, Panel, SPAN, place};
use super::rounded::{Rounded, TILE, tiles};
use crate::decoder::cpu::math::prefetch;

/// Proof that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vnni(());

impl Vnni {
    /// `Some` on processors that have the instructions.
    pub fn detect() -> Option<Vnni> {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        all.then_some(Vnni(()))
    }

    /// Products of all rows with the outputs of a panel, `(rows, OUTPUTS)`. With `HALVES` a byte holds two numbers,
    /// with `MINIMA` there are minima; a span has so many `FACTORS` of each (0: its block is the span). The lines of the `next`
    /// panel are prefetched meanwhile.
    pub fn products<const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
        self,
        panel: &Panel,
        next: &[Line],
        rows: &Rounded,
        out: &mut [[f32; OUTPUTS]],
    ) {
        // SAFETY: the only way to a `Vnni` is `detect`, so the processor has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            products::<HALVES, FACTORS, MINIMA>(panel, next, rows, out);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products<const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
    panel: &Panel,
    mut next: &[Line],
    rows: &Rounded,
    out: &mut [[f32; OUTPUTS]],
) {
    for tile in tiles(out.len()) {
        let out = &mut out[tile.clone()];
        match out.len() {
            1 => products_of::<1, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
            2 => products_of::<2, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
            _ => products_of::<TILE, HALVES, FACTORS, MINIMA>(panel, next, rows, tile.start, out),
        }
        next = &[];
    }
}

/// Products of a tile of `ROWS` rows. Per span and row: eight instructions that each multiply four numbers of sixteen
/// outputs with four of the row and accumulate them, then the scales. The weights of a span stay in registers for all
/// rows, and so do all sums, since the loops over rows are short enough to be unrolled.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products_of<const ROWS: usize, const HALVES: bool, const FACTORS: usize, const MINIMA: bool>(
    panel: &Panel,
    next: &[Line],
    rows: &Rounded,
    first: usize,
    out: &mut [[f32; OUTPUTS]],
) {
    let spans = rows.spans;
    let tile = rows.tile::<ROWS>(first);
    let (numbers, row_scales, taken) = (&tile.numbers[..spans], &tile.scales[..spans], &tile.taken[..spans]);
    let lines = Lines::<HALVES>::new(&panel.lines, spans);

    let mut sums = [_mm512_setzero_ps(); ROWS];
    let mut next = next.chunks(if HALVES { 4 } else { 8 });
    for span in 0..spans {
        prefetch(next.next().unwrap_or(&[]));
        let weights = lines.of(span);
        let mut values = [_mm512_setzero_ps(); ROWS];
        // The numbers under one scale: all or half of a span.
        for part in 0..FACTORS.max(1) {
            let fours = if FACTORS == 2 { 4 * part..4 * part + 4 } else { 0..8 };
            let mut dots = [_mm512_setzero_si512(); ROWS];
            for at in fours {
                for row in 0..ROWS {
                    dots[row] = _mm512_dpbusd_epi32(dots[row], weights[at], four(&numbers[span][row], at));
                }
            }
            let (scale, minimum) = scales::<FACTORS, MINIMA>(panel, span, part);
            for row in 0..ROWS {
                let dot = _mm512_cvtepi32_ps(dots[row]);
                let taken = _mm512_set1_ps(taken[span][row][part]);
                let number = if MINIMA { dot } else { _mm512_sub_ps(dot, taken) };
                let value = match part {
                    0 => _mm512_mul_ps(number, scale),
                    _ => _mm512_fmadd_ps(number, scale, values[row]),
                };
                values[row] = if MINIMA { _mm512_fnmadd_ps(minimum, taken, value) } else { value };
            }
        }
        for row in 0..ROWS {
            sums[row] = _mm512_fmadd_ps(values[row], _mm512_set1_ps(row_scales[span][row]), sums[row]);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = store_f32(sum);
    }
}

/// Four numbers of a row, broadcast to every lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn four(numbers: &[i8; SPAN], at: usize) -> __m512i {
    let four = numbers.as_chunks::<4>().0[at];
    _mm512_set1_epi32(i32::from_le_bytes(four.map(|number| number as u8)))
}

/// The weights of a panel, one span at a time.
struct Lines<'a, const HALVES: bool> {
    halves: &'a [[Line; 4]],
    wholes: &'a [[Line; 8]],
}

impl<'a, const HALVES: bool> Lines<'a, HALVES> {
    fn new(lines: &'a [Line], spans: usize) -> Self {
        match HALVES {
            true => Lines { halves: &lines.as_chunks().0[..spans], wholes: &[] },
            false => Lines { halves: &[], wholes: &lines.as_chunks().0[..spans] },
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn of(&self, span: usize) -> [__m512i; 8] {
        if HALVES {
            let (bytes, lower) = (from_fn::<_, 4, _>(|at| load(&self.halves[span][at])), _mm512_set1_epi8(15));
            from_fn(|at| match at {
                0..4 => _mm512_and_si512(bytes[at], lower),
                _ => _mm512_and_si512(_mm512_srli_epi16::<4>(bytes[at - 4]), lower),
            })
        } else {
            from_fn(|at| load(&self.wholes[span][at]))
        }
    }
}

/// The scales of a panel and its minima.
#[target_feature(enable = "avx512f")]
#[inline]
fn scales<const FACTORS: usize, const MINIMA: bool>(panel: &Panel, span: usize, part: usize) -> (__m512, __m512) {
    let of = |kind: usize| {
        let (half, factor) = place::<FACTORS, MINIMA>(span, part);
        let half = load_f16(&panel.halves[half + kind]);
        if FACTORS == 0 { half } else { _mm512_mul_ps(half, load_i8(&panel.factors[factor + kind])) }
    };
    (of(0), if MINIMA { of(1) } else { _mm512_setzero_ps() })
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(line: &Line) -> __m512i {
    // SAFETY: a line is 64 bytes, aligned to 64.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_load_si512(line.0.as_ptr().cast())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_f16(values: &[f16; OUTPUTS]) -> __m512 {
    // SAFETY: 16 numbers of 2 bytes are the 32 that are read; they need no alignment.
    #[allow(unsafe_code)]
    let bits = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
    _mm512_cvtph_ps(bits)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_i8(values: &[i8; OUTPUTS]) -> __m512 {
    // SAFETY: 16 bytes are read, which need no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm_loadu_si128(values.as_ptr().cast()) };
    _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_f32(values: __m512) -> [f32; OUTPUTS] {
    let mut out = [0.0; OUTPUTS];
    // SAFETY: 16 numbers of 4 bytes are the 64 that are written; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_ps(out.as_mut_ptr(), values);
    }
    out
}
