//! Runs: what is written while a model is asked, and read back for metrics.

pub mod record;
