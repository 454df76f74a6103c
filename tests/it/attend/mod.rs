//! `tomeval attend`: what a model looked at, in documents, pages, pictures and folders.

mod command;
mod export;
mod figures;
mod inside;
mod look;
mod page;
mod runs;
mod views;
mod witness;
mod written;
