//! Connects to a server by its name and queries its abilities.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::HumanDuration;

use crate::arguments::fetching::Fetching;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::setup::ModelArgs;
use crate::arguments::template::TemplateArgs;
use crate::backend::Peer;
use crate::counted::counted;
use crate::model::{ChatTemplate, ChosenTemplate, TemplateVariables, TextParts, Tokenizer};
use crate::run::NamedTokenizer;
use crate::safe_text::for_terminal;
use crate::server::{
    Abilities, Answered, Client, ClientSettings, Key, KnownTokens, Listed, Program, ServerError, ServerFacts,
    ServerName, disagreement,
};
use crate::terminal::progress::Shown;

/// Default variable of the API key; a variable of another service would send its key to whatever server is named.
const KEY: &str = "TOMEVAL_API_KEY";

/// Default number of trials in flight.
const CONCURRENCY: usize = 8;

/// Pause between two tries of a server that still loads.
const PAUSE: Duration = Duration::from_secs(1);

/// Maximum model names listed in a message: gateways have thousands.
const MOST_LISTED: usize = 20;

/// Maximum characters of such a name.
const LONGEST_LISTED: usize = 100;

/// A server, its model, and their abilities.
pub struct Connected {
    pub name: ServerName,
    pub model: String,
    pub client: Client,
    pub concurrency: usize,
    pub facts: ServerFacts,
    pub abilities: Abilities,
    pub text: ServedText,
    /// Template variables from the command line.
    pub variables: TemplateVariables,
    /// Other servers with the same model; the abilities are those of all.
    pub others: Vec<Other>,
}

/// Another server with the same model.
pub struct Other {
    pub peer: Peer,
    /// Its longest sequence, in tokens, if it says.
    context: Option<usize>,
    /// Its program, if its cache can be controlled.
    program: Option<Program>,
}

/// Local knowledge of the texts of a server's model.
#[derive(Default)]
pub struct ServedText {
    /// Tokenizer, with its origin.
    pub tokenizer: Option<(Tokenizer, NamedTokenizer)>,
    /// Chat template for prompts that are written here.
    pub template: Option<ChatTemplate>,
    /// Named template, as recorded in the manifest.
    pub chosen: Option<ChosenTemplate>,
    /// Beginning of the model's texts, if its tokenizer or that of its template is known.
    begins: Option<String>,
}

impl ServedText {
    /// Whether prompts can be written here: by a template, or raw if requested.
    pub fn writes(&self) -> bool {
        self.template.is_some() || self.chosen.is_some()
    }

    fn open(server: &ServerArgs, template: &TemplateArgs, offline: bool) -> anyhow::Result<Self> {
        let mut text = ServedText::default();
        if let Some(name) = &server.tokenizer {
            let (parts, sha256) = text_of(name, offline).with_context(|| format!("--tokenizer {name}"))?;
            let known =
                Path::new(name).file_name().map_or_else(|| name.clone(), |name| name.to_string_lossy().into_owned());
            text.begins = begins(&parts.tokenizer)?;
            text.tokenizer = Some((parts.tokenizer, NamedTokenizer { name: known, sha256 }));
            text.template = parts.template;
        }
        let Some(name) = &template.chat_template else { return Ok(text) };
        let context = || format!("--chat-template {name}");
        let resolve = |name: &str| Fetching::default().resolve(name, offline);
        let (parts, chosen) = match text.tokenizer.take() {
            Some((tokenizer, known)) => {
                let mut parts = TextParts { tokenizer, template: None };
                let chosen = parts.choose_template(name, resolve).with_context(context)?;
                let TextParts { tokenizer, template } = parts;
                text.tokenizer = Some((tokenizer, known));
                (template, chosen)
            }
            None if name == "none" => (None, ChosenTemplate { name: name.clone(), sha256: None, source: None }),
            None => {
                anyhow::ensure!(
                    !Path::new(name).is_file() || name.ends_with(".gguf"),
                    "--chat-template {name}: its special tokens need a tokenizer; name one with --tokenizer"
                );
                let (mut parts, _) = text_of(name, offline).with_context(context)?;
                text.begins = begins(&parts.tokenizer)?;
                let chosen = parts.choose_template(name, resolve).with_context(context)?;
                (parts.template, chosen)
            }
        };
        (text.template, text.chosen) = (parts, Some(chosen));
        Ok(text)
    }
}

