//! `tomeval bundle`: finished runs as one file, and runs that are read from such a file.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use indexmap::IndexMap;
use tempfile::TempDir;

use super::progress::Shown;
use super::reading::{ReadingArgs, open_run, print_warnings, runs, write_reports};
use super::{Outcome, shell};
use crate::counted::counted;
use crate::ledger::FolderError;
use crate::reopen::ReadOptions;
use crate::reopen::bundle::{copy_without_texts, unpack, write_bundle};
use crate::run::Recorded;
use crate::trial::are_items_kept;

/// What the name of a bundle ends with.
const ENDING: &str = "zip";

/// Arguments of `tomeval bundle`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, or folders of such folders.
    #[arg(required = true, value_name = "RUN", value_parser = run_path)]
    runs: Vec<PathBuf>,
    /// The file, whose name ends in .zip. Every command that reads run folders takes it in their place; `NAME.zip/RUN` is one of
    /// several in it.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Leave out all texts of benchmarks and models: stories, questions, options, prompts and replies, with the pages and exports
    /// that hold them. All tables, comparisons and scores stay the same.
    #[arg(long)]
    no_texts: bool,
    /// Data of runs of older versions, whose folders do not hold their items; with --no-texts.
    #[arg(long, env = "TOMEVAL_DATA", requires = "no_texts")]
    data: Option<PathBuf>,
}

/// What cannot be done with a run without texts.
const NOT_WITHOUT_TEXTS: &str = "`attend`, `annotate` and `report --extract` need texts and refuse this bundle; its pages have items without them. \
     Left out as well: pages of attention, prompt packs, example files and commands.jsonl.";

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let Args { out, no_texts, data, .. } = &args;
    anyhow::ensure!(is_named(out), "--out {}: the name of a bundle ends in .{ENDING}", out.display());
    let mut folders: IndexMap<String, PathBuf> = IndexMap::new();
    for path in runs(&args.runs)? {
        let read = Shown::during("reading records", || Recorded::open(&path)?.each(|_, _| Ok::<_, FolderError>(())))?;
        print_warnings(&read.warnings);
        if !read.is_finished() {
            eprintln!("note: {}: unfinished, with {} of {} records", path.display(), read.records, read.planned);
        }
        let name = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = name.file_name().map_or_else(|| "run".to_string(), |name| name.to_string_lossy().into_owned());
        let first = folders.insert(name.clone(), path.clone());
        if let Some(first) = first {
            anyhow::bail!("{} and {} have one name; rename one of the folders", first.display(), path.display());
        }
    }
    let stripped = tempfile::tempdir().context("no temporary folder can be made")?;
    if *no_texts {
        for (name, path) in &mut folders {
            let to = stripped.path().join(name);
            strip(path, data.as_deref(), &to).with_context(|| path.display().to_string())?;
            *path = to;
        }
    }
    for (_, path) in folders.iter().filter(|(_, path)| !are_items_kept(path)) {
        eprintln!(
            "note: {}: a run of an older version, which does not hold its items; whoever reads it needs --data",
            path.display()
        );
    }
    let folders: Vec<(String, PathBuf)> = folders.into_iter().collect();
    let bytes = Shown::during("writing the bundle", || write_bundle(&folders, out))?;
    let (runs, size) = (counted(folders.len(), "run"), bytes as f64 / 1e6);
    eprintln!(
        "Written: {}, {runs}, {size:.1} MB. `tomeval report {}` prints the tables.",
        out.display(),
        shell::path(out)
    );
    if *no_texts {
        eprintln!("{NOT_WITHOUT_TEXTS}");
    }
    Ok(Outcome::Done)
}

/// Make a copy of a run without texts, with its reports.
fn strip(path: &Path, data: Option<&Path>, to: &Path) -> anyhow::Result<()> {
    let (recorded, loaded) = open_run(path, data, &ReadOptions::default())?;
    let loaded = loaded.context("a run of an older version, which does not hold its items; pass --data DIR")?;
    let folder = Shown::during("leaving out texts", || copy_without_texts(&recorded, &loaded, to))?;
    let without = folder.settled().load_items(to, None)?;
    write_reports(&folder, &without, &ReadingArgs::default(), false)?;
    Ok(())
}

/// A bundle that was unpacked.
struct Unpacked {
    bundle: PathBuf,
    folder: TempDir,
}

/// All that were, until the program ends.
static UNPACKED: Mutex<Vec<Unpacked>> = Mutex::new(Vec::new());

/// The path of a run as it is given; in a bundle, which is unpacked for that, the folder of its one run or of all.
pub fn run_path(given: &str) -> Result<PathBuf, String> {
    let given = Path::new(given);
    let Some(bundle) = given.ancestors().find(|path| is_named(path) && path.is_file()) else {
        return Ok(given.to_path_buf());
    };
    let below = given.strip_prefix(bundle).unwrap_or(Path::new(""));
    let folder = unpacked(bundle).map_err(|error| format!("{error:#}"))?;
    let path = folder.join(below);
    if below == Path::new("") {
        let found = runs(std::slice::from_ref(&folder)).map_err(|error| format!("{error:#}"))?;
        return Ok(if let [only] = &found[..] { only.clone() } else { folder });
    }
    match path.is_dir() {
        true => Ok(path),
        false => Err(format!("the bundle holds no folder {}", below.display())),
    }
}

/// The folder of a bundle's runs, whose name is that of the bundle.
fn unpacked(bundle: &Path) -> anyhow::Result<PathBuf> {
    let name = bundle.file_name().unwrap_or_default();
    let mut all = UNPACKED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = all.iter().find(|known| known.bundle == bundle) {
        return Ok(known.folder.path().join(name));
    }
    let folder = tempfile::Builder::new().prefix("tomeval-").tempdir().context("no temporary folder can be made")?;
    let place = folder.path().join(name);
    unpack(bundle, &place)?;
    all.push(Unpacked { bundle: bundle.to_path_buf(), folder });
    Ok(place)
}

/// Whether a folder is that of an unpacked bundle, where nothing that is written lasts.
pub fn is_unpacked(path: &Path) -> bool {
    let all = UNPACKED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.iter().any(|known| path.starts_with(known.folder.path()))
}

/// Remove what was unpacked.
pub fn tidy() {
    UNPACKED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
}

fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}
