//! Score arithmetic in f64.

/// Softmax of `scores`.
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    exponentials.into_iter().map(|value| value / total).collect()
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
}
