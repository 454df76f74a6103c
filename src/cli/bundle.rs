//! `tomeval bundle`: packs finished runs into one file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;
use indicatif::DecimalBytes;

use super::Outcome;
use super::reading::{ReadingArgs, open_run, print_warnings, write_reports};
use crate::arguments::paths::runs;
use crate::arguments::paths::{ENDING, is_bundle, or_environment, run_path};
use crate::counted::counted;
use crate::ledger::FolderError;
use crate::reopen::ReadOptions;
use crate::reopen::bundle::{copy_without_texts, write_bundle};
use crate::run::Recorded;
use crate::terminal::progress::Shown;
use crate::terminal::shell;
use crate::trial::are_items_kept;

/// Arguments of `tomeval bundle`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, or folders that contain them.
    #[arg(required = true, value_name = "RUN", value_parser = run_path)]
    runs: Vec<PathBuf>,
    /// Bundle to write, with a name ending in .zip. Every command that reads run folders also accepts it;
    /// `NAME.zip/RUN` is one run of several.
    #[arg(long, short, value_name = "FILE", value_parser = bundle)]
    out: PathBuf,
    /// Leave out all texts of benchmarks and models: stories, questions, options, prompts and replies, with the pages
    /// and exports that contain them. All tables, comparisons and scores stay the same.
    #[arg(long)]
    no_texts: bool,
    /// Data of runs of older versions, whose folders do not contain their items; with --no-texts [default: the folder
    /// in the variable TOMEVAL_DATA].
    #[arg(long, requires = "no_texts")]
    data: Option<PathBuf>,
}

/// Parses the name of a bundle.
fn bundle(given: &str) -> Result<PathBuf, String> {
    let known = Some(PathBuf::from(given)).filter(|path| is_bundle(path));
    known.ok_or_else(|| format!("the name of a bundle ends in .{ENDING}"))
}

/// Limits of a bundle without texts.
const NOT_WITHOUT_TEXTS: &str = "`attend`, `annotate` and `report --extract` need texts and refuse this bundle; its pages have items without them. \
     Left out as well: pages of attention, prompt packs, example files and commands.jsonl.";

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let args = Args { data: or_environment(args.data), ..args };
    let Args { out, no_texts, data, .. } = &args;
    let mut folders: IndexMap<String, PathBuf> = IndexMap::new();
    for path in runs(&args.runs)? {
        // Removing texts also reads and checks the records.
        if !no_texts {
            check_records(&path)?;
        }
        let name = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = name.file_name().map_or_else(|| "run".to_string(), |name| name.to_string_lossy().into_owned());
        let first = folders.insert(name.clone(), path.clone());
        if let Some(first) = first {
            anyhow::bail!("{} and {} have the same name; rename one of the folders", first.display(), path.display());
        }
    }
    let stripped = tempfile::tempdir().context("cannot create a temporary folder")?;
    if *no_texts {
        for (name, path) in &mut folders {
            let to = stripped.path().join(name);
            strip(path, data.as_deref(), &to).with_context(|| path.display().to_string())?;
            *path = to;
        }
    }
    for (_, path) in folders.iter().filter(|(_, path)| !are_items_kept(path)) {
        eprintln!(
            "note: {}: a run of an older version, which does not contain its items; reading it needs --data",
            path.display()
        );
    }
    let folders: Vec<(String, PathBuf)> = folders.into_iter().collect();
    let bytes = Shown::during("writing the bundle", || write_bundle(&folders, out))?;
    let (runs, size) = (counted(folders.len(), "run"), DecimalBytes(bytes));
    eprintln!("Written: {}, {runs}, {size}. `tomeval report {}` prints the tables.", out.display(), shell::path(out));
    if *no_texts {
        eprintln!("{NOT_WITHOUT_TEXTS}");
    }
    Ok(Outcome::Done)
}

/// Reads the records of a run, and prints warnings and whether records are missing.
fn check_records(run: &Path) -> anyhow::Result<()> {
    let read = Shown::during("reading records", || Recorded::open(run)?.each(|_, _| Ok::<_, FolderError>(())))?;
    print_warnings(&read.warnings);
    if !read.is_finished() {
        eprintln!("note: {}: unfinished, with {} of {}", run.display(), read.records, counted(read.planned, "record"));
    }
    Ok(())
}

/// Copies a run without texts, with its reports.
fn strip(path: &Path, data: Option<&Path>, to: &Path) -> anyhow::Result<()> {
    let (recorded, loaded) = open_run(path, data, &ReadOptions::default())?;
    let loaded = loaded.context("a run of an older version, which does not contain its items; pass --data DIR")?;
    let folder = Shown::during("leaving out texts", || copy_without_texts(&recorded, &loaded, to))?;
    let without = folder.settled().load_items(to, None)?;
    write_reports(&folder, &without, &ReadingArgs::default(), false)?;
    Ok(())
}
