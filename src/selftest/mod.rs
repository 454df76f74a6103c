//! Self-test of a device: compares tiny models of every kind with the outputs of transformers, in f32, in 16 bits and
//! from GGUF files, with captured attention and written replies. It runs the checks of `tests/it/engine/golden.rs` and
//! `tests/it/engine/precisions.rs` as one command, on machines where a test suite cannot be built.
//!
//! [`Fixtures`] are the models, built in or in a folder laid out like `tests/fixtures`; [`selftest`] compares,
//! [`render`] formats.
//!
//! `selftest` embeds fixtures (`selftest/built_in.rs`) and unpacks them into a temporary folder, so that they are read
//! like any other model.

mod built_in;
mod compare;
mod fixtures;
mod references;
mod render;
mod routing;

use serde::Serialize;

pub use compare::selftest;
pub use fixtures::{Fixtures, FixturesError};
pub use render::render;

use crate::decoder::Gpu;

/// Format version of the document.
pub const VERSION: u32 = 1;

/// Result of the comparisons: the JSON document of `tomeval selftest`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// Format version, 1.
    pub version: u32,
    /// Version of the program.
    pub program: String,
    /// Device, for instance `cpu` or `cuda:0`.
    pub device: String,
    /// GPU properties, if the device is an NVIDIA GPU.
    pub gpu: Option<Gpu>,
    /// Source of the fixtures: `built in`, or their folder.
    pub fixtures: String,
    /// A row for each fixture, arithmetic and dtype.
    pub rows: Vec<SelftestRow>,
    /// Comparisons left out.
    pub skipped: Vec<Skipped>,
    /// Whether every row passed.
    pub passed: bool,
}

/// One fixture in one arithmetic and dtype.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelftestRow {
    /// The fixture's folder, or the GGUF file.
    pub fixture: String,
    /// `fused` (CPU kernels) or `plain` (tensor operations, as on GPUs).
    pub arithmetic: &'static str,
    /// dtype of the weights.
    pub dtype: String,
    /// The differences.
    pub checks: Vec<Check>,
    /// Why nothing could be compared; null otherwise.
    pub problem: Option<String>,
    /// Whether all differences are within their bounds.
    pub passed: bool,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// Compared output: `logits`, `hidden`, `capture` (attention), `reply` (log-probabilities of its tokens),
    /// `reply-tokens`, or `experts` (positions of a mixture that are routed to other experts than in f32).
    pub part: Compared,
    /// Statistic of the absolute differences: `largest`, `mean`, `p99` (99th percentile) or `count` (differing tokens,
    /// or positions).
    pub figure: Figure,
    /// The difference; null if it is not finite.
    pub difference: Option<f64>,
    /// The largest allowed difference.
    pub bound: f64,
    /// Whether it is within the bound.
    pub passed: bool,
}

/// Compared output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// Logits (log-probabilities in 16 bits) of all sequences.
    Logits,
    /// Hidden states after the final norm.
    Hidden,
    /// Captured attention rows, of every query, head and layer.
    Capture,
    /// Log-probabilities of a greedy reply's tokens, computed one by one with a KV cache.
    Reply,
    /// Tokens of the greedy reply that differ.
    ReplyTokens,
    /// Positions of a mixture in 16 bits that are routed to other experts than in f32.
    Experts,
}

/// Statistic of many absolute differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// The largest.
    Largest,
    /// Their mean.
    Mean,
    /// Their 99th percentile.
    P99,
    /// Their number.
    Count,
}

/// A comparison that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Skipped {
    /// The fixture, left out in whole or in one dtype.
    pub fixture: String,
    /// The reason, as a sentence.
    pub reason: String,
}

impl Check {
    fn new(part: Compared, figure: Figure, difference: f64, bound: f64) -> Check {
        Check {
            part,
            figure,
            difference: difference.is_finite().then_some(difference),
            bound,
            passed: difference <= bound,
        }
    }

    /// The difference as a share of its bound; infinite if it is not finite.
    fn share(&self) -> f64 {
        match self.difference {
            Some(0.0) => 0.0,
            Some(difference) => difference / self.bound,
            None => f64::INFINITY,
        }
    }
}