/// Returns the text that a tokenizer puts in front of a text, or its `bos_token` if it puts none.
fn begins(tokenizer: &Tokenizer) -> anyhow::Result<Option<String>> {
    let own: String = tokenizer.encode("", true)?.into_iter().filter_map(|id| tokenizer.token_text(id)).collect();
    let bos = || tokenizer.special_tokens().iter().find(|(name, _)| *name == "bos_token");
    Ok(if own.is_empty() { bos().map(|(_, text)| text.to_string()) } else { Some(own) })
}

/// Loads the tokenizer and template of a model or a folder, with the hashes of their files.
fn text_of(name: &str, offline: bool) -> anyhow::Result<(TextParts, indexmap::IndexMap<String, String>)> {
    if Path::new(name).is_dir() {
        return Ok(TextParts::from_folder(Path::new(name))?);
    }
    let files = Fetching::default().resolve(name, offline)?;
    Ok((files.text_parts()?, files.hashes()?))
}

impl Connected {
    /// Connects to the server that answers instead of a local model, and queries its abilities.
    pub fn new(model: &ModelArgs, server: &ServerArgs, template: &TemplateArgs) -> anyhow::Result<Self> {
        Self::open(model.name(), model.offline, server, template)
    }

    /// Connects like [`Connected::open`] to a single server, for a command that asks one.
    pub fn one(given: &str, offline: bool, server: &ServerArgs, template: &TemplateArgs) -> anyhow::Result<Self> {
        given.parse::<ServerName>()?;
        Self::open(given, offline, server, template)
    }

    /// Queries the identity of servers with one model, and what all of them can do.
    pub fn open(given: &str, offline: bool, server: &ServerArgs, template: &TemplateArgs) -> anyhow::Result<Self> {
        let text = ServedText::open(server, template, offline)?;
        let variables = template.variables()?;
        let clients = clients(ServerName::several(given)?, offline, server)?;
        let known = text.tokenizer.as_ref().map(|(tokenizer, _)| KnownTokens::from_tokenizer(tokenizer)).transpose()?;
        let known = known.unwrap_or_default();
        let ask = |client: &Client| -> anyhow::Result<(ServerFacts, String, Abilities)> {
            let facts = first_answer(client, server.wait())?;
            let model = model(client.server(), &facts)?;
            let abilities = Abilities::probe(client, &model, &variables, &known, server.top_logprobs)?;
            Ok((facts, model, abilities))
        };
        let asked = || -> anyhow::Result<_> {
            let [first, rest @ ..] = &clients[..] else { anyhow::bail!("no server is named") };
            let (facts, model, mut abilities) = ask(first)?;
            let mut others = Vec::new();
            for client in rest {
                let place = client.server().place();
                let (facts, name, found) = ask(client)?;
                anyhow::ensure!(
                    name == model,
                    "{} serves {}, but {place} serves {}; name the model of both as openai:URL,URL#NAME",
                    first.server().place(),
                    for_terminal(&model),
                    for_terminal(&name)
                );
                abilities = abilities.common(&found, place).map_err(|why| anyhow::anyhow!("{}", for_terminal(&why)))?;
                let context = listed(&facts, &model).and_then(|listed| listed.context);
                let program = facts.controlled;
                let peer = Peer { client: client.clone(), answered: found.answered, version: facts.version };
                others.push(Other { peer, context, program });
            }
            let all: Vec<&Client> = clients.iter().collect();
            if let Some(why) = disagreement(&all, &model, &variables, &abilities)? {
                anyhow::bail!("{}", for_terminal(&why.to_string()));
            }
            Ok((first.clone(), facts, model, abilities, others))
        };
        let what =
            if clients.len() > 1 { "asking the servers what they can do" } else { "asking the server what it can do" };
        let (client, facts, model, abilities, others) = Shown::during(what, asked)?;
        let name = client.server().with_model(&model);
        let concurrency = server.concurrency.unwrap_or(CONCURRENCY);
        Ok(Connected { name, model, client, concurrency, facts, abilities, text, variables, others })
    }

