//! How records are read, as arguments, and the reports that a run's folder holds.

use std::path::Path;

use anyhow::Context;
use clap::Args;

use tomeval::answer::{Normalisation, Reread, TieRule};
use tomeval::extract::{Reading, Rules};
use tomeval::name::option_letter;
use tomeval::reading::page::{PageRun, page, save};
use tomeval::reading::{Facets, How, read_folder};
use tomeval::report::{Format, Report, Screen, names_of, render};
use tomeval::run::{ATTENTION_PAGE, LoadedItems, Mixture, RunFolder};

/// The report as Markdown, in a run's folder.
const REPORT: &str = "report.md";

/// The page of all items, in a run's folder.
pub const PAGE: &str = "report.html";

/// How records are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts].
    #[arg(long)]
    pub normalisation: Option<Normalisation>,
    /// Who wins among equally many votes over orders: the higher mean probability and then a draw, or the answer seen
    /// first as in ToMBench's scripts.
    #[arg(long, default_value_t, value_name = "probability|first")]
    pub tie: TieRule,
    #[command(flatten)]
    pub by: ByArgs,
    #[command(flatten)]
    pub changed: ChangedDataArgs,
}

/// What to make of data that are not the released files.
#[derive(Debug, Clone, Copy, Args)]
pub struct ChangedDataArgs {
    /// Accept files with other rows than the benchmark's card counts: the report says so all the same, and the exit code is
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
    /// How to read records; replies by these rules where some are named.
    pub fn how(&self, rules: Option<Rules>) -> How {
        How { normalisation: self.normalisation, tie: self.tie, by: self.by.facets(), rules }
    }
}

/// Say what is odd about a run's folder.
pub fn tell_warnings(warnings: &[String]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Say what parts of a run were made with, where they were not all made with the same.
pub fn tell_mixed(mixed: &[Mixture]) {
    if !mixed.is_empty() {
        let keys: Vec<String> = mixed.iter().map(Mixture::to_string).collect();
        eprintln!("Not all parts of this run were made with the same {}; its manifest says so.", keys.join(", "));
    }
}

/// What was read.
pub struct Reported {
    /// The report.
    pub report: Report,
    /// Trials without a result.
    pub failed_trials: usize,
}

/// Read a finished run and write `results.json`, `report.md`, `report.csv` and the page `report.html` beside its records.
pub fn write_reports(folder: &RunFolder, loaded: &LoadedItems, args: &ReadingArgs) -> anyhow::Result<Reported> {
    let read = read_folder(folder.path(), loaded, &args.how(None))?;
    tell_warnings(&read.warnings);
    let report = read.report(true)?;
    let screen = Screen { width: None };
    folder.write("results.json", &report.to_json())?;
    folder.write(REPORT, &with_link(render(&report, Format::Markdown, screen), folder.path()))?;
    folder.write("report.csv", &render(&report, Format::Csv, screen))?;
    let place = folder.path().join(PAGE);
    let name = names_of(std::slice::from_ref(&report)).concat();
    let run = PageRun { name, folder: folder.path(), read: &read };
    // Everything in it stands in the other files too.
    let written = page(&[run], &report, &place, true).map_err(anyhow::Error::from);
    if let Err(error) = written.and_then(|files| Ok(save(&files, &place)?)) {
        eprintln!("warning: {error:#}; `tomeval report --format html` writes the page again");
    }
    Ok(Reported { failed_trials: read.failed_trials(), report })
}

/// Write one page of several runs of the same items.
pub fn write_page(folders: &[&Path], loaded: &LoadedItems, args: &ReadingArgs, place: &Path) -> anyhow::Result<()> {
    let how = args.how(None);
    let read = folders.iter().map(|folder| read_folder(folder, loaded, &how)).collect::<Result<Vec<_>, _>>()?;
    let reports = read.iter().map(|read| read.report(true)).collect::<Result<Vec<_>, _>>()?;
    let named = names_of(&reports).into_iter().zip(folders).zip(&read);
    let runs: Vec<PageRun<'_>> = named.map(|((name, folder), read)| PageRun { name, folder, read }).collect();
    save(&page(&runs, &Report::merge(reports), place, true)?, place)?;
    Ok(())
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
    std::fs::write(&path, with_link(report, folder)).with_context(|| format!("{}: cannot be written", path.display()))
}

/// The report of a run folder over the given items, and where it is wanted of each item on its own; what is odd about the
/// folder and which replies say something else now is printed.
pub fn read_report(folder: &Path, loaded: &LoadedItems, how: &How, with_items: bool) -> anyhow::Result<Reported> {
    let read = read_folder(folder, loaded, how).with_context(|| folder.display().to_string())?;
    tell_warnings(&read.warnings);
    if let Some(rules) = how.rules {
        tell_reread(folder, &read.reread, rules);
    }
    Ok(Reported { report: read.report(with_items)?, failed_trials: read.failed_trials() })
}

/// Say which replies say something else by other rules.
fn tell_reread(folder: &Path, read: &[Reread], rules: Rules) {
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
        "{}: {} of {} replies say something else by the rules `{}`",
        folder.display(),
        changed.len(),
        read.len(),
        rules.name()
    );
}
