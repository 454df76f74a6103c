//! Judgement schemes: the units judged and the questions about them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{IntoStaticStr, VariantArray};

use super::Text;
use crate::name::named;
use crate::parse_error::in_words;

/// Kind of unit that a scheme judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Subject {
    /// An answer of a run, written or scored.
    Replies,
    /// A question with its story and options.
    Items,
    /// A story, without its questions.
    Stories,
    /// A story with its questions in one language, next to the same story in another.
    Translations,
}

named!(Subject, "subject of a scheme");

/// A scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheme {
    /// Name in files.
    pub name: String,
    /// Heading that people read.
    pub title: Text,
    /// Source: paper, table.
    pub source: String,
    /// Kind of unit judged.
    pub of: Subject,
    /// The facet that tables are grouped by, for instance `order`; `language` and `benchmark` count as facets here.
    #[serde(default)]
    pub by: Option<String>,
    /// Instructions that people read first.
    #[serde(default)]
    pub help: Text,
    pub questions: Vec<Question>,
    /// SHA-256 of the file.
    #[serde(default)]
    pub sha256: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Name in files.
    pub id: String,
    /// Text that people read.
    pub title: Text,
    /// Explanation.
    #[serde(default)]
    pub help: Text,
    /// Kind of answer.
    pub kind: Kind,
    /// Choices: labels, or kinds of fault of a span.
    #[serde(default)]
    pub labels: Vec<Label>,
    /// Severities of faults of a span.
    #[serde(default)]
    pub severities: Vec<Severity>,
    /// The lowest and the highest number of a scale.
    #[serde(default)]
    pub scale: Option<(i64, i64)>,
    /// Meaning of the lowest number.
    #[serde(default)]
    pub low: Text,
    /// Meaning of the highest number.
    #[serde(default)]
    pub high: Text,
    /// The score of a text without faults.
    #[serde(default)]
    pub maximum: Option<f64>,
    /// The lowest score that passes.
    #[serde(default)]
    pub pass: Option<f64>,
    /// Source of weights and multipliers.
    #[serde(default)]
    pub weights_source: Option<String>,
}

/// Kind of answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One label.
    Label,
    /// Any number of labels.
    Labels,
    /// A number.
    Scale,
    /// Spans of the text, each with a label and a severity.
    Spans,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Name in files.
    pub id: String,
    /// Text that people read.
    pub title: Text,
    /// Explanation.
    #[serde(default)]
    pub help: Text,
    /// Weight of an error of this kind.
    #[serde(default = "one")]
    pub weight: f64,
}

/// Severity of a fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Severity {
    /// Name in files.
    pub id: String,
    /// Text that people read.
    pub title: Text,
    /// Multiplier of a fault's weight.
    pub multiplier: f64,
}

fn one() -> f64 {
    1.0
}

/// An invalid scheme.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// Neither built in nor a file.
    #[error("--scheme {0}: neither a file nor a built-in scheme; built-in are {known}", known = BUILT_IN.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// The file does not have this format.
    #[error("{}: invalid scheme: {}", path.display(), in_words(source))]
    Malformed {
        path: PathBuf,
        /// Position and reason.
        source: toml::de::Error,
    },
    /// It contains an invalid value.
    #[error("{}: {message}", path.display())]
    Wrong {
        path: PathBuf,
        /// The problem and its fix.
        message: String,
    },
}

const BUILT_IN: [(&str, &str); 9] = [
    ("hi-tom-errors", include_str!("../../datasets/schemes/hi-tom-errors.toml")),
    ("xtom-mqm", include_str!("../../datasets/schemes/xtom-mqm.toml")),
    ("adaptation", include_str!("../../datasets/schemes/adaptation.toml")),
    ("xtom-irrelevant", include_str!("../../datasets/schemes/xtom-irrelevant.toml")),
    ("recitations", include_str!("../../datasets/schemes/recitations.toml")),
    ("settings", include_str!("../../datasets/schemes/settings.toml")),
    ("story-keys", include_str!("../../datasets/schemes/story-keys.toml")),
    ("tomvalley-contexts", include_str!("../../datasets/schemes/tomvalley-contexts.toml")),
    ("tomvalley-questions", include_str!("../../datasets/schemes/tomvalley-questions.toml")),
];

impl Scheme {
    /// The built-in schemes.
    pub fn built_in() -> Vec<Scheme> {
        let read = |(name, text): (&str, &str)| Scheme::parse(Path::new(name), text);
        BUILT_IN.into_iter().map(|built| read(built).expect("a test parses every built-in scheme")).collect()
    }

