//! Files named by the user.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use indicatif::DecimalBytes;
use serde::Serialize;

use super::say;
use crate::ledger::write_file;

/// Writes a file, with its parent folders.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_file(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Writes a file, with its parent folders, and prints a line about it.
pub fn save(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let bytes = bytes.as_ref();
    write(path, bytes)?;
    say(format!("{} ({})", path.display(), DecimalBytes(bytes.len() as u64)));
    Ok(())
}

/// Writes a text to a file, by default to stdout.
pub fn save_or_print(path: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match path {
        Some(path) => save(path, text),
        None => Ok(super::stdout::print(text)?),
    }
}

/// The file being written, if any.
static BEGUN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Returns the path of an incomplete file.
pub fn partial() -> Option<PathBuf> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn set_partial(path: Option<PathBuf>) {
    *BEGUN.lock().unwrap_or_else(PoisonError::into_inner) = path;
}

/// A file that gets its name only when complete; until then it is `NAME.partial`.
pub struct UnfinishedFile {
    path: PathBuf,
    partial: PathBuf,
    pub file: BufWriter<File>,
}

impl UnfinishedFile {
    /// Creates the partial file.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let written = || format!("writing {}", partial.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(written)?;
        }
        let file = File::create(&partial).with_context(written)?;
        set_partial(Some(partial.clone()));
        Ok(UnfinishedFile { path: path.to_path_buf(), partial, file: BufWriter::new(file) })
    }

    /// Writes what is buffered, and renames the file to its final name.
    pub fn close(mut self) -> anyhow::Result<()> {
        let renamed = self.file.flush().and_then(|()| std::fs::rename(&self.partial, &self.path));
        set_partial(None);
        renamed.with_context(|| format!("writing {}", self.path.display()))
    }
}

/// JSON lines in an [`UnfinishedFile`].
pub struct LinesFile(UnfinishedFile);

impl LinesFile {
    /// Creates the partial file.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        UnfinishedFile::create(path).map(LinesFile)
    }

    /// Writes a line to disk.
    pub fn write(&mut self, row: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(row)?;
        let written = writeln!(self.0.file, "{line}").and_then(|()| self.0.file.flush());
        written.with_context(|| format!("writing {}", self.0.partial.display()))
    }

    /// Renames the file to its final name.
    pub fn close(self) -> anyhow::Result<()> {
        self.0.close()
    }
}
