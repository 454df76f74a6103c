//! Tensors of weight files, expanded to f32 a piece at a time, straight into their destination.

use std::cell::Cell;
use std::ops::Range;

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use half::{bf16, f16};
use rayon::prelude::*;

use super::file::FileRange;
use super::random_weights::Drawn;
use crate::decoder::DecoderError;

/// A matrix `(rows, columns)` that is not yet expanded. A vector is one row.
#[derive(Debug)]
pub struct Matrix {
    values: Values,
    rows: usize,
    columns: usize,
    /// Size of the heads whose rows are in pair order and must be brought into half order.
    paired: Option<usize>,
}

#[derive(Debug)]
enum Values {
    Plain(Vec<f32>),
    /// Drawn at random instead of read.
    Drawn(Drawn),
    /// Whole blocks in each row.
    Stored(FileRange, GgmlDType),
    /// One byte per value, with a scale for each square.
    Fp8 {
        bytes: FileRange,
        scales: Vec<f32>,
    },
}

/// Rows expanded at a time by one thread.
const ROWS: usize = 64;

/// Columns that one thread transposes at a time.
const COLUMNS: usize = 64;

/// Values of rows that are expanded before they are transposed.
const TURNED: usize = 1 << 18;

/// Bytes of a file that one thread reads at a time, unless a row has more: they stay in its cache until converted.
const READ: usize = 128 << 10;

