//! Whether a server reads all of a long prompt: some cut what does not fit and answer all the same.
//!
//! Prompts of growing length are sent, each a list of boxes after a code word. The count of tokens must grow with the
//! text. That the model repeats the word is a second sign, where it does so after a short list: small models lose it.

use serde_json::{Map, Value};

use super::client::Client;
use super::error::{Grade, ServerError};
use super::protocol::{Draws, chat, complete, of_chat, of_completion, post};
use crate::chat::Message;

/// Bytes of the shortest prompt.
const SHORTEST: usize = 256;

/// Least bytes of the second prompt, with which the first tells how many tokens the text takes.
const SECOND: usize = 512;

/// Factor between the lengths of two prompts.
const GROWTH: usize = 4;

/// Most bytes a token of the list has in any vocabulary in use: `Box 417 holds 23 red stones. ` has 29 bytes and at
/// least 7 tokens.
const MOST_BYTES_A_TOKEN: f64 = 6.0;

/// Share of the expected further tokens that must be counted: numbers take unlike numbers of tokens.
const COUNTED: f64 = 0.8;

/// The code word.
const WORD: &str = "marble";

/// Beginning of every prompt of the probe.
const BEGINNING: &str = "The code word is marble. Remember it while you read this list.";

/// How far a server was seen to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadWhole {
    /// Bytes of the longest prompt that was read whole.
    pub bytes: usize,
    /// Its tokens, by the server's count.
    pub tokens: usize,
    /// Whether the model repeated the code word at its beginning; `None` if it does not even after a short list.
    pub repeats: Option<bool>,
    /// Why a longer one was refused, which is no cut.
    pub refused: Option<String>,
}

/// Sends prompts of up to `longest` bytes.
///
/// # Errors
/// The server reads fewer tokens than it is sent, or cannot be asked.
pub fn reads_whole(
    client: &Client,
    model: &str,
    as_chat: bool,
    variables: &Map<String, Value>,
    longest: usize,
) -> Result<ReadWhole, ServerError> {
    let draws = Draws { max_tokens: 4, ..Draws::default() };
    let ask = |bytes: usize| -> Result<(usize, usize, bool), ServerError> {
        let text = prompt(bytes, as_chat);
        let wrote = match as_chat {
            true => of_chat(&post(client, &chat(model, &[Message::user(&text)], variables, &draws))?.json)?,
            false => of_completion(&post(client, &complete(model, &text, false, &draws))?.json)?,
        };
        Ok((text.len(), wrote.usage.prompt_tokens, wrote.text.to_lowercase().contains(WORD)))
    };
    let (mut bytes, mut tokens, repeats) = ask(SHORTEST)?;
    let mut found = ReadWhole { bytes, tokens, repeats: repeats.then_some(true), refused: None };
    let mut a_byte = None;
    for size in sizes(longest) {
        let (more_bytes, more_tokens, repeated) = match ask(size) {
            Ok(answered) => answered,
            Err(error) if error.grade() == Grade::Request => {
                found.refused = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error),
        };
        let (sent, read) = ((more_bytes - bytes) as f64, more_tokens.saturating_sub(tokens) as f64);
        let expected = sent * a_byte.unwrap_or(1.0 / MOST_BYTES_A_TOKEN / COUNTED);
        if read < expected * COUNTED {
            return Err(ServerError::Truncates { sent: tokens + expected.round() as usize, read: more_tokens });
        }
        a_byte.get_or_insert(read / sent);
        (bytes, tokens) = (more_bytes, more_tokens);
        found = ReadWhole { bytes, tokens, repeats: found.repeats.map(|_| repeated), refused: None };
    }
    Ok(found)
}

/// Lengths of the prompts after the shortest, in bytes.
fn sizes(longest: usize) -> Vec<usize> {
    let longest = longest.max(SECOND);
    let growing = std::iter::successors(Some(SHORTEST * GROWTH), |size| size.checked_mul(GROWTH));
    // One just below the longest would say nothing that the longest does not.
    let mut sizes: Vec<usize> = growing.take_while(|&size| size < longest / 2).collect();
    sizes.push(longest);
    sizes
}

/// A prompt of at least this many bytes.
fn prompt(bytes: usize, as_chat: bool) -> String {
    const COLOURS: [&str; 5] = ["red", "blue", "green", "white", "black"];
    let end = match as_chat {
        true => "\nWhat is the code word? Answer with that word alone.",
        false => "\nQuestion: What is the code word?\nAnswer: The code word is",
    };
    let (mut text, mut number) = (format!("{BEGINNING}\n"), 7_usize);
    while text.len() + end.len() < bytes {
        // A fixed walk through numbers of equal length.
        number = (number * 421 + 97) % 8100;
        let colour = COLOURS[number % COLOURS.len()];
        text.push_str(&format!("Box {} holds {} {colour} stones. ", 100 + number % 900, 10 + number / 90));
    }
    text + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_grow_to_the_longest() {
        assert_eq!(sizes(10), [512]);
        assert_eq!(sizes(1500), [1500]);
        assert_eq!(sizes(3000), [1024, 3000]);
        assert_eq!(sizes(100_000), [1024, 4096, 16384, 100_000]);
    }

    #[test]
    fn prompts_have_their_length_and_say_the_word_once() {
        for (bytes, as_chat) in [(256, true), (5000, false)] {
            let text = prompt(bytes, as_chat);
            assert!(text.len() >= bytes && text.len() < bytes + 40, "{}", text.len());
            assert_eq!(text.matches(WORD).count(), 1);
        }
    }
}
