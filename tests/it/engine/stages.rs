//! Phi-3's LongRoPE and the first Qwen's dynamic NTK: the length of a sequence decides over its rotary factors, whatever is
//! computed beside it.

use candle_core::{Device, Tensor};
use serde_json::Value;
use tomeval::internal::{Branch, Capture, RowRanges, Stages};
use tomeval::internal::{Packing, TrialRequests, score_requests, score_trials};
use tomeval::{Decoder, Limits, ModelFiles, Pass, Precision, Request, Sequence, score_once};

use crate::support::fixture;
use crate::support::generation::greedy;

/// Largest difference between a sequence among others and alone: summation orders differ, nothing else.
const TOLERANCE: f32 = 1e-5;
/// Largest difference from the reference, which is transformers for Phi-3.
const REFERENCE_TOLERANCE: f32 = 1e-4;

/// The original context of the fixtures.
const ORIGINAL: usize = 24;

const FAMILIES: [(&str, Stages); 2] =
    [("phi3_longrope", Stages::Once(ORIGINAL)), ("qwen", Stages::Doubling { doubling: ORIGINAL })];

/// A tiny model on one arithmetic.
struct Form {
    family: &'static str,
    form: String,
    decoder: Decoder,
}

/// The tiny models on both arithmetics.
fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    for (family, stages) in FAMILIES {
        let open = || ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
        let ((spec, weights), (same, again)) = (open(), open());
        assert_eq!(spec.stages(), Some(stages));
        let fused = Decoder::load(spec, weights, &Device::Cpu, Precision::F32).unwrap();
        let plain = Decoder::load_portable(same, again, &Device::Cpu, Precision::F32).unwrap();
        forms.extend([("fused", fused), ("plain", plain)].map(|(form, decoder)| Form {
            family,
            form: format!("{family} {form}"),
            decoder,
        }));
    }
    forms
}

fn reference(family: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture(family).join("boundary.json")).unwrap()).unwrap()
}

fn numbers<T: serde::de::DeserializeOwned>(value: &Value) -> Vec<T> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Log-probabilities of all tokens from `from` on, from one forward of the whole sequence.
fn alone(decoder: &Decoder, tokens: &[u32], from: usize) -> Vec<f32> {
    let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(tokens, 0)).unwrap();
    let targets: Vec<(usize, u32)> = (from..tokens.len()).map(|at| (at - 1, tokens[at])).collect();
    decoder.log_probs(&output.hidden, &targets).unwrap()
}

#[track_caller]
fn assert_close(what: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance, "{what}, place {place}: {found} and not {expected}");
    }
}

fn request(context: Vec<u32>, continuations: &[&[u32]]) -> Request {
    let whole = |tail: &&[u32]| Sequence { tokens: [&context[..], tail].concat(), scored_from: context.len() };
    let sequences = continuations.iter().map(whole).collect();
    Request::new(context, sequences).unwrap()
}

/// Requests under a shared prefix that end on either side of the original context, one of them with continuations on
/// both sides, and one longer than a pass.
fn requests() -> Vec<Request> {
    let shared: Vec<u32> = (0..15).map(|at| 40 + 7 * at).collect();
    let context = |own: usize| [&shared[..], &(0..own as u32).map(|at| 11 + 3 * at).collect::<Vec<_>>()].concat();
    vec![
        request(context(6), &[&[5], &[5, 6], &[5, 6, 7], &[8, 6, 7, 9], &[5, 6, 7, 9, 10]]),
        request(context(8), &[&[5], &[6]]),
        request(context(9), &[&[5], &[6]]),
        request(context(7), &[&[5], &[6, 5, 4]]),
        request(context(40), &[&[5, 9]]),
        request(context(2), &[&[5, 9]]),
        request(shared[..4].to_vec(), &[&[5, 9]]),
    ]
}

fn alone_of(decoder: &Decoder, request: &Request) -> Vec<Vec<f32>> {
    let context = request.context();
    let score = |tail: &[u32]| alone(decoder, &[&*context, tail].concat(), context.len());
    request.continuations().map(score).collect()
}

#[test]
fn a_forward_of_a_whole_sequence_is_that_of_the_reference_at_the_boundaries() {
    for Form { family, form, decoder } in forms() {
        for case in reference(family)["alone"].as_array().unwrap() {
            let ids: Vec<u32> = numbers(&case["ids"]);
            let what = format!("{form}, {} tokens", ids.len());
            assert_close(&what, &alone(&decoder, &ids, 1), &numbers::<f32>(&case["logprobs"]), REFERENCE_TOLERANCE);
        }
    }
}

