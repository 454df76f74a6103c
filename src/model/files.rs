//! A model on this machine: files of its weights, configuration, tokenizer and template.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use candle_core::Device;
use indexmap::IndexMap;
use serde::Serialize;

use super::bounded_read::{SETTINGS, read_small};
use super::hash::sha256_file;
use super::{
    AdapterFolder, Card, ChatTemplate, ModelError, NamedAdapter, Tokenizer, cards, read_config, spec, tokenizer,
};
use crate::decoder::{Decoder, DecoderSpec, ExpertPlacement, Gguf, Precision, Weights};

/// How the user named a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum ModelSource {
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
        /// The card's Hub repository.
        repo: String,
    },
}

/// The files of a model, by format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFormat {
    /// A folder with `config.json`, safetensors files in the order of their names, and tokenizer files.
    Safetensors {
        folder: PathBuf,
        /// The weight files.
        files: Vec<PathBuf>,
    },
    /// One GGUF file that holds everything, or the parts of a split one.
    Gguf {
        /// The files in order; the first has the settings.
        files: Vec<PathBuf>,
    },
}

/// A model whose files are all on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFiles {
    /// The name for reports: the card's, the hub id, or the last part of the path; with an adapter also its folder's
    /// name.
    pub name: String,
    /// How the user named it.
    pub source: ModelSource,
    /// The commit of a Hub snapshot, where known.
    pub revision: Option<String>,
    /// The files.
    pub format: ModelFormat,
    /// The adapter that changes its weights.
    pub adapter: Option<AdapterFolder>,
}

/// Tokenizer and chat template.
#[derive(Debug)]
pub struct TextParts {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// The chat template, where the model has one.
    pub template: Option<ChatTemplate>,
}

impl TextParts {
    /// Tokenizer and chat template in a folder, which need not contain weights, with the SHA-256 of each of their
    /// files.
    ///
    /// # Errors
    /// As [`ModelFiles::text_parts`].
    pub fn from_folder(folder: &Path) -> Result<(Self, IndexMap<String, String>), ModelError> {
        let tokenizer = Tokenizer::from_folder(folder)?;
        let template = ChatTemplate::from_folder(folder, &tokenizer)?;
        let other = tokenizer::files_in(folder).first().copied().filter(|name| !TEXT_FILES.contains(name));
        let files = TEXT_FILES.into_iter().chain(other).map(|name| folder.join(name)).filter(|path| path.is_file());
        Ok((TextParts { tokenizer, template }, ModelFiles::hashes_of(files)?))
    }
}

/// The settings file of a folder.
const CONFIG: &str = "config.json";

