//! Random word sets that resemble a given one.
//!
//! All sets have as many word types, nearly as many tokens, and other matched properties on request. Sets match if they
//! fall in the same fixed classes, not if they are near the given set: among sets around a given one, that set is
//! always in the middle and thus not exchangeable with the others. Sets are drawn by a random walk that swaps words and
//! stays within the class. All draws start from one set, which is itself a walk away from the given set, so that under
//! the hypothesis that the given set is an arbitrary member of its class, it and the draws are exchangeable, however
//! slowly the walk mixes (Besag and Clifford 1989, "Generalized Monte Carlo significance tests", parallel method).

use rand::Rng;
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;
use crate::seed::seeded;

/// Properties in which random words match the tested words, besides their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Match {
    /// Number of tokens, in classes a fifth wide.
    Tokens,
    /// Mean place in the scope, in fifths of its length.
    Place,
    /// Number of function words.
    FunctionWords,
}

named!(Match, "match");

/// A word type, with all its ranked occurrences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordType {
    /// Tokens of all occurrences.
    pub tokens: f64,
    /// Number of occurrences.
    pub occurrences: usize,
    /// Sum of the places of all occurrences, each from 0 (start of the scope) to 1 (end).
    pub places: f64,
    /// Whether it is a function word.
    pub is_function: bool,
}

/// Sets of word types that resemble a given one.
#[derive(Debug)]
pub struct WordSets<'a> {
    types: &'a [WordType],
    matching: &'a [Match],
    /// The given set, then all other words.
    given: Vec<usize>,
    others: Vec<usize>,
    sums: Sums,
}

/// Proposed swaps between one set and the next.
const STEPS: usize = 1000;

/// Most words swapped at once.
const SWAPS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Sums {
    tokens: f64,
    occurrences: usize,
    places: f64,
    function: usize,
}

impl Sums {
    fn new(types: &[WordType], set: &[usize]) -> Sums {
        let mut sums = Sums { tokens: 0.0, occurrences: 0, places: 0.0, function: 0 };
        for &index in set {
            let word = types[index];
            sums.tokens += word.tokens;
            sums.occurrences += word.occurrences;
            sums.places += word.places;
            sums.function += usize::from(word.is_function);
        }
        sums
    }

    fn place(&self) -> f64 {
        self.places / self.occurrences.max(1) as f64
    }
}

impl<'a> WordSets<'a> {
    /// Sets that resemble `given`, which indexes `types`. `None` if there are no other words.
    pub fn like(types: &'a [WordType], given: &[usize], matching: &'a [Match]) -> Option<Self> {
        let others: Vec<usize> = (0..types.len()).filter(|index| !given.contains(index)).collect();
        let sums = Sums::new(types, given);
        (!given.is_empty() && !others.is_empty()).then(|| WordSets {
            types,
            matching,
            given: given.to_vec(),
            others,
            sums,
        })
    }

    /// The set of a draw, determined by the seed, the key and the draw's number; in ascending order.
    pub fn draw(&self, seed: u64, key: &str, draw: usize) -> Vec<usize> {
        let (mut inside, mut outside) = (self.given.clone(), self.others.clone());
        // Number 0 is the walk to the common start of all draws.
        self.walk(&mut inside, &mut outside, &mut seeded(seed, key, 0));
        self.walk(&mut inside, &mut outside, &mut seeded(seed, key, draw + 1));
        inside.sort_unstable();
        inside
    }

    /// Tokens of a set.
    pub fn tokens(&self, set: &[usize]) -> f64 {
        Sums::new(self.types, set).tokens
    }

    fn walk(&self, inside: &mut [usize], outside: &mut [usize], generator: &mut impl Rng) {
        for _ in 0..STEPS {
            let swaps = generator.random_range(1..=SWAPS);
            let pairs = [(); SWAPS]
                .map(|()| (generator.random_range(0..inside.len()), generator.random_range(0..outside.len())));
            for &(one, other) in &pairs[..swaps] {
                std::mem::swap(&mut inside[one], &mut outside[other]);
            }
            if !self.matches(inside) {
                for &(one, other) in pairs[..swaps].iter().rev() {
                    std::mem::swap(&mut inside[one], &mut outside[other]);
                }
            }
        }
    }

