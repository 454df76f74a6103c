//! `tomeval annotate`: pages on which people answer, mark and judge.

#[cfg(unix)]
mod hands;
pub mod pages;
