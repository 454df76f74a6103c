//! The plan's passes, checked without a decoder: a cache of plain tokens shows what every branch would attend to.

use proptest::prelude::*;

use super::memory::MemoryCosts;
use super::plan::{Packing, Plan, TrialRequests, fit_packing};
use super::request::{Path, Request};
use super::schedule::schedule;
use super::trie::{Shared, Trie, distinct_tokens};
use crate::decoder::Stages;
use crate::model::Sequence;

const COSTS: MemoryCosts = MemoryCosts {
    kv_bytes_per_token: 8,
    activation_bytes_per_token: 16,
    row_bytes: 0,
    mask_bytes_per_pair: 0,
    score_bytes_per_pair: 0,
    most_score_bytes: 0,
    head_bytes: 0,
    stages: None,
};

fn request(context: &[u32], continuations: &[Vec<u32>]) -> Request {
    let sequences = continuations
        .iter()
        .map(|tail| Sequence { tokens: [context, tail].concat(), scored_from: context.len() })
        .collect();
    Request::new(context.to_vec(), sequences).unwrap()
}

/// Trials over a tiny alphabet, for prefixes that are shared, repeated and nested in every way.
fn trials() -> impl Strategy<Value = Vec<TrialRequests>> {
    let tokens = |most: usize| prop::collection::vec(0u32..3, 1..=most);
    let request =
        (tokens(12), prop::collection::vec(tokens(4), 1..4)).prop_map(|(context, tails)| request(&context, &tails));
    let trial = (0u8..3, prop::collection::vec(request, 1..3)).prop_map(|(story, requests)| TrialRequests {
        story: story.to_string(),
        draws: 1,
        requests,
    });
    prop::collection::vec(trial, 1..12)
}

/// A cached token with the stage of its keys and values.
type Held = (u8, u32);

/// Runs a plan on a cache of tokens and returns, per batch and path, the context seen by each scored token.
fn simulate(trials: &[TrialRequests], plan: &Plan) -> (Vec<Vec<Vec<Vec<Held>>>>, usize, usize) {
    let (mut forwarded, mut peak) = (0, 0);
    let mut held: (Shared, Vec<usize>) = Default::default();
    let seen = (0..plan.batches.len())
        .map(|batch| {
            let shared = plan.shared_prefix(trials, batch);
            let ends = plan.batches[batch].shared_prefix.clone();
            let reused = super::plan::reusable(&held.1, &ends, held.0.common(&shared));
            forwarded += shared.tokens.len() - reused.checked_sub(1).map_or(0, |last| ends[last]);
            held = (shared.clone(), ends);

            let paths = plan.batches[batch].paths(trials, plan.stages);
            let trie = Trie::new(&paths, &shared, plan.packing.sharing);
            let mut seen: Vec<Vec<Vec<Held>>> =
                paths.iter().map(|path| vec![Vec::new(); path.targets().len()]).collect();
            let mut cache: Vec<Held> = shared.tokens.iter().map(|&token| (shared.stage, token)).collect();
            for scheduled in
                schedule(&paths, &trie, shared.tokens.len(), plan.packing.pass_tokens, !plan.packing.sharing)
            {
                cache = scheduled.keep.iter().flat_map(|rows| cache[rows.clone()].to_vec()).collect();
                let pass = &scheduled.pass;
                assert!(pass.tokens.len() <= plan.packing.pass_tokens);
                forwarded += pass.tokens.len();
                let own: Vec<Held> = pass.tokens.iter().map(|&token| (pass.stage, token)).collect();
                cache.extend_from_slice(&own);
                peak = peak.max(cache.len());
                let mut tiled = 0;
                for branch in &pass.branches {
                    assert_eq!(branch.tokens.start, tiled, "branches tile the pass");
                    tiled = branch.tokens.end;
                }
                assert_eq!(tiled, pass.tokens.len());
                for target in &scheduled.targets {
                    let token = pass.rows[target.row];
                    let branch = pass.branches.iter().find(|branch| branch.tokens.contains(&token)).unwrap();
                    let mut context: Vec<Held> =
                        branch.prefix.iter().flat_map(|rows| cache[rows.clone()].to_vec()).collect();
                    context.extend(&own[branch.tokens.start..=token]);
                    context.push((pass.stage, target.token));
                    seen[target.path][target.index] = context;
                }
            }
            seen
        })
        .collect();
    (seen, forwarded, peak)
}

fn check(trials: &[TrialRequests], packing: Packing) -> Plan {
    check_with(trials, packing, &COSTS)
}

