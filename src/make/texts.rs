//! Texts of a story with its questions.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::option_letter;

/// The texts of a story and of the questions about it, all in one language. Nothing in them says which option is right.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// The story; empty if there is none.
    pub story: String,
    /// The questions.
    pub questions: Vec<QuestionTexts>,
}

/// A question with its options.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuestionTexts {
    /// The question.
    pub question: String,
    /// Its options, in the order of the file.
    pub options: Vec<String>,
}

/// A place in [`Texts`]; questions and options count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Story,
    Question(usize),
    Option(usize, usize),
}

impl fmt::Display for Part {
    /// As `story`, `question 1` and `question 1, option B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Story => f.write_str("story"),
            Part::Question(question) => write!(f, "question {}", question + 1),
            Part::Option(question, option) => write!(f, "question {}, option {}", question + 1, option_letter(*option)),
        }
    }
}

impl Texts {
    /// Returns every text with its place, the story first if there is one.
    pub fn parts(&self) -> Vec<(Part, &str)> {
        let story = (!self.story.is_empty()).then_some((Part::Story, self.story.as_str()));
        let mut parts: Vec<(Part, &str)> = story.into_iter().collect();
        for (at, question) in self.questions.iter().enumerate() {
            parts.push((Part::Question(at), &question.question));
            parts.extend(question.options.iter().enumerate().map(|(option, text)| (Part::Option(at, option), &**text)));
        }
        parts
    }

    /// Returns the text at a place; empty where there is none.
    pub fn at(&self, part: Part) -> &str {
        match part {
            Part::Story => &self.story,
            Part::Question(question) => self.questions.get(question).map_or("", |question| &question.question),
            Part::Option(question, option) => {
                let options = self.questions.get(question).map_or(&[][..], |question| &question.options);
                options.get(option).map_or("", String::as_str)
            }
        }
    }

    /// Returns the text at a place, to change it.
    pub fn at_mut(&mut self, part: Part) -> Option<&mut String> {
        match part {
            Part::Story => Some(&mut self.story),
            Part::Question(question) => self.questions.get_mut(question).map(|question| &mut question.question),
            Part::Option(question, option) => self.questions.get_mut(question)?.options.get_mut(option),
        }
    }

    /// Returns the places at which two versions have different texts, spaces aside, with that of `other`.
    pub fn differing<'a>(&self, other: &'a Texts) -> Vec<(Part, &'a str)> {
        let differs = |(part, text): &(Part, &str)| !self.at(*part).split_whitespace().eq(text.split_whitespace());
        other.parts().into_iter().filter(differs).collect()
    }

    /// Returns all texts, one per line.
    pub fn joined(&self) -> String {
        self.parts().into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }
}
