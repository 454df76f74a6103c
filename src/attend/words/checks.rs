//! Deletion checks as a document holds them.

use serde::{Deserialize, Serialize};

/// A deletion check: the choice without some words, and with no others, beside random words. Falls are of the log-odds of the
/// chosen option among the options shown, in nats.
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
    /// In what random sets are like them, beside the number of word types: `tokens`, `place`, `function-words`.
    pub matched: Vec<String>,
    /// Mean number of tokens of random sets.
    pub random_tokens: f64,
    /// Mean number of tested word types in random sets.
    pub shared: f64,
    /// Without the words (comprehensiveness): a large fall speaks for them.
    pub without: EffectRecord,
    /// With no other words of the scope (sufficiency): a small fall speaks for them.
    pub only: EffectRecord,
}

/// What a change of the prompt does to the choice, beside the same change with random words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EffectRecord {
    /// Fall of the log-odds of the chosen option among the options shown, nats.
    pub fall: f64,
    /// Its probability among the options shown, after the change.
    pub probability: f64,
    /// Probability of all labels together, after the change.
    pub label_mass: f64,
    /// Whether another option is then the likeliest.
    pub flips: bool,
    /// Falls for random sets, in the order of their draws.
    pub random: Vec<f64>,
    /// How many of these, from the first, the following describe.
    pub described: usize,
    /// Mean fall.
    pub mean: f64,
    /// Middle 95 % of the falls.
    pub interval: (f64, f64),
    /// The fall that 5 % of these reach.
    pub rare: f64,
    /// Random sets among these after which another option is the likeliest.
    pub random_flips: usize,
    /// One-sided p value of the sequential Monte Carlo test (Besag and Clifford 1991).
    pub p: f64,
    /// The smallest p that it could have given.
    pub smallest_p: f64,
    /// Draws that p is of: all, or those up to the tenth that reached the tested words.
    pub counted: usize,
    /// Whether it ended before all draws were made.
    pub ended_early: bool,
}

/// Deletion checks of a group: falls without the keywords, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChecksRecord {
    /// How many were made.
    pub items: usize,
    /// Number of stories they are about.
    pub stories: usize,
    /// Mean fall without the keywords, nats.
    pub keywords: f64,
    /// Mean fall without random words.
    pub random: f64,
    /// 95 % interval of the mean difference of the two, clustered by story; null for fewer than two stories.
    pub difference: Option<(f64, f64)>,
    /// Cases with p below 0.05.
    pub leaning: usize,
    /// How many of them chance alone would give.
    pub expected: f64,
    /// Cases in which another option is the likeliest without the keywords.
    pub flips: usize,
    /// Mean share of random sets after which that is so.
    pub random_flips: f64,
}
