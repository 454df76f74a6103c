//! Weights: safetensors and GGUF files, read one tensor at a time.

use std::path::PathBuf;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QTensor};

use super::DecoderError;
use super::precision::ExpertPlacement;

mod adapted;
mod entry;
mod file;
mod gguf;
mod header;
mod matrix;
mod random_weights;
mod safetensors;

use crate::decoder::weights::random_weights::Drawn;
pub use adapted::{Adapted, Change, Effect};
pub use entry::TensorEntry;
use file::FileRange;
pub use gguf::{Gguf, same_shape};
pub use matrix::{FP8_SQUARE, Matrix, Stack, place_in_pairs, rows_and_columns};
use safetensors::Shards;

/// Opened weight files: a table of all tensors, whose values are read one tensor at a time, and the changes of an
/// adapter. Clones share the opened files.
#[derive(Debug, Clone)]
pub struct Weights {
    backing: Backing,
    experts: ExpertPlacement,
    /// Whether blocks are expanded after rounding.
    exact_products: bool,
    adapter: Option<Arc<Adapted>>,
}

#[derive(Debug, Clone)]
enum Backing {
    Safetensors(Arc<Shards>),
    Gguf(Arc<Gguf>),
    /// Values drawn at random instead of read, for benchmarks.
    Random {
        seed: u64,
        drawn: usize,
    },
}

impl Weights {
    /// Opens the safetensors files of one model and reads their headers; no weight is read yet.
    pub fn open_safetensors(files: &[PathBuf]) -> Result<Weights, DecoderError> {
        Ok(Weights::new(Backing::Safetensors(Arc::new(Shards::open(files)?))))
    }

    /// Opens a GGUF file, or the parts of one in order, and reads the metadata; no weight is read yet.
    pub fn open_gguf(parts: &[PathBuf]) -> Result<Weights, DecoderError> {
        Ok(Weights::new(Backing::Gguf(Arc::new(Gguf::open(parts)?))))
    }

    /// Sets the placement of routed experts during computation.
    pub fn with_experts(self, experts: ExpertPlacement) -> Weights {
        Weights { experts, ..self }
    }

    /// Placement of routed experts during computation.
    pub(super) fn experts(&self) -> ExpertPlacement {
        self.experts
    }

    /// Rounds weights as their precision says, but keeps and multiplies them in f32, so that activations are not
    /// rounded: for measuring the effect of that rounding. They take the memory of f32.
    pub fn with_exact_products(self) -> Weights {
        Weights { exact_products: true, ..self }
    }

    /// Whether rounded weights are kept and multiplied in f32.
    pub(super) fn exact_products(&self) -> bool {
        self.exact_products
    }

    fn new(backing: Backing) -> Weights {
        Weights { backing, experts: ExpertPlacement::Loaded, exact_products: false, adapter: None }
    }

    /// Random weights: identical for the same seed and shape, however they are loaded.
    pub fn random(seed: u64) -> Weights {
        Weights::new(Backing::Random { seed, drawn: 0 })
    }

    /// The same weights with an adapter's changes.
    pub fn adapted(self, adapter: Adapted) -> Weights {
        Weights { adapter: Some(Arc::new(adapter)), ..self }
    }

    /// Whether an adapter changes a tensor.
    pub(super) fn is_adapted(&self, name: &str) -> bool {
        self.adapter.as_ref().is_some_and(|adapter| adapter.changes(name))
    }

    /// The GGUF file, if one was opened.
    pub fn as_gguf(&self) -> Option<&Gguf> {
        match &self.backing {
            Backing::Gguf(gguf) => Some(gguf),
            Backing::Safetensors(_) | Backing::Random { .. } => None,
        }
    }

