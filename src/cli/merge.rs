//! `tomeval merge`: shards become one run.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::Outcome;

/// Arguments of `tomeval merge`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// Run folders of all shards.
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
    /// Folder for the joined run; must not exist yet, or be empty.
    #[arg(long, short)]
    pub out: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let manifest = tomeval::run::merge(&args.shards, &args.out)?;
    eprintln!(
        "Joined {} shards, {} trials, into {out}. `tomeval report {out}` prints the tables.",
        args.shards.len(),
        manifest.trials,
        out = args.out.display()
    );
    Ok(Outcome::Done)
}