    /// Returns the longest sequence that all servers take, in tokens, as far as they say.
    pub fn context(&self) -> Option<usize> {
        let own = self.listed().and_then(|listed| listed.context);
        own.into_iter().chain(self.others.iter().filter_map(|other| other.context)).min()
    }

    /// Returns the program whose cache can be controlled, if all servers run it.
    pub fn program(&self) -> Option<Program> {
        self.facts.controlled.filter(|program| self.others.iter().all(|other| other.program == Some(*program)))
    }

    /// Returns how many of so many audited trials are in flight at each server, and in how many conditions each is asked.
    pub fn audit_load(&self, trials: usize) -> (usize, usize) {
        let in_flight = self.concurrency.min(trials.div_ceil(self.clients().count())).max(1);
        let caches = if self.program().is_some() { 2 } else { 1 };
        (in_flight, caches * in_flight.min(2))
    }

    /// Returns the clients of all servers, in the order in which they are named.
    pub fn clients(&self) -> impl Iterator<Item = &Client> {
        std::iter::once(&self.client).chain(self.others.iter().map(|other| &other.peer.client))
    }

    /// Returns the other servers.
    pub fn peers(&self) -> Vec<Peer> {
        self.others.iter().map(|other| other.peer.clone()).collect()
    }

    /// Returns the text that the server puts in front of every prompt regardless of settings; empty if unknown.
    pub fn server_begins(&self) -> Option<&str> {
        self.abilities.begins.then(|| self.text.begins.as_deref().unwrap_or_default())
    }

    /// Asks the server again what it says of itself, and who answers.
    ///
    /// # Errors
    /// It does not answer.
    pub fn again(&self) -> Result<(ServerFacts, Answered), ServerError> {
        let client = self.client.with_retries(1);
        let facts = ServerFacts::from_client(&client)?;
        let answered = Abilities::who_answers(&client, &self.model, self.abilities.completions.is_ok())?;
        Ok((facts, answered))
    }

    /// Returns the server's listing of the model.
    pub fn listed(&self) -> Option<&Listed> {
        listed(&self.facts, &self.model)
    }
}

fn listed<'a>(facts: &'a ServerFacts, model: &str) -> Option<&'a Listed> {
    facts.models.iter().find(|listed| listed.name == model)
}

/// Creates the clients of servers, after a note on what leaves this machine.
fn clients(names: Vec<ServerName>, offline: bool, server: &ServerArgs) -> anyhow::Result<Vec<Client>> {
    let keys = keys(server, names.len())?;
    let client = |(name, key): (ServerName, Option<Key>)| {
        if !name.is_here() {
            let key_too = if key.is_some() && name.is_plain() { ", with the API key, unencrypted" } else { "" };
            eprintln!("note: requests leave this machine for {}{key_too}", for_terminal(name.place()));
        }
        let patience = server.patience();
        tracing::debug!(timeout = %HumanDuration(patience.answer), "asking {}", name.place());
        let concurrency = server.concurrency.unwrap_or(CONCURRENCY);
        Ok(Client::new(name, &ClientSettings { key, patience, offline, concurrency })?)
    };
    names.into_iter().zip(keys).map(client).collect()
}

