//! How items are presented: by the arguments, or as in a finished run except for named settings.

use std::path::Path;

use indexmap::IndexMap;
use jiff::civil::DateTime;
use jiff::{Timestamp, tz::TimeZone};

use super::results::ModelRecord;
use super::settings::SCORING;
use crate::benchmark::Benchmark;
use crate::model::{ChosenTemplate, TemplateVariables};
use crate::prompt::{Condition, Instructions, Pack};
use crate::run::{AgainError, Manifest, packs_again};
use crate::trial::{PackFileError, packs};

/// The style present in every pack.
const PLAIN_STYLE: &str = "vanilla";

/// Settings named by the user, which replace those of the run.
#[derive(Debug, Clone, Default)]
pub struct Named<'a> {
    /// Folder with prompt packs.
    pub prompts: Option<&'a Path>,
    /// Prompt style.
    pub style: Option<&'a str>,
    /// Language of the instructions.
    pub instructions: Option<Instructions>,
    /// dtype of the forward pass.
    pub dtype: Option<&'a str>,
}

/// How items are presented.
#[derive(Debug)]
pub struct PromptSource {
    /// The pack of each benchmark.
    pub packs: IndexMap<Benchmark, Pack>,
    /// Prompt style.
    pub style: String,
    /// Language of the instructions.
    pub instructions: Instructions,
    /// Changed presentation of every item, if any.
    pub condition: Option<Condition>,
    /// The date that templates print; without one, templates use their own fallback.
    pub now: Option<DateTime>,
    /// Differences from the run, in sentences.
    pub departures: Vec<String>,
}

/// A run that cannot serve as the basis of an analysis.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BasisError {
    /// The run's prompts cannot be found.
    #[error(transparent)]
    Packs(#[from] AgainError),
    /// The manifest has no valid time.
    #[error("invalid `created` in the manifest: {0}; restore the manifest")]
    Created(#[from] jiff::Error),
}

impl PromptSource {
    /// Creates a source without a run: named settings, or else the built-in packs and the plain style.
    pub fn new(benchmarks: &[Benchmark], named: &Named<'_>) -> Result<Self, PackFileError> {
        Ok(PromptSource {
            packs: packs(benchmarks, named.prompts)?,
            style: named.style.unwrap_or(PLAIN_STYLE).to_string(),
            instructions: named.instructions.unwrap_or_default(),
            condition: None,
            now: None,
            departures: Vec::new(),
        })
    }

    /// Presents items as the run did, except for named settings. Of several presentations, the plain one if present, or
    /// else the first.
    pub fn of_run(run: &Path, manifest: &Manifest, named: &Named<'_>) -> Result<Self, BasisError> {
        let settings = &manifest.settings;
        let again = packs_again(run, manifest, named.prompts)?;
        let mut departures = again.departures;
        let mut depart = |what: &str, run: &str, here: &str| {
            if run != here {
                departures.push(format!("The run's {what} is {run}; here it is {here}."));
            }
        };
        // For answers written after reasoning, the letter is scored right after the plain prompt.
        let reasons =
            settings.writing.is_some() && again.packs.values().any(|pack| pack.reasons(&settings.style, SCORING));
        let style = named.style.unwrap_or(if reasons { PLAIN_STYLE } else { &settings.style });
        depart("prompt style", &settings.style, style);
        let of_run = settings.instructions.each();
        let instructions = named.instructions.unwrap_or(of_run[0]);
        if !of_run.contains(&instructions) {
            depart("language of instructions", of_run[0].name(), instructions.name());
        }
        depart("scoring", settings.scoring.name(), SCORING.name());
        let shots = settings.shots.as_ref().map_or_else(|| "none".to_string(), |shots| shots.described());
        depart("examples before each question", &shots, "none");
        if let (Some(dtype), Some(model)) = (named.dtype, manifest.model.local()) {
            depart("arithmetic", &model.machine.dtype, dtype);
        }
        let plain = settings.conditions.is_empty() || settings.conditions.contains(&None);
        Ok(PromptSource {
            packs: again.packs,
            style: style.to_string(),
            instructions,
            condition: if plain { None } else { settings.conditions[0] },
            now: Some(manifest.created.parse::<Timestamp>()?.to_zoned(TimeZone::UTC).datetime()),
            departures,
        })
    }

    /// Checks whether `reader` is the run's own model; any difference is added to the departures.
    pub fn is_read_by(&mut self, manifest: &Manifest, reader: &ModelRecord) -> bool {
        let own = manifest.model.local().is_some_and(|model| model.identity.has_files(&reader.sha256));
        if !own {
            let (run, here) = (manifest.model.name(), reader.name.as_str());
            let here = if run == here { "one of that name with other files" } else { here };
            self.departures
                .push(format!("The run's model is {run}; here it is {here}. It did not give the run's answers."));
        }
        let (run, here) = (&manifest.settings.template_variables, &reader.template_variables);
        if own && run != here {
            let text = |variables: &TemplateVariables| serde_json::Value::from(variables.clone()).to_string();
            self.departures.push(format!(
                "The run's template variables are {}; here they are {}.",
                text(run),
                text(here)
            ));
        }
        let name = |chosen: &Option<ChosenTemplate>| match chosen {
            Some(chosen) => chosen.to_string(),
            None => "the model's own".to_string(),
        };
        let (run, here) = (name(&manifest.settings.chat_template), name(&reader.chat_template));
        if own && run != here {
            self.departures.push(format!("The run's chat template is {run}; here it is {here}."));
        }
        own
    }
}
