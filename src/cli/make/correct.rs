//! `tomeval make correct`: people's corrections of made texts.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::Context;
use indexmap::IndexMap;
use serde_json::json;

use super::Outcome;
use super::checked::{summary, tell};
use super::translate::read_terms;
use crate::annotate::{Export, Scheme, Value, overall_quality, penalty};
use crate::cli::annotate::made::{read_lines, read_units};
use crate::cli::exports::exports;
use crate::counted::counted;
use crate::make::check::{Checker, Made};
use crate::make::flag::{Check, Flag};
use crate::make::set::{ITEMS, MadeUnit, UNITS, unit_lines};
use crate::make::texts::{Part, Texts};
use crate::name::option_letter;
use crate::safe_text::for_terminal;
use crate::terminal::files::save;
use crate::terminal::shell;

/// Arguments of `tomeval make correct`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Exports of the page that `tomeval annotate judge --made` wrote, one file per person.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder of the made set.
    #[arg(long, value_name = "DIR")]
    set: PathBuf,
    /// Where people correct a text differently, take this person's.
    #[arg(long, value_name = "CODE")]
    prefer: Option<String>,
    /// File of fixed translations that are checked again, as of `make translate` [default: those of the set's make.json].
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,
    /// Folder for the corrected set.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

/// Name of the file with the units whose translation must be judged again.
const AGAIN: &str = "again.jsonl";

/// What people made of a unit.
#[derive(Default)]
struct OfUnit {
    /// Everybody who judged it.
    workers: Vec<String>,
    /// Their corrections by number of the text.
    corrections: IndexMap<usize, Vec<Correction>>,
}

