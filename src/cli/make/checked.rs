//! Findings of checks as a table, texts to compare with, and `tomeval make check`.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::Outcome;
use crate::arguments::setup::{ChoiceArgs, DataArgs};
use crate::benchmark::{Benchmark, Item, LoadOptions};
use crate::cli::annotate::source::items;
use crate::cli::report::screen;
use crate::counted::counted;
use crate::language::Language;
use crate::make::check::{Checker, Made, past_narration};
use crate::make::flag::{Check, Flag};
use crate::make::set::{gold_of, made_id};
use crate::make::texts::Texts;
use crate::make::translate::Unit;
use crate::safe_text::{for_json, for_terminal};
use crate::table::{Format, Grid, Value, cells};
use crate::terminal::stdout::print;
use crate::trial::Dataset;

/// Longest span in a table, in characters.
const SPAN: usize = 40;

/// Arguments of `tomeval make check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Language of the source.
    #[arg(long, value_name = "CODE", default_value_t = Language::En)]
    from: Language,
    /// Language of the translations to check.
    #[arg(long, value_name = "CODE")]
    to: Language,
    /// Back-translations of the same items into the language of the source, a file of items (as `make translate` writes them from
    /// the translations): options that changed places are found by them.
    #[arg(long, value_name = "FILE")]
    back: Option<PathBuf>,
    /// Note stories in English that are told in the past, as ToMBench's translation asks for the present tense; no failure.
    #[arg(long)]
    present_tense: bool,
    /// List every finding instead of one example a check.
    #[arg(long)]
    all: bool,
    /// Print the findings as JSON lines: item, and the keys of a finding in made.jsonl.
    #[arg(long, conflicts_with = "all")]
    json: bool,
}

/// Checks translations that a benchmark's files already hold.
pub fn run(mut args: Args) -> anyhow::Result<Outcome> {
    args.data.source.languages = vec![args.from, args.to];
    let all = items(&args.data, &args.choice, None)?.items;
    let targets: IndexMap<&str, &Item> =
        all.iter().filter(|item| item.language == args.to).map(|item| (item.parallel.as_str(), item)).collect();
    let sources: Vec<Item> = all
        .iter()
        .filter(|item| item.language == args.from && targets.contains_key(&*item.parallel))
        .cloned()
        .collect();
    anyhow::ensure!(
        !args.present_tense || args.to == Language::En,
        "--present-tense knows English verbs, and the translations are in {}",
        args.to.name()
    );
    anyhow::ensure!(
        !sources.is_empty(),
        "no item is there in both {} and {}; name a benchmark that has both with --benchmark",
        args.from.name(),
        args.to.name()
    );
    let units = Unit::of(&sources, false);
    let texts = |item: &Item| Unit::of(std::slice::from_ref(item), false).pop().map(|unit| unit.source);
    let target = |unit: &Unit| texts(targets[&*sources[unit.items[0]].parallel]).unwrap_or_default();
    let made: Vec<Texts> = units.iter().map(target).collect();
    let back = args.back.as_deref().map(|file| own_items("--back", file, args.from)).transpose()?.unwrap_or_default();
    let back_of = |unit: &Unit| texts(back.get(made_id(&sources[unit.items[0]]))?);
    let backs: Vec<Option<Texts>> = units.iter().map(back_of).collect();
    if let Some(file) = &args.back {
        let known = backs.iter().flatten().count();
        anyhow::ensure!(known > 0, "--back {}: has none of these items; ids are compared", file.display());
        if known < units.len() {
            eprintln!(
                "note: {} of {} have no back-translation there",
                units.len() - known,
                counted(units.len(), "item")
            );
        }
    }
    let pairs: Vec<(&Texts, &Texts)> = units.iter().map(|unit| &unit.source).zip(&made).collect();
    let checker = Checker::new(args.from, args.to, &pairs, &IndexMap::new());
    let found: Vec<(&Unit, Vec<Flag>)> = units
        .iter()
        .zip(made.iter().zip(&backs))
        .map(|(unit, (target, back))| {
            let gold = [gold_of(&sources[unit.items[0]])];
            let mut flags = checker.check(&Made { source: &unit.source, target, back: back.as_ref(), gold: &gold });
            flags.extend(args.present_tense.then(|| past_narration(target)).flatten());
            (unit, flags)
        })
        .collect();
    let flagged = found.iter().filter(|(_, flags)| !flags.iter().all(Flag::is_note)).count();
    let findings: Vec<(&str, &Flag)> =
        found.iter().flat_map(|(unit, flags)| flags.iter().map(|flag| (unit.id.as_str(), flag))).collect();
    if args.json {
        #[derive(serde::Serialize)]
        struct Line<'a> {
            item: &'a str,
            #[serde(flatten)]
            flag: &'a Flag,
        }
        let lines: Result<String, serde_json::Error> = findings
            .iter()
            .map(|(item, flag)| Ok(for_json(&serde_json::to_string(&Line { item, flag })?).into_owned() + "\n"))
            .collect();
        print(&lines?)?;
        return Ok(if flagged == 0 { Outcome::Done } else { Outcome::Incomplete });
    }
    if args.all {
        let row = |(id, flag): &(&str, &Flag)| {
            let texts = [*id, flag.check.name(), &flag.part, &flag.span, &flag.message];
            texts.map(|text| Value::from(for_terminal(text).to_string())).to_vec()
        };
        let grid = Grid::new("", 2, &["item", "check", "where", "span", "found"], findings.iter().map(row));
        tell(Format::Terminal.table(&grid, screen()))?;
    } else {
        tell(summary(&findings))?;
    }
    let share = 100.0 * flagged as f64 / units.len() as f64;
    tell(format!("{flagged} of {} ({share:.1} %) have findings.", counted(units.len(), "item")))?;
    if args.present_tense {
        let noted = findings.iter().filter(|(_, flag)| flag.is_note()).count();
        tell(format!("{noted} more are told in the past, for people to know."))?;
    }
    Ok(if flagged == 0 { Outcome::Done } else { Outcome::Incomplete })
}

