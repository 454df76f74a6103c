//! Chat templates: messages become the exact text a model was trained on.
//!
//! Templates are Jinja programs shipped with the model. They are rendered as transformers renders them: blocks are
//! trimmed (`trim_blocks`, `lstrip_blocks`), one final line break of the template is dropped, and `raise_exception`,
//! `tojson` and, where a date is given, `strftime_now` are there. [`render_or_merge`] is what a prompt builder calls.

mod python;
mod source;
mod variables;

use std::collections::BTreeMap;

use jiff::civil::DateTime;
use minijinja::{Environment, ErrorKind, Value};

pub use source::{TemplateFileError, TemplateOrigin};
pub use variables::{NotAVariable, TemplateVariable, TemplateVariables, open_thinking};

use crate::model::SpecialTokens;
use crate::prompt::{Message, Role};

/// What a template is rendered with, beside messages and special tokens.
#[derive(Debug, Clone, Default)]
pub struct RenderSettings {
    /// Ask for the beginning of the model's turn.
    pub add_generation_prompt: bool,
    /// The time that `strftime_now` tells, from the run's settings so that a run can be repeated. Without it the
    /// function is undefined, and templates that allow for that fall back to a date of their own.
    pub now: Option<DateTime>,
    /// Further variables, for instance `enable_thinking`.
    pub variables: TemplateVariables,
}

impl RenderSettings {
    /// With the beginning of the model's turn, without date or further variables.
    pub fn for_generation() -> Self {
        RenderSettings { add_generation_prompt: true, ..RenderSettings::default() }
    }
}

/// Why a chat could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The template refuses the chat with a message of its own (`raise_exception`).
    #[error("{message}")]
    Refused {
        /// The template's message.
        message: String,
    },
    /// The template is no valid program, or fails while it runs.
    #[error("chat template: {problem}")]
    Broken {
        /// What is wrong, with the line.
        problem: String,
    },
}

/// A model's chat template.
#[derive(Debug, Clone)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: String,
    origin: TemplateOrigin,
    special: SpecialTokens,
}

const NAME: &str = "chat_template";

impl ChatTemplate {
    /// Compile a template. `special` become its variables `bos_token`, `eos_token` and so on.
    ///
    /// # Errors
    /// The source is no valid template.
    pub fn new(
        source: impl Into<String>,
        origin: TemplateOrigin,
        special: SpecialTokens,
    ) -> Result<Self, TemplateError> {
        let source = source.into();
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_formatter(python::write);
        environment.add_filter("tojson", python::tojson);
        environment.add_function("raise_exception", raise_exception);
        environment
            .add_template_owned(NAME, without_generation_tags(&source))
            .map_err(|error| TemplateError::Broken { problem: describe(&error) })?;
        Ok(ChatTemplate { environment, source, origin, special })
    }

    /// Render a chat.
    ///
    /// # Errors
    /// The template refuses the chat or fails.
    pub fn render(&self, messages: &[Message], settings: &RenderSettings) -> Result<String, TemplateError> {
        // Later entries win, as later keyword arguments would.
        let mut variables: BTreeMap<String, Value> =
            self.special.iter().map(|(name, token)| (name.to_string(), Value::from(token))).collect();
        if let Some(now) = settings.now {
            variables.insert("strftime_now".to_string(), python::strftime(now));
        }
        variables.extend(settings.variables.iter().map(|(name, value)| (name.clone(), Value::from_serialize(value))));
        variables.insert("messages".to_string(), Value::from_serialize(messages));
        variables.insert("add_generation_prompt".to_string(), Value::from(settings.add_generation_prompt));
        let template = self.environment.get_template(NAME).map_err(|error| broken(&error))?;
        template.render(variables).map_err(|error| refused(&error).unwrap_or_else(|| broken(&error)))
    }

    /// The template as its file has it; its SHA-256 goes into the run's manifest.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Where the template was found.
    pub fn origin(&self) -> TemplateOrigin {
        self.origin
    }
}

/// A rendered prompt, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The prompt.
    pub text: String,
    /// The template refused the system message, so its text stands at the beginning of the first user turn.
    pub system_merged: bool,
    /// Whether the tokenizer's own leading tokens (BOS) must be added: a template writes them itself.
    pub add_special: bool,
}

/// Render a chat for a model. A template that fails on a chat with a system message is tried again with the system
/// text, a blank line and the first user turn as one user turn. A model without template gets the contents of the
/// messages, with a blank line between them, and the tokenizer's leading tokens.
///
/// # Errors
/// The template's first error, when there is no system message to merge or merging does not help.
pub fn render_or_merge(
    template: Option<&ChatTemplate>,
    messages: &[Message],
    settings: &RenderSettings,
) -> Result<Rendered, TemplateError> {
    let Some(template) = template else {
        let contents: Vec<&str> = messages.iter().map(|message| message.content.as_str()).collect();
        return Ok(Rendered { text: contents.join("\n\n"), system_merged: false, add_special: true });
    };
    let rendered = |text, system_merged| Rendered { text, system_merged, add_special: false };
    template.render(messages, settings).map(|text| rendered(text, false)).or_else(|error| {
        let merged = merge_system(messages).ok_or_else(|| error.clone())?;
        template.render(&merged, settings).map(|text| rendered(text, true)).map_err(|_| error)
    })
}

/// The chat with its leading system message put in front of the first user turn; `None` without such a pair.
fn merge_system(messages: &[Message]) -> Option<Vec<Message>> {
    let (system, rest) = messages.split_first().filter(|(first, _)| first.role == Role::System)?;
    let (user, rest) = rest.split_first().filter(|(first, _)| first.role == Role::User)?;
    let merged = Message::user(format!("{}\n\n{}", system.content, user.content));
    Some([&[merged], rest].concat())
}

/// The message of `raise_exception`, kept apart from the engine's own errors.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Raised(String);

fn raise_exception(message: String) -> Result<String, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, "raise_exception").with_source(Raised(message)))
}

fn refused(error: &minijinja::Error) -> Option<TemplateError> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(Raised(message)) = error.downcast_ref() {
            return Some(TemplateError::Refused { message: message.clone() });
        }
        cause = error.source();
    }
    None
}

fn broken(error: &minijinja::Error) -> TemplateError {
    TemplateError::Broken { problem: describe(error) }
}

fn describe(error: &minijinja::Error) -> String {
    error.to_string()
}

/// `{% generation %}` marks the model's turns for training and is no standard tag. A block that is always taken keeps
/// the white space rules of the tags.
fn without_generation_tags(source: &str) -> String {
    static TAG: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
        regex::Regex::new(r"\{%(?P<open>[-+]?)\s*(?P<end>end)?generation\s*(?P<close>[-+]?)%\}")
            .expect("the expression is a constant of this file")
    });
    let replace = |found: &regex::Captures| {
        let tag = if found.name("end").is_some() { "endif" } else { "if true" };
        format!("{{%{} {tag} {}%}}", &found["open"], &found["close"])
    };
    TAG.replace_all(source, replace).into_owned()
}

#[cfg(test)]
mod tests;
