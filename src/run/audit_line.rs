//! A trial that was asked again.

use serde::{Deserialize, Serialize};

use crate::record::TrialKey;

/// Condition under which a trial was asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Without the prefix cache, one trial in flight.
    ColdAlone,
    /// With the prompt in the cache, one trial in flight.
    CachedAlone,
    /// Without the cache, as many trials in flight as in the run.
    ColdLoaded,
    /// With the prompt in the cache, as many in flight.
    CachedLoaded,
    /// One trial in flight, whatever is in the cache: it is not controlled, or the model is local.
    Alone,
    /// As many in flight as in the run, whatever is in the cache.
    Loaded,
}

impl Cell {
    /// Describes the condition.
    pub fn name(self) -> &'static str {
        match self {
            Cell::ColdAlone => "alone, cold cache",
            Cell::CachedAlone => "alone, cached",
            Cell::ColdLoaded => "loaded, cold cache",
            Cell::CachedLoaded => "loaded, cached",
            Cell::Alone => "alone, cache not controlled",
            Cell::Loaded => "loaded, cache not controlled",
        }
    }
}

/// A trial that was asked again: a line of `audit.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AuditLine {
    /// Id of the item.
    pub id: String,
    /// Changed presentation, as in the record; absent for the unchanged one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The canonical option that each slot showed, as in the record.
    pub order: Vec<usize>,
    /// How often the order was drawn, as in the record.
    pub count: usize,
    /// Index of the reply, as in the record; absent if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// Condition under which it was asked: `cold-alone`, `cached-alone`, `cold-loaded`, `cached-loaded`; `alone` and
    /// `loaded` where the cache is not controlled.
    pub cell: Cell,
    /// Base address of the server that was asked; absent if the run has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Scores in nats by canonical option, from which the choice is made: log-likelihoods of labels, means over tokens
    /// of texts, log-odds of a label set. Null where a reply was written or a label has no value.
    pub scores: Option<Vec<f64>>,
    /// The reply, if one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Canonical options chosen; null without an answer.
    pub choice: Option<Vec<usize>>,
    /// Tokens of prompts and replies.
    pub tokens: usize,
    /// Prompt tokens from the server's cache; absent if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<usize>,
    /// Why there is no answer; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl AuditLine {
    pub(super) fn key(&self) -> TrialKey {
        let AuditLine { id, condition, order, count, sample, .. } = self;
        let (id, condition, order) = (id.clone(), condition.clone(), order.clone());
        TrialKey { id, condition, order, count: *count, sample: *sample }
    }
}
