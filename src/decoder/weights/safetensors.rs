//! Weights in one or several safetensors files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use candle_core::quantized::GgmlDType;
use memmap2::Mmap;
use safetensors::{Dtype, SafeTensors};

use super::entry::TensorEntry;
use super::mapped::MappedFile;
use super::matrix::{FP8_SQUARE, Matrix, Stack, rows_and_columns};
use crate::decoder::DecoderError;

/// What the name of a tensor of 8-bit floats is followed by in that of its factors, as in DeepSeek's checkpoints.
const FACTORS: &str = "_scale_inv";

/// The files of a model with a table of all tensors.
#[derive(Debug)]
pub(crate) struct Shards {
    files: Vec<MappedFile>,
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
    /// Open all files of a model.
    pub fn open(paths: &[PathBuf]) -> Result<Shards, DecoderError> {
        let mut shards = Shards { files: Vec::new(), tensors: BTreeMap::new() };
        paths.iter().try_for_each(|path| shards.add(path))?;
        Ok(shards)
    }

    /// The format of each tensor, and how many numbers it has.
    pub fn stored(&self) -> Vec<(String, usize)> {
        self.tensors.values().map(|stored| (format!("{:?}", stored.dtype), stored.shape.iter().product())).collect()
    }

    fn add(&mut self, path: &Path) -> Result<(), DecoderError> {
        let format = |problem: String| DecoderError::Format { path: path.to_path_buf(), problem };
        let file = MappedFile::open(path)?;
        let length = usize::try_from(file.bytes()).map_err(|_| format("too large for this machine".to_string()))?;
        if length == 0 {
            return Err(format("the file is empty".to_string()));
        }
        // Only the pages of the header are touched, so the whole file can be mapped for it.
        let whole = file.map(0, length)?;
        let content = SafeTensors::deserialize(&whole)
            .map_err(|error| format(format!("cut short or damaged, not a complete safetensors file: {error}")))?;
        for (name, view) in content.iter() {
            let offset = (view.data().as_ptr() as usize - whole.as_ptr() as usize) as u64;
            let (dtype, shape, bytes) = (view.dtype(), view.shape().to_vec(), view.data().len());
            let stored = Stored { file: self.files.len(), dtype, shape, offset, bytes };
            if let Some(before) = self.tensors.insert(name.to_string(), stored) {
                let before = self.files[before.file].path().display();
                return Err(format(format!("tensor `{name}` is in {before} as well")));
            }
        }
        drop(whole);
        self.files.push(file);
        Ok(())
    }

    /// The table of tensors in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = TensorEntry<'_>> {
        self.tensors.iter().map(|(name, stored)| TensorEntry {
            name,
            shape: &stored.shape,
            file: self.files[stored.file].path(),
        })
    }

    /// The name of the tensor with the factors of another, where that has any.
    pub fn factors_of(&self, name: &str) -> Option<String> {
        let stored = self.tensors.get(name)?;
        (stored.dtype == Dtype::F8_E4M3).then(|| format!("{name}{FACTORS}"))
    }

    /// A matrix of 8-bit floats, with its factors.
    fn fp8(&self, name: &str, stored: &Stored, file: &MappedFile) -> Result<Matrix, DecoderError> {
        let factors = format!("{name}{FACTORS}");
        let (rows, columns) = rows_and_columns(&stored.shape);
        let squares = [rows.div_ceil(FP8_SQUARE), columns.div_ceil(FP8_SQUARE)];
        let scales = Stack::new(self.matrix(&factors, &squares)?).by_rows()?;
        let bytes = file.map(stored.offset, stored.bytes)?;
        Matrix::fp8(bytes, scales, &stored.shape)
            .ok_or_else(|| file.problem(format!("the bytes of weight `{name}` are not those of its shape")))
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Result<Mmap, DecoderError> {
        let stored = self.stored_as(name)?;
        self.files[stored.file].map(stored.offset, stored.bytes)
    }

    fn stored_as(&self, name: &str) -> Result<&Stored, DecoderError> {
        let first = self.files.first().map(|file| file.path().to_path_buf()).unwrap_or_default();
        self.tensors.get(name).ok_or_else(|| DecoderError::MissingWeight { file: first, tensor: name.to_string() })
    }

    /// A tensor of exactly `shape`, to be expanded.
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
                    expected: "F32, F16, BF16, and F8_E4M3 with factors beside it are read",
                });
            }
        };
        let bytes = file.map(stored.offset, stored.bytes)?;
        Matrix::stored(bytes, format, shape)
            .ok_or_else(|| file.problem(format!("the bytes of weight `{name}` are not those of its shape")))
    }
}
