//! The text of a reply as it grows, for stop strings.

use crate::model::{Tokenizer, TokenizerError};

/// Text of a reply so far. Bytes of an incomplete character wait for the tokens that complete it.
#[derive(Debug, Clone, Default)]
pub(super) struct GrowingText {
    text: String,
    /// Tokens from here on are decoded together, so that a token that decodes differently at the start of a text is not
    /// at the start.
    from: usize,
    /// Number of tokens whose text is in `text`.
    read: usize,
}

impl GrowingText {
    /// Adds the new tokens of `tokens`, and returns whether the new text contains or completes a stop string.
    pub fn finds(&mut self, tokenizer: &Tokenizer, tokens: &[u32], stop: &[String]) -> Result<bool, TokenizerError> {
        let before = tokenizer.decode(&tokens[self.from..self.read])?;
        let now = tokenizer.decode(&tokens[self.from..])?;
        let waiting = now.ends_with(char::REPLACEMENT_CHARACTER) && tokens.len() - self.read < LONGEST_CHARACTER;
        if waiting || now.len() <= before.len() {
            return Ok(false);
        }
        // A completed character replaces the mark for its beginning.
        let common = before.bytes().zip(now.bytes()).take_while(|(one, other)| one == other).count();
        let common = (0..=common).rev().find(|&at| now.is_char_boundary(at)).unwrap_or(0);
        let known = self.text.len();
        self.text.push_str(&now[common..]);
        (self.from, self.read) = (self.read, tokens.len());
        let longest = stop.iter().map(String::len).max().unwrap_or(0);
        let start = (0..=known.saturating_sub(longest)).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        Ok(stop.iter().any(|stop| self.text[start..].contains(stop.as_str())))
    }
}

/// Most tokens, of at least one byte each, to wait for a character before its text is taken as is.
const LONGEST_CHARACTER: usize = 8;

/// Position of the first stop string in a text.
pub(super) fn first_stop(text: &str, stop: &[String]) -> Option<usize> {
    stop.iter().filter_map(|stop| text.find(stop.as_str())).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer(family: &str) -> Tokenizer {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(family);
        Tokenizer::from_folder(&folder).expect("the fixture has a tokenizer")
    }

    #[test]
    fn text_grows_to_what_all_tokens_decode_to() {
        for family in ["llama", "gemma2", "qwen2"] {
            let tokenizer = tokenizer(family);
            for text in ["The cat sat; then, 猫が座った。 Ответ: Б 🐈‍⬛!", "a  b\n\n c", "🐈🐈"] {
                let tokens = tokenizer.encode(text, false).unwrap();
                let mut growing = GrowingText::default();
                for end in 1..=tokens.len() {
                    growing.finds(&tokenizer, &tokens[..end], &[]).unwrap();
                }
                assert_eq!(growing.text, tokenizer.decode(&tokens).unwrap(), "{family}: {text}");
            }
        }
    }

    #[test]
    fn a_stop_string_is_found_at_the_token_that_completes_it() {
        for family in ["llama", "gemma2"] {
            let tokenizer = tokenizer(family);
            let text = "Answer: 猫 B. Question: 犬";
            let tokens = tokenizer.encode(text, false).unwrap();
            for stop in ["Question:", "猫", "猫 B", "🐈", "\n"] {
                let stop = [stop.to_string()];
                let mut growing = GrowingText::default();
                let found = (1..=tokens.len()).find(|&end| growing.finds(&tokenizer, &tokens[..end], &stop).unwrap());
                let expected = (1..=tokens.len()).find(|&end| {
                    let text = tokenizer.decode(&tokens[..end]).unwrap();
                    !text.ends_with(char::REPLACEMENT_CHARACTER) && text.contains(&stop[0])
                });
                assert_eq!(found, expected, "{family} {stop:?}");
            }
        }
    }

    #[test]
    fn bytes_that_never_become_a_character_do_not_hold_the_text_back() {
        let tokenizer = tokenizer("llama");
        let character = tokenizer.encode("🐈", false).unwrap();
        assert!(character.len() > 1, "the character has several tokens");
        let mut tokens = vec![character[0]; 20];
        tokens.extend(tokenizer.encode("stop here", false).unwrap());
        let mut growing = GrowingText::default();
        let found = (1..=tokens.len()).any(|end| growing.finds(&tokenizer, &tokens[..end], &["stop".into()]).unwrap());
        assert!(found, "{:?}", growing.text);
    }
}
