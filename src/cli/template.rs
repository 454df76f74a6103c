//! What a chat template is told beside the messages.

use clap::Args;
use tomeval::model::{ModelFiles, TemplateVariable, TemplateVariables, TextParts};

/// Variables of the chat template.
#[derive(Debug, Clone, Args)]
pub struct TemplateArgs {
    /// Set a variable of the chat template; VALUE is JSON, else text; may be given several times [default: in `run`,
    /// `plan` and `attend` the template's thinking switch is off].
    #[arg(long = "template-var", value_name = "NAME=VALUE")]
    pub variables: Vec<TemplateVariable>,
}

impl TemplateArgs {
    /// The variables given, after a word on those that the model's template does not read.
    pub fn given(&self, files: &ModelFiles, text: &TextParts) -> anyhow::Result<TemplateVariables> {
        let mut given = TemplateVariables::new();
        for TemplateVariable { name, value } in &self.variables {
            let known = given.insert(name.clone(), value.clone());
            anyhow::ensure!(known.is_none(), "--template-var {name} is given twice; give it once");
        }
        let model_name = &files.name;
        let Some(template) = &text.template else {
            if !given.is_empty() {
                eprintln!("warning: {model_name} has no chat template; --template-var changes nothing");
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

    /// The variables that a run was made with, but for those given.
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

    /// The variables to score answers with: those given, and thinking switched off where they do not say
    /// otherwise, after a word on it.
    pub fn scoring(&self, files: &ModelFiles, text: &TextParts) -> anyhow::Result<TemplateVariables> {
        let given = self.given(files, text)?;
        let Some(template) = &text.template else { return Ok(given) };
        let others = files.card()?.map(|card| card.thinking.clone()).unwrap_or_default();
        let mut variables = template.without_thinking(&others);
        variables.retain(|name, _| !given.contains_key(name));
        if !variables.is_empty() {
            let set: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            eprintln!(
                "note: {}: thinking is switched off in the chat template ({}), since answers are scored in its place; \
                 --template-var sets another value",
                files.name,
                set.join(", ")
            );
        }
        variables.extend(given);
        variables.sort_keys();
        Ok(variables)
    }
}
