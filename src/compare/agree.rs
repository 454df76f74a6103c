//! Agreement of choices: between sides, and of one side over option orders. Each comes with the value expected if the
//! answers had only their accuracies in common: two sides with 80 % accuracy make the same choice two times in three by
//! chance.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::row::SidePair;
use super::{ChoiceAgreement, OrderAgreement, PERCENT};
use crate::answer::Outcome;
use crate::benchmark::{Answer, Item};
use crate::metric::AnsweredInOrders;
use crate::stats::{Weights, cohen_kappa, fleiss_kappa};

/// Agreement of two sides' choices. Versions of an item count only if the right answer is the same option, because
/// their option order may differ.
pub(super) fn choices(pair: &SidePair<'_, '_>) -> ChoiceAgreement {
    let mut categories: IndexSet<Vec<usize>> = IndexSet::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut independent = AnsweredByBoth::default();
    for both in pair.items().filter(|both| both.a.item.gold == both.b.item.gold) {
        if let (Some(a), Some(b)) = (&both.a.choice, &both.b.choice) {
            first.push(categories.insert_full(a.options()).0);
            second.push(categories.insert_full(b.options()).0);
            independent.add(both.a.item, [both.a.is_right(), both.b.is_right()]);
        }
    }
    let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    let same = (!first.is_empty()).then(|| same as f64 / first.len() as f64);
    let same_expected = independent.all_same();
    let kappa = cohen_kappa(&first, &second, categories.len(), Weights::Equal);
    // Kappa is 1 - (1 - same) / (1 - chance), where chance comes from the distribution of the choices.
    let by_chance = chance(&first, &second, categories.len());
    let kappa_expected = same_expected.filter(|_| kappa.is_some()).map(|same| 1.0 - (1.0 - same) / (1.0 - by_chance));
    ChoiceAgreement {
        items: first.len(),
        same: same.map(|share| share * PERCENT),
        same_expected: same_expected.map(|share| share * PERCENT),
        kappa,
        kappa_expected,
    }
}

/// The expected share of equal categories if both lists were shuffled.
fn chance(first: &[usize], second: &[usize], categories: usize) -> f64 {
    let count = |list: &[usize], category| list.iter().filter(|known| **known == category).count() as f64;
    let both = (0..categories).map(|category| count(first, category) * count(second, category));
    both.sum::<f64>() / (first.len() as f64).powi(2)
}

/// Items answered by two sides, by number of possible answers: number of items, and number right on each side.
#[derive(Default)]
struct AnsweredByBoth {
    counts: BTreeMap<u64, (usize, [usize; 2])>,
}

impl AnsweredByBoth {
    fn add(&mut self, item: &Item, right: [bool; 2]) {
        let (items, rights) = self.counts.entry(item.possible_answers() as u64).or_default();
        *items += 1;
        rights.iter_mut().zip(right).for_each(|(known, right)| *known += usize::from(right));
    }

    /// The expected share of items with the same answer from both, if they were independent and all wrong answers
    /// equally likely. `None` without items.
    fn all_same(&self) -> Option<f64> {
        let items: usize = self.counts.values().map(|(items, _)| items).sum();
        let same = self.counts.iter().map(|(&answers, &(items, rights))| {
            let [a, b] = rights.map(|right| right as f64 / items as f64);
            items as f64 * (a * b + (1.0 - a) * (1.0 - b) / answers.saturating_sub(1).max(1) as f64)
        });
        (items > 0).then(|| same.sum::<f64>() / items as f64)
    }
}

/// Agreement of one side's choices over orders, for the items answered in the most frequent number of distinct orders,
/// since items with two options have at most two. `None` if no item was answered in several orders.
pub(super) fn orders<'a>(outcomes: impl Iterator<Item = &'a Outcome<'a>>) -> Option<OrderAgreement> {
    let mut by_orders: BTreeMap<usize, Vec<(&Item, Vec<&Answer>)>> = BTreeMap::new();
    for outcome in outcomes {
        let choices = outcome.choices_by_order();
        if choices.len() > 1 {
            by_orders.entry(choices.len()).or_default().push((outcome.item, choices));
        }
    }
    let (orders, items) = by_orders.into_iter().max_by_key(|(orders, items)| (items.len(), *orders))?;
    let mut categories: IndexSet<Vec<usize>> = IndexSet::new();
    let mut independent = AnsweredInOrders::default();
    for (item, choices) in &items {
        categories.extend(choices.iter().map(|choice| choice.options()));
        independent.add(item, choices);
    }
    let table: Vec<Vec<usize>> = items
        .iter()
        .map(|(_, choices)| {
            let mut row = vec![0; categories.len()];
            let positions = choices.iter().filter_map(|answer| categories.get_index_of(&answer.options()));
            positions.for_each(|position| row[position] += 1);
            row
        })
        .collect();
    let changing = items.iter().filter(|(_, choices)| choices.iter().any(|choice| choice != &choices[0])).count();
    Some(OrderAgreement {
        items: items.len(),
        orders,
        changing: changing as f64 / items.len() as f64 * PERCENT,
        changing_expected: (1.0 - independent.all_same()?) * PERCENT,
        kappa: fleiss_kappa(&table),
    })
}
