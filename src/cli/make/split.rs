//! `tomeval make split`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use serde::Serialize;
use serde_json::json;

use super::Outcome;
use crate::arguments::setup::{ChoiceArgs, SourceArgs};
use crate::benchmark::{Benchmark, Item};
use crate::make::{examples, for_test};
use crate::prompt::OrderPolicy;
use crate::run::Program;
use crate::terminal::files::save;
use crate::terminal::progress::Shown;
use crate::trial::{Settings, packs};

/// Arguments of `tomeval make split`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Benchmark by name [default: the one named by --data].
    #[arg(long, short, value_name = "NAME")]
    benchmark: Option<Benchmark>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Share of the stories for testing, between 0 and 1.
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    test: f64,
    /// Random seed; the same seed gives the same division.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder with prompt packs [default: the built-in packs].
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// Prompt style of the training data; run the test items with the same one.
    #[arg(long, value_name = "STYLE", default_value = "vanilla")]
    style: String,
    /// Option orders of the training data: identity, random:K, cyclic, balanced:K or all.
    #[arg(long, default_value = "random:1", value_parser = OrderPolicy::from_str)]
    orders: OrderPolicy,
    /// Folder for train_LANGUAGE.json and train_all.json with dataset_info.json, which LLaMA-Factory reads as `dataset_dir`,
    /// test.txt with the ids for `tomeval run --item @FILE`, and split.json, which tells how it was made.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "give a number between 0 and 1".to_string())
}

/// How a division was made.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SplitDocument {
    /// `tomeval-split/1`.
    format: &'static str,
    /// Program and version.
    program: String,
    /// The benchmark.
    benchmark: Benchmark,
    /// Seed of the division and of option orders.
    seed: u64,
    /// Wanted share of the stories for testing.
    test: f64,
    /// Prompt style of the training data.
    style: String,
    /// SHA-256 of the prompt pack.
    pack_sha256: String,
    /// Option orders of the training data.
    orders: String,
    /// Items for training, by language.
    train: BTreeMap<String, usize>,
    /// Items for testing, by language.
    tested: BTreeMap<String, usize>,
    /// Ids of the items for training.
    train_items: Vec<String>,
    /// Ids of the items for testing.
    test_items: Vec<String>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let named: Vec<Benchmark> = args.benchmark.into_iter().collect();
    let benchmark = *args.source.benchmarks(&named)?.first().context("name the benchmark with --benchmark")?;
    let dataset = args.choice.of(args.source.dataset(vec![benchmark])?)?;
    let packs = packs(&dataset.benchmarks, args.prompts.as_deref()).context("prompt packs")?;
    let loaded = Shown::during("reading items", || dataset.load())?;
    let unread = loaded.unread();
    unread.iter().for_each(|unread| eprintln!("{unread}"));
    let sides = for_test(&loaded.items, args.test, args.seed)
        .context("these items are of one story; a story is never divided between training and test")?;
    let on = |tested: bool| -> Vec<&Item> {
        loaded.items.iter().zip(&sides).filter(|(_, side)| **side == tested).map(|(item, _)| item).collect()
    };
    let (train, test) = (on(false), on(true));
    let settings = Settings {
        style: args.style.clone(),
        seed: args.seed,
        ..Settings::letters(benchmark, loaded.items[0].language, args.orders)
    };
    let shown = Shown::new();
    let trained: Vec<Item> = train.iter().map(|item| (*item).clone()).collect();
    let examples = examples(&trained, &packs, &settings, shown.tracker())?;
    drop(shown);

    let language: BTreeMap<&str, &str> = train.iter().map(|item| (item.id.as_str(), item.language.code())).collect();
    let by_language = |items: &[&Item]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        items.iter().for_each(|item| *counts.entry(item.language.code().to_string()).or_default() += 1);
        counts
    };
    let (trained, tested) = (by_language(&train), by_language(&test));
    let mut info = serde_json::Map::new();
    for code in trained.keys().map(String::as_str).chain(["all"]) {
        let of: Vec<_> =
            examples.iter().filter(|example| code == "all" || language[example.id.as_str()] == code).collect();
        let file = format!("train_{code}.json");
        save(&args.out.join(&file), format!("{}\n", serde_json::to_string_pretty(&of)?))?;
        let columns = json!({ "prompt": "instruction", "query": "input", "response": "output", "system": "system" });
        info.insert(format!("{benchmark}_{code}"), json!({ "file_name": file, "columns": columns }));
    }
    save(&args.out.join("dataset_info.json"), format!("{}\n", serde_json::to_string_pretty(&info)?))?;
    let ids = |items: &[&Item]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    save(&args.out.join("test.txt"), ids(&test).join("\n") + "\n")?;
    let document = SplitDocument {
        format: "tomeval-split/1",
        program: format!("tomeval {}", Program::this()),
        benchmark,
        seed: args.seed,
        test: args.test,
        style: args.style,
        pack_sha256: packs[&benchmark].sha256().to_string(),
        orders: args.orders.to_string(),
        train: trained,
        tested,
        train_items: ids(&train),
        test_items: ids(&test),
    };
    save(&args.out.join("split.json"), format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    Ok(if unread.is_some() { Outcome::Incomplete } else { Outcome::Done })
}
