//! Votes: the answers of several option orders become one.

use std::cmp::Ordering;

use strum::{IntoStaticStr, VariantArray};

use super::numbers::argmax;
use super::trial::{TrialOutcome, joint_choice};
use crate::benchmark::{Answer, OptionIx};
use crate::name::named;

/// Who wins among answers with equally many votes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TieRule {
    /// The higher mean normalised probability over all scored orders, each counted as often as drawn; then, or where
    /// there are no scores, the lowest option number.
    #[default]
    Probability,
    /// The answer seen first in the order of the draws, as in ToMBench's released scripts.
    First,
}

named!(TieRule, "tie rule");

/// The result of a vote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// The answer.
    pub answer: Answer,
    /// How many draws gave it.
    pub votes: usize,
    /// Whether another answer had as many, so that the tie rule decided.
    pub tied: bool,
}

/// The most frequent answer of `trials`, each counted as often as its order was drawn. Whole answers are counted: a set
/// of labels, or the choices of all slots together, is one answer. Trials without a choice have no vote; `None` when
/// none has one. `options` is the number of options of the item.
pub fn vote(trials: &[TrialOutcome], options: usize, tie: TieRule) -> Option<Vote> {
    let mut tally: Vec<(&Answer, usize)> = Vec::new();
    for trial in trials {
        let Some(choice) = &trial.choice else { continue };
        match tally.iter_mut().find(|(known, _)| *known == choice) {
            Some((_, votes)) => *votes += trial.count,
            None => tally.push((choice, trial.count)),
        }
    }
    let votes = tally.iter().map(|(_, votes)| *votes).max()?;
    let leaders: Vec<&Answer> = tally.iter().filter(|(_, count)| *count == votes).map(|(answer, _)| *answer).collect();
    let winner = match tie {
        TieRule::First => leaders[0],
        TieRule::Probability if leaders.len() == 1 => leaders[0],
        TieRule::Probability => leaders
            .iter()
            .copied()
            .min_by(|left, right| {
                let probability = |answer| mean_probability(trials, answer, options);
                compare(probability(right), probability(left)).then_with(|| left.options().cmp(&right.options()))
            })
            .unwrap_or(leaders[0]),
    };
    Some(Vote { answer: winner.clone(), votes, tied: leaders.len() > 1 })
}

fn compare(left: Option<f64>, right: Option<f64>) -> Ordering {
    left.unwrap_or(0.0).total_cmp(&right.unwrap_or(0.0))
}

fn mean_probability(trials: &[TrialOutcome], answer: &Answer, options: usize) -> Option<f64> {
    weighted_mean(trials.iter().filter_map(|trial| Some((vec![trial.probability(answer, options)?], trial.count))))
        .map(|mean| mean[0])
}

/// The answer with the highest probability when the probabilities of all scored orders are averaged, each counted as
/// often as drawn: among equals the lowest option numbers; labels are those whose mean probability exceeds one half.
/// `None` when no trial has scores. `gold` gives the kind of answer, `options` the number of options.
pub fn mean_probability_vote(trials: &[TrialOutcome], gold: &Answer, options: usize) -> Option<Answer> {
    let mean = weighted_mean(trials.iter().filter_map(|trial| Some((trial.probabilities(gold)?, trial.count))))?;
    Some(match gold {
        Answer::Single(_) => Answer::Single(OptionIx(argmax(&mean)?)),
        Answer::Slots(slots) => Answer::Slots(joint_choice(argmax(&mean)?, slots.len(), options)),
        Answer::Labels(_) => Answer::Labels((0..mean.len()).filter(|&label| mean[label] > 0.5).map(OptionIx).collect()),
    })
}

