//! API key of a server, from the environment or a file; never printed.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// From how many characters on a key is kept out of what the server says too: a shorter one is a word like `EMPTY`, which
/// replies may hold and which keeps nothing secret.
const SECRET: usize = 8;

/// Bytes of the longest file of a key; tokens of services have up to some thousand.
const LONGEST_FILE: u64 = 64 << 10;

/// What stands in its place.
const HIDDEN: &str = "[key]";

/// A key. Neither `Debug` nor anything else shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The variable named is not there.
    #[error("--api-key-env {variable}: there is no such environment variable, or it is empty")]
    NoVariable { variable: String },
    /// The file cannot be read.
    #[error("--api-key-file {}: {source}", path.display())]
    File {
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is not of letters that a header can hold.
    #[error("{from} does not hold an API key: a key is one line of printable characters without spaces")]
    NoKey {
        /// Where it was read.
        from: String,
    },
}

impl Key {
    /// The key in a variable of the environment.
    ///
    /// # Errors
    /// It is absent, empty, or holds what no key holds.
    pub fn of_variable(variable: &str) -> Result<Self, KeyError> {
        let value = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
        let value = value.ok_or_else(|| KeyError::NoVariable { variable: variable.to_string() })?;
        Key::new(&value, &format!("the variable {variable}"))
    }

    /// The key in a file.
    ///
    /// # Errors
    /// The file cannot be read, or holds what no key is.
    pub fn of_file(path: &Path) -> Result<Self, KeyError> {
        let from = || format!("--api-key-file {}", path.display());
        let mut text = String::new();
        // Some files, devices among them, have no end.
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

    /// What the header holds.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text without the key, in capitals or not: host names come back in small letters.
    pub fn hidden_in(&self, text: &str) -> String {
        if self.0.len() < SECRET {
            return text.to_string();
        }
        let (mut shown, mut from) = (String::new(), 0);
        // Letters outside ASCII stay as they are, so that places in both texts are the same.
        for (at, found) in text.to_ascii_lowercase().match_indices(&self.0.to_ascii_lowercase()) {
            shown.push_str(&text[from..at]);
            shown.push_str(HIDDEN);
            from = at + found.len();
        }
        shown + &text[from..]
    }

    /// Take the key out of everything a server sent.
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
