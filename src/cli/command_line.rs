//! The program's command with a short help that fits one screen, and errors for unreadable command lines.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use super::Arguments;
use crate::benchmark::Benchmark;
use crate::name::nearest;

/// Arguments shown by `-h` for these commands; others show all.
const USUAL: [(&str, &[&str]); 5] = [
    ("run", ASKING),
    ("plan", ASKING),
    ("score", &["benchmark", "answers", "map", "data", "language", "limit", "name", "by", "format", "json"]),
    (
        "attend",
        &["model", "benchmark", "data", "language", "limit", "item", "where", "run", "wrong", "html", "out", "device"],
    ),
    ("logprob", &["model", "input", "output", "device", "dtype"]),
];

/// Common arguments of commands that run a model.
const ASKING: &[&str] = &[
    "model",
    "benchmark",
    "data",
    "language",
    "limit",
    "limit-stories",
    "style",
    "scoring",
    "orders",
    "shots",
    "samples",
    "temperature",
    "max-new-tokens",
    "device",
    "dtype",
    "workers",
    "out",
    "offline",
];

/// Other names that people try for commands.
const SYNONYMS: [(&str, &str); 16] = [
    ("evaluate", "run"),
    ("eval", "run"),
    ("test", "run"),
    ("start", "run"),
    ("resume", "run"),
    ("results", "report"),
    ("show", "report"),
    ("table", "report"),
    ("diff", "compare"),
    ("attention", "attend"),
    ("generate", "make"),
    ("download", "models pull"),
    ("pull", "models pull"),
    ("list", "data list"),
    ("check", "data check"),
    ("export", "bundle"),
];

/// Other names that people try for arguments, from other evaluation tools.
const ARGUMENT_SYNONYMS: [(&str, &str); 11] = [
    ("tasks", "benchmark"),
    ("task", "benchmark"),
    ("dataset", "benchmark"),
    ("num-fewshot", "shots"),
    ("output", "out"),
    ("output-path", "out"),
    ("log-dir", "out"),
    ("batch-size", "batch-tokens"),
    ("epochs", "samples"),
    ("max-tokens", "max-new-tokens"),
    ("precision", "dtype"),
];

/// Returns the program's command for parsing and help.
pub fn command() -> Command {
    shortened(Arguments::command())
}

fn shortened(command: Command) -> Command {
    let usual = USUAL.iter().find(|(name, _)| *name == command.get_name()).map(|(_, usual)| *usual);
    let is_usual = |arg: &Arg| match (usual, arg.get_long()) {
        // Available for every command.
        (_, Some("progress" | "verbose")) => false,
        (None, _) | (_, None) => true,
        (Some(usual), Some(long)) => long == "quiet" || usual.contains(&long),
    };
    let with_short_help = |arg: Arg| {
        let takes_values = arg.get_action().takes_values();
        let hidden = !is_usual(&arg);
        let arg = arg.allow_negative_numbers(takes_values).hide_short_help(hidden);
        match arg.get_help().map(ToString::to_string) {
            Some(help) => arg.help(first_clause(&help)).long_help(help),
            None => arg,
        }
    };
    command.mut_args(with_short_help).mut_subcommands(shortened)
}

/// Returns a description up to its first full stop or semicolon, and the default at its end.
fn first_clause(help: &str) -> String {
    let end = ["; ", ". "].iter().filter_map(|stop| help.find(stop)).min().unwrap_or(help.len());
    match help.rfind(" [default:") {
        Some(default) if default >= end => format!("{}{}", &help[..end], &help[default..]),
        _ => help[..end].to_string(),
    }
}

/// Explains in one line why a command line cannot be read and suggests a correction.
pub fn refusal(error: &clap::Error, words: &[OsString]) -> String {
    let program = Arguments::command();
    let (here, path) = addressed(&program, words);
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let mend = match error.kind() {
        ErrorKind::InvalidSubcommand => of_command(given(ContextKind::InvalidSubcommand), here, &path),
        ErrorKind::UnknownArgument => of_argument(given(ContextKind::InvalidArg), here, &path, &program),
        ErrorKind::MissingRequiredArgument => format!("; `{path} -h` explains them"),
        _ => String::new(),
    };
    format!("{}{mend}", first_paragraph(&error.render().to_string()))
}

/// Returns the parser's message without its own hints.
fn first_paragraph(rendered: &str) -> String {
    let mut lines = rendered.split("\n\n").next().unwrap_or_default().lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let first = first.replace("invalid digit found in string", "give a whole number");
    let first = first.replace("invalid float literal", "give a number");
    let more: Vec<&str> = lines.collect();
    if more.is_empty() { first } else { format!("{first} {}", more.join(", ")) }
}

/// Returns the command addressed and how it is typed.
fn addressed<'a>(program: &'a Command, words: &[OsString]) -> (&'a Command, String) {
    let (mut here, mut path) = (program, program.get_name().to_string());
    for word in words {
        if let Some(command) = here.find_subcommand(word) {
            here = command;
            path = format!("{path} {}", command.get_name());
        }
    }
    (here, path)
}

