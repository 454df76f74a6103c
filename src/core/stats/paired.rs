//! Paired changes of items that share stories: each item turned right (1), turned wrong (-1) or neither (0). A mean may
//! have parts with fixed weights despite different numbers of items, and items may have weights.
//!
//! The test flips the signs of the stories' sums. If neither side is better, each story might as well have changed the
//! other way, however its items depend on each other, so all 2^G signs of G stories are equally likely (Fisher 1935,
//! section 21). Stories whose changes sum to zero do not count, and fewer than six others cannot reach 5 %. With one
//! item per story, this is McNemar's exact test.

use std::collections::BTreeMap;

use rand::Rng;

use super::bootstrap::FEWEST_STORIES;
use super::clustered::{ClusteredMean, clustered_mean};
use super::ln_choose;
use crate::seed::seeded;

/// With fewer stories, no signs are as rare as 5 %, so there is no interval.
pub const FEWEST_FLIPPED: usize = 6;

/// With fewer changed stories, the spread of changes is too uncertain for Student's t, and the bounds of a difference
/// come from the number of changed stories.
const FEWEST_CHANGED: usize = 10;

/// Level of the verdict and of the interval.
const LEVEL: f64 = 0.05;

/// Up to this many changed stories, all signs of non-integer sums are enumerated.
const MOST_SIGNS: usize = 20;

/// Number of random signs for more stories.
const DRAWN_SIGNS: usize = 100_000;

/// A mean change with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedChange {
    /// The mean, clustered by story; `None` if a part has a single story. With several parts, its `stories` are its
    /// degrees of freedom plus one.
    pub mean: Option<ClusteredMean>,
    /// Number of stories.
    pub stories: usize,
    /// Number of stories of the smallest part.
    pub fewest_stories: usize,
    /// Share of all signs of the stories' sums that make their total at least as large, in either direction.
    pub p_stories: f64,
    /// Stories in which more items turned right than wrong.
    pub risen: usize,
    /// Stories in which more items turned wrong than right.
    pub fallen: usize,
    /// Number of items over the size of the largest story.
    of_largest: f64,
}

/// Mean of `changes`, where `stories` has the story of each as a number; both have the same length.
///
/// ```
/// # use tomeval_core::stats as tomeval;
/// use tomeval::paired_change;
/// let change = paired_change(&[1, 0, 1, 1, 1, 1, 1], &[0, 0, 1, 2, 3, 4, 5]);
/// // Six stories have risen: two of 64 signs are as extreme.
/// assert_eq!((change.risen, change.p_stories), (6, 2.0 / 64.0));
/// ```
pub fn paired_change(changes: &[i32], stories: &[usize]) -> PairedChange {
    let count = stories.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut sizes) = (vec![0i64; count], vec![0usize; count]);
    for (&change, &story) in changes.iter().zip(stories) {
        sums[story] += i64::from(change);
        sizes[story] += 1;
    }
    let values: Vec<f64> = changes.iter().map(|&change| f64::from(change)).collect();
    let largest = sizes.iter().copied().max().unwrap_or(1);
    let stories_with_items = sizes.iter().filter(|size| **size > 0).count();
    PairedChange {
        mean: clustered_mean(&values, stories),
        stories: stories_with_items,
        fewest_stories: stories_with_items,
        p_stories: sign_flips(&sums),
        risen: sums.iter().filter(|sum| **sum > 0).count(),
        fallen: sums.iter().filter(|sum| **sum < 0).count(),
        of_largest: changes.len() as f64 / largest as f64,
    }
}

/// An item's change with its weight and story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedChange {
    /// 1, 0 or -1.
    pub change: i32,
    /// Above 0.
    pub weight: f64,
    /// Its story as a number.
    pub story: usize,
}

