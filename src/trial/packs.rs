//! The prompt packs of a run: built in, or from a folder.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::benchmark::Benchmark;
use crate::prompt::{Pack, PackError, Placeholders};

use serde::{Deserialize, Serialize};

use super::paths::recorded_path;

/// A pack that cannot be read from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackFileError {
    /// The file cannot be read.
    #[error("{path}: the prompt pack cannot be read: {source}; --prompts takes a folder that contains this file")]
    Unreadable {
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// A file to be written exists with different content.
    #[error("{path} exists and differs from the built-in pack; nothing was written: name another folder")]
    Differs { path: PathBuf },
    /// A file cannot be written.
    #[error("{path}: cannot be written: {source}")]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// Its contents are invalid.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// Returns the pack of each benchmark: from a folder if given, else the built-in one.
pub fn packs(benchmarks: &[Benchmark], folder: Option<&Path>) -> Result<IndexMap<Benchmark, Pack>, PackFileError> {
    let pack = |&benchmark: &Benchmark| {
        let pack = match folder {
            Some(folder) => pack_in(folder, benchmark)?,
            None => Pack::built_in(benchmark),
        };
        Ok((benchmark, pack))
    };
    benchmarks.iter().map(pack).collect()
}

/// Reads the pack of a benchmark from a folder of packs.
pub fn pack_in(folder: &Path, benchmark: Benchmark) -> Result<Pack, PackFileError> {
    Ok(read_pack(&pack_path(folder, benchmark), Placeholders::OfItems)?.serving(benchmark))
}

/// Returns the benchmarks with packs in a folder, which need not have all.
pub fn benchmarks_with_packs(folder: &Path) -> Vec<Benchmark> {
    Benchmark::ALL.iter().copied().filter(|&benchmark| pack_path(folder, benchmark).is_file()).collect()
}

fn pack_path(folder: &Path, benchmark: Benchmark) -> PathBuf {
    folder.join(benchmark.card().prompts.pack).with_extension("toml")
}

/// Reads a pack from a file.
pub fn read_pack(path: &Path, allowed: Placeholders) -> Result<Pack, PackFileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| PackFileError::Unreadable { path: path.to_path_buf(), source })?;
    Ok(Pack::parse(&path.display().to_string(), &text, allowed)?)
}

/// Writes the built-in packs into a folder, created if missing, and returns their paths. Never overwrites a file that
/// differs from its pack: it may be someone's work.
pub fn export_packs(folder: &Path) -> Result<Vec<PathBuf>, PackFileError> {
    let files: Vec<(PathBuf, &str)> = Pack::built_in_files().map(|(name, text)| (folder.join(name), text)).collect();
    for (path, text) in &files {
        match std::fs::read(path) {
            Ok(found) if found != text.as_bytes() => return Err(PackFileError::Differs { path: path.clone() }),
            _ => {}
        }
    }
    let unwritable = |path: &Path| {
        let path = path.to_path_buf();
        move |source| PackFileError::Unwritable { path, source }
    };
    std::fs::create_dir_all(folder).map_err(unwritable(folder))?;
    for (path, text) in &files {
        std::fs::write(path, text).map_err(unwritable(path))?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// A prompt pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PromptPack {
    /// File name.
    pub file: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl PromptPack {
    /// Returns a pack as named in a manifest.
    pub fn from_pack(pack: &Pack) -> Self {
        let file = recorded_path(Path::new(pack.file())).display().to_string();
        PromptPack { file, sha256: pack.sha256().to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_file_is_named() {
        let error = pack_in(Path::new("nowhere"), Benchmark::ToMi).unwrap_err().to_string();
        assert!(error.contains("xtom.toml") && error.contains("--prompts"), "{error}");
    }
}
