//! Log-probabilities of a prompt's own tokens, and of a continuation at its end.
//!
//! ```text
//! prompt + continuation   | <|im_start|> user \n ... assistant \n [[ | A |
//! tokens of the server    |  t0          t1   t2 ...     tk    tl  tm| tn|
//! log-probabilities       |  none        l1   l2 ...     lk    ll  lm| ln|   the continuation's is ln
//! ```
//!
//! A token may cross the boundary (`[[A` as one): it then counts as the continuation's, for all continuations of the
//! prompt, as in this program's own computation.

use serde_json::Value;

use super::error::ServerError;
use super::protocol::{Usage, choice};
use super::sglang;

/// Tolerance for log-probabilities above zero due to rounding.
const ROUNDING: f32 = 1e-3;

/// The tokens of a prompt with the server's log-probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptScores {
    tokens: Vec<Token>,
    /// Number of tokens of the prompt, by the server's count.
    prompt_tokens: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Token {
    text: Option<String>,
    id: Option<u32>,
    /// `None` for the first token, which has no context.
    logprob: Option<f32>,
}

/// A scored continuation.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Number of tokens before it.
    pub prompt_tokens: usize,
    /// Its tokens, if their ids are known.
    pub token_ids: Option<Vec<u32>>,
    /// Natural log-probability of each token.
    pub logprobs: Vec<f32>,
}

impl PromptScores {
    /// Reads the prompt of an answer: vLLM's `prompt_logprobs`, or the `logprobs` of an `echo`.
    ///
    /// # Errors
    /// They are missing, not log-probabilities, or all zero.
    pub fn from_json(json: &Value) -> Result<Self, ServerError> {
        let (choice, usage) = (choice(json)?, Usage::from_json(json)?);
        let own = choice.get("prompt_logprobs").or_else(|| json.get("prompt_logprobs"));
        let tokens = match own.and_then(Value::as_array) {
            Some(list) => list.iter().map(token_of_vllm).collect::<Result<Vec<_>, _>>()?,
            None => echoed(choice, usage)?,
        };
        // Some servers leave out the first token, which has none.
        let all = usage.prompt_tokens;
        let scores = PromptScores::checked(tokens, usage)?;
        if scores.tokens.len() != all && scores.tokens.len() + 1 != all {
            return Err(ServerError::odd(format!(
                "it has log-probabilities of {} tokens, but the prompt has {all} by its own count; --scores-from top scores letters \
                 without them",
                scores.tokens.len()
            )));
        }
        Ok(scores)
    }

    /// Reads the prompt's last tokens from an answer of SGLang's own route.
    ///
    /// # Errors
    /// There are not as many as `scored` and one before them, or they are as in [`PromptScores::from_json`].
    pub fn of_sglang(json: &Value, scored: usize) -> Result<Self, ServerError> {
        let usage = Usage::from_json(json)?;
        let token = |(at, (value, id)): (usize, (&Value, Option<u32>))| {
            let logprob = if at == 0 { None } else { Some(logprob(Some(value))?) };
            Ok(Token { text: None, id, logprob })
        };
        let entries = sglang::prompt(json, scored)?.into_iter().enumerate();
        let tokens = entries.map(token).collect::<Result<Vec<_>, ServerError>>()?;
        has_room(usage.prompt_tokens, tokens.len())?;
        PromptScores::checked(tokens, usage)
    }

    fn checked(tokens: Vec<Token>, usage: Usage) -> Result<Self, ServerError> {
        let known: Vec<f32> = tokens.iter().filter_map(|token| token.logprob).collect();
        if known.is_empty() {
            return Err(ServerError::odd("it has no log-probabilities of the prompt"));
        }
        if known.len() > 1 && known.iter().all(|&logprob| logprob == 0.0) {
            return Err(ServerError::odd("all log-probabilities of the prompt are zero, which they cannot be"));
        }
        Ok(PromptScores { tokens, prompt_tokens: usage.prompt_tokens })
    }

