//! Locates the parts of a prompt in the text given to the model.

use std::ops::Range;

use crate::benchmark::SegmentKind;
use crate::name::option_letter;
use crate::prompt::SlotIx;

/// Kind of a part of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// Text added by the chat template and the prompt's own layout.
    Template,
    /// General instructions to the model.
    Instruction,
    /// Story, dialogue and other context.
    Context(SegmentKind),
    /// The question.
    Question,
    /// The option displayed in a slot, with or without its label.
    Option(SlotIx),
    /// Prefilled start of the answer (for instance `[[`).
    Answer,
}

impl PartKind {
    /// A readable name: `story`, `option C`.
    pub fn name(self) -> String {
        match self {
            PartKind::Template => "template".into(),
            PartKind::Instruction => "instruction".into(),
            PartKind::Context(kind) => kind.name().into(),
            PartKind::Question => "question".into(),
            PartKind::Option(slot) => format!("option {}", option_letter(slot.0)),
            PartKind::Answer => "answer start".into(),
        }
    }

    /// Whether it belongs to the story in the wide sense: everything told before the question, except assumptions.
    pub fn is_story(self) -> bool {
        matches!(self, PartKind::Context(kind) if kind != SegmentKind::Note)
    }
}

/// A stretch of text with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// Its kind.
    pub kind: PartKind,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// Content of one message as built, with its known parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageParts {
    /// The content, before the chat template.
    pub content: String,
    /// Parts in the content, ascending and without overlap.
    pub parts: Vec<PromptPart>,
}

/// A message not found in the rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "message {message} was not found in the rendered prompt: the chat template changes its text, so the parts of the \
     prompt cannot be located"
)]
pub struct PlaceError {
    /// Index of the message.
    pub message: usize,
}

/// Finds each message's content in the rendered text, in order, and tiles the text with parts.
///
/// Templates may trim a message's content; parts shrink accordingly. Text outside all messages is
/// [`PartKind::Template`]. `answer_prefix` is matched at the very end. The result covers the text without gaps.
pub fn place(rendered: &str, messages: &[MessageParts], answer_prefix: &str) -> Result<Vec<PromptPart>, PlaceError> {
    let mut known: Vec<PromptPart> = Vec::new();
    let end = rendered.strip_suffix(answer_prefix).map_or(rendered.len(), str::len);
    let mut from = 0;
    for (index, message) in messages.iter().enumerate() {
        let lead = message.content.len() - message.content.trim_start().len();
        let trimmed = message.content.trim();
        let (content, cut) = match rendered[from..end].contains(&message.content) {
            true => (message.content.as_str(), 0),
            false => (trimmed, lead),
        };
        let at = from + rendered[from..end].find(content).ok_or(PlaceError { message: index })?;
        for part in &message.parts {
            let start = part.range.start.max(cut) - cut;
            let stop = part.range.end.clamp(cut, cut + content.len()) - cut;
            if start < stop {
                known.push(PromptPart { kind: part.kind, range: at + start..at + stop });
            }
        }
        from = at + content.len();
    }
    if end < rendered.len() {
        known.push(PromptPart { kind: PartKind::Answer, range: end..rendered.len() });
    }
    Ok(fill(known, rendered.len()))
}

/// Fills the gaps between parts with template parts.
fn fill(known: Vec<PromptPart>, length: usize) -> Vec<PromptPart> {
    let mut parts = Vec::with_capacity(2 * known.len() + 1);
    let mut at = 0;
    for part in known {
        if at < part.range.start {
            parts.push(PromptPart { kind: PartKind::Template, range: at..part.range.start });
        }
        at = part.range.end;
        parts.push(part);
    }
    if at < length {
        parts.push(PromptPart { kind: PartKind::Template, range: at..length });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(content: &str, parts: &[(PartKind, Range<usize>)]) -> MessageParts {
        let parts = parts.iter().map(|(kind, range)| PromptPart { kind: *kind, range: range.clone() }).collect();
        MessageParts { content: content.into(), parts }
    }

    fn check(rendered: &str, messages: &[MessageParts], prefix: &str, expected: &[(&str, &str)]) {
        let parts = place(rendered, messages, prefix).unwrap();
        let found: Vec<(String, &str)> =
            parts.iter().map(|part| (part.kind.name(), &rendered[part.range.clone()])).collect();
        let expected: Vec<(String, &str)> = expected.iter().map(|(name, text)| (name.to_string(), *text)).collect();
        assert_eq!(found, expected);
    }

    const STORY: PartKind = PartKind::Context(SegmentKind::Story);

    #[test]
    fn parts_tile_the_rendered_text() {
        let system = message("Choose.", &[(PartKind::Instruction, 0..7)]);
        let user = message(
            "Ann left.\nWhere?\nA. box",
            &[(STORY, 0..9), (PartKind::Question, 10..16), (PartKind::Option(SlotIx(0)), 17..23)],
        );
        check(
            "<s>Choose.</s><u>Ann left.\nWhere?\nA. box</u>[[",
            &[system, user],
            "[[",
            &[
                ("template", "<s>"),
                ("instruction", "Choose."),
                ("template", "</s><u>"),
                ("story", "Ann left."),
                ("template", "\n"),
                ("question", "Where?"),
                ("template", "\n"),
                ("option A", "A. box"),
                ("template", "</u>"),
                ("answer start", "[["),
            ],
        );
    }

    #[test]
    fn trimmed_content_is_found_and_its_parts_shrink() {
        let user = message("  Ann left. \n", &[(STORY, 0..12)]);
        check("<u>Ann left.</u>", &[user], "", &[("template", "<u>"), ("story", "Ann left."), ("template", "</u>")]);
    }

    #[test]
    fn equal_messages_are_placed_one_after_the_other() {
        let messages = [message("Ann", &[(STORY, 0..3)]), message("Ann", &[(PartKind::Question, 0..3)])];
        check("Ann+Ann", &messages, "", &[("story", "Ann"), ("template", "+"), ("question", "Ann")]);
    }

    #[test]
    fn a_rewritten_message_is_an_error() {
        assert_eq!(place("<u>ANN</u>", &[message("Ann", &[])], ""), Err(PlaceError { message: 0 }));
    }
}
