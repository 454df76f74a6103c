//! Expected values of cells if each answer were right independently of all others, as often as answers of its kind are:
//! the part of a joint figure that follows from the accuracies alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Measure;
use super::compute::Unit;
use super::world::{Kind, Population};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item};

/// The expected value of a measure over units of several answers, as a fraction. `None` for measures of single answers,
/// and without units.
///
/// Answers are of one kind if their items share the stratum, the language and the number of options. If R of the N
/// answers of a kind are right, the probability that k of them, drawn without replacement, are all right is R (R - 1)
/// ... (R - k + 1) over N (N - 1) ... (N - k + 1): unbiased for independent answers, however small N is. Wrong answers
/// in two languages are assumed to agree as often as random guesses among the wrong ones.
pub(super) fn if_independent(measure: Measure, units: &[Unit<'_>], population: &Population<'_>) -> Option<f64> {
    if !matches!(
        measure,
        Measure::JointAccuracy
            | Measure::Coherent
            | Measure::CoherentDrop
            | Measure::SameAndRight
            | Measure::SameAndWrong
            | Measure::Mixed
    ) {
        return None;
    }
    let kinds = Kinds::new(units, population);
    let of_unit = |unit| match measure {
        Measure::CoherentDrop => Some(kinds.accuracy(unit) - kinds.all_right(unit)),
        Measure::SameAndWrong => kinds.alike_and_wrong(unit),
        Measure::Mixed => Some(1.0 - kinds.all_right(unit) - kinds.alike_and_wrong(unit)?),
        _ => Some(kinds.all_right(unit)),
    };
    let sum: Option<f64> = units.iter().map(of_unit).sum();
    sum.filter(|_| !units.is_empty()).map(|sum| (sum / units.len() as f64).max(0.0))
}

/// Number of right answers of each kind, and number of answers.
struct Kinds<'a> {
    population: &'a Population<'a>,
    counts: HashMap<Kind<'a>, (usize, usize)>,
}

impl<'a> Kinds<'a> {
    fn new(units: &[Unit<'a>], population: &'a Population<'a>) -> Self {
        let mut counts: HashMap<Kind<'_>, (usize, usize)> = HashMap::new();
        let mut seen = BTreeSet::new();
        for outcome in units.iter().flat_map(|unit| &unit.members).filter(|outcome| seen.insert(&outcome.item.id)) {
            let (right, all) = counts.entry(population.kind(outcome.item)).or_default();
            *right += usize::from(outcome.is_right());
            *all += 1;
        }
        Kinds { population, counts }
    }

    fn count(&self, outcome: &Outcome<'a>) -> (usize, usize) {
        self.counts.get(&self.population.kind(outcome.item)).copied().unwrap_or_default()
    }

    /// Mean, over the answers of the unit, of the share of right answers of their kind.
    fn accuracy(&self, unit: &Unit<'a>) -> f64 {
        let share = |(right, all): (usize, usize)| right as f64 / all.max(1) as f64;
        unit.members.iter().map(|outcome| share(self.count(outcome))).sum::<f64>() / unit.members.len().max(1) as f64
    }

    /// Probability that all answers of a unit are right.
    fn all_right(&self, unit: &Unit<'a>) -> f64 {
        let mut of_kind: BTreeMap<Kind<'_>, usize> = BTreeMap::new();
        unit.members.iter().for_each(|outcome| *of_kind.entry(self.population.kind(outcome.item)).or_default() += 1);
        let drawn = |(kind, members): (Kind<'_>, usize)| {
            let (right, all) = self.counts.get(&kind).copied().unwrap_or_default();
            let step = |taken: usize| right.saturating_sub(taken) as f64 / all.saturating_sub(taken).max(1) as f64;
            (0..members).map(step).product::<f64>()
        };
        of_kind.into_iter().map(drawn).product()
    }

    /// Probability that all answers of a unit are the same wrong one; `None` if a question has no wrong answer.
    fn alike_and_wrong(&self, unit: &Unit<'a>) -> Option<f64> {
        let wrong = |outcome: &&Outcome<'a>| {
            let (right, all) = self.count(outcome);
            (all - right) as f64 / all.max(1) as f64
        };
        let first = unit.members.first()?;
        let answers = Some(first.item.possible_answers() - 1.0).filter(|answers| *answers > 0.0)?;
        let alike = (1..unit.members.len()).map(|_| 1.0 / answers).product::<f64>();
        Some(unit.members.iter().map(wrong).product::<f64>() * alike)
    }
}

/// Items answered in several orders, by the number of possible answers and the number of orders: the number of items,
/// and the number of right answers among all of theirs. Orders are drawn per item, so the first order of one item is
/// unrelated to that of another.
#[derive(Default)]
pub(crate) struct AnsweredInOrders {
    counts: BTreeMap<(u64, usize), (usize, usize)>,
}

impl AnsweredInOrders {
    /// Adds an item with its choices.
    pub fn add(&mut self, item: &Item, choices: &[&Answer]) {
        let (items, right) = self.counts.entry((item.possible_answers() as u64, choices.len())).or_default();
        *items += 1;
        *right += choices.iter().filter(|choice| **choice == &item.gold).count();
    }

    /// Expected share of items whose answers are all the same if they were independent and all wrong ones equally
    /// likely; drawn without replacement, as in [`if_independent`]. `None` without items.
    pub fn all_same(&self) -> Option<f64> {
        let items: usize = self.counts.values().map(|(items, _)| items).sum();
        let same = self.counts.iter().map(|(&(answers, orders), &(items, right))| {
            let all = items * orders;
            let drawn = |of: usize| {
                let step = |taken: usize| of.saturating_sub(taken) as f64 / (all - taken) as f64;
                (0..orders).map(step).product::<f64>()
            };
            let wrong = answers.saturating_sub(1).max(1) as f64;
            items as f64 * (drawn(right) + drawn(all - right) / wrong.powi(orders as i32 - 1))
        });
        (items > 0).then(|| same.sum::<f64>() / items as f64)
    }
}
