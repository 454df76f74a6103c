//! A server's log-probabilities of the first token after a prompt: the most likely tokens, or named ones. A label that
//! is not among them has a bound and no value.

use serde_json::Value;

use super::error::ServerError;
use super::protocol::choice;
use super::sglang;

/// Tolerance for log-probabilities above zero due to rounding.
const ROUNDING: f32 = 1e-3;

/// Tolerance for a sum of probabilities above one due to rounding.
const MASS_ROUNDING: f64 = 1e-2;

/// Slack added to a bound, since probabilities are rounded.
const SLACK: f64 = 1e-4;

/// Prefix of a token returned by id instead of text.
const BY_ID: &str = "token_id:";

/// Tokens that may come first, with their natural log-probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternatives {
    entries: Vec<Alternative>,
}

#[derive(Debug, Clone, PartialEq)]
struct Alternative {
    text: String,
    id: Option<u32>,
    logprob: f32,
}

/// Known value of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    /// Its natural log-probability.
    Is(f32),
    /// It is not among the likeliest tokens; its log-probability is at most this.
    AtMost(f32),
}

/// Labels whose best one cannot be determined.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NotGiven {
    /// None of them is present.
    #[error("none of the labels is among the {most} likeliest first tokens that the server gives")]
    None {
        /// Number of tokens that the server returns.
        most: usize,
    },
    /// An absent label could be more likely than all that are present.
    #[error(
        "the label {label:?} is not among the {most} likeliest first tokens, and its first part is likelier than the labels that \
         are; score by prompt log-probabilities, or choose labels of one token"
    )]
    Undecided {
        label: String,
        /// Number of tokens that the server returns.
        most: usize,
    },
}

impl Alternatives {
    /// Reads the first tokens of an answer in the format of chat completions or completions.
    ///
    /// # Errors
    /// They are missing, or their values are not log-probabilities.
    pub fn from_json(json: &Value) -> Result<Self, ServerError> {
        let logprobs = choice(json)?.get("logprobs").unwrap_or(&Value::Null);
        let mut entries = Vec::new();
        if let Some(first) = logprobs.get("content").and_then(|content| content.get(0)) {
            let listed = first.get("top_logprobs").and_then(Value::as_array);
            for entry in listed.into_iter().flatten() {
                add(&mut entries, entry.get("token"), entry.get("id"), entry.get("logprob"))?;
            }
            if entries.is_empty() {
                add(&mut entries, first.get("token"), first.get("id"), first.get("logprob"))?;
            }
        } else if let Some(Value::Object(first)) = logprobs.get("top_logprobs").and_then(|each| each.get(0)) {
            for (token, logprob) in first {
                add(&mut entries, Some(&Value::from(token.as_str())), None, Some(logprob))?;
            }
        }
        Alternatives::checked(entries)
    }

    /// Reads the named tokens of an answer of SGLang's own route.
    ///
    /// # Errors
    /// There are not as many as `asked`, or their values are not log-probabilities.
    pub fn of_sglang(json: &Value, asked: usize) -> Result<Self, ServerError> {
        let mut entries = Vec::new();
        for (logprob, id) in sglang::named(json, asked)? {
            add(&mut entries, Some(&Value::from("")), id.map(Value::from).as_ref(), Some(logprob))?;
        }
        Alternatives::checked(entries)
    }

