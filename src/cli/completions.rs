//! `tomeval completions`: shell completion scripts for commands, arguments and their values; manual pages.

use std::any::TypeId;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use indexmap::IndexSet;

use super::{Arguments, Outcome};
use crate::benchmark::Benchmark;
use crate::decoder::{ExpertPlacement, Precision};
use crate::language::Language;
use crate::model::cards;
use crate::prompt::{Pack, Scoring};
use crate::terminal::say;

/// Arguments of `tomeval completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell; its manual says where scripts go, for instance
    /// `tomeval completions bash > ~/.local/share/bash-completion/completions/tomeval`.
    #[arg(required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write manual pages of all commands into a folder, instead of a script: `man DIR/tomeval-run.1` shows one.
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if let Some(shell) = args.shell {
        std::io::stdout().write_all(&script(shell))?;
    }
    if let Some(folder) = &args.man {
        let cannot = || format!("{}: manual pages cannot be written", folder.display());
        std::fs::create_dir_all(folder).with_context(cannot)?;
        clap_mangen::generate_to(Arguments::command(), folder).with_context(cannot)?;
        say(format!("Wrote manual pages into {}.", folder.display()));
    }
    Ok(Outcome::Done)
}

/// Returns the completion script of a shell.
pub fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_values(Arguments::command()), "tomeval", &mut script);
    script
}

/// Adds the values that arguments take, of commands that only complete and never parse.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match values(&arg) {
        values if values.is_empty() => arg,
        values => arg.value_parser(PossibleValuesParser::new(values)),
    });
    command.mut_subcommands(with_values)
}

/// Returns the values of an argument that can be listed: those named in its help, or the names of its type.
fn values(arg: &Arg) -> Vec<&'static str> {
    if arg.get_possible_values().iter().any(|value| !value.is_hide_set()) {
        return Vec::new();
    }
    let parser = arg.get_value_parser().type_id();
    let of_type: [(TypeId, fn() -> Vec<&'static str>); 5] = [
        (TypeId::of::<Benchmark>(), || Benchmark::ALL.map(Benchmark::name).to_vec()),
        (TypeId::of::<Language>(), || Language::ALL.iter().map(|language| language.code()).collect()),
        (TypeId::of::<Scoring>(), || Scoring::ALL.map(Scoring::name).to_vec()),
        (TypeId::of::<Precision>(), || Precision::ALL.map(Precision::name).to_vec()),
        (TypeId::of::<ExpertPlacement>(), || ExpertPlacement::ALL.map(ExpertPlacement::name).to_vec()),
    ];
    if let Some((_, names)) = of_type.iter().find(|(known, _)| parser == *known) {
        return names();
    }
    match arg.get_id().as_str() {
        "model" => cards().into_iter().flatten().map(|card| card.name.as_str()).collect(),
        "styles" | "style" => styles(),
        _ => listed(arg),
    }
}

/// Returns the styles of the built-in packs.
fn styles() -> Vec<&'static str> {
    let packs = Benchmark::ALL.into_iter().map(Pack::built_in);
    let names: IndexSet<String> = packs.flat_map(|pack| pack.styles).map(|style| style.name).collect();
    names.into_iter().map(|name| &*name.leak()).collect()
}

/// Returns the values that the help of an argument lists, as `none|best|all`; without the placeholders among them, as `N`.
fn listed(arg: &Arg) -> Vec<&'static str> {
    let names = arg.get_value_names().unwrap_or_default();
    let [listed] = names else { return Vec::new() };
    let is_value = |value: &&str| {
        !value.is_empty() && !value.chars().any(|letter| letter.is_ascii_uppercase() || "/=[]:".contains(letter))
    };
    let values: Vec<&'static str> =
        listed.split('|').filter(is_value).map(|value| &*value.to_string().leak()).collect();
    if listed.contains('|') { values } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_offer_values() {
        let text = String::from_utf8(script(Shell::Bash)).unwrap();
        for values in [
            "terminal markdown csv json latex items html",
            "tombench",
            "none best all",
            "smollm2-135m-instruct",
            "vanilla",
        ] {
            assert!(text.contains(values), "{values}");
        }
    }
}
