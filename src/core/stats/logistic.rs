//! Logistic regression with a penalty on squared weights.
//!
//! Minimised over weights w and intercept b is
//!
//! ```text
//! mean over cases of ln(1 + exp(-y (w z + b))) + penalty / 2 |w|²     y = 1 or -1
//! ```
//!
//! where z are the features with mean 0 and standard deviation 1 over the cases (constant features are 0). scikit-learn's
//! `LogisticRegression(C = 1 / (cases * penalty))` after `StandardScaler` is the same. The minimum is unique; it is
//! approached by L-BFGS (Liu and Nocedal 1989) until no component of the gradient exceeds the tolerance.

use std::collections::VecDeque;

use multiversion::multiversion;

/// Pairs of steps that approximate the curvature.
const MEMORY: usize = 10;
/// Most steps of one fit.
const MOST_STEPS: usize = 500;

/// A fitted regression.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// Weights of the features as given, not standardised.
    weights: Vec<f64>,
    intercept: f64,
}

impl Logistic {
    /// Log-odds of a case.
    pub fn log_odds(&self, features: &[f32]) -> f64 {
        self.intercept + dot(features, &self.weights)
    }
}

/// Fits a regression for each penalty, in their order; each fit begins at the one before, so strong penalties go first.
/// All rows have one length. `None` without cases of both labels, or for lists of unequal length.
pub fn logistic_path(rows: &[&[f32]], labels: &[bool], penalties: &[f64], tolerance: f64) -> Option<Vec<Logistic>> {
    if rows.len() != labels.len() || !labels.contains(&true) || !labels.contains(&false) {
        return None;
    }
    let (means, scales) = standard(rows);
    let mut point = vec![0.0; means.len() + 1];
    let fit = |&penalty: &f64| {
        let problem = Problem { rows, labels, means: &means, scales: &scales, penalty };
        problem.minimise(&mut point, tolerance);
        let (weights, intercept) = problem.unscaled(&point);
        Logistic { weights, intercept }
    };
    Some(penalties.iter().map(fit).collect())
}

/// Means of the features, and one over their standard deviations; 0 for a constant feature.
fn standard(rows: &[&[f32]]) -> (Vec<f64>, Vec<f64>) {
    let (cases, width) = (rows.len() as f64, rows[0].len());
    let mut means = vec![0.0; width];
    for row in rows {
        means.iter_mut().zip(*row).for_each(|(mean, &value)| *mean += f64::from(value) / cases);
    }
    let mut squares = vec![0.0; width];
    for row in rows {
        let deviations = row.iter().zip(&means).map(|(&value, mean)| f64::from(value) - mean);
        squares.iter_mut().zip(deviations).for_each(|(sum, deviation)| *sum += deviation * deviation / cases);
    }
    // A feature whose deviations are only rounding is constant.
    let scale = |(square, mean): (&f64, &f64)| {
        if *square > 1e-20 * mean * mean && *square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }
    };
    let scales = squares.iter().zip(&means).map(scale).collect();
    (means, scales)
}

struct Problem<'a> {
    rows: &'a [&'a [f32]],
    labels: &'a [bool],
    means: &'a [f64],
    scales: &'a [f64],
    penalty: f64,
}

