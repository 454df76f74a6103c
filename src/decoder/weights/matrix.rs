//! Tensors of weight files, expanded to f32 a piece at a time, straight to where they are kept.

use std::ops::Range;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use half::{bf16, f16};
use memmap2::Mmap;
use rayon::prelude::*;

use super::drawn::Drawn;
use crate::decoder::DecoderError;

/// A matrix `(rows, columns)` that is not expanded yet. A vector is one row.
#[derive(Debug)]
pub(crate) struct Matrix {
    values: Values,
    rows: usize,
    columns: usize,
    /// Size of the heads whose rows are in pair order and are to be brought into half order.
    paired: Option<usize>,
}

#[derive(Debug)]
enum Values {
    Plain(Vec<f32>),
    /// Drawn instead of read.
    Drawn(Drawn),
    /// Whole blocks in each row.
    Stored(Mmap, GgmlDType),
    /// A byte each, with a factor for each square.
    Fp8 {
        bytes: Mmap,
        scales: Vec<f32>,
    },
}

/// Rows expanded at a time by one thread.
const ROWS: usize = 64;

/// Columns expanded at a time by one thread, where blocks are no longer.
const COLUMNS: usize = 64;

impl Matrix {
    /// A matrix of values.
    pub fn plain(values: Vec<f32>, shape: &[usize]) -> Matrix {
        let (rows, columns) = rows_and_columns(shape);
        Matrix { values: Values::Plain(values), rows, columns, paired: None }
    }

    /// A matrix of random values, drawn when it is expanded.
    pub fn drawn(values: Drawn, shape: &[usize]) -> Matrix {
        let (rows, columns) = rows_and_columns(shape);
        Matrix { values: Values::Drawn(values), rows, columns, paired: None }
    }

    /// A matrix in mapped bytes; `None` where a row is not made of whole blocks, or the bytes are not those of the
    /// shape.
    pub fn stored(bytes: Mmap, format: GgmlDType, shape: &[usize]) -> Option<Matrix> {
        let (rows, columns) = rows_and_columns(shape);
        let whole = columns.is_multiple_of(format.block_size());
        let fits = bytes.len() == rows * (columns / format.block_size()) * format.type_size();
        (whole && fits).then_some(Matrix { values: Values::Stored(bytes, format), rows, columns, paired: None })
    }

    /// A matrix of 8-bit floats (E4M3), with a factor for each square of [`FP8_SQUARE`] rows and columns, row by row of
    /// squares; `None` where the numbers are not those of the shape.
    pub fn fp8(bytes: Mmap, scales: Vec<f32>, shape: &[usize]) -> Option<Matrix> {
        let (rows, columns) = rows_and_columns(shape);
        let squares = rows.div_ceil(FP8_SQUARE) * columns.div_ceil(FP8_SQUARE);
        let fits = bytes.len() == rows * columns && scales.len() == squares;
        fits.then_some(Matrix { values: Values::Fp8 { bytes, scales }, rows, columns, paired: None })
    }

    /// Bring the rows of each head from pair order into half order.
    pub fn unpaired(self, head_dim: usize) -> Matrix {
        Matrix { paired: Some(head_dim), ..self }
    }

    /// Columns that begin and end with blocks.
    fn step(&self) -> usize {
        match &self.values {
            Values::Plain(_) | Values::Drawn(_) | Values::Fp8 { .. } => 1,
            Values::Stored(_, format) => format.block_size(),
        }
    }

