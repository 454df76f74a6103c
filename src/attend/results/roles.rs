//! Roles and matched pairs, as stored in a document.

use serde::{Deserialize, Serialize};

use crate::benchmark::Role;

/// Note on roles for readers of every view.
pub const ROLES_CAVEAT: &str = "Roles are found where the story's own sentences name them. The position and number of \
     mentions differ between roles, and attention follows both: the actual location is always named after the original \
     one. Compare twins, or masses per mention, before interpreting a difference as belief.";

/// Attention of the answer position on the roles of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RolesRecord {
    /// `story` if the benchmark tracks it, else the reader whose marks are used; empty without roles.
    pub source: String,
    /// Reason why there are no roles; absent if there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// Part of this prompt that the reason refers to, for instance the line of the story; absent if the reason is
    /// complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether the belief asked about is true; null for questions of fact and if marks do not determine it.
    pub belief: Option<bool>,
    /// Number of agents in the chain asked about; null for marks.
    pub order: Option<usize>,
    /// Sequence of events regardless of names and order: equal for matched pairs of kind `form`; null for marks.
    pub form: Option<String>,
    /// Marked phrases not found in the story; absent if none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Roles that are present.
    pub roles: Vec<RoleRecord>,
}

/// Attention on one role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RoleRecord {
    /// `believed`, `actual` or `original` (location), `distractor` (other containers), `agent` (those asked about),
    /// `bystander` (others) or `object`.
    pub role: Role,
    /// Names of the role.
    pub names: Vec<String>,
    /// Indices in `words` of the story's words that name it.
    pub words: Vec<usize>,
    /// How often the story names it.
    pub mentions: usize,
    /// Share of the row on these words of the story.
    pub story: f64,
    /// Share on its names in the question.
    pub question: f64,
    /// Share on options that name it.
    pub options: f64,
    /// Mass of each head on the words of the story, layer by layer; empty for measures that have no heads.
    pub heads: Vec<f32>,
}

impl RolesRecord {
    /// Creates a record without roles, with the reason.
    pub fn absent(reason: String, detail: Option<String>) -> Self {
        RolesRecord {
            source: String::new(),
            absent: Some(reason),
            detail,
            belief: None,
            order: None,
            form: None,
            missing: Vec::new(),
            roles: Vec::new(),
        }
    }

    /// Why there are no roles, with the part of the prompt concerned; `None` if there are.
    pub fn reason(&self) -> Option<String> {
        let absent = self.absent.as_ref()?;
        Some(self.detail.as_ref().map_or_else(|| absent.clone(), |detail| format!("{absent} ({detail})")))
    }

    /// The record of a role.
    pub fn role(&self, role: Role) -> Option<&RoleRecord> {
        self.roles.iter().find(|record| record.role == role)
    }
}

/// Mean attention on one role over all cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RoleMeansRecord {
    /// Index into `models`.
    pub model: usize,
    /// The role.
    pub role: Role,
    /// Cases that have the role.
    pub items: usize,
    /// Their stories.
    pub stories: usize,
    /// Mean share of the row on its names in the story.
    pub story: f64,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// Mean number of mentions in the story.
    pub mentions: f64,
    /// Mean share of the row per mention.
    pub per_mention: f64,
    /// Mean share on its names in the question.
    pub question: f64,
    /// Mean share on options that name it.
    pub options: f64,
}

/// Pairs of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchedPairsRecord {
    /// `story` (one story and order of belief, the belief asked about false or true), `form` (two stories in which the
    /// same things happen in another order, with other names), `language` or `order` (of the options).
    pub kind: String,
    /// Index into `models`.
    pub model: usize,
    /// Names of the first and second side of the pairs.
    pub sides: (String, String),
    /// Number of pairs. Each case is in at most one.
    pub pairs: usize,
    /// Number of stories; stories joined by a pair count as one.
    pub stories: usize,
    /// Cases of either side without a partner.
    pub alone: usize,
    /// Compared quantities.
    pub quantities: Vec<MatchedPairQuantityRecord>,
}

/// One number over pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchedPairQuantityRecord {
    /// `words in scope`, `half-way`, a role, or `original-actual`: shares of the row, except `half-way`.
    pub quantity: String,
    /// Pairs that have it on both sides.
    pub pairs: usize,
    /// Mean over the first side of the pairs.
    pub first: f64,
    /// Mean over the second side.
    pub second: f64,
    /// Mean of first minus second.
    pub difference: f64,
    /// Its 95 % interval by Student's t, clustered by story; null for fewer than two stories.
    pub interval: Option<(f64, f64)>,
    /// Two-sided p-value of the paired test; null where nothing varies.
    pub p: Option<f64>,
    /// Holm-adjusted p-value over the quantities of this kind.
    pub holm: Option<f64>,
}
