//! Tests over columns: are the differences between two sides, task by task, normally distributed and centred on zero?
//! ToMBench (section 4.2) compares its languages in this way: a Kolmogorov-Smirnov test for normality, then Wilcoxon's
//! signed-rank test. A column counts once, regardless of its number of items.

use indexmap::IndexMap;

use super::row::ALL;
use super::{ComparisonRow, Trend};
use crate::stats::{PMethod, SignedRank, ZeroMethod, ks_normal, wilcoxon};

/// Fewer differences than this cannot reach 5 % under the signed-rank test.
pub(super) const FEWEST: usize = 6;

/// More differences than this use the normal approximation.
const MOST_EXACT: usize = 13;

impl Trend {
    /// The tests on differences; `None` for fewer than six, which cannot be significant at 5 %.
    pub fn new(over: impl Into<String>, differences: &[f64]) -> Option<Self> {
        if differences.len() < FEWEST {
            return None;
        }
        let normality = ks_normal(differences, 1);
        let (ranks, exact) = signed_ranks(differences);
        Some(Trend {
            over: over.into(),
            pairs: differences.len(),
            zeros: differences.iter().filter(|difference| **difference == 0.0).count(),
            mean: differences.iter().sum::<f64>() / differences.len() as f64,
            normality_statistic: normality.map(|test| test.statistic),
            normality_p: normality.map(|test| test.p_value),
            rank_statistic: ranks.map(|test| test.statistic),
            rank_p: ranks.map(|test| test.p_value),
            rank_exact: exact,
        })
    }
}

/// Wilcoxon's test on differences, zeros excluded, and whether it is exact; `None` if all are zero.
pub(super) fn signed_ranks(differences: &[f64]) -> (Option<SignedRank>, bool) {
    let changed: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    let exact = changed.len() <= MOST_EXACT;
    let method = if exact { PMethod::Auto } else { PMethod::Normal { continuity: true } };
    (wilcoxon(&changed, ZeroMethod::Wilcox, method), exact)
}

/// A difference without binary rounding errors: equal differences must be ties.
pub(super) fn without_rounding(difference: f64) -> f64 {
    (difference * 1e6).round() / 1e6
}

/// The tests over the values of every facet of the rows.
pub(super) fn trends(rows: &[ComparisonRow]) -> Vec<Trend> {
    let mut by_facet: IndexMap<&str, Vec<f64>> = IndexMap::new();
    for row in rows.iter().filter(|row| row.facet != ALL) {
        by_facet.entry(&row.facet).or_default().push(row.difference);
    }
    by_facet.into_iter().filter_map(|(facet, differences)| Trend::new(facet, &differences)).collect()
}
