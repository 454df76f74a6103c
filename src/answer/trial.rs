//! The result of one option order of one item, with the order undone, and joint choices of slots.

use super::numbers::softmax;
use crate::benchmark::{Answer, OptionIx};
use crate::extract;
use crate::prompt::{Order, SlotIx};

/// The result of one option order of one item. Everything is in canonical options; the order was undone on reading.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialOutcome {
    /// The option order shown, if known.
    pub order: Option<Order>,
    /// How often the policy drew this order.
    pub count: usize,
    /// The choice; `None` if the trial failed or the text contained no answer.
    pub choice: Option<Answer>,
    /// Scores in nats under the current normalisation, if the choice came from scores. Single choice: one per canonical
    /// option. Slots: one per joint choice, with the last slot varying fastest. Labels: log-odds of yes against no per
    /// canonical option.
    pub logprobs: Option<Vec<f64>>,
    /// Whether several answers had the highest score, so that the tie rule decided.
    pub tied: bool,
    /// Kind of failure, as counted in reports. A reply without an answer is not a failure.
    pub failure: Option<String>,
    /// Reading of the reply; `None` if the choice has another source.
    pub reading: Option<TrialReading>,
}

/// The reading of a reply, except the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialReading {
    /// Outcome of reading the reply.
    pub outcome: extract::Outcome,
    /// Name of the rule that decided; `None` if no rule did.
    pub rule: Option<String>,
    /// Tokens of the reply, thoughts included, if known and about one question.
    pub tokens: Option<usize>,
    /// Whether a limit of length ended the reply.
    pub cut: bool,
}

impl TrialOutcome {
    /// Probabilities of [`TrialOutcome::logprobs`]: the softmax over the options (or joint choices) of a
    /// single choice (or slots), and the logistic function of each log-odds of labels. `None` without scores.
    pub fn probabilities(&self, gold: &Answer) -> Option<Vec<f64>> {
        let scores = self.logprobs.as_ref()?;
        Some(match gold {
            Answer::Single(_) | Answer::Slots(_) => softmax(scores),
            Answer::Labels(_) => scores.iter().map(|odds| 1.0 / (1.0 + (-odds).exp())).collect(),
        })
    }

    /// Probability of an answer, normalised over all possible answers. `None` without scores.
    pub fn probability(&self, answer: &Answer, options: usize) -> Option<f64> {
        let probabilities = self.probabilities(answer)?;
        Some(match answer {
            Answer::Single(option) => *probabilities.get(option.0)?,
            Answer::Slots(slots) => *probabilities.get(joint_index(slots, options))?,
            Answer::Labels(set) => probabilities
                .iter()
                .enumerate()
                .map(|(option, yes)| if set.contains(&OptionIx(option)) { *yes } else { 1.0 - yes })
                .product(),
        })
    }
}

impl TrialOutcome {
    /// Margin in nats between the gold answer and the best other answer; negative if another one scores higher.
    /// For a label set, the smallest log-odds in favour of the correct value of a label. `None` without scores.
    pub fn margin(&self, gold: &Answer, options: usize) -> Option<f64> {
        let scores = self.logprobs.as_ref()?;
        let above_others = |at: usize| {
            let others = scores.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, score)| *score);
            Some(scores.get(at)? - others.reduce(f64::max)?)
        };
        match gold {
            Answer::Single(option) => above_others(option.0),
            Answer::Slots(slots) => above_others(joint_index(slots, options)),
            Answer::Labels(set) => {
                let in_favour =
                    |(label, odds): (usize, &f64)| if set.contains(&OptionIx(label)) { *odds } else { -odds };
                scores.iter().enumerate().map(in_favour).reduce(f64::min)
            }
        }
    }
}

/// Index of a joint choice among all, with the last slot varying fastest.
pub(super) fn joint_index(slots: &[OptionIx], options: usize) -> usize {
    slots.iter().fold(0, |index, option| index * options + option.0)
}