#[test]
fn what_is_scored_beside_a_request_does_not_change_its_factors() {
    let requests = requests();
    for Form { form, decoder, .. } in forms() {
        let expected: Vec<Vec<Vec<f32>>> = requests.iter().map(|request| alone_of(&decoder, request)).collect();
        let check = |what: &str, scores: Vec<Vec<tomeval::TokenScores>>| {
            for (number, (scores, expected)) in scores.iter().zip(&expected).enumerate() {
                for (tail, (scores, expected)) in scores.iter().zip(expected).enumerate() {
                    let what = format!("{form}, {what}, request {number}, continuation {tail}");
                    assert_close(&what, &scores.logprobs, expected, TOLERANCE);
                }
            }
        };
        check("together", score_requests(&decoder, &requests, 1 << 30, |_, _| {}).unwrap());
        let each =
            requests.iter().map(|request| score_requests(&decoder, std::slice::from_ref(request), 1 << 30, |_, _| {}));
        check("each alone", each.map(|scores| scores.unwrap().swap_remove(0)).collect());
        check("once", requests.iter().map(|request| score_once(&decoder, request, 1 << 30).unwrap()).collect());
        let trials: Vec<TrialRequests> = requests.iter().cloned().map(TrialRequests::from_request).collect();
        for (pass_tokens, batch_tokens, sharing) in [(16, 1, true), (7, 20, true), (512, 1, true), (512, 1, false)] {
            let packing = Packing { pass_tokens, batch_tokens, sharing };
            let scored = score_trials(&decoder, &trials, packing, 1 << 30, |_, _| {}).unwrap();
            check(&format!("{packing:?}"), scored.trials.into_iter().flatten().collect());
        }
    }
}

/// Hidden states of every token.
fn hidden(decoder: &Decoder, pass: &Pass) -> Vec<Vec<f32>> {
    decoder.forward(&mut decoder.cache(), pass).unwrap().hidden.to_vec2().unwrap()
}

#[test]
fn branches_of_one_pass_have_the_factors_of_their_own_lengths() {
    let lengths = [ORIGINAL, ORIGINAL + 1, 5, 40, 2 * ORIGINAL, 2 * ORIGINAL + 1];
    let sequences = lengths.map(|length| (0..length as u32).map(|at| 9 + 5 * at).collect::<Vec<u32>>());
    for Form { form, decoder, .. } in forms() {
        let mut pass = Pass::default();
        for sequence in &sequences {
            let start = pass.tokens.len();
            pass.tokens.extend(sequence);
            pass.branches.push(Branch { tokens: start..pass.tokens.len(), prefix: RowRanges::default() });
        }
        pass.rows = (0..pass.tokens.len()).collect();
        let expected = sequences.iter().flat_map(|tokens| hidden(&decoder, &Pass::sequence(tokens, 0)));
        for (row, (found, expected)) in hidden(&decoder, &pass).iter().zip(expected).enumerate() {
            assert_close(&format!("{form}, row {row}"), found, &expected, TOLERANCE);
        }
    }
}

#[test]
fn keys_of_one_stage_are_not_read_from_another() {
    for Form { form, decoder, .. } in forms() {
        let mut cache = decoder.cache();
        decoder.forward(&mut cache, &Pass::sequence(&[1; 20], 0)).unwrap();
        let message = decoder.forward(&mut cache, &Pass::sequence(&[1; 5], 20)).unwrap_err().to_string();
        assert!(message.contains("25 tokens") && message.contains("original context of 24"), "{form}: {message}");
        assert_eq!(cache.rows(), 20, "a refused pass leaves the cache as it was");
        decoder.forward(&mut cache, &Pass::sequence(&[1; 4], 20)).unwrap();

        // A trunk under a short and under a long branch of one pass.
        let branch = |tokens: std::ops::Range<usize>, trunk| Branch { tokens, prefix: RowRanges::first(trunk) };
        let pass = Pass {
            tokens: vec![1; 30],
            branches: vec![branch(0..10, 0), branch(10..12, 10), branch(12..30, 10)],
            ..Pass::default()
        };
        assert!(decoder.forward(&mut decoder.cache(), &pass).is_err(), "{form}");

        // The cache may hold rows of both sides, each read by its own.
        let long: Vec<u32> = (0..30).map(|at| 50 + at).collect();
        let mut cache = decoder.cache();
        decoder.forward(&mut cache, &Pass::sequence(&[1; 20], 0)).unwrap();
        let prefix: RowRanges = std::iter::once(20..30).collect();
        let first = Branch { tokens: 0..10, prefix: RowRanges::default() };
        let first = Pass { tokens: long[..10].to_vec(), branches: vec![first], stage: 1, ..Pass::default() };
        decoder.forward(&mut cache, &first).unwrap();
        let second = Branch { tokens: 0..20, prefix };
        let second = Pass { tokens: long[10..].to_vec(), branches: vec![second], rows: vec![19], ..Pass::default() };
        let found: Tensor = decoder.forward(&mut cache, &second).unwrap().hidden;
        let expected = hidden(&decoder, &Pass::sequence(&long, 0));
        assert_close(&form, &found.to_vec2().unwrap()[0], &expected[29], TOLERANCE);
    }
}

