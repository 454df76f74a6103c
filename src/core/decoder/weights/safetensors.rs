//! Weights in one or more safetensors files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::quantized::GgmlDType;
use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::entry::TensorEntry;
use super::file::{FileRange, WeightFile};
use super::matrix::{FP8_SQUARE, Matrix, Stack, rows_and_columns};
use crate::decoder::DecoderError;

/// Suffix of the scales' name for a tensor of 8-bit floats, as in DeepSeek's checkpoints.
const FACTORS: &str = "_scale_inv";

/// Maximum header length in bytes that the format allows.
const LONGEST_HEADER: u64 = 100_000_000;

/// The files of a model with a table of all tensors.
#[derive(Debug)]
pub struct Shards {
    files: Vec<Arc<WeightFile>>,
    tensors: BTreeMap<String, Stored>,
}

#[derive(Debug)]
struct Stored {
    file: usize,
    dtype: Dtype,
    shape: Vec<usize>,
    /// Bytes from the start of the file.
    offset: u64,
    bytes: usize,
}

impl Shards {
    /// Opens all files of a model.
    pub fn open(paths: &[PathBuf]) -> Result<Shards, DecoderError> {
        let mut shards = Shards { files: Vec::new(), tensors: BTreeMap::new() };
        paths.iter().try_for_each(|path| shards.add(path))?;
        Ok(shards)
    }

    /// The format and number of elements of each tensor.
    pub fn stored(&self) -> Vec<(String, usize)> {
        self.tensors.values().map(|stored| (format!("{:?}", stored.dtype), stored.shape.iter().product())).collect()
    }

    fn add(&mut self, path: &Path) -> Result<(), DecoderError> {
        let format = |problem: String| DecoderError::Format { path: path.to_path_buf(), problem };
        let file = WeightFile::open(path)?;
        if file.bytes() == 0 {
            return Err(format("the file is empty".to_string()));
        }
        let (metadata, data) = header(&file)?;
        for name in metadata.offset_keys() {
            let Some(info) = metadata.info(&name) else { continue };
            let (start, end) = info.data_offsets;
            let (offset, bytes) = (data + start as u64, end - start);
            let stored = Stored { file: self.files.len(), dtype: info.dtype, shape: info.shape.clone(), offset, bytes };
            if let Some(before) = self.tensors.insert(name.clone(), stored) {
                let before = self.files[before.file].path().display();
                return Err(format(format!("duplicate tensor `{name}`, also in {before}")));
            }
        }
        self.files.push(file);
        Ok(())
    }

    /// The table of tensors, sorted by name.
    pub fn entries(&self) -> impl Iterator<Item = TensorEntry<'_>> {
        self.tensors.iter().map(|(name, stored)| TensorEntry {
            name,
            shape: &stored.shape,
            file: self.files[stored.file].path(),
        })
    }

    /// Name of the tensor with the scales of another tensor, if that has any.
    pub fn factors_of(&self, name: &str) -> Option<String> {
        let stored = self.tensors.get(name)?;
        (stored.dtype == Dtype::F8_E4M3).then(|| format!("{name}{FACTORS}"))
    }

    /// A matrix of 8-bit floats, with its scales.
    fn fp8(&self, name: &str, stored: &Stored, file: &Arc<WeightFile>) -> Result<Matrix, DecoderError> {
        let factors = format!("{name}{FACTORS}");
        let (rows, columns) = rows_and_columns(&stored.shape);
        let squares = [rows.div_ceil(FP8_SQUARE), columns.div_ceil(FP8_SQUARE)];
        let scales = Stack::new(self.matrix(&factors, &squares)?).by_rows()?;
        let bytes = file.part(stored.offset, stored.bytes)?;
        Matrix::fp8(bytes, scales, &stored.shape)
            .ok_or_else(|| file.problem(format!("the size of weight `{name}` does not match its shape")))
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Result<FileRange, DecoderError> {
        let stored = self.stored_as(name)?;
        self.files[stored.file].part(stored.offset, stored.bytes)
    }

    fn stored_as(&self, name: &str) -> Result<&Stored, DecoderError> {
        let first = self.files.first().map(|file| file.path().to_path_buf()).unwrap_or_default();
        self.tensors.get(name).ok_or_else(|| DecoderError::MissingWeight { file: first, tensor: name.to_string() })
    }

    /// A tensor of exactly `shape`, not yet expanded.
    pub fn matrix(&self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        let stored = self.stored_as(name)?;
        let file = &self.files[stored.file];
        if stored.shape != shape {
            return Err(DecoderError::Shape {
                file: file.path().to_path_buf(),
                tensor: name.to_string(),
                found: stored.shape.clone(),
                expected: shape.to_vec(),
            });
        }
        if stored.dtype == Dtype::F8_E4M3 {
            return self.fp8(name, stored, file);
        }
        let format = match stored.dtype {
            Dtype::F32 => GgmlDType::F32,
            Dtype::F16 => GgmlDType::F16,
            Dtype::BF16 => GgmlDType::BF16,
            other => {
                return Err(DecoderError::WeightType {
                    file: file.path().to_path_buf(),
                    tensor: name.to_string(),
                    dtype: format!("{other:?}"),
                    expected: "F32, F16, BF16, and F8_E4M3 with scales are supported",
                });
            }
        };
        let bytes = file.part(stored.offset, stored.bytes)?;
        Matrix::stored(bytes, format, shape)
            .ok_or_else(|| file.problem(format!("the size of weight `{name}` does not match its shape")))
    }
}

/// The table of a file and the byte offset of its tensors. A file holds the length of the table, the table, the
/// tensors, and nothing else.
fn header(file: &Arc<WeightFile>) -> Result<(Metadata, u64), DecoderError> {
    let damaged =
        |reason: String| file.problem(format!("cut short or damaged, not a complete safetensors file: {reason}"));
    let mut length = [0; 8];
    if file.bytes() < length.len() as u64 {
        return Err(damaged("its header length is missing".to_string()));
    }
    file.part(0, length.len())?.read(0, &mut length)?;
    let (length, first) = (u64::from_le_bytes(length), length.len() as u64);
    if length > LONGEST_HEADER {
        return Err(damaged(format!("the header length is {length} bytes, the limit is {LONGEST_HEADER}")));
    }
    if length > file.bytes() - first {
        let left = file.bytes() - first;
        return Err(damaged(format!("the file announces a header of {length} bytes, but {left} are left")));
    }
    let text = file.part(first, length as usize)?.to_vec()?;
    let metadata: Metadata = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    let data = first + length;
    let end = data.checked_add(metadata.data_len() as u64);
    if end != Some(file.bytes()) {
        let announced = metadata.data_len();
        return Err(damaged(format!("expected {announced} bytes of tensors, found {}", file.bytes() - data)));
    }
    Ok((metadata, data))
}
