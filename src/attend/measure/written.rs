//! The position in a written reply where its answer letter is written, as in ToMBench's Figure 5.

use crate::extract::Outcome;
use crate::prompt::Style;
use crate::record::TrialRecord;

/// A reply up to the letter of its answer.
#[derive(Debug, Clone)]
pub struct Written {
    /// Style of the prompt that it answers.
    pub style: Style,
    /// The reply up to the letter.
    pub before: String,
    /// The displayed slot whose letter follows.
    pub slot: usize,
}

/// A reply without an answer letter to analyse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrittenError {
    /// No reply of the run has the requested order and presentation.
    #[error("the run has no reply to it in this presentation; leave out --instructions and --prompts")]
    NoReply,
    /// No answer was read.
    #[error("no answer was found in its reply ({})", .0.name())]
    NoAnswer(Outcome),
    /// The reply answers with several letters.
    #[error("its reply gives several letters, so it has no single answer position; choose items with one right option")]
    Several,
    /// The reply gives an option without its letter.
    #[error("its reply gives the answer without the letter {label} (rule `{rule}`), so no position writes that letter")]
    NoLetter {
        /// The letter.
        label: String,
        /// The rule that read the answer.
        rule: String,
    },
    /// The model's thoughts are recorded separately, without the marks around them.
    #[error(
        "its reply follows thoughts that are recorded separately, so the text before it is unknown; \
         write it with --thinking off"
    )]
    Thoughts,
}

impl Written {
    /// Finds the position in a record's reply; `style` is that of its prompt.
    pub fn new(record: &TrialRecord, style: &Style) -> Result<Self, WrittenError> {
        let reply = record.asks.first().and_then(|ask| ask.reply.as_ref()).ok_or(WrittenError::NoReply)?;
        if reply.thinking.is_some() {
            return Err(WrittenError::Thoughts);
        }
        let reading = reply.reading.as_ref().ok_or(WrittenError::NoReply)?;
        if reading.outcome != Outcome::Answer {
            return Err(WrittenError::NoAnswer(reading.outcome));
        }
        let &[slot] = &reading.slots[..] else { return Err(WrittenError::Several) };
        let label = record.labels.get(slot).cloned().unwrap_or_default();
        let span = (reading.start.unwrap_or(0), reading.end.unwrap_or(reply.text.len()));
        match last_letter(&reply.text, span, &label) {
            Some(at) => Ok(Written { style: style.clone(), before: reply.text[..at].to_string(), slot }),
            None => Err(WrittenError::NoLetter { label, rule: reading.rule.clone().unwrap_or_default() }),
        }
    }
}

/// The last occurrence of a label in a stretch of text as a word of its own.
fn last_letter(text: &str, (start, end): (usize, usize), label: &str) -> Option<usize> {
    let within = text.get(start..end).filter(|_| !label.is_empty())?;
    let alone = |&at: &usize| {
        let (before, after) = (&text[..at], &text[at + label.len()..]);
        let joins = |beside: Option<char>| beside.is_some_and(|c| c.is_ascii_alphanumeric());
        !joins(before.chars().next_back()) && !joins(after.chars().next())
    };
    let found: Vec<usize> = within.match_indices(label).map(|(at, _)| start + at).filter(alone).collect();
    found.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, stretch: &str, label: &str, before: Option<&str>) {
        let start = text.find(stretch).unwrap();
        let found = last_letter(text, (start, start + stretch.len()), label);
        assert_eq!(found.map(|at| &text[..at]), before, "{text}");
    }

    #[test]
    fn letters_are_found_as_words_of_their_own() {
        check("Answer: A", "Answer: A", "A", Some("Answer: "));
        check("I choose [[B]].", "[[B]]", "B", Some("I choose [["));
        check("A or B? It is **A**", "**A**", "A", Some("A or B? It is **"));
        check("\u{7b54}\u{6848}\u{662f}B\u{3002}", "\u{662f}B", "B", Some("\u{7b54}\u{6848}\u{662f}"));
        check("the box", "the box", "B", None);
        check("Apples", "Apples", "A", None);
    }

    #[test]
    fn stretches_off_the_text_find_nothing() {
        assert_eq!(last_letter("A", (0, 9), "A"), None);
        assert_eq!(last_letter("\u{e9}A", (1, 3), "A"), None);
        assert_eq!(last_letter("A", (0, 1), ""), None);
    }
}
