//! `tomeval models inspect`: shows the contents of a model's files, before weights are loaded.

use std::collections::BTreeSet;
use std::path::PathBuf;

use indexmap::IndexMap;
use indicatif::HumanBytes;
use serde::Serialize;

use super::{VERSION, adapter, print_hashes, print_json, print_rows};
use crate::arguments::fetching::Fetching;
use crate::arguments::place::Place;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::template::TemplateArgs;
use crate::cli::Outcome;
use crate::engine::{Kept, PROMPT_TOKENS, Room};
use crate::machine;
use crate::model::{self, ChatTemplate, ModelFiles, ModelSource, Summary, TemplateCapabilities, TemplateVariables};
use crate::safe_text::for_terminal;
use crate::terminal::shell;
use crate::terminal::stdout::print;

/// Arguments of `tomeval models inspect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder, a .gguf file, a card's name, a hub id (organisation/name[@revision]), or openai:URL[#NAME] for a model on a
    /// server.
    name: String,
    /// Folder of a PEFT adapter; shows its changes to this model, and whether it can be merged.
    #[arg(long, value_name = "DIR")]
    adapter: Option<PathBuf>,
    /// Use only files on this machine.
    #[arg(long)]
    offline: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    template: TemplateArgs,
}

#[derive(Serialize)]
struct Inspected {
    version: u32,
    name: String,
    source: ModelSource,
    revision: Option<String>,
    path: String,
    summary: Summary,
    /// Memory on the CPU at each precision, with a prompt of 2,500 tokens; empty if the settings cannot be read.
    memory: Vec<Room>,
    tokenizer: TokenizerFacts,
    template: Option<TemplateFacts>,
    sha256: IndexMap<String, String>,
    licence: Option<String>,
}

#[derive(Serialize)]
struct TokenizerFacts {
    kind: String,
    /// The file read.
    file: String,
    /// Other tokenizer files beside it.
    passed_over: Vec<&'static str>,
    ids: usize,
    special: IndexMap<String, String>,
    stops: Vec<String>,
}

impl TokenizerFacts {
    /// Returns the file's name, and the unused alternatives.
    fn read_from(&self) -> String {
        let name = std::path::Path::new(&self.file).file_name().unwrap_or_default().to_string_lossy();
        match self.passed_over.as_slice() {
            [] => name.into_owned(),
            others => format!("{name} (not from {}, also present)", others.join(", ")),
        }
    }
}

#[derive(Serialize)]
struct TemplateFacts {
    origin: String,
    sha256: String,
    /// Variables that a user may set.
    variables: BTreeSet<String>,
    #[serde(flatten)]
    habits: TemplateCapabilities,
}

