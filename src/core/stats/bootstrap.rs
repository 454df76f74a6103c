//! Bootstrap intervals by resampling stories.

use std::collections::BTreeMap;

use rand::Rng;

use super::quantile::middle_95;

/// Number of bootstrap resamples.
pub const RESAMPLES: usize = 2000;

/// Least number of stories for an interval: resampled intervals from fewer are far too narrow.
pub const FEWEST_STORIES: usize = 5;

/// A story's contributions to the sums from which statistics are computed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// Index of a sum and what is added to it. Stories with the same indices form a stratum.
    pub adds: Vec<(usize, f64)>,
}

/// 95 % percentile intervals of statistics computed from sums over stories.
///
/// Stories are resampled within strata (stories that add to the same sums), because the papers' tables fix the number
/// of questions per cell. From a stratum of m stories, m - 1 are drawn, each with weight m / (m - 1), so that intervals
/// of small strata are not too narrow (Rao and Wu 1988). Stories alone in their stratum are pooled into one. A
/// statistic that is undefined in more than half of the draws, or that has fewer than [`FEWEST_STORIES`], has no
/// interval; other undefined draws are left out.
///
/// `width` is the number of sums; `statistics` turns the sums into values.
pub fn clustered_bootstrap(
    clusters: &[Cluster],
    width: usize,
    mut rng: impl Rng,
    statistics: impl Fn(&[f64]) -> Vec<Option<f64>>,
) -> Vec<Option<(f64, f64)>> {
    let strata = strata(clusters);
    let mut sums = vec![0.0; width];
    let mut draws: Vec<Vec<f64>> = Vec::new();
    for _ in 0..RESAMPLES {
        sums.fill(0.0);
        for stratum in &strata {
            let drawn = stratum.len().saturating_sub(1).max(1);
            let weight = stratum.len() as f64 / drawn as f64;
            for _ in 0..drawn {
                for &(position, value) in &stratum[rng.random_range(0..stratum.len())].adds {
                    sums[position] += weight * value;
                }
            }
        }
        let values = statistics(&sums);
        draws.resize(values.len(), Vec::new());
        for (series, value) in draws.iter_mut().zip(values) {
            series.extend(value);
        }
    }
    let enough = clusters.len() >= FEWEST_STORIES;
    draws.into_iter().map(|series| (enough && series.len() * 2 > RESAMPLES).then(|| middle_95(series))).collect()
}

fn strata(clusters: &[Cluster]) -> Vec<Vec<&Cluster>> {
    let mut by_positions: BTreeMap<Vec<usize>, Vec<&Cluster>> = BTreeMap::new();
    for cluster in clusters {
        let positions = cluster.adds.iter().map(|(position, _)| *position).collect();
        by_positions.entry(positions).or_default().push(cluster);
    }
    let (alone, mut strata): (Vec<_>, Vec<_>) = by_positions.into_values().partition(|stratum| stratum.len() == 1);
    if !alone.is_empty() {
        strata.push(alone.concat());
    }
    strata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::seeded;

    fn share(sums: &[f64]) -> Vec<Option<f64>> {
        vec![(sums[1] > 0.0).then(|| sums[0] / sums[1])]
    }

    fn stories(right: usize, wrong: usize, questions: usize) -> Vec<Cluster> {
        let story = |right: bool| Cluster {
            adds: vec![(0, if right { questions as f64 } else { 0.0 }), (1, questions as f64)],
        };
        (0..right + wrong).map(|index| story(index < right)).collect()
    }

    #[test]
    fn the_interval_of_a_share_is_that_of_the_normal_approximation() {
        let interval = clustered_bootstrap(&stories(100, 100, 1), 2, seeded(1, "a", 0), share)[0].unwrap();
        let half = 1.96 * (0.25f64 / 199.0).sqrt();
        assert!((interval.0 - (0.5 - half)).abs() < 0.01 && (interval.1 - (0.5 + half)).abs() < 0.01, "{interval:?}");
    }

    #[test]
    fn questions_of_one_story_do_not_count_as_independent() {
        let one = clustered_bootstrap(&stories(10, 10, 1), 2, seeded(1, "a", 0), share)[0].unwrap();
        let many = clustered_bootstrap(&stories(10, 10, 50), 2, seeded(1, "a", 0), share)[0].unwrap();
        // Equal up to rounding in the sums.
        assert!((one.0 - many.0).abs() < 1e-12 && (one.1 - many.1).abs() < 1e-12, "{one:?} {many:?}");
    }

    #[test]
    fn draws_depend_on_the_generator_only() {
        let draw = |seed| clustered_bootstrap(&stories(7, 13, 2), 2, seeded(seed, "a", 0), share);
        assert_eq!(draw(3), draw(3));
    }

    #[test]
    fn a_cell_keeps_its_number_of_stories_in_every_draw() {
        let mut clusters = stories(3, 3, 1);
        clusters.extend([0.0, 1.0].map(|right| Cluster { adds: vec![(2, right), (3, 1.0)] }));
        let count = |sums: &[f64]| vec![Some(sums[1]), Some(sums[3])];
        let intervals = clustered_bootstrap(&clusters, 4, seeded(1, "a", 0), count);
        let near = |interval: Option<(f64, f64)>, n: f64| {
            let (low, high) = interval.unwrap();
            (low - n).abs() < 1e-9 && (high - n).abs() < 1e-9
        };
        assert!(near(intervals[0], 6.0) && near(intervals[1], 2.0), "{intervals:?}");
    }

    #[test]
    fn few_stories_or_an_undefined_statistic_have_no_interval() {
        assert_eq!(clustered_bootstrap(&stories(2, 2, 5), 2, seeded(1, "a", 0), share), [None]);
        assert!(clustered_bootstrap(&stories(3, 2, 5), 2, seeded(1, "a", 0), share)[0].is_some());
        assert_eq!(clustered_bootstrap(&stories(5, 5, 1), 2, seeded(1, "a", 0), |_| vec![None]), [None]);
        assert_eq!(clustered_bootstrap(&[], 2, seeded(1, "a", 0), share), [None]);
    }
}
