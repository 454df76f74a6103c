//! `tomeval make`: generate stories and questions.

use super::Outcome;

mod hi_tom;
mod tomi;

/// Arguments of `tomeval make`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Fresh Hi-ToM stories with five questions each, answered by the belief tracker.
    HiTom(hi_tom::Args),
    /// Fresh ToMi stories in English with six questions each.
    Tomi(tomi::Args),
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::HiTom(args) => hi_tom::run(args),
        What::Tomi(args) => tomi::run(args),
    }
}
