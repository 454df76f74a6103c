//! What can be the matter with an analysis in a folder.

use crate::ledger::FolderError;
use crate::page::PageError;

/// An analysis in a folder that cannot be made, joined or told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Folders that do not make one analysis.
    #[error("{0}")]
    Parts(String),
    /// The page cannot be written.
    #[error(transparent)]
    Page(#[from] PageError),
}
