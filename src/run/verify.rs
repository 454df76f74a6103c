//! Checking that sharing and packing change nothing: some trials once more, prompt by prompt.

use std::ops::ControlFlow;

use rand::seq::index::sample;

use super::prepare::Prepared;
use crate::decoder::{Decoder, DecoderError};
use crate::engine::{Engine, MemoryCosts, Packing, Plan, TrialRequests};
use crate::record::TrialRecord;
use crate::seed::seeded;

/// What a second scoring without sharing came to.
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

/// Score `wanted` trials, drawn with `seed`, prompt by prompt, and compare with their records.
pub fn verify(
    decoder: &Decoder,
    prepared: &Prepared,
    records: &[(usize, TrialRecord)],
    wanted: usize,
    seed: u64,
) -> Result<Verification, DecoderError> {
    let scored: Vec<&(usize, TrialRecord)> = records.iter().filter(|(_, record)| record.failure.is_none()).collect();
    let mut drawn = sample(&mut seeded(seed, "verify", 0), scored.len(), wanted.min(scored.len())).into_vec();
    drawn.sort_unstable();
    let chosen: Vec<&(usize, TrialRecord)> = drawn.into_iter().map(|index| scored[index]).collect();
    let trials: Vec<TrialRequests> = chosen.iter().map(|(trial, _)| prepared.requests[*trial].clone()).collect();
    let packing = Packing { sharing: false, ..Packing::default() };
    let plan = Plan::new(&trials, packing, &MemoryCosts::of(decoder.spec()));
    let mut engine = Engine::new(decoder, &trials, &plan);

    let mut found = Verification {
        trials: chosen.len(),
        tokens: 0,
        largest: 0.0,
        mean: 0.0,
        flipped: Vec::new(),
        near_ties: Vec::new(),
    };
    let mut total = 0.0;
    let mut compared = Vec::new();
    for batch in 0..plan.batches.len() {
        let Some(scores) = engine.run_batch(batch, |_| ControlFlow::Continue(()))? else { continue };
        for (&trial, requests) in plan.batches[batch].trials.iter().zip(scores) {
            let record = &chosen[trial].1;
            for (ask, again) in record.asks.iter().zip(requests) {
                let before: Vec<f64> = ask.results.iter().map(|result| result.sum()).collect();
                let after: Vec<f64> = again.iter().map(|scores| scores.sum()).collect();
                for (result, scores) in ask.results.iter().zip(&again) {
                    for (one, two) in result.logprobs.iter().zip(&scores.logprobs) {
                        let difference = f64::from((one - two).abs());
                        found.tokens += 1;
                        total += difference;
                        found.largest = found.largest.max(difference);
                    }
                }
                compared.push((record.id.clone(), before, after));
            }
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

/// The first index of the largest value, and its lead over the second largest.
fn best_and_margin(values: &[f64]) -> (usize, f64) {
    let mut sorted: Vec<usize> = (0..values.len()).collect();
    sorted.sort_by(|&left, &right| values[right].total_cmp(&values[left]).then(left.cmp(&right)));
    match sorted[..] {
        [first, second, ..] => (first, values[first] - values[second]),
        [first] => (first, f64::INFINITY),
        [] => (0, f64::INFINITY),
    }
}
