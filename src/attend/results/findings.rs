//! What an analysis found over many cases, beside groups and shifts of keywords.

use serde::{Deserialize, Serialize};

use super::differences::DifferencesRecord;
use super::heads::{HeadMapRecord, TopHeadsRecord};
use super::roles::{MatchedPairsRecord, RoleMeansRecord};
use super::sensitivity::SensitivityGroupRecord;

/// Findings over many cases; lists are empty where nothing was asked for or too few cases have it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    /// Attention on roles over all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleMeansRecord>,
    /// Roles of two groups against each other within strata: the share of the row on a role, and that for each mention.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_differences: Vec<DifferencesRecord>,
    /// Why cases have no roles, with their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_roles: Vec<(String, usize)>,
    /// Twins against each other, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<MatchedPairsRecord>,
    /// Heads of two groups against each other (`--head-maps`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head_maps: Vec<HeadMapRecord>,
    /// The first keywords under other views, over all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityGroupRecord>,
    /// Chosen heads switched off in all cases (`--knock-out strongest:K`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongest: Vec<TopHeadsRecord>,
}

impl Findings {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        *self == Findings::default()
    }
}
