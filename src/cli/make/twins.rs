//! `tomeval make twins`.

use std::path::PathBuf;

use super::Outcome;
use crate::arguments::numbers::{STORIES, within};
use crate::language::Language;
use crate::make::{TWINS_CARD, twin_lines};
use crate::story::Wording;
use crate::story::twins::{Kind, twins};
use crate::terminal::files::save;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval make twins`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kind of stories.
    #[arg(long, value_name = "hi-tom|tomi|contents", default_value_t = Kind::HiToM)]
    of: Kind,
    /// Number of stories; each has two sets of twins, of first and of second order.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = within(STORIES))]
    stories: usize,
    /// Random seed; the same seed gives the same stories.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Language of the stories: en, or of Hi-ToM's kind zh.
    #[arg(long, default_value_t = Language::En)]
    language: Language,
    /// Write `items.jsonl` and `card.toml` into this folder: `tomeval run --data DIR/items.jsonl --card DIR/card.toml`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let wording = match (args.of, Wording::from_language(args.language)) {
        (Kind::ToMi | Kind::Contents, Some(Wording::Chinese)) | (_, None) => {
            let (of, language) = (args.of, args.language.name());
            anyhow::bail!("stories of {of} are not made in {language}; use --language en, or --of hi-tom --language zh")
        }
        (_, Some(wording)) => wording,
    };
    let made = Shown::during("making stories", || twins(args.of, args.stories, args.seed, wording));
    save(&args.out.join("items.jsonl"), twin_lines(&made, (args.of, wording), args.seed)?)?;
    save(&args.out.join("card.toml"), TWINS_CARD)?;
    Ok(Outcome::Done)
}
