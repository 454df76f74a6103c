//! Self-test of a device: tiny models of every kind against the outputs of transformers, in f32, in
//! 16 bits and from GGUF files, with captured attention and written replies. What `tests/it/engine/golden.rs` and
//! `tests/it/engine/precisions.rs` check where a test suite can be built, one command checks on any box.
//!
//! [`Fixtures`] are the models, built in or in a folder laid out as `tests/fixtures`; [`selftest`] compares, [`render`] draws.
//!
//! `selftest` includes fixtures (`selftest/built_in.rs`) and unpacks them into a temporary folder, so that they are read as
//! any model is.

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

/// What was compared: the JSON document of `tomeval selftest`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// Format version, 1.
    pub version: u32,
    /// Version of the program.
    pub program: String,
    /// Device, for instance `cpu` or `cuda:0`.
    pub device: String,
    /// What the device says of itself, if it is an NVIDIA GPU.
    pub gpu: Option<Gpu>,
    /// Where the fixtures are: `built in`, or their folder.
    pub fixtures: String,
    /// A row for each fixture, arithmetic and type.
    pub rows: Vec<SelftestRow>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// Whether every row passed.
    pub passed: bool,
}

/// One fixture in one arithmetic and type.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelftestRow {
    /// The fixture's folder, or the GGUF file.
    pub fixture: String,
    /// `fused` (the CPU's own) or `plain` (tensor operations, which GPUs compute with too).
    pub arithmetic: &'static str,
    /// How weights are kept.
    pub dtype: String,
    /// The differences found.
    pub checks: Vec<Check>,
    /// Why nothing could be compared; null where it could.
    pub problem: Option<String>,
    /// Whether no difference is beyond its bound.
    pub passed: bool,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// What was compared: `logits`, `hidden`, `capture` (attention), `reply` (log-probabilities of its tokens),
    /// `reply-tokens`, or `experts` (positions of a mixture that go to other experts than in f32).
    pub part: Compared,
    /// Which of the absolute differences: `largest`, `mean`, `p99` (99th percentile) or `count` (tokens that are
    /// others, or positions).
    pub figure: Figure,
    /// The difference; null where it is no number.
    pub difference: Option<f64>,
    /// The most that it may be.
    pub bound: f64,
    /// Whether it is within the bound.
    pub passed: bool,
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// Logits, or log-probabilities in 16 bits, of all sequences.
    Logits,
    /// Hidden states after the final norm.
    Hidden,
    /// Captured attention rows, of every query, head and layer.
    Capture,
    /// Log-probabilities of a greedy reply's tokens, computed one after the other over one cache.
    Reply,
    /// Tokens of the greedy reply that are others.
    ReplyTokens,
    /// Positions of a mixture in 16 bits that go to other experts than in f32.
    Experts,
}

/// Which of many absolute differences.
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
    /// How many there are.
    Count,
}

/// What could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Skipped {
    /// A fixture that was left out, in whole or in a type.
    pub fixture: String,
    /// Why, in a sentence.
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

    /// The difference as a share of its bound; infinite where it is no number.
    fn share(&self) -> f64 {
        match self.difference {
            Some(0.0) => 0.0,
            Some(difference) => difference / self.bound,
            None => f64::INFINITY,
        }
    }
}
