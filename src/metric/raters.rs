//! Several people on the same items: individual results and agreement.
//!
//! People's answers are never combined by vote. In tables a value is the mean over people, whatever items each was
//! given, and its interval accounts for people and stories: neither several answers of one person nor several people on
//! one story count as independent.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

use super::{Header, Outcome, Respondent};
use crate::benchmark::Answer;
use crate::stats::{Weights, clustered_mean, clustered_wilson, cohen_kappa_of, fleiss_kappa_of, wilson};

/// The people in one style and condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Raters {
    /// The joint label used in tables.
    #[serde(flatten)]
    pub header: Header,
    /// Individual results, in the order of first answers.
    pub raters: Vec<RaterResult>,
    /// Agreement of their choices.
    pub agreement: RaterAgreement,
}

/// One person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RaterResult {
    /// A person's code.
    pub rater: String,
    /// Items answered, with or without a choice.
    pub items: usize,
    /// Of these, items without a choice; they count as wrong.
    pub without_choice: usize,
    /// Percent right.
    pub accuracy: f64,
    /// 95 % interval, clustered by story; null if all items belong to one story.
    pub interval: Option<(f64, f64)>,
}

/// Agreement of several people's ratings of the same units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RaterAgreement {
    /// Units (items, words or judged units) that several people rated.
    pub units: usize,
    /// Percent of pairs of people that agree, mean over units.
    pub same: Option<f64>,
    /// Fleiss' kappa over the units with the most frequent number of ratings; null if undefined.
    pub fleiss: Option<f64>,
    /// Number of those units.
    pub fleiss_units: usize,
    /// Number of ratings of each of them.
    pub fleiss_raters: usize,
    /// Each pair of people with units in common.
    pub pairs: Vec<RaterPair>,
}

/// Agreement of two people on the units that both rated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RaterPair {
    /// First person.
    pub first: String,
    /// Second person.
    pub second: String,
    /// Units that both rated.
    pub units: usize,
    /// Percent of them on which they agree.
    pub same: f64,
    /// Cohen's kappa, with quadratic weights for ratings; null if undefined.
    pub kappa: Option<f64>,
}

/// A rating: the unit, the rater, and the category.
pub type Rating<'a, C> = (&'a str, &'a str, C);

