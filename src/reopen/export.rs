//! Export files written from runs, for other programs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::ReadingError;
use crate::answer::ReadError;
use crate::ledger::FolderError;
#[cfg(feature = "parquet")]
use crate::report::ParquetError;

/// Export files that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file or folder.
    #[error("{}: cannot be written: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The tables.
    #[cfg(feature = "parquet")]
    #[error("{}: cannot be written: {source}", folder.display())]
    Parquet {
        /// Their folder.
        folder: PathBuf,
        source: ParquetError,
    },
    /// The records.
    #[error(transparent)]
    Reading(#[from] ReadingError),
}

impl From<FolderError> for ExportError {
    fn from(error: FolderError) -> Self {
        ReadingError::Folder(error).into()
    }
}

impl From<ReadError> for ExportError {
    fn from(error: ReadError) -> Self {
        ReadingError::Records(error).into()
    }
}

impl ExportError {
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| ExportError::Io { path, source }
    }
}

/// A file written under a temporary name beside its place, so that its place never has a partial file.
pub(super) struct Staged {
    file: BufWriter<File>,
    place: PathBuf,
    /// Whether it was moved to its place.
    finished: bool,
}

impl Staged {
    pub(super) fn create(place: &Path) -> Result<Self, ExportError> {
        let path = staged(place);
        let file = BufWriter::new(File::create(&path).map_err(ExportError::at(&path))?);
        Ok(Staged { file, place: place.to_path_buf(), finished: false })
    }

    /// Moves the file to its place.
    pub(super) fn finish(mut self) -> Result<(), ExportError> {
        let moved = self.file.flush().and_then(|()| std::fs::rename(staged(&self.place), &self.place));
        self.finished = moved.is_ok();
        moved.map_err(ExportError::at(&self.place))
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.finished {
            // A partial file is useless, and an error while removing it is irrelevant.
            let _ = std::fs::remove_file(staged(&self.place));
        }
    }
}

fn staged(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_os_string();
    name.push(".part");
    name.into()
}
