//! Products in f32 on the vectors that a processor has, of 512 or 256 bits. Every sum is in its own lane and runs over its
//! numbers in order, with one rounding for product and sum, so that both give the same bits.

use pulp::{Simd, WithSimd};

use super::layout::{Gathered, LANES, Lanes, STRIP, Strip, TILE, TileProduct};
use crate::decoder::cpu::math::prefetch;
use crate::decoder::cpu::matmul::Onto;

/// Vectors of f32 that this processor has.
#[derive(Debug, Clone, Copy)]
pub enum Floats {
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Avx512(pulp::x86::V4),
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
}

impl Floats {
    /// All of this processor, the widest first.
    pub fn all() -> impl Iterator<Item = Floats> {
        #[cfg(target_arch = "x86_64")]
        {
            #[cfg(feature = "avx512")]
            let widest = pulp::x86::V4::try_new().map(Floats::Avx512);
            #[cfg(not(feature = "avx512"))]
            let widest = None;
            [widest, pulp::x86::V3::try_new().map(Floats::Avx2)].into_iter().flatten()
        }
        #[cfg(not(target_arch = "x86_64"))]
        std::iter::empty()
    }

    /// The widest of this processor; `None` if it has none with fused multiplication and addition.
    pub fn detect() -> Option<Floats> {
        Floats::all().next()
    }

    /// Their name, as makers of processors write it.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Floats::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Floats::Avx2(_) => "AVX2",
        }
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    fn run<Work: WithSimd>(self, work: Work) -> Work::Output {
        match self {
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Floats::Avx512(simd) => Simd::vectorize(simd, work),
            #[cfg(target_arch = "x86_64")]
            Floats::Avx2(simd) => Simd::vectorize(simd, work),
        }
    }

    /// Writes a product to the columns of `out` from `first` on. The sums run over the inputs in order.
    pub(super) fn products<const ROWS: usize>(
        self,
        product: TileProduct<[Strip; ROWS]>,
        out: &mut [&mut [f32]; ROWS],
        first: usize,
    ) {
        self.run(Products { product, out, first });
    }

    /// Products of key rows with the rows of a tile, `(rows of the tile, keys)`, times a factor. Each entry of `tile`
    /// holds one element of every row. The sums run over the elements in order.
    pub(in crate::decoder::cpu) fn scores(self, tile: &[Strip], keys: Gathered, factor: f32, out: &mut [&mut [f32]]) {
        assert!(out.len() <= TILE && tile.len() == keys.width);
        self.run(Scores { tile, keys, factor, out });
    }

    /// Sums of value rows, weighted separately for each row of a tile, with weights in `(keys / 16, rows of the tile)`
    /// strips. The sums run over the value rows in order.
    pub(super) fn mix<const ROWS: usize>(
        self,
        values: Gathered,
        weights: &[[Strip; ROWS]],
        out: &mut [&mut [f32]; ROWS],
    ) {
        self.run(Mix { values, weights, out });
    }
}

/// Most vectors of a row whose sums are in registers at once.
const VECTORS: usize = 4;

/// Vectors of a row whose sums are in registers at once, beside those of all other rows of its group. With vectors of
/// 512 bits there are 32 registers, with those of 256 bits 16.
const fn vectors<S: Simd>(rows: usize) -> usize {
    if S::F32_LANES < STRIP && rows <= 3 { 4 } else { 2 }
}

/// Rows of a tile whose sums are in registers together: all, or half of them.
const fn group<S: Simd>(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(if S::F32_LANES < STRIP { TILE / 2 } else { TILE }))
}

/// How often a panel is read for a tile.
const fn passes<S: Simd>(rows: usize) -> usize {
    LANES / (S::F32_LANES * vectors::<S>(rows)) * rows.div_ceil(group::<S>(rows))
}

/// Sums of a group of rows.
type Sums<S> = [[<S as Simd>::f32s; VECTORS]; TILE];

/// Calls a function for each part of a panel whose sums are in registers together, by groups of rows.
macro_rules! by_parts {
    ($function:ident :: <$simd:ty, $rows:ident>($($argument:expr),*)) => {
        for part in 0..LANES / (<$simd>::F32_LANES * const { vectors::<$simd>($rows) }) {
            let from = part * <$simd>::F32_LANES * const { vectors::<$simd>($rows) };
            $function::<$simd, $rows, 0>($($argument,)* from);
            if const { group::<$simd>($rows) < $rows } {
                $function::<$simd, $rows, 1>($($argument,)* from);
            }
        }
    };
}

/// The rows of a group, from the first or the second half.
const fn rows_of<S: Simd>(rows: usize, half: usize) -> (usize, usize) {
    let group = group::<S>(rows);
    (half * group, if half == 0 { group } else { rows - group })
}

