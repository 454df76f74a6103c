//! How evenly samples cover the distances of their categories, beside random draws.

use rand::seq::index;

use super::{Category, Sample};
use crate::seed::seeded;
use crate::stats::middle_95;

/// Random draws that a sample is shown beside.
const DRAWS: usize = 1000;

/// Deciles of distance of some stories, by category: 1 holds the nearest tenth of a category's stories.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Stories counted: all that have a distance to a baseline, baselines excluded.
    pub stories: usize,
    /// The deciles, nearest first.
    pub deciles: [Decile; 10],
    /// Cramer-von Mises statistic of the stories' ranks of distance against even ones, summed over the groups that are drawn
    /// from.
    pub unevenness: f64,
    /// Share of random draws that are at least as even, the sample counted as one of them.
    pub evener: f64,
}

/// A decile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decile {
    /// Stories of the sample in it.
    pub stories: usize,
    /// Mean number in random draws of as many stories from the same groups.
    pub expected: f64,
    /// The middle 95 % of such draws.
    pub random: (f64, f64),
}

/// Stories, nearest first, that a sample and random draws take from.
struct Pool {
    /// Their deciles, from 0.
    deciles: Vec<usize>,
    /// Places of those in the sample, in order.
    taken: Vec<usize>,
}

impl Spread {
    /// The spread of a sample, beside draws with equal chances from its cells.
    pub fn of_sample(sample: &Sample, seed: u64) -> Self {
        let drawn: Vec<usize> = sample.drawn.iter().map(|drawn| drawn.story).collect();
        let mut pools = Vec::new();
        for category in sample.categories.iter().filter(|category| category.baseline.is_some()) {
            let deciles = deciles(category);
            pools.extend(category.cells.iter().map(|cell| {
                let there = deciles.iter().filter(|(story, _)| cell.stories.contains(story));
                Pool::new(there, &drawn)
            }));
        }
        Spread::beside_random(&pools, seed)
    }

    /// The spread of other stories of the same data, by the baselines of a sample, beside draws of as many stories from each
    /// category. Also returns how many of them have no distance: baselines, and stories of categories without one.
    pub fn of_stories(stories: &[usize], sample: &Sample, seed: u64) -> (Self, usize) {
        let pools = sample.categories.iter().map(|category| Pool::new(deciles(category).iter(), stories));
        let spread = Spread::beside_random(&pools.collect::<Vec<_>>(), seed);
        let without = stories.len() - spread.stories;
        (spread, without)
    }

    fn beside_random(pools: &[Pool], seed: u64) -> Self {
        let own: Vec<Vec<usize>> = pools.iter().map(|pool| pool.taken.clone()).collect();
        let counts = counts(pools, &own);
        let own = unevenness(pools, &own);
        let (mut as_even, mut drawn) = (0, Vec::new());
        for draw in 0..DRAWS {
            let taken = random(pools, seed, draw);
            // Sums of the same parts may differ in their last bits.
            as_even += usize::from(unevenness(pools, &taken) <= own * (1.0 + 1e-9));
            drawn.push(self::counts(pools, &taken));
        }
        let mut deciles = [Decile::default(); 10];
        for (at, decile) in deciles.iter_mut().enumerate() {
            let expected = pools.iter().filter(|pool| !pool.taken.is_empty()).map(|pool| {
                let there = pool.deciles.iter().filter(|&&decile| decile == at).count();
                (pool.taken.len() * there) as f64 / pool.deciles.len() as f64
            });
            let random = middle_95(drawn.iter().map(|counts| counts[at] as f64).collect());
            *decile = Decile { stories: counts[at], expected: expected.sum(), random };
        }
        let evener = (as_even + 1) as f64 / (DRAWS + 1) as f64;
        Spread { stories: counts.iter().sum(), deciles, unevenness: own, evener }
    }
}

impl Pool {
    fn new<'a>(stories: impl Iterator<Item = &'a (usize, usize)>, taken: &[usize]) -> Self {
        let stories: Vec<&(usize, usize)> = stories.collect();
        let places = stories.iter().enumerate().filter(|(_, (story, _))| taken.contains(story));
        let taken = places.map(|(place, _)| place).collect();
        Pool { deciles: stories.iter().map(|(_, decile)| *decile).collect(), taken }
    }
}

fn counts(pools: &[Pool], taken: &[Vec<usize>]) -> [usize; 10] {
    let mut counts = [0; 10];
    for (pool, taken) in pools.iter().zip(taken) {
        taken.iter().for_each(|&place| counts[pool.deciles[place]] += 1);
    }
    counts
}

