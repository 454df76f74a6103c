//! The prompts of the comparison: generated stories in two languages, the same in every version of the program.

use crate::chat::Message;
use crate::cli::server::story;
use crate::model::{Tokenizer, TokenizerError};
use crate::story::Wording;

/// Texts of a few sentences.
const SHORT: usize = 16;

/// Long texts, for faults that grow with the position.
const LONG: usize = 8;

/// Tokens that each short text has at least.
const SHORT_TOKENS: usize = 96;

/// Tokens that each long text has at least, where the context takes them.
const LONG_TOKENS: usize = 1501;

/// Tokens of the context left free after a long text.
const FREE_TOKENS: usize = 48;

/// Kind of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Texts of about a hundred tokens.
    Short,
    /// Texts of over 1,500 tokens, or as many as the context takes.
    Long,
    /// Chats, which the server's template writes.
    Chats,
}

impl Group {
    pub const ALL: [Group; 3] = [Group::Short, Group::Long, Group::Chats];

    /// Describes the prompts of the group.
    pub fn in_words(self) -> &'static str {
        match self {
            Group::Short => "short texts",
            Group::Long => "long texts",
            Group::Chats => "chats",
        }
    }
}

/// A story told line by line until it has at least `least` tokens, and no more than `most`.
fn text(number: usize, tokenizer: &Tokenizer, least: usize, most: usize) -> Result<String, TokenizerError> {
    let wording = if number.is_multiple_of(2) { Wording::English } else { Wording::Chinese };
    let mut text = String::new();
    // Each round adds a story, so this ends.
    for story in (0..).map(|round| story(number * 1000 + round, wording)) {
        for line in wording.tell(&story.story).lines() {
            let longer = format!("{text}{line}\n");
            let tokens = tokenizer.encode(&longer, true)?.len();
            if tokens > most {
                return Ok(text);
            }
            text = longer;
            if tokens >= least {
                return Ok(text);
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// Returns all texts with their groups, short ones first; `context` is the longest sequence that both sides take.
///
/// # Errors
/// A text cannot be tokenized.
pub fn texts(tokenizer: &Tokenizer, context: usize) -> Result<Vec<(Group, String)>, TokenizerError> {
    let most = context.saturating_sub(FREE_TOKENS);
    let of = |(group, numbers, least): (Group, std::ops::Range<usize>, usize)| {
        numbers.map(move |number| Ok((group, text(number, tokenizer, least.min(most), most)?)))
    };
    let groups = [(Group::Short, 0..SHORT, SHORT_TOKENS), (Group::Long, SHORT..SHORT + LONG, LONG_TOKENS)];
    groups.into_iter().flat_map(of).collect()
}

/// Returns chats that show a template's roles and turns; system messages only where `system`.
pub fn chats(system: bool) -> Vec<Vec<Message>> {
    let question = |number: usize| {
        let wording = if number.is_multiple_of(2) { Wording::English } else { Wording::Chinese };
        let made = story(3 * number, wording);
        let asked = &made.questions[number % made.questions.len()];
        format!("{}\n{}", wording.tell(&made.story), wording.ask(&asked.question))
    };
    let chat = |number: usize| match number % 3 {
        1 if system => vec![Message::system("Answer in one sentence."), Message::user(question(number))],
        2 => vec![
            Message::user("Shall I tell you a story?"),
            Message::assistant("Yes, please."),
            Message::user(question(number)),
        ],
        _ => vec![Message::user(question(number))],
    };
    (0..8).map(chat).collect()
}

/// Whether a long text has as many tokens as it should.
pub fn is_long(tokens: usize) -> bool {
    tokens >= LONG_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_long_as_asked_for_and_all_different() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/llama");
        let tokenizer = Tokenizer::from_folder(&folder).unwrap();
        let tokens = |text: &str| tokenizer.encode(text, true).unwrap().len();
        let all = texts(&tokenizer, 16_384).unwrap();
        assert_eq!(all.len(), SHORT + LONG);
        for (group, text) in &all {
            let expected = if *group == Group::Long { 1501..1700 } else { 96..300 };
            assert!(expected.contains(&tokens(text)), "{group:?} {}", tokens(text));
        }
        let mut distinct: Vec<&String> = all.iter().map(|(_, text)| text).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
        assert!(texts(&tokenizer, 600).unwrap().iter().all(|(_, text)| (1..=552).contains(&tokens(text))));
        assert!(chats(true).iter().any(|chat| chat[0].role == crate::chat::Role::System));
        assert!(chats(false).iter().all(|chat| chat[0].role == crate::chat::Role::User));
    }
}