struct Products<'a, 'b, 'c, const ROWS: usize> {
    product: TileProduct<'a, [Strip; ROWS]>,
    out: &'b mut [&'c mut [f32]; ROWS],
    first: usize,
}

impl<const ROWS: usize> WithSimd for Products<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Products { product, out, first } = self;
        let panels = product.panels.len() / product.inputs.max(1);
        let steps = panels * const { passes::<S>(ROWS) } * product.rows.len();
        let fetched = product.next.len().div_ceil(steps.max(1)).max(1);
        let mut next = product.next.chunks(fetched);
        for (panel, first) in product.panels.chunks_exact(product.inputs).zip((first..).step_by(LANES)) {
            by_parts!(products_of::<S, ROWS>(simd, &product, panel, &mut next, out, first));
        }
    }
}

/// Some vectors of weights and one element of each row at a time. The loops over rows are short enough to be unrolled, so
/// that all sums stay in registers.
#[expect(clippy::needless_range_loop, reason = "loops over registers, with bounds known at compile time")]
#[inline(always)]
fn products_of<'a, S: Simd, const ROWS: usize, const HALF: usize>(
    simd: S,
    product: &TileProduct<[Strip; ROWS]>,
    panel: &[Lanes],
    next: &mut impl Iterator<Item = &'a [Lanes]>,
    out: &mut [&mut [f32]; ROWS],
    first: usize,
    from: usize,
) {
    let (start, rows) = const { rows_of::<S>(ROWS, HALF) };
    let vectors = const { vectors::<S>(ROWS) };
    let mut sums: Sums<S> = [[simd.splat_f32s(0.0); VECTORS]; TILE];
    if product.resumed {
        for row in 0..rows {
            let out = columns(out[start + row], first);
            for vector in 0..vectors {
                sums[row][vector] = load::<S>(out, from, vector);
            }
        }
    }
    for (panel, strips) in panel.chunks(STRIP).zip(product.rows) {
        prefetch(next.next().unwrap_or(&[]));
        for (input, lanes) in panel.iter().enumerate() {
            let mut weights = [simd.splat_f32s(0.0); VECTORS];
            for vector in 0..vectors {
                weights[vector] = load::<S>(&lanes.0, from, vector);
            }
            for row in 0..rows {
                let number = simd.splat_f32s(strips[start + row].0[input]);
                for vector in 0..vectors {
                    sums[row][vector] = simd.mul_add_f32s(weights[vector], number, sums[row][vector]);
                }
            }
        }
    }
    let factor = simd.splat_f32s(product.factor);
    for row in 0..rows {
        let out = out[start + row][first..].first_chunk_mut().expect("the columns of whole panels");
        for vector in 0..vectors {
            let sum = sums[row][vector];
            let value = match product.onto {
                Onto::Replace => simd.mul_f32s(factor, sum),
                Onto::Add => simd.mul_add_f32s(factor, sum, load::<S>(out, from, vector)),
            };
            store::<S>(value, out, from, vector);
        }
    }
}

struct Mix<'a, 'b, 'c, const ROWS: usize> {
    values: Gathered<'a>,
    weights: &'a [[Strip; ROWS]],
    out: &'b mut [&'c mut [f32]; ROWS],
}

impl<const ROWS: usize> WithSimd for Mix<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Mix { values, weights, out } = self;
        for first in (0..values.width).step_by(LANES) {
            let lanes = LANES.min(values.width - first);
            let mut wide = [[0.0; LANES]; ROWS];
            by_parts!(mix_of::<S, ROWS>(simd, values, weights, first..first + lanes, &mut wide));
            for (out, wide) in out.iter_mut().zip(&wide) {
                out[first..first + lanes].copy_from_slice(&wide[..lanes]);
            }
        }
    }
}

