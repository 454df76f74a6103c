//! Differences between parts of a run made with different models or settings.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A difference between parts of one run: a key of the manifest with both values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Mixture {
    /// The key, for instance `model.machine.threads`.
    pub key: String,
    /// Its value for the part described by the manifest.
    pub first: Value,
    /// Its value for another part.
    pub other: Value,
}

/// Values longer than this are not shown.
const SHOWN: usize = 120;

impl fmt::Display for Mixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let (first, other) = (text(&self.first), text(&self.other));
        match first.len().max(other.len()) <= SHOWN {
            true => write!(f, "{} ({first}, not {other})", self.key),
            false => f.write_str(&self.key),
        }
    }
}
