//! Sensitivity of keywords as a document holds it.

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// The first keywords of another view against those of the view asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SensitivityRecord {
    /// What is changed: `layers`, `measure` or `order`.
    pub way: String,
    /// To what: `layers 0-19`, `value`, `drawn order 2`.
    pub name: String,
    /// Keywords that both views have.
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
    /// What is changed.
    pub way: String,
    /// To what.
    pub name: String,
    /// Cases.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean Jaccard index.
    pub jaccard: f64,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// The least of any case.
    pub least: f64,
    /// Mean rank-biased overlap.
    pub rank_biased_overlap: f64,
}
