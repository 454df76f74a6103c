//! Tokenizers from a model folder: `tokenizer.json` or `tokenizer.model`, with what the configuration files beside
//! them say about special tokens.

use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value;
use tokenizers::AddedToken;

use super::sentencepiece::Pieces;
use super::{Tokenizer, TokenizerError};

/// Special tokens by the names that chat templates use: `bos_token`, `eos_token`, `pad_token` and so on. A name that
/// the configuration leaves empty is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecialTokens {
    by_name: IndexMap<String, String>,
}

impl SpecialTokens {
    /// Name a token; an absent spelling names nothing.
    pub fn with(mut self, name: &str, spelling: Option<String>) -> Self {
        if let Some(spelling) = spelling {
            self.by_name.insert(name.to_string(), spelling);
        }
        self
    }

    /// The spelling of the token that begins a text.
    pub fn bos(&self) -> Option<&str> {
        self.get("bos_token")
    }

    /// The spelling of the token that ends a text or turn.
    pub fn eos(&self) -> Option<&str> {
        self.get("eos_token")
    }

    /// The spelling of the token of that name, for instance `pad_token`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// Names and spellings, in the order of the configuration file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_name.iter().map(|(name, spelling)| (name.as_str(), spelling.as_str()))
    }

    /// Read the string or object values whose names end in `_token`.
    fn from_config(config: &Value) -> Self {
        let entries = config.as_object().into_iter().flatten();
        let by_name = entries
            .filter(|(name, _)| name.ends_with("_token"))
            .filter_map(|(name, value)| {
                let spelling = value.as_str().or_else(|| value.get("content").and_then(Value::as_str))?;
                Some((name.clone(), spelling.to_string()))
            })
            .collect();
        SpecialTokens { by_name }
    }
}

impl Tokenizer {
    /// The tokenizer of a model folder: `tokenizer.json` where there is one, else the SentencePiece `tokenizer.model`;
    /// special tokens from `tokenizer_config.json`, `special_tokens_map.json` and `generation_config.json`.
    ///
    /// # Errors
    /// No tokenizer file, a file that cannot be read or parsed, or a vocabulary this program does not support.
    pub fn from_folder(folder: &Path) -> Result<Self, TokenizerError> {
        let config = read_json(&folder.join("tokenizer_config.json"))?.unwrap_or(Value::Null);
        let mut special = SpecialTokens::default();
        if let Some(map) = read_json(&folder.join("special_tokens_map.json"))? {
            special.by_name.extend(SpecialTokens::from_config(&map).by_name);
        }
        special.by_name.extend(SpecialTokens::from_config(&config).by_name);
        let generation = read_json(&folder.join("generation_config.json"))?.unwrap_or(Value::Null);
        let stop_ids = ids(generation.get("eos_token_id"));

        let json = folder.join("tokenizer.json");
        if json.is_file() {
            let bytes = read(&json)?;
            let inner = tokenizers::Tokenizer::from_bytes(&bytes)
                .map_err(|error| TokenizerError::Parse { path: json.clone(), reason: error.to_string() })?;
            return Tokenizer::from_pipeline(inner, &config, special, stop_ids);
        }
        let model = folder.join("tokenizer.model");
        if model.is_file() {
            let pieces = Pieces::from_model_file(&read(&model)?)
                .map_err(|error| TokenizerError::Parse { path: model.clone(), reason: error.to_string() })?;
            return pieces.into_tokenizer(&config, special, stop_ids);
        }
        Err(TokenizerError::Absent { folder: folder.to_path_buf() })
    }

    fn from_pipeline(
        mut inner: tokenizers::Tokenizer,
        config: &Value,
        special: SpecialTokens,
        stop_ids: Vec<u32>,
    ) -> Result<Self, TokenizerError> {
        // Settings for batches of training texts, which would cut or fill prompts.
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
                    format!("`added_tokens_decoder` gives {:?} the id {id}, which is not free", token.content);
                return Err(TokenizerError::encode(problem));
            }
        }
        Tokenizer::complete(inner, special, stop_ids, None)
    }
}

/// The entries of `added_tokens_decoder`.
pub(super) fn added_tokens(config: &Value) -> Vec<(u32, AddedToken)> {
    let entries = config.get("added_tokens_decoder").and_then(Value::as_object).into_iter().flatten();
    entries
        .filter_map(|(id, token)| {
            let flag = |name| token.get(name).and_then(Value::as_bool).unwrap_or(false);
            let content = token.get("content")?.as_str()?;
            let added = AddedToken::from(content, flag("special"))
                .lstrip(flag("lstrip"))
                .rstrip(flag("rstrip"))
                .single_word(flag("single_word"))
                .normalized(flag("normalized"));
            Some((id.parse().ok()?, added))
        })
        .collect()
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

fn read(path: &Path) -> Result<Vec<u8>, TokenizerError> {
    std::fs::read(path).map_err(|source| TokenizerError::Read { path: path.to_path_buf(), source })
}

/// A JSON file, `None` where there is none.
fn read_json(path: &Path) -> Result<Option<Value>, TokenizerError> {
    if !path.is_file() {
        return Ok(None);
    }
    serde_json::from_slice(&read(path)?)
        .map(Some)
        .map_err(|error| TokenizerError::Parse { path: path.to_path_buf(), reason: error.to_string() })
}
