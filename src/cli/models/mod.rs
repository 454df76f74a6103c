//! `tomeval models`: lists and shows cards, fetches and inspects models.

mod adapter;
pub(in crate::cli) mod facts;
mod inspect;
mod list;
mod show;

use std::io::Write;

use clap::Subcommand;
use indexmap::IndexMap;
use serde::Serialize;

use super::Outcome;
use crate::arguments::fetching::Fetching;
use crate::safe_text::{for_json, for_terminal};

/// Arguments of `tomeval models`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List models with a card: size, memory needs, whether they fit here, and which papers used them.
    List(list::Args),
    /// Show a model's card: sizes, licence, memory, template, papers. Fetches nothing.
    Show(show::Args),
    /// Fetch a model and print its path.
    Pull {
        /// A card's name or a hub id (organisation/name[@revision]).
        name: String,
        /// Use only files on this machine.
        #[arg(long)]
        offline: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show the contents of a model's files: settings, tensors, tokenizer, template, memory, hashes; with --adapter its
    /// changes to them. Fetches them if needed; loads no weights.
    Inspect(Box<inspect::Args>),
}

/// Version of the JSON documents of `pull` and `inspect`.
const VERSION: u32 = 1;

/// Version of the JSON documents of `list` and `show`.
const CARDS_VERSION: u32 = 2;

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::List(args) => list::run(&args)?,
        Action::Show(args) => show::run(&args)?,
        Action::Pull { name, offline, json } => pull(&name, offline, json)?,
        Action::Inspect(args) => return inspect::run(&args),
    }
    Ok(Outcome::Done)
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{}", for_terminal(text))?)
}

fn print_json(document: &impl Serialize) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{}", for_json(&serde_json::to_string_pretty(document)?))?)
}

/// Prints rows of a name and a value, with aligned values that wrap at the terminal's width.
fn print_rows(rows: &[(&'static str, String)]) -> anyhow::Result<()> {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    for (name, value) in rows {
        table.add_row([*name, value]);
    }
    if let Some(names) = table.column_mut(0) {
        names.set_padding((0, 1)).set_constraint(comfy_table::ColumnConstraint::ContentWidth);
    }
    print(&table.trim_fmt())
}

/// Prints hashes in the format of sha256sum, never wrapped.
fn print_hashes(sha256: &IndexMap<String, String>) -> anyhow::Result<()> {
    print("sha256")?;
    sha256.iter().try_for_each(|(file, hash)| print(&format!("{hash}  {}", file.escape_debug())))
}

fn pull(name: &str, offline: bool, json: bool) -> anyhow::Result<()> {
    let files = Fetching::default().resolve(name, offline)?;
    let paths: Vec<String> = files.all_files().iter().map(|path| path.display().to_string()).collect();
    if json {
        return print_json(&serde_json::json!({ "version": VERSION, "name": files.name, "files": paths }));
    }
    paths.iter().try_for_each(|path| print(path))
}
