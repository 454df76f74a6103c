//! Run folders: a manifest written once, records that only ever grow, and what is left to do after a stop.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::format1::to_format_2;
use super::manifest::{FORMAT, Manifest};
use super::timings::Timings;
use crate::plain::in_words;
use crate::record::{RecordError, TrialRecord};

/// File names inside a run folder.
const MANIFEST: &str = "manifest.json";
const TRIALS: &str = "trials.jsonl";
const TIMINGS: &str = "timings.jsonl";

/// The page that an analysis of attention leaves in a run's folder.
pub const ATTENTION_PAGE: &str = "attention.html";

/// The page on the same items when another model than the run's read them.
pub fn attention_page_of(model: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name: String = model.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    format!("attention-{name}.html")
}

/// A run folder opened for writing. No other process can open it while this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    trials: File,
}

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
    Foreign {
        /// The folder.
        path: PathBuf,
    },
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
        /// The folder.
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
        /// The folder.
        path: PathBuf,
        /// Version of the program that began it.
        program: String,
        /// Its format.
        format: u32,
    },
    /// Another process writes here.
    #[error("{path} is in use by another tomeval; wait for it, or choose another --out")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A line of the records is not what the plan expects.
    #[error("{path}, line {line}: {message}; move the file away to start the run again")]
    BadRecord {
        /// The records.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is the matter.
        message: String,
    },
    /// There is no run here.
    #[error("{path} holds no {MANIFEST}: it is no run folder; `tomeval run --out {path}` makes one")]
    Absent {
        /// The folder.
        path: PathBuf,
    },
}

fn hint(source: &std::io::Error) -> &'static str {
    match source.kind() {
        std::io::ErrorKind::StorageFull => "; free some space and run the same command again: finished work is kept",
        std::io::ErrorKind::PermissionDenied => "; choose another --out, or change the folder's permissions",
        _ => "",
    }
}

/// What identifies a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineKey {
    /// Id of the item.
    pub id: String,
    /// The condition's name.
    pub condition: Option<String>,
    /// Canonical options in slot order.
    pub order: Vec<usize>,
}

impl LineKey {
    fn of(record: &TrialRecord) -> Self {
        LineKey { id: record.id.clone(), condition: record.condition.clone(), order: record.order.as_slice().to_vec() }
    }
}

