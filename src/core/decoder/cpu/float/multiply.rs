//! Products of panels with tiles of any number of rows.

use super::layout::{Gathered, LANES, Strip, TILE, TileProduct};
use super::vectors::Floats;

/// Writes a product to the columns of `out`, one slice per row of the tile, from `first` on. The last panel may extend
/// beyond the rows.
pub(in crate::decoder::cpu) fn multiply_tile(
    floats: Floats,
    product: TileProduct<Strip>,
    out: &mut [&mut [f32]],
    first: usize,
) {
    by_number(out, Multiply { floats, product, first });
}

/// Writes weighted sums of value rows to `out`, one slice per row of the tile: see [`Floats::mix`].
pub(in crate::decoder::cpu) fn mix_tile(floats: Floats, values: Gathered, weights: &[Strip], out: &mut [&mut [f32]]) {
    by_number(out, Mix { floats, values, weights });
}

/// An operation on a tile, compiled for each number of rows.
trait OfRows {
    fn of_rows<const ROWS: usize>(self, out: &mut [&mut [f32]; ROWS]);
}

fn by_number(out: &mut [&mut [f32]], work: impl OfRows) {
    match out.len() {
        1 => work.of_rows::<1>(rows(out)),
        2 => work.of_rows::<2>(rows(out)),
        3 => work.of_rows::<3>(rows(out)),
        4 => work.of_rows::<4>(rows(out)),
        5 => work.of_rows::<5>(rows(out)),
        6 => work.of_rows::<6>(rows(out)),
        7 => work.of_rows::<7>(rows(out)),
        8 => work.of_rows::<8>(rows(out)),
        9 => work.of_rows::<9>(rows(out)),
        10 => work.of_rows::<10>(rows(out)),
        11 => work.of_rows::<11>(rows(out)),
        _ => work.of_rows::<TILE>(rows(out)),
    }
}

fn rows<'a, 'b, const ROWS: usize>(out: &'a mut [&'b mut [f32]]) -> &'a mut [&'b mut [f32]; ROWS] {
    out.try_into().expect("a row for each of the tile")
}

struct Mix<'a> {
    floats: Floats,
    values: Gathered<'a>,
    weights: &'a [Strip],
}

impl OfRows for Mix<'_> {
    fn of_rows<const ROWS: usize>(self, out: &mut [&mut [f32]; ROWS]) {
        self.floats.mix(self.values, self.weights.as_chunks().0, out);
    }
}

struct Multiply<'a> {
    floats: Floats,
    product: TileProduct<'a, Strip>,
    first: usize,
}

impl OfRows for Multiply<'_> {
    fn of_rows<const ROWS: usize>(self, out: &mut [&mut [f32]; ROWS]) {
        let Multiply { floats, product, first } = self;
        let TileProduct { panels, inputs, onto, factor, resumed, next, .. } = product;
        let of = |panels| TileProduct { panels, inputs, rows: product.rows.as_chunks().0, onto, factor, resumed, next };
        let columns = out.iter().map(|row| row.len() - first).min().unwrap_or(0);
        let (whole, last) = panels.split_at(panels.len().min(columns / LANES * inputs));
        floats.products(of(whole), out, first);
        if !last.is_empty() {
            let first = first + whole.len() / inputs * LANES;
            let mut wide = [[0.0; LANES]; ROWS];
            for (wide, row) in wide.iter_mut().zip(&*out) {
                wide[..row.len() - first].copy_from_slice(&row[first..]);
            }
            floats.products(of(last), &mut wide.each_mut().map(|row| &mut row[..]), 0);
            for (wide, row) in wide.iter().zip(out) {
                let columns = row.len() - first;
                row[first..].copy_from_slice(&wide[..columns]);
            }
        }
    }
}
