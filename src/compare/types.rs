//! Results of a comparison: the content of `compare --json`. Shares are in percent and differences in percentage points;
//! what cannot be computed is `null`.

use crate::benchmark::Benchmark;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Format version of the comparisons this program writes.
pub const VERSION: u32 = 1;

/// Two or more sides beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Format version of comparisons, 1.
    pub version: u32,
    /// Items compared, by benchmark.
    pub benchmarks: IndexMap<Benchmark, usize>,
    /// What sides differ in of `language`, `variant`, `style` and `condition`; items are paired whatever these are.
    pub differs: Vec<String>,
    /// Differences below this count as none (`--margin`).
    pub margin: f64,
    /// How many rows by facet there are, over all pairs of sides: `p_holm` and `p_bh` of these are adjusted for that
    /// many.
    pub family: usize,
    /// The sides; every other one is compared with the first.
    pub sides: Vec<SideResult>,
    /// Differences, one pair of sides after the other: over all items, then by facet.
    pub rows: Vec<ComparisonRow>,
    /// What else there is to say of each pair of sides.
    pub pairs: Vec<PairResult>,
}

impl Comparison {
    /// The document as JSON: indented, keys in a fixed order, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("comparisons hold only strings, numbers and lists");
        json.push('\n');
        json
    }

    /// Whether items had to be left out because all their trials failed.
    pub fn has_failures(&self) -> bool {
        self.sides.iter().any(|side| side.failed > 0)
    }
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SideResult {
    /// What it is called.
    pub label: String,
    /// How its answers came about, for instance `letters`.
    pub answers: String,
    /// Items compared.
    pub items: usize,
    /// Share of them that is right.
    pub accuracy: f64,
    /// Items among them without a choice; they count as wrong.
    pub unanswered: usize,
    /// Items left out because every trial failed on this side.
    pub failed: usize,
    /// Items left out because not all sides were asked them alike (`--common`).
    pub fell_out: usize,
    /// The first of these.
    pub first_fell_out: Vec<String>,
    /// How far its choices agree over option orders; null where items were seen in one order only.
    pub orders: Option<OrderAgreement>,
}

/// How far the choices of one side agree over the option orders of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderAgreement {
    /// Items with a choice in `orders` distinct orders.
    pub items: usize,
    /// The most frequent number of distinct orders above one.
    pub orders: usize,
    /// Share of these items that is answered differently in some order.
    pub changing: f64,
    /// That share if orders were answered independently, each as often rightly as they are, with all wrong answers
    /// alike.
    pub changing_expected: f64,
    /// Fleiss' kappa with orders as raters; null where all choices are the same option.
    pub kappa: Option<f64>,
}

/// A difference: over all items, or over those with a value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComparisonRow {
    /// The facet; `all` over all items.
    pub facet: String,
    /// Its value.
    pub value: String,
    /// Name of the first side.
    pub side_a: String,
    /// Name of the second side.
    pub side_b: String,
    /// Number of items.
    pub n: usize,
    /// Number of stories they belong to.
    pub stories: usize,
    /// Accuracy of the first side.
    pub a: f64,
    /// Accuracy of the second side.
    pub b: f64,
    /// `b` minus `a`.
    pub difference: f64,
    /// Its 95 % interval, clustered by story: low, then high; null below six stories, and of a headline where a part
    /// has fewer than five.
    pub interval: Option<(f64, f64)>,
    /// Exact two-sided p-value of McNemar's test.
    pub p: f64,
    /// Exact two-sided p-value of flipping the signs of the stories' sums.
    pub p_stories: f64,
    /// `p_stories`, adjusted by Holm's method for `family` tests. Of rows over all items, adjusted for the number of
    /// these; null with two sides.
    pub p_holm: Option<f64>,
    /// The same, adjusted by Benjamini and Hochberg's method.
    pub p_bh: Option<f64>,
    /// Items that the first side has right and the second wrong.
    pub right_to_wrong: usize,
    /// Items that the first side has wrong and the second right.
    pub wrong_to_right: usize,
    /// P-value of the two one-sided tests that the difference is as large as the margin, clustered by story; exact
    /// below ten changed stories.
    pub equivalence_p: Option<f64>,
    /// Smallest true difference that is found in 80 % of such comparisons at 5 %; null where no story differs from
    /// others, and without an interval.
    pub detectable: Option<f64>,
    /// Variance of the difference over that of independent items; null where no item differs.
    pub design_effect: Option<f64>,
}

