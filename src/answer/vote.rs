//! Votes: combine the answers of several option orders.

use super::ties::{TieRule, Ties};
use super::trial::{TrialOutcome, joint_choice};
use crate::benchmark::{Answer, Item, OptionIx};

/// The result of a vote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    pub answer: Answer,
    /// Number of draws with this answer.
    pub votes: usize,
    /// Whether another answer had equally many votes, so that the tie rule decided.
    pub tied: bool,
}

/// The most frequent answer of `trials`, each counted as often as its order was drawn. Whole answers are counted: a set
/// of labels, or the choices of all slots together, is one answer. Trials without a choice have no vote; `None` if
/// no trial has a choice. `options` is the number of options of the item with the id `item`.
pub fn vote(trials: &[TrialOutcome], item: &str, options: usize, ties: Ties) -> Option<Vote> {
    let mut tally: Vec<(&Answer, usize)> = Vec::new();
    for trial in trials {
        let Some(choice) = &trial.choice else { continue };
        match tally.iter_mut().find(|(known, _)| *known == choice) {
            Some((_, votes)) => *votes += trial.count,
            None => tally.push((choice, trial.count)),
        }
    }
    let votes = tally.iter().map(|(_, votes)| *votes).max()?;
    let mut leaders: Vec<&Answer> =
        tally.iter().filter(|(_, count)| *count == votes).map(|(answer, _)| *answer).collect();
    let winner = match (ties.rule, leaders.len()) {
        (TieRule::First, _) | (_, 1) => leaders[0],
        (TieRule::Probability, _) => {
            leaders.sort_by_key(|answer| answer.options());
            let means: Vec<f64> =
                leaders.iter().map(|answer| mean_probability(trials, answer, options).unwrap_or(0.0)).collect();
            ties.best_mean(&means, item).map_or(leaders[0], |best| leaders[best.at])
        }
    };
    Some(Vote { answer: winner.clone(), votes, tied: leaders.len() > 1 })
}

/// The probability of an answer averaged over the orders with scores, each counted as often as drawn. `None` without
/// scores. `options` is the number of options of the item.
pub fn mean_probability(trials: &[TrialOutcome], answer: &Answer, options: usize) -> Option<f64> {
    weighted_mean(trials.iter().filter_map(|trial| Some((vec![trial.probability(answer, options)?], trial.count))))
        .map(|mean| mean[0])
}

/// The probabilities of all answers ([`TrialOutcome::probabilities`]), averaged in the same way.
pub fn mean_probabilities(trials: &[TrialOutcome], gold: &Answer) -> Option<Vec<f64>> {
    weighted_mean(trials.iter().filter_map(|trial| Some((trial.probabilities(gold)?, trial.count))))
}

/// The answer with the highest mean probability over all scored orders, each counted as often as drawn; for labels,
/// those whose mean probability exceeds one half. `None` if no trial has scores. The item's gold answer determines the
/// kind of answer.
pub fn mean_probability_vote(trials: &[TrialOutcome], item: &Item, ties: Ties) -> Option<Answer> {
    let gold = &item.gold;
    let mean = mean_probabilities(trials, gold)?;
    Some(match gold {
        Answer::Single(_) => Answer::Single(OptionIx(ties.best_mean(&mean, &item.id)?.at)),
        Answer::Slots(slots) => {
            Answer::Slots(joint_choice(ties.best_mean(&mean, &item.id)?.at, slots.len(), item.options.len()))
        }
        Answer::Labels(_) => Answer::Labels((0..mean.len()).filter(|&label| mean[label] > 0.5).map(OptionIx).collect()),
    })
}

/// Weighted mean of vectors of equal length, with integer weights; `None` without vectors.
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
    use crate::benchmark::Benchmark;
    use crate::language::Language;

    fn trial(option: usize, count: usize, probabilities: Option<[f64; 4]>) -> TrialOutcome {
        TrialOutcome {
            order: None,
            count,
            choice: Some(Answer::Single(OptionIx(option))),
            logprobs: probabilities.map(|p| p.iter().map(|p| p.ln()).collect()),
            tied: false,
            failure: None,
            reading: None,
        }
    }

    fn item(gold: Answer, options: usize) -> Item {
        Item {
            id: "item".into(),
            benchmark: Benchmark::Custom,
            language: Language::En,
            parallel: "item".into(),
            story: "item".into(),
            context: Vec::new(),
            question: "?".into(),
            options: (0..options).map(|option| format!("option {option}")).collect(),
            gold,
            facets: Default::default(),
            fields: Default::default(),
            flags: Vec::new(),
        }
    }

    fn failed() -> TrialOutcome {
        TrialOutcome {
            order: None,
            count: 5,
            choice: None,
            logprobs: None,
            tied: false,
            failure: Some("too-long".into()),
            reading: None,
        }
    }

    fn check(trials: &[TrialOutcome], tie: TieRule, winner: usize, tied: bool) {
        let vote = vote(trials, "item", 4, Ties { rule: tie, seed: 0 }).unwrap();
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
    fn votes_that_probabilities_leave_equal_are_drawn_and_go_to_the_first_seen_under_its_rule() {
        for scores in [None, Some([0.25; 4])] {
            let trials = [trial(3, 1, scores), trial(1, 1, scores)];
            check(&trials, TieRule::First, 3, true);
            let winners = (0..400).map(|item| {
                let vote = vote(&trials, &format!("item {item}"), 4, Ties::default()).unwrap();
                assert!(vote.tied);
                vote.answer.options()[0]
            });
            let threes =
                winners.inspect(|winner| assert!([1, 3].contains(winner))).filter(|&winner| winner == 3).count();
            assert!((150..250).contains(&threes), "{threes} of 400");
        }
    }

    #[test]
    fn the_draw_does_not_depend_on_which_answer_was_seen_first() {
        for item in 0..50 {
            let winner = |options: [usize; 2]| {
                vote(&options.map(|option| trial(option, 1, None)), &format!("item {item}"), 4, Ties::default())
            };
            assert_eq!(winner([1, 3]), winner([3, 1]));
        }
    }

    #[test]
    fn without_a_choice_there_is_no_vote() {
        assert_eq!(vote(&[failed()], "item", 4, Ties::default()), None);
        assert_eq!(vote(&[], "item", 4, Ties::default()), None);
    }

    #[test]
    fn averaged_probabilities_may_outvote_the_majority() {
        let trials = [
            trial(0, 1, Some([0.4, 0.3, 0.2, 0.1])),
            trial(0, 1, Some([0.4, 0.3, 0.2, 0.1])),
            trial(1, 1, Some([0.0, 0.9, 0.05, 0.05])),
        ];
        check(&trials, TieRule::Probability, 0, false);
        let item = item(Answer::Single(OptionIx(3)), 4);
        assert_eq!(mean_probability_vote(&trials, &item, Ties::default()), Some(Answer::Single(OptionIx(1))));
        assert_eq!(mean_probability_vote(&[failed()], &item, Ties::default()), None);
    }

    #[test]
    fn labels_above_one_half_are_chosen_on_average() {
        let labels = |odds: Vec<f64>| TrialOutcome { logprobs: Some(odds), ..failed() };
        let trials = [labels(vec![2.0, -1.0]), labels(vec![-1.0, -1.0])];
        let item = item(Answer::Labels(Default::default()), 2);
        assert_eq!(mean_probability_vote(&trials, &item, Ties::default()), Some(Answer::Labels([OptionIx(0)].into())));
    }
}
