//! Requests and responses of the two routes, chat completions and completions; SGLang's own is in `sglang.rs`.

use serde_json::{Map, Value, json};

use super::client::{Answer, Client};
use super::error::ServerError;
use crate::chat::Message;

/// Sampling of a reply. Absent settings are not sent, since some servers refuse unknown keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draws {
    /// Maximum tokens.
    pub max_tokens: usize,
    /// Temperature; 0 takes the most likely token.
    pub temperature: f64,
    /// Cumulative probability of the most likely tokens to sample from.
    pub top_p: Option<f64>,
    /// Number of most likely tokens to sample from.
    pub top_k: Option<usize>,
    /// Minimum probability of a token, relative to the most likely one.
    pub min_p: Option<f64>,
    /// Divisor for the logits of tokens that already occurred.
    pub repetition_penalty: Option<f64>,
    /// Texts that end it.
    pub stop: Vec<String>,
    /// Seed of the draws.
    pub seed: Option<u32>,
}

/// Token usage of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt, by the server's count.
    pub prompt_tokens: usize,
    /// Tokens written.
    pub completion_tokens: usize,
    /// Prompt tokens in the server's prefix cache, if reported.
    pub cached_tokens: Option<usize>,
}

/// A written reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrote {
    pub text: String,
    /// The model's thoughts before the reply, if the server separates them.
    pub thinking: Option<String>,
    /// Whether the length limit ended it.
    pub cut: bool,
    /// Token usage.
    pub usage: Usage,
}

/// Bytes of the longest token if the tokenizer is unknown: more than in any vocabulary in use, except runs of spaces.
const LONGEST_TOKEN: usize = 256;

impl Wrote {
    /// Truncates the reply to at most `max_tokens` times `longest_token` bytes, by default 256 per token. Thoughts use
    /// the budget first; the cut falls on a character boundary and sets `cut`.
    pub fn within(mut self, max_tokens: usize, longest_token: Option<usize>) -> Self {
        let mut left = max_tokens.saturating_mul(longest_token.unwrap_or(LONGEST_TOKEN));
        for text in self.thinking.iter_mut().chain([&mut self.text]) {
            if text.len() > left {
                let end = (0..=left).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                text.truncate(end);
                self.cut = true;
            }
            left -= text.len();
        }
        self
    }
}

/// Returns a request for an answer to chat turns, which the server renders with its own template and these `variables`.
pub fn chat(model: &str, messages: &[Message], variables: &Map<String, Value>, draws: &Draws) -> Value {
    let turns: Vec<Value> =
        messages.iter().map(|message| json!({ "role": message.role.name(), "content": message.content })).collect();
    let mut body = json!({ "model": model, "messages": turns });
    if !variables.is_empty() {
        body["chat_template_kwargs"] = Value::Object(variables.clone());
    }
    draws.add_to(&mut body);
    body
}

/// Returns a request to continue a raw prompt. `written_here` means that a template wrote it, so that the server must
/// not put a token in front of it.
pub fn complete(model: &str, prompt: &str, written_here: bool, draws: &Draws) -> Value {
    let mut body = json!({ "model": model, "prompt": prompt });
    if written_here {
        body["add_special_tokens"] = json!(false);
    }
    draws.add_to(&mut body);
    body
}

/// Returns a request for the token after a prompt that is given as tokens.
pub fn complete_ids(model: &str, prompt: &[u32]) -> Value {
    let mut body = json!({ "model": model, "prompt": prompt });
    Draws::one_token().add_to(&mut body);
    body
}

/// Posts a request to the route of its kind: chat completions, completions, or SGLang's own.
///
/// # Errors
/// As [`Client::post`].
pub fn post(client: &Client, body: &Value) -> Result<Answer, ServerError> {
    match body {
        _ if body.get("messages").is_some() => client.post("/chat/completions", body),
        _ if body.get("sampling_params").is_some() => client.post_beside("/generate", body),
        _ => client.post("/completions", body),
    }
}