/// Some vectors of each value row at a time; the last may be partly used.
#[expect(clippy::needless_range_loop, reason = "loops over registers, with bounds known at compile time")]
#[inline(always)]
fn mix_of<S: Simd, const ROWS: usize, const HALF: usize>(
    simd: S,
    values: Gathered,
    weights: &[[Strip; ROWS]],
    used: std::ops::Range<usize>,
    out: &mut [[f32; LANES]; ROWS],
    from: usize,
) {
    let (start, rows) = const { rows_of::<S>(ROWS, HALF) };
    let vectors = const { vectors::<S>(ROWS) };
    if from >= used.len() {
        return;
    }
    let mut sums: Sums<S> = [[simd.splat_f32s(0.0); VECTORS]; TILE];
    for (strip, weights) in weights.iter().enumerate() {
        let keys = strip * STRIP..values.rows.len().min((strip + 1) * STRIP);
        for (at, key) in keys.enumerate() {
            let row = &values.row(key)[used.clone()];
            let mut numbers = [simd.splat_f32s(0.0); VECTORS];
            for vector in 0..vectors {
                numbers[vector] = match row.first_chunk::<LANES>() {
                    Some(row) => load::<S>(row, from, vector),
                    None => simd.partial_load_f32s(row.get(from + vector * S::F32_LANES..).unwrap_or(&[])),
                };
            }
            for row in 0..rows {
                let weight = simd.splat_f32s(weights[start + row].0[at]);
                for vector in 0..vectors {
                    sums[row][vector] = simd.mul_add_f32s(numbers[vector], weight, sums[row][vector]);
                }
            }
        }
    }
    for row in 0..rows {
        for vector in 0..vectors {
            store::<S>(sums[row][vector], &mut out[start + row], from, vector);
        }
    }
}

/// Number of key rows whose products are summed together, so that their memory reads overlap.
const SIDE_BY_SIDE: usize = 8;

struct Scores<'a, 'b, 'c> {
    tile: &'a [Strip],
    keys: Gathered<'a>,
    factor: f32,
    out: &'b mut [&'c mut [f32]],
}

impl WithSimd for Scores<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Scores { tile, keys, factor, out } = self;
        for first in (0..keys.rows.len()).step_by(SIDE_BY_SIDE) {
            let count = SIDE_BY_SIDE.min(keys.rows.len() - first);
            // Repeats the last row if fewer are left.
            let each: [&[f32]; SIDE_BY_SIDE] = std::array::from_fn(|at| keys.row(first + at.min(count - 1)));
            let mut products = [Strip([0.0; STRIP]); SIDE_BY_SIDE];
            for part in 0..STRIP / S::F32_LANES {
                if part * S::F32_LANES < out.len() {
                    scores_of(simd, tile, &each, factor, &mut products, part);
                }
            }
            for (row, out) in out.iter_mut().enumerate() {
                for (out, products) in out[first..first + count].iter_mut().zip(&products) {
                    *out = products.0[row];
                }
            }
        }
    }
}

/// One lane per row of the tile, one vector per key row.
#[inline(always)]
fn scores_of<S: Simd>(
    simd: S,
    tile: &[Strip],
    keys: &[&[f32]; SIDE_BY_SIDE],
    factor: f32,
    products: &mut [Strip; SIDE_BY_SIDE],
    part: usize,
) {
    let (strips, rest) = tile.as_chunks::<STRIP>();
    let numbers: [(&[[f32; STRIP]], &[f32]); SIDE_BY_SIDE] = keys.map(|key| key.as_chunks());
    let mut sums = [simd.splat_f32s(0.0); SIDE_BY_SIDE];
    for (strip, rows) in strips.iter().enumerate() {
        let mut each = [&[0.0; STRIP]; SIDE_BY_SIDE];
        for at in 0..SIDE_BY_SIDE {
            each[at] = &numbers[at].0[strip];
        }
        for input in 0..STRIP {
            let rows = S::as_simd_f32s(&rows[input].0).0[part];
            for at in 0..SIDE_BY_SIDE {
                sums[at] = simd.mul_add_f32s(simd.splat_f32s(each[at][input]), rows, sums[at]);
            }
        }
    }
    for (input, rows) in rest.iter().enumerate() {
        let rows = S::as_simd_f32s(&rows.0).0[part];
        for at in 0..SIDE_BY_SIDE {
            sums[at] = simd.mul_add_f32s(simd.splat_f32s(numbers[at].1[input]), rows, sums[at]);
        }
    }
    for (products, sum) in products.iter_mut().zip(sums) {
        S::as_mut_simd_f32s(&mut products.0).0[part] = simd.mul_f32s(simd.splat_f32s(factor), sum);
    }
}

/// The columns of a panel in a row of the result.
#[inline(always)]
fn columns(row: &[f32], first: usize) -> &[f32; LANES] {
    row[first..].first_chunk().expect("the columns of whole panels")
}

/// One of the vectors that begin at lane `from`.
#[inline(always)]
fn load<S: Simd>(lanes: &[f32; LANES], from: usize, vector: usize) -> S::f32s {
    S::as_simd_f32s(lanes).0[from / S::F32_LANES + vector]
}

#[inline(always)]
fn store<S: Simd>(value: S::f32s, lanes: &mut [f32; LANES], from: usize, vector: usize) {
    S::as_mut_simd_f32s(lanes).0[from / S::F32_LANES + vector] = value;
}
