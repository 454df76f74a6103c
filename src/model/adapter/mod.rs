//! Adapters of PEFT (LoRA, arXiv:2106.09685): merged into the weights of a model as these are read.
//!
//! A module `W` of the base becomes `W + scale * B A`. An adapter names the modules of transformers; how a file of weights
//! names and lays out the same rows is told by the names of both (`Naming`).
//!
//! An adapter names modules as transformers does; by the tables of names (`model/spec/family.rs`) its rows are found in the
//! file, fused or apart, in pair order or not. The changes hang on the opened weights (`decoder/weights/adapted.rs`) and
//! are made as each tensor is read, in f32, so that no arithmetic knows of them. Several adapters of one command share the
//! opened files; their weights are loaded one after the other (`arguments/adapters.rs`), since nearly every matrix differs. The
//! table by language of training and test (`report/transfer.rs`) is a pivot of cells that the runs' own tables have.

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

/// An adapter of PEFT in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterFolder {
    /// The folder's name.
    pub name: String,
    pub path: PathBuf,
    /// What the model is called without it.
    pub base: String,
    /// The languages that it was trained in, where the user says so.
    pub trained_in: Vec<Language>,
    config: Config,
}

impl AdapterFolder {
    /// The files of an adapter: its settings and its tensors.
    pub const FILES: [&str; 2] = ["adapter_config.json", "adapter_model.safetensors"];

    /// Read the settings of an adapter.
    ///
    /// # Errors
    /// Files that are absent or unreadable, and settings that are not computed.
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

    /// Rank of its products, but for modules that the configuration gives another.
    pub fn rank(&self) -> usize {
        self.config.rank
    }

    /// What its products are scaled by, over their rank.
    pub fn alpha(&self) -> f64 {
        self.config.alpha
    }

    /// Its files: settings and tensors.
    pub fn files(&self) -> [PathBuf; 2] {
        Self::FILES.map(|name| self.path.join(name))
    }

    /// SHA-256 of the files of an adapter by their names.
    ///
    /// # Errors
    /// Files that are absent or unreadable.
    pub fn hashes(folder: &Path) -> Result<IndexMap<String, String>, ModelError> {
        check_files(folder)?;
        Self::FILES.into_iter().map(|name| Ok((name.to_string(), sha256_file(&folder.join(name))?))).collect()
    }

    /// Have the weights of a model read with the changes of this adapter.
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

    /// What it would do to a model, before any of its values is read.
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
