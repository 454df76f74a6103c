//! Quantiles of a sample.

/// The 2.5 % and 97.5 % quantiles, interpolated linearly between order statistics. Panics where there are no values.
pub fn central_95(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let position = share * (values.len() - 1) as f64;
        let below = values[position.floor() as usize];
        let above = values[position.ceil() as usize];
        below + (above - below) * position.fract()
    };
    (at(0.025), at(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(central_95(vec![3.0]), (3.0, 3.0));
        let (low, high) = central_95((0..=40).map(f64::from).collect());
        assert!((low - 1.0).abs() < 1e-12 && (high - 39.0).abs() < 1e-12);
    }
}
