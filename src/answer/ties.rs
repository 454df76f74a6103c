//! Breaks ties between equal scores and equal votes by a random draw: choosing the lowest option number would be a
//! bias, and would give a model that distinguishes nothing every question whose first option is right.

use rand::Rng;
use strum::{IntoStaticStr, VariantArray};

use crate::name::named;
use crate::prompt::Order;
use crate::seed::seeded;

/// Chooses among answers with equally many votes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TieRule {
    /// The higher mean normalised probability over all scored orders, each counted as often as drawn; then, or without
    /// scores, a random draw.
    #[default]
    Probability,
    /// The first answer in the order of the draws, as in ToMBench's released scripts; for equal scores of one trial,
    /// the lowest option number.
    First,
}

named!(TieRule, "tie rule");

/// Tie rule and seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ties {
    /// The tie rule.
    pub rule: TieRule,
    /// Seed of the draws, which otherwise depend only on the item's id and, within a trial, the order shown.
    pub seed: u64,
}

/// Probabilities that differ by less are equal: means round differently in f64 depending on the order of summation.
const EQUAL: f64 = 1e-12;

/// The winner among the candidates with the highest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Best {
    /// Position of the winner.
    pub at: usize,
    /// Whether others have the same value.
    pub tied: bool,
}

impl Ties {
    /// The position of the highest score of one trial; `None` for an empty list.
    pub(super) fn best_score(&self, scores: &[f64], item: &str, order: &Order) -> Option<Best> {
        let highest = scores.iter().copied().reduce(f64::max)?;
        let leaders: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] == highest).collect();
        self.one_of(&leaders, || within(item, order))
    }

    /// Whether each label of one trial is chosen: labels with log-odds above zero, and each label at zero with
    /// probability one half. Also whether any label was at zero.
    pub(super) fn labels(&self, odds: &[f64], item: &str, order: &Order) -> (Vec<bool>, bool) {
        let mut generator = seeded(self.seed, &within(item, order), 0);
        let chosen = odds.iter().map(|&odds| match self.rule {
            TieRule::Probability if odds == 0.0 => generator.random(),
            _ => odds > 0.0,
        });
        (chosen.collect(), odds.contains(&0.0))
    }

    /// The position of the highest mean probability of an item, or a draw among equal votes without probabilities.
    pub(super) fn best_mean(&self, means: &[f64], item: &str) -> Option<Best> {
        let highest = means.iter().copied().reduce(f64::max)?;
        let leaders: Vec<usize> = (0..means.len()).filter(|&at| highest - means[at] < EQUAL).collect();
        self.one_of(&leaders, || format!("tie {item}"))
    }

    fn one_of(&self, leaders: &[usize], key: impl FnOnce() -> String) -> Option<Best> {
        let at = match (leaders, self.rule) {
            ([], _) => return None,
            ([only], _) => *only,
            ([first, ..], TieRule::First) => *first,
            (several, TieRule::Probability) => several[seeded(self.seed, &key(), 0).random_range(0..several.len())],
        };
        Some(Best { at, tied: leaders.len() > 1 })
    }
}

/// Key of a draw within a trial, besides the seed.
fn within(item: &str, order: &Order) -> String {
    format!("tie {item} {:?}", order.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(options: &[usize]) -> Order {
        Order::try_from(options.to_vec()).unwrap()
    }

    #[test]
    fn equal_scores_are_drawn_evenly_and_by_named_things_only() {
        let mut won = [0usize; 4];
        for number in 0..4000 {
            let item = format!("item {number}");
            let draw =
                |seed| Ties { rule: TieRule::Probability, seed }.best_score(&[-1.0; 4], &item, &order(&[2, 0, 1, 3]));
            let best = draw(7).unwrap();
            assert!(best.tied && draw(7) == Some(best));
            won[best.at] += 1;
        }
        assert!(won.iter().all(|&count| (900..1100).contains(&count)), "{won:?}");
        let ties = |seed| Ties { rule: TieRule::Probability, seed };
        let differs = |one: &dyn Fn(usize) -> Option<Best>, other: &dyn Fn(usize) -> Option<Best>| {
            (0..50).any(|number| one(number) != other(number))
        };
        let of = |seed, slots: &'static [usize]| {
            move |number: usize| ties(seed).best_score(&[0.0; 4], &format!("{number}"), &order(slots))
        };
        assert!(differs(&of(0, &[0, 1, 2, 3]), &of(1, &[0, 1, 2, 3])), "by the seed");
        assert!(differs(&of(0, &[0, 1, 2, 3]), &of(0, &[1, 0, 2, 3])), "by the order");
    }

    #[test]
    fn one_highest_value_is_never_drawn() {
        let ties = Ties::default();
        let best = ties.best_score(&[-2.0, -1.0, -3.0], "x", &order(&[0, 1, 2]));
        assert_eq!(best, Some(Best { at: 1, tied: false }));
        assert_eq!(ties.best_mean(&[0.2, 0.5, 0.3], "x"), Some(Best { at: 1, tied: false }));
        assert_eq!(ties.best_mean(&[], "x"), None);
    }

    #[test]
    fn only_equal_values_take_part() {
        for number in 0..100 {
            let item = number.to_string();
            let best = Ties::default().best_score(&[-1.0, -2.0, -1.0], &item, &order(&[0, 1, 2])).unwrap();
            assert!(best.tied && best.at != 1);
            let (labels, tied) = Ties::default().labels(&[1.0, 0.0, -1.0], &item, &order(&[0, 1, 2]));
            assert!(labels[0] && !labels[2] && tied);
        }
    }

    #[test]
    fn the_rule_of_the_scripts_takes_the_lowest_number() {
        let ties = Ties { rule: TieRule::First, seed: 3 };
        assert_eq!(ties.best_score(&[0.0; 3], "x", &order(&[2, 1, 0])), Some(Best { at: 0, tied: true }));
        assert_eq!(ties.labels(&[0.0; 2], "x", &order(&[0, 1])), (vec![false; 2], true));
    }
}
