//! Agreement beyond chance.

/// How much a disagreement counts in [`cohen_kappa`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Every disagreement alike.
    Equal,
    /// By the distance of the categories.
    Linear,
    /// By its square.
    Quadratic,
}

/// Cohen's kappa of two raters over categories `0..categories`. `None` where it is undefined: no items, ratings of
/// unequal number, a rating outside the categories, or no disagreement expected by chance.
pub fn cohen_kappa(first: &[usize], second: &[usize], categories: usize, weights: Weights) -> Option<f64> {
    if first.is_empty() || first.len() != second.len() || first.iter().chain(second).any(|&c| c >= categories) {
        return None;
    }
    let mut row = vec![0.0; categories];
    let mut column = vec![0.0; categories];
    let mut observed = 0.0;
    let weight = |left: usize, right: usize| {
        let distance = left.abs_diff(right) as f64;
        match weights {
            Weights::Equal => f64::from(left != right),
            Weights::Linear => distance,
            Weights::Quadratic => distance * distance,
        }
    };
    for (&left, &right) in first.iter().zip(second) {
        row[left] += 1.0;
        column[right] += 1.0;
        observed += weight(left, right);
    }
    let mut expected = 0.0;
    for (left, in_first) in row.iter().enumerate() {
        for (right, in_second) in column.iter().enumerate() {
            expected += weight(left, right) * in_first * in_second / first.len() as f64;
        }
    }
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Fleiss' kappa from a table with one row per item: how many raters chose each category. `None` where it is undefined:
/// no items, fewer than two raters, rows of unequal sum, or all ratings in one category.
pub fn fleiss_kappa(table: &[Vec<usize>]) -> Option<f64> {
    let raters: usize = table.first()?.iter().sum();
    if raters < 2 || table.iter().any(|row| row.iter().sum::<usize>() != raters) {
        return None;
    }
    let (items, raters) = (table.len() as f64, raters as f64);
    let categories = table.iter().map(Vec::len).max()?;
    let square = |count: &usize| (*count * *count) as f64;
    let agreement =
        table.iter().map(|row| (row.iter().map(square).sum::<f64>() - raters) / (raters * (raters - 1.0))).sum::<f64>()
            / items;
    let chance: f64 = (0..categories)
        .map(|category| table.iter().map(|row| row.get(category).copied().unwrap_or(0)).sum::<usize>() as f64)
        .map(|total| (total / (items * raters)).powi(2))
        .sum();
    (chance < 1.0).then(|| (agreement - chance) / (1.0 - chance))
}
