//! A model on this machine: which files hold its weights, configuration, tokenizer and template.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use candle_core::quantized::gguf_file::Content;
use indexmap::IndexMap;
use serde::Serialize;

use super::{ChatTemplate, ModelError, Tokenizer, sha256_file};
use crate::decoder::{DecoderError, Gguf};

/// How the user named a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Source {
    /// A path.
    Path,
    /// A Hub repository.
    Hub {
        /// `organisation/name`.
        repo: String,
    },
    /// A card of this program.
    Card {
        /// The card's name.
        name: String,
        /// The Hub repository it stands for.
        repo: String,
    },
}

/// Where the weights are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weights {
    /// A folder with `config.json`, safetensors files in the order of their names, and tokenizer files.
    Safetensors {
        /// The folder.
        folder: PathBuf,
        /// `config.json`.
        config: PathBuf,
        /// The weight files.
        files: Vec<PathBuf>,
    },
    /// One GGUF file that holds everything.
    Gguf {
        /// The file.
        path: PathBuf,
    },
}

/// A model whose files are all on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    /// The name for reports: the card's, the hub id, or the last part of the path.
    pub name: String,
    /// How the user named it.
    pub source: Source,
    /// The commit of a Hub snapshot, where known.
    pub revision: Option<String>,
    /// The files.
    pub weights: Weights,
}

/// What turns text into tokens.
#[derive(Debug)]
pub struct TextParts {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// The chat template, where the model has one.
    pub template: Option<ChatTemplate>,
}

/// Files beside the weights that decide which tokens a model sees.
const TEXT_FILES: [&str; 6] = [
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "generation_config.json",
    "chat_template.jinja",
];

impl ModelFiles {
    /// The model in a folder or GGUF file, named after it.
    ///
    /// # Errors
    /// Nothing there, a folder without configuration or weights, a missing shard.
    pub fn from_path(path: &Path) -> Result<Self, ModelError> {
        let weights = if path.is_dir() {
            Weights::from_folder(path)?
        } else if path.is_file() {
            Weights::from_gguf(path)?
        } else {
            return Err(ModelError::NoSuchPath { path: path.to_path_buf() });
        };
        let full = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned();
        Ok(ModelFiles { name, source: Source::Path, revision: None, weights })
    }

    /// Read tokenizer and chat template.
    ///
    /// # Errors
    /// Files that are absent, unreadable, malformed or of an unsupported kind.
    pub fn text_parts(&self) -> Result<TextParts, ModelError> {
        match &self.weights {
            Weights::Safetensors { folder, .. } => {
                let tokenizer = Tokenizer::from_folder(folder)?;
                let template = ChatTemplate::from_folder(folder, &tokenizer)?;
                Ok(TextParts { tokenizer, template })
            }
            Weights::Gguf { path } => {
                let content = gguf_header(path)?;
                let tokenizer = Tokenizer::from_gguf(&content)?;
                let template = ChatTemplate::from_gguf(&content, &tokenizer)?;
                Ok(TextParts { tokenizer, template })
            }
        }
    }

    /// SHA-256 of every file that decides the model's numbers, by file name, for a run's manifest.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn hashes(&self) -> Result<IndexMap<String, String>, ModelError> {
        let mut hashes = IndexMap::new();
        for path in self.all_files() {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            hashes.insert(name, sha256_file(&path)?);
        }
        Ok(hashes)
    }

    /// The model's folder or GGUF file: what [`crate::decoder::WeightFiles::find`] takes.
    pub fn path(&self) -> &Path {
        match &self.weights {
            Weights::Safetensors { folder, .. } => folder,
            Weights::Gguf { path } => path,
        }
    }

    /// Weights, configuration, tokenizer and template files, as far as the model has them.
    pub fn all_files(&self) -> Vec<PathBuf> {
        match &self.weights {
            Weights::Safetensors { folder, config, files } => {
                let text = TEXT_FILES.iter().map(|name| folder.join(name)).filter(|path| path.is_file());
                [config.clone()].into_iter().chain(files.iter().cloned()).chain(text).collect()
            }
            Weights::Gguf { path } => vec![path.clone()],
        }
    }

    /// Bytes of the weight files on disk.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn weight_bytes(&self) -> Result<u64, ModelError> {
        let files = match &self.weights {
            Weights::Safetensors { files, .. } => files.as_slice(),
            Weights::Gguf { path } => std::slice::from_ref(path),
        };
        let size = |path: &PathBuf| {
            std::fs::metadata(path)
                .map(|metadata| metadata.len())
                .map_err(|source| ModelError::Read { path: path.clone(), source })
        };
        files.iter().map(size).sum()
    }
}

