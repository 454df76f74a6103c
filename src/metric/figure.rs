//! A number of the results, or the reason why there is none.

use serde::{Deserialize, Serialize};

use crate::stats::holm_of_known;

const PERCENT: f64 = 100.0;

/// An interval of shares, in percent.
pub(super) fn percent((low, high): (f64, f64)) -> (f64, f64) {
    (low * PERCENT, high * PERCENT)
}

/// A part of a whole, in percent; `None` of nothing.
pub(super) fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64 * PERCENT)
}

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

    /// The mean of values from 0 to 1, in percent, or the reason why there is none for fewer than `fewest`.
    pub(super) fn mean(values: &[f64], fewest: usize, reason: &str) -> Self {
        match values.len() {
            items if items < fewest.max(1) => Figure::from(Err(reason)),
            items => Figure::from(Ok::<f64, &str>(values.iter().sum::<f64>() / items as f64 * PERCENT)),
        }
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

/// Adjusts p-values of results among each other by Holm's procedure.
pub(super) fn adjust<'p>(p_values: impl Iterator<Item = &'p mut Option<f64>>) {
    let p_values: Vec<&mut Option<f64>> = p_values.collect();
    let adjusted = holm_of_known(&p_values.iter().map(|p| **p).collect::<Vec<_>>());
    p_values.into_iter().zip(adjusted).for_each(|(p, adjusted)| *p = adjusted);
}