fn of_command(given: &str, here: &Command, path: &str) -> String {
    let names: Vec<&str> = here.get_subcommands().map(Command::get_name).collect();
    let synonym = SYNONYMS.iter().find(|(name, _)| here.get_name() == "tomeval" && *name == given.to_lowercase());
    match synonym.map(|(_, meant)| *meant).or_else(|| nearest(given, names.iter().copied())) {
        Some(meant) => format!("; did you mean `{path} {meant}`?"),
        None => format!("; `{path}` has {}", names.join(", ")),
    }
}

fn of_argument(given: &str, here: &Command, path: &str, program: &Command) -> String {
    let longs = |command: &Command| -> Vec<String> {
        command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set())
            .filter_map(|arg| arg.get_long().map(str::to_string))
            .collect()
    };
    let Some(long) = given.strip_prefix("--") else {
        let has = |long: &str| longs(here).iter().any(|known| known == long);
        return match given {
            _ if given.starts_with('-') => format!("; `{path} --help` lists all arguments"),
            name if has("benchmark") && name.parse::<Benchmark>().is_ok() => {
                format!("; did you mean --benchmark {name}?")
            }
            file if has("data") && Path::new(file).exists() => format!("; did you mean --data {file}?"),
            _ => format!("; every value belongs to an argument, and `{path} -h` lists them"),
        };
    };
    let known = longs(here);
    let long = long.replace('_', "-");
    let long = long.as_str();
    let of_others =
        || ARGUMENT_SYNONYMS.iter().find(|(name, meant)| *name == long && known.iter().any(|own| own == meant));
    let close = || nearest(long, known.iter().map(String::as_str));
    if let Some(meant) = of_others().map(|(_, meant)| *meant).or_else(close) {
        return format!("; did you mean --{meant}?");
    }
    let having = |command: &Command| -> Vec<String> {
        let has = command.get_subcommands().filter(|command| longs(command).iter().any(|known| known == long));
        has.map(|command| command.get_name().to_string()).collect()
    };
    let (below, beside) = (having(here), having(program));
    if !below.is_empty() {
        return format!("; name a command before it: {path} {}", below.join("|"));
    }
    match beside.is_empty() {
        true => format!("; `{path} --help` lists all arguments"),
        false => format!(
            "; {} {has} it, `{path}` does not",
            beside.iter().map(|name| format!("`tomeval {name}`")).collect::<Vec<_>>().join(", "),
            has = if beside.len() == 1 { "has" } else { "have" }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> String {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let error = command().try_get_matches_from([&["tomeval".into()], &words[..]].concat()).unwrap_err();
        refusal(&error, &words)
    }

    #[test]
    fn what_may_have_been_meant_is_said() {
        for (words, meant) in [
            ("rnu", "did you mean `tomeval run`?"),
            ("evaluate", "did you mean `tomeval run`?"),
            ("download", "did you mean `tomeval models pull`?"),
            ("xyzzy", "`tomeval` has run, study, plan"),
            ("data lst", "did you mean `tomeval data list`?"),
            ("run --benchmrk demo", "did you mean --benchmark?"),
            ("run --lang en", "did you mean --language?"),
            ("run --tasks demo", "did you mean --benchmark?"),
            ("run --num_fewshot 5", "did you mean --shots?"),
            ("run --system-message x", "did you mean --system?"),
            ("run --seed abc", "'--seed <SEED>': give a whole number"),
            ("serve", "`tomeval` has run, study, plan"),
            ("run --foo=bar", "`tomeval run --help` lists all arguments"),
            ("run tombench", "did you mean --benchmark tombench?"),
            ("run extra", "`tomeval run -h` lists them"),
            ("report --limit 3 r", "`tomeval run`, `tomeval plan`, `tomeval score`"),
            ("probe --benchmark demo", "name a command before it: tomeval probe "),
            ("run --limit -1", "invalid value '-1' for '--limit <N>': give a whole number from 1"),
            ("score", "<BENCHMARK>, --answers <FILE>; `tomeval score -h`"),
        ] {
            let text = refused(words);
            assert!(text.contains(meant) && !text.contains('\n'), "{words}: {text}");
        }
    }

    #[test]
    fn short_help_fits_a_screen() {
        let program = command();
        for (name, usual) in USUAL {
            let mut one = program.find_subcommand(name).unwrap().clone().term_width(100);
            // `plan` writes no runs.
            let is_known = |long: &&&str| one.get_arguments().any(|arg| arg.get_long() == Some(long));
            let unknown: Vec<_> = usual.iter().filter(|long| !is_known(long)).collect();
            assert!(unknown.is_empty() || name == "plan" && unknown == [&"workers", &"out"], "{name}: {unknown:?}");
            let lines = one.render_help().to_string().lines().count();
            assert!(lines <= 50, "{name}: {lines} lines");
        }
    }

    #[test]
    fn a_description_is_cut_after_its_first_clause() {
        let cases = [
            ("Read more. Then stop [default: 3]", "Read more [default: 3]"),
            ("Use it; or not", "Use it"),
            ("Threads of the CPU [default: physical cores]", "Threads of the CPU [default: physical cores]"),
        ];
        for (help, short) in cases {
            assert_eq!(first_clause(help), short);
        }
    }
}
