//! SGLang's own route `/generate`, beside those of the protocol: prompts as tokens, log-probabilities of named tokens,
//! and those of a prompt from a given token on, for which the prefix cache is read up to there.
//!
//! ```text
//! input_ids              | t0 ... tk | a b c |     logprob_start_len = k: the last token of the prompt
//! input_token_logprobs          none   a b c       one entry a token from there; the first has no context
//! ```
//!
//! Shapes are those of version 0.5.23 (`managers/tokenizer_manager.py`, `scheduler_components/logprob_result_processor.py`):
//! an entry is `[log-probability, token, text or null]`.

use serde_json::{Value, json};

use super::client::Client;
use super::error::ServerError;

/// Where the program describes its model: the current path, then that of earlier versions.
const DESCRIPTIONS: [&str; 2] = ["/model_info", "/get_model_info"];

/// Whether the server is SGLang: only that describes its model there, by the path of its weights.
pub(super) fn is_there(client: &Client) -> bool {
    let describes = |path: &&str| client.get_beside(path).is_ok_and(|answer| answer.json["model_path"].is_string());
    DESCRIPTIONS.iter().any(describes)
}

fn generate(prompt: &[u32], start: i64) -> Value {
    json!({
        "input_ids": prompt,
        "sampling_params": {"max_new_tokens": 1, "temperature": 0},
        "return_logprob": true,
        "logprob_start_len": start,
    })
}

/// Returns a request for the log-probabilities of these tokens after a prompt.
pub fn generate_named(prompt: &[u32], ids: &[u32]) -> Value {
    let mut body = generate(prompt, -1);
    body["token_ids_logprob"] = json!(ids);
    body
}

/// The same after a prompt as text, which the server tokenizes.
pub(super) fn generate_named_of_text(prompt: &str, ids: &[u32]) -> Value {
    let mut body = generate_named(&[], ids);
    if let Some(keys) = body.as_object_mut() {
        keys.remove("input_ids");
        keys.insert("text".to_string(), json!(prompt));
    }
    body
}

/// Returns a request for the log-probabilities of a prompt's last `scored` tokens.
pub fn generate_scored(prompt: &[u32], scored: usize) -> Value {
    // The entry before them is that of their context.
    generate(prompt, (prompt.len().saturating_sub(scored + 1)) as i64)
}

/// Returns the values and tokens of a list of entries, of which there must be as many as were asked for.
fn entries(list: &Value, asked: usize) -> Result<Vec<(&Value, Option<u32>)>, ServerError> {
    let list =
        list.as_array().ok_or_else(|| ServerError::odd("it has no log-probabilities of the requested tokens"))?;
    if list.len() != asked {
        let found = list.len();
        return Err(ServerError::odd(format!(
            "it has log-probabilities of {found} tokens, but {asked} were asked for"
        )));
    }
    let entry = |entry: &'_ Value| entry.get(1).and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
    Ok(list.iter().map(|each| (&each[0], entry(each))).collect())
}

/// Returns the log-probabilities of named tokens at the first position after the prompt.
pub(super) fn named(json: &Value, asked: usize) -> Result<Vec<(&Value, Option<u32>)>, ServerError> {
    entries(&json["meta_info"]["output_token_ids_logprobs"][0], asked)
}

/// Returns the log-probabilities of the last `scored` tokens of a prompt, after an entry for their context.
pub(super) fn prompt(json: &Value, scored: usize) -> Result<Vec<(&Value, Option<u32>)>, ServerError> {
    let entries = entries(&json["meta_info"]["input_token_logprobs"], scored + 1)?;
    // It writes 0 for the last token of the vocabulary.
    Ok(entries.into_iter().map(|(logprob, id)| (logprob, id.filter(|&id| id != 0))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Alternatives, PromptScores, Usage};
    use super::*;

    #[test]
    fn entries_are_read_if_there_are_as_many_as_asked_for() {
        let json = json!({"meta_info": {
            "prompt_tokens": 4, "completion_tokens": 1, "cached_tokens": 1,
            "input_token_logprobs": [[null, 5, null], [-2.0, 0, null], [-0.25, 7, "x"]],
            "output_token_ids_logprobs": [[[-0.5, 3, null], [-1.5, 4, null]]],
        }});
        assert_eq!(Usage::from_json(&json).unwrap().cached_tokens, Some(1));
        let named = Alternatives::of_sglang(&json, 2).unwrap();
        assert_eq!((named.of_id(4), named.of_id(5)), (Some(-1.5), None));
        assert!(Alternatives::of_sglang(&json, 3).unwrap_err().to_string().contains("2 tokens, but 3 were asked for"));
        let prompt = PromptScores::of_sglang(&json, 2).unwrap();
        // The last token of the vocabulary is written as 0.
        let scored = prompt.by_ids(&[4, 5, 319, 7], 2).unwrap();
        assert_eq!((scored.prompt_tokens, scored.logprobs), (2, vec![-2.0, -0.25]));
        assert!(prompt.by_ids(&[4, 5, 319, 8], 2).unwrap_err().to_string().contains("token 4"));
        for scored in [1, 3] {
            assert!(PromptScores::of_sglang(&json, scored).unwrap_err().to_string().contains("were asked for"));
        }
    }

    #[test]
    fn the_context_of_an_answer_is_its_first_entry() {
        let body = generate_scored(&[4, 5, 6, 7], 2);
        assert_eq!((&body["input_ids"], &body["logprob_start_len"]), (&json!([4, 5, 6, 7]), &json!(1)));
        let body = generate_named_of_text("Q", &[3]);
        assert!(body.get("input_ids").is_none() && body["token_ids_logprob"] == json!([3]), "{body}");
    }
}
