//! `tomeval attend`: what a model looked at, in documents, pages, pictures and folders.

pub mod command;
mod export;
mod figures;
mod inside;
mod look;
pub mod page;
mod runs;
mod written;
