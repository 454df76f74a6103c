//! Wilcoxon's signed-rank test, two-sided, as in `scipy.stats.wilcoxon` (1.17).

use super::two_sided_normal;

/// Treatment of zero differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroMethod {
    /// Leave them out before ranking (Wilcoxon).
    Wilcox,
    /// Rank them, then leave them out (Pratt 1959).
    Pratt,
    /// Rank them and give half of their ranks to each side.
    Split,
}

/// Method for the p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PMethod {
    /// Exact without ties and zeros up to 50 differences; all sign changes with ties or zeros up to 13; else normal.
    Auto,
    /// From the distribution of distinct ranks. With ties or zeros it is only approximate: the statistic is rounded
    /// towards the larger p-value.
    Exact,
    /// From the normal distribution with tie correction.
    Normal {
        /// Whether to apply a continuity correction of half a rank towards the mean.
        continuity: bool,
    },
}

/// The result of a signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRank {
    /// The smaller of the rank sums of positive and negative differences.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p_value: f64,
    /// The z value of the normal approximation, at most 0; `None` for other methods.
    pub z: Option<f64>,
}

/// Tests whether paired differences are centred on zero. `None` if no difference is left to rank or one is not finite.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// use tomeval::{PMethod, ZeroMethod, wilcoxon};
/// let test = wilcoxon(&[1.0, 2.0, 3.0, 4.0, 5.0], ZeroMethod::Wilcox, PMethod::Exact).unwrap();
/// assert_eq!((test.statistic, test.p_value), (0.0, 2.0 / 32.0));
/// ```
pub fn wilcoxon(differences: &[f64], zeros: ZeroMethod, method: PMethod) -> Option<SignedRank> {
    if differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let zero_count = differences.iter().filter(|d| **d == 0.0).count();
    let kept: Vec<f64> = differences.iter().copied().filter(|d| zeros != ZeroMethod::Wilcox || *d != 0.0).collect();
    if kept.iter().all(|d| *d == 0.0) {
        return None;
    }
    let ranked = Ranked::new(&kept);
    let sum = |keep: fn(f64) -> bool| -> f64 {
        kept.iter().zip(&ranked.ranks).filter(|(d, _)| keep(**d)).map(|(_, rank)| rank).sum()
    };
    let of_zeros = if zeros == ZeroMethod::Split { sum(|d| d == 0.0) / 2.0 } else { 0.0 };
    let (plus, minus) = (sum(|d| d > 0.0) + of_zeros, sum(|d| d < 0.0) + of_zeros);
    let statistic = plus.min(minus);
    let irregular = zero_count > 0 || ranked.ties > 0.0;
    let method = match method {
        PMethod::Auto if !irregular && differences.len() <= 50 => PMethod::Exact,
        PMethod::Auto if irregular && differences.len() <= 13 => {
            let p_value = by_sign_changes(&kept, &ranked.ranks, plus, of_zeros);
            return Some(SignedRank { statistic, p_value, z: None });
        }
        PMethod::Auto => PMethod::Normal { continuity: false },
        chosen => chosen,
    };
    Some(match method {
        PMethod::Normal { continuity } => {
            let pratt_zeros = if zeros == ZeroMethod::Pratt { zero_count as f64 } else { 0.0 };
            let z =
                normal_z(plus, kept.len() as f64, pratt_zeros, ranked.tie_correction(zeros, zero_count), continuity);
            SignedRank { statistic, p_value: two_sided_normal(z), z: Some(-z.abs()) }
        }
        _ => SignedRank { statistic, p_value: exact(plus, kept.len()), z: None },
    })
}

/// Mid-ranks of absolute values.
struct Ranked {
    ranks: Vec<f64>,
    /// Sum of t^3 - t over groups of t equal values.
    ties: f64,
}

impl Ranked {
    fn new(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&left, &right| values[left].abs().total_cmp(&values[right].abs()));
        let mut ranks = vec![0.0; values.len()];
        let mut ties = 0.0;
        let mut start = 0;
        while start < order.len() {
            let equal = order[start..].iter().take_while(|&&i| values[i].abs() == values[order[start]].abs()).count();
            let rank = start as f64 + (equal + 1) as f64 / 2.0;
            order[start..start + equal].iter().for_each(|&index| ranks[index] = rank);
            ties += (equal as f64).powi(3) - equal as f64;
            start += equal;
        }
        Ranked { ranks, ties }
    }

    /// Tie term of the variance; zeros ranked under Pratt's method do not count as ties.
    fn tie_correction(&self, zeros: ZeroMethod, zero_count: usize) -> f64 {
        let of_zeros = (zero_count as f64).powi(3) - zero_count as f64;
        if zeros == ZeroMethod::Pratt { self.ties - of_zeros } else { self.ties }
    }
}

/// The z value of the positive rank sum; `zeros` are Pratt's zeros (Cureton 1967).
fn normal_z(plus: f64, n: f64, zeros: f64, ties: f64, continuity: bool) -> f64 {
    let mean = (n * (n + 1.0) - zeros * (zeros + 1.0)) / 4.0;
    let squares = n * (n + 1.0) * (2.0 * n + 1.0) - zeros * (zeros + 1.0) * (2.0 * zeros + 1.0);
    let deviation = ((squares - ties / 2.0) / 24.0).sqrt();
    let z = (plus - mean) / deviation;
    if continuity && z != 0.0 { z - z.signum() * 0.5 / deviation } else { z }
}

/// Two-sided p-value from the distribution of the rank sum of `n` distinct ranks.
fn exact(plus: f64, n: usize) -> f64 {
    let mut ways = vec![1.0f64];
    for rank in 1..=n {
        let mut next = vec![0.0; ways.len() + rank];
        for (sum, count) in ways.iter().enumerate() {
            next[sum] += count / 2.0;
            next[sum + rank] += count / 2.0;
        }
        ways = next;
    }
    let last = ways.len() - 1;
    let at_least = ways[(plus.floor() as usize).min(last)..].iter().sum::<f64>();
    let at_most = ways[..=(plus.ceil() as usize).min(last)].iter().sum::<f64>();
    (2.0 * at_least.min(at_most)).min(1.0)
}

/// Two-sided p-value over all sign changes.
fn by_sign_changes(values: &[f64], ranks: &[f64], plus: f64, of_zeros: f64) -> f64 {
    let signed: Vec<f64> = values.iter().zip(ranks).filter(|(d, _)| **d != 0.0).map(|(_, rank)| *rank).collect();
    let tolerance = 1e-9;
    let (mut at_least, mut at_most) = (0.0, 0.0);
    for signs in 0..1u32 << signed.len() {
        let sum: f64 = of_zeros
            + signed.iter().enumerate().filter(|(i, _)| signs >> i & 1 == 1).map(|(_, rank)| rank).sum::<f64>();
        at_least += f64::from(sum >= plus - tolerance);
        at_most += f64::from(sum <= plus + tolerance);
    }
    let changes = f64::from(1u32 << signed.len());
    (2.0 * f64::min(at_least, at_most) / changes).min(1.0)
}
