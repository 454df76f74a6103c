//! The trial record: one line of `trials.jsonl` with the prompt shown to the model and its results.
//!
//! Everything is as displayed: results are in slot order, and `order` maps each slot to its canonical option.
//! [`crate::answer::read`] maps results back; records are never rewritten. These types are the file format;
//! a change that an older reader would misread raises [`VERSION`].

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::extract::{QuestionPart, Reading};
use crate::language::Language;
use crate::name::named;
use crate::parse_error::in_words;
use crate::prompt::{Order, Scoring};

/// Format version of the records this program writes. It reads every version from [`OLDEST`] on: version 2 added
/// replies.
pub const VERSION: u32 = 2;

/// Oldest format version that this program reads.
pub const OLDEST: u32 = 1;

/// One item under one style, condition and option order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrialRecord {
    /// Record format version, 2; version 1, without replies, can still be read.
    pub version: u32,
    /// Id of the item.
    pub id: String,
    /// Prompt style, for instance `vanilla`.
    pub style: String,
    /// Changed presentation, for instance `no-profile`; absent for the unchanged one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Language of the item's text.
    pub language: Language,
    /// The canonical option (from 0) that each slot showed.
    pub order: Order,
    /// How often the policy drew this order, at least once.
    pub count: usize,
    /// Index of the reply among several in this order, from 0; absent if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// Scoring of options: `letter`, `text` or `hybrid`; `generate` if the model wrote a reply.
    pub scoring: Scoring,
    /// The labels shown, in slot order; empty if options were not shown.
    pub labels: Vec<String>,
    /// Whether the chat template refused a system turn, so that the system text went into the first user turn.
    pub system_merged: bool,
    /// Prompts with their results: one entry for a single choice or for slots, one per displayed option for
    /// label sets. Empty if the trial failed.
    pub asks: Vec<AskRecord>,
    /// The same continuations after a neutral context, in the order of `asks[0].results`; only if pointwise mutual
    /// information was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconditional: Option<Vec<ContinuationRecord>>,
    /// Why the trial has no result; absent for a successful trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Server configuration that answered; absent if the server does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<Served>,
}

/// Server configuration that answered, as reported by the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Served {
    /// Base address of its routes; absent if the run has one server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Version of the server program, queried when the run was started or resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Fingerprint sent with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// One prompt with the continuations scored after it or the reply to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskRecord {
    /// The prompt shown, before the chat template.
    pub shown: Shown,
    /// Text between the rendered prompt and each continuation, for instance `[[`.
    pub answer_prefix: String,
    /// Tokens of the rendered prompt with its answer prefix.
    pub prompt_tokens: usize,
    /// The continuations. Single choice: one per slot. Slots: every joint choice, with the last slot varying fastest.
    /// Label sets: the word for yes, then the word for no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ContinuationRecord>,
    /// The written reply; absent if options were scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<ReplyRecord>,
}

/// A written reply and the answer read from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplyRecord {
    /// Text of the reply, without `thinking`.
    pub text: String,
    /// The model's thoughts before the reply, if the prompt opened a section for them; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// Tokens written, thoughts included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Reason the reply ended: `stop` (the model, or a stop string) or `length` (a limit, or the model's context).
    #[serde(rename = "end", with = "end")]
    #[cfg_attr(test, schemars(with = "end::End"))]
    pub cut: bool,
    /// The question of the prompt that this record is about, if one reply answers several: each of their records then
    /// holds the same prompt and reply, which were processed once. Absent for a prompt of one question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<QuestionPart>,
    /// The answer read from the reply; absent in the first phase of a style, whose replies state none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

impl ReplyRecord {
    /// Reason the reply ended, as written in the file.
    pub fn end(&self) -> &'static str {
        if self.cut { "length" } else { "stop" }
    }
}

/// Reason a reply ended, as a word.
mod end {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(PartialEq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub(super) enum End {
        Stop,
        Length,
    }

    pub fn serialize<S: Serializer>(cut: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        if *cut { End::Length } else { End::Stop }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        Ok(End::deserialize(deserializer)? == End::Length)
    }
}

/// The prompt shown to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// Chat turns, rendered by the model's template.
    Messages(Vec<Turn>),
    /// Plain text, for models without a template.
    Text(String),
}

/// One chat turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Role of a chat turn shown, before the chat template: `system`, `user` or `assistant`.
    pub role: String,
    /// The text of a turn.
    pub content: String,
}

/// A continuation with its log-probabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContinuationRecord {
    /// The text scored.
    pub text: String,
    /// Its token ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_ids: Option<Vec<u32>>,
    /// Natural log-probability of each of its tokens.
    pub logprobs: Vec<f32>,
    /// Upper bound of the log-probability of the whole text, if a server returns no value because other tokens are
    /// likelier; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f32>,
    /// Length of the text in UTF-8 bytes.
    pub bytes: usize,
}

impl ContinuationRecord {
    /// Log-likelihood of the whole continuation: the sum over its tokens, in f64; `None` if the server does not return
    /// it.
    pub fn sum(&self) -> Option<f64> {
        (!self.logprobs.is_empty()).then(|| self.logprobs.iter().map(|&logprob| f64::from(logprob)).sum())
    }
}

/// Why a trial has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Kind of failure.
    pub kind: FailureKind,
    /// What failed and how to fix it, in one sentence.
    pub message: String,
}

/// Kinds of failed trials.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FailureKind {
    /// The prompt with its longest continuation exceeds the model's context; the message gives length and limit.
    TooLong,
    /// The prompt could not be built from the style and the item.
    Prompt,
    /// The chat template refused the messages.
    Template,
    /// A continuation adds no token to the prompt.
    Tokens,
    /// The model's output contained a value that is not a finite number.
    NotFinite,
    /// A server refused the prompt, or its answer is unusable.
    Server,
    /// A server returns no log-probability that distinguishes the labels.
    NotGiven,
}

