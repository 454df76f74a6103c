//! Arithmetic of scores, in f64.

/// Exponentials of `scores` divided by their sum.
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    exponentials.into_iter().map(|value| value / total).collect()
}

/// The 2.5 % and 97.5 % points of at least one value, interpolated linearly between neighbours.
pub fn middle_95(values: Vec<f64>) -> (f64, f64) {
    (quantile(values.clone(), 0.025), quantile(values, 0.975))
}

/// The point below which a share of at least one value lies, interpolated linearly between neighbours.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let position = share * (values.len() - 1) as f64;
    let (below, above) = (values[position.floor() as usize], values[position.ceil() as usize]);
    below + (above - below) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_impossible_has_no_share() {
        assert_eq!(softmax(&[0.0, 0.0, f64::NEG_INFINITY]), [0.5, 0.5, 0.0]);
    }

    proptest! {
        #[test]
        fn option_probabilities_sum_to_one(scores in prop::collection::vec(-900.0f64..0.0, 1..16)) {
            let sum: f64 = softmax(&scores).iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(middle_95(vec![3.0]), (3.0, 3.0));
        let (low, high) = middle_95((0..=40).map(f64::from).collect());
        assert!((low - 1.0).abs() < 1e-12 && (high - 39.0).abs() < 1e-12);
    }
}
