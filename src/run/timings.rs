//! Timings and starts of a run.

use std::time::Duration;

use serde::Serialize;

use crate::engine::{PassTime, Timing};

/// A start of the program on a run's folder: a line of `commands.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Started {
    /// Time of the start, in UTC.
    pub at: String,
    /// Version of the program.
    pub version: String,
    /// The command as it can be typed, with `~` for the home folder and `***` for the part before the host of an
    /// address.
    pub command: String,
}

/// Times of one stretch of a run, from its start or resumption to its end or stop: a line of `timings.jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timings {
    /// Whether the run is complete.
    pub finished: bool,
    /// Whole stretch, without loading.
    pub seconds: f64,
    /// Rendering and tokenizing prompts, before the stretch.
    pub tokenizing_seconds: f64,
    /// Planning, before the stretch, and scheduling passes.
    pub planning_seconds: f64,
    /// Transformer layers, attention included.
    pub forward_seconds: f64,
    /// Attention alone.
    pub attention_seconds: f64,
    /// Output head and log-softmax.
    pub head_seconds: f64,
    /// Writing records.
    pub records_seconds: f64,
    /// Tokens forwarded.
    pub tokens: usize,
    /// Passes run.
    pub passes: usize,
    /// How often a pass was halved because the device lacked memory. Absent if none was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cuts: usize,
    /// Maximum device memory in use after a pass, in bytes, by any program. Absent if the device has no memory of its
    /// own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_bytes: Option<u64>,
    /// Prompt tokens in a server's prefix cache, if the server reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<usize>,
    /// Prompt tokens that could be there: those with which an earlier prompt of the plan begins, too, in whole blocks of
    /// 16. Absent if no tokenizer is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_tokens: Option<usize>,
    /// Replies that ended; absent if none are written, like the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<usize>,
    /// Tokens written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_tokens: Option<usize>,
    /// Prompt tokens of replies, as if each were forwarded without sharing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<usize>,
    /// Forwarded tokens of those prompts; the rest was shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens_forwarded: Option<usize>,
    /// Each pass with its time, in order.
    #[serde(skip)]
    pub each_pass: Vec<PassTime>,
}

/// Time spent outside the engine.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outside {
    pub tokenizing: Duration,
    pub planning: Duration,
    pub records: Duration,
    pub all: Duration,
}

impl Timings {
    pub(super) fn new(finished: bool, engine: Timing, outside: Outside, each_pass: Vec<PassTime>) -> Timings {
        Timings {
            finished,
            seconds: outside.all.as_secs_f64(),
            tokenizing_seconds: outside.tokenizing.as_secs_f64(),
            planning_seconds: (outside.planning + engine.planning).as_secs_f64(),
            forward_seconds: engine.forward.as_secs_f64(),
            attention_seconds: engine.attention.as_secs_f64(),
            head_seconds: engine.head.as_secs_f64(),
            records_seconds: outside.records.as_secs_f64(),
            tokens: engine.tokens,
            passes: engine.passes,
            cuts: engine.cuts,
            device_bytes: engine.device_bytes,
            cached_tokens: engine.cached_tokens,
            shared_tokens: engine.shared_tokens,
            replies: engine.written.map(|written| written.replies),
            written_tokens: engine.written.map(|written| written.tokens),
            prompt_tokens: engine.written.map(|written| written.prompt_tokens),
            prompt_tokens_forwarded: engine.written.map(|written| written.prompt_tokens_forwarded),
            each_pass,
        }
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
