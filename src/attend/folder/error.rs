//! What can be the matter with a folder of an analysis.

use std::path::PathBuf;

use super::names::NAMES;
use crate::page::PageError;
use crate::run::LedgerError;

/// A folder of an analysis that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Its files cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The folder holds something else.
    #[error("{path} is not empty and holds no {}: attend did not make it; choose another --out", NAMES.manifest)]
    Foreign { path: PathBuf },
    /// There are lines, and nothing says of what.
    #[error("{path} holds {} and no {}: restore it, or choose another --out", NAMES.lines, NAMES.manifest)]
    NoManifest { path: PathBuf },
    /// There is no analysis here.
    #[error("{path} holds no {}: `tomeval attend --out {path}` makes one", NAMES.manifest)]
    Absent { path: PathBuf },
    /// The manifest is not readable.
    #[error("{path}: {message}; the items beside it are kept: mend or restore it, or choose another --out")]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// What is the matter.
        message: String,
    },
    /// The folder holds another analysis.
    #[error(
        "{path} holds another analysis: {} differ; choose another --out, or give the arguments of {path}/{}",
        differences.join(", "), NAMES.manifest
    )]
    Other {
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// A line is not what the manifest expects.
    #[error(
        "{path}, line {line}: {message}; to mend it, delete this line and all below it and run the same command again, or choose \
         another --out"
    )]
    BadLine {
        /// The file of lines.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is the matter.
        message: String,
    },
    /// A line says something else than when it was written.
    #[error(
        "{path}, line {line}: was changed after it was written: {} has another checksum for it; restore the file, or delete this \
         line and all below it and run the same command again; without {} the line is taken as it is",
        NAMES.sums, NAMES.sums
    )]
    Altered {
        /// The file of lines.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Folders that do not make one analysis.
    #[error("{0}")]
    Parts(String),
    /// The page cannot be written.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A table cannot be written.
    #[error("a table cannot be written: {0}")]
    Table(#[from] csv::Error),
}