/// What else there is to say of a pair of sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairResult {
    /// Name of the first side.
    pub a: String,
    /// Name of the second side.
    pub b: String,
    /// What the headlines say, in words, or the row over all items where there are none.
    pub verdict: String,
    /// The figures that the reports of the sides begin with, one for each row that these have; of a stratified sample
    /// (`--limit`) in which strata do not count as in the whole, also the mean over items in which they do. Empty where
    /// the headline is no mean of right answers, or lacks a part.
    pub headlines: Vec<ComparisonRow>,
    /// Whether they choose the same.
    pub agreement: ChoiceAgreement,
    /// How far log-probabilities moved; null where the sides were not asked in the same style and scored in the same
    /// way, or have none.
    pub scores: Option<ScoreChange>,
    /// Tests over the values of a facet with at least six, each counted once.
    pub trends: Vec<Trend>,
    /// Items that one side alone answers rightly, at most as many as `--flips` asks for; empty without it.
    pub flips: Vec<Flip>,
}

/// Whether two sides choose the same options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChoiceAgreement {
    /// Items on which both have a choice and the right answer is the same option.
    pub items: usize,
    /// Share of them with the same choice; null without any.
    pub same: Option<f64>,
    /// That share if the sides were independent, each as often right as it is among items with as many answers to
    /// choose from, with all wrong answers alike.
    pub same_expected: Option<f64>,
    /// Cohen's kappa; null where it is undefined.
    pub kappa: Option<f64>,
    /// Kappa with `same_expected` in the place of `same`.
    pub kappa_expected: Option<f64>,
}

/// How far log-probabilities moved between two sides that were asked the same prompts.
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
    /// Id of the item where it is.
    pub largest_at: String,
    /// Prompts with another choice.
    pub choice_flips: usize,
    /// Items with another vote.
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
    /// How many of them are zero; the signed-rank test leaves them out.
    pub zeros: usize,
    /// Their mean, second side minus first, in percentage points.
    pub mean: f64,
    /// Kolmogorov and Smirnov's distance from the normal distribution with their mean and deviation; null where all are
    /// equal.
    pub normality_statistic: Option<f64>,
    /// P-value of that distance (Kolmogorov and Smirnov, exact); too large, as mean and deviation are theirs.
    pub normality_p: Option<f64>,
    /// Smaller rank sum of Wilcoxon's signed-rank test; null where all differences are zero.
    pub rank_statistic: Option<f64>,
    /// Its two-sided p-value.
    pub rank_p: Option<f64>,
    /// Whether that is exact; otherwise normal, corrected for ties and continuity.
    pub rank_exact: bool,
}

/// An item that one side answers rightly and the other wrongly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flip {
    /// Its id on the first side.
    pub id: String,
    /// Its id on the second side, which is another where languages or variants differ.
    pub id_b: String,
    /// Style of the prompt on the first side.
    pub style: String,
    /// Changed presentation on the first side; null for the plain one.
    pub condition: Option<String>,
    /// The right options, from 0, in canonical order.
    pub gold: Vec<usize>,
    /// What the first side chose; null for no answer.
    pub a: Option<Vec<usize>>,
    /// What the second side chose.
    pub b: Option<Vec<usize>>,
    /// Whether the first side is right.
    pub right_to_wrong: bool,
    /// Probability of the right answer on the second side minus that on the first; null where not both have scores.
    pub probability_change: Option<f64>,
}