fn check_with(trials: &[TrialRequests], packing: Packing, costs: &MemoryCosts) -> Plan {
    let plan = Plan::new(trials, packing, costs);
    assert_eq!(plan.check(trials, costs), Ok(()));
    let mut done: Vec<usize> = plan.batches.iter().flat_map(|batch| batch.trials.clone()).collect();
    done.sort_unstable();
    assert_eq!(done, (0..trials.len()).collect::<Vec<_>>(), "every trial in exactly one batch");
    let (seen, forwarded, peak) = simulate(trials, &plan);
    for (batch, seen) in plan.batches.iter().zip(seen) {
        for (path, contexts) in batch.paths(trials, plan.stages).iter().zip(seen) {
            let whole: Vec<u32> =
                path.slice(0..path.len()).chain(path.targets().last().map(|(_, token)| token)).collect();
            let stage = plan.stages.map_or(0, |stages| stages.of(whole.len()));
            let whole: Vec<Held> = whole.into_iter().map(|token| (stage, token)).collect();
            for ((depth, _), context) in path.targets().zip(contexts) {
                assert_eq!(context, whole[..depth + 2], "each scored token sees its own path and nothing else");
            }
        }
    }
    assert_eq!(plan.counts.forwarded, forwarded, "the plan counts what it forwards");
    assert_eq!(plan.counts.peak_rows, peak, "the plan knows its largest cache");
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_scored_token_sees_exactly_its_own_path(trials in trials(), pass_tokens in 1usize..30, batch_tokens in 1usize..40) {
        check(&trials, Packing { pass_tokens, batch_tokens, sharing: true });
        check(&trials, Packing { pass_tokens, batch_tokens, sharing: false });
    }

    #[test]
    fn sequences_of_different_stages_share_no_token(trials in trials(), pass_tokens in 1usize..30, batch_tokens in 1usize..40, original in 2usize..16, doubling in any::<bool>()) {
        let stages = if doubling { Stages::Doubling { doubling: original } } else { Stages::Once(original) };
        let costs = MemoryCosts { stages: Some(stages), ..COSTS };
        for sharing in [true, false] {
            check_with(&trials, Packing { pass_tokens, batch_tokens, sharing }, &costs);
        }
    }

    #[test]
    fn one_unit_forwards_each_distinct_token_once(trials in trials(), pass_tokens in 1usize..30) {
        let plan = check(&trials, Packing { pass_tokens, batch_tokens: usize::MAX, sharing: true });
        prop_assert_eq!(plan.counts.forwarded, plan.counts.distinct);
        let mut prefixes = std::collections::BTreeSet::new();
        for path in trials.iter().flat_map(|trial| &trial.requests).flat_map(|request| request.paths(None)) {
            for depth in 0..path.len() {
                prefixes.insert(path.slice(0..depth + 1).collect::<Vec<u32>>());
            }
        }
        prop_assert_eq!(plan.counts.distinct, prefixes.len());
    }

    #[test]
    fn common_prefix_and_order_agree_with_plain_slices(left in prop::collection::vec(0u32..2, 2..8), right in prop::collection::vec(0u32..2, 2..8), cut in 1usize..7) {
        let split = |tokens: &[u32]| {
            let at = cut.min(tokens.len() - 1);
            request(&tokens[..at], &[tokens[at..].to_vec()])
        };
        let (one, two) = (split(&left), split(&right));
        let (one, two): (Path<'_>, Path<'_>) = (one.paths(None).next().unwrap(), two.paths(None).next().unwrap());
        let (left, right) = (&left[..left.len() - 1], &right[..right.len() - 1]);
        prop_assert_eq!(one.common_prefix(&two), left.iter().zip(right).take_while(|(l, r)| l == r).count());
        prop_assert_eq!(one.compare(&two), left.cmp(right));
    }
}

#[test]
fn stories_in_different_units_share_their_instructions_once() {
    let instructions: Vec<u32> = (100..160).collect();
    let trials: Vec<TrialRequests> = (0..6u32)
        .flat_map(|story| {
            let body = [&instructions[..], &[story; 50]].concat();
            (0..2u32).map(move |question| TrialRequests {
                story: story.to_string(),
                draws: 1,
                requests: vec![request(&[&body[..], &[90 + question; 5]].concat(), &[vec![7], vec![8]])],
            })
        })
        .collect();
    let plan = check(&trials, Packing { pass_tokens: 64, batch_tokens: 100, sharing: true });
    assert!(plan.batches.len() >= 3);
    assert_eq!(plan.counts.forwarded, 60 + 6 * (50 + 2 * 5));
    assert_eq!(plan.counts.distinct, plan.counts.forwarded);
    assert_eq!(plan.counts.prompt_by_prompt, 12 * 115);
}

#[test]
fn a_budget_below_the_longest_sequence_names_the_bytes_needed() {
    let trials = vec![TrialRequests { story: String::new(), draws: 1, requests: vec![request(&[1; 100], &[vec![2]])] }];
    let error = fit_packing(&trials, Packing::default(), &COSTS, 1000).unwrap_err();
    assert!(error.to_string().contains("needs 1184 bytes"), "{error}");
    assert_eq!(fit_packing(&trials, Packing::default(), &COSTS, 1184).unwrap().pass_tokens, 16);
    assert_eq!(fit_packing(&trials, Packing::default(), &COSTS, 1 << 20).unwrap().pass_tokens, 512);
}

#[test]
fn an_empty_continuation_is_refused() {
    let sequence = Sequence { tokens: vec![1, 2], scored_from: 2 };
    assert!(Request::new(vec![1, 2], vec![sequence]).is_err());
    let sequence = Sequence { tokens: vec![1, 2], scored_from: 0 };
    assert!(Request::new(vec![], vec![sequence]).is_err());
}

#[test]
fn equal_sequences_are_one_path() {
    let one = request(&[1, 2, 3], &[vec![4], vec![5]]);
    let paths: Vec<Path<'_>> = one.paths(None).collect();
    assert_eq!(distinct_tokens(paths.iter().copied()), 3);
}
