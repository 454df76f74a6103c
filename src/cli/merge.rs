//! `tomeval merge`: joins shards into one run or attention analysis.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use super::reading::{ReadingArgs, print_mixed, print_warnings, write_reports};
use super::{Outcome, attend};
use crate::arguments::paths::{DEEPEST, runs_in};
use crate::attend::{Folder, view::Colour};
use crate::counted::counted;
use crate::run::{RunFolder, join_audits};
use crate::safe_text::for_terminal;
use crate::terminal::progress::Shown;
use crate::terminal::shell;
use crate::trial::are_items_kept;

/// Arguments of `tomeval merge`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Folders of all shards, of a run, a study or of `attend --out`.
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
    /// Output folder; must not exist yet, or be empty.
    #[arg(long, short)]
    pub out: PathBuf,
    /// Join shards whose numbers differ by more than rounding: another model, arithmetic, kind of device or way of
    /// multiplying quantised weights (`tomeval doctor` shows it). The joined manifest records this.
    #[arg(long)]
    pub allow_mixed: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.shards.iter().any(|shard| Folder::is_at(shard)) {
        anyhow::ensure!(
            !args.allow_mixed,
            "--allow-mixed is for runs; items of `attend` are joined only if their numbers are comparable"
        );
        let folder = crate::attend::merge(&args.shards, &args.out)?;
        print_warnings(folder.warnings());
        let (shards, items) = (counted(args.shards.len(), "shard"), counted(folder.planned(), "item"));
        eprintln!("Joined {shards}, {items}, into {}.", args.out.display());
        return attend::resumable::finish(&folder, Colour::Plain);
    }
    let first = &args.shards[0];
    // Parts of a study hold runs, each of which is joined.
    let runs = if first.is_dir() && !RunFolder::is_at(first) { runs_in(first, DEEPEST)? } else { Vec::new() };
    if runs.is_empty() {
        return join(&args.shards, &args.out, args.allow_mixed);
    }
    let mut outcome = Outcome::Done;
    for run in runs {
        let run = run.strip_prefix(first)?;
        let shards: Vec<PathBuf> = args.shards.iter().map(|shard| shard.join(run)).collect();
        if join(&shards, &args.out.join(run), args.allow_mixed)? != Outcome::Done {
            outcome = Outcome::Incomplete;
        }
    }
    Ok(outcome)
}

/// Joins the shards of one run and writes its reports.
fn join(shards: &[PathBuf], out: &Path, allow_mixed: bool) -> anyhow::Result<Outcome> {
    let folder = crate::run::merge(shards, out, allow_mixed)?;
    print_warnings(folder.warnings());
    print_mixed(&folder.settled().mixed);
    eprintln!(
        "Joined {}, {}, into {out}. `tomeval report {out}` prints the tables.",
        counted(shards.len(), "shard"),
        counted(folder.settled().trials, "trial"),
        out = shell::path(out)
    );
    if !are_items_kept(out) {
        return Ok(Outcome::Done);
    }
    let loaded = Shown::during("reading items", || folder.settled().load_items(out, None))?;
    match join_audits(shards, &folder, &loaded.items)? {
        Some(found) => eprintln!("{}", for_terminal(&found.report())),
        None if folder.settled().settings.writing.is_some() => eprintln!(
            "note: the machines of these shards are not compared: only shards that score options score the same eight trials"
        ),
        None => eprintln!("note: no trials that several shards scored; their machines are not compared"),
    }
    Shown::during("writing reports", || write_reports(&folder, &loaded, &ReadingArgs::default(), false))?;
    Ok(Outcome::Done)
}
