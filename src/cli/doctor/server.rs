//! `tomeval doctor --server`: what a server can do, and checks of whether it can be trusted.

use serde::Serialize;

use super::Args;
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
    /// Whether it repeats itself at 1, 8 and 32 prompts in flight.
    steadiness: Steadiness,
}

/// Connects to the server, runs the checks, and prints what they found.
pub fn run(server: &str, args: &Args) -> anyhow::Result<Outcome> {
    let connected = Connected::open(server, args.offline, &args.asking, &args.template)?;
    let long = connected.long_prompts();
    let steadiness = steadiness(&connected, &args.asking)?;
    let trusted = long.is_ok() && steadiness.is_steady();
    let document = ServerCheckup { version: VERSION, server: Inspected::new(&connected, &long), steadiness };
    if args.json {
        print(&(for_json(&serde_json::to_string_pretty(&document)?) + "\n"))?;
    } else {
        let mut rows = identity(&connected);
        rows.push(("long prompts", long.unwrap_or_else(|why| format!("CUT: {why}"))));
        rows.extend(document.steadiness.rows());
        print(&rows.iter().map(|(name, value)| row(name, value)).collect::<String>())?;
    }
    // Each further check adds a field to the document, rows to the text, and may lower the outcome.
    Ok(if trusted { Outcome::Done } else { Outcome::Incomplete })
}

/// Returns a line of a name and a value, wrapped under the value.
fn row(name: &str, value: &str) -> String {
    hanging(&format!("{name:<15} "), &for_terminal(value), Screen { width: Some(LINE) }) + "\n"
}
