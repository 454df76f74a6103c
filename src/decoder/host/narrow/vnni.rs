//! Products of a panel in whole numbers, with the AVX-512 instructions made for them (VNNI).

use std::arch::x86_64::*;
use std::array::from_fn;

use super::panels::{LANES, Line, Panel, Rounded, SPAN};

/// The proof that this processor has the instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vnni(());

/// Rows of activations whose sums stay in registers, beside a span of weights.
const TILE: usize = 8;

impl Vnni {
    /// The proof, on processors that have them.
    pub fn detect() -> Option<Vnni> {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        all.then_some(Vnni(()))
    }

    /// Products of all rows with the outputs of a panel, `(rows, LANES)`. With `HALVES` two numbers are in a byte, with
    /// `PAIRS` a span has two scales, with `MINIMA` there are minima.
    pub fn products<const HALVES: bool, const PAIRS: bool, const MINIMA: bool>(
        self,
        panel: &Panel,
        rows: &Rounded,
        out: &mut [[f32; LANES]],
    ) {
        // SAFETY: the only way to a `Vnni` is `detect`, so the processor has these instructions.
        #[allow(unsafe_code)]
        unsafe {
            products::<HALVES, PAIRS, MINIMA>(panel, rows, out);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products<const HALVES: bool, const PAIRS: bool, const MINIMA: bool>(
    panel: &Panel,
    rows: &Rounded,
    out: &mut [[f32; LANES]],
) {
    let mut first = 0;
    let (tiles, rest) = out.as_chunks_mut::<TILE>();
    for tile in tiles {
        *tile = products_of::<TILE, HALVES, PAIRS, MINIMA>(panel, rows, first);
        first += TILE;
    }
    let (tiles, rest) = rest.as_chunks_mut::<{ TILE / 4 }>();
    for tile in tiles {
        *tile = products_of::<{ TILE / 4 }, HALVES, PAIRS, MINIMA>(panel, rows, first);
        first += TILE / 4;
    }
    for row in rest {
        [*row] = products_of::<1, HALVES, PAIRS, MINIMA>(panel, rows, first);
        first += 1;
    }
}

/// Products of `ROWS` rows from `first` on. Per span and row: eight instructions that each multiply four numbers of sixteen
/// outputs with four of the row and add them up, then the scales. The weights of a span stay in registers for all rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn products_of<const ROWS: usize, const HALVES: bool, const PAIRS: bool, const MINIMA: bool>(
    panel: &Panel,
    rows: &Rounded,
    first: usize,
) -> [[f32; LANES]; ROWS] {
    let spans = rows.spans;
    let lines = &panel.lines[..spans * if HALVES { 4 } else { 8 }];
    let scales = &panel.scales[..spans * if PAIRS { 2 } else { 1 }];
    let minima = if MINIMA { &panel.minima[..scales.len()] } else { scales };
    let numbers: [&[[i8; SPAN]]; ROWS] = from_fn(|row| &rows.numbers[(first + row) * spans..][..spans]);
    let row_scales: [&[f32]; ROWS] = from_fn(|row| &rows.scales[(first + row) * spans..][..spans]);
    let taken: [&[[f32; 2]]; ROWS] = from_fn(|row| &rows.taken[(first + row) * spans..][..spans]);

    let mut sums = [_mm512_setzero_ps(); ROWS];
    for span in 0..spans {
        let weights: [__m512i; 8] = if HALVES {
            let (bytes, lower) = (from_fn::<_, 4, _>(|at| load(&lines[4 * span + at])), _mm512_set1_epi8(15));
            from_fn(|at| match at {
                0..4 => _mm512_and_si512(bytes[at], lower),
                _ => _mm512_and_si512(_mm512_srli_epi16::<4>(bytes[at - 4]), lower),
            })
        } else {
            from_fn(|at| load(&lines[8 * span + at]))
        };
        let (one, other) = if PAIRS { (2 * span, 2 * span + 1) } else { (span, span) };
        let scale = [load_f32(&scales[one]), load_f32(&scales[other])];
        let minimum = [load_f32(&minima[one]), load_f32(&minima[other])];
        for row in 0..ROWS {
            let (fours, _) = numbers[row][span].as_chunks::<4>();
            let dot = |dot: __m512i, from: usize| {
                weights[from..from + 4].iter().zip(&fours[from..from + 4]).fold(dot, |dot, (weights, four)| {
                    let four = i32::from_le_bytes(four.map(|number| number as u8));
                    _mm512_dpbusd_epi32(dot, *weights, _mm512_set1_epi32(four))
                })
            };
            let taken = taken[row][span].map(|taken| _mm512_set1_ps(taken));
            let first = dot(_mm512_setzero_si512(), 0);
            let value = if PAIRS {
                let second = _mm512_cvtepi32_ps(dot(_mm512_setzero_si512(), 4));
                let first = _mm512_cvtepi32_ps(first);
                if MINIMA {
                    let value = _mm512_fnmadd_ps(minimum[0], taken[0], _mm512_mul_ps(first, scale[0]));
                    _mm512_fnmadd_ps(minimum[1], taken[1], _mm512_fmadd_ps(second, scale[1], value))
                } else {
                    let value = _mm512_mul_ps(_mm512_sub_ps(first, taken[0]), scale[0]);
                    _mm512_fmadd_ps(_mm512_sub_ps(second, taken[1]), scale[1], value)
                }
            } else {
                let whole = _mm512_cvtepi32_ps(dot(first, 4));
                if MINIMA {
                    _mm512_fnmadd_ps(minimum[0], taken[0], _mm512_mul_ps(whole, scale[0]))
                } else {
                    _mm512_mul_ps(_mm512_sub_ps(whole, taken[0]), scale[0])
                }
            };
            sums[row] = _mm512_fmadd_ps(value, _mm512_set1_ps(row_scales[row][span]), sums[row]);
        }
    }
    sums.map(|sum| store_f32(sum))
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
fn load_f32(values: &[f32; LANES]) -> __m512 {
    // SAFETY: 16 numbers of 4 bytes are the 64 that are read; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_ps(values.as_ptr())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_f32(values: __m512) -> [f32; LANES] {
    let mut out = [0.0; LANES];
    // SAFETY: 16 numbers of 4 bytes are the 64 that are written; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_ps(out.as_mut_ptr(), values);
    }
    out
}
