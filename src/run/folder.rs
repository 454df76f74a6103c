//! Run folders: a manifest written once, records that only ever grow, and what is left to do after a stop.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::checksums::{fits_manifest, of_line, signed};
use super::difference::{Difference, Weight, differences};
use super::folder_error::{FolderError, MANIFEST};
use super::folder_files::{remove_unfinished, replace_file, sync_folder};
use super::format1::to_format_2;
use super::ledger::{Claim, Ledger, Leftover, leftover};
use super::manifest::{FORMAT, Manifest, Model};
use super::mixture::Mixture;
use super::records::{DISORDERED, RECORDS, RecordLines, TRIALS, altered_line, expected_lines};
use super::timings::Timings;
use crate::canary::CANARY;
use crate::plain::in_words;
use crate::record::TrialRecord;

pub(super) const TIMINGS: &str = "timings.jsonl";

/// The page that an analysis of attention leaves in a run's folder.
pub const ATTENTION_PAGE: &str = "attention.html";

/// The page on the same items when another model than the run's read them.
pub fn attention_page_of(model: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name: String = model.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    format!("attention-{name}.html")
}

/// A folder that no other process can write to while this lives, before its manifest is settled.
#[derive(Debug)]
pub struct ClaimedFolder {
    path: PathBuf,
    claim: Claim,
    manifest: Option<Manifest>,
    warnings: Vec<String>,
}

/// A run folder opened for writing. No other process can open it while this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    trials: Ledger,
    manifest: Manifest,
    /// What it was made with before and is not now.
    mixed: Vec<Mixture>,
    warnings: Vec<String>,
}

/// What identifies a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LineKey {
    /// Id of the item.
    pub id: String,
    /// The condition's name.
    pub condition: Option<String>,
    /// Canonical options in slot order.
    pub order: Vec<usize>,
    /// How often the order was drawn.
    pub count: usize,
    /// Which of several replies it is.
    pub sample: Option<usize>,
}

impl LineKey {
    pub fn of(record: &TrialRecord) -> Self {
        LineKey {
            id: record.id.clone(),
            condition: record.condition.clone(),
            order: record.order.as_slice().to_vec(),
            count: record.count,
            sample: record.sample,
        }
    }
}

/// A system's refusal, told with the file and what was tried.
fn refused(path: &Path, action: &'static str) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Io { path: path.clone(), action, source }
}

impl ClaimedFolder {
    /// Lock a folder, making it if needed, and only then look what is in it.
    pub fn claim(path: &Path) -> Result<Self, FolderError> {
        // Nothing is put into a folder of somebody else's.
        read_manifest(path)?;
        let claim = Claim::of(path, RECORDS)?;
        remove_unfinished(path);
        let (manifest, warnings) = match read_manifest(path)? {
            Some((manifest, warnings)) => (Some(continuable(path, manifest)?), warnings),
            None => (None, Vec::new()),
        };
        Ok(ClaimedFolder { path: path.to_path_buf(), claim, manifest, warnings })
    }

    /// The manifest of the run that was begun here.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// In what the run that was begun here differs from `manifest`, where it can be continued all the same.
    pub(super) fn compare(&self, manifest: &Manifest, allow_mixed: bool) -> Result<Vec<Mixture>, FolderError> {
        let Some(existing) = &self.manifest else { return Ok(Vec::new()) };
        let (path, differences) = (self.path.clone(), differences(existing, manifest));
        let at_least = |weight: Weight| differences.iter().filter(move |difference| difference.weight >= weight);
        let mut other_work: Vec<String> =
            at_least(Weight::Work).map(|Difference { mixture, .. }| mixture.to_string()).collect();
        if existing.shard != manifest.shard {
            other_work.push("shard".to_string());
        }
        if !other_work.is_empty() {
            return Err(FolderError::OtherPlan { path, differences: other_work });
        }
        let numbers: Vec<String> =
            at_least(Weight::Numbers).map(|Difference { mixture, .. }| mixture.to_string()).collect();
        match numbers.is_empty() || allow_mixed {
            true => Ok(differences.into_iter().map(|difference| difference.mixture).collect()),
            false => Err(FolderError::Mixed { path, differences: numbers }),
        }
    }

