//! `tomeval prompts`: lists prompt styles, shows the prompt of an item, exports the built-in packs.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;

use super::{Outcome, prompts_write};
use crate::arguments::fetching::Fetching;
use crate::arguments::setup::SourceArgs;
use crate::arguments::template::TemplateArgs;
use crate::benchmark::Benchmark;
use crate::model::ChosenTemplate;
use crate::prompt::{Condition, Instructions, OrderPolicy, Pack, Scoring, Style};
use crate::safe_text::{for_json, for_terminal};
use crate::terminal::stdout::{print, table};
use crate::trial::{Presentation, Reader, ShownAsk, ShownItem, benchmarks_with_packs, export_packs, packs, show};

/// Arguments of `tomeval prompts`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the prompt styles of benchmarks.
    List(List),
    /// Show an item as a model sees it.
    Show(Show),
    /// Write the built-in packs into a folder, to edit and pass as --prompts.
    Export(Export),
    /// Write prompts as requests for a batch service; `tomeval score --map` reads its results.
    Write(prompts_write::Write),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Benchmark by name; may be repeated [default: all; with --prompts those with packs in the folder].
    #[arg(long = "benchmark", short, num_args = 1.., value_name = "NAME", value_delimiter = ',')]
    benchmarks: Vec<Benchmark>,
    /// Folder with prompt packs [default: the built-in packs].
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// Benchmark by name; `tomeval data list` shows all.
    #[arg(long, short, default_value = "demo", value_name = "NAME")]
    benchmark: Benchmark,
    /// Item by id; `tomeval data items` shows all.
    #[arg(long, value_name = "ID")]
    item: String,
    #[command(flatten)]
    source: SourceArgs,
    /// Folder with prompt packs [default: the built-in packs].
    #[arg(long)]
    prompts: Option<PathBuf>,
    /// Prompt style of the pack.
    #[arg(long, default_value = "vanilla")]
    style: String,
    /// Instructions in the item's language, or in English.
    #[arg(long, default_value_t, value_name = "item|en")]
    instructions: Instructions,
    /// Scoring method: letter, text or hybrid; generate asks for a written answer.
    #[arg(long, default_value_t)]
    scoring: Scoring,
    /// Condition, as of `tomeval run`: no-profile, no-background, no-dialogue, drop-gold, drop-distractor, seen-only, mention-kept,
    /// others-left-out or true-belief.
    #[arg(long)]
    condition: Option<Condition>,
    /// Option orders, as in `run`; shows the first one drawn.
    #[arg(long, default_value = "identity")]
    orders: OrderPolicy,
    /// Seed of the orders.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Show the text read by this model, and count its tokens: a folder, a .gguf file, a card's name or a hub id.
    #[arg(long, short)]
    model: Option<String>,
    #[command(flatten)]
    template: TemplateArgs,
    /// Use only files on this machine.
    #[arg(long)]
    offline: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Export {
    /// Output folder; created if missing.
    folder: PathBuf,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    styles: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    benchmark: Benchmark,
    style: &'a str,
    language: &'a str,
    /// Items to which the entry applies: dimension, number of options, kind of answer.
    dimension: Option<&'a str>,
    options: Option<usize>,
    answer: Option<&'a str>,
    scoring: Vec<&'a str>,
    /// Whether the model reasons first: its answer is then scored after its reasoning or not at all.
    reasoning: bool,
    /// Style of the first phase, whose reply the prompt contains; null for styles that ask once.
    first: Option<&'a str>,
    /// Whether it is the first phase of other styles, whose replies state no answer.
    is_first: bool,
    max_new_tokens: usize,
    file: &'a str,
    source: &'a str,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::List(args) => list(&args),
        Command::Show(args) => show_item(&args),
        Command::Write(args) => prompts_write::write(&args),
        Command::Export(args) => {
            for path in export_packs(&args.folder)? {
                eprintln!("{}", path.display());
            }
            Ok(Outcome::Done)
        }
    }
}

