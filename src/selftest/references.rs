//! Reference data of a fixture: tensors beside it (`tests/fixtures/README.md`), and the distance of transformers' own
//! 16-bit arithmetic from its f32.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use serde::Deserialize;

use super::fixtures::{Fixtures, FixturesError};
use crate::decoder::Precision;

/// Tensors by name.
pub(super) struct Tensors(HashMap<String, Tensor>);

impl Tensors {
    /// Reads all tensors of a file.
    pub fn read(file: &Path) -> candle_core::Result<Tensors> {
        Ok(Tensors(candle_core::safetensors::load(file, &Device::Cpu)?))
    }

    fn get(&self, name: &str) -> candle_core::Result<&Tensor> {
        self.0.get(name).ok_or_else(|| candle_core::Error::msg(format!("no tensor `{name}`")))
    }

    /// Token ids.
    pub fn ids(&self, name: &str) -> candle_core::Result<Vec<u32>> {
        self.get(name)?.flatten_all()?.to_dtype(DType::U32)?.to_vec1()
    }

    /// Numbers, row by row.
    pub fn values(&self, name: &str) -> candle_core::Result<Vec<f32>> {
        self.get(name)?.flatten_all()?.to_dtype(DType::F32)?.to_vec1()
    }

    /// The size of each dimension.
    pub fn dims(&self, name: &str) -> candle_core::Result<Vec<usize>> {
        Ok(self.get(name)?.dims().to_vec())
    }
}

/// `precisions.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Precisions {
    families: HashMap<String, HashMap<String, HashMap<String, Distance>>>,
}

/// Distance of an arithmetic from f32 in log-probabilities, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct Distance {
    pub mean: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Share of a mixture's positions that are routed to other experts than in f32.
    #[serde(default)]
    pub rerouted: f64,
}

impl Precisions {
    /// Reads the distances for fixtures; empty if the file is missing.
    pub fn from_fixtures(fixtures: &Fixtures) -> Result<Precisions, FixturesError> {
        let path = fixtures.precisions();
        let read = match std::fs::read_to_string(&path) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Precisions { families: HashMap::new() });
            }
            Err(source) => return Err(FixturesError::Io { path, source }),
        };
        serde_json::from_str(&read).map_err(|error| FixturesError::Precisions { path, problem: error.to_string() })
    }

    /// Distance for transformers in a family and a dtype, with SDPA attention if there are data for it, or else eager
    /// attention.
    pub fn of_family(&self, family: &str, precision: Precision) -> Option<Distance> {
        let by_attention = self.families.get(family)?.get(precision.name())?;
        by_attention.get("sdpa").or_else(|| by_attention.get("eager")).copied()
    }
}