    /// The folder as it is, where everything was recorded already.
    pub(super) fn finished(self, given: &Manifest) -> Result<Result<RunFolder, Self>, FolderError> {
        let Some(manifest) = &self.manifest else { return Ok(Err(self)) };
        match self.claim.count()? == expected_lines(manifest) && !self.path.join(DISORDERED).exists() {
            true => {
                let mut manifest = manifest.clone();
                manifest.say_again(given);
                self.open(&manifest, false).map(Ok)
            }
            false => Ok(Err(self)),
        }
    }

    /// Settle the manifest: it is written where there is none, and must be of the same work otherwise. What differs then
    /// and does not forbid going on is added to it; `allow_mixed` lets numbers stand together that do not compare.
    pub fn open(self, manifest: &Manifest, allow_mixed: bool) -> Result<RunFolder, FolderError> {
        let mixed = self.compare(manifest, allow_mixed)?;
        let ClaimedFolder { path, claim, manifest: existing, warnings } = self;
        let mut settled = existing.clone().unwrap_or_else(|| manifest.clone());
        settled.say_again(manifest);
        for mixture in mixed.iter().chain(&manifest.mixed) {
            if !settled.mixed.contains(mixture) {
                settled.mixed.push(mixture.clone());
            }
        }
        if existing.as_ref() != Some(&settled) {
            if !warnings.is_empty() {
                // It gets a checksum of its own now, which must not hide that it was changed.
                let [first, other] = ["as written", "changed afterwards"].map(Value::from);
                settled.mixed.push(Mixture { key: MANIFEST.to_string(), first, other });
            }
            let file = path.join(MANIFEST);
            replace_file(&file, to_json(&settled)).map_err(refused(&file, "written"))?;
        }
        let trials = claim.open()?;
        Ok(RunFolder { path, trials, manifest: settled, mixed, warnings })
    }
}

impl RunFolder {
    /// Whether a run was begun in this folder.
    pub fn is_at(path: &Path) -> bool {
        path.join(MANIFEST).is_file()
    }

    /// The manifest of a folder, `None` where the folder is absent or empty.
    pub fn manifest(path: &Path) -> Result<Option<Manifest>, FolderError> {
        Ok(read_manifest(path)?.map(|(manifest, _)| manifest))
    }

