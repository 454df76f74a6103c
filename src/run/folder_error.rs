//! What can be the matter with a run folder, in words.

use std::path::{Path, PathBuf};

use super::ledger::{LedgerError, hint};

/// The manifest's file name.
pub(super) const MANIFEST: &str = "manifest.json";

/// A run folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The system refused.
    #[error("{path}: cannot be {action}: {source}{}", hint(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The reason given by the system.
        source: std::io::Error,
    },
    /// The folder holds something else.
    #[error("{path} is not empty and holds no {MANIFEST}: it is no run folder; choose another --out")]
    Foreign { path: PathBuf },
    /// The manifest is not readable.
    #[error("{path}: {message}; the records beside it are kept: mend or restore the manifest, or choose another --out")]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// What is the matter.
        message: String,
    },
    /// The folder belongs to another plan.
    #[error(
        "{path} belongs to another run: {} differ; choose another --out, or give the arguments of {path}/{MANIFEST}",
        differences.join(", ")
    )]
    OtherPlan {
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// The folder was begun by an earlier version, whose work cannot be continued.
    #[error(
        "{path} was begun by tomeval {program} (format {format}) and cannot be continued by this version; `tomeval report \
         {path}` still reads it; finish it with tomeval {program}, or choose another --out"
    )]
    OlderFormat {
        path: PathBuf,
        /// Version of the program that began it.
        program: String,
        format: u32,
    },
    /// Another process writes here.
    #[error("{path} is in use by another tomeval; wait for it, or choose another --out")]
    InUse { path: PathBuf },
    /// A line of the records is not what the plan expects.
    #[error(
        "{path}, line {line}: {message}; to mend it, delete this line and all below it and run the same command again, or choose another \
         --out"
    )]
    BadRecord {
        /// The records.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is the matter.
        message: String,
    },
    /// A line of the records says something else than when it was written.
    #[error(
        "{path}, line {line}: was changed after it was written: {sums} has another checksum for it; restore the file, or delete \
         this line and all below it and run the same command again; without {sums} the line is taken as it is"
    )]
    Altered {
        /// The records.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The file of checksums.
        sums: &'static str,
    },
    /// All records together are not those of the manifest.
    #[error(
        "{path}: its trials are not those that {MANIFEST} was written for: items, orders or counts were changed; restore both \
         files, or choose another --out"
    )]
    OtherTrials {
        /// The records.
        path: PathBuf,
    },
    /// There are records, and nothing says of what.
    #[error("{path} holds records and no {MANIFEST}: restore it, or choose another --out")]
    NoManifest { path: PathBuf },
    /// The folder was made with something that moves numbers by more than rounding.
    #[error(
        "{path} was made with another {}; numbers would not compare: choose another --out, or pass --allow-mixed to go on all \
         the same, which the manifest then says",
        differences.join(", ")
    )]
    Mixed {
        path: PathBuf,
        /// What differs, and how.
        differences: Vec<String>,
    },
    /// There is no run here.
    #[error("{path} holds no {MANIFEST}: it is no run folder; `tomeval run --out {path}` makes one")]
    Absent { path: PathBuf },
}

impl FolderError {
    /// That the plan in a folder's manifest does not fit what is to be asked now.
    pub(super) fn bad_plan(folder: &Path, fault: &str) -> FolderError {
        let message = format!("{fault}: it was changed, or made for a model with other tokens");
        FolderError::BadManifest { path: folder.join(MANIFEST), message }
    }
}

impl From<LedgerError> for FolderError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Io { path, action, source } => FolderError::Io { path, action, source },
            LedgerError::InUse { path } => FolderError::InUse { path },
        }
    }
}
