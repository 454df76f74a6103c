//! Weights in a GGUF file.

use std::path::Path;

use candle_core::Device;
use candle_core::quantized::gguf_file::{Content, TensorInfo};
use candle_core::quantized::{QStorage, QTensor};
use memmap2::Mmap;

use super::entry::TensorEntry;
use super::header;
use super::mapped::MappedFile;
use super::matrix::{Matrix, Stack};
use crate::decoder::DecoderError;

/// An opened GGUF file.
#[derive(Debug)]
pub(crate) struct Gguf {
    file: MappedFile,
    content: Content,
}

impl Gguf {
    /// Open a file and read its metadata and table of tensors.
    pub fn open(path: &Path) -> Result<Gguf, DecoderError> {
        let file = MappedFile::open(path)?;
        let length = usize::try_from(file.bytes()).map_err(|_| file.problem("too large for this machine"))?;
        if length == 0 {
            return Err(file.problem("the file is empty"));
        }
        // Mapped, so that only the pages of the header are read.
        let content = header::read(&file.map(0, length)?[..]).map_err(|problem| file.problem(problem))?;
        Ok(Gguf { file, content })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Metadata and table of tensors.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The table of tensors in the order of their names.
    pub fn entries(&self) -> Vec<TensorEntry<'_>> {
        let tensors = self.content.tensor_infos.iter();
        let mut entries: Vec<TensorEntry<'_>> =
            tensors.map(|(name, info)| TensorEntry { name, shape: info.shape.dims(), file: self.path() }).collect();
        entries.sort_by_key(|entry| entry.name);
        entries
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Result<Mmap, DecoderError> {
        let shape = self.content.tensor_infos.get(name).map(|info| info.shape.dims()).unwrap_or_default();
        Ok(self.stored(name, shape)?.1)
    }

    /// A tensor of exactly `shape`, to be expanded.
    pub fn matrix(&self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        let (info, bytes) = self.stored(name, shape)?;
        Matrix::stored(bytes, info.ggml_dtype, shape)
            .ok_or_else(|| self.unreadable(name, "its rows are no whole blocks"))
    }

    /// A tensor of exactly `shape` in the blocks of the file.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<QTensor, DecoderError> {
        let (info, bytes) = self.stored(name, shape)?;
        // Copied, because blocks are aligned in memory and need not be in a file.
        QStorage::from_data(bytes.to_vec().into(), &Device::Cpu, info.ggml_dtype)
            .and_then(|storage| QTensor::new(storage, shape))
            .map_err(|error| self.unreadable(name, error))
    }

    /// A vector in f32, if the file has it.
    pub fn vector(&self, name: &str) -> Result<Option<Vec<f32>>, DecoderError> {
        match self.content.tensor_infos.get(name).map(|info| info.shape.dims().to_vec()) {
            None => Ok(None),
            Some(shape) => Ok(Some(Stack::new(self.matrix(name, &shape)?).by_rows()?)),
        }
    }

    /// The entry and the bytes of a tensor of exactly `shape`.
    fn stored(&self, name: &str, shape: &[usize]) -> Result<(&TensorInfo, Mmap), DecoderError> {
        let missing = || DecoderError::MissingWeight { file: self.path().to_path_buf(), tensor: name.to_string() };
        let info = self.content.tensor_infos.get(name).ok_or_else(missing)?;
        if info.shape.dims() != shape {
            return Err(DecoderError::Shape {
                file: self.path().to_path_buf(),
                tensor: name.to_string(),
                found: info.shape.dims().to_vec(),
                expected: shape.to_vec(),
            });
        }
        let bytes = header::bytes_of(info).ok_or_else(|| self.unreadable(name, "its rows are no whole blocks"))?;
        let offset = self.content.tensor_data_offset.saturating_add(info.offset);
        match self.file.map(offset, bytes) {
            Ok(bytes) => Ok((info, bytes)),
            Err(DecoderError::Format { problem, .. }) => Err(self.unreadable(name, problem)),
            Err(error) => Err(error),
        }
    }

    fn unreadable(&self, name: &str, reason: impl std::fmt::Display) -> DecoderError {
        self.file.problem(format!("weight `{name}` cannot be read: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::weights::Weights;

    /// Blocks made and expanded by the `gguf` Python package, see `tests/fixtures/blocks/make_blocks.py`.
    #[test]
    fn blocks_are_expanded_as_the_format_s_own_package_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/blocks");
        let expected =
            candle_core::safetensors::load(folder.join("blocks.expected.safetensors"), &Device::Cpu).unwrap();
        assert_eq!(expected.len(), 12);
        let mut weights = Weights::open_gguf(&folder.join("blocks.gguf")).unwrap();
        for (name, expected) in expected {
            let values = Stack::new(weights.matrix(&name, expected.dims()).unwrap()).by_rows().unwrap();
            let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
            for (value, expected) in values.iter().zip(&expected) {
                // The formulas are the same; the order of the multiplications may not be.
                assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{name}: {value} {expected}");
            }
            assert_eq!(values.len(), expected.len());
        }
    }
}
