//! What is computed: every family against its reference, scoring and generation, precisions and devices.

mod bench;
mod causal;
mod experts;
mod generate;
mod golden;
#[cfg(all(unix, not(feature = "cuda")))]
mod gpu_program;
mod launches;
mod precisions;
mod scoring;
mod selftest;
mod stages;
mod tries;