impl Problem<'_> {
    /// Weights of the features as given and the intercept that go with them, from those of standardised features.
    fn unscaled(&self, point: &[f64]) -> (Vec<f64>, f64) {
        let (weights, intercept) = point.split_at(self.means.len());
        let weights: Vec<f64> = weights.iter().zip(self.scales).map(|(weight, scale)| weight * scale).collect();
        let shift: f64 = weights.iter().zip(self.means).map(|(weight, mean)| weight * mean).sum();
        (weights, intercept[0] - shift)
    }

    /// Value and gradient at a point: weights of standardised features, then the intercept.
    fn at(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let (weights, intercept) = self.unscaled(point);
        let width = weights.len();
        gradient.fill(0.0);
        let (sum, residuals) = pass(self.rows, self.labels, &weights, intercept, &mut gradient[..width]);
        let cases = self.rows.len() as f64;
        for ((slope, weight), (mean, scale)) in
            gradient[..width].iter_mut().zip(point).zip(self.means.iter().zip(self.scales))
        {
            *slope = (*slope - mean * residuals) * scale / cases + self.penalty * weight;
        }
        gradient[width] = residuals / cases;
        let squares: f64 = point[..width].iter().map(|weight| weight * weight).sum();
        sum / cases + self.penalty / 2.0 * squares
    }

    fn minimise(&self, point: &mut Vec<f64>, tolerance: f64) {
        let size = point.len();
        let (mut gradient, mut next_gradient) = (vec![0.0; size], vec![0.0; size]);
        let mut value = self.at(point, &mut gradient);
        let mut steps: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
        for _ in 0..MOST_STEPS {
            if gradient.iter().all(|slope| slope.abs() <= tolerance) {
                return;
            }
            let direction = descent(&gradient, &steps);
            let slope = inner(&direction, &gradient);
            let mut length = if steps.is_empty() { 1.0 / inner(&gradient, &gradient).sqrt().max(1.0) } else { 1.0 };
            let (next, next_value) = loop {
                let next: Vec<f64> = point.iter().zip(&direction).map(|(at, along)| at + length * along).collect();
                let next_value = self.at(&next, &mut next_gradient);
                if next_value <= value + 1e-4 * length * slope {
                    break (next, next_value);
                }
                length /= 2.0;
                // Nothing is gained beyond rounding.
                if length < 1e-10 {
                    return;
                }
            };
            let moved: Vec<f64> = next.iter().zip(&*point).map(|(next, at)| next - at).collect();
            let changed: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(next, at)| next - at).collect();
            let curvature = inner(&moved, &changed);
            if curvature > 0.0 {
                if steps.len() == MEMORY {
                    steps.pop_front();
                }
                steps.push_back((moved, changed, curvature));
            }
            *point = next;
            value = next_value;
            std::mem::swap(&mut gradient, &mut next_gradient);
        }
    }
}

/// The direction of L-BFGS by its two loops.
fn descent(gradient: &[f64], steps: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(steps.len());
    for (moved, changed, curvature) in steps.iter().rev() {
        let share = inner(moved, &direction) / curvature;
        direction.iter_mut().zip(changed).for_each(|(along, changed)| *along -= share * changed);
        shares.push(share);
    }
    if let Some((_, changed, curvature)) = steps.back() {
        let scale = curvature / inner(changed, changed);
        direction.iter_mut().for_each(|along| *along *= scale);
    }
    for ((moved, changed, curvature), share) in steps.iter().zip(shares.into_iter().rev()) {
        let back = share - inner(changed, &direction) / curvature;
        direction.iter_mut().zip(moved).for_each(|(along, moved)| *along += back * moved);
    }
    direction
}

fn inner(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The sum of losses, that of residuals, and into `slopes` the sum of residuals times features.
#[cfg_attr(feature = "avx512", multiversion(targets = "simd"))]
#[cfg_attr(
    not(feature = "avx512"),
    multiversion(targets("x86_64+avx2+bmi1+bmi2+f16c+fma+lzcnt+popcnt", "aarch64+neon"))
)]
fn pass(rows: &[&[f32]], labels: &[bool], weights: &[f64], intercept: f64, slopes: &mut [f64]) -> (f64, f64) {
    let (mut losses, mut residuals) = (0.0, 0.0);
    for (row, &label) in rows.iter().zip(labels) {
        let odds = intercept + dot(row, weights);
        let signed = if label { odds } else { -odds };
        losses += (-signed.abs()).exp().ln_1p() + (-signed).max(0.0);
        let residual = 1.0 / (1.0 + (-odds).exp()) - f64::from(u8::from(label));
        residuals += residual;
        slopes.iter_mut().zip(*row).for_each(|(slope, &value)| *slope += residual * f64::from(value));
    }
    (losses, residuals)
}

/// Eight sums side by side, so that the compiler may use vectors.
#[inline(always)]
fn dot(features: &[f32], weights: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (features, weights) = (features.chunks_exact(8), weights.chunks_exact(8));
    let rest = features.remainder().iter().zip(weights.remainder());
    let rest: f64 = rest.map(|(&value, weight)| f64::from(value) * weight).sum();
    for (features, weights) in features.zip(weights) {
        for lane in 0..8 {
            sums[lane] += f64::from(features[lane]) * weights[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_feature_and_one_label_are_no_faults() {
        let rows: Vec<Vec<f32>> = (0..20).map(|case| vec![1e6, (case % 5) as f32]).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let labels: Vec<bool> = (0..20).map(|case| case % 5 > 2 || case == 0).collect();
        let fitted = logistic_path(&rows, &labels, &[0.01], 1e-8).unwrap().remove(0);
        assert!(fitted.log_odds(&[1e6, 4.0]) > fitted.log_odds(&[1e6, 0.0]));
        assert_eq!(fitted.weights[0], 0.0);
        assert_eq!(logistic_path(&rows, &[true; 20], &[0.01], 1e-8), None);
        assert_eq!(logistic_path(&[], &[], &[0.01], 1e-8), None);
    }
}
