//! Sensitivity of keywords, as stored in a document.

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// Comparison of the first keywords of another view with those of the requested view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SensitivityRecord {
    /// What is varied: `layers`, `measure` or `order`.
    pub way: String,
    /// The alternative: `layers 0-19`, `value`, `drawn order 2`.
    pub name: String,
    /// Keywords shared by both views.
    pub shared: usize,
    /// Jaccard index of the two sets of keywords.
    pub jaccard: f64,
    /// Rank-biased overlap of the two lists at persistence 0.9.
    pub rank_biased_overlap: f64,
}

/// One other view over all cases of a model in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SensitivityGroupRecord {
    /// Index into `models`.
    pub model: usize,
    /// Language of the cases.
    pub language: Language,
    /// What is varied.
    pub way: String,
    /// The alternative.
    pub name: String,
    /// Cases.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean Jaccard index.
    pub jaccard: f64,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// Lowest Jaccard index of any case.
    pub least: f64,
    /// Mean rank-biased overlap.
    pub rank_biased_overlap: f64,
}
