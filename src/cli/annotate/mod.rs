//! `tomeval annotate`: makes pages on which people answer, mark and judge, and reads their exports.

use super::Outcome;

pub(super) mod made;
mod pages;
mod read;
pub(super) mod source;

/// Arguments of `tomeval annotate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make a page on which people answer the items; `tomeval score` reads its exports.
    Answer(pages::AnswerArgs),
    /// Make a page on which people mark the words that decide the answer; `tomeval attend --human` reads its exports.
    Mark(pages::AnswerArgs),
    /// Make a page on which people judge answers of runs, questions, stories or translations by a scheme.
    Judge(pages::JudgeArgs),
    /// Read exports of pages: progress, agreement, tables and figures of judgements, units left to adjudicate.
    Read(read::Args),
    /// List the built-in judgement schemes, or print the file of one.
    Schemes(read::SchemesArgs),
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.what {
        What::Answer(args) => pages::answer(args),
        What::Mark(args) => pages::mark(args),
        What::Judge(args) => pages::judge(args),
        What::Read(args) => read::run(args),
        What::Schemes(args) => read::schemes(args),
    }
}
