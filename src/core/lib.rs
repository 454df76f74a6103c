//! What tomeval computes with, as a crate of its own: nothing here knows of benchmarks, prompts or files of runs. Builds
//! for tests optimise it as a release does.

#![warn(missing_docs)]
#![warn(clippy::dbg_macro, clippy::exit)]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used))]

pub mod decoder;
pub mod name;
pub mod seed;
pub mod stats;
