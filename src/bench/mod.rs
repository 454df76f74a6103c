//! Throughput of a model on a machine, relative to the machine's ceilings.
//!
//! [`measure()`] runs every [`Case`] and both ceilings in turns, so that drift in machine speed affects all of them
//! equally; the first turn is a warm-up and does not count. [`Bench`] is the resulting document, [`compare()`] compares
//! two of them, [`render()`] and [`render_comparison`] render them. [`measure_drift`] measures how quantised arithmetic
//! changes answers.

mod case;
mod ceiling;
mod checkup;
mod compare;
mod cut;
mod data_sheet;
mod device_check;
mod drift;
mod energy;
mod measure;
mod products;
mod render;
mod set;
mod summary;
mod trie;

use serde::{Deserialize, Serialize};

pub use case::Case;
pub use checkup::Checkup;
pub use compare::{Comparison, Ratio, compare};
pub use cut::{CutCheck, check_cut};
pub use device_check::DeviceCheck;
pub use drift::{Drift, Rounded, Step, measure_drift, render_drift};
pub use measure::{Measured, Profile, cases, measure, time_loading};
pub use products::measure_products;
pub use render::{render, render_comparison};
pub use set::{Scored, ScoringSet};
pub use summary::Summary;
pub use trie::{read_trie, synthetic_trie, write_trie};

use crate::benchmark::LoadError;
use crate::decoder::{DecoderError, Gpu};
use crate::engine::{GenerateError, RequestError, ScoreError, TrialRequests};
use crate::machine;
use crate::run::{ModelIdentity, Program};
use crate::trial::TrialError;

/// Format version of the documents this program writes and reads.
pub const VERSION: u32 = 1;

/// A measured model: the JSON document of `tomeval bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Format version, 1.
    pub version: u32,
    /// The program that measured.
    pub program: Program,
    /// Creation time, in UTC.
    pub created: String,
    /// The model.
    pub model: ModelIdentity,
    /// The environment it ran in.
    pub environment: Environment,
    /// Requested settings.
    pub settings: Settings,
    /// Seconds to load the weights.
    pub load_seconds: Summary,
    /// Everything measured.
    pub measured: Measured,
    /// Two layers of the shape compared with the CPU (`--check`); absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CutCheck>,
}

/// Factors besides the model that determine speed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Processor.
    pub cpu: String,
    /// Its vector extensions.
    pub cpu_features: Vec<String>,
    /// Physical cores.
    pub cores: usize,
    /// Frequency governor, if readable.
    pub governor: Option<String>,
    /// Operating system and architecture.
    pub system: String,
    /// Device, for instance `cpu` or `cuda:0`.
    pub device: String,
    /// Properties the device reports, if it is an NVIDIA GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Gpu>,
    /// dtype of the weights.
    pub dtype: String,
    /// CPU threads.
    pub threads: usize,
    /// Whether the program was built without optimisation, which makes its figures useless.
    pub unoptimised: bool,
}

impl Environment {
    /// This machine and build, computing on `device` in `dtype` with `threads` threads.
    pub fn new(device: String, gpu: Option<Gpu>, dtype: String, threads: usize) -> Self {
        Environment {
            cpu: machine::processor_name(),
            cpu_features: machine::vector_extensions().into_iter().map(String::from).collect(),
            cores: machine::cores(),
            governor: machine::governor(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            device,
            gpu,
            dtype,
            threads,
            unoptimised: cfg!(debug_assertions),
        }
    }
}

/// Requested sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Prompt lengths, in tokens.
    pub prompt: Vec<usize>,
    /// Tokens generated per sequence; 0 skips decoding.
    pub generate: usize,
    /// Numbers of sequences decoded together.
    pub batch: Vec<usize>,
    /// Turns that count.
    pub repeat: usize,
    /// How the weights were drawn; absent for weights from files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomWeights>,
    /// Prompts of a run to score (`--trie`), made of random tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trie: Option<Prompts>,
    /// Whether each case runs once more with its operations timed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
}

