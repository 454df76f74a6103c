//! Means over items that share stories.
//!
//! Answers to questions about one story are not independent, so the number of observations is less than the number of
//! items. The variance of a mean is estimated from the sums of its deviations by story (Liang and Zeger 1986), with the
//! correction G / (G - 1) for G stories. Quantiles are Student's t with G - 1 degrees of freedom instead of normal,
//! because intervals from few stories would otherwise be too narrow (Cameron and Miller 2015, section VI). With one
//! item per story, this is the paired t test.

use super::student::{exceeded_by, upper_tail};
use super::wilson;

/// A mean over items that share stories, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredMean {
    /// The mean over items.
    pub mean: f64,
    /// Number of items.
    pub items: usize,
    /// Number of stories.
    pub stories: usize,
    /// Cluster-robust standard error of the mean; zero if all stories are alike.
    pub standard_error: f64,
    /// Variance of the mean over its variance if items were independent (Kish 1965); `None` if the latter is zero.
    pub design_effect: Option<f64>,
}

/// Mean of `values`, where `stories` has the story of each as a number. `None` for fewer than two stories, whose
/// variation is unknown, or lists of unequal length.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// use tomeval::clustered_mean;
/// let changes = [1.0, 0.0, 0.0, -1.0, 1.0, 1.0];
/// let mean = clustered_mean(&changes, &[0, 0, 1, 1, 2, 2]).unwrap();
/// assert_eq!((mean.items, mean.stories), (6, 3));
/// ```
pub fn clustered_mean(values: &[f64], stories: &[usize]) -> Option<ClusteredMean> {
    if values.len() != stories.len() || values.is_empty() {
        return None;
    }
    let items = values.len() as f64;
    let mean = values.iter().sum::<f64>() / items;
    let mut by_story: Vec<Option<f64>> = vec![None; stories.iter().max()? + 1];
    for (value, &story) in values.iter().zip(stories) {
        *by_story[story].get_or_insert(0.0) += value - mean;
    }
    let count = by_story.iter().flatten().count();
    if count < 2 {
        return None;
    }
    let groups = count as f64;
    // Sums that are nonzero only by rounding count as zero.
    let rounding = f64::EPSILON * items;
    let squares = by_story.iter().flatten().filter(|sum| sum.abs() > rounding);
    // Starts from 0, since an empty sum is -0.
    let squares = squares.fold(0.0, |sum, deviation| sum + deviation * deviation);
    let variance = groups / (groups - 1.0) * squares / (items * items);
    let independent = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (items - 1.0) / items;
    Some(ClusteredMean {
        mean,
        items: values.len(),
        stories: count,
        standard_error: variance.sqrt(),
        design_effect: (independent > 0.0).then(|| variance / independent),
    })
}

impl ClusteredMean {
    /// Degrees of freedom of all quantiles below.
    fn freedom(&self) -> f64 {
        self.stories as f64 - 1.0
    }

    /// 95 % interval of a difference of two shares, hence within -1 and 1. If all stories are alike, so that their
    /// variation is unknown, it allows for the largest share of different stories of which none might have been seen
    /// (Wilson), each as far away as possible.
    pub fn interval(&self) -> (f64, f64) {
        self.between(0.025)
    }

    /// The 90 % interval. Where stories differ, it lies within a margin if [`ClusteredMean::equivalence`] is below 0.05.
    pub fn interval_90(&self) -> (f64, f64) {
        self.between(0.05)
    }

    fn between(&self, tail: f64) -> (f64, f64) {
        if self.standard_error > 0.0 {
            let half = exceeded_by(tail, self.freedom()) * self.standard_error;
            return ((self.mean - half).max(-1.0), (self.mean + half).min(1.0));
        }
        let others = wilson(0, self.stories).map_or(1.0, |(_, high)| high);
        (self.mean - others * (1.0 + self.mean), self.mean + others * (1.0 - self.mean))
    }

