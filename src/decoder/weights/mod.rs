//! Where the numbers come from: safetensors and GGUF files, read one tensor at a time.

use std::path::{Path, PathBuf};

use candle_core::quantized::{GgmlDType, QTensor};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::DecoderError;

mod gguf;
mod mapped;
mod matrix;
mod safetensors;

pub(crate) use gguf::Gguf;
pub(crate) use matrix::{Matrix, Stack, place_in_pairs, rows_and_columns};
use safetensors::Shards;

/// The files of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WeightFiles {
    /// A configuration and safetensors weights.
    Safetensors {
        /// The `config.json`.
        config: PathBuf,
        /// One `.safetensors` file, or the `.safetensors.index.json` of several.
        weights: PathBuf,
    },
    /// One GGUF file with settings and weights.
    Gguf(PathBuf),
}

impl WeightFiles {
    /// The weights at `path`: a `.gguf` file, or a folder with `config.json` and `model.safetensors`, its index, or
    /// exactly one other `.safetensors` file.
    pub fn find(path: &Path) -> Result<WeightFiles, DecoderError> {
        let none = |problem: &str| DecoderError::NoModel { path: path.to_path_buf(), problem: problem.to_string() };
        if path.is_file() {
            return match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf")) {
                true => Ok(WeightFiles::Gguf(path.to_path_buf())),
                false => Err(none("expected a .gguf file or a folder with config.json and safetensors weights")),
            };
        }
        let config = path.join("config.json");
        if !config.is_file() {
            return Err(none("expected a folder that holds config.json, or a .gguf file"));
        }
        for name in ["model.safetensors.index.json", "model.safetensors"] {
            let weights = path.join(name);
            if weights.is_file() {
                return Ok(WeightFiles::Safetensors { config, weights });
            }
        }
        let entries =
            std::fs::read_dir(path).map_err(|source| DecoderError::Read { path: path.to_path_buf(), source })?;
        let mut others: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
            .collect();
        match (others.pop(), others.pop()) {
            (Some(weights), None) => Ok(WeightFiles::Safetensors { config, weights }),
            (Some(_), Some(_)) => Err(none("several .safetensors files but no model.safetensors.index.json")),
            _ => Err(none("expected model.safetensors or model.safetensors.index.json beside config.json")),
        }
    }
}

/// Opened weight files.
#[derive(Debug)]
pub(crate) enum Source {
    Safetensors(Shards),
    Gguf(Gguf),
    /// Values drawn instead of read, for measurements.
    Random(ChaCha8Rng),
}

impl Source {
    /// Open the files and read their tables of contents; no weight is read yet.
    pub fn open(files: &WeightFiles) -> Result<Source, DecoderError> {
        match files {
            WeightFiles::Safetensors { weights, .. } => Ok(Source::Safetensors(Shards::open(weights)?)),
            WeightFiles::Gguf(path) => Ok(Source::Gguf(Gguf::open(path)?)),
        }
    }

    /// A tensor of exactly `shape`, to be expanded.
    pub fn matrix(&mut self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        match self {
            Source::Safetensors(shards) => shards.matrix(name, shape),
            Source::Random(generator) => {
                // Variance 1 / inputs, so that products neither grow nor vanish.
                let spread = (3.0 / shape.last().copied().unwrap_or(1) as f32).sqrt();
                let count: usize = shape.iter().product();
                let values = (0..count).map(|_| generator.random_range(-spread..spread)).collect();
                Ok(Matrix::plain(values, shape))
            }
            Source::Gguf(gguf) => gguf.matrix(name, shape),
        }
    }

    /// The block format of a tensor in a GGUF file.
    pub fn block_type(&self, name: &str) -> Option<GgmlDType> {
        match self {
            Source::Safetensors(_) | Source::Random(_) => None,
            Source::Gguf(gguf) => gguf.content().tensor_infos.get(name).map(|info| info.ggml_dtype),
        }
    }

    /// A matrix in the blocks of its file, if the file has blocks.
    pub fn blocks(&mut self, name: &str, shape: &[usize]) -> Result<Option<QTensor>, DecoderError> {
        match self {
            Source::Safetensors(_) | Source::Random(_) => Ok(None),
            Source::Gguf(gguf) => gguf.tensor(name, shape).map(Some),
        }
    }
}
