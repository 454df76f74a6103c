//! The command line: one file per subcommand; parsed arguments become a checked plan before any work.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::run::Program;
use crate::safe_text::for_terminal;
use crate::terminal::{self, error_chain, interrupt, log, progress};

mod annotate;
mod attend;
mod bench;
mod bundle;
mod command_line;
mod compare;
mod completions;
mod data;
mod doctor;
#[cfg(test)]
mod documented;
mod export;
mod exports;
mod extract;
mod figures;
#[cfg(test)]
mod generated;
mod logprob;
mod make;
mod merge;
mod models;
mod page;
mod plan;
mod probe;
mod prompts;
mod prompts_write;
mod ranks;
mod reading;
mod reminders;
mod report;
mod run;
mod score;
mod selftest;
#[cfg(feature = "server")]
mod server;
mod states;
mod study;
mod workload;

/// Meaning of the exit codes; part of the help.
const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  done, but rows, items or trials failed, the run reported is unfinished, or a threshold was missed
  2  could not run; the last line on stderr says why
  3  stopped before the end by a signal or a failure; finished work is kept, the same command continues
     (commands other than run and attend --out end with 130 at a signal, and start over)";

/// Version and commit, and the same with a line of the features that this program was built with.
static VERSION: LazyLock<(String, String)> = LazyLock::new(|| {
    let version = Program::this().to_string();
    let features = [
        (cfg!(feature = "hub"), "hub"),
        (cfg!(feature = "server"), "server"),
        (cfg!(feature = "figures"), "figures"),
        (cfg!(feature = "parquet"), "parquet"),
        (cfg!(feature = "cuda"), "cuda"),
        (cfg!(feature = "metal"), "metal"),
        (cfg!(feature = "accelerate"), "accelerate"),
        (cfg!(feature = "mkl"), "mkl"),
    ];
    let built: Vec<&str> = features.into_iter().filter(|(built, _)| *built).map(|(_, name)| name).collect();
    let features = if built.is_empty() { "none".to_string() } else { built.join(", ") };
    let long = format!("{version}\nfeatures: {features}");
    (version, long)
});

/// Evaluate open-weight language models on Theory-of-Mind benchmarks, on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "tomeval",
    version = VERSION.0.as_str(),
    long_version = VERSION.1.as_str(),
    about,
    max_term_width = 100,
    after_long_help = EXIT_CODES
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none
    /// (TOMEVAL_PROGRESS_SECONDS sets the interval of lines).
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "auto|lines|json|none",
        hide_possible_values = true,
        help_heading = "Progress"
    )]
    progress: progress::Mode,
    /// Print only results, warnings and errors.
    #[arg(long, short, global = true, conflicts_with = "progress", help_heading = "Progress")]
    quiet: bool,
    /// Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of
    /// tracing's EnvFilter).
    #[arg(long, short, global = true, help_heading = "Progress")]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Evaluate a model on benchmarks and print the tables.
    Run(run::Args),
    /// Run models x tasks from a file, and rank the models.
    Study(study::Args),
    /// Show what a run would need: items, tokens, memory, time.
    Plan(plan::Args),
    /// Print the tables of finished runs again.
    Report(report::Args),
    /// Compare runs on the same items: differences, intervals, tests.
    Compare(compare::Args),
    /// Compute the metrics of answers produced elsewhere.
    Score(score::Args),
    /// Read the answers stated in written replies.
    Extract(extract::Args),
    /// Show what a model attends to.
    Attend(attend::Args),
    /// Make pages on which people answer, mark or judge, and read their exports.
    Annotate(annotate::Args),
    /// Look for signs that a model was trained on a benchmark, and for beliefs in its residual stream.
    Probe(probe::Args),
    /// Measure the throughput of a model on this machine.
    Bench(bench::Args),
    /// Generate stories and questions.
    Make(make::Args),
    /// List, check and show benchmark data.
    Data(data::Args),
    /// List the presets of `--preset`, or print one as a file.
    Presets(study::presets::Args),
    /// List prompt styles, show the prompt of an item, export the built-in packs.
    Prompts(prompts::Args),
    /// List, fetch and inspect models.
    Models(models::Args),
    /// Score continuations of prompts from a JSON lines file by log-likelihood.
    Logprob(logprob::Args),
    /// Show what this machine and build can do.
    Doctor(doctor::Args),
    /// Compare tiny models with results of transformers, on any device.
    Selftest(selftest::Args),
    /// Join the shards of one run.
    Merge(merge::Args),
    /// Pack runs into one file, with or without texts.
    Bundle(bundle::Args),
    /// Print a shell completion script for commands and arguments, or write manual pages.
    Completions(completions::Args),
}

