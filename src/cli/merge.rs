//! `tomeval merge`: shards become one run.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::Outcome;
use super::reading::{tell_mixed, tell_warnings};

/// Arguments of `tomeval merge`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Run folders of all shards.
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
    /// Folder for the joined run; must not exist yet, or be empty.
    #[arg(long, short)]
    pub out: PathBuf,
    /// Join shards that were made with what moves numbers by more than rounding: another model, arithmetic or kind of
    /// device. The joined manifest then says so.
    #[arg(long)]
    pub allow_mixed: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let folder = tomeval::run::merge(&args.shards, &args.out, args.allow_mixed)?;
    tell_warnings(folder.warnings());
    tell_mixed(&folder.settled().mixed);
    eprintln!(
        "Joined {} shards, {} trials, into {out}. `tomeval report {out}` prints the tables.",
        args.shards.len(),
        folder.settled().trials,
        out = args.out.display()
    );
    Ok(Outcome::Done)
}