/// The sum over pools of 1/(12k) + sum of (u(i) - (2i - 1)/(2k))^2 over the k places taken, in order, where u(i) is the middle of the
/// i-th place as a part of the pool.
fn unevenness(pools: &[Pool], taken: &[Vec<usize>]) -> f64 {
    let of_pool = |(pool, taken): (&Pool, &Vec<usize>)| {
        let (count, all) = (taken.len() as f64, pool.deciles.len() as f64);
        let squares = taken
            .iter()
            .enumerate()
            .map(|(at, &place)| ((place as f64 + 0.5) / all - (at as f64 + 0.5) / count).powi(2));
        if taken.is_empty() { 0.0 } else { 1.0 / (12.0 * count) + squares.sum::<f64>() }
    };
    pools.iter().zip(taken).map(of_pool).sum()
}

/// The decile, from 0, of each story of a category but its baseline.
fn deciles(category: &Category) -> Vec<(usize, usize)> {
    let count = category.others.len();
    category.others.iter().enumerate().map(|(rank, (story, _))| (*story, rank * 10 / count)).collect()
}

/// The places of one random draw, in order.
fn random(pools: &[Pool], seed: u64, draw: usize) -> Vec<Vec<usize>> {
    let mut rng = seeded(seed, "subsample/random", draw);
    let of_pool = |pool: &Pool| {
        let mut places = index::sample(&mut rng, pool.deciles.len(), pool.taken.len()).into_vec();
        places.sort_unstable();
        places
    };
    pools.iter().map(of_pool).collect()
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;

    use super::super::examples::{quotas, stories_of, vectors};
    use super::super::{sample, story_units};
    use super::*;

    /// A sample of 30 of 300 stories at distances that are drawn evenly, its stories other than the baseline replaced.
    fn spread(replaced: impl Fn(&mut Vec<usize>)) -> Spread {
        let items = stories_of(&[(1, 300)]);
        let stories = story_units(&items);
        let mut sample = sample(&stories, Some(&vectors(&stories)), &quotas(30, 30), 5).unwrap();
        let mut pool = sample.categories[0].cells[0].stories.clone();
        replaced(&mut pool);
        let drawn = sample.drawn.iter_mut().filter(|drawn| drawn.bin.is_some());
        drawn.zip(pool).for_each(|(drawn, story)| drawn.story = story);
        Spread::of_sample(&sample, 5)
    }

    #[test]
    fn a_sample_along_the_distances_is_evener_than_random_draws() {
        let items = stories_of(&[(1, 300)]);
        let stories = story_units(&items);
        let sample = sample(&stories, Some(&vectors(&stories)), &quotas(30, 30), 5).unwrap();
        let found = Spread::of_sample(&sample, 5);
        assert_eq!(found.stories, 29, "the baseline has no distance");
        assert!(found.evener < 0.02, "{found:?}");
        assert!((found.deciles.iter().map(|decile| decile.expected).sum::<f64>() - 29.0).abs() < 1e-9);
    }

    #[test]
    fn random_samples_are_as_even_as_random_draws() {
        let shares = (0..60).map(|seed| spread(|pool| pool.shuffle(&mut seeded(seed, "null", 0))).evener);
        let shares: Vec<f64> = shares.collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        // 60 even draws from 0 to 1 have a mean with a standard deviation of 0.037.
        assert!((mean - 0.5).abs() < 0.12, "{mean}");
        assert!(shares.iter().filter(|&&share| share < 0.05).count() <= 9);
    }

    #[test]
    fn the_nearest_stories_alone_are_the_least_even() {
        assert_eq!(spread(|_| {}).evener, 1.0);
    }

    #[test]
    fn other_stories_are_measured_by_the_baselines() {
        let items = stories_of(&[(1, 100)]);
        let stories = story_units(&items);
        let sample = sample(&stories, Some(&vectors(&stories)), &quotas(5, 5), 1).unwrap();
        let category = &sample.categories[0];
        let farthest: Vec<usize> = category.others[90..].iter().map(|(story, _)| *story).collect();
        let others = [&farthest[..], &[category.baseline.unwrap()]].concat();
        let (spread, without) = Spread::of_stories(&others, &sample, 1);
        assert_eq!((spread.stories, without, spread.deciles[9].stories), (9, 1, 9));
    }
}
