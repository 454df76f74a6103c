//! Chat templates: messages become the exact text a model was trained on.
//!
//! Templates are Jinja programs shipped with the model. They are rendered as in transformers: blocks are trimmed
//! (`trim_blocks`, `lstrip_blocks`), one final line break of the template is dropped, and `raise_exception`, `tojson`
//! and, if a date is given, `strftime_now` are defined. Prompt builders call [`render_or_merge`]. A template is an
//! untrusted program: it is rendered within limits of steps, time, memory and depth.

mod limits;
mod program;
mod python;
mod source;
mod template_capabilities;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::civil::DateTime;
use minijinja::machinery::{Vm, make_string_output};
use minijinja::{AutoEscape, Environment, ErrorKind, Value};

pub use source::{TemplateFileError, TemplateOrigin};
pub use template_capabilities::TemplateCapabilities;
pub use variables::{
    TemplateVariable, TemplateVariables, marks_of, open_thinking, split_thinking, thinking_marks, thinking_section,
    thought_of,
};

use crate::catch_panic::contained;
use crate::chat::{Message, Role};
use crate::model::SpecialTokens;
use limits::{BUDGET, Budget, Exceeded};
use program::Program;

/// Rendering inputs besides messages and special tokens.
#[derive(Debug, Clone, Default)]
pub struct RenderSettings {
    /// Add the beginning of the model's turn.
    pub add_generation_prompt: bool,
    /// The time given by `strftime_now`, from the run's settings so that a run can be repeated. Without it the function
    /// is undefined, and templates that allow for that fall back to a date of their own.
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

/// Reason why a chat could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The template refuses the chat with a message of its own (`raise_exception`).
    #[error("{message}")]
    Refused {
        /// The template's message.
        message: String,
    },
    /// The template is invalid, fails at run time, or exceeds a limit.
    #[error("chat template ({file}): {problem}")]
    Broken {
        /// Origin of the template.
        file: String,
        /// The problem, with the line.
        problem: String,
    },
}

/// A model's chat template.
#[derive(Clone)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    program: Arc<Program>,
    source: String,
    origin: TemplateOrigin,
    /// Its name in errors.
    file: String,
    special: SpecialTokens,
    /// The limit that a chat has reached: the next ones would take as long to reach it.
    exceeded: Arc<OnceLock<TemplateError>>,
}

impl fmt::Debug for ChatTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatTemplate").field("origin", &self.origin).field("source", &self.source).finish()
    }
}

/// Maximum letters shown of a template's own message.
const LONGEST_MESSAGE: usize = 1000;

impl ChatTemplate {
    /// Compile a template. `special` become its variables `bos_token`, `eos_token` and so on.
    ///
    /// # Errors
    /// The source is invalid.
    pub fn new(
        source: impl Into<String>,
        origin: TemplateOrigin,
        special: SpecialTokens,
    ) -> Result<Self, TemplateError> {
        Self::named(source.into(), origin, origin.to_string(), special)
    }

    fn named(
        source: String,
        origin: TemplateOrigin,
        file: String,
        special: SpecialTokens,
    ) -> Result<Self, TemplateError> {
        let program = Program::compile(&file, &without_generation_tags(&source))
            .map_err(|problem| TemplateError::Broken { file: file.clone(), problem })?;
        let mut environment = Environment::new();
        limits::install(&mut environment);
        environment.set_formatter(python::write);
        environment.add_filter("tojson", python::tojson);
        environment.add_function("raise_exception", raise_exception);
        let (program, exceeded) = (Arc::new(program), Arc::default());
        Ok(ChatTemplate { environment, program, source, origin, file, special, exceeded })
    }

    /// Render a chat.
    ///
    /// # Errors
    /// The template refuses the chat, fails, or exceeds a limit on steps, time or memory.
    pub fn render(&self, messages: &[Message], settings: &RenderSettings) -> Result<String, TemplateError> {
        if let Some(exceeded) = self.exceeded.get() {
            return Err(exceeded.clone());
        }
        // Later entries take precedence, like later keyword arguments.
        let mut variables: BTreeMap<String, Value> =
            self.special.iter().map(|(name, token)| (name.to_string(), Value::from(token))).collect();
        if let Some(now) = settings.now {
            variables.insert("strftime_now".to_string(), python::strftime(now));
        }
        variables.extend(settings.variables.iter().map(|(name, value)| (name.clone(), Value::from_serialize(value))));
        variables.insert("messages".to_string(), Value::from_serialize(messages));
        variables.insert("add_generation_prompt".to_string(), Value::from(settings.add_generation_prompt));
        variables.insert(BUDGET.to_string(), Value::from_object(Budget::for_chat(messages)));
        let root: Value = variables.into_iter().collect();
        let run = || {
            let mut text = String::new();
            let program = &self.program;
            let (vm, mut output) = (Vm::new(&self.environment), make_string_output(&mut text));
            vm.eval(&program.instructions, root, &program.blocks, &mut output, AutoEscape::None).map(drop)?;
            drop(output);
            Ok(text)
        };
        match contained(run) {
            Ok(rendered) => rendered.map_err(|error| self.failure(&error)),
            Err(panic) => Err(self.broken(format!("it cannot be rendered: {panic}"))),
        }
    }

    fn broken(&self, problem: String) -> TemplateError {
        TemplateError::Broken { file: self.file.clone(), problem }
    }

    /// Classify a failed rendering.
    fn failure(&self, error: &minijinja::Error) -> TemplateError {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = cause {
            if let Some(Raised(message)) = error.downcast_ref() {
                return TemplateError::Refused { message: message.chars().take(LONGEST_MESSAGE).collect() };
            }
            let out_of_steps = error
                .downcast_ref::<minijinja::Error>()
                .is_some_and(|error| error.kind() == ErrorKind::OutOfFuel)
                .then(|| format!("the template takes more than {} steps", limits::STEPS));
            if let Some(problem) = out_of_steps.or_else(|| error.downcast_ref().map(|Exceeded(what)| what.clone())) {
                let problem = format!("{problem} for one chat; the template is rejected");
                return self.exceeded.get_or_init(|| self.broken(problem)).clone();
            }
            cause = error.source();
        }
        self.broken(error.to_string())
    }

    /// The template as in its file; its SHA-256 goes into the run's manifest.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Where the template was found.
    pub fn origin(&self) -> TemplateOrigin {
        self.origin
    }
}

/// A rendered prompt, with details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The prompt.
    pub text: String,
    /// Whether the template refused the system message, so its text is at the beginning of the first user turn.
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

/// `{% generation %}` marks the model's turns for training and is not a standard tag. Replacing it with a block that is
/// always taken keeps the white space rules of the tags.
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
