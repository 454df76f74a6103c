//! `tomeval make contexts`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Outcome;
use super::work::{Work, note_stop, read_given};
use super::writers::{WriterArgs, Writers};
use crate::arguments::numbers::{ITEMS, within};
use crate::arguments::setup::SourceArgs;
use crate::benchmark::Benchmark;
use crate::benchmark::made::mark;
use crate::benchmark::tomvalley::{TrialData, trial_files};
use crate::cli::report::screen;
use crate::make::MakeManifest;
use crate::make::contexts::{Check, Pipeline, Refusal, Trial, prompts};
use crate::safe_text::for_terminal;
use crate::table::{Format, Grid, cells};
use crate::terminal::files::write;
use crate::terminal::stdout::print_text;
use crate::terminal::{say, shell};

/// Arguments of `tomeval make contexts`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::cli::EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    source: SourceArgs,
    /// Maximum trials, the first of those chosen.
    #[arg(long, value_name = "N", value_parser = within(ITEMS), help_heading = "Items")]
    limit: Option<usize>,
    /// Model that writes the dialogues: as --model of `tomeval run`, a local one or openai:URL#NAME.
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    writer: String,
    /// Model that says whether dialogues are coherent with their sketch; should be another one [default: nobody does].
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    judge: Option<String>,
    /// Take the writer's prompt from this file instead of the project's own.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    prompts: Option<PathBuf>,
    /// Style of that file.
    #[arg(long, value_name = "NAME", default_value = "contexts", help_heading = "Prompts")]
    style: String,
    /// Random seed of sampled replies.
    #[arg(long, default_value_t = 0, help_heading = "Models")]
    seed: u64,
    /// Folder for replies, contexts and findings; continues there after a stop. `--benchmark tomvalley --data DIR` reads it.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    out: PathBuf,
    #[command(flatten)]
    writers: WriterArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let given = args.prompts.as_deref().map(|file| read_given("--prompts", file)).transpose()?;
    let prompts = prompts(given.as_ref().map(|(file, text)| (file.as_str(), text.as_str())), &args.style)?;
    let dataset = args.source.dataset(vec![Benchmark::ToMValley])?;
    let data = dataset.files.as_deref().context("name the files of ToMValley with --data")?;
    let mut files = trial_files(data, &dataset.options)?;
    files.truncate(args.limit.unwrap_or(usize::MAX));
    anyhow::ensure!(!files.is_empty(), "no trials are chosen; see --choose trials=");
    let trials = files.iter().map(trial).collect::<anyhow::Result<Vec<Trial>>>()?;

    let mut roles = vec![("writer", args.writer.as_str())];
    roles.extend(args.judge.as_deref().map(|judge| ("judge", judge)));
    if args.judge.as_deref() == Some(&args.writer) {
        eprintln!("note: the writer judges its own dialogues; another --judge sees more");
    }
    let names: Vec<&str> = roles.iter().map(|(_, name)| *name).collect();
    let mut writers = Writers::open(&args.writers, &names, args.seed)?;
    let mut sum = Sha256::new();
    files.iter().flat_map(|trial| [&trial.story, &trial.questions]).for_each(|text| sum.update(text));
    let identities = writers.identities(&roles)?;
    let settings = [
        ("trials", json!({"count": files.len(), "sha256": hex::encode(sum.finalize())})),
        ("models", identities.clone()),
        ("prompts", prompts.told()),
        ("most_tokens", json!(args.writers.max_new_tokens)),
    ];
    let mut work = Work::open(&args.out, &MakeManifest::new("contexts", settings), writers)?;
    let pipeline = Pipeline {
        prompts: &prompts,
        writer: &args.writer,
        judge: args.judge.as_deref(),
        most_tokens: args.writers.max_new_tokens,
    };
    let made = match pipeline.run(&trials, &mut |model, requests| work.ask(model, requests)) {
        Ok(made) => made,
        Err(error) => return note_stop(error, &work),
    };

    for (files, (trial, context)) in files.iter().zip(trials.iter().zip(&made)) {
        let Some(scenes) = &context.story else { continue };
        let mut story = trial.story.clone();
        story["story"] = scenes.clone();
        story["made"] = json!({
            "by": format!("tomeval {}", env!("CARGO_PKG_VERSION")),
            "writer": identities["writer"]["name"], "judge": identities.pointer("/judge/name"), "requests": context.requests, "prompts": prompts.told(),
            "sketch": trial.story.get("made"),
        });
        let folder = args.out.join("tomvalley").join(format!("trial{}", trial.number));
        write(&folder.join("story.json"), serde_json::to_string_pretty(&story)? + "\n")?;
        write(&folder.join("question_new.json"), &files.questions)?;
    }
    let (path, mark) =
        mark(&args.out.join("tomvalley"), Benchmark::ToMValley, args.seed, &authors(&identities, &trials));
    write(&path, mark)?;
    let lines = made.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join("\n") + "\n";
    let (fresh, needed) = work.finish(&[("contexts.jsonl", lines)])?;
    let judged = |check: &Check| args.judge.is_some() || *check != Check::Coherence;
    let checks: Vec<Check> = Check::OF_DIALOGUES.into_iter().filter(judged).collect();
    let refused: Vec<Option<&Refusal>> = made.iter().map(|context| context.refused.as_ref()).collect();
    print_text(&Format::Terminal.table(&yields(&checks, &refused), screen()))?;
    for context in &made {
        if let Some(refused) = &context.refused {
            let line = format!("trial {}: {}: {}", context.trial, refused.check.title(), refused.why);
            eprintln!("{}", for_terminal(&line));
        }
    }
    say(format!("{needed} replies, {fresh} of them new"));
    let kept = made.iter().filter(|context| context.story.is_some()).count();
    if kept > 0 {
        say(format!("tomeval run -b tomvalley --choose trials=all --data {}", shell::path(&args.out)));
    }
    Ok(if kept == made.len() { Outcome::Done } else { Outcome::Incomplete })
}

fn trial(files: &TrialData) -> anyhow::Result<Trial> {
    let story = serde_json::from_slice(&files.story)
        .with_context(|| format!("trial {}: story.json is not JSON", files.number))?;
    Ok(Trial { number: files.number, story })
}

/// Names of the models that wrote the dialogues, and sketches that were written by one.
fn authors(identities: &Value, trials: &[Trial]) -> Vec<String> {
    let of_sketches = trials.iter().filter_map(|trial| trial.story.pointer("/made/writer")?.as_str());
    let of_dialogues = identities.pointer("/writer/name").and_then(Value::as_str);
    let all: BTreeSet<&str> = of_sketches.chain(of_dialogues).collect();
    all.into_iter().map(str::to_string).collect()
}

/// How many contexts passed each of these checks.
pub fn yields(checks: &[Check], refused: &[Option<&Refusal>]) -> Grid {
    let mut left = refused.len();
    let mut rows = vec![cells!["contexts", left, ""]];
    for &check in checks {
        let failed = refused.iter().flatten().filter(|refused| refused.check == check).count();
        left -= failed;
        rows.push(cells![check.title(), left, failed]);
    }
    Grid::new("", 1, ["check", "passed", "refused"], rows.into_iter())
}
