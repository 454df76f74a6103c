//! Weights in a GGUF file.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::Device;
use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use candle_core::quantized::{QStorage, QTensor};

use super::entry::TensorEntry;
use super::file::{FileRange, WeightFile};
use super::header;
use super::matrix::{Matrix, Stack};
use crate::decoder::DecoderError;

/// An opened GGUF file, or the files of a split model.
#[derive(Debug)]
pub struct Gguf {
    /// The files in order, each with the offset at which its tensors begin.
    files: Vec<(Arc<WeightFile>, u64)>,
    /// Metadata of the first file, and the tensors of all files.
    content: Content,
    /// File number of each tensor that is not in the first file.
    elsewhere: HashMap<String, usize>,
}

/// Bytes of a header read at a time.
const READ: usize = 256 << 10;

/// Metadata key for the number of files of a split model.
const PARTS: &str = "split.count";

/// Metadata key for the number of a file among these, from 0.
const PART: &str = "split.no";

impl Gguf {
    /// Opens the files of one model, the first of which has the metadata, and reads their tables of tensors.
    pub fn open(paths: &[PathBuf]) -> Result<Gguf, DecoderError> {
        let [first, more @ ..] = paths else { return Err(nothing()) };
        let (first, content) = read_header(first)?;
        check_part(&first, &content, 0, paths.len())?;
        let mut gguf = Gguf { files: vec![(first, content.tensor_data_offset)], content, elsewhere: HashMap::new() };
        for path in more {
            let (file, content) = read_header(path)?;
            let number = gguf.files.len();
            check_part(&file, &content, number, paths.len())?;
            for (name, info) in content.tensor_infos {
                if gguf.content.tensor_infos.contains_key(&name) {
                    return Err(file.problem(format!("duplicate tensor `{name}` in another part of the model")));
                }
                gguf.elsewhere.insert(name.clone(), number);
                gguf.content.tensor_infos.insert(name, info);
            }
            gguf.files.push((file, content.tensor_data_offset));
        }
        Ok(gguf)
    }

    /// The first file.
    pub fn path(&self) -> &Path {
        self.files[0].0.path()
    }