/// Result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Done,
    /// Done, but items failed, the reported run is unfinished, or a threshold was missed.
    Incomplete,
    /// Stopped early; the same command continues.
    Stopped,
}

/// Parses the arguments, runs the subcommand, and returns one of the [`EXIT_CODES`]. A closed pipe is not an error.
pub fn main() -> ExitCode {
    let mut matches = match command_line::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return refused(&error),
    };
    #[cfg(not(feature = "cuda"))]
    let devices = crate::arguments::cuda::asked_for(&matches);
    let arguments = match Arguments::from_arg_matches_mut(&mut matches) {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error.format(&mut Arguments::command())),
    };
    // Returns only if the GPU program cannot be run.
    #[cfg(not(feature = "cuda"))]
    let no_gpu_program = devices.as_ref().map(crate::arguments::cuda::hand_over);
    #[cfg(feature = "cuda")]
    let no_gpu_program: Option<anyhow::Error> = None;
    if let Some(problem) = &no_gpu_program
        && !matches!(arguments.command, Command::Doctor(_))
    {
        return failed(problem);
    }
    log::install(arguments.verbose);
    // Default until a resumable command installs another handler.
    interrupt::set_unless_ignored(|| {
        let kept = terminal::files::partial();
        let kept = kept.map_or_else(String::new, |path| format!("; partial output is in {}", path.display()));
        eprintln!("\nStopped before the end; the same command starts over{kept}.");
        tidy();
        interrupt::exit();
    });
    let of_worker = matches!(&arguments.command, Command::Run(args) if args.worker.is_some());
    if arguments.quiet {
        terminal::be_quiet();
    }
    progress::choose(match (arguments.quiet, of_worker) {
        (true, _) => progress::Mode::None,
        // The parent process reads and shows it.
        (false, true) => progress::Mode::Json,
        (false, false) => arguments.progress,
    });
    let outcome = match arguments.command {
        Command::Run(args) => match &args.workload.preset {
            Some(preset) => study::presets::run(&args, preset),
            None if args.workload.model.models.len() > 1 => study::of_models(&args),
            None => run::run(args),
        },
        Command::Study(args) => study::run(args),
        Command::Plan(args) => match &args.workload.preset {
            Some(preset) => study::presets::plan(&args, preset),
            None => plan::run(args),
        },
        Command::Presets(args) => study::presets::show(&args),
        Command::Report(args) => report::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Score(args) => score::run(args),
        Command::Extract(args) => extract::run(args),
        Command::Attend(args) => attend::run(args),
        Command::Annotate(args) => annotate::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Make(args) => make::run(args),
        Command::Data(args) => data::run(args),
        Command::Prompts(args) => prompts::run(args),
        Command::Models(args) => models::run(args),
        Command::Logprob(args) => logprob::run(args),
        Command::Doctor(args) => doctor::run(args, no_gpu_program),
        Command::Selftest(args) => selftest::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Bundle(args) => bundle::run(args),
        Command::Completions(args) => completions::run(args),
    };
    tidy();
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete) => ExitCode::from(1),
        Ok(Outcome::Stopped) => ExitCode::from(3),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if is_full(&error) => {
            let _ = failed(&error);
            eprintln!("Stopped. Free some space and run the same command again.");
            ExitCode::from(3)
        }
        Err(error) => failed(&error),
    }
}

/// Prints why a command line cannot be read, or the requested help.
fn refused(error: &clap::Error) -> ExitCode {
    // Parsing arguments may have unpacked bundles or read standard input.
    tidy();
    if !error.use_stderr() || error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    eprintln!("tomeval: {}", for_terminal(&command_line::refusal(error, &words)));
    ExitCode::from(2)
}

/// Removes temporary files.
fn tidy() {
    crate::arguments::paths::tidy();
}

/// Returns the result of work in `out`; `None` if a full disk stopped it, after printing how to continue.
pub fn unless_full<T>(done: anyhow::Result<T>, out: &Path) -> anyhow::Result<Option<T>> {
    match done {
        Err(error) if is_full(&error) => {
            let _ = failed(&error);
            eprintln!("{}", run::to_go_on(out));
            Ok(None)
        }
        done => done.map(Some),
    }
}

/// Prints the error of a command that failed.
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("tomeval: {}", for_terminal(&error_chain::error_chain(error)));
    ExitCode::from(2)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    is_of(error, &[ErrorKind::BrokenPipe])
}

/// Whether the error is a full disk or an exceeded quota.
pub fn is_full(error: &anyhow::Error) -> bool {
    is_of(error, &[ErrorKind::StorageFull, ErrorKind::QuotaExceeded])
}

fn is_of(error: &anyhow::Error, kinds: &[ErrorKind]) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>()).any(|cause| kinds.contains(&cause.kind()))
}