/// Also requests the `most` likeliest first tokens, on either route.
pub fn top(mut body: Value, most: usize) -> Value {
    match body.get("messages").is_some() {
        true => {
            body["logprobs"] = json!(true);
            body["top_logprobs"] = json!(most);
        }
        false => body["logprobs"] = json!(most),
    }
    body
}

/// Maximum tokens that a request can name (vLLM).
pub const MOST_NAMED: usize = 128;

/// Also requests the log-probabilities of these tokens at the first position (vLLM).
pub fn named_ids(body: Value, ids: &[u32]) -> Value {
    let mut body = top(body, 1);
    body["logprob_token_ids"] = json!(ids);
    body["return_tokens_as_token_ids"] = json!(true);
    body
}

/// Requests the log-probabilities of the prompt itself, in either of two ways: vLLM's own, or `echo`. Generates one
/// token, since some servers accept no smaller limit and others take 0 for no limit.
pub fn prompt_scores_of(mut body: Value, echo: bool) -> Value {
    match echo {
        true => {
            body["echo"] = json!(true);
            body["logprobs"] = json!(1);
        }
        false => body["prompt_logprobs"] = json!(0),
    }
    body
}

impl Draws {
    /// Settings for one token, the most likely.
    pub fn one_token() -> Self {
        Draws { max_tokens: 1, ..Draws::default() }
    }

    fn add_to(&self, body: &mut Value) {
        body["max_tokens"] = json!(self.max_tokens);
        body["temperature"] = json!(self.temperature);
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[name] = value;
            }
        };
        add("top_p", self.top_p.map(Value::from));
        add("top_k", self.top_k.map(Value::from));
        add("min_p", self.min_p.map(Value::from));
        // vLLM's and SGLang's name, then llama.cpp's.
        add("repetition_penalty", self.repetition_penalty.map(Value::from));
        add("repeat_penalty", self.repetition_penalty.map(Value::from));
        add("stop", (!self.stop.is_empty()).then(|| json!(self.stop)));
        add("seed", self.seed.map(Value::from));
    }
}

/// Returns the single choice of an answer.
pub(super) fn choice(json: &Value) -> Result<&Value, ServerError> {
    let choices = json.get("choices").and_then(Value::as_array);
    match choices.map(Vec::as_slice) {
        Some([choice, ..]) => Ok(choice),
        _ => Err(ServerError::odd("it has no `choices`")),
    }
}

impl Usage {
    /// Reads the token usage of an answer, of SGLang's own route too.
    ///
    /// # Errors
    /// It is missing.
    pub fn from_json(json: &Value) -> Result<Self, ServerError> {
        let usage = json.get("usage").or_else(|| json.get("meta_info")).unwrap_or(&Value::Null);
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let cached = usage
            .get("prompt_tokens_details")
            .and_then(|details| details.get("cached_tokens"))
            .or_else(|| usage.get("cached_tokens"))
            .or_else(|| json.get("timings").and_then(|timings| timings.get("cache_n")));
        match number(usage.get("prompt_tokens")).filter(|&tokens| tokens > 0) {
            Some(prompt_tokens) => Ok(Usage {
                prompt_tokens,
                completion_tokens: number(usage.get("completion_tokens")).unwrap_or(0),
                cached_tokens: number(cached),
            }),
            None => Err(ServerError::odd("it lacks `usage.prompt_tokens`")),
        }
    }
}

/// Returns the reply of a chat completion.
///
/// # Errors
/// It is missing, or ended otherwise than by itself or the length limit.
pub fn of_chat(json: &Value) -> Result<Wrote, ServerError> {
    let choice = choice(json)?;
    let message = choice.get("message").ok_or_else(|| ServerError::odd("its choice has no `message`"))?;
    let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_string);
    let thinking = text("reasoning_content").or_else(|| text("reasoning")).filter(|thought| !thought.is_empty());
    let content = match (text("content"), &thinking) {
        (Some(content), _) => content,
        // All tokens were used for thoughts.
        (None, Some(_)) => String::new(),
        (None, None) => return Err(ServerError::odd("its message has no `content`")),
    };
    Ok(Wrote { text: content, thinking, cut: is_cut(choice)?, usage: Usage::from_json(json)? })
}