    /// The text of a built-in scheme, as a template for new ones.
    pub fn text_of(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// A built-in scheme by name, or a scheme from a file.
    pub fn named(name: &str) -> Result<Self, SchemeError> {
        let path = Path::new(name);
        if let Some(text) = Scheme::text_of(name) {
            return Scheme::parse(path, text);
        }
        if !path.exists() {
            return Err(SchemeError::Unknown(name.to_string()));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|source| SchemeError::Unreadable { path: path.to_path_buf(), source })?;
        Scheme::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, SchemeError> {
        let mut scheme: Scheme =
            toml::from_str(text).map_err(|source| SchemeError::Malformed { path: path.to_path_buf(), source })?;
        scheme.sha256 = hex::encode(Sha256::digest(text.as_bytes()));
        scheme.check().map_err(|message| SchemeError::Wrong { path: path.to_path_buf(), message })?;
        Ok(scheme)
    }

    fn check(&self) -> Result<(), String> {
        if self.questions.is_empty() {
            return Err("has no [[questions]]; at least one is needed".into());
        }
        once(self.questions.iter().map(|question| question.id.as_str()), "question")?;
        self.questions.iter().try_for_each(|question| {
            question.check().map_err(|message| format!("question `{}`: {message}", question.id))
        })
    }

    /// The question with an id.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }
}

impl Question {
    fn check(&self) -> Result<(), String> {
        once(self.labels.iter().map(|label| label.id.as_str()), "label")?;
        once(self.severities.iter().map(|severity| severity.id.as_str()), "severity")?;
        match self.kind {
            Kind::Scale => match self.scale {
                Some((low, high)) if low < high && high - low <= 10 => Ok(()),
                _ => Err("a scale needs `scale = [LOW, HIGH]` of 2 to 11 numbers".into()),
            },
            Kind::Label if self.labels.len() < 2 => Err("kind `label` needs at least two [[questions.labels]]".into()),
            Kind::Labels if self.labels.is_empty() => Err("kind `labels` needs [[questions.labels]]".into()),
            Kind::Spans if self.labels.is_empty() || self.severities.is_empty() => {
                Err("kind `spans` needs [[questions.labels]] and [[questions.severities]]".into())
            }
            Kind::Spans => {
                let numbers = self.labels.iter().map(|label| label.weight);
                let mut numbers = numbers.chain(self.severities.iter().map(|severity| severity.multiplier));
                match numbers.all(|number| number.is_finite() && number >= 0.0) {
                    true => Ok(()),
                    false => Err("weights and multipliers must be numbers from 0".into()),
                }
            }
            Kind::Label | Kind::Labels => Ok(()),
        }
    }
}

fn once<'a>(ids: impl Iterator<Item = &'a str>, what: &str) -> Result<(), String> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(format!("duplicate {what} `{id}`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_scheme_is_read_and_has_its_file_s_name() {
        for (name, _) in BUILT_IN {
            let scheme = Scheme::named(name).unwrap();
            assert_eq!(scheme.name, name);
            assert!(!scheme.source.is_empty() && !scheme.title.is_empty());
        }
        assert_eq!(Scheme::built_in().len(), BUILT_IN.len());
    }

    #[test]
    fn schemes_that_cannot_be_are_refused_with_what_mends_them() {
        let refused = |questions: &str| {
            let head = "name = \"x\"\ntitle = \"X\"\nsource = \"own\"\nof = \"items\"\n";
            Scheme::parse(Path::new("x.toml"), &format!("{head}{questions}")).unwrap_err().to_string()
        };
        let of = |rest: &str| format!("[[questions]]\nid = \"q\"\ntitle = \"Q\"\n{rest}");
        assert!(refused("questions = []").contains("at least one"));
        assert!(refused(&of("kind = \"scale\"")).contains("LOW, HIGH"));
        assert!(refused(&of("kind = \"spans\"")).contains("severities"));
        assert!(refused(&of("kind = \"guess\"")).contains("label"));
        assert!(
            refused(&(of("kind = \"scale\"\nscale = [1, 5]\n") + &of("kind = \"scale\"\nscale = [1, 5]")))
                .contains("duplicate")
        );
        assert!(Scheme::named("hi-tom").unwrap_err().to_string().contains("hi-tom-errors"));
    }
}
