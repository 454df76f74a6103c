//! Replies of a finished run for the prompts of another.

use std::path::Path;

use super::recorded::{RecordedRun, read_run};
use crate::ledger::FolderError;
use crate::trial::EarlierTexts;

/// A run without replies.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EarlierError {
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Nothing was written.
    #[error("{folder}: nothing was written there; a run with --scoring generate is needed")]
    NotWritten { folder: String },
    /// Records were changed since they were written.
    #[error(
        "{folder}: its records changed since they were written, and replies are used only as written; remove the folder \
         to write them again"
    )]
    Changed { folder: String },
}

/// Reads the replies of a finished run as texts for the prompts of another.
pub fn read_earlier(folder: &Path) -> Result<EarlierTexts, EarlierError> {
    let RecordedRun { manifest, records, read } = read_run(folder)?;
    if read.changed().is_some() {
        return Err(EarlierError::Changed { folder: folder.display().to_string() });
    }
    match &manifest.settings.writing {
        Some(writing) => Ok(EarlierTexts::of_records(&records, &manifest.settings, writing)),
        None => Err(EarlierError::NotWritten { folder: folder.display().to_string() }),
    }
}