    /// Write a part of the matrix, row by row. `columns` begin and end with blocks.
    fn expand(&self, rows: Range<usize>, columns: Range<usize>, to: &mut [f32]) -> Result<(), DecoderError> {
        let shape = (rows.len(), columns.len());
        let place = |row: usize| self.paired.map_or(row, |head_dim| place_in_pairs(row, head_dim));
        let (bytes, format) = match &self.values {
            Values::Plain(values) => {
                for (row, to) in rows.zip(to.chunks_exact_mut(columns.len())) {
                    to.copy_from_slice(&values[place(row) * self.columns..][columns.clone()]);
                }
                return Ok(());
            }
            Values::Drawn(drawn) if columns.len() == self.columns && self.paired.is_none() => {
                drawn.draw(rows.start * self.columns..rows.end * self.columns, to);
                return Ok(());
            }
            Values::Drawn(drawn) => {
                for (row, to) in rows.zip(to.chunks_exact_mut(columns.len())) {
                    let start = place(row) * self.columns;
                    drawn.draw(start + columns.start..start + columns.end, to);
                }
                return Ok(());
            }
            Values::Fp8 { bytes, scales } => {
                let across = self.columns.div_ceil(FP8_SQUARE);
                for (row, to) in rows.map(place).zip(to.chunks_exact_mut(columns.len())) {
                    let scales = &scales[row / FP8_SQUARE * across..];
                    let bytes = &bytes[row * self.columns..][columns.clone()];
                    for ((to, &byte), column) in to.iter_mut().zip(bytes).zip(columns.clone()) {
                        *to = of_e4m3(byte) * scales[column / FP8_SQUARE];
                    }
                }
                return Ok(());
            }
            Values::Stored(bytes, format) => (bytes, *format),
        };
        let offset = |column: usize| column / format.block_size() * format.type_size();
        let within = offset(columns.start)..offset(columns.end);
        let parts = rows.map(|row| &bytes[place(row) * offset(self.columns)..][within.clone()]);
        match format {
            GgmlDType::F32 => convert(parts, to, f32::from_le_bytes),
            GgmlDType::F16 => convert(parts, to, |bytes| f16::from_le_bytes(bytes).to_f32()),
            GgmlDType::BF16 => convert(parts, to, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            _ => {
                let blocks: Vec<u8> = parts.collect::<Vec<_>>().concat();
                let tensor = QTensor::new(QStorage::from_data(blocks.into(), &Device::Cpu, format)?, shape)?;
                to.copy_from_slice(&tensor.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?);
            }
        }
        Ok(())
    }
}

/// Rows and columns that share a factor in checkpoints of 8-bit floats.
pub(crate) const FP8_SQUARE: usize = 128;

/// The value of an 8-bit float with four bits of exponent and three of mantissa (E4M3 without infinities, arXiv:2209.05433).
fn of_e4m3(byte: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(byte >> 3 & 15), f32::from(byte & 7));
    let size = match (exponent, byte & 7) {
        (15, 7) => f32::NAN,
        (0, _) => mantissa / 512.0,
        _ => (1.0 + mantissa / 8.0) * 2f32.powi(exponent - 7),
    };
    if byte >> 7 == 1 { -size } else { size }
}

/// Matrices one above the other, all of as many columns.
#[derive(Debug)]
pub(crate) struct Stack {
    matrices: Vec<Matrix>,
    columns: usize,
}

impl Stack {
    /// A stack of one.
    pub fn new(matrix: Matrix) -> Stack {
        Stack { columns: matrix.columns, matrices: vec![matrix] }
    }

    /// Put a matrix of as many columns below the others.
    pub fn push(&mut self, matrix: Matrix) {
        assert_eq!(matrix.columns, self.columns, "matrices of one product have its inputs as columns");
        self.matrices.push(matrix);
    }

    /// Rows of all matrices.
    pub fn rows(&self) -> usize {
        self.matrices.iter().map(|matrix| matrix.rows).sum()
    }

    /// Columns of each matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Write some rows, counted over all matrices, one after the other.
    pub fn expand(&self, rows: Range<usize>, to: &mut [f32]) -> Result<(), DecoderError> {
        let (mut rest, mut above) = (to, 0);
        for matrix in &self.matrices {
            let own = rows.start.max(above)..rows.end.min(above + matrix.rows);
            if !own.is_empty() {
                let (to, after) = rest.split_at_mut(own.len() * self.columns);
                matrix.expand(own.start - above..own.end - above, 0..self.columns, to)?;
                rest = after;
            }
            above += matrix.rows;
        }
        Ok(())
    }

    /// All values, `(rows, columns)`.
    pub fn by_rows(&self) -> Result<Vec<f32>, DecoderError> {
        let mut values = vec![0.0; self.rows() * self.columns];
        values.par_chunks_mut((ROWS * self.columns).max(1)).enumerate().try_for_each(|(piece, to)| {
            let first = piece * ROWS;
            self.expand(first..first + to.len() / self.columns, to)
        })?;
        Ok(values)
    }