    /// 95 % interval of a mean of unbounded values. If all stories are alike, it has zero width.
    pub fn unbounded_interval(&self) -> (f64, f64) {
        let half = exceeded_by(0.025, self.freedom()) * self.standard_error;
        (self.mean - half, self.mean + half)
    }

    /// Two-sided p-value of the test that the true mean is zero; `None` if the standard error is zero.
    pub fn p_value(&self) -> Option<f64> {
        (self.standard_error > 0.0).then(|| 2.0 * upper_tail((self.mean / self.standard_error).abs(), self.freedom()))
    }

    /// P-value of the two one-sided tests that the difference is beyond -`margin` or `margin` (Schuirmann 1987): below
    /// 0.05, the 90 % interval lies within the margin. If no story shows any change, the probability of seeing none if
    /// a share of stories as large as the margin changed.
    pub fn equivalence(&self, margin: f64) -> f64 {
        if self.standard_error > 0.0 {
            let tail = |distance: f64| upper_tail(distance / self.standard_error, self.freedom());
            return tail(self.mean + margin).max(tail(margin - self.mean));
        }
        match self.mean.abs() < margin {
            true => (1.0 - (margin - self.mean.abs()).min(1.0)).powi(i32::try_from(self.stories).unwrap_or(i32::MAX)),
            false => 1.0,
        }
    }

    /// Smallest true difference that a two-sided test at 5 % detects with 80 % power: the standard error times the sum
    /// of the t quantiles of 0.975 and 0.8 (Bloom 1995). `None` if the standard error is zero.
    pub fn detectable(&self) -> Option<f64> {
        let quantiles = || exceeded_by(0.025, self.freedom()) + exceeded_by(0.2, self.freedom());
        (self.standard_error > 0.0).then(|| self.standard_error * quantiles())
    }
}

/// 95 % interval of a share over items that share stories: Wilson's formula with the effective number of items (their
/// number over the design effect) and Student's quantile instead of the normal one (Dean and Pagano 2015). A design
/// effect below 1 counts as 1, so the interval is never narrower than for independent items. If all answers are right,
/// or all wrong, Wilson's interval over stories; if all stories have another share in common, the number of items.
/// `None` if [`clustered_mean`] is.
pub fn clustered_wilson(share: &ClusteredMean) -> Option<(f64, f64)> {
    let design = share.design_effect.filter(|_| share.standard_error > 0.0);
    let Some(design) = design else {
        return match share.mean {
            0.0 => wilson(0, share.stories),
            1.0 => wilson(share.stories, share.stories),
            // The same share in every story, other than 0 and 1.
            _ => Some(score_interval(share.mean, share.items as f64, exceeded_by(0.025, share.freedom()))),
        };
    };
    let effective = share.items as f64 / design.max(1.0);
    Some(score_interval(share.mean, effective, exceeded_by(0.025, share.freedom())))
}

impl ClusteredMean {
    /// Number of independent answers that a share is worth: the items over the design effect, which counts as at least 1;
    /// the stories where all are alike.
    fn effective(&self) -> f64 {
        match self.design_effect.filter(|_| self.standard_error > 0.0) {
            Some(design) => self.items as f64 / design.max(1.0),
            None => self.stories as f64,
        }
    }

    /// P-value of the one-sided score test that the true share is at most `bound`, with the effective number of items
    /// and Student's t (see [`clustered_wilson`]).
    pub fn p_above(&self, bound: f64) -> f64 {
        if bound >= 1.0 {
            return 1.0;
        }
        let spread = (bound.max(f64::EPSILON) * (1.0 - bound) / self.effective()).sqrt();
        upper_tail((self.mean - bound) / spread, self.freedom())
    }

    /// The lower bound of a share that is above the truth with probability `tail`: [`ClusteredMean::p_above`] inverted.
    pub fn lower_bound(&self, tail: f64) -> f64 {
        score_interval(self.mean, self.effective(), exceeded_by(tail, self.freedom())).0
    }
}

