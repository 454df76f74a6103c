//! `tomeval make`: generates stories and questions.

use super::Outcome;

mod hi_tom;
mod tomi;
mod tomvalley;
mod writers;

/// Arguments of `tomeval make`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Generate Hi-ToM stories with five questions each, answered by the belief tracker.
    HiTom(hi_tom::Args),
    /// Generate ToMi stories in English with six questions each.
    Tomi(tomi::Args),
    /// Generate the questions of ToMValley's five types from a sketch of a changing mind: 71 for five scenarios.
    #[command(name = "tomvalley")]
    ToMValley(tomvalley::Args),
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::HiTom(args) => hi_tom::run(args),
        What::Tomi(args) => tomi::run(args),
        What::ToMValley(args) => tomvalley::run(args),
    }
}
