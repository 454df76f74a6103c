//! Two groups of cases against each other, as a document holds them.

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// What a comparison of two groups within strata rests on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WithinRecord {
    /// Strata compared: those with at least two stories of each group.
    pub strata: usize,
    /// Cases of the first group in these, and of the second.
    pub items: (usize, usize),
    /// Their stories; those that hold versions of one question are one.
    pub stories: (usize, usize),
    /// Strata left out, because they have fewer than two stories of a group; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Why there is no difference, as for fewer than five stories of a group; absent where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A stratum that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutRecord {
    /// What its cases have in common.
    pub stratum: String,
    /// Its cases of the first group, and of the second.
    pub items: (usize, usize),
}

/// Numbers of two groups of cases, compared within strata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferencesRecord {
    /// Index into `models`; null where models are the groups.
    pub model: Option<usize>,
    /// The first group, and the second.
    pub groups: (String, String),
    /// What is compared.
    pub quantities: Vec<DifferenceRecord>,
}

/// A number of two groups of cases, compared within strata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferenceRecord {
    /// Its name, for instance `first token` or `fall without layers=0`.
    pub quantity: String,
    /// `share`, `bits`, `nats`, or `place` (in the text, from 0 to 1).
    pub unit: String,
    /// What the comparison rests on, among the cases that have the number.
    pub within: WithinRecord,
    /// Mean of the first group: means within strata, weighted as their differences are.
    pub first: Option<f64>,
    /// Mean of the second group, by the same weights.
    pub second: Option<f64>,
    /// First minus second.
    pub difference: Option<f64>,
    /// Its 95 % interval by Student's t, clustered by story; null where nothing varies within groups.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value; null where nothing varies within groups.
    pub p: Option<f64>,
    /// The same by Holm over the quantities of this list.
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
    /// What the comparison rests on.
    pub within: WithinRecord,
    /// Words tested: keywords of at least five of the cases compared.
    pub tested: usize,
    /// Words with an adjusted p below 0.05.
    pub significant: usize,
    /// Those of the words tested that differ most in either direction, the first group's first.
    pub words: Vec<ShiftWordRecord>,
}

/// A word in two groups of cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShiftWordRecord {
    /// The word as first seen.
    pub text: String,
    /// Cases of the first group of which it is a keyword, in the strata compared, and of the second.
    pub items: (usize, usize),
    /// Difference of the shares of cases, first minus second, combined over strata.
    pub difference: f64,
    /// Its 95 % interval; null where nothing varies within groups.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value.
    pub p: Option<f64>,
    /// The same by Holm over all words tested.
    pub holm: Option<f64>,
}

/// What a reader of comparisons must know, for every view.
pub const DIFFERENCES_CAVEAT: &str = "Groups are compared within strata (benchmark, language, number of options and what the benchmark's \
     card names), and the differences combined; stories that hold versions of one question count as one. Means of whole groups \
     also differ by what the groups are made of.";
