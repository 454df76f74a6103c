//! Area under the receiver operating characteristic: the chance that a positive case has a higher score than a negative
//! one, ties counted one half.
//!
//! Cases of one story are not independent. The variance over stories is that of Obuchowski 1997 ("Nonparametric Analysis
//! of Clustered ROC Curve Data", Biometrics 53): of sums by story of the placements of DeLong et al. 1988. With one case a
//! story it is DeLong's.

use super::FEWEST_STORIES;
use super::student::exceeded_by;

/// An area with its uncertainty over stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredAuc {
    /// The area, from 0 to 1.
    pub auc: f64,
    /// Standard error over stories; `None` for fewer than two stories with positive or with negative cases.
    pub standard_error: Option<f64>,
    /// 95 % interval, symmetric in log-odds, with Student's quantile; `None` without a standard error, for fewer than
    /// [`FEWEST_STORIES`] stories, and where all pairs are on one side.
    pub interval: Option<(f64, f64)>,
}

/// The area of positive and negative scores; `None` if either is empty.
pub fn auc(positive: &[f64], negative: &[f64]) -> Option<f64> {
    let shares = placements(positive, negative)?;
    Some(shares.iter().sum::<f64>() / shares.len() as f64)
}

/// The share of `others` below each score, ties counted one half.
fn placements(scores: &[f64], others: &[f64]) -> Option<Vec<f64>> {
    if scores.is_empty() || others.is_empty() {
        return None;
    }
    let mut sorted = others.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = |score: &f64| {
        let below = sorted.partition_point(|other| other < score);
        let up_to = sorted.partition_point(|other| other <= score);
        (below + up_to) as f64 / 2.0 / sorted.len() as f64
    };
    Some(scores.iter().map(share).collect())
}

/// The area of scores whose labels say which are positive, where `stories` has the story of each as a number. `None`
/// without both kinds, or for lists of unequal length.
pub fn clustered_auc(scores: &[f64], labels: &[bool], stories: &[usize]) -> Option<ClusteredAuc> {
    if scores.len() != labels.len() || scores.len() != stories.len() {
        return None;
    }
    let of = |label: bool| -> (Vec<f64>, Vec<usize>) {
        (0..scores.len()).filter(|&case| labels[case] == label).map(|case| (scores[case], stories[case])).unzip()
    };
    let ((positive, of_positive), (negative, of_negative)) = (of(true), of(false));
    let above = placements(&positive, &negative)?;
    let below: Vec<f64> = placements(&negative, &positive)?.into_iter().map(|share| 1.0 - share).collect();
    let auc = above.iter().sum::<f64>() / above.len() as f64;
    // By story, the sums of deviations of positive and negative cases.
    let mut sums: Vec<[Option<f64>; 2]> = vec![[None; 2]; stories.iter().max()? + 1];
    for (kind, (shares, stories)) in [(&above, &of_positive), (&below, &of_negative)].into_iter().enumerate() {
        for (share, &story) in shares.iter().zip(stories) {
            *sums[story][kind].get_or_insert(0.0) += share - auc;
        }
    }
    let count = |has: fn(&[Option<f64>; 2]) -> bool| sums.iter().filter(|sum| has(sum)).count() as f64;
    let (all, with) = (
        count(|sum| sum[0].is_some() || sum[1].is_some()),
        [count(|sum| sum[0].is_some()), count(|sum| sum[1].is_some())],
    );
    let standard_error = (with[0] >= 2.0 && with[1] >= 2.0).then(|| {
        let cases = [positive.len() as f64, negative.len() as f64];
        let squares = |kind: usize| sums.iter().filter_map(|sum| sum[kind]).map(|sum| sum * sum).sum::<f64>();
        let own = |kind: usize| with[kind] / (with[kind] - 1.0) * squares(kind) / (cases[kind] * cases[kind]);
        let both = sums.iter().map(|sum| sum[0].unwrap_or(0.0) * sum[1].unwrap_or(0.0)).sum::<f64>();
        let variance = own(0) + own(1) + 2.0 * all / (all - 1.0) * both / (cases[0] * cases[1]);
        variance.max(0.0).sqrt()
    });
    let odds = auc * (1.0 - auc);
    let interval = standard_error.filter(|_| all >= FEWEST_STORIES as f64 && odds > 0.0).map(|error| {
        let half = exceeded_by(0.025, all - 1.0) * error / odds;
        let at = |log_odds: f64| 1.0 / (1.0 + (-log_odds).exp());
        let middle = (auc / (1.0 - auc)).ln();
        (at(middle - half), at(middle + half))
    });
    Some(ClusteredAuc { auc, standard_error, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_count_one_half_and_both_kinds_are_needed() {
        assert_eq!(auc(&[3.0, 2.0], &[1.0, 2.0]), Some(3.5 / 4.0));
        assert_eq!(auc(&[1.0], &[2.0]), Some(0.0));
        assert_eq!(auc(&[-0.0], &[0.0]), Some(0.5));
        assert_eq!((auc(&[], &[1.0]), auc(&[1.0], &[])), (None, None));
        assert_eq!(clustered_auc(&[1.0, 2.0], &[true, true], &[0, 1]), None);
    }

    #[test]
    fn one_side_has_no_interval_and_few_stories_have_none() {
        let labels: Vec<bool> = (0..20).map(|case| case % 2 == 0).collect();
        let scores: Vec<f64> = labels.iter().map(|&label| f64::from(u8::from(label))).collect();
        let stories: Vec<usize> = (0..20).map(|case| case / 2).collect();
        assert_eq!(clustered_auc(&scores, &labels, &stories).unwrap().interval, None);
        let some: Vec<f64> = (0..20).map(|case| f64::from(case * 7 % 11)).collect();
        assert!(clustered_auc(&some, &labels, &stories).unwrap().interval.is_some());
        let few: Vec<usize> = (0..20).map(|case| case / 5).collect();
        assert_eq!(clustered_auc(&some, &labels, &few).unwrap().interval, None);
    }
}
