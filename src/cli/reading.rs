//! How records are read, as arguments, and the reports that a run's folder holds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use clap::Args;

use crate::answer::{Normalisation, Reread, TieRule};
use crate::counted::counted;
use crate::extract::{Reading, Rules};
use crate::ledger::{Mixture, replace_file};
use crate::name::option_letter;
use crate::reopen::page::{PageRun, page, save};
use crate::reopen::{Facets, ReadOptions, ReadRun, read_records};
use crate::report::{Report, View, names_of, render, summary};
use crate::run::{ATTENTION_PAGE, Model, Program, Recorded, RunFolder, Started};
use crate::table::{Format, Screen};
use crate::terminal::progress::Shown;
use crate::terminal::shell;
use crate::trial::{Dataset, LoadedItems, are_items_kept};

/// The report as Markdown, in a run's folder.
const REPORT: &str = "report.md";

/// What the folder holds, in it.
const README: &str = "README.md";

/// The page of all items, in a run's folder.
pub const PAGE: &str = "report.html";

/// How records are read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long)]
    pub normalisation: Option<Normalisation>,
    /// Tie rule for votes over orders: the higher mean probability and then a draw, or the answer seen
    /// first as in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first")]
    pub tie: TieRule,
    #[command(flatten)]
    pub by: ByArgs,
    #[command(flatten)]
    pub changed: ChangedDataArgs,
}

/// What to make of data that are not the released files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ChangedDataArgs {
    /// Accept files whose rows differ from the counts of the benchmark's card: the report still says so, but the exit code is
    /// not 1 for it.
    #[arg(long)]
    allow_changed_data: bool,
}

impl ChangedDataArgs {
    /// Whether a report is of data that were not accepted.
    pub fn refuses(self, report: &Report) -> bool {
        report.has_changed_data() && !self.allow_changed_data
    }
}

/// Tables beside those of the benchmark's card.
#[derive(Debug, Clone, Default, Args)]
pub struct ByArgs {
    /// Add a table of accuracy by a facet, for instance task, or by several as order,task; may be given several times.
    /// `tomeval data check` lists the facets.
    #[arg(long, value_name = "FACET")]
    by: Vec<String>,
}

impl ByArgs {
    /// The facets named.
    pub fn facets(&self) -> Facets {
        Facets(self.by.clone())
    }
}

impl ReadingArgs {
    /// These arguments as they are typed, each behind a space: how records are read, which `compare` takes too, and what is
    /// accepted in them.
    pub fn typed(&self) -> (String, String) {
        let mut how: String = self.by.by.iter().map(|facet| format!(" --by {}", shell::word(facet))).collect();
        how.extend(self.normalisation.map(|normalisation| format!(" --normalisation {}", normalisation.name())));
        if self.tie != TieRule::default() {
            how.push_str(&format!(" --tie {}", self.tie.name()));
        }
        (how, if self.changed.allow_changed_data { " --allow-changed-data".to_string() } else { String::new() })
    }

    /// How to read records; replies by these rules where some are named.
    pub fn how(&self, rules: Option<Rules>) -> ReadOptions {
        ReadOptions {
            normalisation: self.normalisation,
            tie: self.tie,
            by: self.by.facets(),
            rules,
            irrelevant: BTreeMap::new(),
        }
    }
}

/// Say what is odd about a run's folder.
pub fn print_warnings(warnings: &[String]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Note in a run's folder how it was started, and when.
pub fn note_start(folder: &RunFolder) -> anyhow::Result<()> {
    let started = Started {
        at: jiff::Timestamp::now().round(jiff::Unit::Second)?.to_string(),
        version: Program::this().version,
        command: shell::this_command(),
    };
    Ok(folder.note_start(&started)?)
}

/// Say what parts of a run were made with, where they were not all made with the same.
pub fn print_mixed(mixed: &[Mixture]) {
    if !mixed.is_empty() {
        let keys: Vec<String> = mixed.iter().map(Mixture::to_string).collect();
        eprintln!("Parts of this run differ in {}; see its manifest.", keys.join(", "));
    }
}

/// Open a run folder, and load its items where it keeps them or their files are at hand.
pub fn open_run(
    path: &Path,
    data: Option<&Path>,
    how: &ReadOptions,
) -> anyhow::Result<(Recorded, Option<LoadedItems>)> {
    let recorded = Recorded::open(path)?;
    let manifest = &recorded.manifest;
    how.check(&manifest.settings).with_context(|| path.display().to_string())?;
    let data = data.map(Path::to_path_buf);
    if !are_items_kept(path) && !Dataset::of_run(&manifest.settings, data.clone()).has_files() {
        return Ok((recorded, None));
    }
    let load = || manifest.load_items(path, data);
    let loaded = Shown::during("reading items", load).with_context(|| path.display().to_string())?;
    Ok((recorded, Some(loaded)))
}

/// Read the records of a run, and say what is odd about its folder and which replies say something else now.
pub fn read_run<'a>(recorded: Recorded, loaded: &'a LoadedItems, how: &ReadOptions) -> anyhow::Result<ReadRun<'a>> {
    let path = recorded.folder().to_path_buf();
    let read = || read_records(recorded, loaded, how);
    let read = Shown::during("reading records", read).with_context(|| path.display().to_string())?;
    print_warnings(&read.records.warnings);
    if let Some(rules) = how.rules {
        print_reread(&path, &read.reread, rules);
    }
    Ok(read)
}

/// A run that was read, and its report.
pub struct Reported<'a> {
    /// The report.
    pub report: Report,
    /// The run.
    pub read: ReadRun<'a>,
}

