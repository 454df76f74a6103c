//! Terminal output of commands: progress, tables on stdout, events and errors on stderr, commands to paste; and signal
//! handling.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

pub mod error_chain;
pub mod files;
pub mod interrupt;
pub mod log;
pub mod progress;
pub mod shell;
pub mod stdout;
pub mod time_summary;

static QUIET: AtomicBool = AtomicBool::new(false);

/// Silences [`say`].
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Prints a line on stderr that is neither a warning nor an error: work about to start, its duration, the location of
/// results.
pub fn say(line: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        eprintln!("{line}");
    }
}