    /// The manifest of a folder that is to be continued; `None` where the folder is absent or empty.
    pub fn continued(path: &Path) -> Result<Option<Manifest>, FolderError> {
        Self::manifest(path)?.map(|manifest| continuable(path, manifest)).transpose()
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// With what earlier parts were made, where this one is not.
    pub fn mixed(&self) -> &[Mixture] {
        &self.mixed
    }

    /// The manifest, as it stands in the folder.
    pub fn settled(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn add_warnings(&mut self, warnings: impl IntoIterator<Item = String>) {
        self.warnings.extend(warnings);
    }

    /// What is odd about the folder and does not forbid going on, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many of the `blocks`, lines that are written together or not at all, are recorded whole. What stands after the
    /// last whole one is cut off.
    pub(super) fn resume(&mut self, blocks: &[Vec<LineKey>]) -> Result<usize, FolderError> {
        let mut lines = RecordLines::new(&self.path, &self.manifest, self.trials.rewound()?)?;
        let (mut whole, mut end, mut kept) = (0, 0u64, Vec::new());
        let mut read_on = true;
        'blocks: for block in blocks {
            let mut length = 0u64;
            let mut sums = Vec::new();
            for wanted in block {
                let Some(line) = lines.next()? else {
                    read_on = false;
                    break 'blocks;
                };
                let found = LineKey::of(&line.record);
                if &found != wanted {
                    return Err(lines.bad(format!(
                        "holds {} in order {:?} ({} times), but {} in order {:?} ({} times) was expected",
                        found.id, found.order, found.count, wanted.id, wanted.order, wanted.count
                    )));
                }
                if !line.as_written {
                    return Err(altered_line(&self.path, lines.read()));
                }
                length += line.length;
                sums.push(of_line(lines.text()));
            }
            end += length;
            kept.append(&mut sums);
            whole += 1;
        }
        if read_on {
            // A line after the last one is not a part of this run.
            lines.next()?;
        }
        let (read, written) = (lines.read(), lines.written());
        drop(lines);
        self.tell_lost(written.saturating_sub(read));
        self.trials.cut(end, &kept)?;
        Ok(whole)
    }

    /// Warn of records that were written, by their checksums, and are not there.
    fn tell_lost(&mut self, lost: usize) {
        if lost > 0 {
            let file = self.path.join(TRIALS);
            self.warnings
                .push(format!("{}: {lost} records that were written are gone; they are done again", file.display()));
        }
    }

    /// Which of the lines wanted are recorded, in whatever order replies ended. What stands after the last whole line is
    /// cut off, and the folder is marked as not in order until [`RunFolder::put_in_order`].
    pub(super) fn resume_written(&mut self, wanted: &[LineKey]) -> Result<Vec<usize>, FolderError> {
        let places: HashMap<&LineKey, usize> = wanted.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let disordered = self.path.join(DISORDERED).exists();
        let mut lines = RecordLines::new(&self.path, &self.manifest, self.trials.rewound()?)?;
        if disordered {
            // A kill between the two files of `put_in_order` leaves the lines in order and their checksums not.
            lines.sums_in_any_order();
        }
        let (mut found, mut end, mut sums) = (Vec::new(), 0u64, Vec::new());
        while let Some(line) = lines.next()? {
            let key = LineKey::of(&line.record);
            let Some(&at) = places.get(&key) else {
                return Err(lines.bad(format!(
                    "holds {} in order {:?}, which this part of the run does not ask",
                    key.id, key.order
                )));
            };
            if !line.as_written {
                return Err(altered_line(&self.path, lines.read()));
            }
            found.push(at);
            end += line.length;
            sums.push(of_line(lines.text()));
        }
        let (read, written) = (lines.read(), lines.written());
        drop(lines);
        self.tell_lost(written.saturating_sub(read));
        self.write(DISORDERED, "")?;
        self.trials.cut(end, &sums)?;
        Ok(found)
    }

    /// Bring all lines, each of which is there once, into the order of `wanted`. A kill leaves all of them there.
    pub(super) fn put_in_order(&mut self, wanted: &[LineKey]) -> Result<(), FolderError> {
        let file = self.path.join(TRIALS);
        let text = fs::read_to_string(&file).map_err(refused(&file, "read"))?;
        let places: HashMap<&LineKey, usize> = wanted.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let mut lines = vec![None; wanted.len()];
        for line in text.lines() {
            let bad = |message| FolderError::BadRecord { path: file.clone(), line: 0, message };
            let record = TrialRecord::parse(line).map_err(|error| bad(in_words(error)))?;
            match places.get(&LineKey::of(&record)) {
                Some(&at) => lines[at] = Some(line.to_string()),
                None => return Err(bad("is not of this run".to_string())),
            }
        }
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        self.trials.replace(&lines)?;
        let marker = self.path.join(DISORDERED);
        fs::remove_file(&marker).map_err(refused(&marker, "removed"))?;
        sync_folder(&self.path).map_err(refused(&self.path, "written"))
    }

    /// Take away all records.
    pub(super) fn clear(&mut self) -> Result<(), FolderError> {
        Ok(self.trials.cut(0, &[])?)
    }

    /// Append the records of one block.
    pub(super) fn append(&mut self, records: &[TrialRecord]) -> Result<(), FolderError> {
        let lines: Vec<String> = records.iter().map(TrialRecord::to_line).collect();
        Ok(self.trials.append(&lines)?)
    }

    /// Make what was appended last through a crash of the machine.
    pub(super) fn sync(&mut self) -> Result<(), FolderError> {
        Ok(self.trials.sync()?)
    }

    /// Add a line to the timings, which are kept apart from everything that must be reproducible.
    pub(super) fn note_timing(&self, timings: &Timings) -> Result<(), FolderError> {
        let path = self.path.join(TIMINGS);
        let timing = serde_json::to_string(timings).map_err(|error| refused(&path, "written")(error.into()))?;
        let written = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{timing}\n").as_bytes()));
        written.map_err(refused(&path, "written"))
    }

    /// Note in the manifest that passes were cut for want of memory.
    pub(super) fn add_cuts(&mut self, more: usize) -> Result<(), FolderError> {
        let Model::Local(model) = &mut self.manifest.model else { return Ok(()) };
        model.cuts += more;
        if more > 0 { self.write(MANIFEST, &to_json(&self.manifest)) } else { Ok(()) }
    }

    /// Write a file of results, replacing an old one in one step.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        replace_file(&path, text).map_err(refused(&path, "written"))
    }
}