/// Files beside the weights that determine a model's tokens. Tokenizer files with other names are included if they are
/// the one in use.
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
    /// Nothing at the path, a folder without configuration or weights, a missing shard.
    pub fn from_path(path: &Path) -> Result<Self, ModelError> {
        let format = if path.is_dir() {
            ModelFormat::from_folder(path)?
        } else if path.is_file() {
            ModelFormat::from_gguf(path)?
        } else {
            return Err(ModelError::NoSuchPath { path: path.to_path_buf() });
        };
        let full = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned();
        Ok(ModelFiles { name, source: ModelSource::Path, revision: None, format, adapter: None })
    }

    /// The same model with an adapter.
    ///
    /// # Errors
    /// As [`AdapterFolder::open`].
    pub fn with_adapter(self, named: &NamedAdapter) -> Result<Self, ModelError> {
        let adapter = AdapterFolder::open(named, &self.name)?;
        Ok(ModelFiles { name: format!("{} + {}", self.name, adapter.name), adapter: Some(adapter), ..self })
    }

    /// The card of this model, if any: the card it was named by, or that of its Hub repository.
    ///
    /// # Errors
    /// An invalid card.
    pub fn card(&self) -> Result<Option<&'static Card>, ModelError> {
        let is_this = |card: &&Card| match &self.source {
            ModelSource::Path => false,
            ModelSource::Hub { repo } => &card.repo == repo,
            ModelSource::Card { name, .. } => &card.name == name,
        };
        Ok(cards()?.iter().find(is_this))
    }

    /// Read the settings and open the weights, without reading any of them.
    ///
    /// # Errors
    /// Files that are absent, unreadable, malformed or cut short, unsupported settings, and weights that do not match
    /// the settings; an adapter for another model.
    pub fn open(&self) -> Result<(DecoderSpec, Weights), ModelError> {
        let weights = self.weights()?;
        let spec = self.spec(&weights)?;
        spec::account(&spec, &weights)?;
        let weights = self.adapted(&spec, weights)?;
        Ok((spec, weights))
    }

    /// The opened weights of the model without its adapter, to be read with the adapter's changes.
    ///
    /// # Errors
    /// An adapter for another model, or an unreadable one.
    pub fn adapted(&self, spec: &DecoderSpec, weights: Weights) -> Result<Weights, ModelError> {
        match &self.adapter {
            Some(adapter) => adapter.adapt(spec, weights),
            None => Ok(weights),
        }
    }

    /// Open the weights.
    pub(super) fn weights(&self) -> Result<Weights, ModelError> {
        Ok(match &self.format {
            ModelFormat::Safetensors { files, .. } => Weights::open_safetensors(files)?,
            ModelFormat::Gguf { files } => Weights::open_gguf(files)?,
        })
    }

    /// Read the settings, which are in the weight file or beside it.
    pub(super) fn spec(&self, weights: &Weights) -> Result<DecoderSpec, ModelError> {
        match weights.as_gguf() {
            Some(file) => spec::of_gguf(file),
            None => Ok(spec::named_as_in(weights, read_config(&self.path().join(CONFIG))?)),
        }
    }

    /// The settings that are never read.
    pub(super) fn unread_settings(&self, weights: &Weights) -> Result<Vec<String>, ModelError> {
        match weights.as_gguf() {
            Some(file) => spec::unread_of_gguf(file),
            None => spec::unread_of_config(&self.path().join(CONFIG)),
        }
    }

    /// Load the weights, see [`Decoder::load`].
    ///
    /// # Errors
    /// As [`ModelFiles::open`], and weights that do not fit the settings, the precision or the device.
    ///
    /// ```
    /// use tomeval::{Device, ModelFiles, Pass, Precision};
    /// let files = ModelFiles::from_path("tests/fixtures/llama".as_ref())?;
    /// let decoder = files.decoder(&Device::Cpu, Precision::F32)?;
    /// let mut cache = decoder.cache();
    /// let output = decoder.forward(&mut cache, &Pass::sequence(&[1, 5, 9], 0))?;
    /// let logits = decoder.logits(&output.hidden)?;
    /// assert_eq!(logits.dims(), [3, decoder.spec().vocab_size]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decoder(&self, device: &Device, precision: Precision) -> Result<Decoder, ModelError> {
        self.decoder_with(device, precision, ExpertPlacement::Loaded)
    }

    /// The same, with expert weights in memory or in their files.
    ///
    /// # Errors
    /// As [`ModelFiles::decoder`].
    pub fn decoder_with(
        &self,
        device: &Device,
        precision: Precision,
        experts: ExpertPlacement,
    ) -> Result<Decoder, ModelError> {
        let (spec, weights) = self.open()?;
        Ok(Decoder::load(spec, weights.with_experts(experts), device, precision)?)
    }

    /// Read tokenizer and chat template.
    ///
    /// # Errors
    /// Files that are absent, unreadable, malformed or of an unsupported kind.
    pub fn text_parts(&self) -> Result<TextParts, ModelError> {
        match &self.format {
            ModelFormat::Safetensors { folder, .. } => {
                let tokenizer = Tokenizer::from_folder(folder)?;
                let template = ChatTemplate::from_folder(folder, &tokenizer)?;
                Ok(TextParts { tokenizer, template })
            }
            ModelFormat::Gguf { files } => {
                let file = Gguf::open(files)?;
                let tokenizer = Tokenizer::from_gguf(file.content())?;
                let template = ChatTemplate::from_gguf(file.content(), &tokenizer)?;
                Ok(TextParts { tokenizer, template })
            }
        }
    }

    /// Read only the chat template, with the special tokens of a tokenizer that may be another model's.
    pub(super) fn template(&self, tokenizer: &Tokenizer) -> Result<Option<ChatTemplate>, ModelError> {
        Ok(match &self.format {
            ModelFormat::Safetensors { folder, .. } => ChatTemplate::from_folder(folder, tokenizer)?,
            ModelFormat::Gguf { files } => ChatTemplate::from_gguf(Gguf::open(files)?.content(), tokenizer)?,
        })
    }

    /// SHA-256 of every file that determines the model's numbers, by file name, for a run's manifest.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn hashes(&self) -> Result<IndexMap<String, String>, ModelError> {
        self.hashes_beside(Self::hashes_of(self.all_files())?)
    }

    /// The same, given the hashes of the model without its adapter.
    ///
    /// # Errors
    /// As [`ModelFiles::hashes`].
    pub fn hashes_beside(&self, mut base: IndexMap<String, String>) -> Result<IndexMap<String, String>, ModelError> {
        base.extend(Self::hashes_of(self.adapter.iter().flat_map(AdapterFolder::files))?);
        Ok(base)
    }

    fn hashes_of(files: impl IntoIterator<Item = PathBuf>) -> Result<IndexMap<String, String>, ModelError> {
        let mut hashes = IndexMap::new();
        for path in files {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            hashes.insert(name, sha256_file(&path)?);
        }
        Ok(hashes)
    }

    /// The model's folder or GGUF file.
    pub fn path(&self) -> &Path {
        match &self.format {
            ModelFormat::Safetensors { folder, .. } => folder,
            // The list is never empty.
            ModelFormat::Gguf { files } => files.first().map_or(Path::new(""), PathBuf::as_path),
        }
    }

    /// The model's weights, configuration, tokenizer and template files.
    pub fn all_files(&self) -> Vec<PathBuf> {
        match &self.format {
            ModelFormat::Safetensors { folder, files } => {
                let other = tokenizer::files_in(folder).first().copied().filter(|name| !TEXT_FILES.contains(name));
                let text = TEXT_FILES.into_iter().chain(other);
                let text = text.map(|name| folder.join(name)).filter(|path| path.is_file());
                [folder.join(CONFIG)].into_iter().chain(files.iter().cloned()).chain(text).collect()
            }
            ModelFormat::Gguf { files } => files.clone(),
        }
    }

    /// Bytes of the weight files on disk.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn file_bytes(&self) -> Result<u64, ModelError> {
        let files = match &self.format {
            ModelFormat::Safetensors { files, .. } | ModelFormat::Gguf { files } => files.as_slice(),
        };
        let size = |path: &PathBuf| {
            std::fs::metadata(path)
                .map(|metadata| metadata.len())
                .map_err(|source| ModelError::Read { path: path.clone(), source })
        };
        files.iter().map(size).sum()
    }
}