    /// The same in another type, of which some rows at a time exist in f32.
    pub fn by_rows_as<T: Copy + Default + Send>(&self, rounded: fn(f32) -> T) -> Result<Vec<T>, DecoderError> {
        let mut values = vec![T::default(); self.rows() * self.columns];
        let pieces = values.par_chunks_mut((ROWS * self.columns).max(1)).enumerate();
        pieces.try_for_each_init(Vec::new, |exact, (piece, to)| {
            let first = piece * ROWS;
            exact.resize(to.len(), 0.0);
            self.expand(first..first + to.len() / self.columns, exact)?;
            to.iter_mut().zip(&*exact).for_each(|(to, exact)| *to = rounded(*exact));
            Ok::<(), DecoderError>(())
        })?;
        Ok(values)
    }

    /// All values, `(columns, rows)`. Some columns are a thread's: it expands them for some rows at a time, in its
    /// cache.
    pub fn by_columns(&self) -> Result<Vec<f32>, DecoderError> {
        let rows = self.rows();
        let mut values = vec![0.0; rows * self.columns];
        // Lengths of blocks are powers of two, so that the longest fits all.
        let step = self.matrices.iter().map(Matrix::step).max().unwrap_or(1).max(COLUMNS);
        values.par_chunks_mut((step * rows).max(1)).enumerate().try_for_each(|(tile, out)| {
            let width = out.len() / rows;
            let columns = tile * step..tile * step + width;
            let mut piece = vec![0.0; ROWS * width];
            let mut above = 0;
            for matrix in &self.matrices {
                for first in (0..matrix.rows).step_by(ROWS) {
                    let taken = first..matrix.rows.min(first + ROWS);
                    let piece = &mut piece[..taken.len() * width];
                    matrix.expand(taken.clone(), columns.clone(), piece)?;
                    for (column, out) in out.chunks_exact_mut(rows).enumerate() {
                        let out = &mut out[above + taken.start..above + taken.end];
                        for (out, row) in out.iter_mut().zip(piece.chunks_exact(width)) {
                            *out = row[column];
                        }
                    }
                }
                above += matrix.rows;
            }
            Ok::<(), DecoderError>(())
        })?;
        Ok(values)
    }
}

/// Where the file has row `row` of a tensor whose heads have their dimension `i` beside `i + half`.
pub(crate) fn place_in_pairs(row: usize, head_dim: usize) -> usize {
    let half = head_dim / 2;
    row / head_dim * head_dim + 2 * (row % half) + row % head_dim / half
}

/// Rows and columns, where a vector is one row.
pub(crate) fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
    match shape.split_last() {
        Some((columns, rows)) => (rows.iter().product(), *columns),
        None => (1, 1),
    }
}