impl TemplateFacts {
    fn new(template: &ChatTemplate, switches: &TemplateVariables) -> TemplateFacts {
        TemplateFacts {
            origin: template.origin().to_string(),
            sha256: model::sha256_bytes(template.source()),
            variables: template.variables(),
            habits: template.habits(switches),
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let TemplateCapabilities { system, thinking_off, opens_thought, asks_for_date, prompt } = &self.habits;
        let variables: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        let mut rows = vec![
            ("template", format!("{} ({})", self.origin, &self.sha256[..12])),
            ("variables", if variables.is_empty() { "none".to_string() } else { variables.join(", ") }),
            ("system message", system.in_words().to_string()),
        ];
        rows.extend(thinking_off.iter().map(|(name, value)| ("thinking", format!("off with {name}={value}"))));
        rows.extend(opens_thought.map(|mark| ("thinking", format!("opened by the template: {mark}"))));
        if *asks_for_date {
            let date = "read by the template, which writes its own unless the run's settings name one";
            rows.push(("date", date.to_string()));
        }
        rows.extend(prompt.iter().map(|prompt| ("a user turn", excerpt(prompt))));
        rows
    }
}

/// Returns the beginning of an external text, on one line.
fn excerpt(text: &str) -> String {
    const LETTERS: usize = 300;
    let shown: String = text.chars().take(LETTERS).collect();
    let more = if shown.len() < text.len() { " ..." } else { "" };
    format!("{}{more}", shown.escape_debug())
}

/// Returns the first names of a list, on one line.
fn some<'a>(names: impl IntoIterator<Item = &'a String>, most: usize) -> String {
    let names: Vec<&String> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(most).map(|name| name.escape_debug().to_string()).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl Inspected {
    fn new(files: &ModelFiles) -> anyhow::Result<Self> {
        let summary = Summary::from_files(files)?;
        let text = files.text_parts()?;
        if let (Some(rows), None) = (summary.vocabulary, &summary.unsupported) {
            text.tokenizer.check_model(rows)?;
        }
        let special = text.tokenizer.special_tokens().iter().map(|(name, token)| (name.to_string(), token.to_string()));
        let stops = text.tokenizer.stop_ids().iter().filter_map(|&id| text.tokenizer.token_text(id));
        let card = files.card()?;
        let switches = card.map(|card| card.thinking.clone()).unwrap_or_default();
        let memory =
            summary.spec.as_ref().map(|spec| Room::at_all_precisions(spec.weights() as u64, Some(spec), PROMPT_TOKENS));
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
            template: text.template.map(|template| TemplateFacts::new(&template, &switches)),
            memory: memory.unwrap_or_default(),
            sha256: files.hashes()?,
            licence: card.map(|card| card.licence.clone()),
            summary,
        })
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let Inspected { summary, tokenizer, .. } = self;
        let known = |name, value: Option<String>| value.map(|value| (name, value));
        let number = |name, value: Option<usize>| known(name, value.map(|value| value.to_string()));
        let mut rows = vec![("name", self.name.clone()), ("path", self.path.clone())];
        rows.extend(known("revision", self.revision.clone()));
        rows.extend(known("licence", self.licence.clone()));
        rows.push(("format", summary.format.to_string()));
        rows.extend(known("family", summary.family.clone()));
        rows.extend(known("cannot be run", summary.unsupported.clone()));
        rows.extend(number("layers", summary.layers));
        rows.extend(number("hidden", summary.hidden));
        rows.extend(number("feed-forward", summary.intermediate));
        if let (Some(heads), Some(pairs), Some(size)) = (summary.heads, summary.key_value_heads, summary.head_size) {
            rows.push(("heads", format!("{heads} ({pairs} key-value) of {size}")));
        }
        rows.extend(number("vocabulary", summary.vocabulary));
        rows.extend(number("context", summary.context));
        if let (Some(computes), Some(layers)) = (&summary.computes, summary.layers) {
            rows.extend(computes.rows(layers));
        }
        if !summary.unread_settings.is_empty() {
            rows.push(("not asked for", format!("settings {}", some(&summary.unread_settings, 40))));
        }
        rows.extend(self.rows_of_tensors());
        for room in &self.memory {
            let (weights, prompt) = (HumanBytes(room.weights), HumanBytes(room.prompt.unwrap_or(0)));
            let precision = room.precision.name();
            let both = format!("{precision:<4}  {weights} and {prompt} for a prompt of {PROMPT_TOKENS} tokens");
            rows.push(("memory", both));
        }
        rows.push(("tokenizer", format!("{}, {} ids", tokenizer.kind, tokenizer.ids)));
        rows.push(("read from", tokenizer.read_from()));
        let special = tokenizer.special.iter().map(|(name, token)| format!("{name} {token}"));
        rows.push(("special", special.collect::<Vec<_>>().join(", ")));
        rows.push(("stops at", tokenizer.stops.join(" ")));
        match &self.template {
            Some(template) => rows.extend(template.rows()),
            None => rows.push(("template", "none: prompts are raw".to_string())),
        }
        rows
    }

    /// Says whether this machine can run the model in the available bytes of memory, and with which command.
    fn verdict(&self, typed: &str, available: u64) -> String {
        let (command, free) = (format!("tomeval run --model {}", shell::word(typed)), HumanBytes(available));
        if let Some(reason) = &self.summary.unsupported {
            return format!("cannot be run: {reason}");
        }
        match self.memory.iter().find(|room| room.bytes() <= available) {
            Some(room) => {
                let kept = match room.precision {
                    Kept::F32 => String::new(),
                    narrower => format!(" --dtype {}", narrower.name()),
                };
                format!("runs here, in {} of {free} available: {command}{kept}", HumanBytes(room.bytes()))
            }
            None => {
                let least = self.memory.iter().map(Room::bytes).min().unwrap_or_default();
                format!("too large for this machine's {free}: it needs at least {}", HumanBytes(least))
            }
        }
    }

    fn rows_of_tensors(&self) -> Vec<(&'static str, String)> {
        const NAMED: usize = 3;
        let summary = &self.summary;
        let stored = summary.stored_as.iter().map(|(kind, count)| format!("{kind} {count}"));
        let found = match summary.found {
            Some(found) => format!("{} in the files, {found} of them as the settings say", summary.tensors),
            None => format!("{} in the files", summary.tensors),
        };
        let mut rows = vec![("tensors", found)];
        for (name, tensors) in
            [("missing", &summary.missing), ("wrong shape", &summary.misshapen), ("no place for", &summary.foreign)]
        {
            if !tensors.is_empty() {
                rows.push((name, some(tensors, NAMED)));
            }
        }
        let mut unread: IndexMap<&str, Vec<&String>> = IndexMap::new();
        for tensor in &summary.unread {
            unread.entry(tensor.reason).or_default().push(&tensor.name);
        }
        let unread =
            unread.into_iter().map(|(reason, names)| ("not read", format!("{}: {reason}", some(names, NAMED))));
        rows.extend(unread);
        rows.push(("parameters", summary.parameters.to_string()));
        rows.push(("stored as", stored.collect::<Vec<_>>().join(", ")));
        rows.push(("file size", HumanBytes(summary.file_bytes).to_string()));
        rows
    }
}

impl Args {
    /// Checks the arguments, and returns where the model is.
    fn check(&self) -> anyhow::Result<Place> {
        let place = Place::from_name(&self.name)?;
        if place == Place::Here {
            self.server.check_without_server()?;
            anyhow::ensure!(
                self.template == TemplateArgs::default(),
                "--template-var and --chat-template apply only to servers here; `tomeval prompts` shows what a template writes"
            );
        }
        Ok(place)
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.check()? == Place::Server {
        #[cfg(feature = "server")]
        {
            let Args { name, offline, json, server, template, .. } = args;
            let rows = crate::cli::server::inspect::rows(name, *offline, *json, server, template)?;
            if !rows.is_empty() {
                print_rows(&rows)?;
            }
            return Ok(Outcome::Done);
        }
    }
    let files = Fetching::default().resolve(&args.name, args.offline)?;
    if let Some(adapter) = &args.adapter {
        return adapter::run(&files, adapter, args.json);
    }
    let inspected = Inspected::new(&files)?;
    let outcome = match inspected.summary.unsupported {
        None => Outcome::Done,
        Some(_) => Outcome::Incomplete,
    };
    if args.json {
        print_json(&inspected)?;
        return Ok(outcome);
    }
    print_rows(&inspected.rows())?;
    print_hashes(&inspected.sha256)?;
    print(&format!("{}\n", for_terminal(&inspected.verdict(&args.name, machine::memory().1))))?;
    Ok(outcome)
}