    /// Metadata and table of tensors.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The table of tensors, sorted by name.
    pub fn entries(&self) -> Vec<TensorEntry<'_>> {
        let tensors = self.content.tensor_infos.iter();
        let mut entries: Vec<TensorEntry<'_>> = tensors
            .map(|(name, info)| TensorEntry { name, shape: info.shape.dims(), file: self.file_of(name).0.path() })
            .collect();
        entries.sort_by_key(|entry| entry.name);
        entries
    }

    /// The file that holds a tensor, with the offset at which its tensors begin.
    fn file_of(&self, name: &str) -> &(Arc<WeightFile>, u64) {
        &self.files[self.elsewhere.get(name).copied().unwrap_or(0)]
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Result<FileRange, DecoderError> {
        let shape = self.content.tensor_infos.get(name).map(|info| info.shape.dims()).unwrap_or_default();
        Ok(self.stored(name, shape, None)?.1)
    }

    /// A tensor of exactly `shape`, not yet expanded.
    pub fn matrix(&self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        self.one_of(name, shape, None)
    }

    /// A matrix of exactly `shape`, not yet expanded: a tensor, or one (numbered from 0) of several concatenated in it.
    pub fn one_of(&self, name: &str, shape: &[usize], among: Option<(usize, usize)>) -> Result<Matrix, DecoderError> {
        let (info, bytes) = self.stored(name, shape, among)?;
        Matrix::stored(bytes, info.ggml_dtype, shape)
            .ok_or_else(|| self.unreadable(name, "its rows are not a whole number of blocks"))
    }

    /// Like `one_of`, in the blocks of the file.
    pub fn tensor(&self, name: &str, shape: &[usize], among: Option<(usize, usize)>) -> Result<QTensor, DecoderError> {
        let (info, bytes) = self.stored(name, shape, among)?;
        // Copied, because blocks must be aligned in memory but not in a file.
        QStorage::from_data(bytes.to_vec()?.into(), &Device::Cpu, info.ggml_dtype)
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

    /// The entry and the bytes of a tensor of exactly `shape`, or of one of several such matrices in it.
    fn stored(
        &self,
        name: &str,
        shape: &[usize],
        among: Option<(usize, usize)>,
    ) -> Result<(&TensorInfo, FileRange), DecoderError> {
        let (one, count) = among.unwrap_or((0, 1));
        let whole: Vec<usize> = among.map(|_| count).into_iter().chain(shape.iter().copied()).collect();
        let (file, data) = self.file_of(name);
        let path = || file.path().to_path_buf();
        let missing = || DecoderError::MissingWeight { file: path(), tensor: name.to_string() };
        let info = self.content.tensor_infos.get(name).ok_or_else(missing)?;
        if !same_shape(info.shape.dims(), &whole) {
            return Err(DecoderError::Shape {
                file: path(),
                tensor: name.to_string(),
                found: info.shape.dims().to_vec(),
                expected: whole,
            });
        }
        let bytes =
            header::bytes_of(info).ok_or_else(|| self.unreadable(name, "its rows are not a whole number of blocks"))?;
        // Rows are whole blocks, so all matrices have the same number of bytes.
        let bytes = bytes / count.max(1);
        match file.part(data.saturating_add(info.offset).saturating_add((one * bytes) as u64), bytes) {
            Ok(bytes) => Ok((info, bytes)),
            Err(DecoderError::Format { problem, .. }) => Err(self.unreadable(name, problem)),
            Err(error) => Err(error),
        }
    }

    fn unreadable(&self, name: &str, reason: impl std::fmt::Display) -> DecoderError {
        self.file_of(name).0.problem(format!("weight `{name}` cannot be read: {reason}"))
    }
}

/// Whether shapes are equal except for leading dimensions of 1: a matrix of one row may be stored as a vector.
pub fn same_shape(one: &[usize], other: &[usize]) -> bool {
    let without = |shape: &[usize]| shape.iter().copied().skip_while(|&dimension| dimension == 1).collect::<Vec<_>>();
    without(one) == without(other)
}

fn nothing() -> DecoderError {
    DecoderError::Format { path: PathBuf::new(), problem: "no file was given".to_string() }
}

/// Opens a file and reads its header.
fn read_header(path: &Path) -> Result<(Arc<WeightFile>, Content), DecoderError> {
    let file = WeightFile::open(path)?;
    if file.bytes() == 0 {
        return Err(file.problem("the file is empty"));
    }
    let content = header::read(BufReader::with_capacity(READ, file.reader()), file.bytes());
    let content = content.map_err(|problem| file.problem(problem))?;
    Ok((file, content))
}

/// Checks that a file's metadata make it part `number` (from 0) of `count`.
fn check_part(file: &WeightFile, content: &Content, number: usize, count: usize) -> Result<(), DecoderError> {
    let said = |key: &str| {
        content.metadata.get(key).and_then(|value| match value {
            Value::I32(number) => u64::try_from(*number).ok(),
            value => value.to_u64().ok(),
        })
    };
    let parts = said(PARTS).unwrap_or(1).max(1);
    let part = said(PART).unwrap_or(0);
    if parts == count as u64 && part == number as u64 {
        return Ok(());
    }
    Err(file.problem(format!(
        "its metadata say part {} of {parts}, but its name says part {} of {count}; names of parts end in \
         -00001-of-{parts:05}.gguf and so on",
        part + 1,
        number + 1
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::weights::Weights;

    /// Blocks made and expanded by the `gguf` Python package, see `tests/fixtures/blocks/make_blocks.py`.
    #[test]
    fn blocks_are_expanded_as_the_format_s_own_package_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/blocks");
        let expected =
            candle_core::safetensors::load(folder.join("blocks.expected.safetensors"), &Device::Cpu).unwrap();
        assert_eq!(expected.len(), 12);
        let mut weights = Weights::open_gguf(&[folder.join("blocks.gguf")]).unwrap();
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
