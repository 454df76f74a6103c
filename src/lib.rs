//! Local-inference evaluation of open-weight language models on multiple-choice Theory-of-Mind benchmarks.
//!
//! The modules are the pipeline, in order. Each stage turns one plain type into the next; only the first and the last
//! touch files, and dependencies point backwards along the line only (`tests/it/arrows.toml` lists them, and a test reads
//! every path).
//!
//! 1. [`benchmark`]: files become [`benchmark::Item`]s; [`story`] generates and tracks the stories of some.
//! 2. [`prompt`]: an item in an option order becomes what is asked.
//! 3. [`extract`]: a written reply becomes the options it names.
//! 4. [`decoder`]: the transformer, knowing nothing of the stages around it.
//! 5. [`model`]: every file of a model: where it is found, configuration, tokenizer, chat template.
//! 6. [`engine`]: token sequences become a token trie, packed passes, and log-likelihoods.
//! 7. [`record`] and [`answer`]: what was shown and what came back; choices and votes.
//! 8. [`backend`]: who answers: the engine on this machine, or answers brought from elsewhere.
//! 9. [`run`]: dataset, trials, manifest, append-only records, resume, shards.
//! 10. [`metric`]: outcomes grouped by facets become accuracies, intervals and tests.
//! 11. [`compare`]: two sides on the same items become differences, intervals, tests.
//! 12. [`report`]: tables become terminal text, Markdown, CSV, LaTeX, JSON; [`reading`] leads from a run folder to there.
//!
//! Beside the line stand [`attend`] (what the model looked at), [`probe`] (whether it met the items before), [`bench`]
//! (how fast it runs) and [`selftest`] (whether it computes rightly); below it [`language`], [`name`] (choices by name), [`segment`] (words of a text), [`machine`], [`libraries`] (what a GPU build needs at start), [`seed`] (the one source of random draws),
//! [`canary`] (the line that marks files with items), [`figure`] (charts, and pictures of them), [`page`] (the frame and look of all HTML pages), [`json`] (JSON of others, counted while it is read), [`plain`] (what parsers say, in the words of who wrote the file), [`progress`] (how far long work is) and [`untrusted`]
//! (text of others, made harmless where it is shown).

#![warn(missing_docs)]
// The library reports through its results and through `tracing`; only the command prints and exits.
#![warn(clippy::dbg_macro, clippy::exit)]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used))]

#[cfg(any(feature = "hub", feature = "server"))]
pub mod address;
pub mod annotate;
pub mod answer;
pub mod attend;
pub mod backend;
pub mod bench;
pub mod benchmark;
pub mod canary;
pub mod compare;
pub mod decoder;
pub mod engine;
pub mod extract;
pub mod figure;
pub mod json;
pub mod language;
pub mod libraries;
pub mod machine;
pub mod metric;
pub mod model;
pub mod name;
pub mod page;
pub mod plain;
pub mod probe;
pub mod progress;
pub mod prompt;
pub mod reading;
pub mod record;
pub mod report;
pub mod run;
pub mod seed;
pub mod segment;
pub mod selftest;
#[cfg(feature = "server")]
pub mod server;
pub mod story;
pub mod untrusted;
