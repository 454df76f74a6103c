//! Agreement of choices: between sides, and of one side over option orders.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::row::SidePair;
use super::{ChoiceAgreement, OrderAgreement};
use crate::answer::Outcome;
use crate::benchmark::Answer;
use crate::metric::stats::{Weights, cohen_kappa, fleiss_kappa};

/// How far two sides choose the same. Versions of an item count only where the right answer is the same option, because
/// their options may stand in another order.
pub(super) fn choices(pair: &SidePair<'_, '_>) -> ChoiceAgreement {
    let mut categories: IndexSet<Vec<usize>> = IndexSet::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for both in pair.items().filter(|both| both.a.item.gold == both.b.item.gold) {
        if let (Some(a), Some(b)) = (&both.a.choice, &both.b.choice) {
            first.push(categories.insert_full(a.options()).0);
            second.push(categories.insert_full(b.options()).0);
        }
    }
    let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    ChoiceAgreement {
        items: first.len(),
        same: (!first.is_empty()).then(|| same as f64 / first.len() as f64 * 100.0),
        kappa: cohen_kappa(&first, &second, categories.len(), Weights::Equal),
    }
}

/// How far the choices of one side agree over orders; over the items that were answered in the most frequent number of
/// distinct orders, since items with two options have no more than two. `None` where that would be one.
pub(super) fn orders<'a>(outcomes: impl Iterator<Item = &'a Outcome<'a>>) -> Option<OrderAgreement> {
    let mut by_orders: BTreeMap<usize, Vec<Vec<&Answer>>> = BTreeMap::new();
    for outcome in outcomes {
        let choices: Vec<&Answer> = outcome.trials.iter().filter_map(|trial| trial.choice.as_ref()).collect();
        if choices.len() > 1 {
            by_orders.entry(choices.len()).or_default().push(choices);
        }
    }
    let (orders, items) = by_orders.into_iter().max_by_key(|(orders, items)| (items.len(), *orders))?;
    let mut categories: IndexSet<Vec<usize>> = IndexSet::new();
    for answer in items.iter().flatten() {
        categories.insert(answer.options());
    }
    let table: Vec<Vec<usize>> = items
        .iter()
        .map(|choices| {
            let mut row = vec![0; categories.len()];
            let positions = choices.iter().filter_map(|answer| categories.get_index_of(&answer.options()));
            positions.for_each(|position| row[position] += 1);
            row
        })
        .collect();
    let changing = items.iter().filter(|choices| choices.iter().any(|choice| choice != &choices[0])).count();
    Some(OrderAgreement {
        items: items.len(),
        orders,
        changing: changing as f64 / items.len() as f64 * 100.0,
        kappa: fleiss_kappa(&table),
    })
}
