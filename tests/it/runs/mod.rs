//! `tomeval run` and what goes with it: folders, workers, servers, written answers, stops and kills.

#[cfg(feature = "server")]
mod audit;
mod benchmarks;
mod bundle;
mod command;
mod folder;
mod kept;
mod long_work;
mod options;
mod phases;
#[cfg(feature = "server")]
mod reference;
mod reminders;
mod reply_budgets;
#[cfg(feature = "server")]
mod server_identity;
#[cfg(feature = "server")]
mod servers;
#[cfg(feature = "server")]
mod several_servers;
#[cfg(feature = "server")]
mod sources;
mod study;
mod workers;
mod written;
