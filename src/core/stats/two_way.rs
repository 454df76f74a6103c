//! Statistics of answers clustered by both story and person, each a sample.
//!
//! The variance is that over people plus that over stories minus that over single answers (Cameron, Gelbach and Miller
//! 2011), each by the jackknife, which works for any statistic computed from sums; it is never less than either of the
//! first two. Quantiles are Student's t, with degrees of freedom one less than the number of people or stories,
//! whichever is smaller.

use std::collections::BTreeMap;
use std::ops::Range;

use super::clustered::score_interval;
use super::student::exceeded_by;
use super::wilson;

/// A person's contributions, from the answers about one story, to the sums from which statistics are computed.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoWayCell {
    /// Respondent.
    pub person: usize,
    /// Story.
    pub story: usize,
    /// Indices of sums and what is added to them.
    pub adds: Vec<(usize, f64)>,
}

/// Uncertainty of a statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoWay {
    /// Variance; zero if all people and stories are alike.
    pub variance: f64,
    /// Number of people.
    pub people: usize,
    /// Number of stories.
    pub stories: usize,
}

impl TwoWay {
    fn quantile(&self) -> f64 {
        exceeded_by(0.025, self.people.min(self.stories) as f64 - 1.0)
    }

    /// 95 % interval of a share with this value: Wilson's formula with the number of answers that would have this
    /// variance; if all or none are right, with the number of people or stories, whichever is smaller. `None` if all
    /// are alike otherwise.
    pub fn share(&self, value: f64) -> Option<(f64, f64)> {
        let fewest = self.people.min(self.stories);
        match (value, self.variance > 0.0) {
            (value, _) if value <= 0.0 => wilson(0, fewest),
            (value, _) if value >= 1.0 => wilson(fewest, fewest),
            (value, true) => Some(score_interval(value, value * (1.0 - value) / self.variance, self.quantile())),
            (_, false) => None,
        }
    }

    /// 95 % interval of an unbounded value. `None` if all are alike.
    pub fn unbounded(&self, value: f64) -> Option<(f64, f64)> {
        let half = self.quantile() * self.variance.sqrt();
        (self.variance > 0.0).then_some((value - half, value + half))
    }
}

/// Uncertainty of each statistic that `statistics` computes from `width` sums, of which it uses those at `uses`. `None`
/// if fewer than two people or two stories add to these, or if it is undefined without one of them.
pub fn two_way(
    cells: &[TwoWayCell],
    width: usize,
    uses: &[Vec<Range<usize>>],
    statistics: impl Fn(&[f64]) -> Vec<Option<f64>>,
) -> Vec<Option<TwoWay>> {
    let mut sums = vec![0.0; width];
    cells.iter().flat_map(|cell| &cell.adds).for_each(|(position, value)| sums[*position] += value);
    let values = statistics(&sums);
    let mut people: BTreeMap<usize, Vec<&TwoWayCell>> = BTreeMap::new();
    let mut stories: BTreeMap<usize, Vec<&TwoWayCell>> = BTreeMap::new();
    for cell in cells {
        people.entry(cell.person).or_default().push(cell);
        stories.entry(cell.story).or_default().push(cell);
    }
    let alone: Vec<Vec<&TwoWayCell>> = cells.iter().map(|cell| vec![cell]).collect();
    // For each statistic: the number of clusters and the variance; `None` if it is undefined without one of them.
    let spread = |left_out: &[Vec<&TwoWayCell>]| -> Vec<(usize, Option<f64>)> {
        let mut found = vec![(0, Some(0.0)); values.len()];
        for cells in left_out {
            let mut without = sums.clone();
            let adds = || cells.iter().flat_map(|cell| &cell.adds);
            adds().for_each(|(position, value)| without[*position] -= value);
            for (at, value) in statistics(&without).into_iter().enumerate() {
                if adds().any(|(position, _)| uses[at].iter().any(|range| range.contains(position))) {
                    let (count, squares) = &mut found[at];
                    *count += 1;
                    let off = value.zip(values[at]).map(|(without, with)| without - with);
                    *squares = squares.zip(off).map(|(squares, off)| squares + off * off);
                }
            }
        }
        let factor = |count: usize| (count as f64 - 1.0) / count.max(1) as f64;
        found.into_iter().map(|(count, squares)| (count, squares.map(|squares| squares * factor(count)))).collect()
    };
    let people: Vec<Vec<&TwoWayCell>> = people.into_values().collect();
    let stories: Vec<Vec<&TwoWayCell>> = stories.into_values().collect();
    let (by_person, by_story, by_both) = (spread(&people), spread(&stories), spread(&alone));
    let sure = |at: usize| {
        let ((people, of_people), (stories, of_stories)) = (by_person[at], by_story[at]);
        let (of_people, of_stories) = (of_people?, of_stories?);
        let variance = (of_people + of_stories - by_both[at].1?).max(of_people).max(of_stories);
        (people > 1 && stories > 1).then_some(TwoWay { variance, people, stories })
    };
    (0..values.len()).map(sure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each person's share from a sum of its own, as in a table.
    fn mean_of_people(people: usize) -> impl Fn(&[f64]) -> Vec<Option<f64>> {
        move |sums| {
            let shares: Vec<f64> =
                (0..people).filter(|at| sums[2 * at + 1] > 0.5).map(|at| sums[2 * at] / sums[2 * at + 1]).collect();
            vec![(!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)]
        }
    }

    fn cell(person: usize, story: usize, right: f64) -> TwoWayCell {
        TwoWayCell { person, story, adds: vec![(2 * person, right), (2 * person + 1, 1.0)] }
    }

    #[test]
    fn people_who_are_sure_of_themselves_differ_as_their_means_do() {
        // Four people, each all right or all wrong on every story: the variance is that of their four means.
        let cells: Vec<TwoWayCell> = (0..4)
            .flat_map(|person| (0..20).map(move |story| cell(person, story, f64::from(person % 2 == 0))))
            .collect();
        let [Some(sure)] = two_way(&cells, 8, &[vec![0..8]], mean_of_people(4))[..] else { panic!("one statistic") };
        assert_eq!((sure.people, sure.stories), (4, 20));
        assert!((sure.variance - 0.25 / 3.0).abs() < 1e-9, "{sure:?}");
        let (low, high) = sure.share(0.5).unwrap();
        assert!(low < 0.15 && high > 0.85, "{low} {high}");
    }

    #[test]
    fn stories_that_all_find_hard_differ_as_their_means_do() {
        let cells: Vec<TwoWayCell> = (0..20)
            .flat_map(|person| (0..4).map(move |story| cell(person, story, f64::from(story % 2 == 0))))
            .collect();
        let [Some(sure)] = two_way(&cells, 40, &[vec![0..40]], mean_of_people(20))[..] else { panic!("one statistic") };
        assert!((sure.variance - 0.25 / 3.0).abs() < 1e-9, "{sure:?}");
    }

    #[test]
    fn one_person_or_one_story_shows_nothing() {
        let one: Vec<TwoWayCell> = (0..9).map(|story| cell(0, story, f64::from(story % 2 == 0))).collect();
        assert_eq!(two_way(&one, 2, &[vec![0..2]], mean_of_people(1)), [None]);
        let same: Vec<TwoWayCell> = (0..9).map(|person| cell(person, 0, f64::from(person % 2 == 0))).collect();
        assert_eq!(two_way(&same, 18, &[vec![0..18]], mean_of_people(9)), [None]);
        assert_eq!(two_way(&[], 0, &[], |_| Vec::new()), []);
    }
}