    fn matches(&self, set: &[usize]) -> bool {
        let (found, wanted) = (Sums::new(self.types, set), self.sums);
        self.matching.iter().all(|matched| match matched {
            Match::Tokens => token_stratum(found.tokens) == token_stratum(wanted.tokens),
            Match::Place => fifth(found.place()) == fifth(wanted.place()),
            Match::FunctionWords => found.function == wanted.function,
        })
    }
}

/// Fixed class of a number of tokens: one class each below 5, then each up to a fifth above the one before.
fn token_stratum(tokens: f64) -> i64 {
    // Sums of token shares are whole numbers up to rounding.
    let tokens = tokens + 1e-9;
    if tokens < 5.0 { tokens.floor() as i64 } else { 5 + ((tokens / 5.0).ln() / 1.2f64.ln()).floor() as i64 }
}

/// The fifth of the scope that contains a place.
fn fifth(place: f64) -> i64 {
    ((place + 1e-9) * 5.0).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> Vec<WordType> {
        let of = |index: usize| WordType {
            tokens: 1.0 + (index % 4) as f64,
            occurrences: 1,
            places: index as f64 / 29.0,
            is_function: index.is_multiple_of(3),
        };
        (0..30).map(of).collect()
    }

    #[test]
    fn draws_match_what_they_should() {
        let types = types();
        let given = [3, 7, 11, 15, 20];
        let all = [Match::Tokens, Match::Place, Match::FunctionWords];
        for matching in [&all[..0], &all[..1], &all[1..2], &all[2..], &all[..]] {
            let sets = WordSets::like(&types, &given, matching).unwrap();
            let wanted = Sums::new(&types, &given);
            let mut distinct: Vec<Vec<usize>> = (0..100).map(|draw| sets.draw(1, "a", draw)).collect();
            for set in &distinct {
                let found = Sums::new(&types, set);
                assert_eq!(set.len(), 5);
                assert!(set.windows(2).all(|pair| pair[0] < pair[1]), "no word twice: {set:?}");
                let fits = [
                    (found.tokens - wanted.tokens).abs() <= 0.2 * wanted.tokens,
                    (found.place() - wanted.place()).abs() <= 0.2,
                    found.function == wanted.function,
                ];
                let asked = all.map(|matched| matching.contains(&matched));
                assert!(fits.iter().zip(asked).all(|(fits, asked)| *fits || !asked), "{matching:?} {set:?}");
            }
            distinct.sort();
            distinct.dedup();
            assert!(distinct.len() > 60, "{matching:?}: {} of 100 are different", distinct.len());
        }
    }

    #[test]
    fn classes_do_not_depend_on_who_asks() {
        let strata: Vec<i64> = [1.0, 1.9999999999, 4.0, 5.0, 5.9, 6.0, 7.1, 7.2, 50.0].map(token_stratum).to_vec();
        assert_eq!(strata, [1, 2, 4, 5, 5, 6, 6, 7, 17]);
        assert_eq!([0.0, 0.19, 0.2, 0.99, 1.0].map(fifth), [0, 0, 1, 4, 5]);
    }

    /// Two of five words are taken: each of the ten pairs is drawn about equally often.
    #[test]
    fn all_sets_are_equally_likely() {
        let types = &types()[..5];
        let sets = WordSets::like(types, &[0, 1], &[]).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        for draw in 0..2000 {
            *counts.entry(sets.draw(7, "b", draw)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 10);
        // Four standard deviations of a binomial count of 2000 with probability 0.1.
        assert!(counts.values().all(|count| (146..=254).contains(count)), "{counts:?}");
    }

    #[test]
    fn draws_depend_on_seed_key_and_number() {
        let types = types();
        let sets = WordSets::like(&types, &[0, 5, 9], &[Match::Tokens]).unwrap();
        assert_eq!(sets.draw(1, "a", 4), sets.draw(1, "a", 4));
        let others = [sets.draw(1, "a", 5), sets.draw(2, "a", 4), sets.draw(1, "b", 4)];
        assert!(others.iter().any(|other| *other != sets.draw(1, "a", 4)));
        assert!(WordSets::like(&types, &[], &[]).is_none());
        assert!(WordSets::like(&types[..2], &[0, 1], &[]).is_none());
    }
}