/// Weighted mean of the means of several parts, whose weights add up to 1. Each part's variance has its own factor G
/// / (G - 1) for G stories, and the degrees of freedom are Satterthwaite's over parts (1946), at most the number of
/// stories minus one. Sums of stories are not integers here: up to twenty changed stories, all signs are enumerated;
/// beyond that, 100,000 are drawn with a fixed seed. `None` if a part is empty.
pub fn weighted_change(parts: &[(f64, Vec<WeightedChange>)]) -> Option<PairedChange> {
    if let [(_, only)] = parts
        && only.iter().all(|item| item.weight == only[0].weight)
    {
        let (changes, stories): (Vec<i32>, Vec<usize>) = only.iter().map(|item| (item.change, item.story)).unzip();
        return (!only.is_empty()).then(|| paired_change(&changes, &stories));
    }
    let mut stories: BTreeMap<usize, Summed> = BTreeMap::new();
    let (mut difference, mut variances, mut items, mut fewest) = (0.0, Vec::new(), 0, usize::MAX);
    for (weight, part) in parts {
        let all: f64 = part.iter().map(|item| item.weight).sum();
        if all <= 0.0 {
            return None;
        }
        let mean = part.iter().map(|item| item.weight * f64::from(item.change)).sum::<f64>() / all;
        let mut here: BTreeMap<usize, Summed> = BTreeMap::new();
        for item in part {
            let (story, share) = (here.entry(item.story).or_default(), weight * item.weight / all);
            story.sum += share * f64::from(item.change);
            story.deviation += share * (f64::from(item.change) - mean);
            story.share += share;
        }
        let groups = here.len() as f64;
        let factor = groups / (groups - 1.0);
        difference += weight * mean;
        items += part.len();
        fewest = fewest.min(here.len());
        variances.push((factor * here.values().map(|story| story.deviation.powi(2)).sum::<f64>(), groups - 1.0));
        for (number, story) in here {
            let known = stories.entry(number).or_default();
            known.sum += story.sum;
            known.deviation += factor.sqrt() * story.deviation;
            known.share += story.share;
        }
    }
    let sums: Vec<f64> = stories.values().map(|story| story.sum).collect();
    let of_largest = 1.0 / stories.values().map(|story| story.share).fold(f64::MIN_POSITIVE, f64::max);
    // Sums that are nonzero only by rounding count as zero.
    let rounding = f64::EPSILON * items as f64;
    let squares = stories.values().map(|story| story.deviation).filter(|sum| sum.abs() > rounding).map(|sum| sum * sum);
    let standard_error = squares.sum::<f64>().sqrt();
    let total: f64 = variances.iter().map(|(variance, _)| variance).sum();
    let satterthwaite = total * total / variances.iter().map(|(own, freedom)| own * own / freedom).sum::<f64>();
    let most = if standard_error > 0.0 { satterthwaite } else { of_largest - 1.0 };
    let freedom = most.min(stories.len() as f64 - 1.0).max(1.0);
    let mean =
        ClusteredMean { mean: difference, items, stories: freedom as usize + 1, standard_error, design_effect: None };
    Some(PairedChange {
        mean: (fewest > 1).then_some(mean),
        stories: stories.len(),
        fewest_stories: fewest,
        p_stories: sign_flips_of_reals(&sums),
        risen: sums.iter().filter(|sum| **sum > rounding).count(),
        fallen: sums.iter().filter(|sum| **sum < -rounding).count(),
        of_largest,
    })
}

/// Sums over the items of a story.
#[derive(Default)]
struct Summed {
    sum: f64,
    deviation: f64,
    share: f64,
}

impl PairedChange {
    /// 95 % interval of the difference of shares: [`ClusteredMean::interval`], extended to 0 if
    /// [`PairedChange::p_stories`] does not reach 5 %, so that the two never contradict each other in that direction.
    /// `None` below [`FEWEST_FLIPPED`] stories, or [`FEWEST_STORIES`] in a part.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let enough = self.stories >= FEWEST_FLIPPED && self.fewest_stories >= FEWEST_STORIES;
        let (low, high) = self.mean.filter(|_| enough)?.interval();
        Some(if self.p_stories < LEVEL { (low, high) } else { (low.min(0.0), high.max(0.0)) })
    }

    /// P-value of the two one-sided tests that the difference is beyond -`margin` or `margin`: below 0.05, such a large
    /// difference is excluded. From ten changed stories on, [`ClusteredMean::equivalence`]. Below, exact: with a
    /// difference of the margin, at least that share of stories rises (or falls), and the p-value is the probability
    /// that no more did than were seen. These might be the largest stories, so stories of unequal size count as fewer.
    /// `None` for a single story.
    pub fn equivalence(&self, margin: f64) -> Option<f64> {
        let mean = self.mean?;
        if self.risen + self.fallen >= FEWEST_CHANGED {
            return Some(mean.equivalence(margin));
        }
        let share = margin * self.of_largest / self.stories as f64;
        Some(at_most(self.risen.max(self.fallen), self.stories, share))
    }
}