impl RunFolder {
    /// The manifest of a folder, `None` where the folder is absent or empty.
    pub fn manifest(path: &Path) -> Result<Option<Manifest>, FolderError> {
        let file = path.join(MANIFEST);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
                let mut entries = match fs::read_dir(path) {
                    Ok(entries) => entries,
                    Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                    Err(source) => return Err(FolderError::Io { path: path.to_path_buf(), action: "listed", source }),
                };
                return match entries.next() {
                    None => Ok(None),
                    Some(_) => Err(FolderError::Foreign { path: path.to_path_buf() }),
                };
            }
            Err(source) => return Err(FolderError::Io { path: file, action: "read", source }),
        };
        let bad = |message: String| FolderError::BadManifest { path: file.clone(), message };
        let json: Value = serde_json::from_str(&text).map_err(|error| bad(in_words(error)))?;
        let json = match json.get("format").and_then(Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => json,
            Some(1) => to_format_2(json).ok_or_else(|| bad("not a manifest of format 1".to_string()))?,
            found => return Err(bad(format!("format {found:?}, this program reads 1 and {FORMAT}"))),
        };
        serde_json::from_value(json).map(Some).map_err(|error| bad(in_words(error)))
    }

    /// The manifest of a folder that is to be continued; `None` where the folder is absent or empty.
    pub fn continued(path: &Path) -> Result<Option<Manifest>, FolderError> {
        match Self::manifest(path)? {
            Some(Manifest { format, program, .. }) if format != FORMAT => {
                Err(FolderError::OlderFormat { path: path.to_path_buf(), program: program.version, format })
            }
            manifest => Ok(manifest),
        }
    }

    /// Open a folder for this manifest, making it if needed.
    pub fn open(path: &Path, manifest: &Manifest) -> Result<Self, FolderError> {
        let io = |path: &Path, action| {
            let path = path.to_path_buf();
            move |source| FolderError::Io { path, action, source }
        };
        match Self::continued(path)? {
            Some(existing) => {
                let mut differences = existing.differences(manifest);
                if existing.shard != manifest.shard {
                    differences.push("shard".to_string());
                }
                if !differences.is_empty() {
                    return Err(FolderError::OtherPlan { path: path.to_path_buf(), differences });
                }
            }
            None => {
                fs::create_dir_all(path).map_err(io(path, "made"))?;
                write_atomically(&path.join(MANIFEST), &to_json(manifest))?;
            }
        }
        let file = path.join(TRIALS);
        let trials = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&file)
            .map_err(io(&file, "opened"))?;
        match trials.try_lock() {
            Ok(()) => Ok(RunFolder { path: path.to_path_buf(), trials }),
            Err(fs::TryLockError::WouldBlock) => Err(FolderError::InUse { path: path.to_path_buf() }),
            // Some network file systems know no locks.
            Err(fs::TryLockError::Error(_)) => Ok(RunFolder { path: path.to_path_buf(), trials }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many of the `blocks`, lines that are written together or not at all, are recorded whole. What stands after the
    /// last whole one is cut off.
    pub(super) fn resume(&mut self, blocks: &[Vec<LineKey>]) -> Result<usize, FolderError> {
        let path = self.path.join(TRIALS);
        let io = |action| {
            let path = path.clone();
            move |source| FolderError::Io { path, action, source }
        };
        self.trials.seek(SeekFrom::Start(0)).map_err(io("read"))?;
        let mut reader = BufReader::new(&self.trials);
        let (mut whole, mut end, mut line_number) = (0, 0u64, 0);
        let mut line = Vec::new();
        'blocks: for block in blocks {
            let mut length = 0u64;
            for wanted in block {
                line.clear();
                let read = reader.read_until(b'\n', &mut line).map_err(io("read"))?;
                if read == 0 || line.last() != Some(&b'\n') {
                    break 'blocks;
                }
                line_number += 1;
                let bad = |message: String| FolderError::BadRecord { path: path.clone(), line: line_number, message };
                let text = std::str::from_utf8(&line).map_err(|error| bad(in_words(error)))?;
                let record = TrialRecord::parse(text.trim_end()).map_err(|error| bad(in_words(error)))?;
                let found = LineKey::of(&record);
                if &found != wanted {
                    return Err(bad(format!(
                        "holds {} in order {:?}, but {} in order {:?} was expected",
                        found.id, found.order, wanted.id, wanted.order
                    )));
                }
                length += read as u64;
            }
            end += length;
            whole += 1;
        }
        drop(reader);
        self.trials.set_len(end).map_err(io("cut"))?;
        self.trials.seek(SeekFrom::Start(end)).map_err(io("written"))?;
        Ok(whole)
    }

    /// Append the records of one block and hand them to the system.
    pub(super) fn append(&mut self, records: &[TrialRecord]) -> Result<(), FolderError> {
        let lines: String = records.iter().map(|record| record.to_line() + "\n").collect();
        let written = self.trials.write_all(lines.as_bytes()).and_then(|()| self.trials.flush());
        written.map_err(|source| FolderError::Io { path: self.path.join(TRIALS), action: "written", source })
    }

    /// Add a line to the timings, which are kept apart from everything that must be reproducible.
    pub(super) fn note_timing(&self, timings: &Timings) -> Result<(), FolderError> {
        let path = self.path.join(TIMINGS);
        let timing = serde_json::to_string(timings).map_err(|error| FolderError::Io {
            path: path.clone(),
            action: "written",
            source: error.into(),
        })?;
        let written = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{timing}\n").as_bytes()));
        written.map_err(|source| FolderError::Io { path, action: "written", source })
    }

    /// Write a file of results, replacing an old one in one step.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        write_atomically(&self.path.join(name), text)
    }
}

/// All records of a run folder, in file order, with its manifest. A torn last line is left out.
pub fn read_run(path: &Path) -> Result<(Manifest, Vec<TrialRecord>), FolderError> {
    let manifest = RunFolder::manifest(path)?.ok_or_else(|| FolderError::Absent { path: path.to_path_buf() })?;
    let file = path.join(TRIALS);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(FolderError::Io { path: file, action: "read", source }),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end + 1]);
    let records = whole
        .lines()
        .enumerate()
        .map(|(index, line)| {
            TrialRecord::parse(line).map_err(|error: RecordError| FolderError::BadRecord {
                path: file.clone(),
                line: index + 1,
                message: error.to_string(),
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok((manifest, records))
}

fn to_json(manifest: &Manifest) -> String {
    let mut text = serde_json::to_string_pretty(manifest).expect("a manifest holds only strings, numbers and lists");
    text.push('\n');
    text
}

fn write_atomically(path: &Path, text: &str) -> Result<(), FolderError> {
    let io = |source| FolderError::Io { path: path.to_path_buf(), action: "written", source };
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    file.write_all(text.as_bytes()).map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}
