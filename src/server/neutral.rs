//! Parameters that disable the servers' own sampling defaults.
//!
//! Replies are sampled exactly by the settings of the run; anything else must have no effect. Servers have their own
//! defaults, though: `llama_cpp.server` divides the logits of repeated tokens by 1.1, even in greedy decoding;
//! llama.cpp samples from the 40 most likely tokens with a top-p of 0.95; vLLM and SGLang use the model's
//! `generation_config.json`. Each default is disabled by the value at which it has no effect, under the names known to
//! these servers.

use serde_json::{Map, Value, json};

/// Keys of which one is needed to disable unnoticed penalties for repeated tokens: vLLM's and SGLang's name, then
/// llama.cpp's.
const PENALTIES: [&str; 2] = ["repetition_penalty", "repeat_penalty"];

/// Returns sets of keys that servers accept, the largest first. No limit on the number of tokens is -1 for some, 0 for
/// others, and unknown to the protocol itself, whose own keys come last.
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

/// Whether these keys disable penalties for repeated tokens.
pub(super) fn has_penalties(keys: &Map<String, Value>) -> bool {
    PENALTIES.iter().all(|name| keys.contains_key(*name))
}

/// Adds keys without effect to a request for a reply, unless it already sets them.
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