    /// Returns the number of tokens of the prompt, by the server's count.
    pub fn prompt_tokens(&self) -> usize {
        self.prompt_tokens
    }

    /// Returns the last token's log-probability.
    pub fn last(&self) -> Option<f32> {
        self.tokens.last().and_then(|token| token.logprob)
    }

    /// Returns the end of the prompt by the tokens of a tokenizer: `all` of them, of which the last `scored` are the
    /// continuation's.
    ///
    /// # Errors
    /// The server's tokens differ.
    pub fn by_ids(&self, all: &[u32], scored: usize) -> Result<Scored, ServerError> {
        has_same_length(self.prompt_tokens, all.len())?;
        let pairs = self.tokens.iter().rev().zip(all.iter().rev());
        if let Some((at, (found, known))) =
            pairs.enumerate().find_map(|(at, (token, &known))| Some((at, (token.id.filter(|&id| id != known)?, known))))
        {
            return Err(ServerError::odd(format!(
                "token {} of the prompt is {found} on the server but {known} by the named tokenizer: it is not this model's",
                all.len() - at
            )));
        }
        let mut scored = self.tail(self.tokens.len().saturating_sub(scored))?;
        scored.token_ids = Some(all[all.len() - scored.logprobs.len()..].to_vec());
        Ok(scored)
    }

    /// Returns all tokens except the first, which has no context.
    ///
    /// # Errors
    /// There is only one, or another one has no log-probability.
    pub fn all(&self) -> Result<Scored, ServerError> {
        // Some servers leave out the first token.
        self.tail(usize::from(self.tokens.len() == self.prompt_tokens))
    }

    fn tail(&self, from: usize) -> Result<Scored, ServerError> {
        let tail = &self.tokens[from.min(self.tokens.len())..];
        let logprobs: Option<Vec<f32>> = tail.iter().map(|token| token.logprob).collect();
        let logprobs = logprobs.filter(|logprobs| !logprobs.is_empty());
        let logprobs = logprobs.ok_or_else(|| ServerError::odd("it lacks the log-probability of a scored token"))?;
        let token_ids: Option<Vec<u32>> = tail.iter().map(|token| token.id).collect();
        Ok(Scored { prompt_tokens: self.prompt_tokens - tail.len(), token_ids, logprobs })
    }

    /// Returns the number of the first token that contains part of `text` after its first `from` bytes, by the texts of
    /// the last tokens.
    fn boundary(&self, text: &str, from: usize) -> Result<usize, ServerError> {
        let mut rest = text;
        for (at, token) in self.tokens.iter().enumerate().rev() {
            let piece = token.text.as_deref().unwrap_or_default();
            rest = match rest.strip_suffix(piece).filter(|_| !piece.is_empty()) {
                Some(rest) => rest,
                None => break,
            };
            if rest.len() <= from {
                return Ok(at);
            }
        }
        Err(ServerError::odd(
            "its tokens do not match the prompt's end, so the start of the answer is unknown; name the model's tokenizer \
             with --tokenizer",
        ))
    }

    /// Returns the scores of continuations of one prompt by the texts of their tokens: `each` has the server's scores
    /// of the prompt with each continuation, and `texts` the texts, which all begin with the same `from` bytes. They
    /// are scored from the first token at which any of them differs from another or goes beyond the prompt.
    ///
    /// # Errors
    /// The beginning of the continuations cannot be determined.
    pub fn by_texts(each: &[PromptScores], texts: &[String], from: usize) -> Result<Vec<Scored>, ServerError> {
        let mut start = usize::MAX;
        for (scores, text) in each.iter().zip(texts) {
            start = start.min(scores.boundary(text, from)?);
        }
        if let Some((first, others)) = each.split_first() {
            for other in others {
                let same = |(one, next): &(&Token, &Token)| one.text == next.text && one.id == next.id;
                start = start.min(first.tokens.iter().zip(&other.tokens).take_while(same).count());
            }
        }
        each.iter().map(|scores| scores.tail(start)).collect()
    }
}

