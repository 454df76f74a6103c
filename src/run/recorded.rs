//! Reads the records of a run folder one by one, so that memory holds only what the reader keeps.

use super::records::{DISORDERED, Expected, RecordLine, RecordLines, SUMS, TRIALS, altered_line};
use crate::ledger::{FolderError, lines_of, present_manifest};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, facts_text, sha256_of};
use crate::parse_error::in_words;
use crate::record::TrialRecord;

/// A run folder opened for reading; its manifest is checked.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The manifest.
    pub manifest: Manifest,
    folder: PathBuf,
    warnings: Vec<String>,
}

/// Place of a record in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line number, from 1.
    pub line: usize,
    /// Offset of the line's first byte.
    pub start: u64,
    /// Bytes of the line, including its end.
    pub length: u64,
}

/// Findings after reading all records of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadToEnd {
    /// Number of records; a torn last line does not count.
    pub records: usize,
    /// Number of records in the complete folder.
    pub planned: usize,
    /// Warnings about the folder, one sentence each.
    pub warnings: Vec<String>,
    /// Lines, from 1, known to differ from those written.
    pub altered: Vec<usize>,
    /// Whether the records are in the order of the plan, always true except while replies are being written.
    pub ordered: bool,
}

impl ReadToEnd {
    /// Whether all of the folder's work is done.
    pub fn is_finished(&self) -> bool {
        self.records == self.planned && self.ordered
    }

    /// Describes changes after writing, for a report; `None` if none are known.
    pub fn changed(&self) -> Option<String> {
        let first = self.altered.first()?;
        let lines = match self.altered.len() {
            1 => format!("line {first} of {TRIALS} is"),
            several => format!("{several} lines of {TRIALS}, the first of them line {first}, are"),
        };
        Some(format!("{lines} changed since writing, by {SUMS} beside it; the numbers below use the current content"))
    }
}

/// A run folder's checked contents, with all records in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// The manifest.
    pub manifest: Manifest,
    /// All records in file order.
    pub records: Vec<TrialRecord>,
    /// Findings about the records.
    pub read: ReadToEnd,
}

/// Reads and checks the contents of a run folder.
///
/// ```
/// let run = tomeval::read_run("tests/data/run-format-1".as_ref())?;
/// assert_eq!(run.records.iter().filter(|record| record.failure.is_some()).count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_run(folder: &Path) -> Result<RecordedRun, FolderError> {
    let recorded = Recorded::open(folder)?;
    let mut records = Vec::new();
    let read = recorded.each(|record, _| -> Result<(), FolderError> {
        records.push(record);
        Ok(())
    })?;
    Ok(RecordedRun { manifest: recorded.manifest, records, read })
}

impl Recorded {
    /// Opens a run folder, without reading its records.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        let (manifest, warnings) = present_manifest(folder)?;
        Ok(Recorded { manifest, folder: folder.to_path_buf(), warnings })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Passes on all records in file order, each checked against the manifest. Runs are read only in this way.
    pub fn each<E: From<FolderError>>(
        &self,
        mut take: impl FnMut(TrialRecord, Place) -> Result<(), E>,
    ) -> Result<ReadToEnd, E> {
        let manifest = &self.manifest;
        let file = self.folder.join(TRIALS);
        let reader = lines_of(&file)?;
        let mut lines = RecordLines::new(&self.folder, manifest, reader)?;
        let (mut start, mut altered, mut trials) = (0, Vec::new(), RecordedTrials::default());
        while let Some(RecordLine { record, length, as_written }) = lines.next()? {
            if !as_written {
                altered.push(lines.read());
            }
            trials.push(&record);
            take(record, Place { line: lines.read(), start, length })?;
            start += length;
        }
        let (records, planned, written) = (lines.read(), lines.planned(), lines.written());
        let mut warnings = self.warnings.clone();
        if let Some(&line) = altered.first() {
            let more = if altered.len() > 1 { format!(" ({} lines are so)", altered.len()) } else { String::new() };
            warnings.push(format!("{}{more}", altered_line(&self.folder, line)));
        }
        if written > records {
            warnings.push(format!(
                "{} has only {records} of {written} written records; rerun the same command to redo the rest",
                file.display()
            ));
        }
        let ordered = !self.folder.join(DISORDERED).exists();
        let read = ReadToEnd { records, planned, warnings, altered, ordered };
        if read.is_finished() && manifest.shard.is_none() {
            check_trials(trials.texts(), &self.folder, manifest)?;
        }
        Ok(read)
    }