named!(FailureKind);

/// A line that is not a trial record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Not JSON, or not in this format.
    #[error("not a trial record: {}", in_words(source))]
    Malformed {
        /// The parser's reason, with line and column.
        #[from]
        source: serde_json::Error,
    },
    /// Written in another record format.
    #[error(
        "record format {found}, but this program reads formats {OLDEST} to {VERSION}; use the tomeval version named in the manifest"
    )]
    Version {
        /// The version found.
        found: u32,
    },
}

impl TrialRecord {
    /// The record without texts: prompts, continuations with their tokens, replies, thoughts and failure messages are
    /// empty. Scores, lengths and readings stay.
    pub fn without_texts(mut self) -> Self {
        let without = |result: &mut ContinuationRecord| {
            result.text.clear();
            result.token_ids = None;
        };
        for ask in &mut self.asks {
            match &mut ask.shown {
                Shown::Messages(turns) => turns.iter_mut().for_each(|turn| turn.content.clear()),
                Shown::Text(text) => text.clear(),
            }
            ask.answer_prefix.clear();
            ask.results.iter_mut().for_each(without);
            if let Some(reply) = &mut ask.reply {
                reply.text.clear();
                reply.thinking.iter_mut().for_each(String::clear);
                if let Some(reading) = &mut reply.reading {
                    (reading.start, reading.end) = (None, None);
                }
            }
        }
        self.unconditional.iter_mut().flatten().for_each(without);
        self.failure.iter_mut().for_each(|failure| failure.message.clear());
        self
    }

    /// Reads one line of `trials.jsonl`.
    pub fn parse(line: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_str(line)?;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(RecordError::Version { found: version });
        }
        Ok(serde_json::from_str(line)?)
    }

    /// The line for `trials.jsonl`, without its newline. Fields are in the order of this type.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a record holds only strings, numbers and lists")
    }
}

/// Identity of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrialKey {
    /// Id of the item.
    pub id: String,
    /// The condition's name.
    pub condition: Option<String>,
    /// Canonical options in slot order.
    pub order: Vec<usize>,
    /// How often the order was drawn.
    pub count: usize,
    /// Index of the reply among several.
    pub sample: Option<usize>,
}

impl TrialKey {
    pub fn from_record(record: &TrialRecord) -> Self {
        TrialKey {
            id: record.id.clone(),
            condition: record.condition.clone(),
            order: record.order.as_slice().to_vec(),
            count: record.count,
            sample: record.sample,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Outcome;

    fn record() -> TrialRecord {
        let result = |text: &str, logprob| ContinuationRecord {
            text: text.into(),
            token_ids: Some(vec![7]),
            logprobs: vec![logprob],
            at_most: None,
            bytes: text.len(),
        };
        TrialRecord {
            version: VERSION,
            id: "tombench/False Belief Task/17/en".into(),
            style: "vanilla".into(),
            condition: None,
            language: Language::En,
            order: Order::try_from(vec![1, 0]).unwrap(),
            count: 3,
            sample: None,
            scoring: Scoring::Letter,
            labels: vec!["A".into(), "B".into()],
            system_merged: false,
            asks: vec![AskRecord {
                shown: Shown::Messages(vec![Turn { role: "user".into(), content: "قصة 故事".into() }]),
                answer_prefix: "[[".into(),
                prompt_tokens: 12,
                results: vec![result("A", -0.25), result("B", -1.625e-7)],
                reply: None,
            }],
            unconditional: None,
            failure: None,
            served: None,
        }
    }

    #[test]
    fn a_record_survives_its_line_bit_for_bit() {
        let record = record();
        let line = record.to_line();
        assert_eq!(TrialRecord::parse(&line).unwrap(), record);
        assert_eq!(TrialRecord::parse(&line).unwrap().to_line(), line);
        assert!(!line.contains('\n'));
    }

    #[test]
    fn a_reply_survives_its_line_and_records_of_version_1_are_read() {
        let mut written = record();
        written.scoring = Scoring::Generate;
        written.sample = Some(2);
        written.asks[0].results.clear();
        written.asks[0].reply = Some(ReplyRecord {
            text: "[[B]]".into(),
            thinking: None,
            tokens: Some(3),
            cut: true,
            part: Some(QuestionPart { question: 2, of: 5 }),
            reading: Some(Reading {
                outcome: Outcome::Answer,
                slots: vec![1],
                rule: Some("brackets".into()),
                start: Some(0),
                end: Some(5),
            }),
        });
        let line = written.to_line();
        assert_eq!(TrialRecord::parse(&line).unwrap(), written);
        assert!(line.contains("\"end\":\"length\"") && !line.contains("results"), "{line}");
        let old = record().to_line().replace("\"version\":2", "\"version\":1");
        assert_eq!(TrialRecord::parse(&old).unwrap(), TrialRecord { version: 1, ..record() });
    }

    #[test]
    fn another_version_is_named_before_its_unknown_fields() {
        let line = record().to_line().replace("\"version\":2", "\"version\":3,\"novelty\":0");
        assert!(TrialRecord::parse(&line).unwrap_err().to_string().starts_with("record format 3"));
    }

    #[test]
    fn an_unknown_or_torn_line_is_refused() {
        let line = record().to_line();
        assert!(TrialRecord::parse(&line[..line.len() - 4]).is_err());
        assert!(TrialRecord::parse(&line.replace("\"count\"", "\"times\"")).is_err());
        assert!(TrialRecord::parse(&line.replace("[1,0]", "[1,1]")).is_err());
    }
}
