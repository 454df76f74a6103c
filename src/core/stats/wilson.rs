//! Intervals for proportions.

/// The 97.5 % point of the standard normal distribution.
const Z: f64 = 1.959963984540054;

/// The 95 % score interval of a proportion (Wilson 1927), without continuity correction. `None` without trials.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// let (low, high) = tomeval::wilson(0, 4).unwrap();
/// assert!(low == 0.0 && (high - 0.4899).abs() < 1e-4);
/// ```
pub fn wilson(successes: usize, trials: usize) -> Option<(f64, f64)> {
    if trials == 0 || successes > trials {
        return None;
    }
    let n = trials as f64;
    let p = successes as f64 / n;
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    let center = p + Z * Z / (2.0 * n);
    // The bounds are exact at 0 and 1, where rounding would leave them slightly inside.
    let low = if successes == 0 { 0.0 } else { (center - spread) / scale };
    let high = if successes == trials { 1.0 } else { (center + spread) / scale };
    Some((low, high))
}
