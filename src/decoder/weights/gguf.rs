//! Weights in a GGUF file.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use candle_core::Device;
use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::Content;

use crate::decoder::DecoderError;

/// An opened GGUF file.
#[derive(Debug)]
pub(crate) struct Gguf {
    path: PathBuf,
    file: BufReader<File>,
    content: Content,
}

impl Gguf {
    /// Open a file and read its metadata and table of tensors.
    pub fn open(path: &Path) -> Result<Gguf, DecoderError> {
        let file = File::open(path).map_err(|source| DecoderError::Read { path: path.to_path_buf(), source })?;
        let mut file = BufReader::new(file);
        let content = Content::read(&mut file).map_err(|error| DecoderError::Format {
            path: path.to_path_buf(),
            problem: format!("not a complete GGUF file: {error}"),
        })?;
        Ok(Gguf { path: path.to_path_buf(), file, content })
    }

    /// Metadata and table of tensors.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// A tensor of exactly `shape` in the blocks of the file.
    pub fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<QTensor, DecoderError> {
        let info = self
            .content
            .tensor_infos
            .get(name)
            .ok_or_else(|| DecoderError::MissingWeight { file: self.path.clone(), tensor: name.to_string() })?;
        if info.shape.dims() != shape {
            return Err(DecoderError::Shape {
                file: self.path.clone(),
                tensor: name.to_string(),
                found: info.shape.dims().to_vec(),
                expected: shape.to_vec(),
            });
        }
        info.read(&mut self.file, self.content.tensor_data_offset, &Device::Cpu).map_err(|error| DecoderError::Format {
            path: self.path.clone(),
            problem: format!("weight `{name}` cannot be read: {error}"),
        })
    }

    /// A vector in f32, if the file has it.
    pub fn vector(&mut self, name: &str) -> Result<Option<Vec<f32>>, DecoderError> {
        match self.content.tensor_infos.get(name).map(|info| info.shape.dims().to_vec()) {
            None => Ok(None),
            Some(shape) => {
                let tensor = self.tensor(name, &shape)?.dequantize(&Device::Cpu)?;
                Ok(Some(tensor.flatten_all()?.to_vec1()?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::WeightFiles;
    use crate::decoder::weights::Source;

    /// Blocks made and expanded by the `gguf` Python package, see `tests/fixtures/blocks/make_blocks.py`.
    #[test]
    fn blocks_are_expanded_as_the_format_s_own_package_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/blocks");
        let expected =
            candle_core::safetensors::load(folder.join("blocks.expected.safetensors"), &Device::Cpu).unwrap();
        assert_eq!(expected.len(), 12);
        let mut source = Source::open(&WeightFiles::Gguf(folder.join("blocks.gguf"))).unwrap();
        for (name, expected) in expected {
            let mut values = Vec::new();
            source.append(&name, expected.dims(), &mut values).unwrap();
            let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
            for (value, expected) in values.iter().zip(&expected) {
                // The formulas are the same; the order of the multiplications may not be.
                assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{name}: {value} {expected}");
            }
            assert_eq!(values.len(), expected.len());
        }
    }
}