/// Checks that a server's count of a prompt's tokens is not below the number of its log-probabilities.
fn has_room(prompt_tokens: usize, entries: usize) -> Result<(), ServerError> {
    match entries <= prompt_tokens {
        true => Ok(()),
        false => Err(ServerError::odd(format!("it has log-probabilities of {entries} tokens of {prompt_tokens}"))),
    }
}

/// Checks that a server finds as many tokens in a prompt as the named tokenizer.
///
/// # Errors
/// It does not.
pub fn has_same_length(there: usize, here: usize) -> Result<(), ServerError> {
    match there == here {
        true => Ok(()),
        false => Err(ServerError::odd(format!(
            "the server has {there} tokens, the named tokenizer {here}: it is not this model's, or the server adds tokens \
             in front"
        ))),
    }
}

fn token_of_vllm(entry: &Value) -> Result<Token, ServerError> {
    let Value::Object(found) = entry else { return Ok(Token { text: None, id: None, logprob: None }) };
    // The prompt's own token comes first, then the most likely ones if requested.
    let Some((id, value)) = found.iter().next() else {
        return Err(ServerError::odd("a token of the prompt has no log-probability"));
    };
    let text = value.get("decoded_token").and_then(Value::as_str).map(str::to_string);
    Ok(Token { text, id: id.parse().ok(), logprob: Some(logprob(value.get("logprob"))?) })
}

fn echoed(choice: &Value, usage: Usage) -> Result<Vec<Token>, ServerError> {
    let logprobs = choice.get("logprobs").unwrap_or(&Value::Null);
    let list = |name: &str| logprobs.get(name).and_then(Value::as_array);
    let (Some(texts), Some(values)) = (list("tokens"), list("token_logprobs")) else {
        return Err(ServerError::odd("it has no log-probabilities of the prompt"));
    };
    if texts.len() != values.len() {
        return Err(ServerError::odd(format!("it has {} tokens and {} log-probabilities", texts.len(), values.len())));
    }
    // Tokens generated after the prompt come last.
    let of_prompt = texts.len().saturating_sub(usage.completion_tokens);
    let each = texts.iter().zip(values).take(of_prompt).enumerate();
    each.map(|(at, (text, value))| {
        let logprob = match value {
            Value::Null if at == 0 => None,
            value => Some(logprob(Some(value))?),
        };
        Ok(Token { text: text.as_str().map(str::to_string), id: None, logprob })
    })
    .collect()
}

