//! The Hugging Face Hub, through `hf-hub`. Files land in the cache that all programs of that family share.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use hf_hub::api::Progress;
use hf_hub::api::sync::{Api, ApiBuilder, ApiError, ApiRepo};
use hf_hub::{Repo, RepoType};

use super::cache::{cached_snapshot, hub_cache_dir, hub_home, make_folder};
use super::{Fetch, FetchEvent, ModelError};

/// How long the Hub may take for its first answer before it counts as out of reach.
const FIRST_ANSWER: Duration = Duration::from_secs(8);

const PUBLIC_ENDPOINT: &str = "https://huggingface.co";

/// Small files that belong to a model, where a repository has them.
const SMALL_FILES: [&str; 8] = [
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "model.safetensors.index.json",
];

/// Fetch what a model needs of a repository. Files that are complete are not fetched again, one that is half there is
/// continued. Returns the snapshot's folder.
pub(super) fn snapshot(repo: &str, revision: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    let hub = Hub::open(repo, revision)?;
    let names = hub.files()?;
    let has = |name: &str| names.iter().any(|known| known == name);
    if !has("config.json") {
        let reason = if names.iter().any(|name| name.ends_with(".gguf")) {
            "it holds GGUF files; download the one you want and give its path".to_string()
        } else {
            "it holds no config.json".to_string()
        };
        return Err(ModelError::Hub { repo: repo.to_string(), reason });
    }
    let weights = names.iter().filter(|name| {
        let sharded = name.starts_with("model-") || *name == "model.safetensors";
        !name.contains('/') && name.ends_with(".safetensors") && sharded
    });
    let mut wanted: Vec<&str> = SMALL_FILES.into_iter().filter(|name| has(name)).collect();
    wanted.extend(weights.map(String::as_str));
    let mut folder = None;
    for name in wanted {
        let path = hub.get(name, fetch)?;
        folder = path.parent().map(Path::to_path_buf);
    }
    folder.ok_or_else(|| ModelError::Hub { repo: repo.to_string(), reason: "it is empty".to_string() })
}

/// Fetch one file of a repository.
pub(super) fn file(repo: &str, revision: &str, name: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
    let hub = Hub::open(repo, revision)?;
    hub.files()?;
    hub.get(name, fetch)
}

struct Hub {
    api: Api,
    endpoint: String,
    repo: String,
    revision: String,
}

impl Hub {
    /// With the user's endpoint, token and cache.
    fn open(repo: &str, revision: &str) -> Result<Self, ModelError> {
        let text = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let endpoint = text("HF_ENDPOINT").unwrap_or_else(|| PUBLIC_ENDPOINT.to_string());
        let endpoint = endpoint.trim_end_matches('/').to_string();
        let token = text("HF_TOKEN").or_else(|| {
            let file =
                text("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| hub_home().map(|home| home.join("token")))?;
            std::fs::read_to_string(file).ok().map(|token| token.trim().to_string()).filter(|token| !token.is_empty())
        });
        let cache = hub_cache_dir().ok_or(ModelError::NoCacheFolder)?;
        make_folder(&cache)?;
        let api = ApiBuilder::new()
            .with_endpoint(endpoint.clone())
            .with_cache_dir(cache)
            .with_token(token.map(|token| token.trim().to_string()))
            .with_user_agent("tomeval", env!("CARGO_PKG_VERSION"))
            .with_progress(false)
            .build()
            .map_err(|error| ModelError::Hub { repo: repo.to_string(), reason: error.to_string() })?;
        Ok(Hub { api, endpoint, repo: repo.to_string(), revision: revision.to_string() })
    }

    fn handle(&self) -> ApiRepo {
        self.api.repo(Repo::with_revision(self.repo.clone(), RepoType::Model, self.revision.clone()))
    }

    /// Names of the repository's files. The first question to the Hub, and the one that decides whether it is in reach:
    /// names that do not resolve and connections that hang can block for minutes, so it is asked on a thread that is
    /// left behind when no answer comes in time.
    fn files(&self) -> Result<Vec<String>, ModelError> {
        let (sender, receiver) = mpsc::channel();
        let handle = self.handle();
        std::thread::spawn(move || {
            // Nobody listens any more when the time is over.
            let _ = sender.send(handle.info());
        });
        let info = receiver
            .recv_timeout(FIRST_ANSWER)
            .map_err(|_| self.unreachable(format!("no answer within {} seconds", FIRST_ANSWER.as_secs())))?;
        let info = info.map_err(|error| self.explain(&error))?;
        Ok(info.siblings.into_iter().map(|file| file.rfilename).collect())
    }

    fn get(&self, name: &str, fetch: &Fetch) -> Result<PathBuf, ModelError> {
        let cached = cached_snapshot(&self.repo, &self.revision).map(|folder| folder.join(name));
        if let Some(path) = cached.filter(|path| path.is_file()) {
            return Ok(path);
        }
        self.handle()
            .download_with_progress(name, Events { fetch: *fetch, open: false })
            .map_err(|error| self.explain(&error))
    }

    fn unreachable(&self, reason: String) -> ModelError {
        ModelError::Unreachable { endpoint: self.endpoint.clone(), reason }
    }

    fn explain(&self, error: &ApiError) -> ModelError {
        let text = error.to_string();
        let hub = |reason: String| ModelError::Hub { repo: self.repo.clone(), reason };
        let page = format!("{}/{}", self.endpoint, self.repo);
        match error {
            ApiError::IoError(source) => ModelError::Cache {
                path: hub_cache_dir().unwrap_or_default(),
                source: std::io::Error::new(source.kind(), text),
            },
            ApiError::LockAcquisition(path) => {
                hub(format!("another program is fetching it (lock {}); wait, or delete the lock", path.display()))
            }
            _ if text.contains("status: 401") || text.contains("status: 403") => hub(format!(
                "access refused; accept its licence at {page}, then set HF_TOKEN to a token of your account"
            )),
            _ if text.contains("status: 404") => {
                hub(format!("no such repository, revision or file (revision {})", self.revision))
            }
            ApiError::RequestError(_) if !text.contains("status: ") => self.unreachable(text),
            _ => hub(text),
        }
    }
}

struct Events<'a> {
    fetch: Fetch<'a>,
    open: bool,
}

impl Progress for Events<'_> {
    fn init(&mut self, size: usize, filename: &str) {
        // The library begins twice: before and after it looks for a part of the file.
        if !self.open {
            (self.fetch.on_event)(FetchEvent::Begin { file: filename, bytes: Some(size as u64) });
            self.open = true;
        }
    }

    fn update(&mut self, size: usize) {
        (self.fetch.on_event)(FetchEvent::Advance { bytes: size as u64 });
    }

    fn finish(&mut self) {
        (self.fetch.on_event)(FetchEvent::End);
    }
}
