//! `tomeval make correct`: people's corrections of made texts.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::Context;
use indexmap::IndexMap;
use serde_json::json;

use super::Outcome;
use super::checked::{summary, tell};
use crate::annotate::{Export, Scheme, Value, overall_quality, penalty};
use crate::cli::annotate::made::{read_lines, read_units};
use crate::cli::exports::exports;
use crate::counted::counted;
use crate::make::check::{Checker, Made};
use crate::make::flag::{Check, Flag};
use crate::make::set::{ITEMS, MadeUnit, UNITS, unit_lines};
use crate::make::texts::{Part, Texts};
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
    /// Folder for the corrected set.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

/// Name of the file with the units whose translation must be judged again.
const AGAIN: &str = "again.jsonl";

/// A correction with its worker.
struct Correction {
    worker: String,
    before: String,
    after: String,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.out != args.set,
        "--out is the folder of the set itself, which stays as it is; choose another"
    );
    let mut units = read_units(&args.set.join(UNITS))?;
    let exports = exports(&args.files)?;
    let mut corrections = corrections(&exports)?;
    let mut lines = read_lines(&args.set.join(ITEMS))?;
    let places: HashMap<String, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line["id"].as_str()?.to_string(), at))).collect();
    let (mut carried_out, mut open) = (0, Vec::new());
    let mut corrected = HashSet::new();
    for unit in &mut units {
        let Some(of_unit) = corrections.shift_remove(&unit.id) else { continue };
        let Some(texts) = &mut unit.texts else {
            anyhow::bail!("{}: has no texts in {}, so that nothing can be corrected", unit.id, args.set.display());
        };
        let parts: Vec<Part> = texts.parts().into_iter().map(|(part, _)| part).collect();
        for (at, said) in of_unit {
            let part = *parts.get(at).with_context(|| format!("{}: has no text number {at}", unit.id))?;
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
            if let Some(text) = texts.at_mut(part) {
                text.clone_from(&one.after);
            }
            carried_out += 1;
            corrected.insert(unit.id.clone());
            let history = json!({
                "step": "edit", "worker": one.worker, "part": part.to_string(), "before": one.before, "after": one.after,
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
    }
    if let Some(unknown) = corrections.keys().next() {
        anyhow::bail!("the set has no unit {unknown}; name the set that the page was made of");
    }
    check_again(&mut units, &corrected);
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
    let failing = failing(&exports)?;
    let again: Vec<MadeUnit> = units.iter().filter(|unit| failing.contains_key(&unit.id)).cloned().collect();
    if !again.is_empty() {
        save(&args.out.join(AGAIN), unit_lines(&again)?)?;
    }
    tell(format!("{} carried out.", counted(carried_out, "correction")))?;
    for (id, (score, pass)) in &failing {
        tell(for_terminal(&format!("{id}: {score:.1} by MQM, below {pass}; to be judged again")))?;
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

/// Returns all corrections by unit and text.
fn corrections(exports: &[Export]) -> anyhow::Result<IndexMap<String, IndexMap<usize, Vec<Correction>>>> {
    let mut all: IndexMap<String, IndexMap<usize, Vec<Correction>>> = IndexMap::new();
    for export in exports {
        let records = export.judgements().context("the files are not exports of `annotate judge`")?;
        for record in records {
            for edit in &record.edits {
                let correction = Correction {
                    worker: record.rater.to_string(),
                    before: edit.before.clone(),
                    after: edit.after.trim().to_string(),
                };
                all.entry(record.id.clone()).or_default().entry(edit.at).or_default().push(correction);
            }
        }
    }
    Ok(all)
}

/// Replaces the findings of rules by those about the corrected texts. Those about replies stay where nobody corrected.
fn check_again(units: &mut [MadeUnit], corrected: &HashSet<String>) {
    let Some((from, to)) = units.first().map(|unit| (unit.from, unit.to)) else { return };
    let found: Vec<Vec<Flag>> = {
        let pairs: Vec<(&Texts, &Texts)> =
            units.iter().filter_map(|unit| Some((&unit.source, unit.texts.as_ref()?))).collect();
        let checker = Checker::new(from, to, &pairs, &IndexMap::new());
        let check = |unit: &MadeUnit| {
            let made = |target| Made { source: &unit.source, target, back: None, gold: &[] };
            unit.texts.as_ref().map_or_else(Vec::new, |texts| checker.check(&made(texts)))
        };
        units.iter().map(check).collect()
    };
    for (unit, found) in units.iter_mut().zip(found) {
        let open = !corrected.contains(&unit.id);
        unit.flags.retain(|flag| open && (flag.step.is_some() || flag.check == Check::Review || flag.is_note()));
        unit.flags.extend(found);
    }
}
