//! Examples in front of questions, as a run's settings say it.

use serde::{Deserialize, Serialize};

use crate::prompt::ShotForm;

/// Examples in front of every item, as they stand in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shots {
    /// Examples before each question.
    pub count: usize,
    /// How they are shown.
    pub form: ShotForm,
    /// The file they are from; other items of the benchmark where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<ShotFile>,
}

/// A file of examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShotFile {
    /// Its path as it was given.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

impl Shots {
    /// The condition under which answers are reported.
    pub fn condition(&self) -> String {
        format!("{}-shots", self.count)
    }

    /// In words, for the header of a report.
    pub fn described(&self) -> String {
        let Shots { count, form, file } = self;
        let source = match file {
            Some(ShotFile { path, sha256 }) => format!("from {path} (SHA-256 {})", &sha256[..sha256.len().min(12)]),
            None => "of other stories of the benchmark".to_string(),
        };
        let form = match form {
            ShotForm::Turns => "as chat turns",
            ShotForm::Inline => "within the turn of the question",
        };
        format!("{count} before each question, {source}, {form}, the same for all questions of a story that are alike")
    }
}
