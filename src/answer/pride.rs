//! Choices corrected for the prior of the labels (PriDe, Zheng et al. 2024, "Large Language Models Are Not Robust
//! Multiple Choice Selectors", section 4).
//!
//! The method models the probability of a displayed label as a prior of the slot times a belief about the option shown
//! there. In all cyclic orders of an item, each option appears once in each slot, so the mean log-probability
//! of a slot over these orders gives the item's prior (equation 7). The mean of the priors of a few estimation items
//! then corrects every other item from a single order (equation 8); the estimation items themselves are answered by the
//! mean over their cyclic orders (equation 1), as in the paper's algorithm 1.

use super::numbers::softmax;
use super::outcome::Outcome;
use super::ties::Best;
use super::trial::TrialOutcome;
use crate::benchmark::{Answer, OptionIx};
use crate::prompt::SlotIx;

/// Share of items whose cyclic orders estimate the prior: 5 %, as in the paper, but at least one item.
const ESTIMATION_SHARE: f64 = 0.05;

/// The result of debiasing items with equally many options.
#[derive(Debug, Clone, PartialEq)]
pub struct Debiased {
    /// The prior of each slot; sums to one.
    pub prior: Vec<f64>,
    /// Number of items that the prior was estimated from.
    pub estimated_from: usize,
    /// The debiased choice of each outcome, in the order given; `None` if its first order has no scores.
    pub choices: Vec<Option<Answer>>,
}

