//! `tomeval run` and what goes with it: folders, workers, servers, written answers, stops and kills.

mod benchmarks;
mod bundle;
mod command;
mod folder;
mod kept;
mod long_work;
mod phases;
#[cfg(feature = "server")]
mod servers;
#[cfg(feature = "server")]
mod sources;
mod study;
mod workers;
mod written;
