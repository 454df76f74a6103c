//! Calibration: how well a model's confidence in its choice predicts its accuracy.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::Outcome;
use super::figure::Figure;
use super::independence::AnsweredInOrders;
use super::respondent::Respondent;
use super::results::{Calibration, CalibrationBin, Selective};
use crate::answer::mean_probabilities;
use crate::benchmark::{Answer, OptionIx};
use crate::stats::{
    Binning, brier, calibrated_error, expected_calibration_error, reliability, selective_accuracy_within,
};

const PERCENT: f64 = 100.0;

/// Bins of confidence.
const BINS: usize = 10;

/// Shares of the items, the most confident first among those with equally many options, for which accuracy is reported.
const COVERAGES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

const NO_SCORES: &str = "no log-probabilities";
const ONE_ORDER: &str = "no item was seen in two known orders";

/// Calibration of single-choice outcomes of one presentation, by language in the order of first occurrence. Languages
/// without scores and without several orders are left out.
pub(super) fn calibrations(outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> Vec<Calibration> {
    let mut languages: IndexMap<&str, Vec<&Outcome<'_>>> = IndexMap::new();
    let single = |outcome: &&&Outcome<'_>| matches!(outcome.item.gold, Answer::Single(_)) && !outcome.failed();
    for outcome in outcomes.iter().filter(single) {
        languages.entry(outcome.item.language.code()).or_default().push(outcome);
    }
    languages.into_values().filter_map(|outcomes| calibration(&outcomes, by)).collect()
}

fn calibration(outcomes: &[&Outcome<'_>], by: Respondent<'_>) -> Option<Calibration> {
    let first = outcomes.first()?;
    let known: Vec<Confident> = outcomes.iter().filter_map(|outcome| Confident::from_outcome(outcome)).collect();
    let changing = changing_with_order(outcomes);
    if known.is_empty() && changing.is_none() {
        return None;
    }
    let answers: Vec<(f64, bool)> = known.iter().map(|item| (item.confidence, item.right)).collect();
    let wide = reliability(&answers, BINS, Binning::EqualWidth);
    let error = |bins| expected_calibration_error(bins).map(|error| error * PERCENT).ok_or(NO_SCORES);
    let mean = |value: &dyn Fn(&Confident) -> f64| match known.len() {
        0 => Err(NO_SCORES),
        items => Ok(known.iter().map(value).sum::<f64>() / items as f64),
    };
    let mut by_options: BTreeMap<usize, Vec<(f64, bool)>> = BTreeMap::new();
    for item in &known {
        by_options.entry(item.options).or_default().push((item.confidence, item.right));
    }
    let by_options: Vec<Vec<(f64, bool)>> = by_options.into_values().collect();
    let selective = |coverage: f64| {
        let accuracy = selective_accuracy_within(&by_options, coverage)? * PERCENT;
        Some(Selective { coverage: coverage * PERCENT, accuracy })
    };
    Some(Calibration {
        header: by.header(&first.style, first.condition.as_deref()),
        language: first.item.language.code().to_string(),
        items: known.len(),
        confidence: Figure::from(mean(&|item| item.confidence * PERCENT)),
        accuracy: Figure::from(mean(&|item| f64::from(item.right) * PERCENT)),
        calibration_error: Figure::from(error(&wide)),
        calibration_error_if_calibrated: calibrated_error(&wide).map(|error| error * PERCENT),
        calibration_error_equal_mass: Figure::from(error(&reliability(&answers, BINS, Binning::EqualMass))),
        brier: Figure::from(mean(&|item| item.brier)),
        bins: wide
            .iter()
            .map(|bin| CalibrationBin {
                items: bin.n,
                confidence: bin.confidence * PERCENT,
                accuracy: bin.accuracy * PERCENT,
            })
            .collect(),
        selective: COVERAGES.into_iter().filter_map(selective).collect(),
        changing_with_order: Figure::from(changing.map(|(share, _)| share).ok_or(ONE_ORDER)),
        changing_if_independent: changing.map(|(_, expected)| expected),
    })
}

/// An item with a choice and scores.
struct Confident {
    options: usize,
    confidence: f64,
    right: bool,
    brier: f64,
}

impl Confident {
    fn from_outcome(outcome: &Outcome<'_>) -> Option<Self> {
        let (Answer::Single(gold), Some(Answer::Single(choice))) = (&outcome.item.gold, &outcome.choice) else {
            return None;
        };
        let mean = mean_probabilities(&outcome.trials, &outcome.item.gold)?;
        let OptionIx(choice) = choice;
        Some(Confident {
            options: outcome.item.options.len(),
            confidence: *mean.get(*choice)?,
            right: outcome.is_right(),
            brier: brier(&mean, gold.0),
        })
    }
}

/// The share of items whose choice changes, and its expected value if all answers were independent, in percent; `None`
/// if no item has choices in two distinct orders.
fn changing_with_order(outcomes: &[&Outcome<'_>]) -> Option<(f64, f64)> {
    let (mut several, mut changing) = (0, 0);
    let mut independent = AnsweredInOrders::default();
    for outcome in outcomes {
        let choices = outcome.choices_by_order();
        if choices.len() > 1 {
            several += 1;
            changing += usize::from(choices.iter().any(|choice| *choice != choices[0]));
            independent.add(outcome.item, &choices);
        }
    }
    Some((changing as f64 / several as f64 * PERCENT, (1.0 - independent.all_same()?) * PERCENT))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{item, outcomes};
    use super::*;
    use crate::answer::TrialOutcome;
    use crate::benchmark::Item;
    use crate::prompt::Order;

    const BY: Respondent<'_> = Respondent { label: "model", answers: "letters" };

    fn scored<'a>(item: &'a Item, choice: usize, probabilities: &[&[f64]]) -> Outcome<'a> {
        let mut outcome = outcomes(std::slice::from_ref(item), &[true]).remove(0);
        let trial = outcome.trials.remove(0);
        outcome.trials = probabilities
            .iter()
            .enumerate()
            .map(|(by, p)| TrialOutcome {
                order: Order::try_from((0..p.len()).map(|slot| (slot + by) % p.len()).collect::<Vec<_>>()).ok(),
                logprobs: Some(p.iter().map(|p| p.ln()).collect()),
                ..trial.clone()
            })
            .collect();
        outcome.choice = Some(Answer::Single(OptionIx(choice)));
        outcome
    }

    #[test]
    fn confidence_is_the_mean_probability_of_the_vote() {
        let items: Vec<Item> = ["a", "b"].map(|id| item(id, id, &[])).to_vec();
        let Answer::Single(OptionIx(gold)) = items[0].gold else { panic!("single") };
        let options = items[0].options.len();
        let spread = |best: usize, p: f64| -> Vec<f64> {
            (0..options).map(|option| if option == best { p } else { (1.0 - p) / (options - 1) as f64 }).collect()
        };
        let wrong = (gold + 1) % options;
        let (sure, less, off) = (spread(gold, 0.9), spread(gold, 0.7), spread(wrong, 0.6));
        let first = scored(&items[0], gold, &[&sure, &less]);
        let second = scored(&items[1], wrong, &[&off]);
        let found = calibrations(&[&first, &second], BY).remove(0);
        assert_eq!(found.items, 2);
        let near = |figure: &Figure, expected: f64| (figure.value.unwrap() - expected).abs() < 1e-9;
        assert!(near(&found.confidence, 70.0) && near(&found.accuracy, 50.0), "{found:?}");
        // Bins: 0.8 right, 0.6 wrong.
        assert!(near(&found.calibration_error, (20.0 + 60.0) / 2.0), "{found:?}");
        assert_eq!(found.bins.iter().map(|bin| bin.items).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(found.selective.iter().map(|at| at.accuracy).collect::<Vec<_>>(), [100.0, 100.0, 50.0, 50.0]);
        assert!(near(&found.changing_with_order, 0.0), "{found:?}");
        let rest = 0.2f64.powi(2) / (options - 1) as f64;
        let of_wrong = 0.36
            + (1.0 - 0.4 / (options - 1) as f64).powi(2)
            + 0.16 * (options - 2) as f64 / ((options - 1) as f64).powi(2);
        assert!(near(&found.brier, (0.04 + rest + of_wrong) / 2.0), "{found:?}");
    }

    #[test]
    fn answers_without_scores_have_reasons() {
        let items: Vec<Item> = ["a", "b"].map(|id| item(id, id, &[])).to_vec();
        let mut plain = outcomes(&items, &[true, false]);
        assert!(calibrations(&plain.iter().collect::<Vec<_>>(), BY).is_empty(), "one order and no scores");
        let again = plain[0].trials[0].clone();
        let in_order = |order: Vec<usize>, choice| TrialOutcome {
            order: Order::try_from(order).ok(),
            choice: Some(Answer::Single(OptionIx(choice))),
            ..again.clone()
        };
        plain[0].trials = vec![in_order(vec![0, 1, 2, 3], 0), in_order(vec![0, 1, 3, 2], 1)];
        let found = calibrations(&plain.iter().collect::<Vec<_>>(), BY).remove(0);
        assert_eq!((found.items, found.calibration_error.reason.as_deref()), (0, Some(NO_SCORES)));
        assert_eq!(found.changing_with_order.value, Some(100.0));
        // One of the two answers is right.
        assert_eq!(found.changing_if_independent, Some(100.0));
    }
}