thread_local! {
    /// Buffer for bytes read from a file.
    static BYTES: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl Matrix {
    /// A matrix with the given values.
    pub fn plain(values: Vec<f32>, shape: &[usize]) -> Matrix {
        let (rows, columns) = rows_and_columns(shape);
        Matrix { values: Values::Plain(values), rows, columns, paired: None }
    }

    /// A matrix of random values, drawn when expanded.
    pub fn drawn(values: Drawn, shape: &[usize]) -> Matrix {
        let (rows, columns) = rows_and_columns(shape);
        Matrix { values: Values::Drawn(values), rows, columns, paired: None }
    }

    /// A matrix in the bytes of a file; `None` if a row is not a whole number of blocks, or the bytes do not match the
    /// shape.
    pub fn stored(bytes: FileRange, format: GgmlDType, shape: &[usize]) -> Option<Matrix> {
        let (rows, columns) = rows_and_columns(shape);
        let whole = columns.is_multiple_of(format.block_size());
        let fits = bytes.len() == rows * (columns / format.block_size()) * format.type_size();
        (whole && fits).then_some(Matrix { values: Values::Stored(bytes, format), rows, columns, paired: None })
    }

    /// A matrix of 8-bit floats (E4M3), with a scale for each square of [`FP8_SQUARE`] rows and columns, in row-major
    /// order of squares; `None` if the sizes do not match the shape.
    pub fn fp8(bytes: FileRange, scales: Vec<f32>, shape: &[usize]) -> Option<Matrix> {
        let (rows, columns) = rows_and_columns(shape);
        let squares = rows.div_ceil(FP8_SQUARE) * columns.div_ceil(FP8_SQUARE);
        let fits = bytes.len() == rows * columns && scales.len() == squares;
        fits.then_some(Matrix { values: Values::Fp8 { bytes, scales }, rows, columns, paired: None })
    }

    /// Brings the rows of each head from pair order into half order.
    pub fn unpaired(self, head_dim: usize) -> Matrix {
        Matrix { paired: Some(head_dim), ..self }
    }

    /// Writes some rows, one after the other.
    fn expand(&self, rows: Range<usize>, to: &mut [f32]) -> Result<(), DecoderError> {
        let place = |row: usize| self.paired.map_or(row, |head_dim| place_in_pairs(row, head_dim));
        match &self.values {
            Values::Plain(values) => {
                for (row, to) in rows.zip(to.chunks_exact_mut(self.columns)) {
                    to.copy_from_slice(&values[place(row) * self.columns..][..self.columns]);
                }
                Ok(())
            }
            Values::Drawn(drawn) if self.paired.is_none() => {
                drawn.draw(rows.start * self.columns..rows.end * self.columns, to);
                Ok(())
            }
            Values::Drawn(drawn) => {
                for (row, to) in rows.zip(to.chunks_exact_mut(self.columns)) {
                    let start = place(row) * self.columns;
                    drawn.draw(start..start + self.columns, to);
                }
                Ok(())
            }
            Values::Fp8 { bytes, scales } => {
                let across = self.columns.div_ceil(FP8_SQUARE);
                self.each_read(bytes, rows, self.columns, to, |rows, bytes, to| {
                    let rows = rows.zip(bytes.chunks_exact(self.columns)).zip(to.chunks_exact_mut(self.columns));
                    for ((row, bytes), to) in rows {
                        let scales = &scales[place(row) / FP8_SQUARE * across..];
                        for (column, (to, &byte)) in to.iter_mut().zip(bytes).enumerate() {
                            *to = of_e4m3(byte) * scales[column / FP8_SQUARE];
                        }
                    }
                    Ok(())
                })
            }
            Values::Stored(bytes, format) => {
                let in_row = self.columns / format.block_size() * format.type_size();
                self.each_read(bytes, rows, in_row, to, |rows, bytes, to| {
                    match format {
                        GgmlDType::F32 => convert(bytes, to, f32::from_le_bytes),
                        GgmlDType::F16 => convert(bytes, to, |bytes| f16::from_le_bytes(bytes).to_f32()),
                        GgmlDType::BF16 => convert(bytes, to, |bytes| bf16::from_le_bytes(bytes).to_f32()),
                        _ => {
                            let storage = QStorage::from_data(bytes.into(), &Device::Cpu, *format)?;
                            let tensor = QTensor::new(storage, (rows.len(), self.columns))?;
                            let values = tensor.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?;
                            to.copy_from_slice(&values);
                        }
                    }
                    Ok(())
                })
            }
        }
    }

    /// Reads rows of `in_row` bytes in pieces and converts each piece.
    fn each_read(
        &self,
        file: &FileRange,
        rows: Range<usize>,
        in_row: usize,
        to: &mut [f32],
        convert: impl Fn(Range<usize>, &[u8], &mut [f32]) -> Result<(), DecoderError>,
    ) -> Result<(), DecoderError> {
        let at_once = (READ / in_row.max(1)).max(1).min(rows.len());
        // Taken and put back, since a conversion may run other work on this thread.
        let mut bytes = BYTES.take();
        bytes.resize(bytes.len().max(at_once * in_row), 0);
        let pieces = rows.clone().step_by(at_once).zip(to.chunks_mut((at_once * self.columns).max(1)));
        let done = pieces.into_iter().try_for_each(|(first, to)| {
            let piece = first..rows.end.min(first + at_once);
            let bytes = &mut bytes[..piece.len() * in_row];
            match self.paired {
                None => file.read(first * in_row, bytes)?,
                Some(head_dim) => {
                    for (row, bytes) in piece.clone().zip(bytes.chunks_exact_mut(in_row)) {
                        file.read(place_in_pairs(row, head_dim) * in_row, bytes)?;
                    }
                }
            }
            convert(piece, bytes, to)
        });
        BYTES.set(bytes);
        done
    }
}

/// Rows and columns that share a scale in checkpoints of 8-bit floats.
pub const FP8_SQUARE: usize = 128;

/// The value of an 8-bit float with 4 bits of exponent and 3 of mantissa (E4M3 without infinities, arXiv:2209.05433).
fn of_e4m3(byte: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(byte >> 3 & 15), f32::from(byte & 7));
    let size = match (exponent, byte & 7) {
        (15, 7) => f32::NAN,
        (0, _) => mantissa / 512.0,
        _ => (1.0 + mantissa / 8.0) * 2f32.powi(exponent - 7),
    };
    if byte >> 7 == 1 { -size } else { size }
}

/// Matrices stacked vertically, all with the same number of columns.
#[derive(Debug)]
pub struct Stack {
    matrices: Vec<Matrix>,
    columns: usize,
}

impl Stack {
    /// A stack of one.
    pub fn new(matrix: Matrix) -> Stack {
        Stack { columns: matrix.columns, matrices: vec![matrix] }
    }

    /// Appends a matrix with the same number of columns below the others.
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

    /// Writes some rows, counted over all matrices, one after the other.
    pub fn expand(&self, rows: Range<usize>, to: &mut [f32]) -> Result<(), DecoderError> {
        let (mut rest, mut above) = (to, 0);
        for matrix in &self.matrices {
            let own = rows.start.max(above)..rows.end.min(above + matrix.rows);
            if !own.is_empty() {
                let (to, after) = rest.split_at_mut(own.len() * self.columns);
                matrix.expand(own.start - above..own.end - above, to)?;
                rest = after;
            }
            above += matrix.rows;
        }
        Ok(())
    }

    /// All values, `(rows, columns)`.
    pub fn by_rows(&self) -> Result<Vec<f32>, DecoderError> {
        let mut values = vec![0.0; self.rows() * self.columns];
        self.expand_in_threads(0, &mut values)?;
        Ok(values)
    }

