//! Results of a comparison: the content of `compare --json`. Shares are in percent and differences in percentage
//! points; values that cannot be computed are `null`.

use crate::benchmark::Benchmark;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Format version of the comparisons this program writes.
pub const VERSION: u32 = 1;

/// A comparison of two or more sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Format version of comparisons, 1.
    pub version: u32,
    /// Items compared, by benchmark.
    pub benchmarks: IndexMap<Benchmark, usize>,
    /// Properties in which the sides differ: `language`, `variant`, `style` or `condition`; items are paired regardless
    /// of these.
    pub differs: Vec<String>,
    /// Differences below this count as zero (`--margin`).
    pub margin: f64,
    /// Number of rows by facet, over all pairs of sides: their `p_holm` and `p_bh` are adjusted for this number.
    pub family: usize,
    /// The sides; every other one is compared with the first, or with the first of its model (`--between`).
    pub sides: Vec<SideResult>,
    /// Differences by pair of sides: over all items, then by facet.
    pub rows: Vec<ComparisonRow>,
    /// Further results for each pair of sides.
    pub pairs: Vec<PairResult>,
}

impl Comparison {
    /// The document as JSON: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("comparisons hold only strings, numbers and lists");
        json.push('\n');
        json
    }

    /// Whether items were skipped because all their trials failed.
    pub fn has_failures(&self) -> bool {
        self.sides.iter().any(|side| side.failed > 0)
    }
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SideResult {
    /// Name of the side.
    pub label: String,
    /// How its answers were obtained, for instance `letters`.
    pub answers: String,
    /// Items compared.
    pub items: usize,
    /// Share of them answered correctly.
    pub accuracy: f64,
    /// Items among them without a choice; they count as wrong.
    pub unanswered: usize,
    /// Items skipped because every trial failed on this side.
    pub failed: usize,
    /// Items skipped because they are not the same on all sides (`--common`).
    pub fell_out: usize,
    /// The first of these.
    pub first_fell_out: Vec<String>,
    /// Agreement of its choices over option orders; null if items were shown in only one order.
    pub orders: Option<OrderAgreement>,
}

/// Agreement of one side's choices over option orders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderAgreement {
    /// Items with a choice in `orders` distinct orders.
    pub items: usize,
    /// The most frequent number of distinct orders above one.
    pub orders: usize,
    /// Share of these items with different answers in some orders.
    pub changing: f64,
    /// Expected share if orders were answered independently, with the same accuracy and all wrong answers equally
    /// likely.
    pub changing_expected: f64,
    /// Fleiss' kappa with orders as raters; null if all choices are the same option.
    pub kappa: Option<f64>,
}

/// A difference: over all items, or over those with a value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComparisonRow {
    /// The facet; `all` for all items.
    pub facet: String,
    /// Its value.
    pub value: String,
    /// Name of the first side.
    pub side_a: String,
    /// Name of the second side.
    pub side_b: String,
    /// Number of items.
    pub n: usize,
    /// Number of their stories.
    pub stories: usize,
    /// Accuracy of the first side.
    pub a: f64,
    /// Accuracy of the second side.
    pub b: f64,
    /// `b` minus `a`.
    pub difference: f64,
    /// Its 95 % interval, clustered by story: low, then high; null below six stories, and for a headline if a part
    /// has fewer than five.
    pub interval: Option<(f64, f64)>,
    /// Exact two-sided p-value of McNemar's test.
    pub p: f64,
    /// Exact two-sided p-value of flipping the signs of the stories' sums.
    pub p_stories: f64,
    /// `p_stories`, adjusted by Holm's method for `family` tests. For rows over all items, adjusted for the number of
    /// these rows; null with two sides.
    pub p_holm: Option<f64>,
    /// The same, adjusted by Benjamini and Hochberg's method.
    pub p_bh: Option<f64>,
    /// Items that the first side answers correctly and the second incorrectly.
    pub right_to_wrong: usize,
    /// Items that the first side answers incorrectly and the second correctly.
    pub wrong_to_right: usize,
    /// P-value of the two one-sided tests that the difference is at least the margin, clustered by story; exact
    /// below ten changed stories.
    pub equivalence_p: Option<f64>,
    /// Smallest true difference detected in 80 % of such comparisons at the 5 % level; null if no story differs from
    /// others, and without an interval.
    pub detectable: Option<f64>,
    /// Variance of the difference relative to independent items; null if no item differs.
    pub design_effect: Option<f64>,
}