/// Share of all 2^G sign choices for which the total of G sums is at least as far from zero as observed. Exact for any
/// number of stories: the sums are integers, so the distribution of their total is a table, built story by story.
fn sign_flips(sums: &[i64]) -> f64 {
    let sizes: Vec<usize> = sums.iter().filter(|sum| **sum != 0).map(|sum| sum.unsigned_abs() as usize).collect();
    let (all, found) = (sizes.iter().sum::<usize>(), sums.iter().sum::<i64>().unsigned_abs() as usize);
    if found == 0 {
        return 1.0;
    }
    // The total is as far from zero if the sums of opposite sign add up to at most this; larger values need not be
    // counted.
    let most = (all - found) / 2;
    let mut chances = vec![0.0; most + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for size in sizes {
        reached = (reached + size).min(most);
        for sum in (0..=reached).rev() {
            let with = if sum >= size { chances[sum - size] } else { 0.0 };
            chances[sum] = (chances[sum] + with) / 2.0;
        }
    }
    (2.0 * chances.iter().sum::<f64>()).min(1.0)
}

/// The same for non-integer sums: all signs for up to [`MOST_SIGNS`] sums, else [`DRAWN_SIGNS`] draws plus the observed
/// signs.
fn sign_flips_of_reals(sums: &[f64]) -> f64 {
    let largest = sums.iter().fold(0.0f64, |largest, sum| largest.max(sum.abs()));
    let changed: Vec<f64> = sums.iter().copied().filter(|sum| sum.abs() > 1e-12 * largest).collect();
    // Equal totals may be added up in different orders.
    let extreme = sums.iter().sum::<f64>().abs() - 1e-9 * largest;
    if changed.len() <= MOST_SIGNS {
        let flipped = |signs: u32| {
            let signed = changed.iter().enumerate().map(|(at, sum)| if signs >> at & 1 == 1 { -sum } else { *sum });
            signed.sum::<f64>().abs() >= extreme
        };
        let all = 1u32 << changed.len();
        return (0..all).filter(|&signs| flipped(signs)).count() as f64 / f64::from(all);
    }
    let mut rng = seeded(0, "signs of stories", 0);
    let mut drawn = || {
        let of_word = |sums: &[f64]| {
            let signs: u64 = rng.random();
            sums.iter().enumerate().map(|(at, sum)| if signs >> at & 1 == 1 { -sum } else { *sum }).sum::<f64>()
        };
        changed.chunks(64).map(of_word).sum::<f64>().abs() >= extreme
    };
    let found = (0..DRAWN_SIGNS).filter(|_| drawn()).count();
    (found + 1) as f64 / (DRAWN_SIGNS + 1) as f64
}

/// Probability of at most `count` successes in `trials`, each with probability `chance`.
fn at_most(count: usize, trials: usize, chance: f64) -> f64 {
    if count >= trials || chance >= 1.0 {
        return f64::from(count >= trials);
    }
    let (n, odds) = (trials as u64, (chance.ln(), (-chance).ln_1p()));
    let term = |k: u64| (ln_choose(n, k) + k as f64 * odds.0 + (n - k) as f64 * odds.1).exp();
    (0..=count as u64).map(term).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::mcnemar_exact;
    use super::*;

    /// By enumerating all signs.
    fn all_signs(sums: &[i64]) -> f64 {
        let found = sums.iter().sum::<i64>().abs();
        let signed = |signs: u32| {
            let sign = |at: usize| if signs >> at & 1 == 1 { -1 } else { 1 };
            sums.iter().enumerate().map(|(at, sum)| sign(at) * sum).sum::<i64>().abs()
        };
        let signs = 1u32 << sums.len();
        (0..signs).filter(|&signs| signed(signs) >= found).count() as f64 / f64::from(signs)
    }

    #[test]
    fn the_table_of_sums_is_as_going_through_all_signs() {
        let cases: [&[i64]; 7] = [
            &[1],
            &[0, 0],
            &[1, -1, 3, 0, 2],
            &[5, 5, -5, 1, 1, 1, 1],
            &[-2, -3, -1, -4, -1, -2, 1],
            &[7, 0, -3, 2, 2, 2, -1, 4, 4, -6, 1],
            &[71, -3, 40, 12, 12, 8, 0, 9, -20, 31, 1, 2],
        ];
        for sums in cases {
            assert!((sign_flips(sums) - all_signs(sums)).abs() < 1e-15, "{sums:?}");
        }
        for (risen, fallen) in [(0, 0), (6, 0), (3, 9), (400, 470)] {
            let sums = [vec![1; risen], vec![-1; fallen]].concat();
            let expected = mcnemar_exact(risen as u64, fallen as u64).p_value;
            assert!((sign_flips(&sums) / expected - 1.0).abs() < 1e-9, "{risen} {fallen}");
        }
    }

    #[test]
    fn test_and_interval_do_not_contradict_each_other() {
        let own: Vec<usize> = (0..12).collect();
        // Of five stories that rose, two of 32 signs are as extreme, though t alone would exclude 0.
        let five = paired_change(&[1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], &own);
        assert!(five.p_stories == 2.0 / 32.0 && five.mean.unwrap().interval().0 > 0.0);
        assert_eq!(five.interval().unwrap().0, 0.0);
        let six = paired_change(&[-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0], &own);
        assert!(six.p_stories < 0.05 && six.interval().unwrap().1 < 0.0);
        let two = paired_change(&[1, 1], &[0, 1]);
        assert_eq!((two.interval(), two.p_stories), (None, 0.5));
    }

    #[test]
    fn parts_count_alike_however_many_items_they_have() {
        let part = |first: usize, changes: &[i32], weight: f64| -> Vec<WeightedChange> {
            let item = |(at, &change): (usize, &i32)| WeightedChange { change, weight, story: first + at };
            changes.iter().enumerate().map(item).collect()
        };
        let (large, small) = ([1, 1, 0, 0, 0, 0, 1, 0, 0, 0], [-1, -1, 0, 0, -1]);
        let found = weighted_change(&[(0.5, part(0, &large, 1.0)), (0.5, part(10, &small, 3.0))]).unwrap();
        let mean = found.mean.unwrap();
        assert!((mean.mean - (0.3 - 0.6) / 2.0).abs() < 1e-12);
        // Each part's variance of the mean: 0.21 / 9 and 0.24 / 4; a quarter of their sum.
        assert!((mean.standard_error.powi(2) - (0.21 / 9.0 + 0.24 / 4.0) / 4.0).abs() < 1e-12);
        assert_eq!((found.stories, found.fewest_stories, found.risen, found.fallen), (15, 5, 3, 3));
        // Sums 1/20 three times and -1/10 three times; of 64 signs those are as far from 0 as 3 twentieths: by hand,
        // with k of the small and m of the large ones up, |2 k - 3 + 2 (2 m - 3)| >= 3.
        let choose = [1.0, 3.0, 3.0, 1.0];
        let signs = (0..4).flat_map(|k| (0..4).map(move |m| (k, m)));
        let as_far = signs.filter(|(k, m): &(i32, i32)| (2 * k - 3 + 2 * (2 * m - 3)).abs() >= 3);
        let expected: f64 = as_far.map(|(k, m)| choose[k as usize] * choose[m as usize] / 64.0).sum();
        assert!((found.p_stories - expected).abs() < 1e-12, "{} {expected}", found.p_stories);
        // A single part of equal weights is the plain mean.
        let one = weighted_change(&[(1.0, part(0, &large, 7.0))]).unwrap();
        assert_eq!(one, paired_change(&large, &(0..10).collect::<Vec<_>>()));
        // A part with four stories has no interval.
        let few = weighted_change(&[(0.5, part(0, &large, 1.0)), (0.5, part(10, &small[..4], 1.0))]).unwrap();
        assert!(few.interval().is_none() && found.interval().is_some());
        assert!(weighted_change(&[(1.0, Vec::new())]).is_none());
    }

    #[test]
    fn drawn_signs_agree_with_the_table_of_sums() {
        let sums: Vec<i64> = (0..40).map(|at| if at % 3 == 0 { -1 } else { 1 + at % 2 }).collect();
        let reals: Vec<f64> = sums.iter().map(|&sum| sum as f64 / 7.0).collect();
        let (exact, drawn) = (sign_flips(&sums), sign_flips_of_reals(&reals));
        // Five standard deviations of 100,000 draws.
        let tolerance = 5.0 * (exact * (1.0 - exact) / DRAWN_SIGNS as f64).sqrt();
        assert!((0.005..0.2).contains(&exact) && (drawn - exact).abs() < tolerance, "{exact} {drawn}");
    }

    #[test]
    fn few_changes_exclude_a_difference_only_where_so_few_are_rare() {
        let of = |risen: usize, stories: usize| {
            let changes: Vec<i32> = (0..stories).map(|story| i32::from(story < risen)).collect();
            paired_change(&changes, &(0..stories).collect::<Vec<_>>()).equivalence(0.05).unwrap()
        };
        assert!((of(0, 40) - 0.95f64.powi(40)).abs() < 1e-12);
        // 0.95^100 + 100 0.05 0.95^99 + 4950 0.05^2 0.95^98.
        assert!((of(2, 100) - 0.118_262_981_185_12).abs() < 1e-12, "{}", of(2, 100));
        assert_eq!(of(3, 3), 1.0);
        // One rising story of fifty items is a third of all.
        let mut changes = vec![0; 149];
        changes[..50].fill(1);
        let stories: Vec<usize> = (0..149usize).map(|item| item.saturating_sub(49)).collect();
        assert!(paired_change(&changes, &stories).equivalence(0.05).unwrap() > 0.9);
        assert_eq!(paired_change(&[1, 0], &[0, 0]).equivalence(0.05), None);
    }
}
