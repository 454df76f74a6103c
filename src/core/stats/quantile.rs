//! Quantiles of samples.

/// The 2.5 % and 97.5 % quantiles, interpolated linearly; `values` must not be empty.
pub fn middle_95(values: Vec<f64>) -> (f64, f64) {
    (quantile(values.clone(), 0.025), quantile(values, 0.975))
}

/// The `share` quantile, interpolated linearly; `values` must not be empty.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let position = share * (values.len() - 1) as f64;
    let (below, above) = (values[position.floor() as usize], values[position.ceil() as usize]);
    below + (above - below) * position.fract()
}

/// The median: the middle value, or the mean of the two in the middle; `None` without values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(middle_95(vec![3.0]), (3.0, 3.0));
        let (low, high) = middle_95((0..=40).map(f64::from).collect());
        assert!((low - 1.0).abs() < 1e-12 && (high - 39.0).abs() < 1e-12);
    }
}
