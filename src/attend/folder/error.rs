//! Errors of analyses in folders.

use crate::ledger::FolderError;
use crate::page::PageError;

/// An analysis in a folder that cannot be run, merged or reported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Folders that do not form one analysis.
    #[error("{0}")]
    Parts(String),
    /// The page cannot be written.
    #[error(transparent)]
    Page(#[from] PageError),
}
