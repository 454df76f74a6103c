//! `tomeval make adapt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::Outcome;
use super::checked::{summary, tell};
use super::translate::{of_items, only_language, read_wording, with_checks};
use super::work::{Work, note_stop, read_given};
use super::writers::{WriterArgs, Writers};
use crate::annotate::{Export, Records};
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::{Facets, Item};
use crate::cli::annotate::source::items;
use crate::cli::exports::exports;
use crate::counted::counted;
use crate::language::Language;
use crate::make::adapt::Adaptation;
use crate::make::entities::Entities;
use crate::make::flag::Flag;
use crate::make::set::{ITEMS, Made, MadeUnit, UNITS, made_id, unit_lines};
use crate::make::translate::{Kind, Translated, Unit};
use crate::make::{MakeManifest, OwnItem};
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
    /// Names and things of the culture for the assistant to choose from: `own` for this project's tables, an addition to what papers do
    /// (datasets/making/entities.toml), or a file like it.
    #[arg(long, value_name = "own|FILE", help_heading = "Prompts")]
    entities: Option<String>,
    /// Take the prompts from this file instead of the project's own.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    prompts: Option<PathBuf>,
    /// Which prompts of the file: own, or multi-tom-culture (Table 2: the story with its first question, then each other one).
    #[arg(long, value_name = "NAME", default_value = "own", help_heading = "Prompts")]
    wording: String,
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
    let wording = read_wording(args.prompts.as_deref(), &args.wording)?;
    anyhow::ensure!(
        wording.has(Kind::AdaptStory) && wording.has(Kind::AdaptQuestion),
        "--wording {} has no prompts for adaptations; own and multi-tom-culture have",
        args.wording
    );
    let items = items(&args.data, &args.choice, None)?.items;
    let language = only_language(&items)?;
    let exports = if args.answers.is_empty() { Vec::new() } else { exports(&args.answers)? };
    let units = Unit::of(&items, true);
    let adapter = args.adapter.as_deref().unwrap_or(&args.assistant);
    let mut writers = Writers::open(&args.writers, &[args.assistant.as_str(), adapter], args.data.limit.seed)?;
    let (file, sha256) = wording.file();
    let entities = args.entities.as_deref().map(|given| entities(given, &args.culture)).transpose()?;
    let told = entities.as_ref().map(|table| json!({"file": table.file, "sha256": table.sha256}));
    let shown = entities.as_ref().map(Entities::told);
    let settings = [
        ("language", json!(language)),
        ("culture", json!(args.culture)),
        ("entities", json!(told)),
        ("items", of_items(&items)?),
        ("models", writers.identities(&[("assistant", &args.assistant), ("adapter", adapter)])?),
        ("prompts", json!({"file": file, "sha256": sha256, "wording": args.wording})),
        ("most_tokens", json!(args.writers.max_new_tokens)),
    ];
    let mut work = Work::open(&args.out, &MakeManifest::new("adapt", settings), writers)?;
    let adaptation = Adaptation {
        language,
        culture: &args.culture,
        entities: shown.as_deref(),
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
        units.iter().zip(&made).map(|(unit, made)| MadeUnit::new(unit, made, &items, (language, language))).collect();
    let answers = answers(&exports);
    let verdicts: Vec<Verdict> = records.iter().map(|record| verdict(record, &answers, language)).collect();
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
        back_translation: "none",
        facets: &[("culture", args.culture.as_str())],
    };
    let lines = set.items(&items, &units, &accepted)?;
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let both = both(&items, &units, &made)?;
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
            "Nothing is accepted before people have checked it in {}. Next, a page on which they answer both versions:\n  \
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

/// Reads the table of a culture.
fn entities(given: &str, culture: &str) -> anyhow::Result<Entities> {
    if given == "own" {
        return Ok(Entities::of(culture, None)?);
    }
    let (file, text) = read_given("--entities", given.as_ref())?;
    Ok(Entities::of(culture, Some((&file, &text)))?)
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

/// Choices of each person, by item; what somebody does not know is none.
type Answers<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a Value>>;

fn answers(exports: &[Export]) -> Answers<'_> {
    let mut answers = Answers::new();
    for export in exports {
        let Records::Answers(records) = &export.records else { continue };
        for answer in records.iter().filter(|answer| !answer.unknown) {
            answers.entry(answer.rater.as_str()).or_default().insert(&answer.id, &answer.choice);
        }
    }
    answers
}

fn verdict(record: &MadeUnit, answers: &Answers<'_>, language: Language) -> Verdict {
    if record.texts.is_none() {
        return Verdict::Open("it was not adapted".to_string());
    }
    let mut open = None;
    for id in &record.items {
        let [direct, adapted] = ["direct", "adapted"].map(|version| format!("custom/{id}/{version}/{language}"));
        let both: Vec<(&str, bool)> = answers
            .iter()
            .filter_map(|(rater, said)| Some((*rater, said.get(&*direct)? == said.get(&*adapted)?)))
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

/// Returns lines with both versions of each adapted item. They are questions of their own, so that one person gets both.
fn both(items: &[Item], units: &[Unit], made: &[Translated]) -> serde_json::Result<Vec<String>> {
    let mut lines = Vec::new();
    for (unit, made) in units.iter().zip(made) {
        let Some(adapted) = &made.texts else { continue };
        for (version, texts) in [("direct", &unit.source), ("adapted", adapted)] {
            for (&number, question) in unit.items.iter().zip(&texts.questions) {
                let item = &items[number];
                let line = OwnItem::<()> {
                    id: format!("{}/{version}", made_id(item)).into(),
                    parallel: None,
                    story_id: format!("{}/{version}", item.story).into(),
                    facets: Facets::from([("version".to_string(), version.to_string())]),
                    ..OwnItem::new(item)
                };
                lines.push(serde_json::to_string(&line.with_texts(&texts.story, question))?);
            }
        }
    }
    Ok(lines)
}