fn list(args: &List) -> anyhow::Result<Outcome> {
    let benchmarks = match (&args.benchmarks[..], &args.prompts) {
        ([], None) => Benchmark::ALL.to_vec(),
        ([], Some(folder)) => benchmarks_with_packs(folder),
        (named, _) => named.to_vec(),
    };
    if let (true, Some(folder)) = (benchmarks.is_empty(), &args.prompts) {
        anyhow::bail!(
            "--prompts {}: no prompt pack of a benchmark found, for instance tombench.toml; `tomeval prompts export DIR` writes the \
             built-in ones",
            folder.display()
        );
    }
    let packs = packs(&benchmarks, args.prompts.as_deref()).context("prompt packs")?;
    let entries: Vec<Entry> = packs
        .iter()
        .flat_map(|(&benchmark, pack)| pack.served().map(move |style| entry(benchmark, pack, style)))
        .collect();
    if args.json {
        let document = Document { version: 1, styles: entries };
        print(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
        return Ok(Outcome::Done);
    }
    let rows = entries.iter().map(|entry| {
        let of = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
        let kinds = [
            of("dimension", entry.dimension.map(str::to_string)),
            of("options", entry.options.map(|options| options.to_string())),
            of("answer", entry.answer.map(str::to_string)),
            of("after", entry.first.map(str::to_string)),
            entry.is_first.then(|| "a first phase".to_string()),
        ];
        let scoring = match entry.reasoning {
            true => "generate".to_string(),
            false => entry.scoring.join(" "),
        };
        let kinds: Vec<String> = kinds.into_iter().flatten().collect();
        let cells = [entry.benchmark.name(), entry.style, entry.language, &kinds.join(", "), &scoring, entry.source];
        cells.map(|cell| for_terminal(cell).into_owned()).to_vec()
    });
    print(&table(&["benchmark", "style", "language", "for", "scoring", "source"], rows))?;
    Ok(Outcome::Done)
}

fn entry<'a>(benchmark: Benchmark, pack: &'a Pack, style: &'a Style) -> Entry<'a> {
    Entry {
        benchmark,
        style: &style.name,
        language: style.language.code(),
        dimension: style.dimension.as_deref(),
        options: style.options,
        answer: style.answer.as_deref(),
        scoring: style.scoring.iter().map(|scoring| scoring.name()).collect(),
        reasoning: style.reasoning,
        first: style.first.as_deref(),
        is_first: style.is_first,
        max_new_tokens: style.max_new_tokens,
        file: pack.file(),
        source: &style.source,
    }
}

fn show_item(args: &Show) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        args.model.is_some() || args.template == TemplateArgs::default(),
        "--chat-template and --template-var need a model; name it with --model"
    );
    let dataset = args.source.dataset(vec![args.benchmark])?;
    dataset.check_choices()?;
    let packs = packs(&dataset.benchmarks, args.prompts.as_deref()).context("prompt packs")?;
    let item = dataset.item(args.benchmark, &args.item)?;
    let mut chosen = None;
    let text = match &args.model {
        Some(name) => {
            let files = Fetching::default().resolve(name, args.offline).with_context(|| format!("--model {name}"))?;
            let mut text = files.text_parts()?;
            chosen = args.template.choose(&files, &mut text, args.offline)?;
            // As in a run, the model does not think if its answer is scored.
            let variables = match args.scoring {
                Scoring::Generate => args.template.given(&files, &text)?,
                _ => args.template.scoring(&files, &text)?,
            };
            Some((text, variables))
        }
        None => None,
    };
    let presentation = Presentation {
        style: &args.style,
        instructions: args.instructions,
        scoring: args.scoring,
        condition: args.condition,
        orders: args.orders,
        seed: args.seed,
    };
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let reader = text.as_ref().map(|(text, variables)| Reader { text, variables: variables.clone(), now });
    let shown = show(&item, &packs[&args.benchmark], &presentation, reader.as_ref())?;
    let text = if args.json {
        for_json(&serde_json::to_string_pretty(&shown)?).into_owned() + "\n"
    } else {
        for_terminal(&words(&shown, chosen.as_ref())).into()
    };
    print(&text)?;
    Ok(Outcome::Done)
}

/// Formats the first prompt with its description, after that of a first phase.
fn words(shown: &ShownItem, chosen: Option<&ChosenTemplate>) -> String {
    let order: Vec<String> = shown.order.iter().map(|option| (option + 1).to_string()).collect();
    let before = shown.first.as_ref().map_or_else(String::new, |first| words(first, chosen) + "\n");
    let mut text = format!("{before}{}\n{}; options in the order {}\n", shown.item, shown.style, order.join(" "));
    let Some(ask) = shown.asks.first() else { return text };
    match &ask.rendered {
        Some(rendered) => {
            let template = chosen.map_or_else(
                || "the model's chat template".to_string(),
                |chosen| format!("the chat template of {}", chosen.name),
            );
            let by = match (rendered.by_template, rendered.system_merged) {
                (false, _) if chosen.is_some() => "raw".to_string(),
                (false, _) => "the model has no chat template".to_string(),
                (true, false) => format!("by {template}"),
                (true, true) => {
                    format!("by {template}, which has no system turn: its text is in the user's turn")
                }
            };
            text += &format!("{} tokens, {by}\n\n{}\n", rendered.tokens, rendered.text);
        }
        None => {
            for message in &ask.messages {
                text += &format!("\n[{}]\n{}\n", message.role, message.content);
            }
            if !ask.answer_prefix.is_empty() {
                text += &format!("\n[assistant begins with]\n{}\n", ask.answer_prefix);
            }
        }
    }
    text + &scored(ask, shown.is_first) + &more(shown)
}

fn scored(ask: &ShownAsk, is_first: bool) -> String {
    match ask.continuations.is_empty() {
        true if is_first => "\nA written text is wanted, for the prompt of a second phase.\n".to_string(),
        true => "\nA written answer is wanted.\n".to_string(),
        false => format!("\nScored after it: {}\n", ask.continuations.join(" | ")),
    }
}

fn more(shown: &ShownItem) -> String {
    match shown.asks.len() {
        0 | 1 => String::new(),
        all => format!("{} more prompts like it, one for each option; --json shows all.\n", all - 1),
    }
}
