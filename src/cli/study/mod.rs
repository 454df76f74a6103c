//! `tomeval study`: runs models x tasks, then ranks the models.

mod file;
mod init;
pub mod presets;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Args as ClapArgs;
use indexmap::IndexSet;

use super::report::{COLUMNS, TableFormatArgs};
use super::{Outcome, run};
use crate::arguments::shard::{self, ShardChoice};
use crate::benchmark::Benchmark;
use crate::counted::counted;
use crate::run::Shard;
use crate::safe_text::for_terminal;
use crate::table::{Format, Screen};
use crate::terminal::files::save;
use crate::terminal::progress::{StudyRun, of_study};
use crate::terminal::{say, shell};
use report::{StudyReport, by_task};

use file::Combination;
#[cfg(test)]
pub(super) use report::StudyReport as Document;

/// Arguments of `tomeval study`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = super::EXIT_CODES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<StudyCommand>,
    /// File of the study: models and tasks as tables of arguments of `tomeval run` (docs/study.md).
    #[arg(required = true)]
    file: Option<PathBuf>,
    /// Folder of the study; unfinished runs there are continued [default: the name of the file without its ending].
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Only combinations with this model or task, as model=NAME; may be given several times.
    #[arg(long, value_name = "model=NAME|task=NAME", value_parser = only)]
    only: Vec<Only>,
    /// Do only part I of N (from 1) of every run; join the folders with `tomeval merge`.
    #[arg(long, value_name = "I/N|auto")]
    shard: Option<ShardChoice>,
    /// Show what each run would take, without loading any weights.
    #[arg(long)]
    plan: bool,
    #[command(flatten)]
    format: TableFormatArgs,
    /// Further arguments of every run, for instance `-- --device cuda:all --offline`.
    #[arg(last = true, value_name = "ARGUMENTS OF RUN")]
    more: Vec<String>,
}

#[derive(Debug, clap::Subcommand)]
enum StudyCommand {
    /// Write a commented file as a starting point.
    Init {
        /// Benchmark of its first task.
        benchmark: Benchmark,
        /// File to write.
        #[arg(long, short, default_value = "study.toml")]
        out: PathBuf,
    },
}

/// `--only`.
#[derive(Debug, Clone)]
enum Only {
    Model(String),
    Task(String),
}

fn only(given: &str) -> Result<Only, String> {
    match given.split_once('=') {
        Some(("model", name)) => Ok(Only::Model(name.to_string())),
        Some(("task", name)) => Ok(Only::Task(name.to_string())),
        _ => Err("write model=NAME or task=NAME".to_string()),
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if let Some(StudyCommand::Init { benchmark, out }) = &args.command {
        anyhow::ensure!(!out.exists(), "{} already exists; name another file with --out", out.display());
        save(out, init::file(*benchmark))?;
        say(format!("Next: tomeval study {} --plan", shell::path(out)));
        return Ok(Outcome::Done);
    }
    let (format, screen) = args.format.chosen();
    let Some(file) = &args.file else { unreachable!("clap requires the file") };
    let shard = shard::chosen(args.shard)?.filter(|shard| shard.of > 1);
    let out = args.out.clone().unwrap_or_else(|| folder_of(file, shard));
    let mut more: Vec<OsString> = args.more.iter().map(OsString::from).collect();
    more.extend(shard.map(|shard| format!("--shard={}/{}", shard.index, shard.of).into()));
    let all = file::combinations(file, &out, &more)?;
    let chosen = |each: &&Combination| {
        let (models, tasks): (Vec<&Only>, Vec<&Only>) = args.only.iter().partition(|it| matches!(it, Only::Model(_)));
        let is_named = |only: &&Only| match only {
            Only::Model(name) => *name == each.model,
            Only::Task(name) => *name == each.task,
        };
        [models, tasks].iter().all(|wanted| wanted.is_empty() || wanted.iter().any(is_named))
    };
    let combinations: Vec<&Combination> = all.iter().filter(chosen).collect();
    anyhow::ensure!(
        !combinations.is_empty(),
        "--only: {} has no such model and task; it has {}",
        file.display(),
        all.iter().map(|each| format!("{}/{}", each.model, each.task)).collect::<Vec<_>>().join(", ")
    );
    if args.plan {
        let all = combinations.iter().map(|each| (each.folder.display().to_string(), &each.args.workload));
        return super::plan::several::plan(all, args.format.is_json());
    }
    let again = format!("tomeval study {}", shell::path(file));
    let again = &*again;
    let study = Study { out: &out, combinations: &combinations, is_shard: shard.is_some(), again };
    study.run(format, screen)
}

/// Folder of a study or of one shard of it, named after its file.
fn folder_of(file: &Path, shard: Option<Shard>) -> PathBuf {
    let part = shard.map(|Shard { index, of }| format!("-{index}-of-{of}")).unwrap_or_default();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!("{stem}{part}"))
}

/// Refuses arguments of a single model; returns the folder of the runs.
fn check_models(args: &run::Args) -> anyhow::Result<&Path> {
    let run::Args { workload, name, verify_batching, .. } = args;
    workload.check_several_models(&[("--name", name.is_some()), ("--verify-batching", verify_batching.is_some())])?;
    args.out.as_deref().context("several models need a folder for their runs: pass --out DIR")
}