/// Mean of vectors of equal length, each with an integer weight; `None` for no vectors.
fn weighted_mean(vectors: impl Iterator<Item = (Vec<f64>, usize)>) -> Option<Vec<f64>> {
    let mut sum: Vec<f64> = Vec::new();
    let mut weight = 0;
    for (vector, count) in vectors {
        sum.resize(vector.len().max(sum.len()), 0.0);
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value * count as f64;
        }
        weight += count;
    }
    (weight > 0).then(|| sum.into_iter().map(|total| total / weight as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(option: usize, count: usize, probabilities: Option<[f64; 4]>) -> TrialOutcome {
        TrialOutcome {
            order: None,
            count,
            choice: Some(Answer::Single(OptionIx(option))),
            logprobs: probabilities.map(|p| p.iter().map(|p| p.ln()).collect()),
            failure: None,
        }
    }

    fn failed() -> TrialOutcome {
        TrialOutcome { order: None, count: 5, choice: None, logprobs: None, failure: Some("too-long".into()) }
    }

    fn check(trials: &[TrialOutcome], tie: TieRule, winner: usize, tied: bool) {
        let vote = vote(trials, 4, tie).unwrap();
        assert_eq!((vote.answer, vote.tied), (Answer::Single(OptionIx(winner)), tied));
    }

    #[test]
    fn the_most_frequent_option_wins_and_counts_are_votes() {
        let trials = [trial(2, 1, None), trial(0, 1, None), trial(3, 3, None), failed()];
        check(&trials, TieRule::Probability, 3, false);
        check(&trials, TieRule::First, 3, false);
    }

    #[test]
    fn equal_votes_go_to_the_higher_mean_probability() {
        let trials = [trial(0, 2, Some([0.4, 0.3, 0.2, 0.1])), trial(1, 2, Some([0.1, 0.6, 0.2, 0.1]))];
        check(&trials, TieRule::Probability, 1, true);
        check(&trials, TieRule::First, 0, true);
    }

    #[test]
    fn counts_weigh_the_mean_probability() {
        let trials = [
            trial(0, 2, Some([0.4, 0.3, 0.2, 0.1])),
            trial(1, 1, Some([0.1, 0.6, 0.2, 0.1])),
            trial(1, 1, Some([0.0, 0.3, 0.3, 0.4])),
        ];
        check(&trials, TieRule::Probability, 1, true);
        let heavier = [trial(0, 3, Some([0.5, 0.3, 0.1, 0.1])), trial(1, 3, Some([0.3, 0.4, 0.2, 0.1]))];
        check(&heavier, TieRule::Probability, 0, true);
    }

    #[test]
    fn equal_votes_without_scores_go_to_the_lowest_option_or_the_first_seen() {
        let trials = [trial(3, 1, None), trial(1, 1, None)];
        check(&trials, TieRule::Probability, 1, true);
        check(&trials, TieRule::First, 3, true);
    }

    #[test]
    fn equal_probabilities_go_to_the_lowest_option() {
        let trials = [trial(2, 1, Some([0.25; 4])), trial(1, 1, Some([0.25; 4]))];
        check(&trials, TieRule::Probability, 1, true);
    }

    #[test]
    fn without_a_choice_there_is_no_vote() {
        assert_eq!(vote(&[failed()], 4, TieRule::Probability), None);
        assert_eq!(vote(&[], 4, TieRule::First), None);
    }

    #[test]
    fn averaged_probabilities_may_outvote_the_majority() {
        let trials = [
            trial(0, 1, Some([0.4, 0.3, 0.2, 0.1])),
            trial(0, 1, Some([0.4, 0.3, 0.2, 0.1])),
            trial(1, 1, Some([0.0, 0.9, 0.05, 0.05])),
        ];
        check(&trials, TieRule::Probability, 0, false);
        let gold = Answer::Single(OptionIx(3));
        assert_eq!(mean_probability_vote(&trials, &gold, 4), Some(Answer::Single(OptionIx(1))));
        assert_eq!(mean_probability_vote(&[failed()], &gold, 4), None);
    }

    #[test]
    fn labels_above_one_half_are_chosen_on_average() {
        let labels = |odds: Vec<f64>| TrialOutcome { logprobs: Some(odds), ..failed() };
        let trials = [labels(vec![2.0, -1.0]), labels(vec![-1.0, -1.0])];
        let gold = Answer::Labels(Default::default());
        assert_eq!(mean_probability_vote(&trials, &gold, 2), Some(Answer::Labels([OptionIx(0)].into())));
    }
}
