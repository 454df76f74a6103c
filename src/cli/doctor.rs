//! `tomeval doctor`.

use super::Outcome;

/// Arguments of `tomeval doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Outcome> {
    anyhow::bail!("not built yet")
}