/// A correction with its worker; of somebody who chose the text as it was, one without a change.
struct Correction {
    worker: String,
    before: String,
    after: String,
    /// Whether it began with the second translation.
    taken: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.out != args.set,
        "--out is the folder of the set itself, which stays as it is; choose another"
    );
    let mut units = read_units(&args.set.join(UNITS))?;
    let exports = exports(&args.files)?;
    let terms = terms(&args)?;
    let mut people = people(&exports)?;
    let mut lines = read_lines(&args.set.join(ITEMS))?;
    let places: HashMap<String, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line["id"].as_str()?.to_string(), at))).collect();
    let (mut carried_out, mut open) = (0, Vec::new());
    let (mut corrected, mut chosen) = (HashSet::new(), HashSet::new());
    for unit in &mut units {
        let Some(of_unit) = people.shift_remove(&unit.id) else { continue };
        let before = open.len();
        let Some(texts) = &mut unit.texts else {
            anyhow::bail!("{}: has no texts in {}, so that nothing can be corrected", unit.id, args.set.display());
        };
        let parts: Vec<Part> = texts.parts().into_iter().map(|(part, _)| part).collect();
        for (at, mut said) in of_unit.corrections {
            let part = *parts.get(at).with_context(|| format!("{}: has no text number {at}", unit.id))?;
            // Between two translations, whoever left the first as it was has chosen it.
            if said.iter().any(|one| one.taken) {
                let others = of_unit.workers.iter().filter(|worker| said.iter().all(|one| one.worker != **worker));
                let kept = others.map(|worker| Correction::none(worker, texts.at(part))).collect::<Vec<_>>();
                said.extend(kept);
            }
            let preferred = said.iter().find(|one| Some(&one.worker) == args.prefer.as_ref());
            let one = match (preferred, &said[..]) {
                (Some(one), _) => one,
                (None, [first, rest @ ..]) if rest.iter().all(|other| other.after == first.after) => first,
                (None, _) => {
                    let workers: Vec<&str> = said.iter().map(|one| one.worker.as_str()).collect();
                    open.push(format!("{}, {part}: {} differ; --prefer CODE decides", unit.id, workers.join(", ")));
                    continue;
                }
            };
            anyhow::ensure!(
                texts.at(part) == one.before,
                "{}, {part}: the page showed another text than the set has; name the set that the page was made of",
                unit.id
            );
            if one.after == one.before {
                continue;
            }
            if let Some(text) = texts.at_mut(part) {
                text.clone_from(&one.after);
            }
            carried_out += 1;
            corrected.insert(unit.id.clone());
            if one.taken {
                chosen.insert(unit.id.clone());
            }
            let history = json!({
                "step": if one.taken { "choose" } else { "edit" }, "worker": one.worker, "part": part.to_string(), "before": one.before, "after": one.after,
            });
            for (question, id) in unit.items.iter().enumerate() {
                let own = match part {
                    Part::Story => true,
                    Part::Question(at) | Part::Option(at, _) => at == question,
                };
                if let Some(line) = places.get(id).map(|&place| &mut lines[place]).filter(|_| own)
                    && let Some(all) = line["made"].as_array_mut()
                {
                    all.push(history.clone());
                }
            }
        }
        if open.len() == before {
            (unit.second, unit.chrf_second) = (None, None);
            unit.flags.retain(|flag| flag.check != Check::Translators);
        }
        if corrected.contains(&unit.id) {
            // They are of the text before.
            (unit.back, unit.chrf_back, unit.chrf_against) = (None, None, None);
        }
    }
    if let Some(unknown) = people.keys().next() {
        anyhow::bail!("the set has no unit {unknown}; name the set that the page was made of");
    }
    let gold = |id: &String| {
        let line = &lines[*places.get(id)?];
        let letter = line["answer"].as_str()?;
        (0..line["options"].as_array()?.len()).find(|&option| option_letter(option) == letter)
    };
    let gold: Vec<Vec<Option<usize>>> = units.iter().map(|unit| unit.items.iter().map(gold).collect()).collect();
    check_again(&mut units, &gold, &terms, &corrected);
    for unit in &units {
        let Some(texts) = &unit.texts else { continue };
        for (id, question) in unit.items.iter().zip(&texts.questions) {
            let Some(line) = places.get(id).map(|&place| &mut lines[place]) else { continue };
            if !texts.story.is_empty() {
                line["story"] = json!(texts.story);
            }
            line["question"] = json!(question.question);
            line["options"] = json!(question.options);
            line["checks"] = json!(if unit.flags.iter().all(Flag::is_note) { "clean" } else { "flagged" });
        }
    }
    save(&args.out.join(ITEMS), lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    save(&args.out.join(UNITS), unit_lines(&units)?)?;
    let mut failing = failing(&exports)?;
    // Their scores are of the first translation.
    failing.retain(|id, _| !chosen.contains(id));
    let goes_back = |unit: &&MadeUnit| failing.contains_key(&unit.id) || chosen.contains(&unit.id);
    let again: Vec<MadeUnit> = units.iter().filter(goes_back).cloned().collect();
    if !again.is_empty() {
        save(&args.out.join(AGAIN), unit_lines(&again)?)?;
    }
    tell(format!("{} carried out.", counted(carried_out, "correction")))?;
    for (id, (score, pass)) in &failing {
        tell(for_terminal(&format!("{id}: {score:.1} by MQM, below {pass}; to be judged again")))?;
    }
    if !chosen.is_empty() {
        tell(format!("{}: the second translation was chosen, and is to be judged.", counted(chosen.len(), "unit")))?;
    }
    if !again.is_empty() {
        let again = shell::path(&args.out.join(AGAIN));
        tell(format!(
            "Next, these go back:\n  tomeval annotate judge --scheme xtom-mqm --made {again} --out page.html"
        ))?;
    }
    open.iter().try_for_each(|line| tell(for_terminal(line)))?;
    let findings: Vec<(&str, &Flag)> =
        units.iter().flat_map(|unit| unit.flags.iter().map(|flag| (unit.id.as_str(), flag))).collect();
    tell(summary(&findings))?;
    let faults = findings.iter().any(|(_, flag)| !flag.is_note());
    Ok(if open.is_empty() && !faults && again.is_empty() { Outcome::Done } else { Outcome::Incomplete })
}

