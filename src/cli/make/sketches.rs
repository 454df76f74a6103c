//! `tomeval make sketches`.

use std::path::PathBuf;

use anyhow::Context as _;
use indexmap::IndexMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Outcome;
use super::contexts::yields;
use super::tomvalley::question_file;
use super::work::{Work, note_stop, read_given};
use super::writers::{WriterArgs, Writers};
use crate::arguments::numbers::{STORIES, within};
use crate::benchmark::made::mark;
use crate::benchmark::tomvalley::trial_files;
use crate::benchmark::{Benchmark, LoadOptions};
use crate::cli::report::screen;
use crate::make::MakeManifest;
use crate::make::background::{Background, Pools};
use crate::make::contexts::{Check, Refusal};
use crate::make::sketches::{Sketched, Sketching, prompts};
use crate::safe_text::for_terminal;
use crate::story::tomvalley::Sketch;
use crate::table::Format;
use crate::terminal::files::write;
use crate::terminal::stdout::print_text;
use crate::terminal::{say, shell};

/// Number of the first trial: far from those of the release.
const FIRST: u32 = 10_001;

/// Arguments of `tomeval make sketches`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = crate::cli::EXIT_CODES)]
pub struct Args {
    /// Number of contexts.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = within(STORIES), help_heading = "Contexts")]
    contexts: usize,
    /// Scenarios of each context.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = within(3..=7), help_heading = "Contexts")]
    scenarios: usize,
    /// Draw places and profiles from this file instead of the project's own pools (datasets/making/pools.toml).
    #[arg(long, value_name = "FILE", help_heading = "Contexts")]
    pools: Option<PathBuf>,
    /// Take the places of the released trials in this folder instead, as far as they name one.
    #[arg(long, value_name = "DIR", help_heading = "Contexts")]
    places: Option<PathBuf>,
    /// Model that writes relations and sketches: as --model of `tomeval run`, a local one or openai:URL#NAME.
    #[arg(long, value_name = "MODEL", help_heading = "Models")]
    writer: String,
    /// Take the prompt of sketches from this file instead of the project's own.
    #[arg(long, value_name = "FILE", help_heading = "Prompts")]
    prompts: Option<PathBuf>,
    /// Style of that file.
    #[arg(long, value_name = "NAME", default_value = "sketch", help_heading = "Prompts")]
    style: String,
    /// Random seed of places, profiles, option orders and sampled replies.
    #[arg(long, default_value_t = 0, help_heading = "Contexts")]
    seed: u64,
    /// Folder for replies, sketches and findings; continues there after a stop. `tomeval make contexts --data DIR` reads it.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    out: PathBuf,
    #[command(flatten)]
    writers: WriterArgs,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let given = args.prompts.as_deref().map(|file| read_given("--prompts", file)).transpose()?;
    let prompts = prompts(given.as_ref().map(|(file, text)| (file.as_str(), text.as_str())), &args.style)?;
    let pools = pools(&args)?;
    let draw = |number| Some((number, pools.draw(number, args.seed)?));
    let backgrounds: Vec<(u32, Background)> =
        (FIRST..).take(args.contexts).map(draw).collect::<Option<_>>().context("there are no places to draw from")?;
    let mut writers = Writers::open(&args.writers, &[args.writer.as_str()], args.seed)?;
    let identities = writers.identities(&[("writer", &args.writer)])?;
    let name = identities.pointer("/writer/name").and_then(Value::as_str).unwrap_or(&args.writer).to_string();
    let settings = [
        ("scenarios", json!(args.scenarios)),
        ("seed", json!(args.seed)),
        ("backgrounds", of_backgrounds(&backgrounds, &pools)?),
        ("models", identities),
        ("prompts", prompts.told()),
        ("most_tokens", json!(args.writers.max_new_tokens)),
    ];
    let mut work = Work::open(&args.out, &MakeManifest::new("sketches", settings), writers)?;
    let sketching = Sketching {
        prompts: &prompts,
        writer: &args.writer,
        scenarios: args.scenarios,
        most_tokens: args.writers.max_new_tokens,
    };
    let made = match sketching.run(backgrounds, &mut |model, requests| work.ask(model, requests)) {
        Ok(made) => made,
        Err(error) => return note_stop(error, &work),
    };
    for one in &made {
        let Some(mut story) = one.story(args.scenarios) else { continue };
        let history = json!({
            "by": format!("tomeval {}", env!("CARGO_PKG_VERSION")),
            "pools": pools.source, "seed": args.seed, "writer": name, "requests": one.requests, "prompts": prompts.told(),
        });
        story.insert("made".to_string(), history);
        let story = Value::Object(story);
        let sketch = Sketch::from_release(&story).with_context(|| format!("trial {}", one.trial))?;
        let folder = args.out.join("tomvalley").join(format!("trial{}", one.trial));
        write(&folder.join("story.json"), serde_json::to_string_pretty(&story)? + "\n")?;
        write(&folder.join("question_new.json"), question_file(&sketch, args.seed)?)?;
    }
    let (path, mark) = mark(&args.out.join("tomvalley"), Benchmark::ToMValley, args.seed, std::slice::from_ref(&name));
    write(&path, mark)?;
    let lines = made.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join("\n") + "\n";
    let (fresh, needed) = work.finish(&[("sketches.jsonl", lines)])?;
    let refused: Vec<Option<&Refusal>> = made.iter().map(|one| one.refused.as_ref()).collect();
    print_text(&Format::Terminal.table(&yields(&Check::OF_SKETCHES, &refused), screen()))?;
    for (one, refused) in made.iter().filter_map(|one| Some((one, one.refused.as_ref()?))) {
        let line = format!("trial {}: {}: {}", one.trial, refused.check.title(), refused.why);
        eprintln!("{}", for_terminal(&line));
    }
    say(format!("{needed} replies, {fresh} of them new"));
    let kept = made.iter().filter(|one: &&Sketched| one.sketch.is_some()).count();
    if kept > 0 {
        say(format!(
            "Next, their dialogues:\n  tomeval make contexts --choose trials=all --data {} --writer MODEL --judge MODEL -o DIR",
            shell::path(&args.out)
        ));
    }
    Ok(if kept == made.len() { Outcome::Done } else { Outcome::Incomplete })
}

