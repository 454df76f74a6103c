//! Checks that sharing and packing change nothing, by scoring some trials again, prompt by prompt.

use rand::seq::index::sample;

use crate::backend::{BackendError, Local, Prepared, score_all};
use crate::decoder::Decoder;
use crate::engine::{MemoryCosts, Packing, Plan};
use crate::record::TrialRecord;
use crate::seed::seeded;

/// Result of a second scoring without sharing.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// Trials compared.
    pub trials: usize,
    /// Token log-probabilities compared.
    pub tokens: usize,
    /// Largest absolute difference, in nats.
    pub largest: f64,
    /// Mean absolute difference, in nats.
    pub mean: f64,
    /// Ids of items with a trial whose best continuation changes.
    pub flipped: Vec<String>,
    /// Ids of items with a trial whose two best continuations are closer than the largest difference.
    pub near_ties: Vec<String>,
}

/// Scores `wanted` trials, drawn with `seed`, prompt by prompt, and compares them with their records.
pub fn verify(
    decoder: &Decoder,
    prepared: &Prepared,
    records: &[(usize, TrialRecord)],
    wanted: usize,
    seed: u64,
) -> Result<Verification, BackendError> {
    let scored: Vec<&(usize, TrialRecord)> = records.iter().filter(|(_, record)| record.failure.is_none()).collect();
    let mut drawn = sample(&mut seeded(seed, "verify", 0), scored.len(), wanted.min(scored.len())).into_vec();
    drawn.sort_unstable();
    let (trials, records): (Vec<usize>, Vec<&TrialRecord>) =
        drawn.into_iter().map(|index| (scored[index].0, &scored[index].1)).unzip();
    let prepared = prepared.some(&trials);
    let packing = Packing { sharing: false, ..Packing::default() };
    let plan = Plan::new(&prepared.requests, packing, &MemoryCosts::new(decoder.spec(), decoder.arithmetic()));
    let mut backend = Local::new(decoder, &prepared, &plan);

    let mut found = Verification {
        trials: records.len(),
        tokens: 0,
        largest: 0.0,
        mean: 0.0,
        flipped: Vec::new(),
        near_ties: Vec::new(),
    };
    let mut total = 0.0;
    let mut compared = Vec::new();
    for answer in score_all(&mut backend)? {
        let record = records[answer.trial];
        for (ask, again) in record.asks.iter().zip(answer.replies.into_iter().flatten()) {
            let again = again.continuations;
            let before: Vec<f64> = ask.results.iter().filter_map(|result| result.sum()).collect();
            let after: Vec<f64> = again.iter().map(|again| again.scores.sum()).collect();
            for (result, again) in ask.results.iter().zip(&again) {
                for (one, two) in result.logprobs.iter().zip(&again.scores.logprobs) {
                    let difference = f64::from((one - two).abs());
                    found.tokens += 1;
                    total += difference;
                    found.largest = found.largest.max(difference);
                }
            }
            compared.push((record.id.clone(), before, after));
        }
    }
    found.mean = total / found.tokens.max(1) as f64;
    for (id, before, after) in compared {
        let (best, margin) = best_and_margin(&before);
        if best != best_and_margin(&after).0 {
            found.flipped.push(id.clone());
        }
        if margin <= found.largest {
            found.near_ties.push(id);
        }
    }
    found.flipped.dedup();
    found.near_ties.dedup();
    Ok(found)
}

/// Returns the first index of the largest value, and its lead over the second largest.
fn best_and_margin(values: &[f64]) -> (usize, f64) {
    let mut sorted: Vec<usize> = (0..values.len()).collect();
    sorted.sort_by(|&left, &right| values[right].total_cmp(&values[left]).then(left.cmp(&right)));
    match sorted[..] {
        [first, second, ..] => (first, values[first] - values[second]),
        [first] => (first, f64::INFINITY),
        [] => (0, f64::INFINITY),
    }
}
