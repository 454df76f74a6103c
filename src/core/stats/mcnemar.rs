//! McNemar's exact test of two respondents on the same items.

use super::ln_choose;

/// A test on the discordant pairs: items that only one of the two got right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// The smaller number of discordant pairs.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p_value: f64,
}

/// Exact test: under the null hypothesis, the discordant pairs are fair coin flips. Without any, the p-value is 1.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// // Six items are answered right by only one side, always the same one.
/// assert!((tomeval::mcnemar_exact(6, 0).p_value - 2.0 / 64.0).abs() < 1e-12);
/// ```
pub fn mcnemar_exact(only_first: u64, only_second: u64) -> McNemar {
    let pairs = only_first + only_second;
    let smaller = only_first.min(only_second);
    let tail: f64 = (0..=smaller).map(|k| (ln_choose(pairs, k) - pairs as f64 * std::f64::consts::LN_2).exp()).sum();
    McNemar { statistic: smaller as f64, p_value: (2.0 * tail).min(1.0) }
}
