//! Chat template arguments.

use anyhow::Context;
use clap::Args;

use super::fetching::Fetching;
use crate::model::{ChosenTemplate, ModelFiles, TemplateVariable, TemplateVariables, TextParts, thinking_marks};
use crate::trial::{ThinkingChoice, ThinkingFault};

/// Variables of the chat template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct TemplateArgs {
    /// Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and
    /// `attend` the template's thinking switch is off].
    #[arg(long = "template-var", value_name = "NAME=VALUE")]
    pub variables: Vec<TemplateVariable>,
    /// Use another chat template: that of a file or of a model, or none for raw prompts [default: the model's own].
    #[arg(long = "chat-template", value_name = "none|FILE|MODEL")]
    pub chat_template: Option<String>,
}

impl TemplateArgs {
    /// Applies the named chat template, if any, and prints a note.
    pub fn choose(
        &self,
        files: &ModelFiles,
        text: &mut TextParts,
        offline: bool,
    ) -> anyhow::Result<Option<ChosenTemplate>> {
        let Some(name) = &self.chat_template else { return Ok(None) };
        let chosen = text
            .choose_template(name, |name| Fetching::default().resolve(name, offline))
            .with_context(|| format!("--chat-template {name}"))?;
        match &chosen.sha256 {
            Some(_) => {
                eprintln!("note: prompts are written by the chat template of {chosen}, not by that of {}", files.name)
            }
            None => eprintln!("note: prompts are raw, without the chat template of {}", files.name),
        }
        Ok(Some(chosen))
    }

    /// Returns the variables given; an error if a name is given twice.
    pub fn variables(&self) -> anyhow::Result<TemplateVariables> {
        let mut given = TemplateVariables::new();
        for TemplateVariable { name, value } in &self.variables {
            let known = given.insert(name.clone(), value.clone());
            anyhow::ensure!(known.is_none(), "--template-var {name} is given twice; give it once");
        }
        Ok(given)
    }

    /// Returns the variables given, and warns about those that the model's template does not read.
    pub fn given(&self, files: &ModelFiles, text: &TextParts) -> anyhow::Result<TemplateVariables> {
        let given = self.variables()?;
        let model_name = &files.name;
        let Some(template) = &text.template else {
            if !given.is_empty() {
                eprintln!("warning: {model_name} uses no chat template; --template-var has no effect");
            }
            return Ok(given);
        };
        let reads = template.reads();
        for name in given.keys().filter(|name| !reads.contains(*name)) {
            let names: Vec<&str> = reads.iter().map(String::as_str).collect();
            eprintln!(
                "warning: --template-var {name}: the chat template of {model_name} does not read it; it reads {}",
                names.join(", ")
            );
        }
        Ok(given)
    }

    /// Returns the variables of a run, overridden by those given.
    pub fn as_in(
        &self,
        run: &TemplateVariables,
        files: &ModelFiles,
        text: &TextParts,
    ) -> anyhow::Result<TemplateVariables> {
        let mut variables = run.clone();
        variables.extend(self.given(files, text)?);
        variables.sort_keys();
        Ok(variables)
    }

    /// Returns the variables for writing answers: those given, and the thinking switch as chosen, and prints a note on
    /// it.
    ///
    /// # Errors
    /// A variable given contradicts the switch, or thinking is requested of a template without a switch.
    pub fn writing(
        &self,
        files: &ModelFiles,
        text: &TextParts,
        thinking: ThinkingChoice,
    ) -> anyhow::Result<TemplateVariables> {
        if matches!(thinking, ThinkingChoice::Tokens(_)) && thinking_marks(&text.tokenizer).is_none() {
            return Err(ThinkingFault::NoMarks.into());
        }
        let given = self.given(files, text)?;
        let Some(template) = &text.template else {
            anyhow::ensure!(thinking == ThinkingChoice::Off, "--thinking: {} uses no chat template", files.name);
            return Ok(given);
        };
        let others = files.card()?.map(|card| card.thinking.clone()).unwrap_or_default();
        let off = template.without_thinking(&others);
        let mut variables = if thinking == ThinkingChoice::Off { off.clone() } else { template.with_thinking() };
        for (name, value) in &given {
            let at_odds = match thinking {
                ThinkingChoice::Off => false,
                _ => off.get(name) == Some(value),
            };
            anyhow::ensure!(
                !at_odds,
                "--thinking {thinking} and --template-var {name}={value} conflict; leave one out"
            );
        }
        variables.retain(|name, _| !given.contains_key(name));
        if !variables.is_empty() {
            let set: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let state = if thinking == ThinkingChoice::Off { "off" } else { "on" };
            eprintln!(
                "note: {}: thinking is switched {state} in the chat template ({}); --thinking sets it",
                files.name,
                set.join(", ")
            );
        } else if thinking != ThinkingChoice::Off && off.is_empty() {
            eprintln!(
                "note: the chat template of {} has no thinking switch; --thinking changes nothing in it",
                files.name
            );
        }
        variables.extend(given);
        variables.sort_keys();
        Ok(variables)
    }

    /// Returns the variables for scoring answers: those given, and thinking switched off unless they say otherwise, and
    /// prints a note on it.
    pub fn scoring(&self, files: &ModelFiles, text: &TextParts) -> anyhow::Result<TemplateVariables> {
        let given = self.given(files, text)?;
        let Some(template) = &text.template else { return Ok(given) };
        let others = files.card()?.map(|card| card.thinking.clone()).unwrap_or_default();
        let mut variables = template.without_thinking(&others);
        variables.retain(|name, _| !given.contains_key(name));
        if !variables.is_empty() {
            let set: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            eprintln!(
                "note: {}: thinking is switched off in the chat template ({}), since answers are scored where thoughts \
                 would be; --template-var sets another value",
                files.name,
                set.join(", ")
            );
        }
        variables.extend(given);
        variables.sort_keys();
        Ok(variables)
    }
}
