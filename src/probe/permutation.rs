//! Permutation tests. Under the hypothesis that released and other values are indistinguishable, every arrangement is
//! equally likely; the p-value is the share of arrangements at least as extreme as the observed one, itself included
//! (Phipson and Smyth 2010, "Permutation P-values Should Never Be Zero").

use rand::Rng;
use rand::seq::SliceRandom;
use serde::Serialize;

/// Maximum number of arrangements to enumerate.
const EXACT_MOST: usize = 1 << 16;

/// A p-value with its basis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PValue {
    /// The one-sided p-value.
    pub p: f64,
    /// Whether all arrangements were enumerated.
    pub exact: bool,
    /// Number of arrangements, including the observed one.
    pub arrangements: usize,
}

/// The share of values that are at least the first, which is included. `None` without values.
pub fn first_among(values: &[f64]) -> Option<f64> {
    let &first = values.first()?;
    Some(values.iter().filter(|&&value| at_least(value, first)).count() as f64 / values.len() as f64)
}

/// Tests whether the first values of all groups are jointly large: the statistic is their sum, and an arrangement takes
/// one value of each group at random. `None` if no group has more than one value.
pub fn firsts_are_large(groups: &[Vec<f64>], draws: usize, rng: &mut impl Rng) -> Option<PValue> {
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|group| group.len() > 1).collect();
    if groups.is_empty() {
        return None;
    }
    let found: f64 = groups.iter().map(|group| group[0]).sum();
    let all = groups.iter().try_fold(1usize, |all, group| all.checked_mul(group.len()));
    if all.is_some_and(|all| all <= EXACT_MOST) {
        let add = |sums: Vec<f64>, group: &&Vec<f64>| {
            sums.iter().flat_map(|sum| group.iter().map(move |value| sum + value)).collect()
        };
        let sums: Vec<f64> = groups.iter().fold(vec![0.0], add);
        return Some(of_all(&sums, found));
    }
    Some(of_draws(found, draws, || groups.iter().map(|group| group[rng.random_range(0..group.len())]).sum()))
}

/// Released values with fresh ones of the same form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stratum {
    /// Values of released items.
    pub released: Vec<f64>,
    /// Values of generated items.
    pub fresh: Vec<f64>,
}

/// Tests whether released values are larger than fresh ones: the statistic is the sum of the released ones, which for
/// fixed sizes orders arrangements like the difference of means, and an arrangement reshuffles the values within each
/// stratum. `None` if no stratum has both.
pub fn released_are_larger(strata: &[Stratum], draws: usize, rng: &mut impl Rng) -> Option<PValue> {
    let strata: Vec<&Stratum> =
        strata.iter().filter(|stratum| !stratum.released.is_empty() && !stratum.fresh.is_empty()).collect();
    let all = strata.iter().try_fold(1usize, |all, stratum| {
        all.checked_mul(choose(stratum.released.len() + stratum.fresh.len(), stratum.released.len())?)
    });
    if all.is_some_and(|all| all <= EXACT_MOST) {
        // The first choice of each stratum is the observed one.
        let sums: Vec<Vec<f64>> = strata
            .iter()
            .map(|stratum| {
                let pool = [&stratum.released[..], &stratum.fresh].concat();
                let mut sums = Vec::new();
                sums_of(&pool, stratum.released.len(), 0.0, &mut sums);
                sums
            })
            .collect();
        return firsts_are_large(&sums, draws, rng);
    }
    let found: f64 = strata.iter().flat_map(|stratum| &stratum.released).sum();
    let mut pools: Vec<(usize, Vec<f64>)> = strata
        .iter()
        .map(|stratum| (stratum.released.len(), [&stratum.released[..], &stratum.fresh].concat()))
        .collect();
    Some(of_draws(found, draws, || {
        let mut sum = 0.0;
        for (size, pool) in &mut pools {
            let (dealt, _) = pool.partial_shuffle(rng, *size);
            sum += dealt.iter().sum::<f64>();
        }
        sum
    }))
}

fn of_all(sums: &[f64], found: f64) -> PValue {
    let extreme = sums.iter().filter(|&&sum| at_least(sum, found)).count();
    PValue { p: extreme as f64 / sums.len() as f64, exact: true, arrangements: sums.len() }
}

fn of_draws(found: f64, draws: usize, mut draw: impl FnMut() -> f64) -> PValue {
    let extreme = (0..draws).filter(|_| at_least(draw(), found)).count();
    PValue { p: (extreme + 1) as f64 / (draws + 1) as f64, exact: false, arrangements: draws + 1 }
}

/// Whether a value is at least another, except for rounding: equal sums may be added in different orders.
fn at_least(value: f64, other: f64) -> bool {
    value >= other - 1e-9 * (1.0 + other.abs())
}

