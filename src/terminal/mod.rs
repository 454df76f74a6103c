//! What commands say on a terminal: progress, tables on stdout, events and errors on stderr, commands to paste, and what a
//! signal does meanwhile.

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

/// From now on [`say`] says nothing.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Print a line on stderr that is neither a warning nor an error: what is about to be done, what it took, where it lies.
pub fn say(line: impl Display) {
    if !QUIET.load(Ordering::Relaxed) {
        eprintln!("{line}");
    }
}
