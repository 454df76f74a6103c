//! A number of the results, or the reason why there is none.

use serde::{Deserialize, Serialize};

/// A number, in percent unless said otherwise, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The number; null with a `reason`.
    pub value: Option<f64>,
    /// Why there is no number; null where there is one.
    pub reason: Option<String>,
}

impl Figure {
    /// Value for results written before the test existed.
    pub(super) fn not_tested() -> Self {
        Figure { value: None, reason: Some("not tested by the program that wrote these results".into()) }
    }

    /// A number, or the reason why there is none; a number that is not finite counts as missing.
    pub(super) fn from(value: Result<f64, impl Into<String>>) -> Self {
        match value {
            Ok(value) if value.is_finite() => Figure { value: Some(value), reason: None },
            Ok(_) => Figure { value: None, reason: Some("not finite".into()) },
            Err(reason) => Figure { value: None, reason: Some(reason.into()) },
        }
    }
}
