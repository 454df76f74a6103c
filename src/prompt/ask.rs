//! Prompts with their spans, and the continuations scored after them.

use std::fmt;
use std::ops::Range;

use super::SlotIx;
use crate::benchmark::SegmentKind;
use crate::chat::Message;

/// Kind of a span.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpanKind {
    /// Literal text of the style: instructions, headings, labels, separators.
    Instruction,
    /// A segment of the item's context.
    Segment(SegmentKind),
    /// The question.
    Question,
    /// The text of the option shown in a slot, without its label.
    Option(SlotIx),
    /// Another value of the item, by the name of its placeholder.
    Field(String),
}

impl fmt::Display for SpanKind {
    /// `instruction`, `story`, `question`, `option:0`, or the field's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpanKind::Instruction => f.write_str("instruction"),
            SpanKind::Segment(kind) => f.write_str(kind.name()),
            SpanKind::Question => f.write_str("question"),
            SpanKind::Option(slot) => write!(f, "option:{}", slot.0),
            SpanKind::Field(name) => f.write_str(name),
        }
    }
}

/// A span of one message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the message.
    pub message: usize,
    /// Kind of the span.
    pub kind: SpanKind,
    /// Byte range in the content of that message.
    pub bytes: Range<usize>,
}

/// A conversation up to the model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// The turns shown.
    pub messages: Vec<Message>,
    /// Beginning of the model's turn, for instance `[[`; usually empty.
    pub answer_prefix: String,
    /// Spans of the messages, in order, without gaps or overlaps.
    pub spans: Vec<Span>,
}

/// A prompt and the answers to score after it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ask {
    /// The prompt shown to the model.
    pub prompt: Prompt,
    /// Texts to compute the log-likelihood of, directly after the prompt and its answer prefix. Empty if the model
    /// writes its own answer.
    pub continuations: Vec<String>,
}
