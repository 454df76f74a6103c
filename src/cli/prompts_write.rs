//! `tomeval prompts write`: writes a run's prompts as requests for an external service, and the map with which `score`
//! reads its results.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use serde_json::{Value, json};
use strum::{IntoStaticStr, VariantArray};

use super::Outcome;
use crate::answer::MappedRequest;
use crate::arguments::numbers::{TOKENS, within};
use crate::arguments::setup::{LimitArgs, SourceArgs};
use crate::benchmark::Benchmark;
use crate::counted::counted;
use crate::name::named;
use crate::progress::Tracker;
use crate::prompt::{Condition, InstructionChoice, OrderPolicy, Pack, Scoring};
use crate::safe_text::{for_json, for_terminal};
use crate::terminal::files;
use crate::terminal::progress::Shown;
use crate::trial::{GenerationSettings, Settings, asks_of, packs, trials};

/// Arguments of `tomeval prompts write`.
#[derive(Debug, clap::Args)]
pub(super) struct Write {
    /// Benchmark by name; `tomeval data list` shows all.
    #[arg(long, short, value_name = "NAME")]
    benchmark: Benchmark,
    /// Output folder, created if missing: requests.jsonl, and map.jsonl for `tomeval score --map`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Request format: openai-batch (input of a batch of chat completions), or jsonl (`custom_id`, `messages`,
    /// `max_tokens`, `temperature`).
    #[arg(long, default_value = "openai-batch", value_name = "openai-batch|jsonl")]
    format: RequestFormat,
    /// The service's name of the model; required by openai-batch.
    #[arg(
        long,
        short,
        value_name = "NAME",
        required_unless_present = "format",
        required_if_eq("format", "openai-batch")
    )]
    model: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    limit: LimitArgs,
    /// Folder with prompt packs [default: the built-in packs].
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// Prompt style of the pack, or several separated by commas.
    #[arg(long = "style", value_name = "STYLE", default_value = "vanilla", value_delimiter = ',')]
    styles: Vec<String>,
    /// Instructions in the item's language (item), in English (en), or each item both ways (both).
    #[arg(long, default_value = "item", value_parser = InstructionChoice::from_str, value_name = "item|en|both")]
    instructions: InstructionChoice,
    /// Condition, as of `tomeval run`: no-profile, no-background, no-dialogue, drop-gold, drop-distractor, seen-only, mention-kept,
    /// others-left-out or true-belief.
    #[arg(long)]
    condition: Option<Condition>,
    /// Option orders: identity, random:K, cyclic, balanced:K or all; an order drawn several times is sent once.
    #[arg(long, default_value = "random:5", value_parser = OrderPolicy::from_str)]
    orders: OrderPolicy,
    /// Maximum tokens of a reply [default: the limit of the style].
    #[arg(long, value_name = "N", value_parser = within(TOKENS))]
    max_new_tokens: Option<usize>,
    /// Temperature of the replies.
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f64,
}

/// Request formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
enum RequestFormat {
    OpenaiBatch,
    Jsonl,
}

named!(RequestFormat, "request format");

impl RequestFormat {
    fn line(self, custom_id: &str, model: Option<&str>, mut body: Value) -> Value {
        match self {
            RequestFormat::OpenaiBatch => {
                body["model"] = json!(model);
                json!({ "custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body })
            }
            RequestFormat::Jsonl => {
                body["custom_id"] = json!(custom_id);
                body
            }
        }
    }
}

/// Writes one request per trial, and the map of the requests.
pub(super) fn write(args: &Write) -> anyhow::Result<Outcome> {
    let dataset = args.limit.of(args.source.dataset(vec![args.benchmark])?);
    let packs = packs(&dataset.benchmarks, args.prompts.as_deref()).context("prompt packs")?;
    let loaded = Shown::during("reading items", || dataset.load())?;
    if let Some(unread) = loaded.unread() {
        eprintln!("{}", for_terminal(&unread));
    }
    let (mut requests, mut map, mut number, mut failed) = (String::new(), String::new(), 0, 0);
    for style in &args.styles {
        let in_phases = |pack: &Pack| pack.named(style).any(|style| style.first.is_some() || style.is_first);
        anyhow::ensure!(
            !packs.values().any(in_phases),
            "--style {style}: the prompts of its second phase contain replies to the first, which a batch service cannot \
             insert; ask it with `tomeval run`, also on a server"
        );
        let settings = Settings {
            style: style.clone(),
            instructions: args.instructions,
            conditions: vec![args.condition],
            scoring: Scoring::Generate,
            writing: Some(GenerationSettings {
                max_new_tokens: args.max_new_tokens,
                temperature: args.temperature,
                ..GenerationSettings::default()
            }),
            seed: args.limit.seed,
            ..Settings::letters(args.benchmark, crate::language::Language::En, args.orders)
        };
        let trials = trials(&loaded.items, &packs, &settings)?;
        let asked = asks_of(&trials, &loaded.items, &packs, &settings, None, &Tracker::default());
        for (trial, asked) in trials.iter().zip(asked) {
            let item = &loaded.items[trial.item];
            let (ask, labels, max_tokens) = match &asked {
                Ok(asked) => match &asked.asks[..] {
                    [ask] => (ask, &asked.labels, asked.most_tokens),
                    _ => anyhow::bail!(
                        "{}: its options are asked one by one, which a single reply cannot answer",
                        item.id
                    ),
                },
                Err(failure) => {
                    eprintln!("{}: cannot be asked: {}", for_terminal(&item.id), for_terminal(&failure.message));
                    failed += 1;
                    continue;
                }
            };
            number += 1;
            let custom_id = format!("r{number}");
            let turn =
                |message: &crate::chat::Message| json!({ "role": message.role.name(), "content": message.content });
            let messages: Vec<Value> = ask.messages().iter().map(turn).collect();
            let body = json!({ "messages": messages, "max_tokens": max_tokens, "temperature": args.temperature });
            let line = args.format.line(&custom_id, args.model.as_deref(), body);
            writeln!(requests, "{}", for_json(&line.to_string()))?;
            let request = MappedRequest {
                custom_id,
                id: item.id.clone(),
                style: style.clone(),
                condition: trial.presented.name(),
                order: trial.order.clone(),
                count: trial.count,
                labels: labels.to_vec(),
            };
            writeln!(map, "{}", for_json(&serde_json::to_string(&request)?))?;
        }
    }
    let put = |name: &str, text: &str| -> anyhow::Result<PathBuf> {
        let path = args.out.join(name);
        files::write(&path, text)?;
        Ok(path)
    };
    let requests = put("requests.jsonl", &requests)?;
    let map = put("map.jsonl", &map)?;
    announce(&requests, &map, number, args.benchmark);
    Ok(if failed == 0 { Outcome::Done } else { Outcome::Incomplete })
}

/// Prints what was written, and how to score answers.
fn announce(requests: &Path, map: &Path, number: usize, benchmark: Benchmark) {
    eprintln!("{}: {}", requests.display(), counted(number, "request"));
    eprintln!(
        "{}: score the results with: tomeval score --benchmark {benchmark} --map {} --answers FILE, with --data, \
         --language, --choose and --limit as here",
        map.display(),
        map.display()
    );
}
