//! Cache folders for downloaded models and computed hashes.

use std::path::{Component, Path, PathBuf};

use super::ModelError;

/// Environment variable that moves this program's cache to another folder.
const CACHE_VARIABLE: &str = "TOMEVAL_CACHE";

/// This program's cache folder: `TOMEVAL_CACHE`, else `tomeval` in the user's cache folder. It need not exist yet.
///
/// # Errors
/// The system has no cache folder.
pub fn cache_dir() -> Result<PathBuf, ModelError> {
    match set_variable(CACHE_VARIABLE) {
        Some(folder) => Ok(folder),
        None => dirs::cache_dir().map(|folder| folder.join("tomeval")).ok_or(ModelError::NoCacheFolder),
    }
}

/// The cache folder of the Hugging Face Hub: `HF_HUB_CACHE`, else `hub` in `HF_HOME`, else the usual place.
pub fn hub_cache_dir() -> Option<PathBuf> {
    set_variable("HF_HUB_CACHE").or_else(|| hub_home().map(|home| home.join("hub")))
}

/// `HF_HOME`, else `huggingface` in the user's cache folder, which Hugging Face programs place in `.cache` of the home
/// folder on every system.
pub(super) fn hub_home() -> Option<PathBuf> {
    set_variable("HF_HOME")
        .or_else(|| set_variable("XDG_CACHE_HOME").map(|folder| folder.join("huggingface")))
        .or_else(|| dirs::home_dir().map(|home| home.join(".cache").join("huggingface")))
}

/// The folder of a repository at a revision (branch, tag or commit) in the Hub's cache; `None` if it is not cached.
pub(super) fn cached_snapshot(repo: &str, revision: &str) -> Option<PathBuf> {
    let folder = hub_cache_dir()?.join(format!("models--{}", repo.replace('/', "--")));
    let commit = std::fs::read_to_string(folder.join("refs").join(revision));
    let commit = commit.map_or_else(|_| revision.to_string(), |commit| commit.trim().to_string());
    // A single name, whatever the file contains: never a path out of the folder.
    let mut parts = Path::new(&commit).components();
    let (Some(Component::Normal(commit)), None) = (parts.next(), parts.next()) else { return None };
    let snapshot = folder.join("snapshots").join(commit);
    snapshot.is_dir().then_some(snapshot)
}

/// Create a folder with its parents.
pub(super) fn make_folder(folder: &Path) -> Result<(), ModelError> {
    std::fs::create_dir_all(folder).map_err(|source| ModelError::Cache { path: folder.to_path_buf(), source })
}

pub(super) fn set_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
