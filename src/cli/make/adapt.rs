//! `tomeval make adapt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::Outcome;
use super::checked::{summary, tell};
use super::translate::{of_items, only_language, read_wording, with_checks};
use super::work::{Work, note_stop};
use super::writers::{WriterArgs, Writers};
use crate::annotate::{Export, Records};
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::Item;
use crate::cli::annotate::source::items;
use crate::cli::exports::exports;
use crate::counted::counted;
use crate::language::Language;
use crate::make::MakeManifest;
use crate::make::adapt::Adaptation;
use crate::make::flag::Flag;
use crate::make::set::{ITEMS, Made, MadeUnit, UNITS, made_id, unit_lines};
use crate::make::texts::Texts;
use crate::make::translate::{Translated, Unit};
use crate::name::option_letter;
use crate::safe_text::for_terminal;
use crate::terminal::shell;

/// Name of the file with both versions, for people.
const BOTH: &str = "both.jsonl";

/// Arguments of `tomeval make adapt`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::cli::EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// The culture, as the prompts name it, for instance Bangladeshi.
    #[arg(long, value_name = "NAME", help_heading = "Models")]
    culture: String,
    /// Model that adapts each story once: as --model of `tomeval run`, a local one or openai:URL#NAME.
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    assistant: String,
    /// Model that adapts each question to the adapted story [default: the assistant].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    adapter: Option<String>,
    /// Take the prompts from this file instead of the project's own.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    prompts: Option<PathBuf>,
    /// Answers of people to both versions (exports of `tomeval annotate answer`): a story is accepted where everybody
    /// answers both versions of each of its questions alike.
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "People")]
    answers: Vec<PathBuf>,
    /// Folder for replies, items and findings; continues there after a stop.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    out: PathBuf,
    #[command(flatten)]
    writers: WriterArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let wording = read_wording(args.prompts.as_deref(), "own")?;
    let items = items(&args.data, &args.choice, None)?.items;
    let language = only_language(&items)?;
    let exports = if args.answers.is_empty() { Vec::new() } else { exports(&args.answers)? };
    let units = Unit::of(&items, true);
    let adapter = args.adapter.as_deref().unwrap_or(&args.assistant);
    let mut writers = Writers::open(&args.writers, &[args.assistant.as_str(), adapter], args.data.limit.seed)?;
    let (file, sha256) = wording.file();
    let mut models = Map::new();
    models.insert("assistant".to_string(), writers.identity(&args.assistant)?);
    models.insert("adapter".to_string(), writers.identity(adapter)?);
    let mut settings = Map::new();
    settings.insert("language".to_string(), json!(language));
    settings.insert("culture".to_string(), json!(args.culture));
    settings.insert("items".to_string(), of_items(&items)?);
    settings.insert("models".to_string(), Value::Object(models));
    settings.insert("prompts".to_string(), json!({"file": file, "sha256": sha256}));
    settings.insert("most_tokens".to_string(), json!(args.writers.max_new_tokens));
    let mut work = Work::open(&args.out, &MakeManifest::new("adapt", settings), writers)?;
    let adaptation = Adaptation {
        language,
        culture: &args.culture,
        wording: &wording,
        assistant: &args.assistant,
        adapter,
        most_tokens: args.writers.max_new_tokens,
    };
    let made = match adaptation.run(&units, &mut |model, requests| work.ask(model, requests)) {
        Ok(made) => made,
        Err(error) => return note_stop(error, &work),
    };
    let made = with_checks(&items, &units, made, (language, language), &IndexMap::new());
    let records: Vec<MadeUnit> =
        units.iter().zip(&made).map(|(unit, made)| record(unit, made, &items, language)).collect();
    let verdicts: Vec<Verdict> = records.iter().map(|record| verdict(record, &exports, language)).collect();
    let accepted: Vec<Translated> = made
        .iter()
        .zip(&verdicts)
        .map(|(made, verdict)| match verdict {
            Verdict::Accepted => made.clone(),
            _ => Translated { texts: None, ..made.clone() },
        })
        .collect();
    let set = Made {
        pipeline: "adapt",
        language,
        prompts: (file, sha256),
        translated_back: false,
        facets: &[("culture", args.culture.as_str())],
    };
    let lines = set.items(&items, &units, &accepted);
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let both = both(&items, &units, &made, language);
    let files = [(ITEMS, text(&lines)), (UNITS, unit_lines(&records)?), (BOTH, text(&both))];
    let (fresh, needed) = work.finish(&files)?;
    let adapted = records.iter().filter(|record| record.texts.is_some()).count();
    tell(format!(
        "{adapted} of {} adapted; {} needed, {fresh} of them written now.",
        counted(units.len(), "story"),
        counted(needed, "reply")
    ))?;
    let findings: Vec<(&str, &Flag)> =
        records.iter().flat_map(|record| record.flags.iter().map(|flag| (record.id.as_str(), flag))).collect();
    tell(summary(&findings))?;
    let out = shell::path(&args.out);
    if exports.is_empty() {
        tell(format!(
            "Nothing is accepted before people in {} have checked it. Next, a page on which they answer both versions:\n  \
             tomeval annotate answer --data {out}/{BOTH} --blind --out page.html\nand then this command again with \
             --answers and their exports.",
            language.name()
        ))?;
        return Ok(Outcome::Incomplete);
    }
    for (record, verdict) in records.iter().zip(&verdicts) {
        if let Verdict::Rejected(why) | Verdict::Open(why) = verdict {
            tell(for_terminal(&format!("{}: {why}", record.id)))?;
        }
    }
    let all = verdicts.iter().filter(|verdict| **verdict == Verdict::Accepted).count();
    tell(format!(
        "{all} of {} accepted, with {} in {out}/{ITEMS}. Next, translate them:\n  tomeval make translate --data {out}/{ITEMS} \
         --to CODE --translator MODEL -o DIR",
        counted(units.len(), "story"),
        counted(lines.len(), "item")
    ))?;
    Ok(if all == units.len() { Outcome::Done } else { Outcome::Incomplete })
}