/// Further results for a pair of sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairResult {
    /// Name of the first side.
    pub a: String,
    /// Name of the second side.
    pub b: String,
    /// Verdict in words on the headlines, or on the row over all items without headlines.
    pub verdict: String,
    /// The headline figures of the sides' reports, one per row; for a stratified sample (`--limit`) with unequal
    /// strata, also the mean over items weighted as in the whole benchmark. Empty if the headline is not a mean of
    /// right answers, or lacks a part.
    pub headlines: Vec<ComparisonRow>,
    /// Agreement of their choices.
    pub agreement: ChoiceAgreement,
    /// Changes of log-probabilities; null if the sides differ in style or scoring, or have no log-probabilities.
    pub scores: Option<ScoreChange>,
    /// Tests over the values of a facet with at least six values, each counted once.
    pub trends: Vec<Trend>,
    /// Items that only one side answers correctly, at most `--flips` of them; empty without it.
    pub flips: Vec<Flip>,
}

/// Agreement of two sides' choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChoiceAgreement {
    /// Items on which both have a choice and the right answer is the same option.
    pub items: usize,
    /// Share of them with the same choice; null without any.
    pub same: Option<f64>,
    /// Expected share if the sides were independent, with their accuracies by number of possible answers and all wrong
    /// answers equally likely.
    pub same_expected: Option<f64>,
    /// Cohen's kappa; null if undefined.
    pub kappa: Option<f64>,
    /// Kappa with `same_expected` in place of `same`.
    pub kappa_expected: Option<f64>,
}

/// Changes of log-probabilities between two sides with the same prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScoreChange {
    /// Prompts compared: items in the same option order.
    pub prompts: usize,
    /// Options scored in them.
    pub options: usize,
    /// Mean absolute change of an option's score, in nats.
    pub mean: f64,
    /// Largest absolute change, in nats.
    pub largest: f64,
    /// Id of the item with that change.
    pub largest_at: String,
    /// Prompts with different choices.
    pub choice_flips: usize,
    /// Items with different votes.
    pub vote_flips: usize,
}

/// Two tests on paired differences of accuracies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Trend {
    /// The facet, or `cells`.
    pub over: String,
    /// Number of differences, second minus first.
    pub pairs: usize,
    /// Number of zero differences; the signed-rank test excludes them.
    pub zeros: usize,
    /// Their mean, second side minus first, in percentage points.
    pub mean: f64,
    /// Kolmogorov-Smirnov distance from the normal distribution with their mean and standard deviation; null if all are
    /// equal.
    pub normality_statistic: Option<f64>,
    /// Exact p-value of that distance; too large, since mean and deviation are estimated from the differences.
    pub normality_p: Option<f64>,
    /// Smaller rank sum of Wilcoxon's signed-rank test; null if all differences are zero.
    pub rank_statistic: Option<f64>,
    /// Its two-sided p-value.
    pub rank_p: Option<f64>,
    /// Whether it is exact; otherwise the normal approximation, corrected for ties and continuity.
    pub rank_exact: bool,
}

/// An item that one side answers correctly and the other incorrectly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flip {
    /// Its id on the first side.
    pub id: String,
    /// Its id on the second side, which differs if languages or variants differ.
    pub id_b: String,
    /// Style of the prompt on the first side.
    pub style: String,
    /// Changed presentation on the first side; null for the unchanged one.
    pub condition: Option<String>,
    /// The right options, from 0, in canonical order.
    pub gold: Vec<usize>,
    /// Choice of the first side; null for no answer.
    pub a: Option<Vec<usize>>,
    /// Choice of the second side.
    pub b: Option<Vec<usize>>,
    /// Whether the first side is right.
    pub right_to_wrong: bool,
    /// Probability of the right answer on the second side minus that on the first; null unless both have scores.
    pub probability_change: Option<f64>,
}
