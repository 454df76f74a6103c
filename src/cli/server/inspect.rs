//! `tomeval models inspect openai:URL`: what is on a server, and what it can be used for.

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
    /// Where the server's routes are.
    address: &'a str,
    /// Whether it is this machine.
    on_this_machine: bool,
    /// What the model is called there.
    model: &'a str,
    /// What the server calls the model in its answers.
    answers_as: Option<&'a str>,
    /// The fingerprint that it answered with.
    fingerprint: Option<&'a str>,
    /// The server.
    server: &'a ServerFacts,
    /// What may be asked of it.
    can: Vec<Ability>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Ability {
    /// Something that may be asked of it.
    what: &'static str,
    /// How, or why not.
    how: String,
}

/// Ask, and tell as rows, or as a document where that is wanted.
pub fn rows(
    given: &str,
    offline: bool,
    json: bool,
    server: &ServerArgs,
    template: &TemplateArgs,
) -> anyhow::Result<Vec<(&'static str, String)>> {
    let connected = Connected::open(given, offline, server, template)?;
    let Connected { name, model, facts, abilities, .. } = &connected;
    if json {
        let document = Inspected {
            version: VERSION,
            address: name.base(),
            on_this_machine: name.is_here(),
            model,
            answers_as: abilities.answered.model.as_deref(),
            fingerprint: abilities.answered.fingerprint.as_deref(),
            server: facts,
            can: described(&connected).into_iter().map(|(what, how)| Ability { what, how }).collect(),
        };
        crate::terminal::stdout::print(&(for_json(&serde_json::to_string_pretty(&document)?) + "\n"))?;
        return Ok(Vec::new());
    }
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
    rows.extend(described(&connected));
    Ok(rows)
}
