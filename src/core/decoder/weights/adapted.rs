//! Tensors of a model with an adapter's changes, computed as each is read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use candle_core::{Device, Tensor};

use super::entry::TensorEntry;
use super::matrix::{Matrix, Stack, place_in_pairs, rows_and_columns};
use super::safetensors::Shards;
use crate::decoder::DecoderError;

/// An adapter's change to some rows of a tensor of the model.
#[derive(Debug, Clone)]
pub struct Change {
    /// The rows in the model's order. A vector has rows of one number.
    pub rows: Range<usize>,
    /// First of the adapter's own rows that is used.
    pub from: usize,
    /// Size of the heads whose rows are in pair order in the model's file.
    pub paired: Option<usize>,
    /// The effect on the rows.
    pub effect: Effect,
}

/// Effect on rows of a tensor.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Adds the product `left * right` of two of the adapter's tensors, times a scale.
    Add {
        /// `(rows, rank)`.
        left: String,
        /// `(rank, columns)`.
        right: String,
        /// Factor on the product.
        scale: f32,
        /// Whether both are stored transposed, as for embeddings.
        turned: bool,
    },
    /// Replaces the rows by a tensor of the adapter.
    Replace(String),
}

/// The opened tensors of an adapter and its changes to those of a model.
#[derive(Debug)]
pub struct Adapted {
    tensors: Shards,
    changes: BTreeMap<String, Vec<Change>>,
}

impl Adapted {
    /// Opens the tensors of an adapter, without any changes yet.
    pub fn open(file: &Path) -> Result<Self, DecoderError> {
        Ok(Adapted { tensors: Shards::open(&[PathBuf::from(file)])?, changes: BTreeMap::new() })
    }

    /// All tensors of the adapter by name.
    pub fn entries(&self) -> impl Iterator<Item = TensorEntry<'_>> {
        self.tensors.entries()
    }

    /// Adds a change to rows of a tensor of the model. Replacements are applied before additions.
    pub fn change(&mut self, tensor: &str, change: Change) {
        let changes = self.changes.entry(tensor.to_string()).or_default();
        match change.effect {
            Effect::Replace(_) => changes.insert(0, change),
            Effect::Add { .. } => changes.push(change),
        }
    }

    /// Whether a tensor of the model is changed.
    pub fn changes(&self, tensor: &str) -> bool {
        self.changes.contains_key(tensor)
    }

    /// A tensor of the model after all changes.
    pub fn applied(&self, tensor: &str, matrix: Matrix, shape: &[usize]) -> Result<Matrix, DecoderError> {
        let Some(changes) = self.changes.get(tensor) else { return Ok(matrix) };
        let mut values = Stack::new(matrix).by_rows()?;
        let columns = if shape.len() == 1 { 1 } else { rows_and_columns(shape).1 };
        for Change { rows, from, paired, effect } in changes {
            let (change, scale) = match effect {
                Effect::Replace(name) => (self.values(name)?.0, None),
                Effect::Add { left, right, scale, turned } => (self.product(left, right, *turned)?, Some(*scale)),
            };
            for (row, change) in change[from * columns..][..rows.len() * columns].chunks_exact(columns).enumerate() {
                let place = rows.start + paired.map_or(row, |head_dim| place_in_pairs(row, head_dim));
                let to = &mut values[place * columns..][..columns];
                match scale {
                    None => to.copy_from_slice(change),
                    Some(scale) => to.iter_mut().zip(change).for_each(|(to, change)| *to += scale * change),
                }
            }
        }
        Ok(Matrix::plain(values, shape))
    }

    /// A tensor of the adapter in f32, with its rows and columns.
    fn values(&self, name: &str) -> Result<(Vec<f32>, (usize, usize)), DecoderError> {
        let shape = self.entries().find(|entry| entry.name == name).map(|entry| entry.shape.to_vec());
        let shape = shape.unwrap_or_default();
        Ok((Stack::new(self.tensors.matrix(name, &shape)?).by_rows()?, rows_and_columns(&shape)))
    }

    fn product(&self, left: &str, right: &str, turned: bool) -> Result<Vec<f32>, DecoderError> {
        let tensor = |name: &str| -> Result<Tensor, DecoderError> {
            let (values, shape) = self.values(name)?;
            let tensor = Tensor::from_vec(values, shape, &Device::Cpu)?;
            Ok(if turned { tensor.t()?.contiguous()? } else { tensor })
        };
        Ok(tensor(left)?.matmul(&tensor(right)?)?.flatten_all()?.to_vec1()?)
    }
}
