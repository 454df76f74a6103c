//! `tomeval models list`: tabulates the cards.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::facts::{Facts, Memory, context, gib, weights};
use super::{CARDS_VERSION, print, print_json};
use crate::engine::Kept;
use crate::model::{self, Paper};

/// Arguments of `tomeval models list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only models evaluated in this benchmark's paper: tombench, hi-tom, multi-tom, tomvalley or xtom.
    #[arg(long)]
    paper: Option<Paper>,
    /// Only models of this family, for instance llama.
    #[arg(long)]
    family: Option<String>,
    /// Print one JSON document with all card contents.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let memory = Memory::of_this_machine();
    let cards = model::cards()?;
    if let Some(family) = &args.family {
        let mut families: Vec<&str> = cards.iter().map(|card| card.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        anyhow::ensure!(
            families.contains(&family.as_str()),
            "--family {family}: unknown family; use one of {}",
            families.join(", ")
        );
    }
    let asked_for = |card: &&model::Card| {
        args.paper.is_none_or(|paper| card.papers.contains_key(&paper))
            && args.family.as_ref().is_none_or(|family| &card.family == family)
    };
    let models: Vec<Facts> = cards.iter().filter(asked_for).map(|card| Facts::new(card, memory)).collect();
    if args.json {
        let document = serde_json::json!({ "version": CARDS_VERSION, "machine": memory, "models": models });
        return print_json(&document);
    }
    if models.is_empty() {
        return print("No card matches this family and paper.");
    }
    print(table(&models).trim_end())?;
    print(&notes(&models, memory))
}

/// Formats one line per model, at most 80 columns wide.
fn table(models: &[Facts]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["name", "family", "size", "ctx", "bf16", "q4_k", "fits", "state", "papers"]);
    for facts in models {
        let memory = |kept| facts.at(kept).map(|room| gib(room.bytes())).unwrap_or_default();
        let card = facts.card;
        let state = match (&facts.path, card.gated) {
            (Some(_), _) => "here",
            (None, Some(true)) => "gated",
            (None, _) => "",
        };
        let fits = match (&facts.cannot_be_run, facts.fits) {
            (Some(_), _) => "-",
            (None, Some(kept)) => kept.name(),
            (None, None) => "no",
        };
        table.add_row([
            card.name.clone(),
            card.family.clone(),
            facts.parameters.map(weights).unwrap_or_default(),
            card.context.map(context).unwrap_or_default(),
            memory(Kept::Bf16),
            memory(Kept::Q4K),
            fits.to_string(),
            state.to_string(),
            card.papers.keys().map(|paper| paper.letter()).collect(),
        ]);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 1 }, 0));
        if (2..6).contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Lists the models that cannot be run with reasons, and explains the columns.
fn notes(models: &[Facts], memory: Memory) -> String {
    let mut notes = String::new();
    let refused = models.iter().filter_map(|facts| Some((&facts.card.name, facts.cannot_be_run.as_ref()?)));
    for (at, (name, reason)) in refused.enumerate() {
        let lead = if at == 0 { "\ncannot be run:\n" } else { "" };
        let _ = writeln!(notes, "{lead}  {name}: {reason}");
    }
    let papers: Vec<String> = Paper::ALL.map(|paper| format!("{} {}", paper.letter(), paper.title())).to_vec();
    let (free, total) = (gib(memory.free), gib(memory.total));
    let _ = write!(
        notes,
        "\n\
         bf16, q4_k: GiB for such weights and a prompt of 2,500 tokens on the CPU\n\
         fits: the widest of f32, bf16, q8_0, q4_k for the {free} of {total} GiB free here\n\
         gated: accept the licence on the model's page on the Hub and set HF_TOKEN\n\
         papers: {}\n\
         `tomeval models show NAME` shows a whole card with its sources",
        papers.join(", ")
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_terminal_of_80_columns() {
        let memory = Memory { free: 1 << 41, total: 1 << 41 };
        let cards = model::cards().expect("cards can be read");
        let models: Vec<Facts> = cards.iter().map(|card| Facts::new(card, memory)).collect();
        let table = table(&models);
        let notes = notes(&models, memory);
        assert_eq!(table.lines().count(), cards.len() + 1);
        for line in table.lines().chain(notes.lines()) {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        }
        assert!(notes.contains("guanaco-65b: an adapter of"), "{notes}");
    }
}
