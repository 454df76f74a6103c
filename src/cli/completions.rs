//! `tomeval completions`: shell completion scripts for commands and arguments.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Arguments, Outcome};

/// Arguments of `tomeval completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell; its manual says where scripts go, for instance
    /// `tomeval completions bash > ~/.local/share/bash-completion/completions/tomeval`.
    shell: Shell,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "tomeval", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Outcome::Done)
}
