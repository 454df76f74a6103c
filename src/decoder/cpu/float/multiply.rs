//! Products of panels with tiles of any number of rows.

use super::avx512::Avx512;
use super::layout::{LANES, Strip, TILE, TileProduct};

/// Write a product to the columns of `out`, a slice for each row of the tile, from `first` on. The last panel may be
/// wider than what is left of the rows.
pub(in crate::decoder::cpu) fn multiply_tile(
    avx512: Avx512,
    product: TileProduct<Strip>,
    out: &mut [&mut [f32]],
    first: usize,
) {
    match out.len() {
        1 => of_rows::<1>(avx512, product, out, first),
        2 => of_rows::<2>(avx512, product, out, first),
        3 => of_rows::<3>(avx512, product, out, first),
        4 => of_rows::<4>(avx512, product, out, first),
        5 => of_rows::<5>(avx512, product, out, first),
        6 => of_rows::<6>(avx512, product, out, first),
        7 => of_rows::<7>(avx512, product, out, first),
        8 => of_rows::<8>(avx512, product, out, first),
        9 => of_rows::<9>(avx512, product, out, first),
        10 => of_rows::<10>(avx512, product, out, first),
        11 => of_rows::<11>(avx512, product, out, first),
        _ => of_rows::<TILE>(avx512, product, out, first),
    }
}

fn of_rows<const ROWS: usize>(avx512: Avx512, product: TileProduct<Strip>, out: &mut [&mut [f32]], first: usize) {
    let TileProduct { panels, inputs, onto, factor, resumed, .. } = product;
    let of = |panels| TileProduct { panels, inputs, rows: product.rows.as_chunks().0, onto, factor, resumed };
    let out: &mut [&mut [f32]; ROWS] = out.try_into().expect("a row for each of the tile");
    let columns = out.iter().map(|row| row.len() - first).min().unwrap_or(0);
    let (whole, last) = panels.split_at(panels.len().min(columns / LANES * inputs));
    avx512.products(of(whole), out, first);
    if !last.is_empty() {
        let first = first + whole.len() / inputs * LANES;
        let mut wide = [[0.0; LANES]; ROWS];
        for (wide, row) in wide.iter_mut().zip(&*out) {
            wide[..row.len() - first].copy_from_slice(&row[first..]);
        }
        avx512.products(of(last), &mut wide.each_mut().map(|row| &mut row[..]), 0);
        for (wide, row) in wide.iter().zip(out) {
            let columns = row.len() - first;
            row[first..].copy_from_slice(&wide[..columns]);
        }
    }
}