    fn checked(mut entries: Vec<Alternative>) -> Result<Self, ServerError> {
        if entries.is_empty() {
            return Err(ServerError::odd("it has no log-probabilities of its first token"));
        }
        let mass: f64 = entries.iter().map(|entry| f64::from(entry.logprob).exp()).sum();
        if mass > 1.0 + MASS_ROUNDING {
            return Err(ServerError::odd(format!("the probabilities of its first token add up to {mass:.3}")));
        }
        entries.sort_by(|one, next| next.logprob.total_cmp(&one.logprob));
        Ok(Alternatives { entries })
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Iterates over texts and log-probabilities, most likely first.
    pub fn each(&self) -> impl Iterator<Item = (&str, f32)> {
        self.entries.iter().map(|entry| (entry.text.as_str(), entry.logprob))
    }

    /// Whether the token ids are known.
    pub fn have_ids(&self) -> bool {
        self.entries.iter().all(|entry| entry.id.is_some())
    }

    /// Returns the log-probability of a token by its id.
    pub fn of_id(&self, id: u32) -> Option<f32> {
        self.entries.iter().find(|entry| entry.id == Some(id)).map(|entry| entry.logprob)
    }

    /// The same for a token that was named in the request.
    ///
    /// # Errors
    /// The answer does not have it.
    pub fn requested(&self, id: u32) -> Result<f32, ServerError> {
        self.of_id(id).ok_or_else(|| ServerError::odd(format!("it lacks the requested token {id}")))
    }

    /// Returns the known value of each label; `ids` are their tokens if a tokenizer has one token for each. A label is
    /// its exact text: `" A"` is not `"A"`.
    ///
    /// # Errors
    /// Two tokens have the same text, so that a label is ambiguous.
    pub fn labels(&self, labels: &[String], ids: Option<&[u32]>) -> Result<Result<Vec<Given>, NotGiven>, ServerError> {
        let ids = ids.filter(|ids| ids.len() == labels.len() && self.have_ids());
        let mut given = Vec::with_capacity(labels.len());
        for (at, label) in labels.iter().enumerate() {
            let found: Vec<&Alternative> = match ids {
                Some(ids) => self.entries.iter().filter(|entry| entry.id == Some(ids[at])).collect(),
                None => self.entries.iter().filter(|entry| &entry.text == label).collect(),
            };
            given.push(match &found[..] {
                [] => Given::AtMost(self.bound(label)),
                [one] => Given::Is(one.logprob),
                _ => {
                    return Err(ServerError::odd(format!(
                        "several of its first tokens read {label:?}; name the model's tokenizer with --tokenizer to \
                         distinguish them by id"
                    )));
                }
            });
        }
        let most = self.len();
        let best = given.iter().filter_map(|given| if let Given::Is(value) = given { Some(*value) } else { None });
        let Some(best) = best.reduce(f32::max) else { return Ok(Err(NotGiven::None { most })) };
        let above = |given: &Given| matches!(given, Given::AtMost(bound) if *bound > best);
        Ok(match given.iter().position(above) {
            Some(at) => Err(NotGiven::Undecided { label: labels[at].clone(), most }),
            None => Ok(given),
        })
    }

    /// Returns the upper bound of an absent label: no omitted token is more likely than the last one listed, nor than
    /// the remaining probability; a label of several tokens may begin with a listed one.
    fn bound(&self, label: &str) -> f32 {
        let least = self.entries.last().map_or(0.0, |entry| entry.logprob);
        let mass: f64 = self.entries.iter().map(|entry| f64::from(entry.logprob).exp()).sum();
        let left = ((1.0 - mass).max(0.0) + SLACK).ln() as f32;
        let begins = self.entries.iter().filter(|entry| !entry.text.is_empty() && label.starts_with(&entry.text));
        begins.map(|entry| entry.logprob).fold(least.min(left), f32::max)
    }
}

fn add(
    entries: &mut Vec<Alternative>,
    token: Option<&Value>,
    id: Option<&Value>,
    logprob: Option<&Value>,
) -> Result<(), ServerError> {
    let text = token.and_then(Value::as_str).ok_or_else(|| ServerError::odd("one of its first tokens has no text"))?;
    let logprob = logprob
        .and_then(Value::as_f64)
        .map(|value| value as f32)
        .filter(|value| value.is_finite() && *value <= ROUNDING)
        .ok_or_else(|| ServerError::odd(format!("the first token {text:?} has an invalid log-probability")))?;
    let by_id = text.strip_prefix(BY_ID).and_then(|id| id.parse().ok());
    let id = by_id.or_else(|| id.and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok()));
    // Some servers list the sampled token twice.
    let known = entries.iter().any(|entry| entry.id.is_some() && entry.id == id);
    if !known {
        entries.push(Alternative { text: text.to_string(), id, logprob });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chat(entries: &[(&str, f64)]) -> Alternatives {
        let list: Vec<Value> = entries.iter().map(|(token, lp)| json!({"token": token, "logprob": lp})).collect();
        let json =
            json!({"choices": [{"logprobs": {"content": [{"token": "x", "logprob": -1.0, "top_logprobs": list}]}}]});
        Alternatives::from_json(&json).unwrap()
    }

    fn labels(text: &str) -> Vec<String> {
        text.split(',').map(str::to_string).collect()
    }

    #[test]
    fn labels_are_their_very_text_and_the_others_have_bounds() {
        let found = chat(&[("A", -0.5), (" B", -1.5), ("The", -3.0)]);
        let given = found.labels(&labels("A,B"), None).unwrap().unwrap();
        assert_eq!(given, [Given::Is(-0.5), Given::AtMost(-3.0)], "a leading space is another token");
        let none = found.labels(&labels("B,C"), None).unwrap();
        assert_eq!(none, Err(NotGiven::None { most: 3 }));
    }

    #[test]
    fn a_label_that_begins_with_a_likelier_token_leaves_the_choice_open() {
        let found = chat(&[("1", -0.2), ("2", -2.0), ("x", -4.0)]);
        assert!(matches!(found.labels(&labels("2,10"), None).unwrap(), Err(NotGiven::Undecided { .. })));
        assert_eq!(found.labels(&labels("1,10"), None).unwrap().unwrap(), [Given::Is(-0.2), Given::AtMost(-0.2)]);
    }

    #[test]
    fn what_is_left_of_the_probability_bounds_too() {
        let found = chat(&[("A", -0.001), ("x", -7.5)]);
        let Given::AtMost(bound) = found.labels(&labels("A,B"), None).unwrap().unwrap()[1] else { panic!("not given") };
        assert!((-8.0..-7.0).contains(&bound), "{bound}");
    }

    #[test]
    fn both_ways_of_writing_are_read_and_no_nonsense() {
        let completion = |first: Value| json!({"choices": [{"logprobs": {"top_logprobs": [first]}}]});
        let found = Alternatives::from_json(&completion(json!({"token_id:7": -1.0, "token_id:9": -2.0}))).unwrap();
        assert_eq!((found.of_id(9), found.of_id(8), found.have_ids()), (Some(-2.0), None, true));
        for first in [json!({"A": 0.5}), json!({"A": null}), json!({"A": "x"}), json!({}), json!({"A": 0.0, "B": -0.1})]
        {
            assert!(Alternatives::from_json(&completion(first.clone())).is_err(), "{first}");
        }
        assert!(Alternatives::from_json(&json!({"choices": [{"logprobs": null}]})).is_err());
    }

    #[test]
    fn tokens_that_read_alike_are_told_apart_by_ids_alone() {
        let list = json!([{"token": "A", "id": 5, "logprob": -1.0}, {"token": "A", "id": 6, "logprob": -2.0}]);
        let json =
            json!({"choices": [{"logprobs": {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": list}]}}]});
        let found = Alternatives::from_json(&json).unwrap();
        assert!(found.labels(&labels("A"), None).is_err());
        assert_eq!(found.labels(&labels("A"), Some(&[6])).unwrap().unwrap(), [Given::Is(-2.0)]);
    }
}
