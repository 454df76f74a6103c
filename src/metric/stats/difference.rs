//! The difference of two means over items that share stories.
//!
//! Each mean has its cluster-robust variance (see [`super::clustered_mean`]); stories with items on both sides give a
//! covariance too. Where no story has both and each has one item, this is Welch's test (Welch 1947); where every story has one
//! item on each side, it is the paired t test.

use std::collections::BTreeMap;

use super::student::{exceeded_by, upper_tail};

/// A difference of means, first minus second, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredDifference {
    /// Mean of the first side.
    pub first: f64,
    /// Mean of the second side.
    pub second: f64,
    /// Cluster-robust standard error of their difference.
    pub standard_error: f64,
    /// Degrees of freedom: Welch and Satterthwaite's over stories where no story is on both sides, else one less than the
    /// stories of the side that has fewer.
    pub freedom: f64,
}

/// The difference of two means, each of `(value, story)`; stories are alike where their numbers are. `None` where a side has
/// fewer than two stories.
///
/// ```
/// use tomeval::metric::stats::clustered_difference;
/// let found = clustered_difference(&[(1.0, 0), (3.0, 1)], &[(0.0, 0), (1.0, 1)]).unwrap();
/// assert_eq!(found.first - found.second, 1.5);
/// ```
pub fn clustered_difference(first: &[(f64, usize)], second: &[(f64, usize)]) -> Option<ClusteredDifference> {
    let (one, other) = (Side::of(first)?, Side::of(second)?);
    let shared: Vec<f64> =
        one.sums.iter().filter_map(|(story, sum)| other.sums.get(story).map(|second| sum * second)).collect();
    let groups = shared.len() as f64;
    let covariance = match shared.len() {
        0 => 0.0,
        // Nothing shows how a single shared story varies with the other side.
        1 => shared[0] / (one.items * other.items),
        _ => groups / (groups - 1.0) * shared.iter().sum::<f64>() / (one.items * other.items),
    };
    let (a, b) = (one.variance(), other.variance());
    let (of_one, of_other) = (one.sums.len() as f64 - 1.0, other.sums.len() as f64 - 1.0);
    let satterthwaite = (a + b).powi(2) / (a * a / of_one + b * b / of_other);
    let freedom = if shared.is_empty() && satterthwaite.is_finite() { satterthwaite } else { of_one.min(of_other) };
    // A variance that rounding alone keeps from zero is zero.
    let variance = a + b - 2.0 * covariance;
    let rounding = (16.0 * f64::EPSILON * one.largest.max(other.largest)).powi(2);
    let variance = if variance > rounding.max(f64::EPSILON * (a + b)) { variance } else { 0.0 };
    Some(ClusteredDifference { first: one.mean, second: other.mean, standard_error: variance.sqrt(), freedom })
}

impl ClusteredDifference {
    /// First minus second.
    pub fn difference(&self) -> f64 {
        self.first - self.second
    }

    /// The 95 % interval of the difference; without width where the standard error is zero.
    pub fn interval(&self) -> (f64, f64) {
        let half = exceeded_by(0.025, self.freedom) * self.standard_error;
        (self.difference() - half, self.difference() + half)
    }

    /// The two-sided p-value of the test that there is no difference; `None` where the standard error is zero.
    pub fn p_value(&self) -> Option<f64> {
        let t = || (self.difference() / self.standard_error).abs();
        (self.standard_error > 0.0).then(|| 2.0 * upper_tail(t(), self.freedom))
    }
}

struct Side {
    mean: f64,
    items: f64,
    /// The largest absolute value.
    largest: f64,
    /// Sums of deviations by story.
    sums: BTreeMap<usize, f64>,
}

impl Side {
    fn of(values: &[(f64, usize)]) -> Option<Side> {
        let items = values.len() as f64;
        let mean = values.iter().map(|(value, _)| value).sum::<f64>() / items;
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        for (value, story) in values {
            *sums.entry(*story).or_insert(0.0) += value - mean;
        }
        let largest = values.iter().map(|(value, _)| value.abs()).fold(0.0, f64::max);
        (sums.len() >= 2).then_some(Side { mean, items, largest, sums })
    }

    fn variance(&self) -> f64 {
        let groups = self.sums.len() as f64;
        groups / (groups - 1.0) * self.sums.values().map(|sum| sum * sum).sum::<f64>() / (self.items * self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::clustered_mean;
    use super::*;

    fn apart(values: &[f64], from: usize) -> Vec<(f64, usize)> {
        values.iter().enumerate().map(|(index, &value)| (value, from + index)).collect()
    }

    #[test]
    fn without_shared_stories_it_is_welchs_test() {
        // By hand: means 20.6 and 22.2, variances 3.3 and 9.2 over 5 each; t = -1.6 / sqrt(2.5) = -1.0119,
        // freedom 2.5^2 / (0.66^2 / 4 + 1.84^2 / 4) = 6.5425.
        let first = apart(&[18.0, 20.0, 21.0, 21.0, 23.0], 0);
        let second = apart(&[18.0, 21.0, 22.0, 24.0, 26.0], 5);
        let found = clustered_difference(&first, &second).unwrap();
        assert!((found.difference() + 1.6).abs() < 1e-12);
        assert!((found.standard_error - 2.5f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!((found.freedom - 6.25 / (0.4356 / 4.0 + 3.3856 / 4.0)).abs() < 1e-9, "{found:?}");
        let (low, high) = found.interval();
        assert!((0.3..0.4).contains(&found.p_value().unwrap()) && low < -1.6 && high > 0.0);
    }

    #[test]
    fn with_a_pair_in_every_story_it_is_the_paired_test() {
        let (one, other) = ([0.3, 0.5, 0.1, 0.9, 0.4], [0.2, 0.1, 0.15, 0.6, 0.35]);
        let found = clustered_difference(&apart(&one, 0), &apart(&other, 0)).unwrap();
        let differences: Vec<f64> = one.iter().zip(&other).map(|(one, other)| one - other).collect();
        let paired = clustered_mean(&differences, &[0, 1, 2, 3, 4]).unwrap();
        assert!((found.standard_error - paired.standard_error).abs() < 1e-12);
        assert!((found.p_value().unwrap() - paired.p_value().unwrap()).abs() < 1e-12);
        assert_eq!(found.freedom, 4.0);
    }

    #[test]
    fn one_story_shows_nothing_and_equal_values_have_no_test() {
        assert_eq!(clustered_difference(&[(1.0, 0), (2.0, 0)], &[(1.0, 1), (2.0, 2)]), None);
        let alike = clustered_difference(&apart(&[1.0, 1.0], 0), &apart(&[1.0, 1.0], 2)).unwrap();
        assert_eq!((alike.p_value(), alike.interval()), (None, (0.0, 0.0)));
        let rounded = clustered_difference(&apart(&[0.2; 10], 0), &apart(&[0.2; 10], 10)).unwrap();
        assert_eq!(rounded.p_value(), None, "their mean is not 0.2 to the last bit");
    }
}
