//! The Hugging Face Hub: fetches a repository's files into the cache shared by all Hugging Face programs. Its responses
//! are not trusted: names, sizes, redirects and time are bounded.

mod client;
mod download;
mod store;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::path::PathBuf;

use serde::Deserialize;

use super::cache::{hub_cache_dir, hub_home, make_folder};
use super::card::PinnedFile;
use super::error::ModelError;
use super::fetch::Fetch;
use client::Client;
use download::Download;
use store::{Commit, FileName, Store};

const PUBLIC_ENDPOINT: &str = "https://huggingface.co";

/// Larger than any repository's file list.
const MOST_LISTING_BYTES: u64 = 16 << 20;

/// Small files of a model, where a repository has them.
const SMALL_FILES: [&str; 10] = [
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tekken.json",
    "qwen.tiktoken",
    "tokenizer.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "model.safetensors.index.json",
];

/// Fetch the files a model needs from a repository. Complete files are not fetched again, a partial one is resumed.
/// Returns the snapshot's folder.
pub(super) fn snapshot(repo: &str, revision: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    Hub::open(&Access::of_user()?, repo, revision, fetch)?.snapshot()
}

/// Fetch one file of a repository, accepting only the pinned content.
pub(super) fn file(repo: &str, revision: &str, file: &PinnedFile, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    Hub::open(&Access::of_user()?, repo, revision, fetch)?.file(file)
}

/// Hub endpoint, token and cache.
struct Access {
    endpoint: String,
    token: Option<String>,
    cache: PathBuf,
}

impl Access {
    /// The user's endpoint, token and cache.
    fn of_user() -> Result<Self, ModelError> {
        let text = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let endpoint = text("HF_ENDPOINT").unwrap_or_else(|| PUBLIC_ENDPOINT.to_string());
        let token = text("HF_TOKEN").or_else(|| {
            let file =
                text("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| hub_home().map(|home| home.join("token")))?;
            std::fs::read_to_string(file).ok().filter(|token| !token.trim().is_empty())
        });
        Ok(Access {
            endpoint: endpoint.trim().trim_end_matches('/').to_string(),
            token: token.map(|token| token.trim().to_string()),
            cache: hub_cache_dir().ok_or(ModelError::NoCacheFolder)?,
        })
    }
}

/// A repository at a revision.
struct Hub<'a> {
    client: Client,
    store: Store,
    revision: &'a str,
    fetch: &'a Fetch<'a>,
}

/// The Hub's description of a revision.
#[derive(Deserialize)]
struct Listing {
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
}

impl<'a> Hub<'a> {
    fn open(access: &Access, repo: &str, revision: &'a str, fetch: &'a Fetch<'a>) -> Result<Self, ModelError> {
        make_folder(&access.cache)?;
        let client = Client::new(access, repo, fetch.patience)?;
        Ok(Hub { client, store: Store::new(&access.cache, repo), revision, fetch })
    }

    fn snapshot(&self) -> Result<PathBuf, ModelError> {
        let (commit, names) = self.listing()?;
        let has = |name: &str| names.iter().any(|known| known == name);
        if !has("config.json") {
            let reason = if names.iter().any(|name| name.ends_with(".gguf")) {
                "it holds GGUF files; download the one you want and give its path"
            } else {
                "it holds no config.json"
            };
            return Err(self.client.refused(reason.to_string()));
        }
        let weights = names.iter().map(String::as_str).filter(|name| {
            let sharded = name.starts_with("model-") || *name == "model.safetensors";
            !name.contains('/') && name.ends_with(".safetensors") && sharded
        });
        let passed_over = |name: &str| ["tekken.json", "qwen.tiktoken"].contains(&name) && has("tokenizer.json");
        let small = SMALL_FILES.into_iter().filter(|name| has(name) && !passed_over(name));
        let wanted = small.chain(weights).map(|name| {
            let unusable =
                || self.client.refused(format!("it holds {name:?}, which cannot be the name of a file here"));
            FileName::new(name).ok_or_else(unusable)
        });
        let wanted = wanted.collect::<Result<Vec<FileName>, ModelError>>()?;
        self.store.note_revision(self.revision, &commit)?;
        for name in &wanted {
            self.download(&commit).file(name, None)?;
        }
        Ok(self.store.snapshot(&commit))
    }

    fn file(&self, file: &PinnedFile) -> Result<PathBuf, ModelError> {
        let (commit, _) = self.listing()?;
        let unusable = || self.client.refused(format!("{:?} cannot be the name of a file here", file.name));
        let name = FileName::new(&file.name).ok_or_else(unusable)?;
        let path = self.download(&commit).file(&name, Some(file))?;
        self.store.note_revision(self.revision, &commit)?;
        Ok(path)
    }

    fn download<'b>(&'b self, commit: &'b Commit) -> Download<'b> {
        Download { client: &self.client, store: &self.store, revision: self.revision, commit, fetch: self.fetch }
    }

    /// The revision's commit and the names of its files.
    fn listing(&self) -> Result<(Commit, Vec<String>), ModelError> {
        const WHAT: &str = "its list of files";
        let revision = self.revision.replace('/', "%2F");
        let address = self.client.address_of(&format!("api/models/{}/revision/{revision}", self.client.repo));
        let answer = self.client.get(WHAT, &address, None)?;
        self.client.check(WHAT, self.revision, &answer)?;
        let mut text = Vec::new();
        let mut body = self.client.body(answer.response).take(MOST_LISTING_BYTES);
        body.read_to_end(&mut text).map_err(|error| self.client.refused(format!("{WHAT}: {error}")))?;
        let listing: Listing = serde_json::from_slice(&text)
            .map_err(|error| self.client.refused(format!("{WHAT} is not valid ({error}); check HF_ENDPOINT")))?;
        let commit = Commit::new(&listing.sha).ok_or_else(|| {
            self.client.refused(format!("its commit of {} is invalid: {:?}", self.revision, listing.sha))
        })?;
        Ok((commit, listing.siblings.into_iter().map(|file| file.rfilename).collect()))
    }
}
