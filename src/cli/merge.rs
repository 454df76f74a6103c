//! `tomeval merge`: joins shards into one run or attention analysis.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::reading::{ReadingArgs, print_mixed, print_warnings, write_reports};
use super::{Outcome, attend};
use crate::attend::{Folder, view::Colour};
use crate::counted::counted;
use crate::terminal::progress::Shown;
use crate::terminal::shell;
use crate::trial::are_items_kept;

/// Arguments of `tomeval merge`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Folders of all shards, of a run or of `attend --out`.
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
    /// Output folder; must not exist yet, or be empty.
    #[arg(long, short)]
    pub out: PathBuf,
    /// Join shards whose numbers differ by more than rounding: another model, arithmetic or kind of device. The joined
    /// manifest records this.
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
    let folder = crate::run::merge(&args.shards, &args.out, args.allow_mixed)?;
    print_warnings(folder.warnings());
    print_mixed(&folder.settled().mixed);
    eprintln!(
        "Joined {}, {}, into {out}. `tomeval report {out}` prints the tables.",
        counted(args.shards.len(), "shard"),
        counted(folder.settled().trials, "trial"),
        out = shell::path(&args.out)
    );
    if !are_items_kept(&args.out) {
        return Ok(Outcome::Done);
    }
    let loaded = Shown::during("reading items", || folder.settled().load_items(&args.out, None))?;
    Shown::during("writing reports", || write_reports(&folder, &loaded, &ReadingArgs::default(), false))?;
    Ok(Outcome::Done)
}
