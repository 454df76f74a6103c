//! `tomeval make`: makes stories, questions and sets of them, and translates items.

use super::Outcome;

mod adapt;
mod checked;
mod contexts;
mod correct;
mod hi_tom;
mod sketches;
pub(super) mod split;
mod subsample;
mod tomi;
mod tomvalley;
mod translate;
mod twins;
mod work;
mod writers;

/// Arguments of `tomeval make`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Generate Hi-ToM stories with a question of each order, answered by the belief tracker.
    HiTom(hi_tom::Args),
    /// Divide the stories of a benchmark into training data for adapters and test items, all versions of a story on one side.
    Split(Box<split::Args>),
    /// Draw whole stories of a benchmark by quotas, along their distances to a baseline, as Multi-ToM does.
    Subsample(Box<subsample::Args>),
    /// Generate ToMi stories in English with six questions each.
    Tomi(tomi::Args),
    /// Generate the questions of ToMValley's five types from a sketch of a changing mind: 71 for five scenarios.
    #[command(name = "tomvalley")]
    ToMValley(tomvalley::Args),
    /// Generate sets of stories that differ in one respect, in the manner of Hi-ToM or ToMi or of unexpected contents, answered by a tracker.
    Twins(twins::Args),
    /// Translate items: a model translates, another reviews, a third refines, a fourth translates back; rules check the result.
    Translate(Box<translate::Args>),
    /// Draw places and profiles, and have a model write sketches of a changing mind for them, as ToMValley's steps 1 and 2.
    Sketches(Box<sketches::Args>),
    /// Write dialogues to sketches of ToMValley: new ones to released sketches, for a check of contamination, or those of
    /// `make sketches`.
    Contexts(Box<contexts::Args>),
    /// Adapt items to a culture within their language: each story once, then its questions; accepted by people's answers.
    Adapt(Box<adapt::Args>),
    /// Carry out the corrections of people on a page of made texts.
    Correct(correct::Args),
    /// Check translations that are there already by the rules of `translate`.
    Check(Box<checked::Args>),
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::HiTom(args) => hi_tom::run(args),
        What::Split(args) => split::run(*args),
        What::Subsample(args) => subsample::run(*args),
        What::Tomi(args) => tomi::run(args),
        What::ToMValley(args) => tomvalley::run(args),
        What::Twins(args) => twins::run(args),
        What::Translate(args) => translate::run(*args),
        What::Sketches(args) => sketches::run(*args),
        What::Contexts(args) => contexts::run(*args),
        What::Adapt(args) => adapt::run(*args),
        What::Correct(args) => correct::run(args),
        What::Check(args) => checked::run(*args),
    }
}