/// Prompts of a run, of which only lengths and shared prefixes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Number of prompts.
    pub prompts: usize,
    /// Tokens per prompt, the mean rounded down.
    pub tokens: usize,
}

impl Prompts {
    /// Their number and mean length.
    pub fn new(trials: &[TrialRequests]) -> Self {
        Prompts { prompts: trials.len(), tokens: trie::mean_tokens(trials) }
    }
}

/// Random weights of a shape, drawn instead of read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomWeights {
    /// Seed of the random weights (`--shape`); absent for weights from files.
    pub seed: u64,
}

/// The measure of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Name, equal for equal workloads.
    pub name: String,
    /// The workload.
    pub case: Case,
    /// Unit of `rate`.
    pub unit: String,
    /// Tokens or questions in one turn.
    pub amount: usize,
    /// Seconds of one turn.
    pub seconds: Summary,
    /// `amount` per second.
    pub rate: Summary,
    /// Floating-point operations per second, of the median turn.
    pub flops: f64,
    /// `flops` as a share of the rate of the large matrix product (model FLOP utilisation); absent in documents of
    /// older programs. On a CPU, that product is in f32 and quantised weights use integer arithmetic, so that it can
    /// exceed 1.
    #[serde(default)]
    pub mfu: Option<f64>,
    /// Minimum bytes moved per second, of the median turn; absent if unknown.
    pub bytes: Option<f64>,
    /// Position under the ceilings.
    pub roofline: Roofline,
    /// Mean power of the processor packages, and of the GPUs in CUDA builds, in watts; absent if not readable.
    pub watts: Option<f64>,
}

/// Position of a measure under the ceilings of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Roofline {
    /// The nearer ceiling.
    pub bound: Bound,
    /// Share of that ceiling reached.
    pub share: f64,
}

/// A kind of ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The rate of the fastest matrix product.
    Compute,
    /// The rate of the fastest way through memory.
    Memory,
}

/// A case that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Skipped {
    /// The case's name.
    pub name: String,
    /// Reason, in one sentence.
    pub reason: String,
}

/// A benchmark that failed, or a document that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The decoder failed.
    #[error(transparent)]
    Decoder(#[from] DecoderError),
    /// A tensor operation outside the decoder failed.
    #[error("measuring the ceilings: {0}")]
    Tensor(#[from] candle_core::Error),
    /// Decoding failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// Scoring the built-in questions failed.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The built-in questions cannot be read.
    #[error(transparent)]
    Items(#[from] LoadError),
    /// The built-in questions yield no trials.
    #[error(transparent)]
    Trials(#[from] TrialError),
    /// A synthetic prompt cannot be scored.
    #[error("the synthetic prompts: {0}")]
    Request(#[from] RequestError),
    /// A file of prompts cannot be read.
    #[error("not prompts as `tomeval plan --trie` writes them: {0}")]
    Trie(String),
    /// A built-in question cannot be asked.
    #[error("the built-in questions cannot be asked: {0}")]
    Unasked(String),
    /// Nothing can be measured.
    #[error("nothing to measure: give --repeat of at least 1")]
    NoRepeats,
    /// Not JSON, or not in this format.
    #[error("not a document of `tomeval bench --json`: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another format version.
    #[error("bench format {found}, but this program reads format {VERSION}; measure again")]
    Version {
        /// The version found.
        found: u64,
    },
}

impl Bench {
    /// Reads a document.
    pub fn parse(json: &str) -> Result<Bench, BenchError> {
        let value: serde_json::Value = serde_json::from_str(json)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(VERSION) => Err(BenchError::Version { found }),
            _ => Ok(serde_json::from_value(value)?),
        }
    }

    /// The document as indented JSON with a newline at the end.
    pub fn to_json(&self) -> Result<String, BenchError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