/// Sums of every choice of `size` values, beginning with the first values.
fn sums_of(values: &[f64], size: usize, sum: f64, sums: &mut Vec<f64>) {
    if size == 0 {
        sums.push(sum);
    } else if size <= values.len() {
        sums_of(&values[1..], size - 1, sum + values[0], sums);
        sums_of(&values[1..], size, sum, sums);
    }
}

/// Number of choices of `chosen` out of `all`; `None` if there are too many to enumerate.
fn choose(all: usize, chosen: usize) -> Option<usize> {
    let chosen = chosen.min(all - chosen);
    let mut choices = 1usize;
    for at in 0..chosen {
        choices = choices.checked_mul(all - at)? / (at + 1);
        if choices > EXACT_MOST {
            return None;
        }
    }
    Some(choices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::seeded;

    fn firsts(groups: &[&[f64]], draws: usize) -> PValue {
        let groups: Vec<Vec<f64>> = groups.iter().map(|group| group.to_vec()).collect();
        firsts_are_large(&groups, draws, &mut seeded(1, "test", 0)).unwrap()
    }

    #[test]
    fn ranks_count_the_first_value_and_ties() {
        assert_eq!(first_among(&[3.0, 1.0, 2.0, 0.0]), Some(0.25));
        assert_eq!(first_among(&[1.0, 1.0, 2.0, 0.0]), Some(0.75));
        assert_eq!(first_among(&[]), None);
    }

    #[test]
    fn few_arrangements_are_all_gone_through() {
        // Sums of one value each: of six, only 3+6 reaches 3+6; 3+5 and 3+6 reach 3+5.
        assert_eq!(firsts(&[&[3.0, 1.0], &[6.0, 5.0, 4.0]], 9), PValue { p: 1.0 / 6.0, exact: true, arrangements: 6 });
        assert_eq!(firsts(&[&[3.0, 1.0], &[5.0, 6.0, 4.0]], 9).p, 2.0 / 6.0);
        // A group of one value has no effect.
        assert_eq!(firsts(&[&[3.0, 1.0], &[9.0]], 9).p, 0.5);
        assert!(firsts_are_large(&[vec![1.0]], 9, &mut seeded(1, "test", 0)).is_none());
    }

    #[test]
    fn planted_firsts_are_found_among_many_and_even_ones_are_not() {
        let planted = vec![&[2.0, 0.0, -1.0, -1.0][..]; 40];
        let found = firsts(&planted, 999);
        assert_eq!(found, PValue { p: 0.001, exact: false, arrangements: 1000 });
        let mut even = vec![&[2.0, 0.0, -1.0, -1.0][..]; 20];
        even.extend([&[-1.0, 2.0, 0.0, -1.0][..]; 40]);
        assert!(firsts(&even, 999).p > 0.3);
    }

    #[test]
    fn two_samples_are_dealt_within_their_strata() {
        let stratum = |released: &[f64], fresh: &[f64]| Stratum { released: released.to_vec(), fresh: fresh.to_vec() };
        let mut rng = seeded(1, "test", 0);
        // Of the six choices of two out of four, one has the sum 7 and two have at least 6.
        let mut exact = |strata: &[Stratum]| released_are_larger(strata, 9, &mut rng).unwrap();
        assert_eq!(exact(&[stratum(&[4.0, 3.0], &[2.0, 1.0])]).p, 1.0 / 6.0);
        assert_eq!(exact(&[stratum(&[4.0, 2.0], &[3.0, 1.0])]).p, 2.0 / 6.0);
        // Strata far apart neither hide nor create a difference within them.
        let both = exact(&[stratum(&[4.0, 3.0], &[2.0, 1.0]), stratum(&[104.0, 103.0], &[102.0, 101.0])]);
        assert_eq!((both.p, both.exact, both.arrangements), (1.0 / 36.0, true, 36));
        assert!(released_are_larger(&[stratum(&[1.0], &[])], 9, &mut seeded(1, "test", 0)).is_none());
    }

    #[test]
    fn large_samples_are_drawn() {
        let spread = |shift: f64| (0..50).map(|at| f64::from(at % 10) + shift).collect::<Vec<_>>();
        let p = |shift| {
            let strata = [Stratum { released: spread(shift), fresh: spread(0.0) }];
            released_are_larger(&strata, 999, &mut seeded(1, "test", 0)).unwrap()
        };
        assert_eq!((p(3.0).p, p(3.0).exact), (0.001, false));
        assert!(p(0.0).p > 0.3 && p(-3.0).p > 0.99, "{} {}", p(0.0).p, p(-3.0).p);
    }
}