    /// Returns a reader for records at known places.
    pub fn again(&self) -> RecordsAgain {
        RecordsAgain { path: self.folder.join(TRIALS), reader: None, at: 0 }
    }
}

/// Reads records a second time, by their places.
#[derive(Debug)]
pub struct RecordsAgain {
    path: PathBuf,
    reader: Option<BufReader<File>>,
    /// Offset of the next byte.
    at: u64,
}

impl RecordsAgain {
    /// Reads the record at a place; an error if it is not of the item with this id, since the file may have changed.
    pub fn read(&mut self, place: Place, id: &str) -> Result<TrialRecord, FolderError> {
        let record = self.record(place)?;
        match record.id == id {
            true => Ok(record),
            false => {
                let message = format!("changed to {} from {id}; try again when nothing writes to the run", record.id);
                Err(self.bad(place, message))
            }
        }
    }

    /// Like `read`, for a trial by its [`trial_text`].
    pub(super) fn read_trial(&mut self, place: Place, trial: &str) -> Result<TrialRecord, FolderError> {
        let record = self.record(place)?;
        match trial_text(&record) == trial {
            true => Ok(record),
            false => {
                let message = "changed while it was read; try again when nothing writes to the run";
                Err(self.bad(place, message.to_string()))
            }
        }
    }

    fn record(&mut self, place: Place) -> Result<TrialRecord, FolderError> {
        let bytes = self.bytes(place);
        let bytes = bytes.map_err(|source| FolderError::Io { path: self.path.clone(), action: "read", source })?;
        let text = std::str::from_utf8(&bytes).map_err(|error| self.bad(place, in_words(error)))?;
        TrialRecord::parse(text).map_err(|error| self.bad(place, in_words(error)))
    }

    fn bad(&self, place: Place, message: String) -> FolderError {
        FolderError::BadLine { path: self.path.clone(), line: place.line, message }
    }

    /// Reads the line at a place. Consecutive lines, such as those of an item, are read without seeking.
    fn bytes(&mut self, Place { start, length, .. }: Place) -> io::Result<Vec<u8>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(BufReader::new(File::open(&self.path)?)),
        };
        let step = i128::from(start) - i128::from(self.at);
        reader.seek_relative(i64::try_from(step).map_err(io::Error::other)?)?;
        let mut bytes = Vec::new();
        self.at = start + reader.by_ref().take(length).read_until(b'\n', &mut bytes)? as u64;
        Ok(bytes)
    }
}

/// Returns the hashed text of a record's trial.
pub(super) fn trial_text(TrialRecord { id, condition, order, count, sample, .. }: &TrialRecord) -> String {
    facts_text((id, condition.as_deref(), order.as_slice(), *count, *sample))
}

/// Hashed texts of the trials of many records.
#[derive(Debug, Default)]
struct RecordedTrials {
    texts: String,
    /// End of each record's text.
    ends: Vec<usize>,
}

impl RecordedTrials {
    fn push(&mut self, record: &TrialRecord) {
        self.texts.push_str(&trial_text(record));
        self.ends.push(self.texts.len());
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.texts[start..end])
    }
}

/// Checks that all records of a run together, by the hashed text of each trial, are the manifest's trials.
pub(super) fn check_trials<'a>(
    texts: impl Iterator<Item = &'a str>,
    folder: &Path,
    manifest: &Manifest,
) -> Result<(), FolderError> {
    let mut trials: Vec<(usize, &str)> = Expected::from_manifest(manifest).trials().into_iter().zip(texts).collect();
    trials.sort_unstable_by_key(|(trial, _)| *trial);
    match sha256_of(trials.into_iter().map(|(_, text)| text)) == manifest.trials_sha256 {
        true => Ok(()),
        false => Err(FolderError::OtherTrials { path: folder.join(TRIALS) }),
    }
}
