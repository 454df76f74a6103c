//! Prompts of the pipelines of ToMValley's steps: one style that a file may replace, and the project's own for the rest.

use serde_json::{Value, json};

use crate::chat::Message;
use crate::prompt::{Pack, PackError, Placeholders, Style};

/// The prompts of a pipeline.
#[derive(Debug, Clone)]
pub struct Prompts {
    pack: Pack,
    own: Pack,
    style: String,
}

/// Prompts that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptsError {
    /// The file is not a pack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// No such style, or one that names a placeholder without a text.
    #[error("{file}: {message}")]
    Style {
        /// The pack's file.
        file: String,
        /// The problem.
        message: String,
    },
}

impl Prompts {
    /// The style of a pack by which a model writes, which may name these placeholders; by default of the project's `own`.
    ///
    /// # Errors
    /// A file is malformed, has no such style, or the style names another placeholder.
    pub fn new(
        own: (&str, &str),
        file: Option<(&str, &str)>,
        style: &str,
        placeholders: &[&str],
    ) -> Result<Self, PromptsError> {
        let own = Pack::parse(own.0, own.1, Placeholders::Any)?;
        let pack = match file {
            Some((file, text)) => Pack::parse(file, text, Placeholders::Any)?,
            None => own.clone(),
        };
        let prompts = Prompts { pack, own, style: style.to_string() };
        let file = prompts.pack.file().to_string();
        let known = prompts.found().ok_or_else(|| PromptsError::Style {
            file: file.clone(),
            message: format!("has no style `{style}` for ToMValley"),
        })?;
        let lacking = known.turns(|name| placeholders.contains(&name).then(String::new)).err();
        match lacking {
            Some(name) => {
                Err(PromptsError::Style { file, message: format!("nothing fills the placeholder {{{name}}}") })
            }
            None => Ok(prompts),
        }
    }

    fn found(&self) -> Option<&Style> {
        let of_it = |style: &&Style| style.subset.as_deref().is_none_or(|subset| subset == "tomvalley");
        self.pack.styles.iter().filter(of_it).find(|style| style.name == self.style)
    }

    /// Whether the style shows this text.
    pub(super) fn shows(&self, placeholder: &str) -> bool {
        self.found().is_some_and(|style| style.names_value(placeholder))
    }

    /// The turns of the style with these texts.
    pub(super) fn write(&self, value: impl FnMut(&str) -> Option<String>) -> Vec<Message> {
        self.found().and_then(|style| style.turns(value).ok()).unwrap_or_default()
    }

    /// The turns of a style of the project's own with these texts.
    pub(super) fn own(&self, style: &str, value: impl FnMut(&str) -> Option<String>) -> Vec<Message> {
        let style = self.own.styles.iter().find(|known| known.name == style);
        style.and_then(|style| style.turns(value).ok()).unwrap_or_default()
    }

    /// File, SHA-256 and style of the prompts, for a manifest.
    pub fn told(&self) -> Value {
        json!({
            "file": self.pack.file(), "sha256": self.pack.sha256(), "style": self.style, "own_sha256": self.own.sha256(),
        })
    }
}
