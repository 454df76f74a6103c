//! Deletion checks, as stored in a document.

use serde::{Deserialize, Serialize};

use crate::attend::measure::TokensRead;

/// A deletion check: the choice without some words, and with only those words, compared with random words. Falls are of
/// the chosen option's log-odds among the options shown, in nats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeletionRecord {
    /// Label of the chosen option.
    pub option: String,
    /// Its log-odds among the options shown for the whole prompt, nats.
    pub log_odds: f64,
    /// Its probability among the options shown.
    pub probability: f64,
    /// Probability of all labels together.
    pub label_mass: f64,
    /// Word types tested.
    pub words: usize,
    /// Their occurrences.
    pub occurrences: usize,
    /// Their tokens.
    pub tokens: f64,
    /// Properties matched by random sets besides the number of word types: `tokens`, `place`, `function-words`.
    pub matched: Vec<String>,
    /// Mean number of tokens of random sets.
    pub random_tokens: f64,
    /// Mean number of tested word types in random sets.
    pub shared: f64,
    /// Tokens of all prompts of the check, and those of them that were forwarded: prompts share their beginnings.
    #[serde(default)]
    pub tokens_read: TokensRead,
    /// Without the words (comprehensiveness): a large fall supports them.
    pub without: EffectRecord,
    /// With no other words of the scope (sufficiency): a small fall supports them.
    pub only: EffectRecord,
}

/// Effect of a change of the prompt on the choice, compared with the same change for random words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EffectRecord {
    /// Fall of the log-odds of the chosen option among the options shown, nats.
    pub fall: f64,
    /// Its probability among the options shown, after the change.
    pub probability: f64,
    /// Probability of all labels together, after the change.
    pub label_mass: f64,
    /// Whether another option becomes the likeliest.
    pub flips: bool,
    /// Falls for random sets, in the order of their draws.
    pub random: Vec<f64>,
    /// Number of these, from the first, that the following statistics cover.
    pub described: usize,
    /// Mean fall.
    pub mean: f64,
    /// Middle 95 % of the falls.
    pub interval: (f64, f64),
    /// The fall that 5 % of these reach.
    pub rare: f64,
    /// Random sets among these that make another option the likeliest.
    pub random_flips: usize,
    /// One-sided p value of the sequential Monte Carlo test (Besag and Clifford 1991).
    pub p: f64,
    /// The smallest possible p.
    pub smallest_p: f64,
    /// Draws that p is based on: all, or those up to the tenth that reached the tested words.
    pub counted: usize,
    /// Whether the test ended before all draws were made.
    pub ended_early: bool,
}

/// Deletion checks of a group: falls without the keywords, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChecksRecord {
    /// Number of checks.
    pub items: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Mean fall without the keywords, nats.
    pub keywords: f64,
    /// Mean fall without random words.
    pub random: f64,
    /// 95 % interval of the mean difference of the two, clustered by story; null for fewer than two stories.
    pub difference: Option<(f64, f64)>,
    /// Cases with p below 0.05.
    pub leaning: usize,
    /// Expected number of these by chance.
    pub expected: f64,
    /// Cases in which another option becomes the likeliest without the keywords.
    pub flips: usize,
    /// Mean share of random sets that make another option the likeliest.
    pub random_flips: f64,
}
