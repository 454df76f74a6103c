//! What commands say on a terminal: progress, tables on stdout, events and errors on stderr, commands to paste, and what a
//! signal does meanwhile.

pub mod error_chain;
pub mod interrupt;
pub mod log;
pub mod progress;
pub mod shell;
pub mod stdout;
pub mod time_summary;
