//! Examples before questions, in a run's settings.

use serde::{Deserialize, Serialize};

use crate::prompt::ShotForm;

/// Examples before every item, as stored in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shots {
    /// Examples before each question.
    pub count: usize,
    /// Form in which they are shown.
    pub form: ShotForm,
    /// Source file; absent for other items of the benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<ShotFile>,
}

/// A file of examples.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShotFile {
    /// Path as given.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

impl Shots {
    /// Returns the condition under which answers are reported.
    pub fn condition(&self) -> String {
        format!("{}-shots", self.count)
    }

    /// Describes the examples, for the header of a report.
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
