//! Run folders: a manifest written once, append-only records, and resumption after a stop.

use super::manifest::{FORMAT, Manifest, Model, differences};
use crate::ledger::{
    Claimed, Difference, FolderError, FolderKind, Kept, Ledger, Mixture, Settled, Weight, of_line, read_manifest,
    refused, replace_file, sync_folder, write_manifest,
};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::format1::to_format_2;
use super::records::{DISORDERED, RUN, RecordLines, TRIALS, altered_line, expected_lines};
#[cfg(feature = "server")]
use super::served_model::{SERVER, ServerAtEnd};
use super::timings::{Started, Timings};
use crate::canary::CANARY;
use crate::parse_error::in_words;
use crate::record::{TrialKey, TrialRecord};

pub(super) const TIMINGS: &str = "timings.jsonl";

const COMMANDS: &str = "commands.jsonl";

/// Page written by an attention analysis into a run's folder.
pub const ATTENTION_PAGE: &str = "attention.html";

/// Returns the name of the page for a model other than the run's on the same items.
pub fn attention_page_of(model: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name: String = model.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    format!("attention-{name}.html")
}

/// A run folder that is locked, before its manifest is settled.
pub type ClaimedFolder = Claimed<Manifest>;

/// A run folder opened for writing. No other process can open it meanwhile.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    trials: Ledger,
    manifest: Manifest,
    /// Differences between earlier parts and the current settings.
    mixed: Vec<Mixture>,
    warnings: Vec<String>,
}

impl ClaimedFolder {
    /// Returns the differences between the run begun here and `manifest`, if it can be continued despite them.
    pub(super) fn compare(&self, manifest: &Manifest, allow_mixed: bool) -> Result<Vec<Mixture>, FolderError> {
        let Some(existing) = self.manifest() else { return Ok(Vec::new()) };
        let (path, differences) = (self.path.clone(), differences(existing, manifest));
        let at_least = |weight: Weight| differences.iter().filter(move |difference| difference.weight >= weight);
        let mut other_work = as_arguments(at_least(Weight::Work).map(|difference| &difference.mixture));
        if existing.shard != manifest.shard {
            other_work.push("another shard".to_string());
        }
        if !other_work.is_empty() {
            return Err(FolderError::Other { path, kind: &RUN, differences: other_work });
        }
        let numbers: Vec<String> =
            at_least(Weight::Numbers).map(|Difference { mixture, .. }| mixture.to_string()).collect();
        match numbers.is_empty() || allow_mixed {
            true => Ok(differences.into_iter().map(|difference| difference.mixture).collect()),
            false => Err(FolderError::Mixed { path, differences: numbers }),
        }
    }

    /// Whether everything is already recorded.
    pub(super) fn is_finished(&self) -> Result<bool, FolderError> {
        let Some(manifest) = self.manifest() else { return Ok(false) };
        Ok(self.count()? == expected_lines(manifest) && !self.path.join(DISORDERED).exists())
    }

    /// Opens the folder of a finished run with its manifest unchanged, but for what is said again.
    pub(super) fn open_finished(self, given: &Manifest) -> Result<RunFolder, FolderError> {
        let mut manifest = self.manifest().unwrap_or(given).clone();
        manifest.say_again(given);
        self.open(&manifest, false)
    }

    /// Settles the manifest: writes it if absent, otherwise requires the same work. Adds tolerable differences to it;
    /// `allow_mixed` permits numbers that are not comparable.
    pub fn open(self, manifest: &Manifest, allow_mixed: bool) -> Result<RunFolder, FolderError> {
        let mixed = self.compare(manifest, allow_mixed)?;
        let new = manifest.mixed.iter().filter(|known| !mixed.contains(*known)).cloned();
        let all: Vec<Mixture> = mixed.iter().cloned().chain(new).collect();
        let Settled { path, ledger: trials, manifest, warnings } = self.settle(manifest, &all)?;
        Ok(RunFolder { path, trials, manifest, mixed, warnings })
    }
}

/// Settings given by arguments of `run`, with the argument names.
const ARGUMENTS: [(&str, &str); 12] = [
    ("benchmarks", "benchmark"),
    ("languages", "language"),
    ("labels", "labels"),
    ("choices", "choose"),
    ("limit", "limit"),
    ("limit_stories", "limit-stories"),
    ("style", "style"),
    ("instructions", "instructions"),
    ("conditions", "condition"),
    ("scoring", "scoring"),
    ("orders", "orders"),
    ("seed", "seed"),
];