/// What people's answers say of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Accepted,
    /// Somebody answered a question differently in both versions.
    Rejected(String),
    /// Nobody has answered both versions of a question, or there is no adapted story.
    Open(String),
}

fn verdict(record: &MadeUnit, exports: &[Export], language: Language) -> Verdict {
    if record.texts.is_none() {
        return Verdict::Open("it was not adapted".to_string());
    }
    let mut open = None;
    for id in &record.items {
        let key = |version: &str| format!("custom/{id}/{version}/{language}");
        let mut answers: BTreeMap<&str, BTreeMap<String, &Value>> = BTreeMap::new();
        for export in exports {
            let Records::Answers(records) = &export.records else { continue };
            for answer in records.iter().filter(|answer| !answer.unknown) {
                answers.entry(answer.rater.as_str()).or_default().insert(answer.id.clone(), &answer.choice);
            }
        }
        let both: Vec<(&str, bool)> = answers
            .iter()
            .filter_map(|(rater, said)| Some((*rater, said.get(&key("direct"))? == said.get(&key("adapted"))?)))
            .collect();
        let differing: BTreeSet<&str> = both.iter().filter(|(_, alike)| !alike).map(|(rater, _)| *rater).collect();
        if !differing.is_empty() {
            let raters = differing.into_iter().collect::<Vec<_>>().join(", ");
            return Verdict::Rejected(format!("rejected, {raters} answered {id} differently in both versions"));
        }
        if both.is_empty() {
            open = Some(format!("open, nobody has answered both versions of {id}"));
        }
    }
    open.map_or(Verdict::Accepted, Verdict::Open)
}

fn record(unit: &Unit, made: &Translated, items: &[Item], language: Language) -> MadeUnit {
    MadeUnit {
        id: unit.id.clone(),
        items: unit.items.iter().map(|&number| made_id(&items[number]).to_string()).collect(),
        from: language,
        to: language,
        source: unit.source.clone(),
        first: None,
        texts: made.texts.clone(),
        review: None,
        back: None,
        chrf_back: None,
        chrf_against: None,
        rounds: made.rounds.clone(),
        flags: made.flags.clone(),
        canary: None,
    }
}

/// Returns lines with both versions of each adapted item. They are questions of their own, so that one person gets both.
fn both(items: &[Item], units: &[Unit], made: &[Translated], language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    for (unit, made) in units.iter().zip(made) {
        let Some(adapted) = &made.texts else { continue };
        for (version, texts) in [("direct", &unit.source), ("adapted", adapted)] {
            lines.extend(unit.items.iter().enumerate().filter_map(|(at, &number)| {
                let item = &items[number];
                line_of(item, texts, at, version, language)
            }));
        }
    }
    lines
}

fn line_of(item: &Item, texts: &Texts, at: usize, version: &str, language: Language) -> Option<String> {
    let question = texts.questions.get(at)?;
    let letters: Vec<String> = item.gold.options().into_iter().map(option_letter).collect();
    let line = json!({
        "id": format!("{}/{version}", made_id(item)),
        "story_id": format!("{}/{version}", item.story),
        "language": language,
        "story": texts.story,
        "question": question.question,
        "options": question.options,
        "answer": if item.gold.kind() == "single" { json!(letters.first()) } else { json!(letters) },
        "kind": item.gold.kind(),
        "version": version,
    });
    Some(line.to_string())
}
