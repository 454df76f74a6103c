//! Prompts, what each stretch of them is, and the continuations scored after them.

use std::fmt;
use std::ops::Range;

use super::SlotIx;
use crate::benchmark::SegmentKind;
use crate::chat::Message;

/// What a stretch of a message is.
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

/// A stretch of one message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Span {
    /// Index of the message.
    pub message: usize,
    /// What the stretch is.
    pub kind: SpanKind,
    /// Where it is in that message's content, in bytes.
    pub bytes: Range<usize>,
}

/// A conversation up to the point where the model answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// The turns shown.
    pub messages: Vec<Message>,
    /// What the model's turn begins with, for instance `[[`; empty for most.
    pub answer_prefix: String,
    /// What each stretch of the messages is. In order, without gaps or overlaps.
    pub spans: Vec<Span>,
}

/// A prompt and the answers to be scored after it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ask {
    /// What the model is shown.
    pub prompt: Prompt,
    /// Texts whose log-likelihood is wanted right after the prompt and its answer prefix. Empty when the model is to
    /// write its own answer.
    pub continuations: Vec<String>,
}
