//! Number of questions in a prompt, in a run's settings.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of questions about one context in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum QuestionsPerPrompt {
    /// All of them.
    All,
    /// At most this many.
    AtMost(usize),
}

/// A text that is not a number of questions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid number of questions `{given}`; write `all`, or a number from 2 (otherwise each has its own prompt)")]
pub struct NotAQuestionCount {
    /// The text given.
    pub given: String,
}

impl FromStr for QuestionsPerPrompt {
    type Err = NotAQuestionCount;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        match (given, given.parse()) {
            ("all", _) => Ok(QuestionsPerPrompt::All),
            (_, Ok(questions)) if questions > 1 => Ok(QuestionsPerPrompt::AtMost(questions)),
            _ => Err(NotAQuestionCount { given: given.to_string() }),
        }
    }
}

impl fmt::Display for QuestionsPerPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuestionsPerPrompt::All => f.write_str("all"),
            QuestionsPerPrompt::AtMost(questions) => questions.fmt(f),
        }
    }
}

impl QuestionsPerPrompt {
    /// Returns the condition under which answers are reported.
    pub fn condition(self) -> String {
        format!("{self}-questions")
    }

    /// Describes the setting: `up to 12 questions`.
    pub fn described(self) -> String {
        match self {
            QuestionsPerPrompt::All => "all questions of a context".to_string(),
            QuestionsPerPrompt::AtMost(questions) => format!("up to {questions} questions"),
        }
    }

    /// Returns the maximum number of questions in a prompt.
    pub(super) fn most(self) -> usize {
        match self {
            QuestionsPerPrompt::All => usize::MAX,
            QuestionsPerPrompt::AtMost(questions) => questions.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_questions_are_read() {
        assert_eq!("all".parse(), Ok(QuestionsPerPrompt::All));
        assert_eq!("12".parse(), Ok(QuestionsPerPrompt::AtMost(12)));
        assert_eq!(QuestionsPerPrompt::AtMost(12).condition(), "12-questions");
        for text in ["0", "1", "-1", "many", ""] {
            assert!(text.parse::<QuestionsPerPrompt>().is_err(), "{text}");
        }
    }
}
