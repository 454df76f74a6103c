//! `tomeval make tomi`.

use std::path::PathBuf;

use super::Outcome;
use crate::arguments::numbers::{STORIES, within};
use crate::benchmark::Benchmark;
use crate::benchmark::made::mark;
use crate::story::tomi::{generate, text, trace};
use crate::terminal::files::{save, write};
use crate::terminal::progress::Shown;

/// Arguments of `tomeval make tomi`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of stories, cycling through the three story types.
    #[arg(long, value_name = "N", default_value_t = 99, value_parser = within(STORIES))]
    stories: usize,
    /// Random seed; the same seed gives the same stories.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write `fb_all_test.txt` and `fb_all_test.trace` into this folder, which `--benchmark tomi --data` reads.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let stories = Shown::during("making stories", || generate(args.stories, args.seed));
    for (extension, content) in [("txt", text(&stories)), ("trace", trace(&stories))] {
        save(&args.out.join(format!("fb_all_test.{extension}")), content)?;
    }
    let (path, mark) = mark(&args.out, Benchmark::ToMi, args.seed, &[]);
    write(&path, mark)?;
    Ok(Outcome::Done)
}
