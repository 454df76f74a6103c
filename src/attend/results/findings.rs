//! What an analysis found over many cases, beside groups and shifts of keywords.

use serde::{Deserialize, Serialize};

use super::differences::DifferencesRecord;
use super::heads::{HeadMapRecord, TopHeadsRecord};
use super::roles::{MatchedPairsRecord, RoleMeansRecord};
use super::sensitivity::SensitivityGroupRecord;

/// Findings over many cases; lists are empty where nothing was asked for or too few cases have it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Attention on roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleMeansRecord>,
    /// Roles of two groups against each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub role_differences: Vec<DifferencesRecord>,
    /// Why cases have no roles, with their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_roles: Vec<(String, usize)>,
    /// Twins against each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<MatchedPairsRecord>,
    /// Heads of two groups against each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head_maps: Vec<HeadMapRecord>,
    /// How far the first keywords depend on the view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<SensitivityGroupRecord>,
    /// Chosen heads switched off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongest: Vec<TopHeadsRecord>,
}

impl Findings {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        *self == Findings::default()
    }
}