/// The manifest of a folder with what is odd about it; `None` where the folder is absent or holds nothing but what a kill
/// leaves of a run that had not begun.
pub(super) fn read_manifest(path: &Path) -> Result<Option<(Manifest, Vec<String>)>, FolderError> {
    let file = path.join(MANIFEST);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return not_begun(path).map(|()| None),
        Err(source) => return Err(refused(&file, "read")(source)),
    };
    let bad = |message: String| FolderError::BadManifest { path: file.clone(), message };
    let json: Value = serde_json::from_str(&text).map_err(|error| bad(in_words(error)))?;
    let unchanged = fits_manifest(&json);
    let manifest: Manifest = match json.get("format").and_then(Value::as_u64) {
        // From the text, so that a fault is told with its line.
        Some(format) if format == u64::from(FORMAT) => serde_json::from_str(&text),
        Some(1) => {
            let json = to_format_2(json).ok_or_else(|| bad("not a manifest of format 1".to_string()))?;
            serde_json::from_value(json)
        }
        Some(format) => return Err(bad(format!("format {format}, this program reads 1 and {FORMAT}"))),
        None => return Err(bad("not a manifest: it names no format".to_string())),
    }
    .map_err(|error| bad(in_words(error)))?;
    manifest.check().map_err(bad)?;
    let changed = "was changed after it was written (its own checksum does not fit): what is said of this run may be wrong; \
                   restore it if you did not change it";
    Ok(Some((manifest, if unchanged { Vec::new() } else { vec![format!("{} {changed}", file.display())] })))
}

/// The manifest of a folder that this version can continue.
fn continuable(path: &Path, manifest: Manifest) -> Result<Manifest, FolderError> {
    let Manifest { format, program, .. } = &manifest;
    match *format == FORMAT {
        true => Ok(manifest),
        false => Err(FolderError::OlderFormat {
            path: path.to_path_buf(),
            program: program.version.clone(),
            format: *format,
        }),
    }
}

/// Whether a folder without a manifest holds nothing that would be lost.
fn not_begun(path: &Path) -> Result<(), FolderError> {
    match leftover(path, RECORDS)? {
        Leftover::Nothing => Ok(()),
        Leftover::Lines => Err(FolderError::NoManifest { path: path.to_path_buf() }),
        Leftover::Foreign => Err(FolderError::Foreign { path: path.to_path_buf() }),
    }
}

fn to_json(manifest: &Manifest) -> String {
    let unsigned = Manifest { sha256: None, canary: Some(CANARY.to_string()), ..manifest.clone() };
    signed(serde_json::to_value(&unsigned).expect("a manifest holds only strings, numbers and lists"))
}
