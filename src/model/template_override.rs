//! A chat template that replaces the model's own.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ChatTemplate, ModelError, ModelFiles, TextParts, sha256_bytes};

/// The name for no template: prompts are used raw.
const NONE: &str = "none";

/// The template used in place of the model's own, as recorded in manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChosenTemplate {
    /// `none`, or the name of the template's file or model.
    pub name: String,
    /// SHA-256 of the template; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The template's text, so that prompts can be written again without its file; absent where not needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl ChosenTemplate {
    /// The same without its text.
    pub fn without_source(&self) -> Self {
        ChosenTemplate { source: None, ..self.clone() }
    }
}

/// Name and shortened hash.
impl std::fmt::Display for ChosenTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.sha256 {
            Some(sha256) => write!(f, "{} (SHA-256 {}...)", self.name, sha256.get(..12).unwrap_or(sha256)),
            None => f.write_str(&self.name),
        }
    }
}

impl TextParts {
    /// Use another template: `none`, a file with one (its text, or a `tokenizer_config.json`), or a model, which
    /// `resolve` finds by name. Special tokens remain those of the own tokenizer.
    ///
    /// # Errors
    /// Nothing of that name, a model without template, or an invalid template.
    pub fn choose_template(
        &mut self,
        name: &str,
        resolve: impl FnOnce(&str) -> Result<ModelFiles, ModelError>,
    ) -> Result<ChosenTemplate, ModelError> {
        let path = Path::new(name);
        let is_gguf = path.extension().is_some_and(|ending| ending == "gguf");
        let (name, template) = if name == NONE {
            (NONE.to_string(), None)
        } else if path.is_file() && !is_gguf {
            let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            (file, ChatTemplate::from_file(path, &self.tokenizer)?)
        } else {
            let files = resolve(name)?;
            let template = files.template(&self.tokenizer)?;
            (files.name, template)
        };
        if name != NONE && template.is_none() {
            return Err(ModelError::NoTemplate { name });
        }
        self.template = template;
        let source = self.template.as_ref().map(|template| template.source().to_string());
        Ok(ChosenTemplate { name, sha256: source.as_ref().map(sha256_bytes), source })
    }

    /// Use the template chosen before.
    ///
    /// # Errors
    /// It is invalid, or its text is not available.
    pub fn take_template(&mut self, chosen: &ChosenTemplate) -> Result<(), ModelError> {
        self.template = match (&chosen.source, &chosen.sha256) {
            (Some(source), _) => Some(ChatTemplate::from_text(source, &chosen.name, &self.tokenizer)?),
            (None, None) => None,
            (None, Some(_)) => return Err(ModelError::NoTemplate { name: chosen.name.clone() }),
        };
        Ok(())
    }
}