/// Returns the key of each server: one for all, or one from each variable.
fn keys(server: &ServerArgs, servers: usize) -> anyhow::Result<Vec<Option<Key>>> {
    let key = match (&server.api_key_env, &server.api_key_file) {
        (Some(variables), _) if variables.contains(',') => {
            let variables: Vec<&str> = variables.split(',').map(str::trim).collect();
            anyhow::ensure!(
                variables.len() == servers,
                "--api-key-env names {} variables for {}; name one for all, or one each in the order of the servers",
                variables.len(),
                counted(servers, "server")
            );
            return variables.into_iter().map(|variable| Ok(Some(Key::of_variable(variable)?))).collect();
        }
        (Some(variable), _) => Some(Key::of_variable(variable)?),
        (None, Some(file)) => Some(Key::of_file(file)?),
        (None, None) if std::env::var_os(KEY).is_some_and(|key| !key.is_empty()) => Some(Key::of_variable(KEY)?),
        (None, None) => None,
    };
    Ok(vec![key; servers])
}

/// Returns the server's self-description. A server that cannot be reached is an error at once, since nothing was asked
/// of it yet; until `wait` has passed, it is asked again, also while it says that it is busy.
fn first_answer(client: &Client, wait: Duration) -> anyhow::Result<ServerFacts> {
    let begun = Instant::now();
    loop {
        let error = match ServerFacts::from_client(&client.with_retries(0)) {
            Ok(facts) => return Ok(facts),
            Err(error) => error,
        };
        let busy = matches!(error, ServerError::Busy { .. });
        if !busy && !matches!(error, ServerError::Unreachable { .. }) {
            return Err(error.into());
        }
        if begun.elapsed() + PAUSE < wait {
            std::thread::sleep(PAUSE);
        } else if busy && wait.is_zero() {
            return Ok(ServerFacts::from_client(client)?);
        } else if wait.is_zero() {
            anyhow::bail!("{error}; --wait SECONDS waits for a server that still loads");
        } else {
            anyhow::bail!("{error}, for {} seconds", wait.as_secs_f64());
        }
    }
}

/// Returns the named model, or by default the only one listed.
fn model(name: &ServerName, facts: &ServerFacts) -> anyhow::Result<String> {
    let all: Vec<&str> = facts.models.iter().map(|model| model.name.as_str()).collect();
    let listed = || {
        let name = |name: &&str| format!("#{}", name.chars().take(LONGEST_LISTED).collect::<String>());
        let more = all.len().saturating_sub(MOST_LISTED);
        let more = (more > 0).then(|| format!("and {more} more"));
        all.iter().take(MOST_LISTED).map(name).chain(more).collect::<Vec<_>>().join(", ")
    };
    match (&name.model, &all[..]) {
        (Some(model), _) if all.contains(&model.as_str()) => Ok(model.clone()),
        // Some servers list nothing, and some accept names that they do not list.
        (Some(model), []) => Ok(model.clone()),
        (Some(model), _) => anyhow::bail!("{} has no model {model}; it has {}", name.place(), for_terminal(&listed())),
        (None, [one]) => Ok(one.to_string()),
        (None, []) => {
            anyhow::bail!("{} lists no models; append the name to the address, as {name}#NAME", name.place())
        }
        (None, _) => anyhow::bail!(
            "{} has several models; append one of these to the address: {}",
            name.place(),
            for_terminal(&listed())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_hundreds_of_thousands_makes_no_message_of_megabytes() {
        let listed = |n: usize| Listed { name: format!("{}{n}", "m".repeat(200)), ..Listed::default() };
        let facts = ServerFacts { models: (0..300_000).map(listed).collect(), ..ServerFacts::default() };
        for named in ["openai:http://127.0.0.1:1", "openai:http://127.0.0.1:1#other"] {
            let error = model(&named.parse().unwrap(), &facts).unwrap_err().to_string();
            assert!(error.len() < 4000 && error.ends_with("and 299980 more"), "{} {error:.100}", error.len());
        }
        let facts = ServerFacts { models: facts.models[..2].to_vec(), ..ServerFacts::default() };
        let error = model(&"openai:http://127.0.0.1:1".parse().unwrap(), &facts).unwrap_err().to_string();
        assert!(!error.contains("more,") && !error.contains("and 0"), "{error}");
    }
}
