//! Parameters that disable the servers' own sampling defaults.
//!
//! Replies are drawn as a run says, and what it does not say is to change nothing. Servers have defaults of their own, though:
//! `llama_cpp.server` divides the logits of tokens that were there by 1.1, even where the likeliest token is taken; llama.cpp
//! draws from the 40 likeliest tokens and a share of 0.95; vLLM and SGLang take what the model's `generation_config.json` says.
//! Each is switched off by the value at which it does nothing, under the names of those that know it.

use serde_json::{Map, Value, json};

/// The key without which repeated tokens may be penalised unnoticed: vLLM's and SGLang's name, then llama.cpp's.
const PENALTIES: [&str; 2] = ["repetition_penalty", "repeat_penalty"];

/// Sets of keys that servers take, the fullest first. No limit on the number of tokens is -1 for some, 0 for others, and unknown
/// to the protocol itself, whose own keys stand last.
pub(super) fn sets() -> Vec<Map<String, Value>> {
    let own = json!({ "top_p": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.0 });
    let more = |mut keys: Value| {
        keys["min_p"] = json!(0.0);
        PENALTIES.iter().for_each(|name| keys[name] = json!(1.0));
        keys
    };
    let with_top_k = |top_k: i64| {
        let mut keys = more(own.clone());
        keys["top_k"] = json!(top_k);
        keys
    };
    let all = [with_top_k(-1), with_top_k(0), more(own.clone()), own];
    all.into_iter().filter_map(|keys| keys.as_object().cloned()).collect()
}

/// Whether penalties for repeated tokens are switched off by these keys.
pub(super) fn has_penalties(keys: &Map<String, Value>) -> bool {
    PENALTIES.iter().all(|name| keys.contains_key(*name))
}

/// A request for a reply with keys that change nothing, where it does not say otherwise.
pub fn with_neutral(mut body: Value, keys: &Map<String, Value>) -> Value {
    if let Some(body) = body.as_object_mut() {
        for (name, value) in keys {
            body.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_stays_as_it_is() {
        let sets = sets();
        let body = with_neutral(json!({"top_p": 0.9, "repetition_penalty": 1.3}), &sets[0]);
        let values: Vec<&Value> = ["top_p", "repetition_penalty", "top_k"].iter().map(|name| &body[*name]).collect();
        assert_eq!(values, [&json!(0.9), &json!(1.3), &json!(-1)]);
        assert_eq!(sets.iter().map(has_penalties).collect::<Vec<_>>(), [true, true, true, false]);
    }
}
