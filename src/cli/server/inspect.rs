//! `tomeval models inspect openai:URL`: what is on a server, and what it can be used for.

use serde::Serialize;

use super::connect::Connected;
use super::way::described;
use crate::cli::server_args::ServerArgs;
use crate::cli::template::TemplateArgs;
use crate::safe_text::for_json;
use crate::server::{Listed, ServerFacts};

/// Version of the JSON document.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Inspected<'a> {
    version: u32,
    address: &'a str,
    on_this_machine: bool,
    model: &'a str,
    answers_as: Option<&'a str>,
    fingerprint: Option<&'a str>,
    server: &'a ServerFacts,
    can: Vec<Ability>,
}

#[derive(Serialize)]
struct Ability {
    what: &'static str,
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
        crate::cli::stdout::print(&(for_json(&serde_json::to_string_pretty(&document)?) + "\n"))?;
        return Ok(Vec::new());
    }
    let place = if name.is_here() { "this machine" } else { "another machine: what is asked leaves this one" };
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