fn convert<'a, const BYTES: usize>(
    parts: impl Iterator<Item = &'a [u8]>,
    to: &mut [f32],
    value: impl Fn([u8; BYTES]) -> f32,
) {
    for (to, bytes) in to.iter_mut().zip(parts.flat_map(|part| part.as_chunks().0)) {
        *to = value(*bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use candle_core::Tensor;

    use super::*;

    /// A matrix in `format`, mapped from a file, and its values as candle expands the whole.
    fn matrix(format: GgmlDType, rows: usize, columns: usize) -> (Matrix, Vec<f32>) {
        let values = (0..rows * columns).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        let dense = Tensor::from_vec::<_, f32>(values, (rows, columns), &Device::Cpu).unwrap();
        let tensor = QTensor::quantize(&dense, format).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&tensor.data().unwrap()).unwrap();
        let bytes = super::super::mapped::MappedFile::open(file.path()).unwrap();
        let bytes = bytes.map(0, bytes.bytes() as usize).unwrap();
        let whole = tensor.dequantize(&Device::Cpu).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        (Matrix::stored(bytes, format, &[rows, columns]).unwrap(), whole)
    }

    #[test]
    fn every_order_has_exactly_the_bits_of_the_whole_tensor() {
        use GgmlDType::{BF16, F16, F32, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q6K, Q8_0};
        for format in [F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4K, Q6K] {
            let columns = if format.block_size() == 256 { 512 } else { 160 };
            // The second matrix ends within a piece, and has heads of six in pair order.
            let ((a, mut whole), (b, paired)) = (matrix(format, 70, columns), matrix(format, 12, columns));
            for at in [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11] {
                whole.extend(&paired[at * columns..(at + 1) * columns]);
            }
            let plain: Vec<f32> = (0..3 * columns).map(|at| at as f32).collect();
            whole.extend(&plain);
            let mut stack = Stack::new(a);
            stack.push(b.unpaired(6));
            stack.push(Matrix::plain(plain, &[3, columns]));
            let drawn = |number| Drawn::new(5, number, "q_proj.weight", &[12, columns]);
            for (number, paired) in [(1, false), (2, true)] {
                let mut values = vec![f32::NAN; 12 * columns];
                drawn(number).draw(0..12 * columns, &mut values);
                let matrix = Matrix::drawn(drawn(number), &[12, columns]);
                stack.push(if paired { matrix.unpaired(6) } else { matrix });
                let place = |row: usize| if paired { place_in_pairs(row, 6) } else { row };
                (0..12).for_each(|row| whole.extend(&values[place(row) * columns..][..columns]));
            }
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
            assert_eq!(stack.rows(), 109);
            assert_eq!(bits(&stack.by_rows().unwrap()), bits(&whole), "{format:?}");
            let turned: Vec<f32> = (0..109 * columns).map(|at| whole[at % 109 * columns + at / 109]).collect();
            assert_eq!(bits(&stack.by_columns().unwrap()), bits(&turned), "{format:?}");
            let in_16_bits: Vec<bf16> = whole.iter().map(|&value| bf16::from_f32(value)).collect();
            assert_eq!(stack.by_rows_as(bf16::from_f32).unwrap(), in_16_bits, "{format:?}");
        }
    }

    #[test]
    fn eight_bit_floats_are_those_of_candle_times_the_factor_of_their_square() {
        let codes: Vec<u8> = (0..=255).filter(|byte| byte & 0x7f != 0x7f).collect();
        let expected = Tensor::from_raw_buffer(&codes, candle_core::DType::F8E4M3, &[codes.len()], &Device::Cpu);
        let expected = expected.unwrap().to_dtype(candle_core::DType::F32).unwrap().to_vec1::<f32>().unwrap();
        assert_eq!(codes.iter().map(|&byte| of_e4m3(byte)).collect::<Vec<_>>(), expected);
        assert!(of_e4m3(0x7f).is_nan() && of_e4m3(0xff).is_nan());

        // Two squares beside each other, and one row of squares below.
        let (rows, columns) = (130, 200);
        let bytes: Vec<u8> = (0..rows * columns).map(|at| codes[at * 7919 % codes.len()]).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let map = || super::super::mapped::MappedFile::open(file.path()).unwrap().map(0, bytes.len()).unwrap();
        let scales = [0.5, 2.0, 0.25, 3.0];
        let matrix = Matrix::fp8(map(), scales.to_vec(), &[rows, columns]).unwrap();
        let value =
            |row: usize, column: usize| of_e4m3(bytes[row * columns + column]) * scales[row / 128 * 2 + column / 128];
        let whole: Vec<f32> = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
        assert_eq!(Stack::new(matrix).by_rows().unwrap(), whole);
        let turned: Vec<f32> = (0..rows * columns).map(|at| value(at % rows, at / rows)).collect();
        let matrix = Matrix::fp8(map(), scales.to_vec(), &[rows, columns]).unwrap();
        assert_eq!(Stack::new(matrix).by_columns().unwrap(), turned);
        assert!(Matrix::fp8(map(), vec![1.0; 3], &[rows, columns]).is_none());
    }

    #[test]
    fn rows_of_broken_blocks_are_no_matrix() {
        let bytes = |count: usize| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&vec![0; count]).unwrap();
            super::super::mapped::MappedFile::open(file.path()).unwrap().map(0, count).unwrap()
        };
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[2, 32]).is_some());
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[4, 16]).is_none());
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[1, 32]).is_none());
    }
}
