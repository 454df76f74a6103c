//! Panel products in integers, with the AVX-512 VNNI instructions.

use std::arch::x86_64::*;
use std::array::from_fn;

use super::panel::{Line, OUTPUTS, Panel, SPAN};
use super::rounded::{Rounded, TILE, tiles};

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
    /// with `PAIRS` a span has two scales, with `MINIMA` there are minima.
    pub fn products<const HALVES: bool, const PAIRS: bool, const MINIMA: bool>(
        self,
        panel: &Panel,
        rows: &Rounded,
        out: &mut [[f32; OUTPUTS]],
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
    out: &mut [[f32; OUTPUTS]],
) {
    for tile in tiles(out.len()) {
        let out = &mut out[tile.clone()];
        match out.len() {
            1 => products_of::<1, HALVES, PAIRS, MINIMA>(panel, rows, tile.start, out),
            2 => products_of::<2, HALVES, PAIRS, MINIMA>(panel, rows, tile.start, out),
            _ => products_of::<TILE, HALVES, PAIRS, MINIMA>(panel, rows, tile.start, out),
        }
    }
}

/// Products of a tile of `ROWS` rows. Per span and row: eight instructions that each multiply four numbers of sixteen
/// outputs with four of the row and accumulate them, then the scales. The weights of a span stay in registers for all
/// rows, and so do all sums, since the loops over rows are short enough to be unrolled.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products_of<const ROWS: usize, const HALVES: bool, const PAIRS: bool, const MINIMA: bool>(
    panel: &Panel,
    rows: &Rounded,
    first: usize,
    out: &mut [[f32; OUTPUTS]],
) {
    let spans = rows.spans;
    let tile = rows.tile::<ROWS>(first);
    let (numbers, row_scales, taken) = (&tile.numbers[..spans], &tile.scales[..spans], &tile.taken[..spans]);
    let scales = |scales| Scales::<PAIRS>::new(scales, spans);
    let minima = scales(if MINIMA { &panel.minima } else { &panel.scales });
    let (scales, lines) = (scales(&panel.scales), Lines::<HALVES>::new(&panel.lines, spans));

    let mut sums = [_mm512_setzero_ps(); ROWS];
    for span in 0..spans {
        let weights = lines.of(span);
        let mut values = [_mm512_setzero_ps(); ROWS];
        // The numbers under one scale: all or half of a span.
        for part in 0..if PAIRS { 2 } else { 1 } {
            let fours = if PAIRS { 4 * part..4 * part + 4 } else { 0..8 };
            let mut dots = [_mm512_setzero_si512(); ROWS];
            for at in fours {
                for row in 0..ROWS {
                    dots[row] = _mm512_dpbusd_epi32(dots[row], weights[at], four(&numbers[span][row], at));
                }
            }
            let (scale, minimum) = (scales.of(span, part), minima.of(span, part));
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

/// The scales of a panel, or its minima: one or two per span.
struct Scales<'a, const PAIRS: bool> {
    ones: &'a [[f32; OUTPUTS]],
    pairs: &'a [[[f32; OUTPUTS]; 2]],
}

impl<'a, const PAIRS: bool> Scales<'a, PAIRS> {
    fn new(scales: &'a [[f32; OUTPUTS]], spans: usize) -> Self {
        match PAIRS {
            true => Scales { ones: &[], pairs: &scales.as_chunks().0[..spans] },
            false => Scales { ones: &scales[..spans], pairs: &[] },
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn of(&self, span: usize, part: usize) -> __m512 {
        load_f32(if PAIRS { &self.pairs[span][part] } else { &self.ones[span] })
    }
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
fn load_f32(values: &[f32; OUTPUTS]) -> __m512 {
    // SAFETY: 16 numbers of 4 bytes are the 64 that are read; they need no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_ps(values.as_ptr())
    }
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
