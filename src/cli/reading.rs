//! Arguments for reading records, and the reports in a run's folder.

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
use crate::report::{PageFacts, Report, View, names_of, render, summary};
use crate::run::{ATTENTION_PAGE, Model, Program, Recorded, RunFolder, Started};
use crate::table::{Format, Screen};
use crate::terminal::progress::{Shown, run_folder};
use crate::terminal::shell;
use crate::trial::{Dataset, LoadedItems, are_items_kept};

/// Markdown report in a run's folder.
const REPORT: &str = "report.md";

/// Description of the folder's contents.
const README: &str = "README.md";

/// Page of all items in a run's folder.
pub const PAGE: &str = "report.html";

/// Arguments for reading records.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long)]
    pub normalisation: Option<Normalisation>,
    /// Tie rule for votes over orders: the higher mean probability and then a random draw, or the answer seen first as
    /// in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first")]
    pub tie: TieRule,
    #[command(flatten)]
    pub by: ByArgs,
    #[command(flatten)]
    pub changed: ChangedDataArgs,
}

/// Treatment of data that differ from the released files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ChangedDataArgs {
    /// Accept files whose rows differ from the counts of the benchmark's card: the report still says so, but the exit
    /// code is not 1 because of it.
    #[arg(long)]
    allow_changed_data: bool,
}

impl ChangedDataArgs {
    /// Whether a report is based on changed data that were not accepted.
    pub fn refuses(self, report: &Report) -> bool {
        report.has_changed_data() && !self.allow_changed_data
    }
}

/// Additional tables beside those of the benchmark's card.
#[derive(Debug, Clone, Default, Args)]
pub struct ByArgs {
    /// Add a table of accuracy by a facet, for instance task, or by several as order,task; may be repeated.
    /// `tomeval data check` lists the facets.
    #[arg(long, value_name = "FACET")]
    by: Vec<String>,
}

impl ByArgs {
    /// Returns the named facets.
    pub fn facets(&self) -> Facets {
        Facets(self.by.clone())
    }
}

impl ReadingArgs {
    /// Returns these arguments as typed, each after a space: those for reading records, which `compare` takes too, and
    /// the accepted changes.
    pub fn typed(&self) -> (String, String) {
        let mut how: String = self.by.by.iter().map(|facet| format!(" --by {}", shell::word(facet))).collect();
        how.extend(self.normalisation.map(|normalisation| format!(" --normalisation {}", normalisation.name())));
        if self.tie != TieRule::default() {
            how.push_str(&format!(" --tie {}", self.tie.name()));
        }
        (how, if self.changed.allow_changed_data { " --allow-changed-data".to_string() } else { String::new() })
    }

    /// Returns the reading options, with these rules for replies if any.
    pub fn how(&self, rules: Option<Rules>) -> ReadOptions {
        ReadOptions {
            normalisation: self.normalisation,
            tie: self.tie,
            by: self.by.facets(),
            rules,
            irrelevant: BTreeMap::new(),
            variance: false,
            margin: None,
        }
    }
}

/// Prints warnings about a run's folder.
pub fn print_warnings(warnings: &[String]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Records in a run's folder how and when it was started.
pub fn note_start(folder: &RunFolder) -> anyhow::Result<()> {
    run_folder(folder.path());
    let started = Started {
        at: jiff::Timestamp::now().round(jiff::Unit::Second)?.to_string(),
        version: Program::this().version,
        command: shell::this_command(),
    };
    Ok(folder.note_start(&started)?)
}

/// Warns if parts of a run were made with different settings.
pub fn print_mixed(mixed: &[Mixture]) {
    if !mixed.is_empty() {
        let keys: Vec<String> = mixed.iter().map(Mixture::to_string).collect();
        eprintln!("Parts of this run differ in {}; see its manifest.", keys.join(", "));
    }
}

/// Opens a run folder, and loads its items from it or from available files.
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

/// Reads the records of a run; prints warnings about its folder and replies that now read differently.
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

/// A run and its report.
pub struct Reported<'a> {
    /// The report.
    pub report: Report,
    /// The run.
    pub read: ReadRun<'a>,
}

