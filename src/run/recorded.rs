//! A run folder whose records are read one after the other, so that no more of them is held than the reading needs.

use super::records::{DISORDERED, Expected, RecordLine, RecordLines, SUMS, TRIALS, altered_line};
use crate::ledger::{FolderError, lines_of, present_manifest};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, facts_text, sha256_of};
use crate::parse_error::in_words;
use crate::record::TrialRecord;

/// A run folder that was opened to be read; its manifest is checked.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The manifest.
    pub manifest: Manifest,
    folder: PathBuf,
    warnings: Vec<String>,
}

/// Where a record stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its line, counted from 1.
    pub line: usize,
    /// The first byte of the line.
    pub start: u64,
    /// Bytes of the line, its end included.
    pub length: u64,
}

/// What is to be said of the records of a folder when all of them were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadToEnd {
    /// How many there are; a torn last line is none.
    pub records: usize,
    /// How many there are when the folder's work is done.
    pub planned: usize,
    /// What is odd about the folder and does not forbid reading it, a sentence each.
    pub warnings: Vec<String>,
    /// The lines, from 1, that are not what was written, as far as that can be told.
    pub altered: Vec<usize>,
    /// Whether the records stand in the order of the plan, as they do but where replies are being written.
    pub ordered: bool,
}

impl ReadToEnd {
    /// Whether all of the folder's work is done.
    pub fn is_finished(&self) -> bool {
        self.records == self.planned && self.ordered
    }

    /// What was changed after it was written, for a report; `None` where nothing is known to be.
    pub fn changed(&self) -> Option<String> {
        let first = self.altered.first()?;
        let lines = match self.altered.len() {
            1 => format!("line {first} of {TRIALS} is"),
            several => format!("{several} lines of {TRIALS}, the first of them line {first}, are"),
        };
        Some(format!("{lines} changed since writing, by {SUMS} beside it; the numbers below use the current content"))
    }
}

/// A run folder's contents, checked, with all records in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// The manifest.
    pub manifest: Manifest,
    /// All records in file order.
    pub records: Vec<TrialRecord>,
    /// What is to be said of them.
    pub read: ReadToEnd,
}

/// The contents of a run folder, all of it checked.
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
    /// Open a run folder. Its records are not looked at yet.
    pub fn open(folder: &Path) -> Result<Self, FolderError> {
        let (manifest, warnings) = present_manifest(folder)?;
        Ok(Recorded { manifest, folder: folder.to_path_buf(), warnings })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Hand over all records in file order, each of them checked against the manifest: the one way in which runs are read.
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

    /// The records once more, where they are asked for.
    pub fn again(&self) -> RecordsAgain {
        RecordsAgain { path: self.folder.join(TRIALS), reader: None, at: 0 }
    }
}

/// Records that are read a second time, by their places.
#[derive(Debug)]
pub struct RecordsAgain {
    path: PathBuf,
    reader: Option<BufReader<File>>,
    /// The byte that is read next.
    at: u64,
}

impl RecordsAgain {
    /// The record at a place, which must be one of the item with this id: the file may have been changed since.
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

    /// The same of a trial, by its [`trial_text`].
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

    /// The line at a place. Lines that follow one another, as those of an item do, are read in one go.
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

/// What is hashed of the trial of a record.
pub(super) fn trial_text(TrialRecord { id, condition, order, count, sample, .. }: &TrialRecord) -> String {
    facts_text((id, condition.as_deref(), order.as_slice(), *count, *sample))
}

/// What is hashed of the trials of many records.
#[derive(Debug, Default)]
struct RecordedTrials {
    texts: String,
    /// Where the text of each record ends.
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

/// Whether all records of a run together, by what is hashed of the trial of each, are of the manifest's trials.
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