impl Weights {
    fn from_folder(folder: &Path) -> Result<Self, ModelError> {
        let missing =
            |missing: &str| ModelError::Incomplete { folder: folder.to_path_buf(), missing: missing.to_string() };
        let config = folder.join("config.json");
        if !config.is_file() {
            return match files_ending(folder, "gguf")?.as_slice() {
                [only] => Weights::from_gguf(only),
                [] => Err(missing("it has no config.json")),
                _ => Err(missing("it has no config.json, and several .gguf files; name one of them")),
            };
        }
        let index = folder.join("model.safetensors.index.json");
        let single = folder.join("model.safetensors");
        let files = if index.is_file() {
            shards(folder, &index)?
        } else if single.is_file() {
            vec![single]
        } else {
            match files_ending(folder, "safetensors")?.as_slice() {
                [only] => vec![only.clone()],
                [] => return Err(missing("it has no safetensors weights (model.safetensors or an index with shards)")),
                _ => return Err(missing("it has several safetensors files and no model.safetensors.index.json")),
            }
        };
        Ok(Weights::Safetensors { folder: folder.to_path_buf(), config, files })
    }

    fn from_gguf(path: &Path) -> Result<Self, ModelError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        static PART: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new(r"-\d{5}-of-\d{5}\.gguf$").expect("the expression is a constant of this file")
        });
        if PART.is_match(&name) {
            let problem =
                "one part of a split GGUF model; join the parts (llama-gguf-split --merge) and give the result";
            return Err(ModelError::Malformed { path: path.to_path_buf(), problem: problem.to_string() });
        }
        check_magic(path)?;
        Ok(Weights::Gguf { path: path.to_path_buf() })
    }
}

/// The shards that an index names, each of which must be there.
fn shards(folder: &Path, index: &Path) -> Result<Vec<PathBuf>, ModelError> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: IndexMap<String, String>,
    }
    let malformed = |problem: String| ModelError::Malformed { path: index.to_path_buf(), problem };
    let text = std::fs::read(index).map_err(|source| ModelError::Read { path: index.to_path_buf(), source })?;
    let index: Index = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
    let names: BTreeSet<String> = index.weight_map.into_values().collect();
    names
        .into_iter()
        .map(|name| {
            let inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
            let path = folder.join(&name);
            if !inside {
                Err(malformed(format!("names the shard {name:?} outside the folder")))
            } else if !path.is_file() {
                let missing = format!("the shard {name}, which its index names, is missing");
                Err(ModelError::Incomplete { folder: folder.to_path_buf(), missing })
            } else {
                Ok(path)
            }
        })
        .collect()
}

fn files_ending(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, ModelError> {
    let read = |source| ModelError::Read { path: folder.to_path_buf(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.is_file() && path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn check_magic(path: &Path) -> Result<(), ModelError> {
    let mut magic = [0; 4];
    let mut file = File::open(path).map_err(|source| ModelError::Read { path: path.to_path_buf(), source })?;
    let read = file.read_exact(&mut magic);
    if read.is_ok() && &magic == b"GGUF" {
        return Ok(());
    }
    let found = if read.is_ok() {
        format!("begins with {:?}", String::from_utf8_lossy(&magic))
    } else {
        "is too short".to_string()
    };
    let problem =
        format!("not a GGUF file: it {found} where `GGUF` is expected; it may be another format or a broken download");
    Err(ModelError::Malformed { path: path.to_path_buf(), problem })
}

/// The header of a GGUF file.
///
/// # Errors
/// The file cannot be read, is no GGUF file, or is cut short.
pub fn gguf_header(path: &Path) -> Result<Content, ModelError> {
    check_magic(path)?;
    let malformed = |problem| ModelError::Malformed { path: path.to_path_buf(), problem };
    let content = match Gguf::open(path) {
        Ok(file) => file.into_content(),
        Err(DecoderError::Read { path, source }) => return Err(ModelError::Read { path, source }),
        Err(error) => return Err(malformed(header_problem(&error))),
    };
    let end = content.tensor_infos.values().map(|info| {
        let blocks = info.shape.elem_count() / info.ggml_dtype.block_size();
        content.tensor_data_offset + info.offset + (blocks * info.ggml_dtype.type_size()) as u64
    });
    let size = std::fs::metadata(path).map_err(|source| ModelError::Read { path: path.to_path_buf(), source })?.len();
    let needed = end.max().unwrap_or(0);
    if size < needed {
        return Err(malformed(format!("cut short: it has {size} bytes, its tensors need {needed}; fetch it again")));
    }
    Ok(content)
}

/// What the parser says; what follows its first line is a backtrace where one is asked for.
fn header_problem(error: &DecoderError) -> String {
    let text = match error {
        DecoderError::Format { problem, .. } => problem.clone(),
        other => other.to_string(),
    };
    format!("GGUF header: {}", text.lines().next().unwrap_or_default())
}
