//! Reads a folder's lines, checking each against the manifest and its checksum before use.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::line::ItemLine;
use super::manifest::FolderManifest;
use super::names::ANALYSIS;
use crate::ledger::{FolderError, LedgerLines, lines_of, refused};
use crate::parse_error::in_words;

/// Reads the lines of a folder, one after the other.
pub struct Lines<R> {
    lines: LedgerLines<R>,
    file: PathBuf,
    numbers: Vec<usize>,
}

/// Fields that identify the item of a line.
#[derive(Deserialize)]
struct Heading {
    number: usize,
}

impl<R: Read> Lines<R> {
    /// Reads lines from `reader`, which reads the folder's file from its start.
    pub fn new(folder: &Path, manifest: &FolderManifest, reader: R) -> Result<Self, FolderError> {
        let lines = LedgerLines::new(folder, &ANALYSIS, reader)?;
        Ok(Lines { lines, file: folder.join(ANALYSIS.lines), numbers: manifest.numbers().collect() })
    }

    /// Number of lines once written, as far as known.
    pub fn written(&self) -> usize {
        self.lines.written()
    }

    /// The last line read, without its end.
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.lines.bytes()).unwrap_or_default()
    }

    fn bad(&self, message: String) -> FolderError {
        FolderError::BadLine { path: self.file.clone(), line: self.lines.read(), message }
    }

    /// Reads the next line and returns its length, after checking its item and its checksum; `None` after the last
    /// complete line.
    pub fn next_known(&mut self) -> Result<Option<u64>, FolderError> {
        let Some(length) = self.lines.next_line().map_err(refused(&self.file, "read"))? else { return Ok(None) };
        let at = self.lines.read() - 1;
        let Some(&expected) = self.numbers.get(at) else {
            return Err(self.bad(format!("exceeds the {} items of this folder", self.numbers.len())));
        };
        if !self.lines.as_written() {
            return Err(FolderError::Altered { path: self.file.clone(), line: at + 1, sums: ANALYSIS.sums });
        }
        let text = std::str::from_utf8(self.lines.bytes()).map_err(|error| self.bad(in_words(error)))?;
        let heading: Heading = serde_json::from_str(text).map_err(|error| self.bad(in_words(error)))?;
        match heading.number == expected {
            true => Ok(Some(length)),
            false => Err(self.bad(format!("is for item {}, expected item {expected}", heading.number))),
        }
    }

    /// Parses the item of the last line read.
    pub fn item(&self) -> Result<ItemLine, FolderError> {
        let line: ItemLine = serde_json::from_str(self.text()).map_err(|error| self.bad(in_words(error)))?;
        line.check().map_err(|message| self.bad(message))?;
        Ok(line)
    }
}

/// Opens the lines of a folder for reading only.
pub fn read_lines(folder: &Path, manifest: &FolderManifest) -> Result<Lines<Box<dyn Read>>, FolderError> {
    Lines::new(folder, manifest, lines_of(&folder.join(ANALYSIS.lines))?)
}
