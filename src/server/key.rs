//! API key of a server, from the environment or a file; never printed.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Minimum characters of a key that is also removed from server messages: a shorter one is a word like `EMPTY`, which
/// replies may contain and which is not a secret.
const SECRET: usize = 8;

/// Maximum bytes of a key file; service tokens have up to some thousand.
const LONGEST_FILE: u64 = 64 << 10;

/// Replacement of the key.
const HIDDEN: &str = "[key]";

/// An API key. Neither `Debug` nor anything else shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The named variable is not set.
    #[error("--api-key-env {variable}: there is no such environment variable, or it is empty")]
    NoVariable { variable: String },
    /// The file cannot be read.
    #[error("--api-key-file {}: {source}", path.display())]
    File {
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The key contains characters that a header cannot.
    #[error("{from} does not hold an API key: a key is one line of printable characters without spaces")]
    NoKey {
        /// Where it was read.
        from: String,
    },
}

impl Key {
    /// Reads the key from an environment variable.
    ///
    /// # Errors
    /// It is absent, empty, or not a valid key.
    pub fn of_variable(variable: &str) -> Result<Self, KeyError> {
        let value = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
        let value = value.ok_or_else(|| KeyError::NoVariable { variable: variable.to_string() })?;
        Key::new(&value, &format!("the variable {variable}"))
    }

    /// Reads the key from a file.
    ///
    /// # Errors
    /// The file cannot be read, or does not contain a valid key.
    pub fn of_file(path: &Path) -> Result<Self, KeyError> {
        let from = || format!("--api-key-file {}", path.display());
        let mut text = String::new();
        // Some files, for instance devices, are endless.
        let read = File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_string(&mut text));
        let length = read.map_err(|source| KeyError::File { path: path.to_path_buf(), source })?;
        if length as u64 > LONGEST_FILE {
            return Err(KeyError::NoKey { from: from() });
        }
        Key::new(&text, &from())
    }

    fn new(text: &str, from: &str) -> Result<Self, KeyError> {
        let key = text.trim();
        match !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(Key(key.to_string())),
            false => Err(KeyError::NoKey { from: from.to_string() }),
        }
    }

    /// Returns the header value.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Removes the key from a text, ignoring case: host names come back in lower case.
    pub fn hidden_in(&self, text: &str) -> String {
        if self.0.len() < SECRET {
            return text.to_string();
        }
        let (mut shown, mut from) = (String::new(), 0);
        // Only ASCII letters are lowered, so that positions in both texts agree.
        for (at, found) in text.to_ascii_lowercase().match_indices(&self.0.to_ascii_lowercase()) {
            shown.push_str(&text[from..at]);
            shown.push_str(HIDDEN);
            from = at + found.len();
        }
        shown + &text[from..]
    }

    /// Removes the key from a server's document.
    pub fn hide(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hidden_in(text),
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.hide(entry)),
            Value::Object(entries) => {
                let renamed = std::mem::take(entries).into_iter();
                *entries = renamed.map(|(name, value)| (self.hidden_in(&name), value)).collect();
                entries.values_mut().for_each(|entry| self.hide(entry));
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new("sk-0123456789abcdef\n", "here").unwrap();
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "[key] Some([key])");
        let mut rendered = json!({"error": {"message": "bad key sk-0123456789abcdef!"}, "sk-0123456789abcdef": ["sk-0123456789abcdef"]});
        key.hide(&mut rendered);
        assert_eq!(rendered, json!({"error": {"message": "bad key [key]!"}, "[key]": ["[key]"]}));
    }

    #[test]
    fn a_key_is_hidden_in_any_case_and_from_eight_characters_on() {
        let key = Key::new("sk-AbCdE", "here").unwrap();
        assert_eq!(key.hidden_in("İ SK-ABCDE.example, sk-abcdesk-AbCdE"), "İ [key].example, [key][key]");
        let mut rendered = json!({"SK-ABCDE": "at sk-abcde"});
        key.hide(&mut rendered);
        assert_eq!(rendered, json!({"[key]": "at [key]"}));
        assert_eq!(Key::new("sk-AbCd", "here").unwrap().hidden_in("sk-AbCd"), "sk-AbCd");
    }

    #[test]
    fn a_word_is_no_secret() {
        let key = Key::new("EMPTY", "here").unwrap();
        assert_eq!(key.hidden_in("EMPTY box"), "EMPTY box");
        assert!(Key::new("two words", "here").is_err() && Key::new("", "here").is_err());
    }

    #[test]
    fn a_file_that_is_too_long_is_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let written = |text: &str| {
            std::fs::write(folder.path().join("key"), text).unwrap();
            Key::of_file(&folder.path().join("key"))
        };
        assert_eq!(written("sk-0123456789abcdef\n").unwrap().header(), "Bearer sk-0123456789abcdef");
        assert!(matches!(written(&"k".repeat(LONGEST_FILE as usize + 1)), Err(KeyError::NoKey { .. })));
        #[cfg(unix)]
        assert!(matches!(Key::of_file(Path::new("/dev/zero")), Err(KeyError::NoKey { .. })));
    }
}
