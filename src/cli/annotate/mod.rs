//! `tomeval annotate`: people answer, mark and judge on a page, and what they send back is read.

use super::Outcome;

mod pages;
mod read;
mod source;

/// Arguments of `tomeval annotate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// A page on which people take the test; `tomeval score` reads what it exports.
    Answer(pages::AnswerArgs),
    /// A page on which people mark the words that decide the answer; `tomeval attend --human` reads what it exports.
    Mark(pages::AnswerArgs),
    /// A page on which people judge answers of runs, questions, stories or translations by a scheme.
    Judge(pages::JudgeArgs),
    /// Read exports of pages: progress, agreement, tables and figures of judgements, units left to settle.
    Read(read::Args),
    /// List the schemes of judgement that are built in, or print the file of one.
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