#[test]
fn attention_of_the_beginning_of_a_long_prompt_is_that_of_the_whole() {
    let ids: Vec<u32> = (0..30).map(|at| 20 + 3 * at).collect();
    for Form { form, decoder, .. } in forms() {
        let capture = Some(Capture { queries: vec![12], ..Capture::default() });
        let whole = Pass { capture: capture.clone(), ..Pass::sequence(&ids, 0) };
        let cut = Pass { capture, stage: 1, ..Pass::sequence(&ids[..13], 0) };
        let [whole, cut] =
            [whole, cut].map(|pass| decoder.forward_once(&pass).unwrap().attention.unwrap().queries.swap_remove(0));
        assert_close(&form, &cut.weights, &whole.weights, TOLERANCE);
    }
}

#[test]
fn a_reply_that_grows_beyond_the_original_context_is_that_of_whole_forwards() {
    for Form { family, form, decoder } in forms() {
        let grown = &reference(family)["grown"];
        let (prompt, ids): (Vec<u32>, Vec<u32>) = (numbers(&grown["prompt"]), numbers(&grown["ids"]));
        assert!(prompt.len() < ORIGINAL && prompt.len() + ids.len() > ORIGINAL + 2);
        let logprobs: Vec<f32> = numbers(&grown["logprobs"]);
        for (step, &id) in ids.iter().enumerate() {
            let text = [&prompt[..], &ids[..step]].concat();
            let output = decoder.forward(&mut decoder.cache(), &Pass::sequence(&text, 0)).unwrap();
            let found = decoder.log_probs(&output.hidden, &[(text.len() - 1, id)]).unwrap();
            assert_close(&format!("{form}, step {step}"), &found, &logprobs[step..=step], REFERENCE_TOLERANCE);
        }
        // Beside prompts that are beyond from the start, that never get there, and that are there at once.
        let long: Vec<u32> = (0..30).map(|at| 20 + 3 * at).collect();
        let prompts = vec![prompt.clone(), long.clone(), prompt[..4].to_vec(), prompt.clone(), long[..24].to_vec()];
        for pass_tokens in [1, 7, 512] {
            let limits = Limits { pass_tokens, ..Limits::default() };
            let replies = greedy(&decoder, &prompts, ids.len(), limits);
            for number in [0, 3] {
                assert_eq!(replies[number].tokens, ids, "{form}, {pass_tokens} tokens a pass, prompt {number}");
            }
            for (number, prompt) in prompts.iter().enumerate() {
                let single = greedy(&decoder, std::slice::from_ref(prompt), ids.len(), limits);
                assert_eq!(replies[number], single[0], "{form}, {pass_tokens} tokens a pass, prompt {number}");
            }
        }
        // Long enough that the cache is tidied with rows of both kinds in it.
        let replies = greedy(&decoder, &prompts, 80, Limits::default());
        assert_eq!(replies[0].tokens[..ids.len()], ids, "{form}");
        for (number, prompt) in prompts.iter().enumerate() {
            let mut text = prompt.clone();
            for (step, &token) in replies[number].tokens.iter().enumerate() {
                let pass = Pass { rows: vec![text.len() - 1], ..Pass::sequence(&text, 0) };
                let logits = decoder.forward(&mut decoder.cache(), &pass).unwrap().hidden;
                let logits: Vec<f32> = decoder.logits(&logits).unwrap().to_vec2().unwrap().swap_remove(0);
                let best = logits.iter().copied().fold(f32::MIN, f32::max);
                let lost = best - logits[token as usize];
                assert!(lost <= TOLERANCE, "{form}, prompt {number}, step {step}: {lost}");
                text.push(token);
            }
        }
    }
}
