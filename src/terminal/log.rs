//! Prints the library's `tracing` events on stderr.

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;

use crate::safe_text::for_terminal;

/// Environment variable with another filter.
const FILTER: &str = "TOMEVAL_LOG";

/// Prints warnings from now on, and lower levels if `verbose`.
pub fn install(verbose: bool) {
    let level = if verbose { "tomeval=debug" } else { "tomeval=warn" };
    let filter = EnvFilter::try_from_env(FILTER).unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).without_time().with_writer(|| Escaped).init();
}

/// Writes events to stderr, escaped; they may contain text from servers.
struct Escaped;

impl Write for Escaped {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(for_terminal(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
