//! `tomeval make tomvalley`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value};

use super::Outcome;
use crate::benchmark::Benchmark;
use crate::benchmark::made::mark;
use crate::story::tomvalley::{Sketch, questions};
use crate::terminal::files::{save_or_print, write};

/// Format of a sketch; part of the help.
const SKETCH: &str = r#"A sketch:
  {
    "main_character": "Ada",
    "scenarios": [
      {
        "belief": "Ada believes that ..", "emotion": "..", "intention": "..", "action": "..",
        "influence": { "emotion": "how the belief moves the emotion",
                       "intention": "how belief and emotion move the intention",
                       "action": "how the intention moves the action" }
      }
    ],
    "reasons": { "belief": ["why it changes from scenario 1 to 2", ".."],
                 "emotion": [], "intention": [], "action": [] }
  }

  Three to seven scenarios; for each of belief, emotion, intention and action one reason fewer than scenarios, which is null
  exactly where the text is the same in both scenarios."#;

/// Arguments of `tomeval make tomvalley`.
#[derive(Debug, clap::Args)]
#[command(after_help = SKETCH)]
pub struct Args {
    /// The sketch as JSON (format below), or a released `story.json`.
    #[arg(long, value_name = "FILE")]
    sketch: PathBuf,
    /// Random seed; the same seed gives the same questions.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write to this file instead of standard output. In a folder `trial<N>`, beside a `story.json` and named
    /// `question_new.json`, the questions can be run with `--benchmark tomvalley`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let sketch = read_sketch(&args.sketch)?;
    save_or_print(args.out.as_deref(), &question_file(&sketch, args.seed)?)?;
    if let Some(folder) = args.out.as_deref().and_then(Path::parent) {
        let (path, mark) = mark(folder, Benchmark::ToMValley, args.seed, &[]);
        write(&path, mark)?;
    }
    Ok(Outcome::Done)
}

/// The `question_new.json` of a sketch.
pub fn question_file(sketch: &Sketch, seed: u64) -> serde_json::Result<String> {
    let scenarios = sketch.scenarios().len();
    let made: Map<String, Value> = questions(sketch, seed)
        .into_iter()
        .map(|question| (question.key.id(scenarios), question.released_form()))
        .collect();
    Ok(format!("{}\n", serde_json::to_string_pretty(&made)?))
}

fn read_sketch(path: &Path) -> anyhow::Result<Sketch> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let value: Value = serde_json::from_str(&text).with_context(|| format!("{}: not JSON", path.display()))?;
    let sketch = if value.get("sketch").is_some() {
        Sketch::from_release(&value).map_err(anyhow::Error::from)
    } else {
        // Parsed from the text, so that the error has line and column.
        serde_json::from_str(&text).map_err(anyhow::Error::from)
    };
    // Released sketches are in folders `trial<N>`.
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
    let number =
        folder.as_deref().and_then(|name| name.strip_prefix("trial")).filter(|rest| rest.parse::<u32>().is_ok());
    let trial = number.map(|number| format!(", trial {number}")).unwrap_or_default();
    sketch.with_context(|| format!("{}{trial}: no questions can be made from this sketch", path.display()))
}
