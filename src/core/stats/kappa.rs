//! Agreement beyond chance.

/// Weights of disagreements in [`cohen_kappa`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// All disagreements count the same.
    Equal,
    /// Distance of the categories.
    Linear,
    /// Squared distance.
    Quadratic,
}

/// Cohen's kappa of two raters over categories `0..categories`. `None` if undefined: no items, lists of unequal length,
/// a rating outside the categories, or no disagreement expected by chance.
///
/// ```
/// # mod tomeval { pub use tomeval_core::stats::{Weights as KappaWeights, cohen_kappa}; }
/// use tomeval::{KappaWeights, cohen_kappa};
/// // They agree on three of four; half would be expected by chance.
/// assert_eq!(cohen_kappa(&[0, 0, 1, 1], &[0, 1, 1, 1], 2, KappaWeights::Equal), Some(0.5));
/// ```
pub fn cohen_kappa(first: &[usize], second: &[usize], categories: usize, weights: Weights) -> Option<f64> {
    let pairs = || first.iter().zip(second).map(|(&left, &right)| (left, right, 1));
    (first.len() == second.len()).then(|| cohen_kappa_of(pairs(), categories, weights))?
}

/// The same from pairs of ratings with counts: the first rater's, the second's, number of items.
pub fn cohen_kappa_of(
    pairs: impl Iterator<Item = (usize, usize, usize)>,
    categories: usize,
    weights: Weights,
) -> Option<f64> {
    let mut row = vec![0.0; categories];
    let mut column = vec![0.0; categories];
    let (mut observed, mut items) = (0.0, 0.0);
    let weight = |left: usize, right: usize| {
        let distance = left.abs_diff(right) as f64;
        match weights {
            Weights::Equal => f64::from(left != right),
            Weights::Linear => distance,
            Weights::Quadratic => distance * distance,
        }
    };
    for (left, right, count) in pairs {
        let count = count as f64;
        *row.get_mut(left)? += count;
        *column.get_mut(right)? += count;
        observed += weight(left, right) * count;
        items += count;
    }
    let mut expected = 0.0;
    for (left, in_first) in row.iter().enumerate() {
        for (right, in_second) in column.iter().enumerate() {
            expected += weight(left, right) * in_first * in_second / items;
        }
    }
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Fleiss' kappa from a table with one row per item: the number of raters per category. `None` if undefined: no items,
/// fewer than two raters, rows of unequal sum, or all ratings in one category.
pub fn fleiss_kappa(table: &[Vec<usize>]) -> Option<f64> {
    fleiss_kappa_of(&table.iter().map(|row| (row, 1)).collect::<Vec<_>>())
}

/// The same from rows with the number of items of each.
pub fn fleiss_kappa_of(table: &[(impl AsRef<[usize]>, usize)]) -> Option<f64> {
    let table: Vec<(&[usize], f64)> = table.iter().map(|(row, count)| (row.as_ref(), *count as f64)).collect();
    let raters: usize = table.first()?.0.iter().sum();
    if raters < 2 || table.iter().any(|(row, _)| row.iter().sum::<usize>() != raters) {
        return None;
    }
    let (items, raters) = (table.iter().map(|(_, count)| count).sum::<f64>(), raters as f64);
    let categories = table.iter().map(|(row, _)| row.len()).max()?;
    let square = |count: &usize| (*count * *count) as f64;
    let alike = |row: &[usize]| (row.iter().map(square).sum::<f64>() - raters) / (raters * (raters - 1.0));
    let agreement = table.iter().map(|(row, count)| alike(row) * count).sum::<f64>() / items;
    let given = |category: usize| {
        table.iter().map(|(row, count)| row.get(category).copied().unwrap_or(0) as f64 * count).sum::<f64>()
    };
    let chance: f64 = (0..categories).map(|category| (given(category) / (items * raters)).powi(2)).sum();
    (chance < 1.0).then(|| (agreement - chance) / (1.0 - chance))
}
