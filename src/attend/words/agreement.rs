//! Agreement of two keyword lists: a model's and a person's, or two models'.

use std::collections::HashSet;

/// Overlap at depth `k`: the number of words shared by the first `k` of each list, divided by the length of the shorter
/// of the two truncated lists. `None` when either list is empty.
pub fn overlap_at(a: &[String], b: &[String], k: usize) -> Option<f64> {
    let (a, b) = (&a[..k.min(a.len())], &b[..k.min(b.len())]);
    let shorter = a.len().min(b.len());
    (shorter > 0).then(|| common(a, b) as f64 / shorter as f64)
}

/// Jaccard index of the two lists as sets. `None` when both are empty.
pub fn jaccard(a: &[String], b: &[String]) -> Option<f64> {
    let both = common(a, b);
    let either = a.iter().collect::<HashSet<_>>().len() + b.iter().collect::<HashSet<_>>().len() - both;
    (either > 0).then(|| both as f64 / either as f64)
}

/// Extrapolated rank-biased overlap for two lists without ties that may differ in length (Webber, Moffat and Zobel
/// 2010, equation 32). `persistence`, between 0 and 1, is the probability that a reader goes on to the next rank; at
/// 0.9 the first ten ranks carry 86 % of the weight. `None` when either list is empty.
pub fn rank_biased_overlap(a: &[String], b: &[String], persistence: f64) -> Option<f64> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let overlap = |depth: usize| common(&short[..depth.min(short.len())], &long[..depth]) as f64;
    extrapolated(short.len(), long.len(), persistence, overlap)
}

/// Expected [`rank_biased_overlap`] of lists of these lengths if the words of one are drawn at random from the same
/// `all` words. It is a sum over the overlaps at each depth, each of which is hypergeometric. `None` when either list
/// is empty or longer than `all`.
pub fn rank_biased_overlap_by_chance(a: usize, b: usize, all: usize, persistence: f64) -> Option<f64> {
    let (short, long) = (a.min(b), a.max(b));
    let overlap = |depth: usize| (depth * depth.min(short)) as f64 / all as f64;
    if long <= all { extrapolated(short, long, persistence, overlap) } else { None }
}

/// Extrapolated overlap of lists of lengths `s` and `l` (the longer), given the overlap at each depth.
fn extrapolated(s: usize, l: usize, persistence: f64, overlap: impl Fn(usize) -> f64) -> Option<f64> {
    if s == 0 {
        return None;
    }
    let at_s = overlap(s);
    let p = persistence;
    let mut sum = 0.0;
    for depth in 1..=l {
        let weight = p.powi(depth as i32) / depth as f64;
        sum += overlap(depth) * weight;
        if depth > s {
            sum += at_s * (depth - s) as f64 / s as f64 * weight;
        }
    }
    let rest = (overlap(l) - at_s) / l as f64 + at_s / s as f64;
    Some(((1.0 - p) / p * sum + rest * p.powi(l as i32)).clamp(0.0, 1.0))
}

fn common(a: &[String], b: &[String]) -> usize {
    let a: HashSet<&String> = a.iter().collect();
    b.iter().collect::<HashSet<_>>().intersection(&a).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn overlap_counts_within_the_depth() {
        assert_eq!(overlap_at(&words("abcd"), &words("bxya"), 2), Some(0.5));
        assert_eq!(overlap_at(&words("abcd"), &words("ba"), 10), Some(1.0));
        assert_eq!(overlap_at(&words(""), &words("ba"), 10), None);
    }

    #[test]
    fn jaccard_is_shared_over_all() {
        assert_eq!(jaccard(&words("abc"), &words("bcd")), Some(0.5));
        assert_eq!(jaccard(&words(""), &words("")), None);
    }

    #[test]
    fn chance_is_the_mean_over_all_lists() {
        // All lists of two of four words, compared with "ab".
        let all = words("abcd");
        let mut found = Vec::new();
        for first in &all {
            for second in all.iter().filter(|second| *second != first) {
                found.extend(rank_biased_overlap(&words("ab"), &[first.clone(), second.clone()], 0.9));
            }
        }
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!((rank_biased_overlap_by_chance(2, 2, 4, 0.9).unwrap() - mean).abs() < 1e-12);
        assert_eq!(rank_biased_overlap_by_chance(0, 2, 4, 0.9), None);
    }

    #[test]
    fn rank_biased_overlap_by_hand() {
        // Depth 1: 0 shared. Depth 2: 2 shared. (1-p)/p * (0 + 2/2 p^2) + 2/2 p^2 with p = 0.5: 0.25 + 0.25.
        assert!((rank_biased_overlap(&words("ab"), &words("ba"), 0.5).unwrap() - 0.5).abs() < 1e-12);
        // s = 1, l = 2: (1-p)/p * (p + 1/2 p^2 + 1 * 1/1 * p^2/2) + ((1-1)/2 + 1) p^2 = 1 for any p.
        assert!((rank_biased_overlap(&words("a"), &words("ab"), 0.9).unwrap() - 1.0).abs() < 1e-12);
        // s = 1, l = 2, disjoint at 1, found at 2: (1-p)/p * (0 + 1/2 p^2) + (1/2) p^2 with p = 0.5: 0.125 + 0.125.
        assert!((rank_biased_overlap(&words("b"), &words("ab"), 0.5).unwrap() - 0.25).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn bounds_and_symmetry(a in "[a-h]{1,8}", b in "[a-p]{1,8}", p in 0.05f64..0.99) {
            let unique = |text: &str| {
                let mut seen = HashSet::new();
                text.chars().filter(|c| seen.insert(*c)).map(String::from).collect::<Vec<_>>()
            };
            let (a, b) = (unique(&a), unique(&b));
            let value = rank_biased_overlap(&a, &b, p).unwrap();
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert!((value - rank_biased_overlap(&b, &a, p).unwrap()).abs() < 1e-9);
            prop_assert!((rank_biased_overlap(&a, &a, p).unwrap() - 1.0).abs() < 1e-9);
            let apart: Vec<String> = a.iter().map(|word| format!("{word}!")).collect();
            prop_assert_eq!(rank_biased_overlap(&a, &apart, p), Some(0.0));
        }
    }
}
