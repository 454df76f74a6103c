//! Difference of two groups of items within strata.
//!
//! Items of different kinds (benchmarks, languages, orders of belief) differ in almost any measurement and in how often
//! they belong to a group, so the groups as a whole differ by their composition. Here groups are compared within each
//! stratum, and the differences are combined with weights n1 n2 / (n1 + n2), those of Mantel and Haenszel (1959) and
//! Cochran (1954). The variance is cluster-robust (Liang and Zeger 1986): each item's contribution to the combined
//! difference beyond its group's mean is summed over all items of a story, across groups and strata, so that a story in
//! two strata counts once. Means of few stories absorb part of their variation, so each residual is multiplied by
//! sqrt(g / (g - 1)), g being the number of stories of its group in its stratum. With one stratum and one item per
//! story, this is the variance of Welch's test, and of the paired t test if every story has one item in both groups.

use std::collections::{BTreeMap, BTreeSet};

use super::student::{exceeded_by, upper_tail};

/// Least number of stories per group, over strata with both groups, for a difference.
pub const FEWEST_STORIES_A_GROUP: usize = 5;

/// Least number of stories per group in a stratum, needed to estimate their variation.
const FEWEST_STORIES_A_STRATUM: usize = 2;

/// Membership of a compared item. Strata and stories are equal if their numbers are; a story may be in several strata
/// and in both groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// Number of the stratum.
    pub stratum: usize,
    /// Number of the story.
    pub story: usize,
    /// Whether it belongs to the second group.
    pub second: bool,
}

/// Two groups of items within strata, to compare for any number of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Stratified {
    /// For each compared item: its position in the input, its cell, and its story from 0.
    items: Vec<(usize, usize, usize)>,
    /// Groups within strata.
    cells: Vec<Cell>,
    strata: BTreeSet<usize>,
    stories: (usize, usize),
    all_stories: usize,
}

/// One group within a stratum.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    second: bool,
    items: f64,
    /// Weight of its stratum.
    weight: f64,
    /// Factor on residuals that corrects for the variation absorbed by the mean.
    correction: f64,
}

/// A difference within strata, first minus second, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StratifiedDifference {
    /// Mean of the first group: means within strata, weighted as the strata.
    pub first: f64,
    /// Mean of the second group, with the same weights.
    pub second: f64,
    /// Cluster-robust standard error of the difference.
    pub standard_error: f64,
    /// Degrees of freedom: the number of stories of the group with fewer, minus one.
    pub freedom: f64,
}

impl Stratified {
    /// Groups items, in the order in which values will be given. Strata with fewer than two stories in a group are left
    /// out.
    pub fn new(items: &[Membership]) -> Self {
        // Items and stories of each group, by stratum.
        let mut found: BTreeMap<usize, [(usize, BTreeSet<usize>); 2]> = BTreeMap::new();
        for item in items {
            let (count, stories) = &mut found.entry(item.stratum).or_default()[usize::from(item.second)];
            *count += 1;
            stories.insert(item.story);
        }
        found.retain(|_, groups| groups.iter().all(|(_, stories)| stories.len() >= FEWEST_STORIES_A_STRATUM));
        let weight = |[(first, _), (second, _)]: &[(usize, BTreeSet<usize>); 2]| {
            let (first, second) = (*first as f64, *second as f64);
            first * second / (first + second)
        };
        let whole: f64 = found.values().map(weight).sum();
        let mut cells = Vec::new();
        let mut places: BTreeMap<(usize, bool), usize> = BTreeMap::new();
        let mut stories: [BTreeSet<usize>; 2] = Default::default();
        for (&stratum, groups) in &found {
            for (group, (count, own)) in groups.iter().enumerate() {
                let several = own.len() as f64;
                places.insert((stratum, group == 1), cells.len());
                cells.push(Cell {
                    second: group == 1,
                    items: *count as f64,
                    weight: weight(groups) / whole,
                    correction: (several / (several - 1.0)).sqrt(),
                });
                stories[group].extend(own);
            }
        }
        let numbers: BTreeMap<usize, usize> =
            stories[0].union(&stories[1]).enumerate().map(|(number, &story)| (story, number)).collect();
        let compared = items.iter().enumerate().filter_map(|(place, item)| {
            Some((place, *places.get(&(item.stratum, item.second))?, *numbers.get(&item.story)?))
        });
        Stratified {
            items: compared.collect(),
            cells,
            strata: found.into_keys().collect(),
            stories: (stories[0].len(), stories[1].len()),
            all_stories: numbers.len(),
        }
    }

