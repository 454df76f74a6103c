//! A model's own reasoning from a finished run.

use std::path::Path;

use super::recorded::{RecordedRun, read_run};
use crate::ledger::FolderError;
use crate::trial::Reasoning;

/// A run without reasoning.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReasoningError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its answers were not written.
    #[error("{folder}: no written answers, so there is no reasoning; a run with --scoring generate is needed")]
    NotWritten { folder: String },
}

/// Reads the reasoning in the replies of a finished run.
pub fn read_reasoning(folder: &Path) -> Result<Reasoning, ReasoningError> {
    let RecordedRun { manifest, records, .. } = read_run(folder)?;
    match &manifest.settings.writing {
        Some(writing) => Ok(Reasoning::of_records(&records, writing)),
        None => Err(ReasoningError::NotWritten { folder: folder.display().to_string() }),
    }
}
