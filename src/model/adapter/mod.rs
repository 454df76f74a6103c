//! PEFT adapters (LoRA, arXiv:2106.09685), merged into a model's weights as they are read.
//!
//! A module `W` of the base becomes `W + scale * B A`. An adapter names modules as transformers does; both tables of
//! names (`Naming`) tell how a weight file names and lays out the same rows.
//!
//! The tables of names (`model/spec/family.rs`) locate an adapter's rows in the file, fused or separate, in pair order
//! or not. The changes are attached to the opened weights (`decoder/weights/adapted.rs`) and applied as each tensor is
//! read, in f32, independent of the arithmetic. Several adapters of one command share the opened files; their weights
//! are loaded one after the other (`arguments/adapters.rs`), since nearly every matrix differs. The table by language
//! of training and test (`report/transfer.rs`) is a pivot of cells in the runs' own tables.

mod base;
mod config;
mod named;
mod summary;
mod survey;
mod tensor;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::ModelError;
use super::bounded_read::{SETTINGS, read_small};
use super::hash::sha256_file;
use crate::decoder::{Adapted, DecoderSpec, Weights};
use crate::language::Language;
use config::Config;
use survey::{Fault, Survey};

pub use named::{AdapterChoice, NamedAdapter};
pub use summary::AdapterSummary;

/// A PEFT adapter in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterFolder {
    /// The folder's name.
    pub name: String,
    pub path: PathBuf,
    /// Name of the model without it.
    pub base: String,
    /// The languages it was trained in, if the user gave them.
    pub trained_in: Vec<Language>,
    config: Config,
}

impl AdapterFolder {
    /// The files of an adapter: settings and tensors.
    pub const FILES: [&str; 2] = ["adapter_config.json", "adapter_model.safetensors"];

    /// Read the settings of an adapter.
    ///
    /// # Errors
    /// Files that are absent or unreadable, and unsupported settings.
    pub fn open(named: &NamedAdapter, base: &str) -> Result<Self, ModelError> {
        let NamedAdapter { trained_in, folder: path } = named;
        check_files(path)?;
        let file = path.join(Self::FILES[0]);
        let text = read_small(&file, SETTINGS).map_err(|source| ModelError::Read { path: file.clone(), source })?;
        let config = Config::read(&text).map_err(|problem| ModelError::Malformed { path: file, problem })?;
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(AdapterFolder { name, base: base.to_string(), trained_in: trained_in.clone(), config, path })
    }

    /// Rank of its products, except for modules with a rank of their own.
    pub fn rank(&self) -> usize {
        self.config.rank
    }

    /// Numerator of the products' scale; their rank is the denominator.
    pub fn alpha(&self) -> f64 {
        self.config.alpha
    }

    /// Its files: settings and tensors.
    pub fn files(&self) -> [PathBuf; 2] {
        Self::FILES.map(|name| self.path.join(name))
    }

    /// SHA-256 of an adapter's files, by file name.
    ///
    /// # Errors
    /// Files that are absent or unreadable.
    pub fn hashes(folder: &Path) -> Result<IndexMap<String, String>, ModelError> {
        check_files(folder)?;
        Self::FILES.into_iter().map(|name| Ok((name.to_string(), sha256_file(&folder.join(name))?))).collect()
    }

    /// Make the weights of a model be read with the changes of this adapter.
    pub(super) fn adapt(&self, spec: &DecoderSpec, weights: Weights) -> Result<Weights, ModelError> {
        let [config, file] = self.files();
        let mut adapted = Adapted::open(&file)?;
        let Survey { changes, faults, .. } = Survey::new(&self.config, spec, adapted.entries());
        match faults.into_iter().next() {
            Some(Fault::Tensor { tensor, problem }) => return Err(ModelError::Adapter { file, tensor, problem }),
            Some(Fault::Setting(problem)) => return Err(ModelError::Malformed { path: config, problem }),
            None => {}
        }
        changes.into_iter().for_each(|(tensor, change)| adapted.change(&tensor, change));
        Ok(weights.adapted(adapted))
    }

    /// The effects on a model, before any values are read.
    ///
    /// # Errors
    /// Tensors that cannot be read.
    pub fn summary(&self, spec: &DecoderSpec) -> Result<AdapterSummary, ModelError> {
        let adapted = Adapted::open(&self.files()[1])?;
        let survey = Survey::new(&self.config, spec, adapted.entries());
        Ok(AdapterSummary::new(&self.config, &survey, adapted.entries()))
    }
}

/// Refuse a folder that lacks a file of an adapter.
fn check_files(folder: &Path) -> Result<(), ModelError> {
    match AdapterFolder::FILES.iter().find(|name| !folder.join(name).is_file()) {
        Some(missing) => Err(ModelError::NoAdapter { folder: folder.to_path_buf(), missing }),
        None => Ok(()),
    }
}
