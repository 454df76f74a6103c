//! Differences between two groups of cases, as stored in a document.

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// Basis of a comparison of two groups within strata.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WithinRecord {
    /// Strata compared: those with at least two stories of each group.
    pub strata: usize,
    /// Cases of the first and second group in these strata.
    pub items: (usize, usize),
    /// Their stories; stories that hold versions of one question count as one.
    pub stories: (usize, usize),
    /// Strata left out because a group has fewer than two stories in them; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Reason why there is no difference, such as fewer than five stories of a group; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A stratum that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutRecord {
    /// Properties that its cases share.
    pub stratum: String,
    /// Its cases of the first and second group.
    pub items: (usize, usize),
}

/// Numbers of two groups of cases, compared within strata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferencesRecord {
    /// Index into `models`; null where models are the groups.
    pub model: Option<usize>,
    /// The first and second group.
    pub groups: (String, String),
    /// Compared quantities.
    pub quantities: Vec<DifferenceRecord>,
}

/// A number of two groups of cases, compared within strata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferenceRecord {
    /// Its name, such as `first token` or `fall without layers=0`.
    pub quantity: String,
    /// `share`, `bits`, `nats`, or `place` (in the text, from 0 to 1).
    pub unit: String,
    /// Basis of the comparison, among cases that have the number.
    pub within: WithinRecord,
    /// Mean of the first group: stratum means with the same weights as the difference.
    pub first: Option<f64>,
    /// Mean of the second group, by the same weights.
    pub second: Option<f64>,
    /// First minus second.
    pub difference: Option<f64>,
    /// Its 95 % interval by Student's t, clustered by story; null where nothing varies within groups.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value; null where nothing varies within groups.
    pub p: Option<f64>,
    /// Holm-adjusted p-value over the quantities of this list.
    pub holm: Option<f64>,
}

/// Words that are keywords more often in one group of cases than in another, in one language, compared within strata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShiftRecord {
    /// Index into `models`; null where models are the groups.
    pub model: Option<usize>,
    /// The first group's name.
    pub first: String,
    /// The second group's name.
    pub second: String,
    /// Language of the cases.
    pub language: Language,
    /// Basis of the comparison.
    pub within: WithinRecord,
    /// Words tested: keywords of at least five of the cases compared.
    pub tested: usize,
    /// Words with an adjusted p below 0.05.
    pub significant: usize,
    /// The tested words that differ most in either direction, the first group's first.
    pub words: Vec<ShiftWordRecord>,
}

/// A word in two groups of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShiftWordRecord {
    /// The word as it first occurs.
    pub text: String,
    /// Number of cases that have the word as a keyword in the compared strata, for the first and second group.
    pub items: (usize, usize),
    /// Difference of the shares of cases, first minus second, combined over strata.
    pub difference: f64,
    /// Its 95 % interval; null where nothing varies within groups.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value.
    pub p: Option<f64>,
    /// Holm-adjusted p-value over all words tested.
    pub holm: Option<f64>,
}

/// Note on comparisons for readers of every view.
pub const DIFFERENCES_CAVEAT: &str = "Groups are compared within strata (benchmark, language, number of options and \
     the facets named by the benchmark's card), and the differences are combined; stories that hold versions of one \
     question count as one. Means of whole groups also reflect the composition of the groups.";