/// Describes differences by the arguments that cause them. Differences of items and trials follow from other settings,
/// and are named only without those.
fn as_arguments<'a>(differences: impl Iterator<Item = &'a Mixture> + Clone) -> Vec<String> {
    let argument = |mixture: &Mixture| {
        let key = mixture.key.strip_prefix("settings.")?;
        let (_, name) = ARGUMENTS.iter().find(|(setting, _)| *setting == key)?;
        Some(format!("begun {}, now {}", given(name, &mixture.first), given(name, &mixture.other)))
    };
    let settings = differences.clone().filter(|mixture| mixture.key.starts_with("settings."));
    let settings: Vec<String> =
        settings.map(|mixture| argument(mixture).unwrap_or_else(|| mixture.to_string())).collect();
    match settings.is_empty() {
        false => settings,
        true => differences.map(Mixture::to_string).collect(),
    }
}

/// Formats an argument with its value, or its absence.
fn given(name: &str, value: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let values = match value {
        Value::Array(values) => values.iter().filter(|value| !value.is_null()).map(text).collect(),
        Value::Object(values) => values.iter().map(|(key, value)| format!("{key}={}", text(value))).collect(),
        Value::Null => Vec::new(),
        value => vec![text(value)],
    };
    match values.is_empty() {
        true => format!("without --{name}"),
        false => format!("with --{name} {}", values.join(",")),
    }
}

impl RunFolder {
    /// Whether a run was begun in this folder.
    pub fn is_at(path: &Path) -> bool {
        path.join(RUN.manifest).is_file()
    }

    /// Returns the manifest of a folder; `None` if the folder is absent or empty.
    pub fn manifest(path: &Path) -> Result<Option<Manifest>, FolderError> {
        Ok(read_manifest::<Manifest>(path)?.map(|(manifest, _)| manifest))
    }