fn logprob(value: Option<&Value>) -> Result<f32, ServerError> {
    let logprob = value.and_then(Value::as_f64).map(|value| value as f32);
    logprob
        .filter(|logprob| logprob.is_finite() && *logprob <= ROUNDING)
        .ok_or_else(|| ServerError::odd("a token of the prompt has an invalid log-probability"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn echo(tokens: &[&str], logprobs: Value) -> Value {
        let usage = json!({"prompt_tokens": tokens.len() - 1, "completion_tokens": 1});
        json!({"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": logprobs}}], "usage": usage})
    }

    fn read(tokens: &[&str], logprobs: &[f64]) -> PromptScores {
        let first = std::iter::once(Value::Null);
        PromptScores::from_json(&echo(tokens, first.chain(logprobs.iter().map(|&lp| json!(lp))).collect())).unwrap()
    }

    #[test]
    fn a_continuation_is_what_stands_behind_the_prompt() {
        let each = [read(&["Q", ":", "A", "x"], &[-1.0, -2.0, -0.1]), read(&["Q", ":", "B", "x"], &[-1.0, -3.0, -0.1])];
        let scored = PromptScores::by_texts(&each, &["Q:A".into(), "Q:B".into()], 2).unwrap();
        assert_eq!(scored[0].logprobs, [-2.0]);
        assert_eq!((scored[1].logprobs.as_slice(), scored[1].prompt_tokens), (&[-3.0][..], 2));
    }

    #[test]
    fn a_whole_text_is_scored_from_its_second_token_whether_the_first_is_echoed_or_not() {
        let all = read(&["Q", ":", "A", "x"], &[-1.0, -2.0, -0.1]).all().unwrap();
        assert_eq!((all.logprobs.as_slice(), all.prompt_tokens), (&[-1.0, -2.0][..], 1));
        let json = json!({"choices": [{"logprobs": {"tokens": [":", "A", "x"], "token_logprobs": [-1.0, -2.0, -0.1]}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}});
        assert_eq!(PromptScores::from_json(&json).unwrap().all().unwrap(), all);
    }

    #[test]
    fn a_token_over_the_boundary_moves_it_for_all() {
        let each = [read(&["Q", "[[A", "x"], &[-1.0, -0.1]), read(&["Q", "[[", "B", "x"], &[-0.5, -2.0, -0.1])];
        let scored = PromptScores::by_texts(&each, &["Q[[A".into(), "Q[[B".into()], 3).unwrap();
        assert_eq!(scored[0].logprobs, [-1.0]);
        assert_eq!(scored[1].logprobs, [-0.5, -2.0]);
    }

    #[test]
    fn an_echo_without_its_first_token_is_read_from_its_end() {
        let json = json!({"choices": [{"logprobs": {"tokens": [":", "A", "x"], "token_logprobs": [-1.0, -2.0, -0.1]}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}});
        let scores = PromptScores::from_json(&json).unwrap();
        let scored = PromptScores::by_texts(&[scores], &["Q:A".into()], 2).unwrap();
        assert_eq!((scored[0].logprobs.as_slice(), scored[0].prompt_tokens), (&[-2.0][..], 2));
    }

    #[test]
    fn nonsense_is_refused() {
        for logprobs in
            [json!([null, 0.0, 0.0, 0.0]), json!([null, -1.0, 0.7, -1.0]), json!([null, null, -1.0, -1.0]), json!([])]
        {
            assert!(PromptScores::from_json(&echo(&["Q", ":", "A", "x"], logprobs.clone())).is_err(), "{logprobs}");
        }
        let mut short = echo(&["Q", ":", "A", "x"], json!([null, -1.0, -1.0, -1.0]));
        short["usage"]["prompt_tokens"] = json!(9);
        assert!(PromptScores::from_json(&short).unwrap_err().to_string().contains("9 by its own count"));
        let refused = json!({"choices": [{"logprobs": null}], "usage": {"prompt_tokens": 2}});
        assert!(PromptScores::from_json(&refused).is_err());
        let odd = read(&["Q", "\u{fffd}", "\u{fffd}", "x"], &[-1.0, -2.0, -0.1]);
        assert!(PromptScores::by_texts(&[odd], &["Qé".into()], 1).unwrap_err().to_string().contains("--tokenizer"));
    }

    #[test]
    fn ids_are_compared_with_those_of_a_tokenizer() {
        let entry = |id: &str, lp: f64| json!({id: {"logprob": lp, "rank": 1, "decoded_token": "a"}});
        let json = json!({"choices": [{"prompt_logprobs": [null, entry("5", -1.0), entry("6", -2.0)]}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}});
        let scores = PromptScores::from_json(&json).unwrap();
        let scored = scores.by_ids(&[4, 5, 6], 1).unwrap();
        assert_eq!((scored.logprobs.as_slice(), scored.token_ids.as_deref()), (&[-2.0][..], Some(&[6][..])));
        assert!(scores.by_ids(&[4, 5, 7], 1).unwrap_err().to_string().contains("token 3"));
        assert!(scores.by_ids(&[4, 4, 5, 6], 1).unwrap_err().to_string().contains("3 tokens"));
    }
}