    /// All values in another type; only some rows at a time exist in f32.
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

    /// All values, `(columns, rows)`. Some rows at a time are expanded and then transposed by threads, each taking some
    /// columns.
    pub fn by_columns(&self) -> Result<Vec<f32>, DecoderError> {
        let rows = self.rows();
        let mut values = vec![0.0; rows * self.columns];
        let band = (TURNED / self.columns.max(1)).next_multiple_of(ROWS).min(rows);
        let mut expanded = vec![0.0; band * self.columns];
        for first in (0..rows).step_by(band.max(1)) {
            let taken = first..rows.min(first + band);
            let expanded = &mut expanded[..taken.len() * self.columns];
            self.expand_in_threads(first, expanded)?;
            values.par_chunks_mut((COLUMNS * rows).max(1)).enumerate().for_each(|(tile, out)| {
                for (column, out) in out.chunks_exact_mut(rows).enumerate() {
                    let column = tile * COLUMNS + column;
                    for (out, row) in out[taken.clone()].iter_mut().zip(expanded.chunks_exact(self.columns)) {
                        *out = row[column];
                    }
                }
            });
        }
        Ok(values)
    }

    /// Writes the rows from `first` on, as many as `to` holds, split among threads.
    fn expand_in_threads(&self, first: usize, to: &mut [f32]) -> Result<(), DecoderError> {
        to.par_chunks_mut((ROWS * self.columns).max(1)).enumerate().try_for_each(|(piece, to)| {
            let first = first + piece * ROWS;
            self.expand(first..first + to.len() / self.columns, to)
        })
    }
}

/// Row of the file that holds row `row` of a tensor whose heads have dimension `i` beside `i + half`.
pub fn place_in_pairs(row: usize, head_dim: usize) -> usize {
    let half = head_dim / 2;
    row / head_dim * head_dim + 2 * (row % half) + row % head_dim / half
}

/// Rows and columns; a vector is one row.
pub fn rows_and_columns(shape: &[usize]) -> (usize, usize) {
    match shape.split_last() {
        Some((columns, rows)) => (rows.iter().product(), *columns),
        None => (1, 1),
    }
}

fn convert<const BYTES: usize>(bytes: &[u8], to: &mut [f32], value: impl Fn([u8; BYTES]) -> f32) {
    for (to, bytes) in to.iter_mut().zip(bytes.as_chunks().0) {
        *to = value(*bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use candle_core::Tensor;

    use super::super::file::WeightFile;
    use super::*;

    /// A matrix in `format`, in a file, and its values as candle expands the whole.
    fn matrix(format: GgmlDType, rows: usize, columns: usize) -> (Matrix, Vec<f32>) {
        let values = (0..rows * columns).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
        let dense = Tensor::from_vec::<_, f32>(values, (rows, columns), &Device::Cpu).unwrap();
        let tensor = QTensor::quantize(&dense, format).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&tensor.data().unwrap()).unwrap();
        let bytes = WeightFile::open(file.path()).unwrap();
        let bytes = bytes.part(0, bytes.bytes() as usize).unwrap();
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
        let part = || WeightFile::open(file.path()).unwrap().part(0, bytes.len()).unwrap();
        let scales = [0.5, 2.0, 0.25, 3.0];
        let matrix = Matrix::fp8(part(), scales.to_vec(), &[rows, columns]).unwrap();
        let value =
            |row: usize, column: usize| of_e4m3(bytes[row * columns + column]) * scales[row / 128 * 2 + column / 128];
        let whole: Vec<f32> = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
        assert_eq!(Stack::new(matrix).by_rows().unwrap(), whole);
        let turned: Vec<f32> = (0..rows * columns).map(|at| value(at % rows, at / rows)).collect();
        let matrix = Matrix::fp8(part(), scales.to_vec(), &[rows, columns]).unwrap();
        assert_eq!(Stack::new(matrix).by_columns().unwrap(), turned);
        assert!(Matrix::fp8(part(), vec![1.0; 3], &[rows, columns]).is_none());
    }

    #[test]
    fn rows_of_broken_blocks_are_no_matrix() {
        let bytes = |count: usize| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&vec![0; count]).unwrap();
            WeightFile::open(file.path()).unwrap().part(0, count).unwrap()
        };
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[2, 32]).is_some());
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[4, 16]).is_none());
        assert!(Matrix::stored(bytes(36), GgmlDType::Q4_0, &[1, 32]).is_none());
    }
}
