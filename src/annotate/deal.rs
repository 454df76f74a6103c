//! Assigns units to people.

use indexmap::IndexMap;
use rand::Rng;
use rand::seq::SliceRandom;

use super::{Code, Unit};
use crate::prompt::Order;
use crate::seed::seeded;

/// Settings of the assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal {
    pub people: Vec<Code>,
    /// Number of people who see each unit; `None` for all.
    pub per_unit: Option<usize>,
    /// Deals whole stories: their units go to the same people and stay together, in their own order.
    pub whole_stories: bool,
    /// Seed of the assignment, of the order of units and of the order of options.
    pub seed: u64,
}

/// One person's work, in order: units by index, each with the order of its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hand {
    pub code: Code,
    /// Units by index among all, with the canonical option that each slot shows.
    pub units: Vec<(usize, Order)>,
}

/// Units that cannot be dealt with these settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DealError {
    /// More people per item than there are.
    #[error("--per-item {per_unit} exceeds the number of people, {people}; lower it, or raise --people")]
    TooMany {
        /// People per item.
        per_unit: usize,
        /// People in total.
        people: usize,
    },
    /// A code given twice.
    #[error("--code {0} is given twice")]
    Twice(Code),
}

/// Deals units. Each pile (a unit, or a story) goes to the people with the fewest so far, with ties drawn by seed, so
/// that hands differ by at most one pile and pairings of people vary. A person's order of piles depends only on seed
/// and code, the order of options only on seed, code and unit.
pub fn deal(deal: &Deal, units: &[Unit]) -> Result<Vec<Hand>, DealError> {
    let people = deal.people.len();
    let per_unit = deal.per_unit.unwrap_or(people);
    if per_unit > people {
        return Err(DealError::TooMany { per_unit, people });
    }
    if let Some((_, twice)) = deal.people.iter().enumerate().find(|&(at, code)| deal.people[..at].contains(code)) {
        return Err(DealError::Twice(twice.clone()));
    }
    let mut piles: Vec<Vec<usize>> = match deal.whole_stories {
        false => (0..units.len()).map(|unit| vec![unit]).collect(),
        true => {
            let mut stories: IndexMap<&str, Vec<usize>> = IndexMap::new();
            for (number, unit) in units.iter().enumerate() {
                stories.entry(&unit.story).or_default().push(number);
            }
            stories.into_values().collect()
        }
    };
    let mut random = seeded(deal.seed, "annotate/deal", 0);
    piles.shuffle(&mut random);
    let mut hands: Vec<Vec<Vec<usize>>> = vec![Vec::new(); people];
    for pile in piles {
        let mut who: Vec<(usize, u64, usize)> =
            hands.iter().enumerate().map(|(person, hand)| (hand.len(), random.random(), person)).collect();
        who.sort_unstable();
        for (.., person) in who.into_iter().take(per_unit) {
            hands[person].push(pile.clone());
        }
    }
    let in_order = |(code, mut hand): (&Code, Vec<Vec<usize>>)| {
        hand.sort_unstable();
        hand.shuffle(&mut seeded(deal.seed, &format!("annotate/person/{code}"), 0));
        let order = |unit: usize| {
            let unit = &units[unit];
            let mut options: Vec<usize> = (0..unit.options.len()).collect();
            options.shuffle(&mut seeded(deal.seed, &format!("annotate/options/{code}/{}", unit.id), 0));
            Order::try_from(options).expect("a shuffle of 0..n is an order")
        };
        Hand { code: code.clone(), units: hand.into_iter().flatten().map(|unit| (unit, order(unit))).collect() }
    };
    Ok(deal.people.iter().zip(hands).map(in_order).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Number of units by the number of people who see them.
    fn seen(hands: &[Hand], units: usize) -> BTreeMap<usize, usize> {
        let mut by_people = BTreeMap::new();
        for unit in 0..units {
            let people = hands.iter().filter(|hand| hand.units.iter().any(|(number, _)| *number == unit)).count();
            *by_people.entry(people).or_default() += 1;
        }
        by_people
    }

    fn units(count: usize) -> Vec<Unit> {
        (0..count)
            .map(|number| Unit {
                options: vec!["a".into(), "b".into(), "c".into(), "d".into()],
                ..Unit::new(&format!("u{number}"), &format!("s{}", number / 3))
            })
            .collect()
    }

    fn dealt(people: usize, per_unit: Option<usize>, whole_stories: bool, count: usize) -> Vec<Hand> {
        let people = (1..=people).map(Code::numbered).collect();
        deal(&Deal { people, per_unit, whole_stories, seed: 0 }, &units(count)).unwrap()
    }

    #[test]
    fn every_unit_is_seen_by_as_many_and_hands_are_even() {
        let hands = dealt(5, Some(2), false, 31);
        assert_eq!(seen(&hands, 31), BTreeMap::from([(2, 31)]));
        let sizes: Vec<usize> = hands.iter().map(|hand| hand.units.len()).collect();
        assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&12), Some(&13)), "{sizes:?}");
        let shared =
            |a: &Hand, b: &Hand| a.units.iter().filter(|(unit, _)| b.units.iter().any(|(u, _)| u == unit)).count();
        assert!((1..5).all(|other| shared(&hands[0], &hands[other]) > 0), "everybody shares units with everybody");
    }

    #[test]
    fn stories_stay_whole_and_together() {
        for hand in dealt(4, Some(3), true, 30) {
            for story in hand.units.chunks(3) {
                let numbers: Vec<usize> = story.iter().map(|(unit, _)| *unit).collect();
                assert_eq!((numbers[0] % 3, numbers[1], numbers[2]), (0, numbers[0] + 1, numbers[0] + 2));
            }
        }
    }

    #[test]
    fn orders_depend_on_seed_and_person_alone() {
        let (all, some) = (dealt(3, None, false, 20), dealt(2, None, false, 20));
        assert_eq!(all[..2], some[..]);
        assert_ne!(all[0].units, all[1].units);
        assert!(all[0].units.iter().any(|(_, order)| *order != Order::identity(4)));
    }

    #[test]
    fn impossible_deals_are_refused() {
        let people = vec![Code::numbered(1), Code::numbered(1)];
        let of = |per_unit| Deal { people: people.clone(), per_unit, whole_stories: false, seed: 0 };
        assert_eq!(deal(&of(Some(3)), &units(1)), Err(DealError::TooMany { per_unit: 3, people: 2 }));
        assert_eq!(deal(&of(None), &units(1)), Err(DealError::Twice(Code::numbered(1))));
    }
}
