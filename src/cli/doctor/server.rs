//! `tomeval doctor --server`: what a server can do, and checks of whether it can be trusted.

use serde::Serialize;

use super::Args;
use super::reference::{Conclusion, Reference, ReferenceCheck};
use crate::arguments::server_args::ScoresFrom;
use crate::cli::Outcome;
use crate::cli::server::inspect::{Inspected, identity};
use crate::cli::server::{Connected, Steadiness, steadiness};
use crate::safe_text::{for_json, for_terminal};
use crate::table::{LINE, Screen, hanging};
use crate::terminal::stdout::print;

/// Version of the JSON document.
const VERSION: u32 = 1;

/// The JSON document of `tomeval doctor --server`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerCheckup<'a> {
    /// Format version, 1.
    version: u32,
    /// The server, as `models inspect --json` describes it.
    server: Inspected<'a>,
    /// Whether it repeats itself at 1, 8 and 32 prompts in flight; absent with `--reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    steadiness: Option<Steadiness>,
    /// Comparison with local weights (`--reference`); absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<ReferenceCheck>,
}

/// Connects to the server, runs the checks, and prints what they found.
pub fn run(server: &str, args: &Args) -> anyhow::Result<Outcome> {
    let mut asking = args.asking.clone();
    let reference = match &args.reference {
        Some(name) => {
            // The reference's tokenizer is what the server's should be.
            asking.tokenizer.get_or_insert_with(|| name.clone());
            Some(Reference::open(name, args.offline, args.device.as_ref())?)
        }
        None => None,
    };
    let connected = Connected::open(server, args.offline, &asking, &args.template)?;
    let long = connected.long_prompts();
    // Two questions, each with its own exit code.
    let steadiness = if reference.is_none() { Some(steadiness(&connected, &asking)?) } else { None };
    let trusted = long.is_ok() && steadiness.as_ref().is_none_or(Steadiness::is_steady);
    if !args.json {
        let mut rows = identity(&connected);
        rows.push(("long prompts", long.clone().unwrap_or_else(|why| format!("CUT: {why}"))));
        rows.extend(steadiness.iter().flat_map(Steadiness::rows));
        print(&rows.iter().map(|(name, value)| row(name, value)).collect::<String>())?;
    }
    let only_top = asking.scores_from == Some(ScoresFrom::Top);
    let reference = reference.map(|reference| reference.check(&connected, only_top)).transpose()?;
    let document = ServerCheckup { version: VERSION, server: Inspected::new(&connected, &long), steadiness, reference };
    match args.json {
        true => print(&(for_json(&serde_json::to_string_pretty(&document)?) + "\n"))?,
        false => {
            document.reference.iter().try_for_each(|check| print(&format!("\n{}", for_terminal(&check.text()))))?
        }
    }
    match &document.reference {
        Some(check) if check.verdict() == Conclusion::Other => {
            anyhow::bail!("{} does not run the reference: {}", connected.name, for_terminal(&check.why()))
        }
        Some(check) if check.verdict() == Conclusion::Open => Ok(Outcome::Incomplete),
        _ => Ok(if trusted { Outcome::Done } else { Outcome::Incomplete }),
    }
}

/// Returns a line of a name and a value, wrapped under the value.
fn row(name: &str, value: &str) -> String {
    hanging(&format!("{name:<15} "), &for_terminal(value), Screen { width: Some(LINE) }) + "\n"
}
