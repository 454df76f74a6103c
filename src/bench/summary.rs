//! Summary statistics of repeated measurements.

use serde::{Deserialize, Serialize};

/// Mean, spread and median of one figure over repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Number of repeats.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (divided by n - 1); absent for a single repeat.
    pub sd: Option<f64>,
    /// Median; the mean of the middle two if n is even.
    pub median: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Summarises `values`; `None` if there are none.
    pub fn from_values(values: &[f64]) -> Option<Summary> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let n = sorted.len();
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Summary {
            n,
            mean,
            sd: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
            median: (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
            min,
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_textbook() {
        let summary = Summary::from_values(&[4.0, 1.0, 2.0, 9.0]).unwrap();
        assert_eq!((summary.n, summary.mean, summary.median, summary.min, summary.max), (4, 4.0, 3.0, 1.0, 9.0));
        assert!((summary.sd.unwrap() - (38.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Summary::from_values(&[5.0, 1.0, 2.0]).unwrap().median, 2.0);
    }

    #[test]
    fn one_value_has_no_spread_and_none_has_no_summary() {
        assert_eq!(Summary::from_values(&[3.0]).unwrap().sd, None);
        assert_eq!(Summary::from_values(&[]), None);
    }
}
