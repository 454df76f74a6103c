//! How answers depend on the order of options: the same forwards, read in other ways than by the vote.

use super::respondent::Respondent;
use super::results::{Figure, OrderEffects};
use super::{Outcome, TrialOutcome};
use crate::answer::{mean_probability_vote, pride};
use crate::benchmark::Answer;

const PERCENT: f64 = 100.0;

/// Figures for single-choice outcomes of one presentation, language and number of options, none of which failed;
/// `outcomes` is not empty.
pub(super) fn order_effects(outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> OrderEffects {
    let first = outcomes[0];
    let options = first.item.options.len();
    let recall = recall(outcomes, options);
    let debiased = pride::debias(outcomes);
    let right_after_debiasing = debiased.as_ref().map(|debiased| {
        let right = outcomes.iter().zip(&debiased.choices);
        share(right.filter(|(outcome, choice)| choice.as_ref() == Some(&outcome.item.gold)).count(), outcomes.len())
    });
    OrderEffects {
        label: by.label.to_string(),
        answers: by.answers.to_string(),
        style: first.style.clone(),
        condition: first.condition.clone(),
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
    let several: Vec<&Outcome<'_>> = outcomes.iter().copied().filter(|outcome| asked(outcome).count() > 1).collect();
    if several.is_empty() {
        return Err("every item was seen in one order only");
    }
    let right =
        count(&several, |outcome| asked(outcome).all(|trial| trial.choice.as_ref() == Some(&outcome.item.gold)));
    Ok(share(right, several.len()))
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

/// Recall of each displayed slot, over trials whose order is known, each counted as often as drawn.
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
    let recall = recall.iter().cloned().collect::<Result<Vec<f64>, String>>()?;
    let n = recall.len() as f64;
    let mean = recall.iter().sum::<f64>() / n;
    Ok((recall.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{item, outcomes, results};
    use super::*;
    use crate::benchmark::{Item, OptionIx};

    #[test]
    fn right_in_all_orders_takes_more_than_one() {
        let items: Vec<Item> = ["a", "b", "c"].map(|id| item(id, id, &[])).to_vec();
        let seen = |item, choices: &[usize]| {
            let mut outcome = outcomes(std::slice::from_ref(item), &[true]).remove(0);
            let trial = outcome.trials.remove(0);
            let choice = |&option: &usize| Some(Answer::Single(OptionIx(option)));
            outcome.trials =
                choices.iter().map(|option| TrialOutcome { choice: choice(option), ..trial.clone() }).collect();
            outcome
        };
        let circular = |outcomes: &[Outcome<'_>]| results(&items, outcomes, "").order_effects[0].circular.clone();
        let found = circular(&[seen(&items[0], &[1, 1]), seen(&items[1], &[1, 2]), seen(&items[2], &[1])]);
        assert_eq!(found.value, Some(50.0), "the third was seen in one order only");
        let found = circular(&[seen(&items[0], &[1]), seen(&items[1], &[2])]);
        assert_eq!(found.reason.as_deref(), Some("every item was seen in one order only"));
    }
}