/// Combinations of several models asked in the same way, each with its folder in `out`.
fn models_of(args: &run::Args, out: &Path) -> anyhow::Result<Vec<Combination>> {
    let mut command_line = vec!["run".into(), "--in-study".into()];
    command_line.extend(given_without(&["model", "out"]));
    file::of_models(args, &command_line, out)
}

/// Runs several models asked in the same way.
pub fn of_models(args: &run::Args) -> anyhow::Result<Outcome> {
    let out = check_models(args)?;
    run_all(args, out, &models_of(args, out)?)
}

/// Runs combinations made of the arguments of one run.
fn run_all(args: &run::Args, out: &Path, all: &[Combination]) -> anyhow::Result<Outcome> {
    let (format, screen) = args.format.check_tables()?;
    let combinations: Vec<&Combination> = all.iter().collect();
    let is_shard = shard::chosen(args.shard)?.is_some_and(|shard| shard.of > 1);
    Study { out, combinations: &combinations, is_shard, again: "the same command" }.run(format, screen)
}

/// The arguments of this process after its command, without these (by long name) and those of every command.
fn given_without(names: &[&str]) -> Vec<OsString> {
    let of_all = ["quiet", "q", "verbose", "v", "progress"];
    let mut left = Vec::new();
    let mut is_dropped = true;
    for argument in std::env::args_os().skip(1) {
        let text = argument.to_string_lossy();
        if let Some(name) = text.strip_prefix("--").and_then(|name| name.split('=').next()) {
            is_dropped = of_all.contains(&name) || names.contains(&name);
        } else if let Some(short) = text.strip_prefix('-').and_then(|name| name.get(..1)) {
            is_dropped = of_all.contains(&short) || names.iter().any(|name| name.starts_with(short));
        } else if left.is_empty() && ["run", "plan"].contains(&&*text) {
            continue;
        }
        if !is_dropped {
            left.push(argument);
        }
    }
    left
}

/// Combinations to run one after the other.
struct Study<'a> {
    out: &'a Path,
    combinations: &'a [&'a Combination],
    is_shard: bool,
    /// Command that continues the study.
    again: &'a str,
}

impl Study<'_> {
    fn run(&self, format: Format, screen: Screen) -> anyhow::Result<Outcome> {
        let mut held = run::Held::default();
        let mut failed = Vec::new();
        let mut whole = true;
        let (of, measured) = (self.combinations.len(), Default::default());
        let mut run = StudyRun { number: 1, of, measured, began: Instant::now() };
        for (at, combination) in self.combinations.iter().enumerate() {
            (run.number, run.began) = (at + 1, Instant::now());
            let folder = combination.folder.display().to_string();
            say(format!("\n{}: {}", run.text(Instant::now()), for_terminal(&folder)));
            of_study(Some(run));
            let outcome = combination.args.clone().check().and_then(|request| run::run_with(request, &mut held));
            of_study(None);
            run.over();
            match outcome {
                Ok(Outcome::Stopped) => {
                    eprintln!("{} of {} done; {} continues.", at, counted(of, "run"), self.again);
                    return Ok(Outcome::Stopped);
                }
                Ok(outcome) => whole &= outcome == Outcome::Done,
                // No further output could be written either.
                Err(error) if super::is_full(&error) => return Err(error),
                Err(error) => {
                    eprintln!("tomeval: {}: {}", combination.folder.display(), for_terminal(&format!("{error:#}")));
                    failed.push(combination.folder.display().to_string());
                }
            }
        }
        for folder in &failed {
            eprintln!("Failed: {folder}; the reason is above. Once it is mended, {} asks it again.", self.again);
        }
        let outcome = if whole && failed.is_empty() { Outcome::Done } else { Outcome::Incomplete };
        if self.is_shard {
            say(format!("Part finished. Join all parts with `tomeval merge --out DIR {} ...`.", shell::path(self.out)));
            return Ok(outcome);
        }
        let tables = match format {
            Format::Json => String::new(),
            _ => presets::tables(self.combinations, self.out, format, screen)?,
        };
        super::report::print_as(format, &tables)?;
        let runs = by_task(
            self.combinations.iter().map(|each| (each.task.as_str(), each.model.as_str(), self.out.join(&each.folder))),
        );
        let report = StudyReport::read(self.out, &runs)?;
        let text = match format {
            Format::Json => report.to_json()?,
            format => report.text(format, Screen { width: screen.width.or(Some(COLUMNS)) }),
        };
        let models: IndexSet<&str> = self.combinations.iter().map(|each| each.model.as_str()).collect();
        // One model has no ranks.
        if tables.is_empty() || models.len() > 1 {
            super::report::print_as(format, &text)?;
        }
        save(&self.out.join("study.json"), report.to_json()?)?;
        save(&self.out.join("study.md"), report.text(Format::Markdown, Screen::default()))?;
        Ok(if report.is_whole() { outcome } else { Outcome::Incomplete })
    }
}
