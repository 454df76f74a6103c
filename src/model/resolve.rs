//! Resolves a model name to its files.

use std::path::{Path, PathBuf};

use super::cache::cached_snapshot;
use super::card::{self, Card};
use super::files::{ModelFiles, ModelSource};
use super::{Fetch, ModelError, pinned};

/// The files of a model named by a folder, a `.gguf` file, a card, or a hub id `organisation/name[@revision]`, in this
/// order. Files on this machine are used as they are; the rest is fetched unless [`Fetch::offline`] holds (the variable
/// `HF_HUB_OFFLINE` counts too).
///
/// # Errors
/// No such model, an incomplete one, or one that could not be fetched.
///
/// ```
/// use tomeval::{Fetch, resolve_model};
/// let files = resolve_model("tests/fixtures/llama", &Fetch::offline())?;
/// assert_eq!(files.name, "llama");
/// assert!(resolve_model("an-organisation/a-model-that-is-not-here", &Fetch::offline()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resolve(name: &str, fetch: &Fetch) -> Result<ModelFiles, ModelError> {
    let path = Path::new(name);
    if path.exists() {
        return ModelFiles::from_path(path);
    }
    if let Some(card) = card::card(name)? {
        return from_card(card, fetch);
    }
    match HubId::parse(name) {
        Some(id) => from_hub(&id, name, fetch, ModelSource::Hub { repo: id.repo.to_string() }),
        None if looks_like_a_path(name) => Err(ModelError::NoSuchPath { path: path.to_path_buf() }),
        None => {
            let suggestion = card::nearest(name)?.map(|card| card.name.clone());
            Err(ModelError::Unknown { name: name.to_string(), suggestion })
        }
    }
}

/// Path of a card's model on this machine; `None` if it would have to be fetched.
pub fn is_cached(card: &Card) -> Option<PathBuf> {
    match &card.file {
        Some(file) => pinned::cached(card, file),
        None => {
            let id = HubId { repo: &card.repo, revision: card.revision.as_deref().unwrap_or("main") };
            let snapshot = cached_snapshot(id.repo, id.revision)?;
            ModelFiles::from_path(&snapshot).is_ok().then_some(snapshot)
        }
    }
}

fn from_card(card: &Card, fetch: &Fetch) -> Result<ModelFiles, ModelError> {
    if let Some(reason) = card.obstacle() {
        return Err(ModelError::Unsupported { name: card.name.clone(), reason });
    }
    let source = ModelSource::Card { name: card.name.clone(), repo: card.repo.clone() };
    match &card.file {
        Some(file) => {
            let path = pinned::fetch(card, file, fetch)?;
            let files = ModelFiles::from_path(&path)?;
            Ok(ModelFiles { name: card.name.clone(), source, ..files })
        }
        None => {
            let id = HubId { repo: &card.repo, revision: card.revision.as_deref().unwrap_or("main") };
            from_hub(&id, &card.name, fetch, source)
        }
    }
}

fn from_hub(id: &HubId, name: &str, fetch: &Fetch, source: ModelSource) -> Result<ModelFiles, ModelError> {
    let in_cache = cached_snapshot(id.repo, id.revision).map(|folder| ModelFiles::from_path(&folder));
    let files = match in_cache {
        Some(Ok(files)) => files,
        // An interrupted download: complete it, or report what is missing.
        Some(Err(incomplete)) if fetch.is_offline() => return Err(incomplete),
        _ => ModelFiles::from_path(&snapshot(id, name, fetch)?)?,
    };
    let revision = cached_snapshot(id.repo, id.revision)
        .and_then(|folder| folder.file_name().map(|commit| commit.to_string_lossy().into_owned()));
    Ok(ModelFiles { name: name.to_string(), source, revision, ..files })
}

#[cfg(feature = "hub")]
fn snapshot(id: &HubId, name: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    if fetch.is_offline() {
        return Err(ModelError::Offline { name: name.to_string() });
    }
    super::hub::snapshot(id.repo, id.revision, fetch)
}

#[cfg(not(feature = "hub"))]
fn snapshot(_id: &HubId, name: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    match fetch.is_offline() {
        true => Err(ModelError::Offline { name: name.to_string() }),
        false => Err(ModelError::NoHub { name: name.to_string() }),
    }
}

/// `organisation/name[@revision]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HubId<'a> {
    repo: &'a str,
    revision: &'a str,
}

impl<'a> HubId<'a> {
    fn parse(name: &'a str) -> Option<Self> {
        let (repo, revision) = name.split_once('@').unwrap_or((name, "main"));
        let part = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_alphanumeric())
                && part.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
        };
        let (organisation, model) = repo.split_once('/')?;
        let revision_fits = !revision.is_empty() && !revision.contains("..") && !revision.starts_with('/');
        (part(organisation) && part(model) && revision_fits && !has_model_ending(model))
            .then_some(HubId { repo, revision })
    }
}

fn has_model_ending(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "gguf" || ending == "safetensors")
}

fn looks_like_a_path(name: &str) -> bool {
    name.contains(['/', '\\']) || has_model_ending(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hub_ids_are_told_from_paths() {
        let id = |repo, revision| Some(HubId { repo, revision });
        assert_eq!(HubId::parse("meta-llama/Llama-3.1-8B-Instruct"), id("meta-llama/Llama-3.1-8B-Instruct", "main"));
        assert_eq!(HubId::parse("a/b@refs/pr/1"), id("a/b", "refs/pr/1"));
        for path in ["./a/b", "/a/b", "a/b/c", "a", "../a", "a/b.gguf", "a/b@", "a/b@../../x"] {
            assert_eq!(HubId::parse(path), None, "{path}");
        }
    }

    #[test]
    fn unknown_names_say_what_could_be_meant() {
        let error = |name: &str| resolve(name, &Fetch::offline()).map(drop).expect_err("no such model").to_string();
        assert!(error("smollm2-135m-instrukt").contains("`smollm2-135m-instruct`"));
        assert!(error("./nowhere/model.gguf").contains("no such file or folder"));
        assert!(error("guanaco-65b").contains("cannot be run"));
    }
}
