//! Items that one side answers rightly and the other wrongly.

use super::Flip;
use super::row::{Both, SidePair};
use crate::answer::Outcome;
use crate::benchmark::Answer;

/// The first `count` flips, those with the largest change of the right answer's probability first.
pub(super) fn flips(pair: &SidePair<'_, '_>, count: usize) -> Vec<Flip> {
    if count == 0 {
        return Vec::new();
    }
    let mut flips: Vec<Flip> =
        pair.items().filter(|both| both.a.is_right() != both.b.is_right()).map(|both| flip(&both)).collect();
    let size = |flip: &Flip| flip.probability_change.map_or(-1.0, f64::abs);
    flips.sort_by(|one, other| size(other).total_cmp(&size(one)));
    flips.truncate(count);
    flips
}

fn flip(both: &Both<'_>) -> Flip {
    let (a, b) = (both.a, both.b);
    let change = || Some(gold_probability(b)? - gold_probability(a)?);
    Flip {
        id: a.item.id.clone(),
        id_b: b.item.id.clone(),
        style: a.style.clone(),
        condition: a.condition.clone(),
        gold: a.item.gold.options(),
        a: a.choice.as_ref().map(Answer::options),
        b: b.choice.as_ref().map(Answer::options),
        right_to_wrong: a.is_right(),
        probability_change: change(),
    }
}

/// Mean probability of the right answer over the orders that have scores, each counted as often as drawn.
fn gold_probability(outcome: &Outcome<'_>) -> Option<f64> {
    let (mut sum, mut draws) = (0.0, 0.0);
    for trial in &outcome.trials {
        if let Some(probability) = trial.probability(&outcome.item.gold, outcome.item.options.len()) {
            sum += probability * trial.count as f64;
            draws += trial.count as f64;
        }
    }
    (draws > 0.0).then(|| sum / draws)
}