/// Prints a line or several of results.
pub fn tell(text: impl Display) -> anyhow::Result<()> {
    Ok(print(&format!("{text}\n"))?)
}

/// Returns the findings by check: how many, an example, and what to do.
pub fn summary(findings: &[(&str, &Flag)]) -> String {
    if findings.is_empty() {
        return "The checks found nothing. They cannot see whether the sense is right: people must.".to_string();
    }
    let mut by_check: IndexMap<Check, Vec<&(&str, &Flag)>> = IndexMap::new();
    for finding in findings {
        by_check.entry(finding.1.check).or_default().push(finding);
    }
    by_check.sort_keys();
    let shorten = |text: &str| match text.char_indices().nth(SPAN) {
        Some((end, _)) => format!("{} [..]", &text[..end]),
        None => text.to_string(),
    };
    let row = |(check, found): (&Check, &Vec<&(&str, &Flag)>)| {
        let (id, flag) = found[0];
        let example = format!("{id}, {}: {} ({})", flag.part, shorten(&flag.span), shorten(&flag.message));
        cells![check.name(), found.len(), for_terminal(&example).to_string(), check.how_to_mend()]
    };
    let grid = Grid::new("To look at", 1, &["check", "found", "first", "how to mend"], by_check.iter().map(row));
    Format::Terminal.table(&grid, screen())
}

/// Returns translations of the same items to compare with, by their ids without language.
pub fn against(given: &str, data: &DataArgs, to: Language) -> anyhow::Result<IndexMap<String, Item>> {
    if given != "released" {
        return own_items("--against", given.as_ref(), to);
    }
    let mut source = data.source.clone();
    source.languages = vec![to];
    by_id("--against released", source.dataset(data.source.benchmarks(&data.benchmarks)?)?, to)
}

/// Returns the items of a file in a language, by their ids without language.
fn own_items(argument: &str, file: &Path, language: Language) -> anyhow::Result<IndexMap<String, Item>> {
    let dataset = Dataset::new(vec![Benchmark::Custom], Some(file.into()), LoadOptions::default())?;
    by_id(&format!("{argument} {}", file.display()), dataset, language)
}

fn by_id(told: &str, dataset: Dataset, language: Language) -> anyhow::Result<IndexMap<String, Item>> {
    let loaded = dataset.load()?;
    let found: IndexMap<String, Item> = loaded
        .items
        .into_iter()
        .filter(|item| item.language == language)
        .map(|item| (made_id(&item).to_string(), item))
        .collect();
    anyhow::ensure!(!found.is_empty(), "{told}: there are no items in {} there", language.name());
    Ok(found)
}
