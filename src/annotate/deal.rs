//! Assigns units to people.

use std::collections::HashMap;

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
    /// Number of people who see each unit; `None` for all, shared among the versions of a question.
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
    /// Fewer people than the versions of a question need.
    #[error(
        "`{one}` and `{other}` are versions of the same question, which nobody is given twice: {versions} versions, \
         each for {per_unit}, need {needed} people, and there are {people}; pass --people {needed}{lower}, or choose one \
         version with --language or --where",
        needed = versions * per_unit, lower = if *per_unit > 1 { " or a lower --per-item" } else { "" }
    )]
    Versions {
        /// A unit, or a story.
        one: String,
        /// Another version of it.
        other: String,
        /// Versions in total.
        versions: usize,
        /// People per version.
        per_unit: usize,
        /// People in total.
        people: usize,
    },
    /// A story with two versions of a question.
    #[error(
        "`{0}` and `{1}` are versions of the same question in one story, which nobody is given twice; leave out \
         --whole-stories, or choose one version with --where"
    )]
    Within(String, String),
}

/// Deals units. Each pile (a unit, or a story) goes to the people with the fewest so far, with ties drawn by seed, so
/// that hands differ by at most one pile and pairings of people vary. Piles with versions of the same question go to
/// different people. A person's order of piles depends only on seed and code, the order of options only on seed, code
/// and unit.
pub fn deal(deal: &Deal, units: &[Unit]) -> Result<Vec<Hand>, DealError> {
    let people = deal.people.len();
    let per_unit = deal.per_unit.unwrap_or(people);
    if per_unit > people {
        return Err(DealError::TooMany { per_unit, people });
    }
    if let Some((_, twice)) = deal.people.iter().enumerate().find(|&(at, code)| deal.people[..at].contains(code)) {
        return Err(DealError::Twice(twice.clone()));
    }
    let piles: Vec<Vec<usize>> = match deal.whole_stories {
        false => (0..units.len()).map(|unit| vec![unit]).collect(),
        true => {
            let mut stories: IndexMap<&str, Vec<usize>> = IndexMap::new();
            for (number, unit) in units.iter().enumerate() {
                stories.entry(&unit.story).or_default().push(number);
            }
            stories.into_values().collect()
        }
    };
    let mut versions = versions(piles, units)?;
    for group in &versions {
        let per_unit = deal.per_unit.unwrap_or(1);
        if let ([one, other, ..], true) = (&group[..], group.len() * per_unit > people) {
            let name = |pile: &[usize]| match (deal.whole_stories, &units[pile[0]]) {
                (true, unit) => unit.story.clone(),
                (false, unit) => unit.id.clone(),
            };
            let (one, other) = (name(one), name(other));
            return Err(DealError::Versions { one, other, versions: group.len(), per_unit, people });
        }
    }
    let mut random = seeded(deal.seed, "annotate/deal", 0);
    versions.shuffle(&mut random);
    let mut hands: Vec<Vec<Vec<usize>>> = vec![Vec::new(); people];
    for group in versions {
        let mut who: Vec<(usize, u64, usize)> =
            hands.iter().enumerate().map(|(person, hand)| (hand.len(), random.random(), person)).collect();
        who.sort_unstable();
        let per_pile = deal.per_unit.unwrap_or(people / group.len());
        who.truncate(group.len() * per_pile);
        if group.len() > 1 {
            who.shuffle(&mut random);
        }
        for (pile, who) in group.iter().zip(who.chunks(per_pile.max(1))) {
            who.iter().for_each(|(.., person)| hands[*person].push(pile.clone()));
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

/// Groups piles by the questions of which they hold versions, directly or by way of other piles, in order of occurrence.
fn versions(piles: Vec<Vec<usize>>, units: &[Unit]) -> Result<Vec<Vec<Vec<usize>>>, DealError> {
    fn root(of: &[usize], mut pile: usize) -> usize {
        while of[pile] != pile {
            pile = of[pile];
        }
        pile
    }
    let mut of: Vec<usize> = (0..piles.len()).collect();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (number, pile) in piles.iter().enumerate() {
        let mut within: HashMap<&str, usize> = HashMap::new();
        for &unit in pile {
            let question = units[unit].question_id();
            if let Some(other) = within.insert(question, unit) {
                return Err(DealError::Within(units[other].id.clone(), units[unit].id.clone()));
            }
            let (one, other) = (root(&of, number), root(&of, *first.entry(question).or_insert(number)));
            of[one.max(other)] = one.min(other);
        }
    }
    let mut groups: IndexMap<usize, Vec<Vec<usize>>> = IndexMap::new();
    for (number, pile) in piles.into_iter().enumerate() {
        groups.entry(root(&of, number)).or_default().push(pile);
    }
    Ok(groups.into_values().collect())
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

    /// Units of which each question has as many versions as drawn, up to `most`, each version in a story of its own.
    fn with_versions(random: &mut impl Rng, questions: usize, most: usize) -> Vec<Unit> {
        let of_question = |(question, versions): (usize, usize)| {
            (0..versions).map(move |version| Unit {
                parallel: Some(format!("q{question}")),
                ..Unit::new(&format!("q{question}/v{version}"), &format!("s{}/v{version}", question / 2))
            })
        };
        let versions: Vec<usize> = (0..questions).map(|_| random.random_range(1..=most)).collect();
        let mut units: Vec<Unit> = versions.into_iter().enumerate().flat_map(of_question).collect();
        units.shuffle(random);
        units
    }

    #[test]
    fn nobody_is_given_two_versions_of_a_question() {
        let mut random = seeded(0, "versions of questions", 0);
        let (mut dealt, mut refused) = (0, 0);
        for seed in 0..600 {
            let (questions, most) = (random.random_range(1..30), random.random_range(1..5));
            let units = with_versions(&mut random, questions, most);
            let people: usize = random.random_range(1..12);
            let per_unit = random.random_bool(0.7).then(|| random.random_range(1..=people));
            let whole_stories = random.random_bool(0.3);
            let settings = Deal { people: (1..=people).map(Code::numbered).collect(), per_unit, whole_stories, seed };
            let versions = |unit: &Unit| units.iter().filter(|other| other.parallel == unit.parallel).count();
            let most = units.iter().map(versions).max().unwrap();
            let hands = match deal(&settings, &units) {
                Ok(hands) => hands,
                Err(DealError::Versions { .. }) => {
                    assert!(whole_stories || most * per_unit.unwrap_or(1) > people, "{settings:?}");
                    refused += 1;
                    continue;
                }
                Err(other) => panic!("{other}"),
            };
            dealt += 1;
            assert!(most * per_unit.unwrap_or(1) <= people, "{settings:?}");
            for hand in &hands {
                let mut questions: Vec<&str> = hand.units.iter().map(|(unit, _)| units[*unit].question_id()).collect();
                let all = questions.len();
                questions.sort_unstable();
                questions.dedup();
                assert_eq!(questions.len(), all, "{settings:?}: {hand:?}");
            }
            for (number, unit) in units.iter().enumerate() {
                let seen = hands.iter().filter(|hand| hand.units.iter().any(|(other, _)| *other == number)).count();
                match per_unit {
                    Some(per_unit) => assert_eq!(seen, per_unit, "{settings:?}"),
                    None if whole_stories => assert!(seen >= 1),
                    None => assert_eq!(seen, people / versions(unit)),
                }
            }
            if !whole_stories {
                let sizes: Vec<usize> = hands.iter().map(|hand| hand.units.len()).collect();
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
            }
        }
        assert!(dealt > 100 && refused > 100, "{dealt} dealt, {refused} refused");
    }

    #[test]
    fn too_few_people_for_the_versions_are_told_how_many_it_takes() {
        let version = |id: &str, story: &str| Unit { parallel: Some("q".into()), ..Unit::new(id, story) };
        let of = |people: usize, per_unit, whole_stories| Deal {
            people: (1..=people).map(Code::numbered).collect(),
            per_unit,
            whole_stories,
            seed: 0,
        };
        let units = [version("q/en", "s/en"), version("q/zh", "s/zh")];
        let alone = deal(&of(1, None, false), &units).unwrap_err().to_string();
        assert!(alone.contains("`q/en` and `q/zh`") && alone.contains("pass --people 2, or"), "{alone}");
        let three = deal(&of(5, Some(3), true), &units).unwrap_err().to_string();
        assert!(three.contains("`s/en` and `s/zh`") && three.contains("pass --people 6 or a lower"), "{three}");
        let within = deal(&of(9, Some(1), true), &[version("q/a", "s"), version("q/b", "s")]).unwrap_err();
        assert!(within.to_string().contains("leave out --whole-stories"), "{within}");
    }
}
