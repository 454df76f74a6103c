//! Fuzz test with ten thousand damaged answers of each kind: every one is read or refused, and no invalid number gets
//! through.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::reading::Budget;
use super::{Alternatives, Answered, Given, PromptScores, Scored, Usage, of_chat, of_completion};
use crate::seed::seeded;

const DRAWS: usize = 10_000;

/// Valid answers, one of each kind.
fn answers() -> [(&'static str, Value); 6] {
    let usage = json!({"prompt_tokens": 4, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}});
    let choice = |more: Value| {
        let mut choice = json!({"index": 0, "finish_reason": "stop", "text": " A"});
        choice.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"model": "m", "system_fingerprint": "f", "choices": [choice], "usage": usage})
    };
    let likely = json!([{"token": "A", "id": 3, "logprob": -0.5}, {"token": "B", "id": 4, "logprob": -1.5}]);
    let first = json!({"token": "A", "logprob": -0.5, "top_logprobs": likely});
    let of_vllm = json!([null, {"5": {"logprob": -1.0, "decoded_token": "is"}}, {"6": {"logprob": -2.0}}, {"7": {"logprob": -0.1}}]);
    let echo = json!({
        "tokens": ["It", " is", " so", " A"], "token_logprobs": [null, -1.0, -2.0, -0.1], "text_offset": [0, 2, 5, 8],
        "top_logprobs": [null, {" is": -1.0}, {" so": -2.0}, {" A": -0.1}],
    });
    [
        ("chat", choice(json!({"message": {"role": "assistant", "content": "A", "reasoning_content": "B"}}))),
        ("chat with first tokens", choice(json!({"message": {"content": "A"}, "logprobs": {"content": [first]}}))),
        ("completion", choice(json!({"logprobs": {"top_logprobs": [{"A": -0.5, "B": -1.5}]}}))),
        ("prompt of vLLM", choice(json!({ "prompt_logprobs": of_vllm }))),
        ("prompt by echo", choice(json!({ "logprobs": echo }))),
        (
            "SGLang's own route",
            json!({"text": " A", "meta_info": {
                "prompt_tokens": 4, "completion_tokens": 1, "cached_tokens": 2,
                "input_token_logprobs": [[null, 5, null], [-2.0, 6, null], [-0.1, 7, null]],
                "output_token_ids_logprobs": [[[-0.5, 3, null], [-1.5, 4, null]]],
            }}),
        ),
    ]
}

/// Lists every value within a document.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => (0..list.len()).for_each(|key| places(&list[key], format!("{at}/{key}"), found)),
        Value::Object(map) => map.iter().for_each(|(key, value)| places(value, format!("{at}/{key}"), found)),
        _ => {}
    }
    found.push(at);
}

fn extreme(random: &mut ChaCha8Rng) -> Value {
    let known = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e-320),
        json!(0.5),
        json!(""),
        json!("\u{0}é\u{202e}"),
        json!("1e999"),
        json!([]),
        json!({}),
        json!([[[{"": []}]]]),
        json!({"4294967296": {"logprob": 1}}),
    ];
    known.choose(random).unwrap().clone()
}

/// Replaces, removes or doubles one to three values, and sometimes changes or truncates bytes.
fn damaged(answer: &Value, random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut answer = answer.clone();
    for _ in 0..random.random_range(1..4) {
        let mut known = Vec::new();
        places(&answer, String::new(), &mut known);
        let Some(value) = answer.pointer_mut(known.choose(random).unwrap()) else { continue };
        match (random.random_range(0..4), value) {
            (0, Value::Array(list)) => list.extend(list.clone()),
            (1, Value::Array(list)) => list.truncate(list.len() / 2),
            (2, Value::Object(map)) => {
                let key = map.keys().nth(random.random_range(0..map.len().max(1))).cloned();
                key.and_then(|key| map.shift_remove(&key));
            }
            (_, value) => *value = extreme(random),
        }
    }
    let mut bytes = answer.to_string().into_bytes();
    if random.random_bool(0.2) {
        let at = random.random_range(0..bytes.len());
        bytes[at] = random.random();
    }
    if random.random_bool(0.1) {
        bytes.truncate(random.random_range(0..bytes.len()));
    }
    bytes
}

fn is_logprob(logprob: f32) -> bool {
    logprob.is_finite() && logprob <= 0.0
}

/// Reads an answer in every way used by this program.
fn read(json: &Value) {
    let labels = ["A", "B"].map(String::from);
    let texts = ["It is so A", "It is so B"].map(String::from);
    let (_, _) = (Answered::from_json(json), Usage::from_json(json));
    for wrote in [of_chat(json), of_completion(json)].into_iter().flatten() {
        let most = wrote.thinking.as_ref().map_or(0, String::len).min(3) + 3;
        let within = wrote.within(1, Some(most));
        assert!(within.text.len() + within.thinking.map_or(0, |thought| thought.len()) <= most);
    }
    for first in [Alternatives::from_json(json), Alternatives::of_sglang(json, 2)].into_iter().flatten() {
        assert!(first.each().all(|(_, logprob)| is_logprob(logprob)), "{json}");
        for ids in [None, Some(&[3, 4][..])] {
            let given = first.labels(&labels, ids).ok().and_then(Result::ok).unwrap_or_default();
            let known = |given: &Given| match given {
                Given::Is(logprob) | Given::AtMost(logprob) => *logprob <= 0.0,
            };
            assert!(given.iter().all(known), "{json}");
        }
    }
    for prompt in [PromptScores::from_json(json), PromptScores::of_sglang(json, 2)].into_iter().flatten() {
        let all = [prompt.all(), prompt.by_ids(&[1, 5, 6, 7], 2)].into_iter().flatten();
        let by_texts = PromptScores::by_texts(&[prompt.clone(), prompt], &texts, 8).unwrap_or_default();
        let is_whole = |scored: Scored| !scored.logprobs.is_empty() && scored.logprobs.into_iter().all(is_logprob);
        assert!(all.chain(by_texts).all(is_whole), "{json}");
    }
}

#[test]
fn damaged_answers_are_read_or_refused() {
    let budget = Budget::new(8);
    for (kind, answer) in answers() {
        read(&answer);
        let documents = (0..DRAWS)
            .filter(|&draw| {
                let body = damaged(&answer, &mut seeded(1, kind, draw));
                budget.read(&body[..]).json.map(|json| read(&json)).is_ok()
            })
            .count();
        assert!(documents > DRAWS / 2, "{kind}: {documents} of the damaged answers are still documents");
    }
}