/// Computes the agreement of ratings. With `weights`, categories are ordered, and the kappa of two people weights a
/// disagreement by its distance in that order among the categories that occur; Fleiss' kappa ignores distances. If a
/// person rated a unit twice, the last rating counts.
///
/// ```
/// use tomeval::{KappaWeights, rater_agreement};
/// let ratings = [("a", "p1", 0), ("a", "p2", 0), ("b", "p1", 0), ("b", "p2", 1)];
/// let found = rater_agreement(&ratings, KappaWeights::Equal);
/// assert_eq!((found.units, found.same), (2, Some(50.0)));
/// ```
pub fn rater_agreement<C: Ord + Clone>(ratings: &[Rating<'_, C>], weights: Weights) -> RaterAgreement {
    rater_agreement_of_runs(ratings, |_| 1, weights)
}

/// Like [`rater_agreement`] for units that each represent several identically rated ones; `count` gives their number.
pub fn rater_agreement_of_runs<C: Ord + Clone>(
    ratings: &[Rating<'_, C>],
    count: impl Fn(&str) -> usize,
    weights: Weights,
) -> RaterAgreement {
    let mut categories: Vec<C> = ratings.iter().map(|(.., category)| category.clone()).collect();
    categories.sort();
    categories.dedup();
    agreement(&categories, ratings, count, weights)
}

/// Like [`rater_agreement`] with categories known beforehand, in order and each once: the numbers of a scale, where
/// unused numbers still count in distances. Ratings outside the categories are ignored.
pub fn rater_agreement_among<C: Ord>(categories: &[C], ratings: &[Rating<'_, C>], weights: Weights) -> RaterAgreement {
    agreement(categories, ratings, |_| 1, weights)
}

fn agreement<C: Ord>(
    categories: &[C],
    ratings: &[Rating<'_, C>],
    count: impl Fn(&str) -> usize,
    weights: Weights,
) -> RaterAgreement {
    let mut units: IndexMap<&str, IndexMap<&str, usize>> = IndexMap::new();
    let mut raters: IndexSet<&str> = IndexSet::new();
    for (unit, rater, category) in ratings {
        let Ok(number) = categories.binary_search(category) else { continue };
        units.entry(*unit).or_default().insert(*rater, number);
        raters.insert(*rater);
    }
    let several = units.iter().filter(|(_, ratings)| ratings.len() > 1);
    let several: Vec<(&IndexMap<&str, usize>, usize)> = several.map(|(unit, ratings)| (ratings, count(unit))).collect();
    let all: usize = several.iter().map(|(_, count)| count).sum();
    let alike = |ratings: &IndexMap<&str, usize>| {
        let same = |(at, one): (usize, &usize)| ratings.values().skip(at + 1).filter(|other| *other == one).count();
        let pairs = ratings.len() * (ratings.len() - 1) / 2;
        ratings.values().enumerate().map(same).sum::<usize>() as f64 / pairs as f64
    };
    let same = several.iter().map(|(ratings, count)| alike(ratings) * *count as f64).sum::<f64>();
    let mut by_number: BTreeMap<usize, Vec<(Vec<usize>, usize)>> = BTreeMap::new();
    for (ratings, count) in &several {
        let mut row = vec![0; categories.len()];
        ratings.values().for_each(|&category| row[category] += 1);
        by_number.entry(ratings.len()).or_default().push((row, *count));
    }
    let units_of = |rows: &[(Vec<usize>, usize)]| rows.iter().map(|(_, count)| count).sum::<usize>();
    let (fleiss_raters, table) =
        by_number.into_iter().max_by_key(|(number, rows)| (units_of(rows), *number)).unwrap_or_default();
    let mut pairs = Vec::new();
    for (at, &first) in raters.iter().enumerate() {
        for &second in raters.iter().skip(at + 1) {
            let both = several
                .iter()
                .filter_map(|(ratings, count)| Some((*ratings.get(first)?, *ratings.get(second)?, *count)));
            let both: Vec<(usize, usize, usize)> = both.collect();
            if both.is_empty() {
                continue;
            }
            let units: usize = both.iter().map(|(.., count)| count).sum();
            let same: usize = both.iter().filter(|(one, other, _)| one == other).map(|(.., count)| count).sum();
            pairs.push(RaterPair {
                first: first.to_string(),
                second: second.to_string(),
                units,
                same: same as f64 / units as f64 * 100.0,
                kappa: cohen_kappa_of(both.into_iter(), categories.len(), weights),
            });
        }
    }
    RaterAgreement {
        units: all,
        same: (all > 0).then(|| same / all as f64 * 100.0),
        fleiss: fleiss_kappa_of(&table),
        fleiss_units: units_of(&table),
        fleiss_raters,
        pairs,
    }
}

/// The people among these outcomes, by style and condition; empty if no outcome is from a person.
pub(super) fn raters(outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> Vec<Raters> {
    let mut presentations: IndexMap<(&str, Option<&str>), IndexMap<&str, Vec<&Outcome<'_>>>> = IndexMap::new();
    for outcome in outcomes {
        let Some(rater) = outcome.rater.as_deref() else { continue };
        let raters = presentations.entry((&outcome.style, outcome.condition.as_deref())).or_default();
        raters.entry(rater).or_default().push(outcome);
    }
    let of = |((style, condition), raters): ((&str, Option<&str>), IndexMap<&str, Vec<&Outcome<'_>>>)| {
        let ratings: Vec<Rating<'_, Vec<usize>>> = raters
            .iter()
            .flat_map(|(rater, outcomes)| {
                outcomes.iter().filter_map(rating).map(move |(id, choice)| (id, *rater, choice))
            })
            .collect();
        Raters {
            header: by.header(style, condition),
            agreement: rater_agreement(&ratings, Weights::Equal),
            raters: raters.iter().map(|(rater, outcomes)| result(rater, outcomes)).collect(),
        }
    };
    presentations.into_iter().map(of).collect()
}

/// The item and the choice; `None` without a choice.
fn rating<'a>(outcome: &&'a Outcome<'a>) -> Option<(&'a str, Vec<usize>)> {
    Some((outcome.item.id.as_str(), outcome.choice.as_ref().map(Answer::options)?))
}

fn result(rater: &str, outcomes: &[&Outcome<'_>]) -> RaterResult {
    let right = outcomes.iter().filter(|outcome| outcome.is_right()).count();
    RaterResult {
        rater: rater.to_string(),
        items: outcomes.len(),
        without_choice: outcomes.iter().filter(|outcome| outcome.choice.is_none()).count(),
        accuracy: right as f64 / outcomes.len() as f64 * 100.0,
        interval: share_interval(outcomes).map(|(low, high)| (low * 100.0, high * 100.0)),
    }
}

fn share_interval(outcomes: &[&Outcome<'_>]) -> Option<(f64, f64)> {
    let mut numbers: IndexSet<&str> = IndexSet::new();
    let stories: Vec<usize> = outcomes.iter().map(|outcome| numbers.insert_full(&outcome.item.story).0).collect();
    let passes: Vec<f64> = outcomes.iter().map(|outcome| f64::from(outcome.is_right())).collect();
    match numbers.len() == outcomes.len() {
        true => wilson(outcomes.iter().filter(|outcome| outcome.is_right()).count(), outcomes.len()),
        false => clustered_wilson(&clustered_mean(&passes, &stories)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_nobody_gave_count_in_distances() {
        // From 1 to 5, 2 and 5 are three steps apart although nobody gave 3 or 4.
        let ratings = [("a", "p", 1), ("a", "q", 2), ("b", "p", 5), ("b", "q", 5), ("c", "p", 2), ("c", "q", 2)];
        let found = rater_agreement_among(&[1, 2, 3, 4, 5], &ratings, Weights::Quadratic);
        assert!((found.pairs[0].kappa.unwrap() - 14.0 / 15.0).abs() < 1e-12);
    }

    #[test]
    fn agreement_of_three_people_by_hand() {
        // Four units, three people, categories 0 and 1. Rows: 3:0, 2:1, 1:2, 0:3.
        let of = |rater: &'static str, ratings: [usize; 4]| {
            ["a", "b", "c", "d"].into_iter().zip(ratings).map(move |(unit, it)| (unit, rater, it))
        };
        let ratings: Vec<Rating<'_, usize>> =
            of("p1", [0, 0, 0, 1]).chain(of("p2", [0, 0, 1, 1])).chain(of("p3", [0, 1, 1, 1])).collect();
        let found = rater_agreement(&ratings, Weights::Equal);
        // Of three pairs each, 3, 1, 1 and 3 agree: (1 + 1/3 + 1/3 + 1) / 4 = 2/3.
        assert!((found.same.unwrap() - 200.0 / 3.0).abs() < 1e-9);
        // Each category has half of the ratings, so chance is 1/2, and kappa (2/3 - 1/2) / (1/2) = 1/3.
        assert!((found.fleiss.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!((found.fleiss_units, found.fleiss_raters, found.units), (4, 3, 4));
        // p1 and p2: 3 of 4 alike; by chance 3/4 * 1/2 + 1/4 * 1/2 = 1/2; kappa 1/2.
        let pair = &found.pairs[0];
        assert_eq!((pair.first.as_str(), pair.second.as_str(), pair.units, pair.same), ("p1", "p2", 4, 75.0));
        assert!((pair.kappa.unwrap() - 0.5).abs() < 1e-12);
        // p1 and p3: 2 of 4; by chance 3/4 * 1/4 + 1/4 * 3/4 = 3/8; kappa (1/2 - 3/8) / (5/8) = 1/5.
        assert!((found.pairs[1].kappa.unwrap() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_unit_that_stands_for_several_counts_as_they_do() {
        let one_by_one: Vec<(String, &str, bool)> = (0..10)
            .flat_map(|word| {
                [("p1", word < 3), ("p2", (2..6).contains(&word)), ("p3", word < 3)]
                    .map(|(rater, is)| (word.to_string(), rater, is))
            })
            .collect();
        let single: Vec<Rating<'_, bool>> = one_by_one.iter().map(|(unit, rater, is)| (&**unit, *rater, *is)).collect();
        let runs = [("0", [true, false, true]), ("2", [true; 3]), ("3", [false, true, false]), ("6", [false; 3])];
        let of = |(unit, marked): (&'static str, [bool; 3])| {
            ["p1", "p2", "p3"].into_iter().zip(marked).map(move |(rater, is)| (unit, rater, is))
        };
        let runs: Vec<Rating<'_, bool>> = runs.into_iter().flat_map(of).collect();
        let count = |unit: &str| match unit {
            "0" => 2,
            "2" => 1,
            "3" => 3,
            _ => 4,
        };
        let (expected, found) =
            (rater_agreement(&single, Weights::Equal), rater_agreement_of_runs(&runs, count, Weights::Equal));
        assert_eq!((found.units, found.fleiss_units, found.fleiss_raters), (10, 10, 3));
        assert!((found.same.unwrap() - expected.same.unwrap()).abs() < 1e-12);
        assert!((found.fleiss.unwrap() - expected.fleiss.unwrap()).abs() < 1e-12);
        assert_eq!(found.pairs, expected.pairs);
    }

    #[test]
    fn units_rated_once_and_by_others_are_no_agreement() {
        let found = rater_agreement(&[("a", "p1", 0), ("b", "p2", 0)], Weights::Equal);
        assert_eq!(found, RaterAgreement::default());
        assert_eq!(rater_agreement::<usize>(&[], Weights::Equal), RaterAgreement::default());
        let uneven = [("a", "p1", 0), ("a", "p2", 0), ("b", "p1", 0), ("b", "p2", 1), ("c", "p1", 1), ("c", "p2", 1)];
        let more = [uneven.to_vec(), vec![("c", "p3", 0)]].concat();
        let found = rater_agreement(&more, Weights::Equal);
        assert_eq!((found.units, found.fleiss_units, found.fleiss_raters), (3, 2, 2));
    }
}
