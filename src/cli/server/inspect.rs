//! `tomeval models inspect openai:URL`: models on a server, and what it supports.

use serde::Serialize;

use super::connect::Connected;
use super::way::described;
use crate::arguments::server_args::ServerArgs;
use crate::arguments::template::TemplateArgs;
use crate::safe_text::for_json;
use crate::server::{Listed, ServerFacts};

/// Version of the JSON document.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inspected<'a> {
    /// Format version, 1.
    version: u32,
    /// Base address of the server's routes.
    address: &'a str,
    /// Whether the server is on this machine.
    on_this_machine: bool,
    /// The model's name on the server.
    model: &'a str,
    /// Model name in the server's answers.
    answers_as: Option<&'a str>,
    /// Fingerprint in the server's answer.
    fingerprint: Option<&'a str>,
    /// The server.
    server: &'a ServerFacts,
    /// How long a prompt the server reads whole.
    long_prompts: String,
    /// Whether it answers longer prompts than it reads; `run` refuses such a server.
    truncates: bool,
    /// Supported uses.
    can: Vec<Ability>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Ability {
    /// A use of the server.
    what: &'static str,
    /// How, or why not.
    how: String,
}

impl<'a> Inspected<'a> {
    /// Describes a server that was asked, also how long a prompt it reads whole.
    pub fn new(connected: &'a Connected, long: &Result<String, String>) -> Self {
        let Connected { name, model, facts, abilities, .. } = connected;
        Inspected {
            version: VERSION,
            address: name.base(),
            on_this_machine: name.is_here(),
            model,
            answers_as: abilities.answered.model.as_deref(),
            fingerprint: abilities.answered.fingerprint.as_deref(),
            server: facts,
            long_prompts: long.as_ref().unwrap_or_else(|why| why).clone(),
            truncates: long.is_err(),
            can: described(connected).into_iter().map(|(what, how)| Ability { what, how }).collect(),
        }
    }
}

/// Queries the server, and returns rows, or prints a document if requested.
pub fn rows(
    given: &str,
    offline: bool,
    json: bool,
    server: &ServerArgs,
    template: &TemplateArgs,
) -> anyhow::Result<Vec<(&'static str, String)>> {
    let connected = Connected::one(given, offline, server, template)?;
    let long = connected.long_prompts();
    if json {
        let document = Inspected::new(&connected, &long);
        crate::terminal::stdout::print(&(for_json(&serde_json::to_string_pretty(&document)?) + "\n"))?;
        return Ok(Vec::new());
    }
    let long = ("long prompts", long.unwrap_or_else(|why| format!("CUT: {why}")));
    Ok(identity(&connected).into_iter().chain([long]).chain(described(&connected)).collect())
}

/// Returns rows on the identity of a server and its model.
pub fn identity(connected: &Connected) -> Vec<(&'static str, String)> {
    let Connected { name, model, facts, abilities, .. } = connected;
    let place = if name.is_here() { "this machine" } else { "another machine: requests leave this one" };
    let known = |name, value: &Option<String>| value.clone().map(|value| (name, value));
    let mut rows = vec![("address", name.base().to_string()), ("server", place.to_string())];
    rows.extend(known("program", &facts.program));
    rows.extend(known("version", &facts.version));
    rows.extend(known("fingerprint", &abilities.answered.fingerprint));
    let context = |listed: &Listed| listed.context.map(|context| format!(" ({context} tokens)")).unwrap_or_default();
    rows.extend(facts.models.iter().map(|listed| ("model", format!("{}{}", listed.name, context(listed)))));
    rows.extend([("asked", model.clone())]);
    rows.extend(known("answers as", &abilities.answered.model));
    rows
}
