//! Changes of log-probabilities: the effect of another precision, program or machine.

use super::ScoreChange;
use super::row::SidePair;

/// The change of log-probabilities over items that both sides saw in the same option order. `None` if the sides were
/// not shown the same prompts, or have no common scores.
pub(super) fn change(pair: &SidePair<'_, '_>) -> Option<ScoreChange> {
    if !pair.same_prompts() {
        return None;
    }
    let mut change = ScoreChange {
        prompts: 0,
        options: 0,
        mean: 0.0,
        largest: 0.0,
        largest_at: String::new(),
        choice_flips: 0,
        vote_flips: 0,
    };
    let mut sum = 0.0;
    for both in pair.items() {
        for a in &both.a.trials {
            let same_order = both.b.trials.iter().find(|b| b.order.is_some() && b.order == a.order);
            let Some(b) = same_order else { continue };
            let (Some(before), Some(after)) = (&a.logprobs, &b.logprobs) else { continue };
            change.prompts += 1;
            change.choice_flips += usize::from(a.choice != b.choice);
            for (before, after) in before.iter().zip(after) {
                let moved = (after - before).abs();
                change.options += 1;
                sum += moved;
                if moved > change.largest || change.largest_at.is_empty() {
                    change.largest = moved;
                    change.largest_at.clone_from(&both.a.item.id);
                }
            }
        }
        change.vote_flips += usize::from(both.a.choice != both.b.choice);
    }
    change.mean = sum / change.options as f64;
    (change.options > 0).then_some(change)
}
