//! `tomeval make hi-tom`.

use std::path::PathBuf;

use anyhow::Context;

use super::Outcome;
use crate::arguments::numbers::{STORIES, within};
use crate::benchmark::hi_tom::{Prompting, Release};
use crate::canary::CANARY;
use crate::language::Language;
use crate::story::hi_tom::{MadeStory, Settings, Size, generate};
use crate::story::{ClaimRule, Wording};
use crate::terminal::files::save_or_print;
use crate::terminal::progress::Shown;

/// Arguments of `tomeval make hi-tom`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Chapters of the stories: 1 to 7, or several numbers for one set each; the released ones have 1 to 3. A chapter is in a
    /// new room or returns to one.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3", value_parser = within(1..=7))]
    chapters: Vec<usize>,
    /// Agents of each story; the released ones have 5.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = within(2..=40))]
    agents: usize,
    /// The highest order of belief asked for, at most the number of agents; the released questions go to 4. Orders above 4 are
    /// in no table of the card: `--by order` shows them.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = within(0..=40))]
    orders: usize,
    /// Whether agents make claims, true or false, after some chapters.
    #[arg(long, value_enum, default_value_t = Deception::Both)]
    deception: Deception,
    /// Stories for each number of chapters, with and without deception.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = within(STORIES))]
    stories: usize,
    /// Random seed; the same seed gives the same stories in every language.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Answers offered per question, 2 to 26.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = within(2..=26))]
    answers: usize,
    /// Language of the stories: en or zh.
    #[arg(long, default_value_t = Language::En)]
    language: Language,
    /// Whose beliefs a claim changes: as in the published answers, or by common knowledge of who heard and accepted it.
    #[arg(long, value_name = "published|common-knowledge", default_value_t = ClaimRule::Published)]
    claims: ClaimRule,
    /// Prompting types of the paper to write rows for; their texts and answers are the same.
    #[arg(long, value_enum, default_value_t = PromptingTypes::Vp)]
    prompting: PromptingTypes,
    /// Output format: the released JSON, which `--benchmark hi-tom --data FILE` reads, or plain text.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Deception {
    /// Only stories with claims.
    With,
    /// Only stories without claims.
    Without,
    /// One set of each.
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PromptingTypes {
    Vp,
    Cotp,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Json,
    Text,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let stories = Shown::during("making stories", || stories(&args))?;
    let prompting: &[Prompting] = match args.prompting {
        PromptingTypes::Vp => &[Prompting::Vp],
        PromptingTypes::Cotp => &[Prompting::CoTP],
        PromptingTypes::Both => &[Prompting::CoTP, Prompting::Vp],
    };
    let text = match args.format {
        Format::Json => format!("{}\n", serde_json::to_string_pretty(&Release::new(&stories, prompting))?),
        Format::Text => {
            let texts: String = stories.iter().map(MadeStory::to_string).collect();
            format!("{CANARY}\n\n{texts}")
        }
    };
    save_or_print(args.out.as_deref(), &text)?;
    Ok(Outcome::Done)
}

/// Generates all sets of stories named by the arguments.
fn stories(args: &Args) -> anyhow::Result<Vec<MadeStory>> {
    let wording = Wording::from_language(args.language)
        .with_context(|| format!("unsupported language {}; use --language en or zh", args.language.name()))?;
    let deceptions: &[bool] = match args.deception {
        Deception::With => &[true],
        Deception::Without => &[false],
        Deception::Both => &[false, true],
    };
    let mut chapters = args.chapters.clone();
    chapters.sort_unstable();
    chapters.dedup();
    let mut stories = Vec::new();
    for &deception in deceptions {
        for &chapters in &chapters {
            stories.extend(generate(&Settings {
                chapters,
                size: Size { agents: args.agents, orders: args.orders },
                deception,
                stories: args.stories,
                seed: args.seed,
                answers: args.answers,
                wording,
                claims: args.claims,
            })?);
        }
    }
    Ok(stories)
}
