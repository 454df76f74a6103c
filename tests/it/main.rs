//! The integration tests: one program, a folder a subject.

mod annotate;
mod attend;
mod benchmarks;
mod engine;
mod hostile;
#[cfg(feature = "server")]
mod make;
mod models;
mod project;
mod prompts;
mod reports;
mod runs;
mod scores;
mod support;