/// What a manifest says of drawn backgrounds.
fn of_backgrounds(backgrounds: &[(u32, Background)], pools: &Pools) -> anyhow::Result<Value> {
    let sha256 = hex::encode(Sha256::digest(serde_json::to_string(backgrounds)?));
    let (types, places) = pools.places();
    Ok(json!({"count": backgrounds.len(), "sha256": sha256, "pools": pools.source, "types": types, "places": places}))
}

/// The pools that the arguments name.
fn pools(args: &Args) -> anyhow::Result<Pools> {
    let given = args.pools.as_deref().map(|file| read_given("--pools", file)).transpose()?;
    let pools = Pools::new(given.as_ref().map(|(file, text)| (file.as_str(), text.as_str())))?;
    let Some(folder) = &args.places else { return Ok(pools) };
    let all =
        LoadOptions { choices: IndexMap::from([("trials".to_string(), "all".to_string())]), ..LoadOptions::default() };
    let trials = trial_files(folder, &all).context("--places")?;
    let place = |story: Value| {
        let text = |key: &str| story.get(key).and_then(Value::as_str).map(|text| text.trim().to_string());
        Some((text("social setting type")?, text("social setting")?))
    };
    let stories = trials.iter().filter_map(|trial| serde_json::from_slice(&trial.story).ok());
    let places: Vec<(String, String)> = stories.filter_map(place).collect();
    anyhow::ensure!(!places.is_empty(), "--places {}: no trial there names its place", folder.display());
    Ok(pools.with_places(places))
}
