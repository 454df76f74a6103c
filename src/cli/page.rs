//! `tomeval report --format html`: writes runs as one page.

use std::path::{Path, PathBuf};

use super::ranks::tested_runs;
use super::reading::{open_run, read_run, write_page};
use crate::reopen::ReadOptions;
use crate::reopen::page::{PageRun, page};
use crate::report::{PageFacts, Report, View, names_of, render};
use crate::run::Recorded;
use crate::table::Format;
use crate::terminal::files;
use crate::terminal::progress::Shown;
use crate::terminal::shell;
use crate::trial::LoadedItems;

/// Output of pages and files, and their contents.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Pages and files")]
pub struct PageArgs {
    /// Write the report to this file [default: stdout]; items of a large run go into a folder beside it, named after
    /// the file without its extension. Other formats write their files into a folder of this name.
    #[arg(long, value_name = "FILE|DIR")]
    pub output: Option<PathBuf>,
    /// Leave out all texts of benchmarks and models: stories, questions, options, prompts and replies.
    #[arg(long)]
    pub no_texts: bool,
}

/// Runs to write as a page.
pub struct PageOf<'a> {
    /// Run folders.
    pub runs: &'a [PathBuf],
    /// Data of the runs.
    pub data: Option<&'a Path>,
    /// Options for reading records.
    pub how: ReadOptions,
}

impl PageOf<'_> {
    /// Writes the page, and returns its report. A run without available data contributes its `saved` report and no
    /// items.
    pub fn write(&self, args: &PageArgs, saved: impl Fn(&Path) -> anyhow::Result<Report>) -> anyhow::Result<Report> {
        let place = args.output.clone().unwrap_or_else(|| PathBuf::from("report.html"));
        let opened = self.runs.iter().map(|run| open(run, self.data, &self.how)).collect::<anyhow::Result<Vec<_>>>()?;
        let mut reports = Vec::new();
        let mut read = Vec::new();
        for (path, opened) in self.runs.iter().zip(&opened) {
            let Some((recorded, loaded)) = opened else {
                reports.push(saved(path)?);
                eprintln!("{}: no items in the page without data; pass a run folder and --data DIR", path.display());
                continue;
            };
            let run = read_run(recorded.clone(), loaded, &self.how)?;
            let report = Shown::during("computing metrics", || run.report(self.runs.len() > 1))?;
            read.push((reports.len(), run));
            reports.push(report);
        }
        let names = names_of(&reports);
        let every: Vec<_> = read.iter().map(|(_, run)| run).collect();
        let tested = tested_runs(&every, &reports);
        let report = Report::merge(reports);
        if read.is_empty() {
            let text = render(&report, Format::Html, &View::WHOLE);
            match &args.output {
                Some(output) => files::write(output, text)?,
                None => crate::terminal::stdout::print(&text)?,
            }
            return Ok(report);
        }
        let (numbers, read): (Vec<usize>, Vec<_>) = read.into_iter().unzip();
        let output = if args.output.is_some() { "" } else { " --output report.html" };
        let known = PageFacts { tested, renew: Some(shell::this_command_again() + output), ..PageFacts::default() };
        let run = |(number, read): (usize, _)| PageRun { name: names[number].clone(), read };
        let runs: Vec<PageRun<'_>> = numbers.into_iter().zip(&read).map(run).collect();
        let with_texts = !args.no_texts;
        match &args.output {
            Some(_) => Shown::during("writing the page", || write_page(&runs, known, &report, &place, with_texts))?,
            None => {
                let files = Shown::during("writing the page", || page(&runs, known, &report, &place, with_texts))?;
                anyhow::ensure!(
                    files.beside.is_empty(),
                    "the items do not fit into one page; name its file with --output FILE"
                );
                crate::terminal::stdout::print(&files.html)?;
            }
        }
        Ok(report)
    }
}

/// Opens a run and its items; `None` if the path is not a run or its items are unavailable.
pub fn open(path: &Path, data: Option<&Path>, how: &ReadOptions) -> anyhow::Result<Option<(Recorded, LoadedItems)>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let (recorded, loaded) = open_run(path, data, how)?;
    Ok(loaded.map(|loaded| (recorded, loaded)))
}
