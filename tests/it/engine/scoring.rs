//! The engine on a real decoder: sharing, packing, batch size and resume points change no score.

use crate::support::fixture;
use std::ops::ControlFlow;

use rand::Rng;
use tomeval::Sequence;
use tomeval::internal::seeded;
use tomeval::internal::{Engine, MemoryCosts, Packing, Plan, TrialRequests, score_trials};
use tomeval::{Decoder, Pass, Request, TokenScores, score_once};

fn decoder(family: &str) -> Decoder {
    crate::support::decoder(&fixture(family))
}

/// Stories with questions and shuffled tails, as a benchmark makes them, with some equal and some one-token pieces.
fn trials(seed: u64, vocabulary: u32) -> Vec<TrialRequests> {
    let mut random = seeded(seed, "trials", 0);
    let mut piece = |longest: usize| -> Vec<u32> {
        let length = random.random_range(1..=longest);
        (0..length).map(|_| random.random_range(3..vocabulary.min(40))).collect()
    };
    let instructions = piece(20);
    let mut trials = Vec::new();
    for story in 0..5 {
        let body = piece(25);
        for _question in 0..3 {
            let question = piece(8);
            for _order in 0..3 {
                let context = [&instructions[..], &body, &question, &piece(6)].concat();
                let sequences = (0..3)
                    .map(|_| Sequence { tokens: [&context[..], &piece(4)].concat(), scored_from: context.len() })
                    .collect();
                let request = Request::new(context, sequences).unwrap();
                trials.push(TrialRequests { story: story.to_string(), draws: 1, requests: vec![request] });
            }
        }
    }
    trials
}

fn run(decoder: &Decoder, trials: &[TrialRequests], packing: Packing) -> Vec<Vec<TokenScores>> {
    let (mut tokens, mut passes) = (0, 0);
    let scored = score_trials(decoder, trials, packing, 1 << 30, |_, pass| {
        tokens += pass.work.tokens;
        passes += 1;
    });
    let scored = scored.unwrap();
    assert_eq!(tokens, scored.counts.forwarded, "the engine forwards what the plan counts");
    assert_eq!(passes, scored.counts.passes);
    scored.trials.into_iter().map(|requests| requests.into_iter().flatten().collect()).collect()
}

/// Each sequence on its own through the decoder, in f64 log-softmax over plain logits.
fn by_hand(decoder: &Decoder, trials: &[TrialRequests]) -> Vec<Vec<Vec<f64>>> {
    let score = |context: &[u32], continuation: &[u32]| {
        let tokens = [context, continuation].concat();
        let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&tokens, 0)).unwrap();
        let logits: Vec<Vec<f32>> = decoder.logits(&output.hidden).unwrap().to_vec2().unwrap();
        (context.len()..tokens.len())
            .map(|at| {
                let row: Vec<f64> = logits[at - 1].iter().map(|&logit| f64::from(logit)).collect();
                let largest = row.iter().copied().fold(f64::MIN, f64::max);
                let total: f64 = row.iter().map(|logit| (logit - largest).exp()).sum();
                row[tokens[at] as usize] - largest - total.ln()
            })
            .collect::<Vec<f64>>()
    };
    let of_request =
        |request: &Request| request.continuations().map(|tokens| score(&request.context(), tokens)).collect::<Vec<_>>();
    trials.iter().map(|trial| trial.requests.iter().flat_map(of_request).collect()).collect()
}

fn largest_difference(scores: &[Vec<TokenScores>], expected: &[Vec<Vec<f64>>]) -> f64 {
    let tokens = |scores: &[Vec<TokenScores>]| -> Vec<f64> {
        scores.iter().flatten().flat_map(|scores| scores.logprobs.iter().map(|&logprob| f64::from(logprob))).collect()
    };
    let expected: Vec<f64> = expected.iter().flatten().flatten().copied().collect();
    let found = tokens(scores);
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
}

#[test]
fn no_packing_changes_a_score() {
    for family in ["llama", "mistral", "qwen2", "qwen3_yarn"] {
        let decoder = decoder(family);
        for seed in 0..3 {
            let trials = trials(seed, decoder.spec().vocab_size as u32);
            let expected = by_hand(&decoder, &trials);
            for (pass_tokens, batch_tokens, sharing) in
                [(512, 2048, true), (16, 30, true), (7, 1, true), (64, 100, true), (512, 2048, false)]
            {
                let scores = run(&decoder, &trials, Packing { pass_tokens, batch_tokens, sharing });
                let difference = largest_difference(&scores, &expected);
                assert!(
                    difference < 1e-4,
                    "{family}, seed {seed}, {pass_tokens}/{batch_tokens}/{sharing}: {difference} nats"
                );
            }
        }
    }
}

#[test]
fn one_pass_that_keeps_nothing_scores_alike_in_less_memory() {
    for family in ["llama", "glm4", "gemma2"] {
        let decoder = decoder(family);
        let trials = trials(5, decoder.spec().vocab_size as u32);
        let expected = by_hand(&decoder, &trials);
        let scores: Vec<Vec<TokenScores>> =
            trials.iter().map(|trial| score_once(&decoder, &trial.requests[0], 1 << 30).unwrap()).collect();
        assert_eq!(scores.len(), expected.len());
        let difference = largest_difference(&scores, &expected);
        assert!(difference < 1e-4, "{family}: {difference:e}");
        let refused = score_once(&decoder, &trials[0].requests[0], 1000).unwrap_err().to_string();
        assert!(refused.contains("pass --memory"), "{refused}");
    }
}

#[test]
fn where_a_run_starts_changes_no_bit() {
    let decoder = decoder("llama");
    let trials = trials(7, decoder.spec().vocab_size as u32);
    let plan = Plan::new(
        &trials,
        Packing { pass_tokens: 32, batch_tokens: 40, sharing: true },
        &MemoryCosts::new(decoder.spec(), decoder.arithmetic()),
    );
    assert!(plan.batches.len() > 3, "the test needs several batches, not {}", plan.batches.len());
    let whole: Vec<_> = {
        let mut engine = Engine::new(&decoder, &trials, &plan);
        (0..plan.batches.len())
            .map(|batch| engine.run_batch(batch, |_| ControlFlow::Continue(())).unwrap().unwrap())
            .collect()
    };
    for (batch, expected) in whole.iter().enumerate() {
        let mut fresh = Engine::new(&decoder, &trials, &plan);
        // A stop in the middle of another batch must leave nothing either.
        assert!(fresh.run_batch((batch + 2) % plan.batches.len(), |_| ControlFlow::Break(())).unwrap().is_none());
        let scores = fresh.run_batch(batch, |_| ControlFlow::Continue(())).unwrap().unwrap();
        assert_eq!(&scores, expected, "batch {batch}");
    }
}
