//! Ranks of several models with their uncertainty, from tests of all pairs.

use serde::Serialize;

use crate::stats::holm;

/// Level of the tests, after adjustment.
const LEVEL: f64 = 0.05;

/// A test of two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairTest {
    /// Positions of the two models.
    pub models: [usize; 2],
    /// Figure of the second minus that of the first.
    pub difference: f64,
    /// Unadjusted p-value.
    pub p: f64,
}

/// Standing of a model among others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Standing {
    /// Letters of its groups: models that share a letter do not differ significantly.
    pub group: String,
    /// Possible ranks: from 1 plus the number of models significantly better, to the number of all minus those
    /// significantly worse.
    pub rank: (usize, usize),
}

/// Standings of models with these figures, in their order.
///
/// Groups are by insert-and-absorb (Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
/// comparisons"); `a` has the highest figure.
pub fn standings(figures: &[f64], tests: &[PairTest]) -> Vec<Standing> {
    let count = figures.len();
    let adjusted = holm(&tests.iter().map(|test| test.p).collect::<Vec<_>>());
    let pairs = || tests.iter().zip(&adjusted);
    let significant = || pairs().filter(|(test, p)| **p < LEVEL && test.difference != 0.0).map(|(test, _)| test);
    let mut groups: Vec<Vec<usize>> = vec![(0..count).collect()];
    for PairTest { models: [one, other], .. } in significant() {
        let (both, mut kept): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(one) && group.contains(other));
        for group in both {
            for left_out in [one, other] {
                kept.push(group.iter().copied().filter(|model| model != left_out).collect());
            }
        }
        groups = absorbed(kept);
    }
    let best = |group: &Vec<usize>| group.iter().map(|&model| figures[model]).fold(f64::NEG_INFINITY, f64::max);
    let worst = |group: &Vec<usize>| group.iter().map(|&model| figures[model]).fold(f64::INFINITY, f64::min);
    groups.sort_by(|one, other| best(other).total_cmp(&best(one)).then(worst(other).total_cmp(&worst(one))));
    let standing = |model: usize| {
        let letters = groups.iter().enumerate().filter(|(_, group)| group.contains(&model)).map(|(at, _)| letter(at));
        let is_better = |test: &&PairTest| match test.models {
            [one, _] if one == model => test.difference > 0.0,
            [_, other] => other == model && test.difference < 0.0,
        };
        let is_of = |test: &&PairTest| test.models.contains(&model);
        let better = significant().filter(is_better).count();
        let worse = significant().filter(is_of).count() - better;
        Standing { group: letters.collect(), rank: (1 + better, count - worse) }
    };
    (0..count).map(standing).collect()
}

/// Drops groups contained in another.
fn absorbed(groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let within = |one: &[usize], other: &[usize]| one.iter().all(|model| other.contains(model));
    let is_absorbed = |(at, group): (usize, &Vec<usize>)| {
        groups
            .iter()
            .enumerate()
            .any(|(other_at, other)| other_at != at && within(group, other) && (!within(other, group) || other_at < at))
    };
    groups.iter().enumerate().filter(|&(at, group)| !is_absorbed((at, group))).map(|(_, group)| group.clone()).collect()
}

/// Name of a group: a to z, then a2 to z2 and so on.
fn letter(at: usize) -> String {
    let letter = char::from(b'a' + (at % 26) as u8);
    match at / 26 {
        0 => letter.to_string(),
        more => format!("{letter}{}", more + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(one: usize, other: usize, difference: f64, p: f64) -> PairTest {
        PairTest { models: [one, other], difference, p }
    }

    #[test]
    fn models_that_share_a_letter_do_not_differ() {
        // Only the first and the last differ; the middle one belongs to both groups.
        let found =
            standings(&[70.0, 60.0, 50.0], &[test(0, 1, -10.0, 0.2), test(1, 2, -10.0, 0.2), test(0, 2, -20.0, 0.01)]);
        let groups: Vec<&str> = found.iter().map(|standing| standing.group.as_str()).collect();
        assert_eq!(groups, ["a", "ab", "b"]);
        assert_eq!(found.iter().map(|standing| standing.rank).collect::<Vec<_>>(), [(1, 2), (1, 3), (2, 3)]);
        // All differ, in an order other than that of the figures.
        let found =
            standings(&[50.0, 70.0, 60.0], &[test(0, 1, 20.0, 0.01), test(0, 2, 10.0, 0.01), test(1, 2, -10.0, 0.01)]);
        let said: Vec<(&str, (usize, usize))> = found.iter().map(|it| (it.group.as_str(), it.rank)).collect();
        assert_eq!(said, [("c", (3, 3)), ("a", (1, 1)), ("b", (2, 2))]);
        // Without tests, all models form one group and every rank is possible.
        assert_eq!(standings(&[1.0, 2.0], &[]), vec![Standing { group: "a".into(), rank: (1, 2) }; 2]);
    }

    #[test]
    fn letters_hold_for_any_tests() {
        // For random differences: two models share a letter exactly if their test is not significant.
        for seed in 0u64..200 {
            let figures: Vec<f64> = (0..7).map(|model| ((seed * 31 + model * 17) % 23) as f64).collect();
            let mut tests = Vec::new();
            for one in 0..7 {
                for other in one + 1..7 {
                    let p = if (seed >> ((one * 7 + other) % 29)) & 1 == 1 { 0.001 } else { 0.5 };
                    tests.push(test(one, other, figures[other] - figures[one], p));
                }
            }
            let found = standings(&figures, &tests);
            for PairTest { models: [one, other], difference, p } in tests {
                let shares = found[one].group.chars().any(|letter| found[other].group.contains(letter));
                assert_eq!(shares, p >= LEVEL || difference == 0.0, "seed {seed}: {one} and {other}");
            }
        }
    }
}