/// Returns the units whose mean score by MQM is below the pass mark, with both.
fn failing(exports: &[Export]) -> anyhow::Result<IndexMap<String, (f64, f64)>> {
    let scheme = Scheme::named("xtom-mqm")?;
    let mut scores: IndexMap<String, Vec<f64>> = IndexMap::new();
    let Some((question, pass)) = scheme.questions.iter().find_map(|question| Some((question, question.pass?))) else {
        return Ok(IndexMap::new());
    };
    let of_scheme = |export: &&Export| export.header.scheme_sha256.as_ref() == Some(&scheme.sha256);
    // Those who adjudicate come last, and decide.
    let (adjudicated, judged): (Vec<&Export>, Vec<&Export>) =
        exports.iter().filter(of_scheme).partition(|export| export.header.adjudicates);
    for export in judged.into_iter().chain(adjudicated) {
        for record in export.judgements().into_iter().flatten() {
            let Some(Value::Spans(spans)) = record.judgements.get(&question.id) else { continue };
            let penalty = penalty(question, spans).map_err(|unknown| anyhow::anyhow!("{}: {unknown}", record.id))?;
            let of_unit = scores.entry(record.id.clone()).or_default();
            if export.header.adjudicates {
                of_unit.clear();
            }
            of_unit.extend(overall_quality(question, penalty, record.words));
        }
    }
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
    let means = scores.into_iter().filter(|(_, scores)| !scores.is_empty()).map(|(id, scores)| (id, mean(scores)));
    Ok(means.filter(|(_, mean)| *mean < pass).map(|(id, mean)| (id, (mean, pass))).collect())
}

impl Correction {
    fn none(worker: &str, text: &str) -> Self {
        Correction { worker: worker.to_string(), before: text.to_string(), after: text.to_string(), taken: false }
    }
}

/// Returns the fixed translations of a set.
fn terms(args: &Args) -> anyhow::Result<IndexMap<String, String>> {
    if let Some(file) = &args.terms {
        return read_terms(file);
    }
    // A set that was corrected before has none.
    let Ok(manifest) = std::fs::read_to_string(args.set.join("make.json")) else { return Ok(IndexMap::new()) };
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let terms = manifest.pointer("/settings/terms").cloned();
    Ok(terms.map(serde_json::from_value).transpose()?.unwrap_or_default())
}

/// Returns what people made of each unit.
fn people(exports: &[Export]) -> anyhow::Result<IndexMap<String, OfUnit>> {
    let mut all: IndexMap<String, OfUnit> = IndexMap::new();
    for export in exports {
        let records = export.judgements().context("the files are not exports of `annotate judge`")?;
        // Who adjudicates judgements chooses no text.
        for record in records.iter().filter(|record| !export.header.adjudicates || !record.edits.is_empty()) {
            let of_unit = all.entry(record.id.clone()).or_default();
            of_unit.workers.push(record.rater.to_string());
            for edit in &record.edits {
                let correction = Correction {
                    worker: record.rater.to_string(),
                    before: edit.before.clone(),
                    after: edit.after.trim().to_string(),
                    taken: edit.taken,
                };
                of_unit.corrections.entry(edit.at).or_default().push(correction);
            }
        }
    }
    Ok(all)
}

/// Replaces the findings of rules by those about the corrected texts. Those about replies stay where nobody corrected.
fn check_again(
    units: &mut [MadeUnit],
    gold: &[Vec<Option<usize>>],
    terms: &IndexMap<String, String>,
    corrected: &HashSet<String>,
) {
    let Some((from, to)) = units.first().map(|unit| (unit.from, unit.to)) else { return };
    let found: Vec<Vec<Flag>> = {
        let pairs: Vec<(&Texts, &Texts)> =
            units.iter().filter_map(|unit| Some((&unit.source, unit.texts.as_ref()?))).collect();
        let checker = Checker::new(from, to, &pairs, terms);
        let check = |(unit, gold): (&MadeUnit, &Vec<Option<usize>>)| {
            let made = |target| Made { source: &unit.source, target, back: unit.back.as_ref(), gold };
            unit.texts.as_ref().map_or_else(Vec::new, |texts| checker.check(&made(texts)))
        };
        units.iter().zip(gold).map(check).collect()
    };
    for (unit, found) in units.iter_mut().zip(found) {
        let open = !corrected.contains(&unit.id);
        let unchecked = |flag: &Flag| flag.check == Check::Term && terms.is_empty();
        let stays =
            |flag: &Flag| flag.step.is_some() || flag.check == Check::Review || flag.is_note() || unchecked(flag);
        unit.flags.retain(|flag| open && stays(flag));
        unit.flags.extend(found);
    }
}
