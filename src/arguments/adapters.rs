//! Models of one command that share a base: the base itself, with an adapter, or with one of several.

use std::path::Path;

use anyhow::Context;
use indexmap::IndexMap;

use super::setup::{LoadedModel, Weighed};
use crate::decoder::{Decoder, Weights};
use crate::model::{AdapterChoice, ModelFiles};
use crate::report::file_name;
use crate::run::ModelIdentity;

/// One of the models.
pub struct Member {
    /// Model with its adapter.
    pub identity: ModelIdentity,
    /// Memory needs of its weights.
    pub weighed: Weighed,
    /// Folder name beside the other models; `None` for a single model.
    pub folder: Option<String>,
    /// Its opened weights, if other models share their files.
    shared: Option<Weights>,
}

/// Folder of the base beside those of its adapters.
const BASE: &str = "base";

impl Member {
    /// Returns the models that a command names; `model` has no adapter if there are several. All adapters are checked
    /// against the base, whose files are opened and hashed once.
    pub fn all(model: &LoadedModel, choices: &[AdapterChoice]) -> anyhow::Result<Vec<Member>> {
        if choices.len() < 2 {
            let weighed = Weighed { weight_bytes: model.weight_bytes, bytes_in_files: model.bytes_in_files };
            return Ok(vec![Member { identity: model.identity()?, weighed, folder: None, shared: None }]);
        }
        let mut files: Vec<ModelFiles> = Vec::new();
        for choice in choices {
            let of_choice = match choice {
                AdapterChoice::None => model.files.clone(),
                AdapterChoice::Named(adapter) => model.files.clone().with_adapter(adapter).context("--adapter")?,
            };
            if let Some(twice) = files.iter().find(|known| place(known) == place(&of_choice)) {
                anyhow::bail!("--adapter {} is given twice; name each adapter once", shown(twice));
            }
            files.push(of_choice);
        }
        let folders = folders(&files)?;
        let (spec, weights) = model.files.open()?;
        let mut checked = Vec::new();
        for files in &files {
            let weights = files.adapted(&spec, weights.clone()).context("--adapter")?;
            checked.push((Weighed::new(&spec, weights.clone(), &model.computing)?, weights));
        }
        let base = model.files.hashes()?;
        let mut members = Vec::new();
        for ((files, folder), (weighed, weights)) in files.iter().zip(folders).zip(checked) {
            let identity = model.identity_of(files, files.hashes_beside(base.clone())?);
            members.push(Member { identity, weighed, folder: Some(folder), shared: Some(weights) });
        }
        Ok(members)
    }

    /// Loads the weights.
    pub fn decoder(&self, model: &LoadedModel) -> anyhow::Result<Decoder> {
        match &self.shared {
            None => model.decoder(),
            Some(weights) => model.decoder_of(self.weighed, || Ok(weights.clone())),
        }
    }
}

/// Returns the adapter's path; `None` for the base.
fn place(files: &ModelFiles) -> Option<&Path> {
    files.adapter.as_ref().map(|adapter| adapter.path.as_path())
}

fn shown(files: &ModelFiles) -> String {
    place(files).map_or("none".to_string(), |path| path.display().to_string())
}

/// Returns a folder name for each model: that of its adapter, preceded by its languages if several share the name.
fn folders(all: &[ModelFiles]) -> anyhow::Result<Vec<String>> {
    let plain =
        |files: &ModelFiles| files.adapter.as_ref().map_or(BASE.to_string(), |adapter| file_name(&adapter.name));
    let mut by_name: IndexMap<String, usize> = IndexMap::new();
    all.iter().for_each(|files| *by_name.entry(plain(files)).or_default() += 1);
    let name = |files: &ModelFiles| {
        let languages = files.adapter.iter().flat_map(|adapter| &adapter.trained_in).map(|language| language.code());
        let languages: Vec<&str> = languages.collect();
        let name = plain(files);
        match by_name[&name] > 1 && !languages.is_empty() {
            true => format!("{}-{name}", languages.join("+")),
            false => name,
        }
    };
    let mut names: Vec<String> = Vec::new();
    for files in all {
        let name = name(files);
        if let Some(at) = names.iter().position(|known| *known == name) {
            anyhow::bail!(
                "--adapter {} and {} share the name {name}, which names the run's folder: rename one, or \
                 give the language each was trained in, as en=DIR",
                shown(&all[at]),
                shown(files)
            );
        }
        names.push(name);
    }
    Ok(names)
}
