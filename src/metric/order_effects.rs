//! Effects of option order: the same forward passes, analysed in other ways than by the vote.

use rand::seq::SliceRandom;

use super::figure::Figure;
use super::respondent::Respondent;
use super::results::OrderEffects;
use super::{Outcome, TrialOutcome};
use crate::answer::{mean_probability_vote, pride};
use crate::benchmark::Answer;
use crate::seed::seeded;

const PERCENT: f64 = 100.0;

const ONE_ORDER: &str = "no item was seen in two known orders";

/// Number of random reassignments of each item's answers to its orders.
const DEALS: usize = 999;

/// Figures for single-choice outcomes of one presentation, language and number of options, none of which failed;
/// `outcomes` is not empty. `seed` determines the reassignments that test the recalls.
pub(super) fn order_effects(outcomes: &[&Outcome<'_>], by: Respondent<'_>, seed: u64) -> OrderEffects {
    let first = outcomes[0];
    let options = first.item.options.len();
    let recall = recall(outcomes, options);
    let debiased = pride::debias(outcomes);
    let right_after_debiasing = debiased.as_ref().map(|debiased| {
        let right = outcomes.iter().zip(&debiased.choices);
        share(right.filter(|(outcome, choice)| choice.as_ref() == Some(&outcome.item.gold)).count(), outcomes.len())
    });
    OrderEffects {
        header: by.header(&first.style, first.condition.as_deref()),
        language: first.item.language.code().to_string(),
        options,
        items: outcomes.len(),
        vote: Figure::from(Ok::<_, String>(share(count(outcomes, |outcome| outcome.is_right()), outcomes.len()))),
        single_order: Figure::from(single_order(outcomes)),
        circular: Figure::from(circular(outcomes)),
        mean_probability: Figure::from(mean_probability(outcomes)),
        debiased: Figure::from(right_after_debiasing.map_err(|reason| reason.to_string())),
        prior: debiased.map_or(Vec::new(), |debiased| debiased.prior.iter().map(|p| p * PERCENT).collect()),
        recall_deviation: Figure::from(deviation(&recall)),
        recall_p: Figure::from(recall_p(outcomes, options, seed)),
        recall: recall.into_iter().map(Figure::from).collect(),
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64 * PERCENT
}

fn count(outcomes: &[&Outcome<'_>], keep: impl Fn(&Outcome<'_>) -> bool) -> usize {
    outcomes.iter().filter(|outcome| keep(outcome)).count()
}

fn single_order(outcomes: &[&Outcome<'_>]) -> Result<f64, &'static str> {
    let (mut right, mut draws) = (0, 0);
    for outcome in outcomes {
        for trial in asked(outcome) {
            draws += trial.count;
            right += if trial.choice.as_ref() == Some(&outcome.item.gold) { trial.count } else { 0 };
        }
    }
    if draws == 0 { Err("no trials") } else { Ok(share(right, draws)) }
}

fn circular(outcomes: &[&Outcome<'_>]) -> Result<f64, &'static str> {
    let several: Vec<(&Outcome<'_>, Vec<&TrialOutcome>)> = outcomes
        .iter()
        .map(|outcome| (*outcome, outcome.distinct_orders()))
        .filter(|(_, seen)| seen.len() > 1)
        .collect();
    if several.is_empty() {
        return Err(ONE_ORDER);
    }
    let in_all = several
        .iter()
        .filter(|(outcome, seen)| seen.iter().all(|trial| trial.choice.as_ref() == Some(&outcome.item.gold)));
    Ok(share(in_all.count(), several.len()))
}

/// The trials that did not fail.
fn asked<'t>(outcome: &'t Outcome<'_>) -> impl Iterator<Item = &'t TrialOutcome> {
    outcome.trials.iter().filter(|trial| trial.failure.is_none())
}

fn mean_probability(outcomes: &[&Outcome<'_>]) -> Result<f64, &'static str> {
    if outcomes.iter().all(|outcome| outcome.trials.iter().all(|trial| trial.logprobs.is_none())) {
        return Err("no log-probabilities");
    }
    let right = count(outcomes, |outcome| {
        mean_probability_vote(&outcome.trials, outcome.item, outcome.ties).as_ref() == Some(&outcome.item.gold)
    });
    Ok(share(right, outcomes.len()))
}

/// Recall of each displayed slot, over trials with a known order, each weighted by how often it was drawn.
fn recall(outcomes: &[&Outcome<'_>], options: usize) -> Vec<Result<f64, String>> {
    let mut shown = vec![0usize; options];
    let mut found = vec![0usize; options];
    let mut known = false;
    for outcome in outcomes {
        let Answer::Single(gold) = outcome.item.gold else { continue };
        for trial in asked(outcome) {
            let Some(order) = &trial.order else { continue };
            known = true;
            let slot = order.slot_of(gold).0;
            shown[slot] += trial.count;
            if trial.choice == Some(Answer::Single(gold)) {
                found[slot] += trial.count;
            }
        }
    }
    shown
        .into_iter()
        .zip(found)
        .map(|(shown, found)| match (known, shown) {
            (false, _) => Err("the option orders are not known".to_string()),
            (true, 0) => Err("the gold option never stood there".to_string()),
            (true, _) => Ok(share(found, shown)),
        })
        .collect()
}

fn deviation(recall: &[Result<f64, String>]) -> Result<f64, String> {
    Ok(spread(&recall.iter().cloned().collect::<Result<Vec<f64>, String>>()?))
}

fn spread(recall: &[f64]) -> f64 {
    let n = recall.len() as f64;
    let mean = recall.iter().sum::<f64>() / n;
    (recall.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// One item in its distinct orders: the slot of the gold option, how often the order was drawn, and whether the answer
/// was right.
struct Seen {
    slots: Vec<(usize, usize)>,
    right: Vec<bool>,
}

/// Tests whether recalls differ between slots by more than by chance. If the slot of the gold option does not matter,
/// an item's answers are exchangeable between its orders; the p-value is the share of reassignments, including the
/// observed one, whose recalls deviate at least as much. Items seen in only one order do not contribute.
fn recall_p(outcomes: &[&Outcome<'_>], options: usize, seed: u64) -> Result<f64, &'static str> {
    let seen = |outcome: &&Outcome<'_>| {
        let Answer::Single(gold) = outcome.item.gold else { return None };
        let orders = outcome.distinct_orders();
        let slot = |trial: &&TrialOutcome| Some((trial.order.as_ref()?.slot_of(gold).0, trial.count));
        let slots: Vec<(usize, usize)> = orders.iter().filter_map(slot).collect();
        let right = orders.iter().map(|trial| trial.choice.as_ref() == Some(&outcome.item.gold)).collect();
        (slots.len() > 1).then_some(Seen { slots, right })
    };
    let mut items: Vec<Seen> = outcomes.iter().filter_map(seen).collect();
    if items.is_empty() {
        return Err(ONE_ORDER);
    }
    let mut shown = vec![0usize; options];
    items.iter().flat_map(|item| &item.slots).for_each(|&(slot, count)| shown[slot] += count);
    if shown.contains(&0) {
        return Err("the gold option never stood in some slot");
    }
    let of = |items: &[Seen]| {
        let mut found = vec![0usize; options];
        for item in items {
            let right = item.slots.iter().zip(&item.right).filter(|(_, right)| **right);
            right.for_each(|(&(slot, count), _)| found[slot] += count);
        }
        spread(&found.iter().zip(&shown).map(|(&found, &shown)| share(found, shown)).collect::<Vec<_>>())
    };
    let found = of(&items);
    let first = &outcomes[0];
    let place = format!("{} {options} {}", first.item.language.code(), first.style);
    let mut rng =
        seeded(seed, &format!("recall by slot {place} {}", first.condition.as_deref().unwrap_or_default()), 0);
    let mut extreme = 1;
    for _ in 0..DEALS {
        items.iter_mut().for_each(|item| item.right.shuffle(&mut rng));
        // Sums of equal recalls may differ by rounding.
        extreme += usize::from(of(&items) >= found - 1e-9);
    }
    Ok(extreme as f64 / (DEALS + 1) as f64)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::tests::{item, outcomes, results};
    use super::*;
    use crate::benchmark::{Item, OptionIx};
    use crate::prompt::{Order, OrderPolicy, SlotIx};

    /// An item seen in some orders, with the chosen option for each.
    fn seen<'a>(item: &'a Item, orders: &[Order], choices: &[usize]) -> Outcome<'a> {
        let mut outcome = outcomes(std::slice::from_ref(item), &[true]).remove(0);
        let trial = outcome.trials.remove(0);
        let answered = |(order, &option): (&Order, &usize)| TrialOutcome {
            order: Some(order.clone()),
            choice: Some(Answer::Single(OptionIx(option))),
            ..trial.clone()
        };
        outcome.trials = orders.iter().zip(choices).map(answered).collect();
        outcome
    }

    fn rotations(item: &Item) -> Vec<Order> {
        let drawn = OrderPolicy::Cyclic.draw(1, &item.id, item.options.len()).unwrap();
        drawn.into_iter().map(|drawn| drawn.order).collect()
    }

    #[test]
    fn right_in_all_orders_takes_more_than_one() {
        let items: Vec<Item> = ["a", "b", "c"].map(|id| item(id, id, &[])).to_vec();
        let orders = rotations(&items[0]);
        let circular = |outcomes: &[Outcome<'_>]| results(&items, outcomes, "").order_effects[0].circular.clone();
        let in_two = |item, choices: &[usize]| seen(item, &orders, choices);
        let found = circular(&[in_two(&items[0], &[1, 1]), in_two(&items[1], &[1, 2]), in_two(&items[2], &[1])]);
        assert_eq!(found.value, Some(50.0), "the third was seen in one order only");
        let found = circular(&[in_two(&items[0], &[1]), in_two(&items[1], &[2])]);
        assert_eq!(found.reason.as_deref(), Some(ONE_ORDER));
    }

    #[test]
    fn several_replies_to_one_order_say_nothing_of_orders() {
        let items: Vec<Item> = (0..80).map(|n| item(&n.to_string(), &n.to_string(), &[])).collect();
        let same = vec![Order::identity(4); 5];
        let sampled: Vec<Outcome<'_>> = items.iter().map(|item| seen(item, &same, &[1, 2, 1, 3, 0])).collect();
        let found = results(&items, &sampled, "");
        let effects = &found.order_effects[0];
        for figure in [&effects.circular, &effects.recall_p] {
            assert_eq!((figure.value, figure.reason.as_deref()), (None, Some(ONE_ORDER)));
        }
        assert!(found.calibration.is_empty(), "nothing changes with an order that is always the same");
    }

    #[test]
    fn a_preferred_slot_is_found_and_errors_that_do_not_heed_slots_are_not() {
        let items: Vec<Item> = (0..40).map(|n| item(&n.to_string(), &n.to_string(), &[])).collect();
        let orders = rotations(&items[0]);
        let p = |choose: &mut dyn FnMut(&Order) -> usize| {
            let outcomes: Vec<Outcome<'_>> = items
                .iter()
                .map(|item| seen(item, &orders, &orders.iter().map(&mut *choose).collect::<Vec<_>>()))
                .collect();
            results(&items, &outcomes, "").order_effects[0].recall_p.value.unwrap()
        };
        assert_eq!(p(&mut |order| order.option_at(SlotIx(0)).0), 0.001);
        // Right half of the time, regardless of the slot: p is below 0.05 for about one of twenty seeds.
        let false_alarms = (0..100).filter(|&draw| {
            let mut rng = seeded(1, "no slot", draw);
            p(&mut |_| rng.random_range(0..2)) < 0.05
        });
        assert!((1..=10).contains(&false_alarms.count()));
    }
}
