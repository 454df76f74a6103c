//! What a report says of how its numbers came about.

use indexmap::IndexMap;

use crate::answer::{Normalisation, TieRule};
use crate::prompt::Scoring;
use crate::run::{HowAsked, Manifest, Model};

/// The header of a run's report, line by line.
pub(super) fn header(
    manifest: &Manifest,
    normalisation: Normalisation,
    tie: TieRule,
    asked: &HowAsked,
) -> IndexMap<String, String> {
    let settings = &manifest.settings;
    let Model::Local(model) = &manifest.model;
    let part = match (settings.limit, settings.limit_stories) {
        (Some(questions), _) => format!("at most {questions} questions a benchmark"),
        (None, Some(stories)) => format!("at most {stories} stories a benchmark"),
        (None, None) => "all".to_string(),
    };
    let choices = settings.choices.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let scoring = match settings.scoring {
        Scoring::Generate => {
            let rules = settings.writing.as_ref().map(|writing| (writing.extract.name(), writing.rules_version));
            rules.map_or_else(String::new, |(rules, version)| {
                format!("generate, read by the rules {rules}, version {version}")
            })
        }
        scoring => format!("{scoring}, normalised by {}", normalisation.name()),
    };
    let mut lines = vec![
        ("model", model.identity.name.clone()),
        ("source", model.identity.source.clone()),
        ("benchmarks", settings.benchmarks.join(", ")),
        ("items", part),
    ];
    let chosen: Vec<String> =
        settings.items.iter().cloned().chain(settings.facets.iter().map(ToString::to_string)).collect();
    if !chosen.is_empty() {
        lines.push(("only", chosen.join(", ")));
    }
    if !choices.is_empty() {
        lines.push(("choices", choices.join(", ")));
    }
    if !settings.own.is_empty() {
        lines.push(("file read with", settings.own.to_string()));
    }
    lines.extend([
        ("style", settings.style.clone()),
        ("instructions", format!("{}{}", settings.instructions.described(), asked.foreign_instructions())),
        ("answers", settings.answers_in_full()),
        ("scoring", scoring),
        ("orders", format!("{}, ties by {}", settings.orders, tie.name())),
        ("labels", settings.labels.to_string()),
        ("seed", settings.seed.to_string()),
        ("arithmetic", format!("{} on {}", model.machine.dtype, model.machine.device)),
        ("tomeval", manifest.program.version.clone()),
    ]);
    if let Some(shots) = &settings.shots {
        lines.push(("shots", shots.described()));
    }
    if let Some(questions) = settings.writing.as_ref().and_then(|writing| writing.questions_per_prompt) {
        lines.push(("questions", format!("{} in a prompt", questions.described())));
    }
    if !manifest.mixed.is_empty() {
        let keys: Vec<&str> = manifest.mixed.iter().map(|mixture| mixture.key.as_str()).collect();
        lines.push(("mixed", keys.join(", ")));
    }
    if asked.raw {
        let raw = "plain text: the model has no chat template, so it was asked raw, without turns";
        lines.push(("prompts", raw.to_string()));
    }
    lines.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}
