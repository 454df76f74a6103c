//! Definition of a benchmark; each loader's file defines the benchmarks it reads.

use std::fmt;
use std::path::Path;

use super::{Benchmark, Card, LoadError, LoadOptions, Loaded};

/// A benchmark's card, choices and loader.
#[derive(Debug)]
pub(super) struct Definition {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The text of its card.
    pub card: &'static str,
    /// Names of the choices that its loader accepts.
    pub choices: &'static [&'static str],
    /// Whether its files are at a path: its own folder, that folder's parent, or a file of its own.
    pub is_at: fn(&Path) -> bool,
    /// Loads it from its own folder or that folder's parent.
    pub load: fn(&Path, &LoadOptions) -> Result<Loaded, LoadError>,
}

/// The text of a card, built into the program from `datasets/`.
macro_rules! card {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/", $name, ".toml"))
    };
}
pub(super) use card;

impl Definition {
    /// The parsed card. Panics if its text is invalid; a test parses all cards.
    pub fn card(&self) -> Card {
        toml::from_str(self.card).unwrap_or_else(|error| panic!("datasets/{self}.toml: {error}"))
    }

    /// The error for an unknown value of a choice.
    pub fn unknown_choice(&self, choice: &str, given: &str, expected: impl Into<String>) -> LoadError {
        LoadError::UnknownChoice {
            benchmark: self.benchmark,
            choice: choice.to_string(),
            given: given.to_string(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.benchmark.fmt(f)
    }
}
