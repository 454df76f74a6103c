//! Local-inference evaluation of open-weight language models on multiple-choice Theory-of-Mind benchmarks.
//!
//! The modules are the pipeline, in order. Each stage turns one plain type into the next; only the first and the last
//! touch files, and dependencies point backwards along the line only.
//!
//! 1. [`benchmark`]: files become [`benchmark::Item`]s.
//! 2. [`prompt`]: items become trials (item x style x option order) and their chat messages.
//! 3. [`engine`]: trials become token sequences, a token trie, packed passes, and log-likelihoods.
//! 4. [`decoder`]: the transformer itself, knowing nothing of the stages above.
//! 5. [`answer`]: log-likelihoods become choices and votes.
//! 6. [`run`]: manifest, append-only records, resume, shards.
//! 7. [`metric`]: outcomes grouped by facets become accuracies, intervals and tests.
//! 8. [`report`]: tables become terminal text, Markdown, CSV, JSON.
//!
//! Beside the line stand [`model`] (where weights are found), [`attend`] (what the model looked at), [`bench`] (how
//! fast it runs), [`story`] (generators and belief trackers) and [`seed`] (the one source of random draws).

#![warn(missing_docs)]
// The library reports through its results and through `tracing`; only the command prints and exits.
#![warn(clippy::dbg_macro, clippy::exit)]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used))]

pub mod answer;
pub mod attend;
pub mod backend;
pub mod bench;
pub mod benchmark;
pub mod decoder;
pub mod engine;
pub mod language;
pub mod machine;
pub mod metric;
pub mod model;
pub mod name;
pub mod prompt;
pub mod record;
pub mod report;
pub mod run;
pub mod seed;
pub mod segment;
pub mod story;