    /// Strata with two stories in each group; the others are left out.
    pub fn strata(&self) -> &BTreeSet<usize> {
        &self.strata
    }

    /// Number of items per group in these strata.
    pub fn items(&self) -> (usize, usize) {
        let second = self.items.iter().filter(|(_, cell, _)| self.cells[*cell].second).count();
        (self.items.len() - second, second)
    }

    /// Positions of these items in the input.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        self.items.iter().map(|(place, ..)| *place)
    }

    /// Number of stories per group in these strata.
    pub fn stories(&self) -> (usize, usize) {
        self.stories
    }

    /// Combined difference of `values`, one per item in the order of [`Stratified::new`]. `None` if a group has fewer
    /// than [`FEWEST_STORIES_A_GROUP`] stories, or values are missing.
    pub fn difference(&self, values: &[f64]) -> Option<StratifiedDifference> {
        let fewer = self.stories.0.min(self.stories.1);
        if fewer < FEWEST_STORIES_A_GROUP || self.items.last().is_some_and(|(place, ..)| *place >= values.len()) {
            return None;
        }
        let mut means = vec![0.0; self.cells.len()];
        for &(place, cell, _) in &self.items {
            means[cell] += values[place] / self.cells[cell].items;
        }
        let mean = |second: bool| -> f64 {
            let own = self.cells.iter().zip(&means).filter(|(cell, _)| cell.second == second);
            own.map(|(cell, mean)| cell.weight * mean).sum()
        };
        let mut residuals = vec![0.0; self.all_stories];
        let mut largest = 0.0f64;
        for &(place, cell, story) in &self.items {
            let Cell { second, items, weight, correction } = self.cells[cell];
            let residual = weight / items * correction * (values[place] - means[cell]);
            residuals[story] += if second { -residual } else { residual };
            largest = largest.max(values[place].abs());
        }
        let standard_error = residuals.iter().map(|residual| residual * residual).sum::<f64>().sqrt();
        // A value that is nonzero only by rounding is zero.
        let rounding = 16.0 * f64::EPSILON * largest;
        Some(StratifiedDifference {
            first: mean(false),
            second: mean(true),
            standard_error: if standard_error > rounding { standard_error } else { 0.0 },
            freedom: fewer as f64 - 1.0,
        })
    }
}

impl StratifiedDifference {
    /// First minus second.
    pub fn difference(&self) -> f64 {
        self.first - self.second
    }

    /// 95 % interval of the difference; `None` if values do not vary within groups.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let half = || exceeded_by(0.025, self.freedom) * self.standard_error;
        (self.standard_error > 0.0).then(|| (self.difference() - half(), self.difference() + half()))
    }

    /// Two-sided p-value of the test for no difference; `None` if values do not vary within groups.
    pub fn p_value(&self) -> Option<f64> {
        let t = || (self.difference() / self.standard_error).abs();
        (self.standard_error > 0.0).then(|| 2.0 * upper_tail(t(), self.freedom))
    }
}

#[cfg(test)]
mod tests {
    use super::super::clustered_mean;
    use super::*;

    #[test]
    fn strata_that_differ_move_no_difference() {
        // Two strata of ten stories each; the second has values higher by 100, and more items in the second group.
        let item = |stratum, story, second| Membership { stratum, story, second };
        let items: Vec<Membership> = (0..10)
            .map(|story| item(0, story, story > 6))
            .chain((10..20).map(|story| item(1, story, story > 12)))
            .collect();
        let values: Vec<f64> = items
            .iter()
            .map(|item| 100.0 * item.stratum as f64 - f64::from(item.second) + (item.story % 2) as f64)
            .collect();
        let found = Stratified::new(&items).difference(&values).unwrap();
        assert!((0.5..1.5).contains(&found.difference()), "and not -39, as for all items together");
        assert_eq!(found.freedom, 9.0);
    }

    fn item(stratum: usize, story: usize, second: bool) -> Membership {
        Membership { stratum, story, second }
    }

    #[test]
    fn one_stratum_without_shared_stories_has_the_variance_of_welchs_test() {
        // By hand: means 20.6 and 22.2, variances 3.3 and 9.2 over 5 each.
        let items: Vec<Membership> = (0..10).map(|story| item(0, story, story > 4)).collect();
        let found = Stratified::new(&items).difference(&[18.0, 20.0, 21.0, 21.0, 23.0, 18.0, 21.0, 22.0, 24.0, 26.0]);
        let found = found.unwrap();
        assert!((found.difference() + 1.6).abs() < 1e-12 && found.freedom == 4.0, "{found:?}");
        assert!((found.standard_error - 2.5f64.sqrt()).abs() < 1e-12, "{found:?}");
        let (low, high) = found.interval().unwrap();
        assert!((low + high + 3.2).abs() < 1e-12 && (high + 1.6 - 2.776_445_105 * 2.5f64.sqrt()).abs() < 1e-8);
        assert!((0.3..0.4).contains(&found.p_value().unwrap()));
    }

