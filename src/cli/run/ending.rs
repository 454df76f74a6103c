//! The end of a run: reports, their location, and next steps.

use std::path::{Path, PathBuf};

use super::Request;
use crate::arguments::place::Place;
use crate::cli::ranks::tested_runs;
use crate::cli::reading::{PAGE, Reported, note_start, print_warnings, write_page, write_reports};
use crate::cli::workload::Questions;
use crate::cli::{Outcome, is_full, unless_full};
use crate::reopen::ReadRun;
use crate::reopen::page::PageRun;
use crate::report::{PageFacts, Report, TestedRuns, names_of, protocol_tables};
use crate::run::{RunError, RunFolder, Timings};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::terminal::say;
use crate::terminal::shell;

/// A variant with all trials recorded.
pub struct Asked<'a> {
    pub folder: PathBuf,
    /// The report; `None` for a shard.
    pub report: Option<Reported<'a>>,
    pub outcome: Outcome,
}

fn tested(done: &[&Asked<'_>]) -> TestedRuns {
    let reported = done.iter().filter_map(|done| done.report.as_ref());
    let (read, reports): (Vec<&ReadRun<'_>>, Vec<&Report>) =
        reported.map(|reported| (&reported.read, &reported.report)).unzip();
    tested_runs(&read, &reports)
}

/// Workload of the run, and how to present its end.
#[derive(Clone, Copy)]
pub struct Ending<'a> {
    pub request: &'a Request,
    pub questions: &'a Questions,
}

impl<'a> Ending<'a> {
    /// Reports the end of a single run.
    pub fn of_one(&self, done: &Asked<'_>) -> anyhow::Result<Outcome> {
        if let Some(report) = &done.report {
            self.request.args.format.print_end(&report.report, self.request.args.tables)?;
            say(format!("\n{}", self.whats_next(&[done], &report.report)));
        }
        Ok(done.outcome)
    }

    /// Reports the end of several runs, whose folders are in `out`.
    pub fn of_all(&self, all: &[Asked<'_>], out: Option<&Path>) -> anyhow::Result<Outcome> {
        let outcome = match all.iter().all(|done| done.outcome == Outcome::Done) {
            true => Outcome::Done,
            false => Outcome::Incomplete,
        };
        // A study reports once, at its end.
        if self.request.args.in_study {
            return Ok(outcome);
        }
        let finished: Vec<&Asked<'_>> = all.iter().filter(|done| done.report.is_some()).collect();
        // Further commands read answers, which a first phase has not.
        let has_answers =
            |done: &Asked<'_>| done.report.as_ref().is_some_and(|report| !report.report.results.is_empty());
        let answered: Vec<&Asked<'_>> = finished.iter().copied().filter(|done| has_answers(done)).collect();
        let answered = if answered.is_empty() { finished.clone() } else { answered };
        let reports: Vec<Report> =
            finished.iter().filter_map(|done| Some(done.report.as_ref()?.report.clone())).collect();
        if !reports.is_empty() {
            let names = names_of(&reports);
            let tested = out.map(|_| tested(&answered)).unwrap_or_default();
            let report = Report::merge(reports);
            self.request.args.format.print_end(&report, self.request.args.tables)?;
            say(format!("\n{}", self.whats_next(&answered, &report)));
            if let Some(out) = out {
                let place = out.join(PAGE);
                let read = finished.iter().filter_map(|done| Some(&done.report.as_ref()?.read));
                let runs: Vec<PageRun<'_>> =
                    names.into_iter().zip(read).map(|(name, read)| PageRun { name, read }).collect();
                match write_page(&runs, PageFacts { tested, ..PageFacts::default() }, &report, &place, true) {
                    Ok(()) => say(format!("All runs on one page: {}", shell::path(&place))),
                    Err(error) if is_full(&error) => return Err(error),
                    Err(error) => eprintln!("warning: {error:#}; `tomeval report --format html` writes the page again"),
                }
            }
        }
        Ok(outcome)
    }

    /// Lists the folders, and suggests next commands.
    fn whats_next(&self, done: &[&Asked<'_>], found: &Report) -> String {
        let folders: Vec<String> = done.iter().map(|done| shell::path(&done.folder)).collect();
        let all = folders.join(" ");
        let what = "Records, tables (report.md, report.csv, results.json) and all items on a page (report.html) are in";
        let (how, accepted) = self.request.args.reading.typed();
        let next = match &folders[..] {
            // `attend` analyses neither a server's model nor prompts that contain replies.
            [one] if self.questions.variants.len() > 1 || self.request.place == Place::Server => {
                ("compare with another run in place of OTHER", format!("tomeval compare {one} OTHER{how}"))
            }
            [one] => {
                let written = self.questions.variants.iter().all(|(_, settings)| settings.writing.is_some());
                let written = if written { " --written" } else { "" };
                ("show what the model attended to", format!("tomeval attend --run {one}{written}"))
            }
            _ => ("compare them on the same items, with tests", format!("tomeval compare {all}{how}")),
        };
        let report = ("print the tables", format!("tomeval report {all}{how}{accepted}"));
        let tables = protocol_tables(found).join(",");
        let protocol = (!tables.is_empty())
            .then(|| ("print the protocol's tables", format!("tomeval report {all}{how}{accepted} --table {tables}")));
        // A separate line can be pasted.
        let lines = std::iter::once(report).chain(protocol).chain([next]);
        let next: String = lines.map(|(about, command)| format!("\nNext, {about}:\n  {command}")).collect();
        format!("{what}\n  {}{next}", folders.join("\n  "))
    }

    /// Reports a run that was already complete; `done` is the work that was skipped.
    pub fn of_complete(&self, folder: &RunFolder, done: &str) -> anyhow::Result<Option<Asked<'a>>> {
        note_start(folder)?;
        print_warnings(folder.warnings());
        say(format!("{} is already complete; nothing was {done}.", folder.path().display()));
        self.finish(folder)
    }

    /// Returns the results of a complete run, or prints the next step for a shard; `None` if a full disk stopped it.
    pub fn finish(&self, folder: &RunFolder) -> anyhow::Result<Option<Asked<'a>>> {
        let Ending { request: Request { args, .. }, questions } = self;
        let (out, path) = (shell::path(folder.path()), folder.path().to_path_buf());
        if folder.settled().shard.is_some_and(|shard| shard.of > 1) {
            say(format!("Shard finished. Join all shards with `tomeval merge --out DIR {out} ...`."));
            return Ok(Some(Asked { folder: path, report: None, outcome: Outcome::Done }));
        }
        // Several variants are compared item by item.
        let with_items = args.format.wants_items() || questions.variants.len() > 1;
        let write = || write_reports(folder, &questions.loaded, &args.reading, with_items);
        let Some(report) = unless_full(Shown::during("writing reports", write), &path)? else { return Ok(None) };
        let whole = report.read.failed_trials == 0
            && !report.report.has_unread_rows()
            && !report.report.has_changed_records()
            && !args.reading.changed.refuses(&report.report);
        let outcome = if whole { Outcome::Done } else { Outcome::Incomplete };
        Ok(Some(Asked { folder: path, report: Some(report), outcome }))
    }
}

/// Prints the timings as formatted by `spent`; `None` if work was interrupted or the backend broke, after printing how
/// to continue.
pub fn worked(
    timings: Result<Timings, RunError>,
    out: &Path,
    spent: impl FnOnce(&Timings) -> String,
) -> anyhow::Result<Option<Timings>> {
    let timings = match timings {
        Err(error @ RunError::Broken { .. }) => {
            // The cause comes last, where people and logs look for it.
            eprintln!("{}", to_go_on(out));
            eprintln!("tomeval: {}", for_terminal(&error.to_string()));
            return Ok(None);
        }
        timings => timings?,
    };
    say(spent(&timings));
    if !timings.finished {
        eprintln!("{}", to_go_on(out));
    }
    Ok(timings.finished.then_some(timings))
}

/// Says how to continue stopped work.
pub fn to_go_on(out: &Path) -> String {
    format!("Stopped. Finished work is in {}; run the same command again to continue.", out.display())
}
