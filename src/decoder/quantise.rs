//! Rounding weights to GGUF blocks when they are loaded, for models that do not fit into memory otherwise.

use std::collections::HashSet;

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};
use rayon::prelude::*;

use super::DecoderError;
use super::precision::Precision;
use super::spec::DecoderSpec;
use super::weights::{Stack, rows_and_columns};

/// Matrices that are kept in another format than was asked for, because their rows are no multiple of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// How many.
    pub matrices: usize,
    /// Numbers in each row.
    pub columns: usize,
    /// Numbers in a block of the format asked for.
    pub block: usize,
    /// The format instead.
    pub instead: &'static str,
}

/// Rows that one thread rounds at a time.
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

/// What a matrix of so many columns is kept in: the format asked for, else 8-bit blocks of 32, else f32 (`None`).
pub(super) fn format(precision: Precision, columns: usize, in_layer: bool) -> Option<GgmlDType> {
    let wanted = of_layers(precision)?;
    let wanted = if in_layer { wanted } else { GgmlDType::Q8_0 };
    [wanted, GgmlDType::Q8_0].into_iter().find(|format| columns.is_multiple_of(format.block_size()))
}

/// The formats in which matrices may end up.
pub(super) fn formats(precision: Precision) -> Vec<GgmlDType> {
    let mut formats: Vec<GgmlDType> = of_layers(precision).into_iter().chain([GgmlDType::Q8_0]).collect();
    formats.dedup();
    formats
}

/// A matrix in blocks.
pub(super) fn quantised(stack: &Stack, format: GgmlDType) -> Result<QTensor, DecoderError> {
    let (rows, columns) = (stack.rows(), stack.columns());
    let pieces = (0..rows).into_par_iter().step_by(ROWS).map(|first| {
        let rows = first..rows.min(first + ROWS);
        let mut values = vec![0.0; rows.len() * columns];
        stack.expand(rows.clone(), &mut values)?;
        let values = Tensor::from_vec(values, (rows.len(), columns), &Device::Cpu)?;
        Ok(QTensor::quantize(&values, format)?.data()?.into_owned())
    });
    let bytes = pieces.collect::<Result<Vec<_>, DecoderError>>()?.concat();
    let storage = QStorage::from_data(bytes.into(), &Device::Cpu, format)?;
    Ok(QTensor::new(storage, (rows, columns))?)
}

/// Every matrix of a model but those left out: rows, columns, and whether it is in a layer.
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

/// Which matrices of a model are kept in another format than was asked for.
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