    /// Returns the manifest of a folder to continue; `None` if the folder is absent or empty.
    pub fn continued(path: &Path) -> Result<Option<Manifest>, FolderError> {
        let manifest = Self::manifest(path)?;
        manifest.iter().try_for_each(|manifest| manifest.check_continuable(path))?;
        Ok(manifest)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the differences between earlier parts and this one.
    pub fn mixed(&self) -> &[Mixture] {
        &self.mixed
    }

    /// Returns the manifest as stored in the folder.
    pub fn settled(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn add_warnings(&mut self, warnings: impl IntoIterator<Item = String>) {
        self.warnings.extend(warnings);
    }

    /// Returns warnings about the folder, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns how many of the `blocks`, groups of lines written together, are fully recorded. Cuts off everything
    /// after the last full block.
    pub(super) fn resume(&mut self, blocks: &[Vec<TrialKey>]) -> Result<usize, FolderError> {
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
                let found = TrialKey::from_record(&line.record);
                if &found != wanted {
                    return Err(lines.bad(format!(
                        "has {} in order {:?} ({} times), expected {} in order {:?} ({} times)",
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
            // The file must not contain lines beyond this run's.
            lines.next()?;
        }
        let (read, written) = (lines.read(), lines.written());
        drop(lines);
        self.warn_lost(written.saturating_sub(read));
        self.trials.cut(end, &kept)?;
        Ok(whole)
    }

    /// Warns of records that are missing although their checksums exist.
    fn warn_lost(&mut self, lost: usize) {
        if lost > 0 {
            let file = self.path.join(TRIALS);
            self.warnings.push(format!("{}: {lost} written records were lost; redoing them", file.display()));
        }
    }

    /// Returns which of the wanted lines are recorded, in any order. Cuts off everything after the last full line, and
    /// marks the folder as unordered until [`RunFolder::put_in_order`].
    pub(super) fn resume_written(&mut self, wanted: &[TrialKey]) -> Result<Vec<usize>, FolderError> {
        let places: HashMap<&TrialKey, usize> = wanted.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let disordered = self.path.join(DISORDERED).exists();
        let mut lines = RecordLines::new(&self.path, &self.manifest, self.trials.rewound()?)?;
        if disordered {
            // A kill between writing the two files of `put_in_order` leaves the lines ordered and their checksums
            // unordered.
            lines.sums_in_any_order();
        }
        let (mut found, mut end, mut sums) = (Vec::new(), 0u64, Vec::new());
        while let Some(line) = lines.next()? {
            let key = TrialKey::from_record(&line.record);
            let Some(&at) = places.get(&key) else {
                return Err(
                    lines.bad(format!("has {} in order {:?}, which is not in this part of the run", key.id, key.order))
                );
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
        self.warn_lost(written.saturating_sub(read));
        self.write(DISORDERED, "")?;
        self.trials.cut(end, &sums)?;
        Ok(found)
    }

    /// Puts all lines, each present once, into the order of `wanted`. A kill loses no lines.
    pub(super) fn put_in_order(&mut self, wanted: &[TrialKey]) -> Result<(), FolderError> {
        let file = self.path.join(TRIALS);
        let text = fs::read_to_string(&file).map_err(refused(&file, "read"))?;
        let places: HashMap<&TrialKey, usize> = wanted.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let mut lines = vec![None; wanted.len()];
        for line in text.lines() {
            let bad = |message| FolderError::BadLine { path: file.clone(), line: 0, message };
            let record = TrialRecord::parse(line).map_err(|error| bad(in_words(error)))?;
            match places.get(&TrialKey::from_record(&record)) {
                Some(&at) => lines[at] = Some(line.to_string()),
                None => return Err(bad("belongs to another run".to_string())),
            }
        }
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        self.trials.replace(&lines)?;
        let marker = self.path.join(DISORDERED);
        fs::remove_file(&marker).map_err(refused(&marker, "removed"))?;
        sync_folder(&self.path).map_err(refused(&self.path, "written"))
    }

    /// Removes all records.
    pub(super) fn clear(&mut self) -> Result<(), FolderError> {
        self.trials.cut(0, &[])
    }

    /// Appends the records of one block.
    pub(super) fn append(&mut self, records: &[TrialRecord]) -> Result<(), FolderError> {
        let lines: Vec<String> = records.iter().map(TrialRecord::to_line).collect();
        self.trials.append(&lines)
    }

    /// Makes the last appended records survive a crash of the machine.
    pub(super) fn sync(&mut self) -> Result<(), FolderError> {
        self.trials.sync()
    }

    /// Appends a line to the timings, which are separate from everything reproducible.
    pub(super) fn note_timing(&self, timings: &Timings) -> Result<(), FolderError> {
        self.note(TIMINGS, timings)
    }

    /// Appends a line to the commands, which are also separate.
    pub fn note_start(&self, started: &Started) -> Result<(), FolderError> {
        self.note(COMMANDS, started)
    }

    /// Appends a line to what the server said of itself, which is separate too.
    #[cfg(feature = "server")]
    pub fn note_server(&self, said: &ServerAtEnd) -> Result<(), FolderError> {
        self.note(SERVER, said)
    }

    fn note(&self, file: &str, what: &impl Serialize) -> Result<(), FolderError> {
        let path = self.path.join(file);
        let line = serde_json::to_string(what).map_err(|error| refused(&path, "written")(error.into()))?;
        let written = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(refused(&path, "written"))
    }

    /// Records in the manifest that passes were halved for lack of memory.
    pub(super) fn add_cuts(&mut self, more: usize) -> Result<(), FolderError> {
        let Model::Local(model) = &mut self.manifest.model else { return Ok(()) };
        model.cuts += more;
        if more > 0 { write_manifest(&self.path, &self.manifest) } else { Ok(()) }
    }

    /// Writes a results file, replacing an old one atomically.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.path.join(name);
        replace_file(&path, text).map_err(refused(&path, "written"))
    }
}

impl Kept for Manifest {
    const KIND: &'static FolderKind = &RUN;

    fn parse(text: &str, json: Value) -> Result<Self, String> {
        let manifest: Manifest = match json.get("format").and_then(Value::as_u64) {
            // Parsed from the text, so that an error has its line.
            Some(format) if format == u64::from(FORMAT) => serde_json::from_str(text),
            Some(1) => serde_json::from_value(to_format_2(json).ok_or("not a manifest of format 1")?),
            Some(format) => return Err(format!("format {format}, this program reads 1 and {FORMAT}")),
            None => return Err("not a manifest: it names no format".to_string()),
        }
        .map_err(in_words)?;
        manifest.check().map(|()| manifest)
    }

    fn mixed(&mut self) -> &mut Vec<Mixture> {
        &mut self.mixed
    }

    fn unsigned(&self) -> Self {
        Manifest { sha256: None, canary: Some(CANARY.to_string()), ..self.clone() }
    }

    fn say_again(&mut self, given: &Manifest) {
        self.name = given.name.clone().or(self.name.take());
        if let Model::Local(own) = &mut self.model
            && let (Some(own), Some(given)) = (&mut own.identity.adapter, given.model.adapter())
            && !given.trained_in.is_empty()
        {
            own.trained_in.clone_from(&given.trained_in);
        }
    }

    fn check_continuable(&self, folder: &Path) -> Result<(), FolderError> {
        let (path, program, format) = (folder.to_path_buf(), self.program.version.clone(), self.format);
        if format == FORMAT { Ok(()) } else { Err(FolderError::OlderFormat { path, program, format }) }
    }
}