/// Read a finished run and write `results.json`, `report.md`, `report.csv` and the page `report.html` beside its records.
/// Its report tells of each item where that is wanted.
pub fn write_reports<'a>(
    folder: &RunFolder,
    loaded: &'a LoadedItems,
    args: &ReadingArgs,
    with_items: bool,
) -> anyhow::Result<Reported<'a>> {
    let read = read_records(Recorded::open(folder.path())?, loaded, &args.how(None))?;
    print_warnings(&read.records.warnings);
    let report = read.report(with_items)?;
    folder.write("results.json", &report.to_json())?;
    folder.write(REPORT, &with_link(render(&report, Format::Markdown, &View::WHOLE), folder.path()))?;
    folder.write("report.csv", &render(&report, Format::Csv, &View::WHOLE))?;
    folder.write(README, &readme(&report, folder))?;
    let name = names_of(std::slice::from_ref(&report)).concat();
    // Everything in it stands in the other files too.
    if let Err(error) = write_page(&[PageRun { name, read: &read }], &report, &folder.path().join(PAGE), true) {
        if super::is_full(&error) {
            return Err(error);
        }
        eprintln!("warning: {error:#}; `tomeval report --format html` writes the page again");
    }
    Ok(Reported { report, read })
}

/// Write the page of runs that were read, with their report as its overview.
pub fn write_page(runs: &[PageRun<'_>], report: &Report, place: &Path, with_texts: bool) -> anyhow::Result<()> {
    Ok(save(&page(runs, report, place, with_texts)?, place)?)
}

/// Files of a run's folder, and what they hold.
const FILES: [(&str, &str); 13] = [
    (
        "report.html",
        "everything on one page: tables, each item with its votes, prompts and replies; open it in a browser",
    ),
    (REPORT, "all tables and where the numbers come from, to read"),
    ("report.csv", "the same numbers, one a row, for a spreadsheet"),
    ("results.json", "the same for programs"),
    ("trials.jsonl", "what was answered: a line for each item, condition and option order"),
    ("items.jsonl", "the items that were asked, with their options and right answers"),
    ("inputs", "prompts, example files and what else is known of the data"),
    ("manifest.json", "all that the numbers depend on: data, prompts, settings, model, plan"),
    ("trials.sha256", "a checksum of each line of `trials.jsonl`"),
    ("timings.jsonl", "how long it took"),
    ("commands.jsonl", "how it was started"),
    (ATTENTION_PAGE, "what the model looked at"),
    ("attention", "the same, item by item"),
];

/// What a folder holds, for whoever finds it.
fn readme(report: &Report, folder: &RunFolder) -> String {
    let summary = summary(report, Screen { width: Some(80) });
    let attend = match folder.settled().model {
        Model::Local(_) => "tomeval attend --run .           # what the model looked at\n",
        Model::Server(_) => "",
    };
    let there = |name: &str| name == PAGE || folder.path().join(name).exists();
    let files: String =
        FILES.iter().filter(|(name, _)| there(name)).map(|(name, what)| format!("| `{name}` | {what} |\n")).collect();
    format!(
        "# A run of tomeval {}\n\n```text\n{}\n```\n\n| file | what it holds |\n|---|---|\n{files}\nThese commands read the folder, \
         which needs no other file:\n\n```sh\ntomeval report .                 # all tables\ntomeval report . --by task       # by \
         any facet\ntomeval compare . OTHER-RUN      # differences with intervals and tests\n{attend}tomeval annotate mark --run .    # a \
         page for people\n```\n\nThe documentation of tomeval (docs/formats.md) describes every key.\n",
        folder.settled().program.version,
        summary.trim_end()
    )
}

/// A report as Markdown, ending with a link to the folder's attention page where it has one.
fn with_link(report: String, folder: &Path) -> String {
    let link = format!("[What the model looked at]({})\n", ATTENTION_PAGE);
    match folder.join(ATTENTION_PAGE).is_file() && !report.ends_with(&link) {
        true => format!("{}\n\n{link}", report.trim_end()),
        false => report,
    }
}

/// Let a finished run's report link to its attention page, after the page was made.
pub fn link_page(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(REPORT);
    if !path.is_file() {
        return Ok(());
    }
    let report = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    replace_file(&path, with_link(report, folder)).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Say which replies say something else by other rules.
fn print_reread(folder: &Path, read: &[Reread], rules: Rules) {
    let changed: Vec<&Reread> = read.iter().filter(|reread| reread.is_other_answer()).collect();
    for reread in &changed {
        let said = |reading: &Reading| {
            let labels: Vec<String> = reading.slots.iter().map(|slot| option_letter(*slot)).collect();
            let answer = if labels.is_empty() { reading.outcome.name().to_string() } else { labels.join(", ") };
            reading.rule.as_ref().map_or(answer.clone(), |rule| format!("{answer} ({rule})"))
        };
        let condition = reread.condition.as_ref().map_or(String::new(), |condition| format!(", {condition}"));
        let sample = reread.sample.map_or(String::new(), |sample| format!(", sample {sample}"));
        eprintln!(
            "{} ({}{condition}, order {:?}{sample}): {} before, {} now",
            reread.id,
            reread.style,
            reread.order.as_slice(),
            said(&reread.before),
            said(&reread.after)
        );
    }
    eprintln!(
        "{}: {} of {} read differently by the rules `{}`",
        folder.display(),
        changed.len(),
        counted(read.len(), "reply"),
        rules.name()
    );
}
