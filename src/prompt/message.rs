//! What is said to a model: chat messages, and what each stretch of them is.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::SlotIx;
use crate::benchmark::SegmentKind;
use crate::name::named;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The person asking.
    User,
    /// The model.
    Assistant,
}

named!(Role);

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One turn of a conversation.
///
/// ```
/// use tomeval::Message;
/// let chat = [Message::system("Answer with a letter."), Message::user("Is it raining? A. Yes B. No")];
/// assert_eq!(chat[1].content, "Is it raining? A. Yes B. No");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// Standing instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Message { role: Role::System, content: content.into() }
    }

    /// A turn of the person asking.
    pub fn user(content: impl Into<String>) -> Self {
        Message { role: Role::User, content: content.into() }
    }

    /// A turn of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Message { role: Role::Assistant, content: content.into() }
    }
}

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