/// Returns the text written after a prompt.
///
/// # Errors
/// As [`of_chat`].
pub fn of_completion(json: &Value) -> Result<Wrote, ServerError> {
    let choice = choice(json)?;
    let text = choice.get("text").and_then(Value::as_str);
    let text = text.ok_or_else(|| ServerError::odd("its choice has no `text`"))?.to_string();
    Ok(Wrote { text, thinking: None, cut: is_cut(choice)?, usage: Usage::from_json(json)? })
}

fn is_cut(choice: &Value) -> Result<bool, ServerError> {
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => Ok(true),
        // TGI has its own names for ends besides the protocol's.
        Some("stop" | "eos_token" | "stop_sequence") => Ok(false),
        Some(other) => Err(ServerError::odd(format!("unknown `finish_reason` {other:?}"))),
        None => Err(ServerError::odd("it lacks `finish_reason`; it may be truncated")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_chosen_is_not_sent() {
        let body = complete("m", "p", false, &Draws { max_tokens: 3, ..Draws::default() });
        assert_eq!(body, json!({"model": "m", "prompt": "p", "max_tokens": 3, "temperature": 0.0}));
        let body = top(chat("m", &[Message::user("u")], &Map::new(), &Draws::one_token()), 5);
        let expected = json!({"model": "m", "messages": [{"role": "user", "content": "u"}], "max_tokens": 1, "temperature": 0.0,
            "logprobs": true, "top_logprobs": 5});
        assert_eq!(body, expected);
    }

    #[test]
    fn a_reply_is_no_longer_than_its_tokens_can_be() {
        let wrote = |thinking: Option<&str>, text: &str| Wrote {
            text: text.to_string(),
            thinking: thinking.map(str::to_string),
            cut: false,
            usage: Usage::default(),
        };
        let check = |wrote: Wrote, max_tokens, longest, expected: (Option<&str>, &str, bool)| {
            let wrote = wrote.within(max_tokens, longest);
            assert_eq!((wrote.thinking.as_deref(), wrote.text.as_str(), wrote.cut), expected);
        };
        check(wrote(None, "abcdef"), 2, Some(3), (None, "abcdef", false));
        check(wrote(None, "abcdefg"), 2, Some(3), (None, "abcdef", true));
        check(wrote(None, "abcde答"), 2, Some(3), (None, "abcde", true));
        check(wrote(Some("abcd"), "efg"), 2, Some(3), (Some("abcd"), "ef", true));
        check(wrote(None, &"a".repeat(257)), 1, None, (None, &"a".repeat(256), true));
    }

    #[test]
    fn replies_are_read_and_half_ones_refused() {
        let usage = json!({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
        let answer = |choice: Value| json!({"choices": [choice], "usage": usage});
        let whole = answer(json!({"message": {"content": "A", "reasoning_content": "hm"}, "finish_reason": "stop"}));
        let wrote = of_chat(&whole).unwrap();
        assert_eq!((wrote.text.as_str(), wrote.thinking.as_deref(), wrote.cut), ("A", Some("hm"), false));
        assert_eq!(wrote.usage, Usage { prompt_tokens: 5, completion_tokens: 2, cached_tokens: Some(4) });
        assert!(of_completion(&answer(json!({"text": "A", "finish_reason": "length"}))).unwrap().cut);
        let thought = answer(json!({"message": {"content": null, "reasoning": "hm"}, "finish_reason": "length"}));
        assert_eq!(of_chat(&thought).unwrap().text, "");
        for choice in [
            json!({"text": "A", "finish_reason": null}),
            json!({"text": "A", "finish_reason": "content_filter"}),
            json!({"finish_reason": "stop"}),
        ] {
            assert!(of_completion(&answer(choice.clone())).is_err(), "{choice}");
        }
        assert!(of_completion(&json!({"choices": [{"text": "A", "finish_reason": "stop"}]})).is_err(), "no usage");
        assert!(of_completion(&json!({"choices": []})).is_err());
    }
}