/// The joint choice at an index: the inverse of [`joint_index`].
pub(super) fn joint_choice(mut index: usize, slots: usize, options: usize) -> Vec<OptionIx> {
    let mut choice = vec![OptionIx(0); slots];
    for slot in choice.iter_mut().rev() {
        *slot = OptionIx(index % options);
        index /= options;
    }
    choice
}

/// The canonical options of a displayed joint choice.
pub(super) fn displayed_joint_choice(index: usize, slots: usize, order: &Order) -> Vec<OptionIx> {
    let shown = joint_choice(index, slots, order.len());
    shown.into_iter().map(|slot| order.option_at(SlotIx(slot.0))).collect()
}

/// The canonical answer of a displayed continuation: a slot, or a joint choice if `gold` has slots.
pub(crate) fn displayed_answer(gold: &Answer, order: &Order, index: usize) -> Answer {
    match gold {
        Answer::Slots(slots) => Answer::Slots(displayed_joint_choice(index, slots.len(), order)),
        _ => Answer::Single(order.option_at(SlotIx(index))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn trial(logprobs: Vec<f64>) -> TrialOutcome {
        TrialOutcome {
            order: None,
            count: 1,
            choice: None,
            logprobs: Some(logprobs),
            tied: false,
            failure: None,
            reading: None,
        }
    }

    proptest! {
        #[test]
        fn label_sets_have_probabilities_that_sum_to_one(odds in prop::collection::vec(-20.0f64..20.0, 1..7)) {
            let n = odds.len();
            let trial = trial(odds);
            let total: f64 = (0..1usize << n)
                .map(|bits| (0..n).filter(|label| bits >> label & 1 == 1).map(OptionIx).collect::<BTreeSet<_>>())
                .map(|set| trial.probability(&Answer::Labels(set), n).unwrap())
                .sum();
            prop_assert!((total - 1.0).abs() < 1e-12);
        }

        #[test]
        fn joint_choices_round_trip(index in 0usize..64) {
            prop_assert_eq!(joint_index(&joint_choice(index, 3, 4), 4), index);
        }
    }

    #[test]
    fn the_last_slot_varies_fastest() {
        assert_eq!(joint_choice(1, 3, 4), [OptionIx(0), OptionIx(0), OptionIx(1)]);
        assert_eq!(joint_choice(16, 3, 4), [OptionIx(1), OptionIx(0), OptionIx(0)]);
    }

    #[test]
    fn a_margin_is_positive_where_the_gold_answer_wins() {
        let single = trial(vec![-1.0, -3.0, -2.5]);
        assert_eq!(single.margin(&Answer::Single(OptionIx(0)), 3), Some(1.5));
        assert_eq!(single.margin(&Answer::Single(OptionIx(1)), 3), Some(-2.0));
        let joint = trial(vec![0.0, 0.0, 3.0, 1.0]);
        assert_eq!(joint.margin(&Answer::Slots(vec![OptionIx(1), OptionIx(0)]), 2), Some(2.0));
        let labels = trial(vec![2.0, -0.5, 1.0]);
        assert_eq!(labels.margin(&Answer::Labels([OptionIx(0), OptionIx(2)].into()), 3), Some(0.5));
        assert_eq!(labels.margin(&Answer::Labels([OptionIx(0)].into()), 3), Some(-1.0));
        assert_eq!(TrialOutcome { logprobs: None, ..labels }.margin(&Answer::Single(OptionIx(0)), 3), None);
    }

    #[test]
    fn a_joint_choice_has_the_probability_at_its_index() {
        let trial = trial(vec![0.0, 0.0, 3f64.ln(), 0.0]);
        let answer = Answer::Slots(vec![OptionIx(1), OptionIx(0)]);
        assert!((trial.probability(&answer, 2).unwrap() - 0.5).abs() < 1e-15);
    }
}
