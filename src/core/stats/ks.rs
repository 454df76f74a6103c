//! The Kolmogorov-Smirnov test of a sample against the normal distribution with the sample's own mean and deviation.
//!
//! Since mean and deviation come from the sample, the p-value is too large (Lilliefors 1967 gives the right one); it is
//! the one that `scipy.stats.kstest` computes and papers report.

use libm::erfc;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KsTest {
    /// Largest distance between the empirical and the normal distribution function.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p_value: f64,
}

/// Tests a sample against the normal distribution; its variance divides by n minus `ddof`. `None` for fewer than two
/// values, non-finite values, or all values equal.
pub fn ks_normal(sample: &[f64], ddof: usize) -> Option<KsTest> {
    if sample.len() < 2.max(ddof + 1) || sample.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let deviation = (sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - ddof as f64)).sqrt();
    if deviation == 0.0 {
        return None;
    }
    Some(distance(sample, mean, deviation))
}

/// Tests a sample against the standard normal distribution. `None` for an empty sample or non-finite values.
pub fn ks_standard_normal(sample: &[f64]) -> Option<KsTest> {
    let usable = !sample.is_empty() && sample.iter().all(|value| value.is_finite());
    usable.then(|| distance(sample, 0.0, 1.0))
}

fn distance(sample: &[f64], mean: f64, deviation: f64) -> KsTest {
    let n = sample.len() as f64;
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let statistic = sorted
        .iter()
        .enumerate()
        .map(|(index, x)| {
            let expected = erfc(-(x - mean) / deviation / std::f64::consts::SQRT_2) / 2.0;
            f64::max((index + 1) as f64 / n - expected, expected - index as f64 / n)
        })
        .fold(0.0, f64::max);
    KsTest { statistic, p_value: exact_tail(sample.len(), statistic) }
}

/// P(D >= d) for n values. Above n d^2 = 4, both tails exceed d together with probability below e^-32, so twice the
/// one-sided tail is exact in f64; below, the matrix formula of Marsaglia, Tsang and Wang (2003).
fn exact_tail(n: usize, d: f64) -> f64 {
    if d >= 1.0 {
        0.0
    } else if n as f64 * d * d >= 4.0 {
        (2.0 * one_sided_tail(n, d)).min(1.0)
    } else {
        (1.0 - matrix_cdf(n, d)).clamp(0.0, 1.0)
    }
}

/// P(D+ >= d), Birnbaum and Tingey 1951: a finite sum of positive terms, computed from logarithms.
fn one_sided_tail(n: usize, d: f64) -> f64 {
    let size = n as f64;
    (0..=(size * (1.0 - d)).floor() as usize)
        .map(|j| {
            let share = j as f64 / size;
            let rest = 1.0 - d - share;
            let power = if j == n { 0.0 } else { (n - j) as f64 * rest.max(0.0).ln() };
            (super::ln_choose(n as u64, j as u64) + (j as f64 - 1.0) * (d + share).ln() + power + d.ln()).exp()
        })
        .sum()
}

/// P(D < d) by the n-th power of a small matrix, rescaled so that nothing overflows.
fn matrix_cdf(n: usize, d: f64) -> f64 {
    let k = (n as f64 * d).floor() as usize + 1;
    let size = 2 * k - 1;
    let h = k as f64 - n as f64 * d;
    let mut matrix = vec![vec![0.0f64; size]; size];
    for (row, values) in matrix.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = f64::from(row + 1 >= column);
        }
    }
    for (row, values) in matrix.iter_mut().enumerate() {
        values[0] -= h.powi(row as i32 + 1);
    }
    for (column, value) in matrix[size - 1].iter_mut().enumerate() {
        *value -= h.powi((size - column) as i32);
    }
    matrix[size - 1][0] += if 2.0 * h > 1.0 { (2.0 * h - 1.0).powi(size as i32) } else { 0.0 };
    for (row, values) in matrix.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate().take(row + 1) {
            *value /= (1..=row + 1 - column).map(|factor| factor as f64).product::<f64>();
        }
    }
    let (power, exponent) = matrix_power(&matrix, n);
    let mut result = power[k - 1][k - 1].ln() + exponent as f64 * std::f64::consts::LN_10;
    result += (1..=n).map(|i| (i as f64 / n as f64).ln()).sum::<f64>();
    result.exp()
}

/// The n-th power of a matrix, with a power of ten as a factor.
fn matrix_power(matrix: &[Vec<f64>], n: usize) -> (Vec<Vec<f64>>, i32) {
    if n == 1 {
        return (matrix.to_vec(), 0);
    }
    let (half, exponent) = matrix_power(matrix, n / 2);
    let (mut power, mut exponent) = (product(&half, &half), 2 * exponent);
    if n % 2 == 1 {
        power = product(matrix, &power);
    }
    if power[matrix.len() / 2][matrix.len() / 2] > 1e140 {
        power.iter_mut().flatten().for_each(|value| *value *= 1e-140);
        exponent += 140;
    }
    (power, exponent)
}

fn product(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut result = vec![vec![0.0; right.len()]; left.len()];
    for (row, out) in left.iter().zip(&mut result) {
        for (value, other) in row.iter().zip(right) {
            for (sum, factor) in out.iter_mut().zip(other) {
                *sum += value * factor;
            }
        }
    }
    result
}