/// Debiases the choices of single-answer items with equally many options.
///
/// The estimation items are the first ones with all cyclic orders, sorted by a hash of their id, so that their
/// selection depends on nothing else. `Err` holds the reason why debiasing is impossible.
pub fn debias(outcomes: &[&Outcome<'_>]) -> Result<Debiased, &'static str> {
    let Some(options) = outcomes.first().map(|outcome| outcome.item.options.len()) else {
        return Err("no items");
    };
    if outcomes.iter().any(|outcome| !matches!(outcome.item.gold, Answer::Single(_))) {
        return Err("defined for single choices only");
    }
    if options < 2 || outcomes.iter().any(|outcome| outcome.item.options.len() != options) {
        return Err("needs items with equally many options, at least two");
    }
    let mut candidates: Vec<(Vec<u8>, usize, Vec<&TrialOutcome>)> = outcomes
        .iter()
        .enumerate()
        .filter_map(|(index, outcome)| Some((key(&outcome.item.id), index, cyclic_trials(outcome, options)?)))
        .collect();
    if candidates.is_empty() {
        return Err("no item was scored in all its cyclic orders (run with --orders cyclic or all)");
    }
    candidates.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    candidates.truncate(((outcomes.len() as f64 * ESTIMATION_SHARE).ceil() as usize).max(1));
    let priors: Vec<Vec<f64>> = candidates.iter().map(|(_, _, cycle)| item_prior(cycle, options)).collect();
    let prior: Vec<f64> =
        (0..options).map(|slot| priors.iter().map(|p| p[slot]).sum::<f64>() / priors.len() as f64).collect();

    let mut choices: Vec<Option<Answer>> = outcomes
        .iter()
        .map(|outcome| outcome.trials.first().and_then(|trial| without_prior(outcome, trial, &prior)))
        .collect();
    for (_, index, cycle) in &candidates {
        choices[*index] = mean_choice(outcomes[*index], cycle, options);
    }
    Ok(Debiased { prior, estimated_from: candidates.len(), choices })
}

/// One trial for each rotation of the first trial's order; `None` unless all were scored.
fn cyclic_trials<'o>(outcome: &'o Outcome<'_>, options: usize) -> Option<Vec<&'o TrialOutcome>> {
    let base = outcome.trials.first()?.order.as_ref()?.as_slice().to_vec();
    (0..options)
        .map(|by| {
            let mut rotation = base.clone();
            rotation.rotate_left(by);
            outcome.trials.iter().find(|trial| {
                trial.logprobs.is_some() && trial.order.as_ref().is_some_and(|order| order.as_slice() == rotation)
            })
        })
        .collect()
}

/// Log-probability of each slot in one trial; `None` without scores.
fn slot_log_probabilities(trial: &TrialOutcome) -> Option<Vec<f64>> {
    let order = trial.order.as_ref()?;
    let probabilities = softmax(trial.logprobs.as_ref()?);
    Some((0..order.len()).map(|slot| probabilities[order.option_at(SlotIx(slot)).0].ln()).collect())
}

/// Equation 7: the softmax over slots of the mean log-probability of each slot over the cyclic orders.
fn item_prior(cycle: &[&TrialOutcome], options: usize) -> Vec<f64> {
    let mut mean = vec![0.0; options];
    for slots in cycle.iter().filter_map(|trial| slot_log_probabilities(trial)) {
        for (total, value) in mean.iter_mut().zip(slots) {
            *total += value / cycle.len() as f64;
        }
    }
    softmax(&mean)
}

/// Equation 8: the option with the highest ratio of observed probability to prior, from one order.
fn without_prior(outcome: &Outcome<'_>, trial: &TrialOutcome, prior: &[f64]) -> Option<Answer> {
    let order = trial.order.as_ref()?;
    let by_slot: Vec<f64> =
        slot_log_probabilities(trial)?.iter().zip(prior).map(|(observed, prior)| observed - prior.ln()).collect();
    let Best { at, .. } = outcome.ties.best_score(&order.to_canonical(&by_slot), &outcome.item.id, order)?;
    Some(Answer::Single(OptionIx(at)))
}

/// Equation 1: the option with the highest mean probability over the cyclic orders.
fn mean_choice(outcome: &Outcome<'_>, cycle: &[&TrialOutcome], options: usize) -> Option<Answer> {
    let mut mean = vec![0.0; options];
    for trial in cycle {
        for (total, value) in mean.iter_mut().zip(softmax(trial.logprobs.as_ref()?)) {
            *total += value;
        }
    }
    Some(Answer::Single(OptionIx(outcome.ties.best_mean(&mean, &outcome.item.id)?.at)))
}

fn key(id: &str) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    Sha256::digest(id.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Ties;
    use crate::benchmark::{Benchmark, Item};
    use crate::language::Language;
    use crate::prompt::Order;

    fn item(id: usize, gold: usize) -> Item {
        Item {
            id: format!("item {id}"),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: String::new(),
            story: String::new(),
            context: Vec::new(),
            question: String::new(),
            options: ["x", "y"].map(String::from).to_vec(),
            gold: Answer::Single(OptionIx(gold)),
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    /// A trial in which slot and option contribute independently: p(slot) is proportional to prior x belief.
    fn trial(order: Vec<usize>, prior: [f64; 2], belief: [f64; 2]) -> TrialOutcome {
        let order = Order::try_from(order).unwrap();
        let by_slot: Vec<f64> = (0..2).map(|slot| (prior[slot] * belief[order.as_slice()[slot]]).ln()).collect();
        let scores = order.to_canonical(&by_slot);
        let choice = Some(Answer::Single(OptionIx(usize::from(scores[1] > scores[0]))));
        TrialOutcome {
            order: Some(order),
            count: 1,
            choice,
            logprobs: Some(scores),
            tied: false,
            failure: None,
            reading: None,
        }
    }

    fn outcome(item: &Item, trials: Vec<TrialOutcome>) -> Outcome<'_> {
        Outcome::new(item, "vanilla", None, trials, Ties::default())
    }

    #[test]
    fn a_prior_that_hides_every_answer_is_found_and_removed() {
        let prior = [0.8, 0.2];
        let items: Vec<Item> = (0..20).map(|id| item(id, id % 2)).collect();
        let belief = |gold: usize| if gold == 0 { [0.6, 0.4] } else { [0.4, 0.6] };
        let outcomes: Vec<Outcome<'_>> = items
            .iter()
            .enumerate()
            .map(|(id, item)| {
                let orders = if id < 3 { vec![vec![0, 1], vec![1, 0]] } else { vec![vec![0, 1]] };
                outcome(item, orders.into_iter().map(|order| trial(order, prior, belief(id % 2))).collect())
            })
            .collect();
        let refs: Vec<&Outcome<'_>> = outcomes.iter().collect();
        assert!(outcomes[5].choice == Some(Answer::Single(OptionIx(0))), "the biased answer to a gold of 1");
        let debiased = debias(&refs).unwrap();
        assert_eq!(debiased.estimated_from, 1);
        assert!((debiased.prior[0] - 0.8).abs() < 1e-12 && (debiased.prior[1] - 0.2).abs() < 1e-12);
        for (item, choice) in items.iter().zip(&debiased.choices) {
            assert_eq!(choice.as_ref(), Some(&item.gold));
        }
    }

    #[test]
    fn without_cyclic_orders_the_reason_is_given() {
        let item = item(0, 0);
        let outcome = outcome(&item, vec![trial(vec![0, 1], [0.5, 0.5], [0.6, 0.4])]);
        assert!(debias(&[&outcome]).unwrap_err().contains("cyclic"));
        assert_eq!(debias(&[]), Err("no items"));
    }
}
