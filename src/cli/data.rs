//! `tomeval data`.

use super::Outcome;

/// Arguments of `tomeval data`.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<Outcome> {
    anyhow::bail!("not built yet")
}