/// Reads a finished run and writes `results.json`, `report.md`, `report.csv` and the page `report.html` beside its
/// records. The report includes each item if requested.
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
    // The other files contain everything in it.
    if let Err(error) =
        write_page(&[PageRun { name, read: &read }], PageFacts::default(), &report, &folder.path().join(PAGE), true)
    {
        if super::is_full(&error) {
            return Err(error);
        }
        eprintln!("warning: {error:#}; `tomeval report --format html` writes the page again");
    }
    Ok(Reported { report, read })
}

/// Writes the page of runs, with their report as its overview.
pub fn write_page(
    runs: &[PageRun<'_>],
    known: PageFacts,
    report: &Report,
    place: &Path,
    with_texts: bool,
) -> anyhow::Result<()> {
    Ok(save(&page(runs, known, report, place, with_texts)?, place)?)
}

/// Files of a run's folder, with descriptions.
const FILES: [(&str, &str); 16] = [
    (
        "report.html",
        "everything on one page: tables, each item with its votes, prompts and replies; open it in a browser",
    ),
    (REPORT, "all tables and where the numbers come from, to read"),
    ("report.csv", "the same numbers, one per row, for a spreadsheet"),
    ("results.json", "the same for programs"),
    ("trials.jsonl", "answers: one line per item, condition and option order"),
    ("items.jsonl", "the items that were asked, with their options and right answers"),
    ("inputs", "prompts, example files and information on the data"),
    ("manifest.json", "everything the numbers depend on: data, prompts, settings, model, plan"),
    ("trials.sha256", "a checksum of each line of `trials.jsonl`"),
    ("timings.jsonl", "how long the run took"),
    ("commands.jsonl", "how the run was started"),
    ("server.jsonl", "what the server said of itself at the end"),
    ("audit.json", "how far numbers moved when trials were asked again"),
    ("audit.jsonl", "the same, trial by trial"),
    (ATTENTION_PAGE, "what the model looked at"),
    ("attention", "the same, item by item"),
];

/// Describes a folder's contents to a new reader.
fn readme(report: &Report, folder: &RunFolder) -> String {
    let summary = summary(report, Screen { width: Some(80) });
    let attend = match folder.settled().model {
        Model::Local(_) if folder.settled().settings.phase.is_some() => "",
        Model::Local(_) => "tomeval attend --run .           # what the model looked at\n",
        Model::Server(_) => "",
    };
    let there = |name: &str| name == PAGE || folder.path().join(name).exists();
    let files: String =
        FILES.iter().filter(|(name, _)| there(name)).map(|(name, what)| format!("| `{name}` | {what} |\n")).collect();
    format!(
        "# A run of tomeval {}\n\n```text\n{}\n```\n\n| file | contents |\n|---|---|\n{files}\nThese commands read the \
         folder, which needs no other file:\n\n```sh\ntomeval report .                 # all tables\ntomeval report . \
         --by task       # by any facet\ntomeval compare . OTHER-RUN      # differences with intervals and \
         tests\n{attend}tomeval annotate mark --run .    # a page for people\n```\n\nThe documentation of tomeval \
         (docs/formats.md) describes every key.\n",
        folder.settled().program.version,
        summary.trim_end()
    )
}

/// Returns a Markdown report, ending with a link to the folder's attention page if it has one.
fn with_link(report: String, folder: &Path) -> String {
    let link = format!("[What the model looked at]({})\n", ATTENTION_PAGE);
    match folder.join(ATTENTION_PAGE).is_file() && !report.ends_with(&link) {
        true => format!("{}\n\n{link}", report.trim_end()),
        false => report,
    }
}

/// Links a finished run's report to its attention page, after the page was made.
pub fn link_page(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(REPORT);
    if !path.is_file() {
        return Ok(());
    }
    let report = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    replace_file(&path, with_link(report, folder)).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Prints the replies that other rules read differently.
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
