//! Tokenizers from a model folder: one of several kinds of files, with the special tokens given by the configuration
//! files beside it.

use std::path::Path;

use serde_json::Value;

use super::pipeline::Pipeline;
use super::sentencepiece::Pieces;
use super::special::{SpecialTokens, added_tokens};
use super::{Tokenizer, TokenizerError, audit, tekken, tiktoken, unusable};
use crate::catch_panic::contained;
use crate::model::bounded_read::{SETTINGS, VOCABULARY, read_small, settings};

/// The tokenizer files of a folder; the first that exists is read. Some `tokenizer.model` are SentencePiece models,
/// others tiktoken files.
const FILES: [&str; 4] = ["tokenizer.json", "tekken.json", "qwen.tiktoken", "tokenizer.model"];

/// The tokenizer files in a folder; the first is the one that is read.
pub(in crate::model) fn files_in(folder: &Path) -> Vec<&'static str> {
    FILES.into_iter().filter(|name| folder.join(name).is_file()).collect()
}

impl Tokenizer {
    /// The tokenizer of a model folder: `tokenizer.json` if it exists, else Mistral's `tekken.json`, `qwen.tiktoken`,
    /// or `tokenizer.model`, which is a SentencePiece model or a tiktoken file; special tokens from
    /// `tokenizer_config.json`, `special_tokens_map.json` and `generation_config.json`.
    ///
    /// # Errors
    /// No tokenizer file, an unreadable or invalid file, or an unsupported vocabulary.
    pub fn from_folder(folder: &Path) -> Result<Self, TokenizerError> {
        let found = files_in(folder);
        let Some((&name, passed_over)) = found.split_first() else {
            return Err(TokenizerError::Absent { folder: folder.to_path_buf() });
        };
        let tokenizer = Self::contained_from_file(folder, &folder.join(name), name)?;
        Ok(Tokenizer { passed_over: passed_over.to_vec(), ..tokenizer })
    }

    /// The tokenizer of one file of any of these kinds; a JSON file of another name is read as `tokenizer.json`.
    ///
    /// # Errors
    /// An unreadable or invalid file, or an unsupported vocabulary.
    pub fn from_path(path: &Path) -> Result<Self, TokenizerError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let other = if name.ends_with(".json") { FILES[0] } else { name };
        Self::contained_from_file(folder, path, FILES.into_iter().find(|known| *known == name).unwrap_or(other))
    }

    fn contained_from_file(folder: &Path, path: &Path, name: &str) -> Result<Self, TokenizerError> {
        // The library trusts some settings, and panics later if they do not fit.
        let tokenizer = contained(|| Self::from_file(folder, path, name));
        let unusable = |problem: String| TokenizerError::Parse { path: path.to_path_buf(), reason: unusable(&problem) };
        Ok(Tokenizer { file: path.display().to_string(), ..tokenizer.map_err(unusable)?? })
    }

    fn from_file(folder: &Path, path: &Path, name: &str) -> Result<Self, TokenizerError> {
        let config = read_json(&folder.join("tokenizer_config.json"))?.unwrap_or(Value::Null);
        let map = read_json(&folder.join("special_tokens_map.json"))?.unwrap_or(Value::Null);
        let special = SpecialTokens::from_configs([&map, &config]);
        let generation = read_json(&folder.join("generation_config.json"))?.unwrap_or(Value::Null);
        let stop_ids = ids(generation.get("eos_token_id"));
        let parse = |reason: String| TokenizerError::Parse { path: path.to_path_buf(), reason };
        let bytes = read(path, VOCABULARY)?;
        let in_this_file = |error: TokenizerError| match error {
            TokenizerError::Encode { reason } => parse(reason),
            other => other,
        };
        match name {
            "tokenizer.json" => {
                audit::check(&bytes).map_err(parse)?;
                let inner = Pipeline::from_bytes(&bytes).map_err(|error| parse(error.to_string()))?;
                Tokenizer::from_pipeline(inner, &config, special, stop_ids)
            }
            "tekken.json" => tekken::tokenizer(&bytes, &config, special, stop_ids).map_err(in_this_file),
            name if name == "qwen.tiktoken" || tiktoken::is_tiktoken(&bytes) => {
                let model = read_json(&folder.join("config.json"))?.unwrap_or(Value::Null);
                tiktoken::tokenizer(&bytes, name, [&model, &config], special, stop_ids).map_err(in_this_file)
            }
            _ => {
                let pieces = Pieces::from_model_file(&bytes).map_err(|error| parse(error.to_string()))?;
                pieces.into_tokenizer(&config, special, stop_ids)
            }
        }
    }

    fn from_pipeline(
        mut inner: Pipeline,
        config: &Value,
        special: SpecialTokens,
        stop_ids: Vec<u32>,
    ) -> Result<Self, TokenizerError> {
        // Settings for batches of training texts, which would truncate or pad prompts.
        inner.with_truncation(None).map_err(TokenizerError::encode)?;
        inner.with_padding(None);
        let missing = added_tokens(config)
            .into_iter()
            .filter(|(id, token)| inner.id_to_token(*id).is_none() && inner.token_to_id(&token.content).is_none());
        let mut missing: Vec<_> = missing.collect();
        missing.sort_by_key(|(id, _)| *id);
        for (id, token) in missing {
            inner.add_tokens([token.clone()]).map_err(TokenizerError::encode)?;
            if inner.token_to_id(&token.content) != Some(id) {
                let problem =
                    format!("`added_tokens_decoder` gives {:?} the id {id}, which is already taken", token.content);
                return Err(TokenizerError::encode(problem));
            }
        }
        Tokenizer::complete(inner, special, stop_ids, None)
    }
}

/// One id or a list of ids.
fn ids(value: Option<&Value>) -> Vec<u32> {
    let one = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(one).collect(),
        Some(value) => one(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, TokenizerError> {
    read_small(path, most).map_err(|source| TokenizerError::Read { path: path.to_path_buf(), source })
}

/// A JSON file that holds an object, `None` if it does not exist.
fn read_json(path: &Path) -> Result<Option<Value>, TokenizerError> {
    if !path.is_file() {
        return Ok(None);
    }
    let parse = |reason: String| TokenizerError::Parse { path: path.to_path_buf(), reason };
    match settings(&read(path, SETTINGS)?).map_err(|error| parse(error.to_string()))? {
        Value::Object(object) => Ok(Some(Value::Object(object))),
        _ => Err(parse("expected a JSON object; fetch the file again".to_string())),
    }
}
