//! Errors of run and analysis folders.

use std::io;
use std::path::PathBuf;

/// Kind of folder: its file names, and words for its contents.
#[derive(Debug, PartialEq, Eq)]
pub struct FolderKind {
    /// The file with the settings of the lines.
    pub manifest: &'static str,
    pub lines: &'static str,
    /// The file with the checksum of each line.
    pub sums: &'static str,
    /// Word for the work that the lines record.
    pub work: &'static str,
    /// Word for the folder.
    pub folder: &'static str,
    /// The subcommand that creates it.
    pub command: &'static str,
}

/// A folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// An operation failed.
    #[error("{path}: cannot be {action}: {source}{}", hint(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The attempted action.
        action: &'static str,
        /// The reason given by the system.
        source: io::Error,
    },
    /// The folder contains something else.
    #[error("{path} is not empty and has no {}: not a {}; choose another --out", kind.manifest, kind.folder)]
    Foreign { path: PathBuf, kind: &'static FolderKind },
    /// The manifest is not readable.
    #[error("{path}: {message}; the lines beside it are kept: repair or restore it, or choose another --out")]
    BadManifest {
        /// The manifest.
        path: PathBuf,
        /// The problem.
        message: String,
    },
    /// The folder contains different work.
    #[error(
        "{path} holds another {}: {}; choose another --out, or give the arguments of {path}/{}",
        kind.work, differences.join("; "), kind.manifest
    )]
    Other {
        path: PathBuf,
        kind: &'static FolderKind,
        /// The differences.
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
    /// A finished folder is needed.
    #[error("{path} is unfinished, with {records} of {planned} records; run its command again to finish it")]
    Unfinished { path: PathBuf, records: usize, planned: usize },
    /// Another process is writing here.
    #[error("{path} is in use by another tomeval; wait for it, or choose another --out")]
    InUse { path: PathBuf },
    /// A line is not what the manifest expects.
    #[error(
        "{path}, line {line}: {message}; to repair it, delete this line and all below it and rerun the same command, or choose another \
         --out"
    )]
    BadLine {
        /// The file of lines.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// A line changed after it was written.
    #[error(
        "{path}, line {line}: changed after it was written: checksum mismatch in {sums}; restore the file, or delete \
         this line and all below it and rerun the same command; without {sums} the line is accepted as is"
    )]
    Altered {
        /// The file of lines.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The file of checksums.
        sums: &'static str,
    },
    /// The records as a whole do not match the manifest.
    #[error(
        "{path}: trials do not match the manifest: items, orders or counts were changed; restore both \
         files, or choose another --out"
    )]
    OtherTrials {
        /// The records.
        path: PathBuf,
    },
    /// There are records without a manifest.
    #[error("{path} contains {} but no {}: restore it, or choose another --out", kind.lines, kind.manifest)]
    NoManifest { path: PathBuf, kind: &'static FolderKind },
    /// The folder was made with settings that change numbers by more than rounding.
    #[error(
        "{path} was made with another {}; numbers are not comparable: choose another --out, or pass --allow-mixed to continue \
         anyway, which the manifest records",
        differences.join(", ")
    )]
    Mixed {
        path: PathBuf,
        /// The differences, with both values.
        differences: Vec<String>,
    },
    /// The folder does not contain such work.
    #[error(
        "{path} has no {}: not a {}; `tomeval {} --out {path}` creates one",
        kind.manifest, kind.folder, kind.command
    )]
    Absent { path: PathBuf, kind: &'static FolderKind },
}

/// Suggested fix for a failed operation.
fn hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run the same command again: finished work is kept"
        }
        io::ErrorKind::PermissionDenied => "; choose another --out, or change the folder's permissions",
        io::ErrorKind::NotADirectory => "; a file stands where a folder is needed: choose another --out",
        _ => "",
    }
}
