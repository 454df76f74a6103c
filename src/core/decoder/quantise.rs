//! Rounds weights to GGUF blocks at load, for models that do not fit into memory otherwise.

use std::collections::HashSet;

use candle_core::quantized::k_quants::{BlockQ4_0, BlockQ4K, BlockQ8_0, GgmlType};
use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use rayon::prelude::*;

use super::DecoderError;
use super::precision::Precision;
use super::spec::DecoderSpec;
use super::weights::{Stack, rows_and_columns};

/// Matrices kept in a format other than requested, because their row length is not a multiple of its block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// Number of matrices.
    pub matrices: usize,
    /// Numbers in each row.
    pub columns: usize,
    /// Numbers in a block of the requested format.
    pub block: usize,
    /// The format used instead.
    pub instead: &'static str,
}

/// Number of rows that a thread rounds at a time.
const ROWS: usize = 64;

/// The format of a layer's matrices.
fn of_layers(precision: Precision) -> Option<GgmlDType> {
    match precision {
        Precision::Q8_0 => Some(GgmlDType::Q8_0),
        Precision::Q4_0 => Some(GgmlDType::Q4_0),
        Precision::Q4K => Some(GgmlDType::Q4K),
        Precision::F32 | Precision::F16 | Precision::BF16 | Precision::Quantized => None,
    }
}

/// Format of a matrix with this many columns: the requested one, else 8-bit blocks of 32, else f32 (`None`).
pub(super) fn format(precision: Precision, columns: usize, in_layer: bool) -> Option<GgmlDType> {
    let wanted = of_layers(precision)?;
    let wanted = if in_layer { wanted } else { GgmlDType::Q8_0 };
    [wanted, GgmlDType::Q8_0].into_iter().find(|format| columns.is_multiple_of(format.block_size()))
}

/// The formats that matrices may get.
pub(super) fn formats(precision: Precision) -> Vec<GgmlDType> {
    let mut formats: Vec<GgmlDType> = of_layers(precision).into_iter().chain([GgmlDType::Q8_0]).collect();
    formats.dedup();
    formats
}

/// A matrix in blocks, rounded a few rows at a time straight into its final storage.
pub(super) fn quantised(stack: &Stack, format: GgmlDType) -> Result<QTensor, DecoderError> {
    let storage = match format {
        GgmlDType::Q8_0 => blocks::<BlockQ8_0>(stack),
        GgmlDType::Q4_0 => blocks::<BlockQ4_0>(stack),
        GgmlDType::Q4K => blocks::<BlockQ4K>(stack),
        other => Err(candle_core::Error::msg(format!("quantising weights to {other:?} is not supported")).into()),
    }?;
    Ok(QTensor::new(storage, (stack.rows(), stack.columns()))?)
}

fn blocks<B: GgmlType + 'static>(stack: &Stack) -> Result<QStorage, DecoderError> {
    let in_row = stack.columns() / B::BLCK_SIZE;
    let mut blocks = vec![B::zeros(); stack.rows() * in_row];
    let pieces = blocks.par_chunks_mut((ROWS * in_row).max(1)).enumerate();
    pieces.try_for_each_init(Vec::new, |values, (piece, to)| {
        let rows = piece * ROWS..piece * ROWS + to.len() / in_row;
        values.resize(rows.len() * stack.columns(), 0.0);
        stack.expand(rows, values)?;
        B::from_float(values, to);
        Ok::<(), DecoderError>(())
    })?;
    Ok(QStorage::Cpu(Box::new(blocks)))
}

/// Every matrix of a model except those left out: rows, columns, and whether it is in a layer.
pub(super) fn matrices<'a>(
    spec: &'a DecoderSpec,
    left_out: &'a HashSet<String>,
) -> impl Iterator<Item = (usize, usize, bool)> + 'a {
    let outside = [spec.naming.embedding, spec.naming.head];
    let matrices = spec.tensors().filter(|(name, shape)| shape.len() > 1 && !left_out.contains(name));
    matrices.map(move |(name, shape)| {
        let (rows, columns) = rows_and_columns(&shape);
        (rows, columns, !outside.contains(&name.as_str()))
    })
}

/// Matrices of a model kept in a format other than requested.
pub fn fallbacks(spec: &DecoderSpec, precision: Precision) -> Vec<Fallback> {
    let mut found: Vec<Fallback> = Vec::new();
    let Some(of_layers) = of_layers(precision) else { return found };
    for (_, columns, in_layer) in matrices(spec, &HashSet::new()) {
        let wanted = if in_layer { of_layers } else { GgmlDType::Q8_0 };
        let instead = match format(precision, columns, in_layer) {
            Some(format) if format == wanted => continue,
            Some(_) => "q8_0",
            None => "f32",
        };
        let block = wanted.block_size();
        match found.iter_mut().find(|known| known.columns == columns && known.block == block) {
            Some(known) => known.matrices += 1,
            None => found.push(Fallback { matrices: 1, columns, block, instead }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::*;
    use crate::decoder::weights::Matrix;

    #[test]
    fn blocks_are_those_that_candle_makes_of_the_whole_matrix() {
        for (format, rows) in [(GgmlDType::Q8_0, 1), (GgmlDType::Q4_0, ROWS), (GgmlDType::Q4K, 2 * ROWS + 3)] {
            let values: Vec<f32> = (0..rows * 512).map(|at| ((at * 7919 % 1009) as f32 / 504.0 - 1.0) * 0.1).collect();
            let whole = Tensor::from_slice(&values, (rows, 512), &Device::Cpu).unwrap();
            let whole = QTensor::quantize(&whole, format).unwrap();
            let found = quantised(&Stack::new(Matrix::plain(values, &[rows, 512])), format).unwrap();
            assert_eq!((found.dtype(), found.shape()), (format, whole.shape()));
            assert_eq!(found.data().unwrap(), whole.data().unwrap(), "{format:?}");
        }
    }
}
