//! P-values adjusted for the number of tests.

/// Holm's step-down adjustment, which bounds the chance of any false rejection. In the order given.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// let adjusted = tomeval::holm(&[0.01, 0.04, 0.03]);
/// let expected = [0.03, 0.06, 0.06];
/// assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max((p_values[index] * (p_values.len() - rank) as f64).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

/// Holm's adjustment over the p-values that there are.
pub fn holm_of_known(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut adjusted = holm(&p_values.iter().copied().flatten().collect::<Vec<f64>>()).into_iter();
    p_values.iter().map(|p| p.and_then(|_| adjusted.next())).collect()
}

/// Benjamini and Hochberg's step-up adjustment, which bounds the expected share of false rejections. Keeps the order.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// let adjusted = tomeval::benjamini_hochberg(&[0.01, 0.04, 0.03]);
/// let expected = [0.03, 0.04, 0.04];
/// assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
/// ```
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest = 1.0f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_values[index] * p_values.len() as f64 / (rank + 1) as f64);
        adjusted[index] = smallest;
    }
    adjusted
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    order
}
