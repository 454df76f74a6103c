//! Overlap of sets and lists expected by chance.
//!
//! One of two sets is fixed, the other is drawn uniformly among all sets of its size from the same `all` items. The
//! number of common members is then hypergeometric.

/// Expected share of the smaller set that lies in the larger one: the size of the larger over all. `None` if a set is
/// empty or larger than all.
pub fn overlap_by_chance(first: usize, second: usize, all: usize) -> Option<f64> {
    let (smaller, larger) = (first.min(second), first.max(second));
    (smaller > 0 && larger <= all).then(|| larger as f64 / all as f64)
}

/// Expected Jaccard index (intersection over union). `None` if both sets are empty or one is larger than all.
pub fn jaccard_by_chance(first: usize, second: usize, all: usize) -> Option<f64> {
    if first + second == 0 || first.max(second) > all {
        return None;
    }
    let (smaller, larger) = (first.min(second), first.max(second));
    let fewest = (smaller + larger).saturating_sub(all);
    // Each probability follows from the previous one; they are scaled to sum to 1 at the end.
    let (mut weight, mut total, mut sum) = (1.0, 0.0, 0.0);
    for common in fewest..=smaller {
        total += weight;
        sum += weight * common as f64 / (smaller + larger - common) as f64;
        let (left, right) = ((smaller - common) as f64, (larger - common) as f64);
        let rest = (all + common + 1) as f64 - (smaller + larger) as f64;
        weight *= left * right / ((common + 1) as f64 * rest);
    }
    Some(sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_by_hand() {
        assert_eq!(overlap_by_chance(2, 3, 12), Some(0.25));
        assert_eq!(overlap_by_chance(0, 3, 12), None);
        // One of four and one of four: equal with probability 1/4.
        assert!((jaccard_by_chance(1, 1, 4).unwrap() - 0.25).abs() < 1e-12);
        // Two and two of four: 0, 1, 2 in common with probability 1/6, 4/6, 1/6: 4/6 * 1/3 + 1/6.
        assert!((jaccard_by_chance(2, 2, 4).unwrap() - (4.0 / 18.0 + 1.0 / 6.0)).abs() < 1e-12);
        // Three and three of four share at least two: 2 with probability 3/4, 3 with 1/4.
        assert!((jaccard_by_chance(3, 3, 4).unwrap() - (0.75 * 0.5 + 0.25)).abs() < 1e-12);
        assert_eq!((jaccard_by_chance(0, 0, 4), jaccard_by_chance(5, 1, 4)), (None, None));
        assert_eq!(jaccard_by_chance(0, 2, 4), Some(0.0));
    }
}
