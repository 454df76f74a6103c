//! `tomeval models inspect`: what a model's files hold, before weights are loaded.

use comfy_table::{Table, presets};
use indexmap::IndexMap;
use indicatif::HumanBytes;
use serde::Serialize;
use tomeval::model::{self, ModelFiles, ModelSource, Summary};

use super::{VERSION, print, print_json};
use crate::cli::fetching::Fetching;

/// Arguments of `tomeval models inspect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder, a .gguf file, a card's name or a hub id (organisation/name[@revision]).
    name: String,
    /// Use only what is on this machine.
    #[arg(long)]
    offline: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Inspected {
    version: u32,
    name: String,
    source: ModelSource,
    revision: Option<String>,
    path: String,
    summary: Summary,
    tokenizer: TokenizerFacts,
    template: Option<TemplateFacts>,
    sha256: IndexMap<String, String>,
    licence: Option<String>,
}

#[derive(Serialize)]
struct TokenizerFacts {
    kind: String,
    /// The file that is read.
    file: String,
    /// Other tokenizer files beside it.
    passed_over: Vec<&'static str>,
    ids: usize,
    special: IndexMap<String, String>,
    stops: Vec<String>,
}

impl TokenizerFacts {
    /// The file's name, and those that would do as well.
    fn read_from(&self) -> String {
        let name = std::path::Path::new(&self.file).file_name().unwrap_or_default().to_string_lossy();
        match self.passed_over.as_slice() {
            [] => name.into_owned(),
            others => format!("{name} (not from {}, which is there too)", others.join(", ")),
        }
    }
}

#[derive(Serialize)]
struct TemplateFacts {
    origin: String,
    sha256: String,
}

impl Inspected {
    fn of(files: &ModelFiles) -> anyhow::Result<Self> {
        let summary = Summary::of(files)?;
        let text = files.text_parts()?;
        if let Some(rows) = summary.vocabulary {
            text.tokenizer.check_model(rows)?;
        }
        let special = text.tokenizer.special_tokens().iter().map(|(name, token)| (name.to_string(), token.to_string()));
        let stops = text.tokenizer.stop_ids().iter().filter_map(|&id| text.tokenizer.token_text(id));
        let card = match &files.source {
            ModelSource::Card { name, .. } => model::card(name)?,
            ModelSource::Hub { .. } | ModelSource::Path => None,
        };
        Ok(Inspected {
            version: VERSION,
            name: files.name.clone(),
            source: files.source.clone(),
            revision: files.revision.clone(),
            path: files.path().display().to_string(),
            tokenizer: TokenizerFacts {
                kind: text.tokenizer.kind().to_string(),
                file: text.tokenizer.file().to_string(),
                passed_over: text.tokenizer.passed_over().to_vec(),
                ids: text.tokenizer.vocab_size(),
                special: special.collect(),
                stops: stops.collect(),
            },
            template: text.template.map(|template| TemplateFacts {
                origin: template.origin().to_string(),
                sha256: model::sha256_bytes(template.source()),
            }),
            sha256: files.hashes()?,
            licence: card.map(|card| card.licence.clone()),
            summary,
        })
    }

    fn rows(&self) -> Vec<(String, String)> {
        let Inspected { summary, tokenizer, .. } = self;
        let number = |value: Option<usize>| value.map_or("-".to_string(), |value| value.to_string());
        let stored = summary.stored_as.iter().map(|(kind, count)| format!("{kind} {count}"));
        let template = match &self.template {
            Some(template) => format!("{} ({})", template.origin, &template.sha256[..12]),
            None => "none: prompts are given raw".to_string(),
        };
        let special = tokenizer.special.iter().map(|(name, token)| format!("{name} {token}"));
        let mut rows = vec![
            ("name", self.name.clone()),
            ("path", self.path.clone()),
            ("revision", self.revision.clone().unwrap_or_else(|| "-".to_string())),
            ("licence", self.licence.clone().unwrap_or_else(|| "-".to_string())),
            ("format", summary.format.to_string()),
            ("family", summary.family.clone().unwrap_or_else(|| "-".to_string())),
            ("layers", number(summary.layers)),
            ("hidden", number(summary.hidden)),
            ("intermediate", number(summary.intermediate)),
            ("heads", format!("{} ({} key-value)", number(summary.heads), number(summary.key_value_heads))),
            ("head size", number(summary.head_size)),
            ("vocabulary", number(summary.vocabulary)),
            ("context", number(summary.context)),
            ("rope base", summary.rope_base.map_or("-".to_string(), |base| base.to_string())),
            ("tensors", summary.tensors.to_string()),
            ("parameters", summary.parameters.to_string()),
            ("stored as", stored.collect::<Vec<_>>().join(", ")),
            ("file size", HumanBytes(summary.file_bytes).to_string()),
            ("as f32", HumanBytes(summary.f32_bytes).to_string()),
            ("tokenizer", format!("{}, {} ids", tokenizer.kind, tokenizer.ids)),
            ("read from", tokenizer.read_from()),
            ("special", special.collect::<Vec<_>>().join(", ")),
            ("stops at", tokenizer.stops.join(" ")),
            ("template", template),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_string(), value))
        .collect::<Vec<_>>();
        rows.extend(summary.unsupported.iter().map(|reason| ("cannot be run".to_string(), reason.clone())));
        let mut unread: IndexMap<&str, Vec<&str>> = IndexMap::new();
        for tensor in &summary.unread {
            unread.entry(tensor.reason).or_default().push(&tensor.name);
        }
        rows.extend(unread.into_iter().map(|(reason, names)| {
            let more = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
            ("not read".to_string(), format!("{}{more}: {reason}", names[0]))
        }));
        rows.extend(self.sha256.iter().map(|(file, hash)| (format!("sha256 {file}"), hash.clone())));
        rows
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let files = Fetching::default().resolve(&args.name, args.offline)?;
    let inspected = Inspected::of(&files)?;
    if args.json {
        return print_json(&inspected);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    for (key, value) in inspected.rows() {
        table.add_row([key, value]);
    }
    print(&table.trim_fmt())
}
