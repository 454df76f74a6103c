//! Synthetic prompts: the shape of a run with letters, for weights that have no tokenizer.

use rand::Rng;

use super::BenchError;
use crate::decoder::Decoder;
use crate::engine::{Counts, Packing, Request, TrialRequests, score_trials};
use crate::model::Sequence;
use crate::seed::seeded;

/// Stories, and orders of the question that each has.
const STORIES: usize = 4;
const ORDERS: usize = 5;

/// Letters scored after each prompt.
const LETTERS: usize = 4;

/// A prompt is a quarter instructions, half story and a quarter question with its options; only the last differs by order.
pub(super) fn trials(vocabulary: usize, tokens: usize) -> Result<Vec<TrialRequests>, BenchError> {
    let draw = |key: &str, number: usize, count: usize| -> Vec<u32> {
        let mut random = seeded(0, key, number);
        (0..count).map(|_| random.random_range(0..vocabulary) as u32).collect()
    };
    let question = (tokens / 4).max(1);
    let instructions = draw("instructions", 0, tokens / 4);
    let mut trials = Vec::with_capacity(STORIES * ORDERS);
    for story in 0..STORIES {
        let rendered = draw("story", story, tokens - instructions.len() - question);
        for order in 0..ORDERS {
            let asked = draw("question", story * ORDERS + order, question);
            let context = [&instructions[..], &rendered, &asked].concat();
            let after = |letter: usize| Sequence {
                tokens: [&context[..], &[(letter % vocabulary) as u32]].concat(),
                scored_from: context.len(),
            };
            let sequences = (0..LETTERS).map(after).collect();
            let requests = vec![Request::new(context, sequences)?];
            trials.push(TrialRequests { story: story.to_string(), draws: 1, requests });
        }
    }
    Ok(trials)
}

/// Score them, with or without sharing; what was forwarded.
pub(super) fn score(decoder: &Decoder, trials: &[TrialRequests], sharing: bool) -> Result<Counts, BenchError> {
    let packing = Packing { sharing, ..Packing::on(decoder.arithmetic()) };
    // The memory is what it takes, as for the other cases.
    let scored = score_trials(decoder, trials, packing, u64::MAX, |_, _| ())?;
    std::hint::black_box(scored.trials);
    Ok(scored.counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_share_instructions_and_stories_alone() {
        let trials = trials(1000, 64).unwrap();
        assert_eq!(trials.len(), STORIES * ORDERS);
        let context = |at: usize| trials[at].requests[0].context().into_owned();
        let shared = |a: usize, b: usize| context(a).iter().zip(&context(b)).take_while(|(a, b)| a == b).count();
        assert!((0..trials.len()).all(|at| context(at).len() == 64));
        assert!((48..52).contains(&shared(0, 1)) && (16..20).contains(&shared(0, ORDERS)));
        assert_eq!(super::trials(1000, 1).unwrap()[0].requests[0].context_tokens(), 1);
    }
}
