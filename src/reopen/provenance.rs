//! Provenance lines of a report.

use indexmap::{IndexMap, IndexSet};

use super::ReadRun;
use crate::benchmark::{Benchmark, Item, joined};
use crate::counted::counted;
use crate::prompt::Scoring;
use crate::report::shortened;
use crate::run::{AdapterIdentity, HowAsked, LocalModel, Model, ServerIdentity};
use crate::trial::{DataCheck, LeftOut, Settings};

/// Displayed characters of a system text.
const SYSTEM_SHOWN: usize = 120;

/// Displayed characters of a hash: enough to tell files apart.
const HASH: usize = 12;

/// Provenance of a run for its report, line by line.
pub(super) fn provenance(read: &ReadRun<'_>, asked: &HowAsked) -> IndexMap<String, String> {
    let manifest = read.manifest();
    let settings = &manifest.settings;
    let mut lines: Vec<(&str, String)> = Vec::new();
    lines.extend(manifest.name.clone().map(|name| ("name", name)));
    lines.push(("model", manifest.model.name().to_string()));
    lines.extend(manifest.model.adapter().map(|AdapterIdentity { name, base, rank, alpha, trained_in, .. }| {
        let languages: Vec<&str> = trained_in.iter().map(|language| language.code()).collect();
        let trained =
            if languages.is_empty() { String::new() } else { format!(" trained in {}", languages.join(" and ")) };
        ("adapter", format!("{name}{trained}, of rank {rank} and alpha {alpha}, merged into {base}"))
    }));
    match &manifest.model {
        Model::Local(model) => lines.extend(of_local(model)),
        Model::Server(model) => lines.extend(of_server(&model.identity, read.not_given)),
    }
    lines.push(("benchmarks", joined(&settings.benchmarks, ", ")));
    lines.push(("languages", languages(&read.loaded.items)));
    lines.push(("data", listed(settings.benchmarks.iter().map(|&benchmark| data(read, benchmark)))));
    lines.push(("items", items(settings)));
    let all = manifest.data.values().map(|data| data.items).sum();
    lines.extend(LeftOut::described(&manifest.left_out, all).map(|left_out| ("left out", left_out)));
    let chosen = settings.items.iter().cloned().chain(settings.facets.iter().map(ToString::to_string));
    lines.extend(said("only", listed(chosen)));
    let choices = settings.choices.iter().map(|(name, value)| format!("{name}={value}"));
    lines.extend(said("choices", listed(choices)));
    lines.extend(said("file read with", settings.own.to_string()));
    lines.push(("labels", settings.labels.to_string()));
    lines.push(("answers", settings.answers_in_full()));
    lines.push(("scoring", scoring(read)));
    lines.push(("style", settings.style.clone()));
    let failed = match read.failed_trials {
        0 => String::new(),
        failed => format!("; {} could not be asked", counted(failed, "trial")),
    };
    lines.extend(settings.phase_described().map(|phase| ("phase", phase + &failed)));
    let packs = manifest.prompts.iter().map(|(benchmark, pack)| {
        let wording = asked.wording(*benchmark).map(|wording| format!(": {wording}")).unwrap_or_default();
        format!("{benchmark} by {}{wording}", hashed(&pack.file, &pack.sha256))
    });
    lines.push(("prompts", listed(packs)));
    lines.extend(said("system", shortened(&asked.system, SYSTEM_SHOWN)));
    lines.push(("instructions", format!("{}{}", settings.instructions.described(), asked.foreign_instructions())));
    lines.extend(settings.shots.as_ref().map(|shots| ("shots", shots.described())));
    lines.extend(settings.wordings.map(|wordings| ("wordings", format!("{wordings}, the pack's own first"))));
    lines.extend(settings.swaps.as_ref().map(|swaps| ("swaps", swaps.described())));
    lines.extend(settings.reminders.as_ref().map(|reminders| ("reminders", reminders.notes().join(" "))));
    let questions = settings.writing.as_ref().and_then(|writing| writing.questions_per_prompt);
    lines.extend(questions.map(|questions| ("questions", format!("{} in a prompt", questions.described()))));
    if asked.raw {
        let raw = "plain text: the model has no chat template, so it was asked raw, without turns";
        lines.push(("turns", raw.to_string()));
    }
    let kept = match settings.anchored.len() {
        0 => String::new(),
        items => format!(" around options that keep their slots in {}", counted(items, "item")),
    };
    lines.push(("orders", format!("{}{kept}, ties by {}", settings.orders, read.how.tie.name())));
    lines.push(("seed", settings.seed.to_string()));
    if !manifest.mixed.is_empty() {
        lines.push(("mixed", listed(manifest.mixed.iter().map(|mixture| mixture.key.clone()))));
    }
    let commit = manifest.program.commit.as_ref().map(|commit| format!(", commit {commit}"));
    lines.push(("tomeval", manifest.program.version.clone() + commit.as_deref().unwrap_or_default()));
    lines.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn of_local(model: &LocalModel) -> [(&'static str, String); 3] {
    let LocalModel { identity, machine, .. } = model;
    let revision = identity.revision.as_ref().map(|revision| format!(", revision {revision}"));
    [
        ("source", identity.source.clone() + revision.as_deref().unwrap_or_default()),
        ("files", listed(identity.sha256.iter().map(|(file, sha256)| hashed(file, sha256)))),
        ("arithmetic", format!("{} on {}", machine.dtype, machine.device)),
    ]
}

fn of_server(model: &ServerIdentity, (not_given, all): (usize, usize)) -> Vec<(&'static str, String)> {
    let ServerIdentity { address, others, elsewhere, program, version, tokenizer, route, .. } = model;
    let program: Vec<&str> = program.iter().chain(version).map(String::as_str).collect();
    let program = if program.is_empty() { String::new() } else { format!(" ({})", program.join(" ")) };
    let left = if *elsewhere { "; the items left this machine for it" } else { "; the items stayed on this machine" };
    let addresses = listed(std::iter::once(address).chain(others).cloned());
    let mut lines = vec![("server", format!("{addresses}{program}{left}"))];
    let written = match route.as_str() {
        "chat" => "by the server's own template",
        _ => "here, and sent as text",
    };
    lines.push(("prompts written", written.to_string()));
    lines.extend(tokenizer.as_ref().map(|tokenizer| {
        let files = listed(tokenizer.sha256.iter().map(|(file, sha256)| hashed(file, sha256)));
        ("tokenizer", format!("{}: {files}", tokenizer.name))
    }));
    lines.extend(model.scores.as_ref().map(|scores| {
        let top = model.top.map(|top| format!(", {top} tokens")).unwrap_or_default();
        let missing = match not_given {
            0 => String::new(),
            some => format!(
                "; the server gives no value for {some} of {all} labels, which count as less likely than the others"
            ),
        };
        ("log-likelihoods", format!("{scores}{top}{missing}"))
    }));
    lines
}

fn listed(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// A line, if its value is not empty.
fn said(name: &str, value: String) -> Option<(&str, String)> {
    (!value.is_empty()).then_some((name, value))
}

/// A file name with the start of its hash.
fn hashed(file: &str, sha256: &str) -> String {
    format!("{file} ({})", sha256.get(..HASH).unwrap_or(sha256))
}

/// Languages of items, in order of first occurrence.
pub fn languages(items: &[Item]) -> String {
    let codes: IndexSet<&str> = items.iter().map(|item| item.language.code()).collect();
    codes.into_iter().collect::<Vec<_>>().join(", ")
}

/// Items used of a benchmark, with a hash of their contents, and whether its files match the counts of the card.
fn data(read: &ReadRun<'_>, benchmark: Benchmark) -> String {
    let Some(data) = read.manifest().data.get(&benchmark) else { return benchmark.to_string() };
    let items = format!("{} {}", hashed(benchmark.name(), &data.sha256), counted(data.items, "item"));
    match read.loaded.check(benchmark) {
        DataCheck::Uncounted => items,
        DataCheck::AsCounted => format!("{items} of files with as many rows as the card counts"),
        DataCheck::Made(seed) | DataCheck::MadeBy { seed, .. } => format!("{items} made by tomeval, seed {seed}"),
        DataCheck::Differs(_) => format!("{items} of files that differ from what the card counts"),
    }
}

fn items(settings: &Settings) -> String {
    match (settings.limit, settings.limit_stories) {
        (Some(questions), _) => format!("at most {} a benchmark", counted(questions, "question")),
        (None, Some(stories)) => format!("at most {} a benchmark", counted(stories, "story")),
        (None, None) => "all".to_string(),
    }
}

fn scoring(read: &ReadRun<'_>) -> String {
    let settings = &read.manifest().settings;
    match settings.scoring {
        Scoring::Generate if settings.is_first_phase() => "generate, not read for answers".to_string(),
        Scoring::Generate => {
            let rules = settings.writing.as_ref().map(|writing| (writing.extract.name(), writing.rules_version));
            rules.map_or_else(String::new, |(rules, version)| {
                format!("generate, read by the rules {rules}, version {version}")
            })
        }
        scoring => format!("{scoring}, normalised by {}", read.how.normalisation(settings).name()),
    }
}
