//! Tables of numbers in the data of a page: a byte or two a value, by the precision with which the page shows them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;

/// How finely the lines of a table are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Values shown as shares of their line's sum: off by at most 0.3 points of it.
    OfSum,
    /// Values shown as they are, shares of a whole row: off by at most 0.45 points. Of the largest where that is above 1.
    Absolute,
    /// Values that are added up and divided by each other: off by at most 0.1 points of the line's largest.
    Fine,
}

/// Lines of values as integers `q`, the most significant byte first: a value is `(q / most)^2 * top` by the numbers of
/// its line. The square root keeps small values beside a large one; `most` is no larger than a line needs, since small
/// integers pack better.
#[derive(Debug, Serialize)]
pub struct StoredTable {
    bytes: usize,
    #[serde(flatten)]
    scales: Scales,
    /// Base64 of the cells.
    cells: String,
    /// Columns with numbers of their own, since they are also shown among themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    apart: Option<Apart>,
}

#[derive(Debug, Default, Serialize)]
struct Scales {
    top: Vec<f64>,
    most: Vec<u32>,
}

#[derive(Debug, Serialize)]
struct Apart {
    columns: Vec<usize>,
    #[serde(flatten)]
    scales: Scales,
}

impl StoredTable {
    /// A table of lines of `width` values, none of them negative. `apart` are columns in ascending order whose
    /// precision does not depend on the others, nor that of the others on them.
    pub fn new(values: &[f32], width: usize, precision: Precision, apart: &[usize]) -> StoredTable {
        let bytes = if precision == Precision::Fine { 2 } else { 1 };
        let (mut own, mut others) = (Scales::default(), Scales::default());
        let mut cells = Vec::with_capacity(values.len() * bytes);
        for line in values.chunks(width.max(1)) {
            let of = |wanted: bool| {
                let columns = line.iter().enumerate();
                columns
                    .filter(move |(column, _)| apart.binary_search(column).is_ok() == wanted)
                    .map(|(_, value)| *value)
            };
            own.push(of(false), precision);
            others.push(of(true), precision);
            for (column, value) in line.iter().enumerate() {
                let scales = if apart.binary_search(&column).is_ok() { &others } else { &own };
                cells.extend_from_slice(&scales.cell(*value).to_be_bytes()[4 - bytes..]);
            }
        }
        let apart = (!apart.is_empty()).then(|| Apart { columns: apart.to_vec(), scales: others });
        StoredTable { bytes, scales: own, cells: BASE64.encode(cells), apart }
    }
}

impl Scales {
    fn push(&mut self, line: impl Iterator<Item = f32>, precision: Precision) {
        let (mut first, mut second, mut sum) = (0.0f64, 0.0f64, 0.0f64);
        for value in line.map(|value| f64::from(value.max(0.0))) {
            sum += value;
            second = second.max(value.min(first));
            first = first.max(value);
        }
        // An integer is off by at most half, so a value by at most `sqrt(value * top) / most`.
        let steps = |steps: f64| (steps.ceil() as u32).clamp(31, 255);
        let (top, most) = match precision {
            _ if sum <= 0.0 => (0.0, 31),
            // Of the largest there is no error.
            Precision::OfSum => (first, steps((second * first).sqrt() / sum / 0.003)),
            Precision::Absolute => (first.max(1.0), steps((first / first.max(1.0)).sqrt() / 0.0045)),
            Precision::Fine => (first, 1000),
        };
        self.top.push(short(top));
        self.most.push(most);
    }

    /// The integer of a value of the last line.
    fn cell(&self, value: f32) -> u32 {
        let (top, most) = (self.top.last().copied().unwrap_or(0.0), self.most.last().copied().unwrap_or(0));
        let share = if top > 0.0 { f64::from(value.max(0.0)) / top } else { 0.0 };
        ((f64::from(most) * share.sqrt()).round() as u32).min(most)
    }
}

/// Rounds to five significant digits.
pub fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes a table as the page does.
    fn values(table: &StoredTable, width: usize) -> Vec<f64> {
        let cells = BASE64.decode(&table.cells).unwrap();
        let whole =
            cells.chunks(table.bytes).map(|cell| cell.iter().fold(0u32, |sum, &byte| sum << 8 | u32::from(byte)));
        let of = |(at, cell)| {
            let (line, column) = (at / width, at % width);
            let apart = table.apart.as_ref().filter(|apart| apart.columns.contains(&column));
            let scales = apart.map_or(&table.scales, |apart| &apart.scales);
            (f64::from(cell) / f64::from(scales.most[line])).powi(2) * scales.top[line]
        };
        whole.enumerate().map(of).collect()
    }

    /// Lines of 100 values over seven orders of magnitude, falling fast or slowly, that sum to 1.
    fn lines() -> Vec<Vec<f32>> {
        let line = |steepness: f32| {
            let line: Vec<f32> = (0..100).map(|at| 10f32.powf(-steepness * (at * 37 % 100) as f32 / 100.0)).collect();
            let sum: f32 = line.iter().sum();
            line.into_iter().map(|value| value / sum).collect()
        };
        [0.0, 0.5, 3.0, 7.0, 60.0].map(line).to_vec()
    }

    #[test]
    fn stored_values_are_within_the_stated_error() {
        for line in lines() {
            for (precision, error) in
                [(Precision::OfSum, 0.003), (Precision::Absolute, 0.0045), (Precision::Fine, 0.001)]
            {
                let back = values(&StoredTable::new(&line, 100, precision, &[]), 100);
                let worst = line.iter().zip(&back).map(|(value, back)| (f64::from(*value) - back).abs());
                let worst = worst.fold(0.0, f64::max);
                // The square of half a step adds to the error.
                assert!(worst <= error * 1.1 + 5e-5, "{precision:?}: {worst}");
            }
        }
        let zeros = StoredTable::new(&[0.0, 0.0], 2, Precision::OfSum, &[]);
        assert_eq!((values(&zeros, 2), zeros.scales.top), (vec![0.0, 0.0], vec![0.0]));
    }

    #[test]
    fn shares_of_columns_apart_do_not_depend_on_the_others() {
        for line in lines() {
            // One word holds nearly all; what the others share must still be told.
            let mut whole = vec![1000.0];
            whole.extend(&line);
            let back = values(&StoredTable::new(&whole, 101, Precision::OfSum, &[0]), 101);
            let sum: f64 = back[1..].iter().sum();
            for (value, back) in line.iter().zip(&back[1..]) {
                assert!((f64::from(*value) - back / sum).abs() <= 0.005, "{value} came back as {}", back / sum);
            }
            assert!((back[0] - 1000.0).abs() < 1e-9);
        }
    }
}