    #[test]
    fn a_pair_in_every_story_makes_it_the_paired_test() {
        let (one, other) = ([0.3, 0.5, 0.1, 0.9, 0.4], [0.2, 0.1, 0.15, 0.6, 0.35]);
        let items: Vec<Membership> = (0..10).map(|place| item(0, place % 5, place > 4)).collect();
        let found = Stratified::new(&items).difference(&[one, other].concat()).unwrap();
        let differences: Vec<f64> = one.iter().zip(&other).map(|(one, other)| one - other).collect();
        let paired = clustered_mean(&differences, &[0, 1, 2, 3, 4]).unwrap();
        assert!((found.standard_error - paired.standard_error).abs() < 1e-12);
        assert!((found.p_value().unwrap() - paired.p_value().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn two_strata_by_hand() {
        // Stratum 0: 4 and 2 items, means 2.5 and 1; stratum 1: 2 and 4 items, means 11 and 8.5. Both weights are 4 /
        // 3, so the difference is (1.5 + 2.5) / 2 = 2.
        let groups = [(0, false, 4), (0, true, 2), (1, false, 2), (1, true, 4)];
        let mut items = Vec::new();
        for (stratum, second, count) in groups {
            for _ in 0..count {
                items.push(item(stratum, items.len(), second));
            }
        }
        let values = [1.0, 2.0, 3.0, 4.0, 0.0, 2.0, 10.0, 12.0, 7.0, 8.0, 9.0, 10.0];
        let design = Stratified::new(&items);
        assert_eq!((design.items(), design.stories(), design.strata().len()), ((6, 6), (6, 6), 2));
        let found = design.difference(&values).unwrap();
        assert!((found.difference() - 2.0).abs() < 1e-12 && (found.first - 6.75).abs() < 1e-12, "{found:?}");
        // Variances over items: (5/3 / 4 + 2 / 2) / 4 in each stratum.
        assert!((found.standard_error.powi(2) - 2.0 * (5.0 / 12.0 + 1.0) / 4.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found.freedom, 5.0);
    }

    #[test]
    fn the_same_items_in_two_strata_are_no_surer_than_once() {
        let values: Vec<f64> = (0..24).map(|place| f64::from((place * 7) % 11)).collect();
        let once: Vec<Membership> = (0..24).map(|place| item(0, place / 2, place % 3 == 0)).collect();
        let again = once.iter().map(|&member| Membership { stratum: 1, ..member });
        let twice: Vec<Membership> = once.iter().copied().chain(again).collect();
        let one = Stratified::new(&once).difference(&values).unwrap();
        let two = Stratified::new(&twice).difference(&[&values[..], &values].concat()).unwrap();
        assert!((one.difference() - two.difference()).abs() < 1e-12);
        assert!((one.standard_error - two.standard_error).abs() < 1e-12 && one.freedom == two.freedom);
        let apart = twice.iter().enumerate().map(|(place, &member)| match place < 24 {
            true => member,
            false => Membership { story: member.story + 100, ..member },
        });
        let apart = Stratified::new(&apart.collect::<Vec<_>>()).difference(&[&values[..], &values].concat()).unwrap();
        assert!(apart.standard_error < 0.8 * one.standard_error, "as if the versions were other stories");
    }

    #[test]
    fn strata_without_both_groups_are_left_out_and_few_stories_have_no_difference() {
        let mut items: Vec<Membership> = (0..10).map(|story| item(0, story, story > 4)).collect();
        items.extend([item(1, 20, false), item(1, 21, false), item(1, 22, true), item(1, 22, true), item(2, 23, true)]);
        let design = Stratified::new(&items);
        assert_eq!((design.strata().len(), design.items()), (1, (5, 5)), "one story of a group is not enough");
        assert_eq!(design.places().collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        assert!(design.difference(&[1.0; 15]).unwrap().p_value().is_none(), "equal values have no test");
        assert!(design.difference(&[0.2; 15]).unwrap().interval().is_none(), "their mean is not 0.2 to the last bit");
        assert_eq!(Stratified::new(&items[1..10]).difference(&[1.0; 9]), None);
        assert_eq!(Stratified::new(&[]).difference(&[]), None);
    }
}