    /// The format and number of elements of each stored tensor.
    pub fn stored(&self) -> Vec<(String, usize)> {
        match &self.backing {
            Backing::Safetensors(shards) => shards.stored(),
            Backing::Gguf(gguf) => {
                let tensors = gguf.content().tensor_infos.values();
                tensors.map(|info| (format!("{:?}", info.ggml_dtype), info.shape.elem_count())).collect()
            }
            Backing::Random { .. } => Vec::new(),
        }
    }

    /// All tensors by name; empty for random weights.
    pub fn entries(&self) -> Vec<TensorEntry<'_>> {
        match &self.backing {
            Backing::Safetensors(shards) => shards.entries().collect(),
            Backing::Gguf(gguf) => gguf.entries(),
            Backing::Random { .. } => Vec::new(),
        }
    }

    /// Name of the tensor with the scales of another tensor, if that has any (8-bit floats).
    pub fn factors_of(&self, name: &str) -> Option<String> {
        match &self.backing {
            Backing::Safetensors(shards) => shards.factors_of(name),
            Backing::Gguf(_) | Backing::Random { .. } => None,
        }
    }

    /// Whether two tensors appear to hold the same bytes, judged by samples spread over both.
    pub fn same_values(&self, one: &str, other: &str) -> Result<bool, DecoderError> {
        let (one, other) = match &self.backing {
            Backing::Safetensors(shards) => (shards.bytes(one)?, shards.bytes(other)?),
            Backing::Gguf(gguf) => (gguf.bytes(one)?, gguf.bytes(other)?),
            Backing::Random { .. } => return Ok(false),
        };
        const PIECE: usize = 4096;
        let step = (one.len() / 256).next_multiple_of(PIECE).max(PIECE);
        let piece = |bytes: &FileRange, from: usize| {
            let mut piece = vec![0; PIECE.min(bytes.len() - from)];
            bytes.read(from, &mut piece).map(|()| piece)
        };
        if one.len() != other.len() {
            return Ok(false);
        }
        for from in (0..one.len()).step_by(step) {
            if piece(&one, from)? != piece(&other, from)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A tensor of exactly `shape`, not yet expanded.
    pub(super) fn matrix(&mut self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        let matrix = self.matrix_of_file(name, shape)?;
        match &self.adapter {
            Some(adapter) => adapter.applied(name, matrix, shape),
            None => Ok(matrix),
        }
    }

    fn matrix_of_file(&mut self, name: &str, shape: &[usize]) -> Result<Matrix, DecoderError> {
        match &mut self.backing {
            Backing::Safetensors(shards) => shards.matrix(name, shape),
            Backing::Random { seed, drawn } => {
                *drawn += 1;
                Ok(Matrix::drawn(Drawn::new(*seed, *drawn, name, shape), shape))
            }
            Backing::Gguf(gguf) => gguf.matrix(name, shape),
        }
    }

    /// A matrix of exactly `shape`, not yet expanded: a tensor, or one of several in a tensor of a GGUF file.
    pub(super) fn one_of(
        &mut self,
        name: &str,
        shape: &[usize],
        among: Option<(usize, usize)>,
    ) -> Result<Matrix, DecoderError> {
        match (&self.backing, among) {
            (Backing::Gguf(gguf), Some(_)) => gguf.one_of(name, shape, among),
            _ => self.matrix(name, shape),
        }
    }

    /// The block format of a tensor in a GGUF file; `None` for tensors that an adapter changes.
    pub(super) fn block_type(&self, name: &str) -> Option<GgmlDType> {
        if self.is_adapted(name) {
            return None;
        }
        Some(self.as_gguf()?.content().tensor_infos.get(name)?.ggml_dtype)
    }

    /// A matrix in the blocks of its file, if the file has blocks: a tensor, or one of several in a tensor.
    pub(super) fn blocks(
        &self,
        name: &str,
        shape: &[usize],
        among: Option<(usize, usize)>,
    ) -> Result<Option<QTensor>, DecoderError> {
        self.as_gguf().map(|gguf| gguf.tensor(name, shape, among)).transpose()
    }
}
