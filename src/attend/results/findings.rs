//! Findings over many cases, besides groups and shifts of keywords.

use serde::{Deserialize, Serialize};

use super::differences::DifferencesRecord;
use super::heads::{HeadMapRecord, TopHeadsRecord};
use super::roles::{MatchedPairsRecord, RoleMeansRecord};
use super::sensitivity::SensitivityGroupRecord;
use super::witness::WitnessRowRecord;

/// Findings over many cases; lists are empty if not requested or if too few cases have data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    /// Attention on roles over all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleMeansRecord>,
    /// Comparison of roles between two groups within strata: the share of the row on a role, and the share per mention.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_differences: Vec<DifferencesRecord>,
    /// Reasons why cases have no roles, with their counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_roles: Vec<(String, usize)>,
    /// Attention to what is unseen in false-belief stories (`--witness`), by group of cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness: Vec<WitnessRowRecord>,
    /// Reasons why cases are not in that table, or only in part, with their counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_witness: Vec<(String, usize)>,
    /// Comparison of matched pairs, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<MatchedPairsRecord>,
    /// Comparison of heads between two groups (`--head-maps`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head_maps: Vec<HeadMapRecord>,
    /// The first keywords under other views, over all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityGroupRecord>,
    /// Ablation of chosen heads in all cases (`--knock-out strongest:K`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongest: Vec<TopHeadsRecord>,
}

impl Findings {
    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        *self == Findings::default()
    }
}
