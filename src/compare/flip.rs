//! Items that one side answers correctly and the other incorrectly.

use super::Flip;
use super::row::{Both, SidePair};
use crate::answer::{Outcome, mean_probability};
use crate::benchmark::Answer;

/// The first `count` flips, sorted by decreasing change of the right answer's probability.
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
    let of_gold =
        |outcome: &Outcome<'_>| mean_probability(&outcome.trials, &outcome.item.gold, outcome.item.options.len());
    let change = || Some(of_gold(b)? - of_gold(a)?);
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
