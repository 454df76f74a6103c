//! Locates a model's chat template.

use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file;
use serde_json::Value;

use super::{ChatTemplate, TemplateError};
use crate::model::Tokenizer;
use crate::model::bounded_read::{SETTINGS, read_small, settings};

/// Origin of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum TemplateOrigin {
    /// `chat_template.jinja` beside the model.
    #[strum(serialize = "chat_template.jinja")]
    JinjaFile,
    /// The key `chat_template` of `tokenizer_config.json`.
    #[strum(serialize = "tokenizer_config.json")]
    TokenizerConfig,
    /// The key `tokenizer.chat_template` of GGUF metadata.
    #[strum(serialize = "GGUF metadata")]
    Gguf,
    /// A file chosen in place of the model's own.
    #[strum(serialize = "chosen")]
    Chosen,
    /// A format built into this program, for a model whose files have none.
    #[strum(serialize = "built in")]
    BuiltIn,
}

/// An invalid template file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateFileError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// The file is not JSON, or its `chat_template` is neither text nor a list of named templates with a `default`.
    #[error("{}: {problem}", path.display())]
    Parse { path: PathBuf, problem: String },
    /// An error in the template itself.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

/// ChatGLM3's turns, for releases whose tokenizer has no template: each role's token, a line break, and the content
/// with the space that the tokenizer puts before every text. The line break (after a tool's name, which is empty here)
/// is part of the role, so the answer's first token comes after it.
const CHATGLM3: &str = "[gMASK]<sop>{% for message in messages %}{{ '<|' + message['role'] + '|>\\n ' + message['content'] }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n ' }}{% endif %}";

impl ChatTemplate {
    /// The template of a model folder: `chat_template.jinja`, else `tokenizer_config.json` (of a list of named
    /// templates the `default`), else the built-in one for ChatGLM3; `None` when the model has none.
    ///
    /// # Errors
    /// An unreadable file, or an invalid template.
    pub fn from_folder(folder: &Path, tokenizer: &Tokenizer) -> Result<Option<Self>, TemplateFileError> {
        let special = tokenizer.special_tokens();
        let jinja = folder.join("chat_template.jinja");
        if jinja.is_file() {
            let source = String::from_utf8(read(&jinja)?)
                .map_err(|error| TemplateFileError::Parse { path: jinja, problem: error.to_string() })?;
            return Ok(Some(ChatTemplate::new(source, TemplateOrigin::JinjaFile, special.clone())?));
        }
        let path = folder.join("tokenizer_config.json");
        if !path.is_file() {
            return Ok(None);
        }
        let parse = |problem: String| TemplateFileError::Parse { path: path.clone(), problem };
        let config: Value = settings(&read(&path)?).map_err(|error| parse(error.to_string()))?;
        if !config.is_object() {
            return Err(parse("expected a JSON object; fetch the file again".to_string()));
        }
        if let Some(source) = default_template(config.get("chat_template")).map_err(parse)? {
            return Ok(Some(ChatTemplate::new(source, TemplateOrigin::TokenizerConfig, special.clone())?));
        }
        let chatglm = ["[gMASK]", "<sop>", "<|user|>", "<|assistant|>"];
        if config.get("tokenizer_class").and_then(Value::as_str) == Some("ChatGLMTokenizer")
            && chatglm.iter().all(|token| tokenizer.id_of(token).is_some())
        {
            return Ok(Some(ChatTemplate::new(CHATGLM3, TemplateOrigin::BuiltIn, special.clone())?));
        }
        Ok(None)
    }

    /// The template in a file: its text, or a key of a `tokenizer_config.json`, which may be absent.
    ///
    /// # Errors
    /// An unreadable file, or an invalid template.
    pub(in crate::model) fn from_file(path: &Path, tokenizer: &Tokenizer) -> Result<Option<Self>, TemplateFileError> {
        let parse = |problem: String| TemplateFileError::Parse { path: path.to_path_buf(), problem };
        let text = String::from_utf8(read(path)?).map_err(|error| parse(error.to_string()))?;
        let source = match path.extension().is_some_and(|ending| ending == "json") {
            false => Some(text),
            true => {
                let config: Value = serde_json::from_str(&text).map_err(|error| parse(error.to_string()))?;
                default_template(config.get("chat_template")).map_err(parse)?
            }
        };
        let name = path.display().to_string();
        Ok(source.map(|source| Self::from_text(&source, &name, tokenizer)).transpose()?)
    }

    /// A template given as text; `name` is used in errors.
    pub(in crate::model) fn from_text(source: &str, name: &str, tokenizer: &Tokenizer) -> Result<Self, TemplateError> {
        let special = tokenizer.special_tokens().clone();
        ChatTemplate::named(source.to_string(), TemplateOrigin::Chosen, name.to_string(), special)
    }

    /// The template in a GGUF file's metadata; `None` when it has none.
    ///
    /// # Errors
    /// The template is invalid.
    pub fn from_gguf(content: &gguf_file::Content, tokenizer: &Tokenizer) -> Result<Option<Self>, TemplateError> {
        match content.metadata.get("tokenizer.chat_template") {
            Some(gguf_file::Value::String(source)) => {
                ChatTemplate::new(source.as_str(), TemplateOrigin::Gguf, tokenizer.special_tokens().clone()).map(Some)
            }
            Some(_) => Err(TemplateError::Broken {
                file: TemplateOrigin::Gguf.to_string(),
                problem: "`tokenizer.chat_template` is not a string".to_string(),
            }),
            None => Ok(None),
        }
    }
}

fn default_template(value: Option<&Value>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(source)) => Ok(Some(source.clone())),
        Some(Value::Array(named)) => named
            .iter()
            .find(|entry| entry.get("name").and_then(Value::as_str) == Some("default"))
            .and_then(|entry| entry.get("template").and_then(Value::as_str))
            .map(|source| Some(source.to_string()))
            .ok_or_else(|| "`chat_template` is a list without a template named `default`".to_string()),
        Some(_) => Err("`chat_template` is neither text nor a list".to_string()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TemplateFileError> {
    read_small(path, SETTINGS).map_err(|source| TemplateFileError::Read { path: path.to_path_buf(), source })
}