pub(super) fn score_interval(share: f64, n: f64, quantile: f64) -> (f64, f64) {
    let square = quantile * quantile;
    let spread = quantile * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let (center, scale) = (share + square / (2.0 * n), 1.0 + square / n);
    ((center - spread) / scale, (center + spread) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_bound_is_where_the_test_turns() {
        for share in [30, 70, 100] {
            let values: Vec<f64> = (0..100).map(|item| f64::from(item % 10 * 10 < share)).collect();
            let stories: Vec<usize> = (0..100).map(|item| item / 2).collect();
            let mean = clustered_mean(&values, &stories).unwrap();
            for tail in [0.05, 0.001] {
                let bound = mean.lower_bound(tail);
                assert!(bound < mean.mean && (mean.p_above(bound) - tail).abs() < 1e-9, "{bound}");
            }
            assert!(mean.p_above(mean.mean + 0.01) > 0.5 && mean.p_above(1.0) == 1.0);
        }
    }

    #[test]
    fn fully_dependent_questions_count_as_their_stories() {
        // 71 questions per context, all answered alike: 1,100 contexts, not 78,100 questions.
        let right = |story: usize| f64::from(story * 10_000 / 1100 % 100 < 54);
        let stories: Vec<usize> = (0..78_100).map(|item| item / 71).collect();
        let values: Vec<f64> = stories.iter().map(|&story| right(story)).collect();
        let many = clustered_mean(&values, &stories).unwrap();
        let contexts: Vec<usize> = (0..1100).collect();
        let few = clustered_mean(&contexts.iter().map(|&story| right(story)).collect::<Vec<_>>(), &contexts).unwrap();
        assert!((many.standard_error - few.standard_error).abs() < 1e-12);
        assert!((many.design_effect.unwrap() - 71.0).abs() < 0.1);
        let ((low, high), (few_low, few_high)) = (clustered_wilson(&many).unwrap(), clustered_wilson(&few).unwrap());
        assert!((low - few_low).abs() < 1e-4 && (high - few_high).abs() < 1e-4, "{low} {high} {few_low} {few_high}");
    }

    #[test]
    fn sides_that_never_differ_are_as_sure_as_their_number() {
        let none = |stories: usize| clustered_mean(&vec![0.0; stories], &(0..stories).collect::<Vec<_>>()).unwrap();
        let (low, high) = none(300).interval();
        assert!(low == -high && high > 0.01 && high < 0.02, "{low} {high}");
        assert!(none(10).interval().1 > 0.2);
        assert!((none(40).equivalence(0.05) - 0.95f64.powi(40)).abs() < 1e-12);
        assert_eq!((none(40).detectable(), none(40).design_effect), (None, None));
        let all = clustered_mean(&[1.0; 20], &(0..20).collect::<Vec<_>>()).unwrap();
        assert_eq!((all.interval().1, all.equivalence(0.05)), (1.0, 1.0));
        assert_eq!(clustered_wilson(&all), wilson(20, 20));
    }

    #[test]
    fn one_story_shows_nothing() {
        assert_eq!(clustered_mean(&[1.0, 0.0], &[3, 3]), None);
        assert_eq!(clustered_mean(&[], &[]), None);
        assert_eq!(clustered_mean(&[1.0, 0.0], &[0]), None);
    }

    #[test]
    fn stories_that_are_all_half_right_are_no_surer_than_independent_items() {
        let stories: Vec<usize> = (0..40).map(|item| item / 2).collect();
        let values: Vec<f64> = (0..40).map(|item| f64::from(item % 2)).collect();
        let share = clustered_mean(&values, &stories).unwrap();
        assert_eq!(share.standard_error, 0.0);
        let ((low, high), (least, most)) = (clustered_wilson(&share).unwrap(), wilson(20, 40).unwrap());
        assert!(low < least && high > most && high < 0.7, "{low} {high}");
    }
}
