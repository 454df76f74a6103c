//! Parts switched off, and the residual stream read early, against transformers (`tests/fixtures/make_causal.py`).

use candle_core::{Device, Tensor};
use serde_json::Value;
use tomeval::internal::Ablation;
use tomeval::{Decoder, ModelFiles, Pass, Precision};

use crate::support::fixture;

/// Largest absolute difference of log-probabilities.
const TOLERANCE: f32 = 1e-4;

fn decoders(family: &str) -> [(&'static str, Decoder); 2] {
    let open = || ModelFiles::from_path(&fixture(family)).unwrap().open().unwrap();
    let ((spec, weights), (again, weights_again)) = (open(), open());
    [
        ("fused", Decoder::load(spec, weights, &Device::Cpu, Precision::F32).unwrap()),
        ("plain", Decoder::load_portable(again, weights_again, &Device::Cpu, Precision::F32).unwrap()),
    ]
}

fn whole(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn last(ids: &[u32]) -> Pass {
    Pass { rows: vec![ids.len() - 1], ..Pass::sequence(ids, 0) }
}

fn log_probs(decoder: &Decoder, hidden: &Tensor, tokens: &[u32]) -> Vec<f32> {
    let targets: Vec<(usize, u32)> = tokens.iter().map(|&token| (0, token)).collect();
    decoder.log_probs(hidden, &targets).unwrap()
}

fn assert_close(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= TOLERANCE, "{what}: {found} {expected}");
    }
}

#[test]
fn knocked_out_parts_and_the_lens_are_those_of_transformers() {
    let text = std::fs::read(fixture("causal.json")).unwrap();
    let causal: Value = serde_json::from_slice(&text).unwrap();
    for (family, prompts) in causal["families"].as_object().unwrap() {
        for (form, decoder) in decoders(family) {
            for (name, prompt) in prompts.as_object().unwrap() {
                let (ids, tokens) = (whole(&prompt["ids"]), whole(&prompt["tokens"]));
                let what = |part: &str| format!("{family} {form} {name} {part}");
                let answer = |parts: Ablation| {
                    let left = decoder.without(parts).unwrap();
                    let kept = left.forward(&mut left.cache(), &last(&ids)).unwrap().hidden;
                    let once = left.forward_once(&last(&ids)).unwrap().hidden;
                    let found = log_probs(&left, &kept, &tokens);
                    assert_close(&what("in one pass"), &log_probs(&left, &once, &tokens), &found);
                    found
                };
                assert_close(&what("whole"), &answer(Ablation::default()), &numbers(&prompt["logprobs"]));
                for set in prompt["heads"].as_array().unwrap() {
                    let pair = |pair: &Value| (whole(pair)[0] as usize, whole(pair)[1] as usize);
                    let heads = set["heads"].as_array().unwrap().iter().map(pair).collect();
                    let found = answer(Ablation { heads, ..Ablation::default() });
                    assert_close(&what(&set["heads"].to_string()), &found, &numbers(&set["logprobs"]));
                }
                for layer in prompt["layers"].as_array().unwrap() {
                    let attention = vec![layer["layer"].as_u64().unwrap() as usize];
                    let found = answer(Ablation { attention, ..Ablation::default() });
                    assert_close(&what(&layer["layer"].to_string()), &found, &numbers(&layer["logprobs"]));
                }
                assert_contributions(&what("contributions"), &decoder, &ids, &prompt["contributions"]);
                let output = decoder.forward_once(&Pass { lens: true, ..last(&ids) }).unwrap();
                let lens = prompt["lens"].as_array().unwrap();
                assert_eq!(output.lens.len(), lens.len(), "the embedding and every layer");
                for (layer, (hidden, expected)) in output.lens.iter().zip(lens).enumerate() {
                    let found = log_probs(&decoder, hidden, &tokens);
                    assert_close(&what(&format!("lens {layer}")), &found, &numbers(expected));
                }
                assert_states(&what("states"), &decoder, &ids);
            }
        }
    }
}

/// The stream as it is becomes that of the lens by one norm, the same after every layer.
fn assert_states(what: &str, decoder: &Decoder, ids: &[u32]) {
    let output = decoder.forward_once(&Pass { lens: true, states: true, ..last(ids) }).unwrap();
    assert_eq!(output.states.len(), output.lens.len(), "{what}");
    let weights = |(state, lens): (&Vec<f32>, &Tensor)| -> Vec<f32> {
        let lens: Vec<f32> = lens.flatten_all().unwrap().to_vec1().unwrap();
        let square = state.iter().map(|value| value * value).sum::<f32>() / state.len() as f32;
        let scale = (square + decoder.spec().norm_eps).sqrt();
        lens.iter().zip(state).map(|(normed, value)| normed * scale / value).collect()
    };
    let all: Vec<Vec<f32>> = output.states.iter().zip(&output.lens).map(weights).collect();
    for (layer, weights) in all.iter().enumerate() {
        // Where a value is near 0, its quotient is not exact.
        let near = |(one, first): (&f32, &f32)| (one - first).abs() < 1e-2 * first.abs().max(1e-2);
        let close = weights.iter().zip(&all[0]).filter(|pair| near(*pair)).count();
        assert!(close * 10 >= weights.len() * 9, "{what} {layer}: {weights:?} {:?}", all[0]);
    }
    assert_ne!(output.states[0], output.states[1], "{what}");
}

/// Every part of the difference of two logits, or a refusal where transformers has none either.
fn assert_contributions(what: &str, decoder: &Decoder, ids: &[u32], expected: &Value) {
    let output = decoder.forward_once(&Pass { parts: true, ..last(ids) });
    if expected.is_null() {
        assert!(output.unwrap_err().to_string().contains("a norm follows its attention"), "{what}");
        return;
    }
    let (parts, labels) = (output.unwrap().parts.remove(0), whole(&expected["labels"]));
    let found = decoder.contributions(&parts, (labels[0], labels[1])).unwrap();
    let narrow = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
    let close =
        |part: &str, found: &[f64], expected: &[f32]| assert_close(&format!("{what} {part}"), &narrow(found), expected);
    let one = |name: &str| [expected[name].as_f64().unwrap() as f32];
    close("difference", &[found.difference], &one("difference"));
    close("embedding", &[found.embedding], &one("embedding"));
    for (layer, (found, expected)) in found.heads.iter().zip(expected["heads"].as_array().unwrap()).enumerate() {
        close(&format!("heads of layer {layer}"), found, &numbers(expected));
    }
    close("biases", &found.biases, &numbers(&expected["biases"]));
    close("networks", &found.networks, &numbers(&expected["mlps"]));
    let sum = found.embedding + found.heads.iter().flatten().chain(&found.biases).chain(&found.networks).sum::<f64>();
    assert!((sum - found.difference).abs() < 1e-4, "{what}: {sum} {}", found.difference);
    assert!(decoder.contributions(&parts, (labels[0], u32::MAX)).is_err(), "{what}");
}

#[test]
fn parts_that_are_not_there_are_named() {
    let [(_, decoder), _] = decoders("llama");
    let rendered = |parts: Ablation| decoder.without(parts).unwrap_err().to_string();
    let heads = rendered(Ablation { heads: vec![(0, 1), (1, 9)], ..Ablation::default() });
    assert_eq!(heads, "the model has no head 9 in layer 1: it has layers 0 to 1, each with heads 0 to 3");
    let layer = rendered(Ablation { attention: vec![2], ..Ablation::default() });
    assert_eq!(layer, "the model has no layer 2: it has layers 0 to 1, each with heads 0 to 3");
}
