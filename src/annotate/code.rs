//! Codes that replace people's names in files.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A person's code: letters, digits, `-` and `_`, at most 32 of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Code(String);

/// A text that is not a valid code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid code `{0}`: use 1 to 32 letters, digits, - or _, and no names")]
pub struct NotACode(pub String);

impl Code {
    /// The code of a person by number, from 1.
    pub fn numbered(number: usize) -> Self {
        Code(format!("p{number}"))
    }

    /// Text of the code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Code {
    type Error = NotACode;

    fn try_from(text: String) -> Result<Self, NotACode> {
        let fits = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
        match (1..=32).contains(&text.chars().count()) && text.chars().all(fits) {
            true => Ok(Code(text)),
            false => Err(NotACode(text)),
        }
    }
}

impl FromStr for Code {
    type Err = NotACode;

    fn from_str(text: &str) -> Result<Self, NotACode> {
        Code::try_from(text.to_string())
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