impl ModelFormat {
    fn from_folder(folder: &Path) -> Result<Self, ModelError> {
        let missing =
            |missing: &str| ModelError::Incomplete { folder: folder.to_path_buf(), missing: missing.to_string() };
        if !folder.join(CONFIG).is_file() {
            let found = files_ending(folder, "gguf")?;
            let Some(first) = found.first() else { return Err(missing("it has no config.json")) };
            return match ModelFormat::from_gguf(first)? {
                ModelFormat::Gguf { files } if files == found => Ok(ModelFormat::Gguf { files }),
                _ => Err(missing("it has no config.json, but several .gguf files; name one of them")),
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
                [] => {
                    return Err(missing(
                        "it has no weights; expected model.safetensors, or model.safetensors.index.json with its shards",
                    ));
                }
                _ => return Err(missing("it has several safetensors files and no model.safetensors.index.json")),
            }
        };
        Ok(ModelFormat::Safetensors { folder: folder.to_path_buf(), files })
    }

    /// A GGUF file, with the following parts if its name is that of the first of several.
    fn from_gguf(path: &Path) -> Result<Self, ModelError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        static PART: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new(r"^(.*)-(\d{5})-of-(\d{5})\.gguf$").expect("the expression is a constant of this file")
        });
        let Some(parts) = PART.captures(&name) else {
            return Ok(ModelFormat::Gguf { files: vec![path.to_path_buf()] });
        };
        let (stem, count) = (&parts[1], parts[3].parse::<usize>().unwrap_or(0));
        let part = |number: usize| path.with_file_name(format!("{stem}-{number:05}-of-{count:05}.gguf"));
        if parts[2].parse() != Ok(1usize) {
            let problem = format!("a later part of a split GGUF model; give its first part, {}", part(1).display());
            return Err(ModelError::Malformed { path: path.to_path_buf(), problem });
        }
        let files: Vec<PathBuf> = (1..=count).map(part).collect();
        match files.iter().find(|file| !file.is_file()) {
            None => Ok(ModelFormat::Gguf { files }),
            Some(missing) => Err(ModelError::Incomplete {
                folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
                missing: format!("{} is missing, one of the {count} parts of its model", missing.display()),
            }),
        }
    }
}

/// The shards that an index names, all of which must exist.
fn shards(folder: &Path, index: &Path) -> Result<Vec<PathBuf>, ModelError> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: IndexMap<String, String>,
    }
    let malformed = |problem: String| ModelError::Malformed { path: index.to_path_buf(), problem };
    let text = read_small(index, SETTINGS).map_err(|source| ModelError::Read { path: index.to_path_buf(), source })?;
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
