//! Stores a run's items in its folder, so that reading the run later needs no benchmark files and finds the items as
//! asked.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dataset_error::DatasetError;
use super::loaded::{DataCheck, LoadedItems};
use crate::benchmark::{Benchmark, Item, ItemLine, RowProblem, Segment};
use crate::ledger::{FolderError, own_folder, replace_file, replace_with};
use crate::model::sha256_bytes;
use crate::parse_error::in_words;
use crate::safe_text::for_json;

/// Asked items, in a run's folder.
const ITEMS: &str = "items.jsonl";
/// Folder of the run's inputs, below the run's folder.
const INPUTS: &str = "inputs";
/// Information on the data, in that folder; written last.
const DATA: &str = "data.json";
/// All items of the data, in that folder, if a run asks only some of them.
const ALL: &str = "data.jsonl.gz";

const FORMAT: u32 = 1;

/// Maximum bytes of an item file; the largest benchmark needs a tenth.
const MOST_BYTES: u64 = 1 << 30;

/// Stored information on a run's data besides the items.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KeptData {
    /// Version of this format.
    format: u32,
    /// SHA-256 of `items.jsonl`.
    items: String,
    /// SHA-256 of `data.jsonl.gz` beside this file; absent if the run asks all items of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    all: Option<String>,
    /// False if placeholders replace all texts, as `bundle --no-texts` leaves them; else absent.
    #[serde(default = "with_texts", skip_serializing_if = "Clone::clone")]
    texts: bool,
    /// Other information on each benchmark's data.
    benchmarks: IndexMap<Benchmark, KeptBenchmark>,
}

fn with_texts() -> bool {
    true
}

/// Information on the data of a benchmark.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct KeptBenchmark {
    /// Whether the number of rows in its files matches its card.
    check: DataCheck,
    /// Rows that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unread: Vec<RowProblem>,
}

/// Whether a run's folder contains its items.
pub fn are_items_kept(run: &Path) -> bool {
    run.join(INPUTS).join(DATA).is_file()
}

/// Stores the items of a run and its input files in its folder; does nothing if they are already stored. The caller
/// holds the folder's lock.
///
/// # Errors
/// The system refuses to write, for instance because the disk is full.
pub(crate) fn keep_items(run: &Path, loaded: &LoadedItems, files: &[KeptFile<'_>]) -> Result<(), FolderError> {
    if are_items_kept(run) {
        return Ok(());
    }
    let inputs = run.join(INPUTS);
    own_folder(&inputs).map_err(unwritable(&inputs))?;
    for file in files {
        let path = inputs.join(format!("{}-{}", &sha256_bytes(file.content)[..8], file.name));
        replace_file(&path, file.content).map_err(unwritable(&path))?;
    }
    let path = inputs.join(ALL);
    let all = loaded.is_limited().then(|| {
        let write = |file: &mut File| {
            let mut packed = GzEncoder::new(Hashing::new(file), Compression::default());
            write_items(loaded.in_data(), &mut packed)?;
            packed.finish()?.finish()
        };
        replace_with(&path, write).map_err(unwritable(&path))
    });
    let path = run.join(ITEMS);
    let write = |file: &mut File| {
        let mut hashed = Hashing::new(file);
        write_items(&loaded.items, &mut hashed)?;
        hashed.finish()
    };
    let items = replace_with(&path, write).map_err(unwritable(&path))?;
    let known = |(&benchmark, check): (&Benchmark, &DataCheck)| {
        (benchmark, KeptBenchmark { check: check.clone(), unread: loaded.unread_rows(benchmark) })
    };
    let benchmarks = loaded.checks.iter().map(known).collect();
    let data = KeptData { format: FORMAT, items, all: all.transpose()?, texts: loaded.texts, benchmarks };
    let path = inputs.join(DATA);
    let text = serde_json::to_string_pretty(&data).map_err(io::Error::from).map_err(unwritable(&path))?;
    replace_file(&path, text + "\n").map_err(unwritable(&path))
}

/// An input file of a run.
pub(crate) struct KeptFile<'a> {
    /// File name without folders.
    pub name: &'a str,
    pub content: &'a [u8],
}

/// Copies the stored inputs of a run's folder to another run of the same items; does nothing if there are none.
pub(crate) fn copy_kept(from: &Path, to: &Path) -> Result<(), FolderError> {
    if !are_items_kept(from) || are_items_kept(to) {
        return Ok(());
    }
    let copy = |from: &Path, to: &Path| {
        let mut content = File::open(from).map_err(unreadable(from))?;
        replace_with(to, |file| io::copy(&mut content, file)).map_err(unwritable(to)).map(drop)
    };
    let inputs = to.join(INPUTS);
    own_folder(&inputs).map_err(unwritable(&inputs))?;
    copy(&from.join(ITEMS), &to.join(ITEMS))?;
    let is_last = |path: &PathBuf| path.ends_with(DATA);
    let mut files = inputs_of(from);
    files.sort_by_key(is_last);
    files.iter().try_for_each(|path| copy(path, &inputs.join(path.file_name().unwrap_or_default())))
}

/// Returns the stored file of a run with this hash.
pub(crate) fn kept_file(run: &Path, sha256: &str) -> Option<PathBuf> {
    let start = sha256.get(..8)?;
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    inputs_of(run).into_iter().filter(named).find(|path| fs::read(path).is_ok_and(|it| sha256_bytes(it) == sha256))
}

/// Returns the files in the folder of inputs, by name.
fn inputs_of(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join(INPUTS)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Returns the stored information of a run besides its items; `None` if nothing is stored.
pub(super) fn kept_data(run: &Path) -> Result<Option<KeptData>, DatasetError> {
    if !are_items_kept(run) {
        return Ok(None);
    }
    let path = run.join(INPUTS).join(DATA);
    let text = read(&path, MOST_BYTES)?;
    let data: KeptData = serde_json::from_slice(&text).map_err(|error| bad(&path, in_words(error)))?;
    match data.format == FORMAT {
        true => Ok(Some(data)),
        false => Err(bad(&path, format!("format {} is unknown to this version", data.format))),
    }
}

impl KeptData {
    /// Returns the benchmarks of the run.
    pub(super) fn benchmarks(&self) -> Vec<Benchmark> {
        self.benchmarks.keys().copied().collect()
    }

    /// Returns whether the number of rows in a benchmark's files matches its card.
    pub(super) fn check(&self, benchmark: Benchmark) -> DataCheck {
        self.benchmarks.get(&benchmark).map_or(DataCheck::Uncounted, |known| known.check.clone())
    }
}

/// Returns the items stored in a run's folder; `None` if none are stored.
pub(super) fn kept_items(run: &Path) -> Result<Option<LoadedItems>, DatasetError> {
    let Some(data) = kept_data(run)? else { return Ok(None) };
    let items = read_items(&run.join(ITEMS), &data.items, false)?;
    let all = data.all.map(|sha256| read_items(&run.join(INPUTS).join(ALL), &sha256, true)).transpose()?;
    let mut loaded = LoadedItems::new(items, all);
    loaded.texts = data.texts;
    for (benchmark, known) in data.benchmarks {
        loaded.checks.insert(benchmark, known.check);
        loaded.problems.insert(benchmark, known.unread);
    }
    Ok(Some(loaded))
}

fn write_items(items: &[Item], out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    for line in ItemLine::short(items) {
        writeln!(out, "{}", for_json(&serde_json::to_string(&line)?))?;
    }
    out.flush()
}

fn read_items(path: &Path, sha256: &str, packed: bool) -> Result<Vec<Item>, DatasetError> {
    let mut bytes = read(path, MOST_BYTES)?;
    if sha256_bytes(&bytes) != sha256 {
        return Err(bad(path, "changed after it was written: its SHA-256 is not that in inputs/data.json".into()));
    }
    if packed {
        let mut text = Vec::new();
        let unpacked = GzDecoder::new(&bytes[..]).take(MOST_BYTES + 1).read_to_end(&mut text);
        unpacked.map_err(|error| bad(path, error.to_string()))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(bad(path, format!("it unpacks to more than {} MiB", MOST_BYTES >> 20)));
        }
        bytes = text;
    }
    let mut items: Vec<Item> = Vec::new();
    for (at, line) in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        let before: &[Segment] = items.last().map_or(&[], |item| &item.context);
        let item = serde_json::from_slice::<ItemLine>(line).map_err(in_words).and_then(|line| line.item(before));
        items.push(item.map_err(|message| bad(path, format!("line {}: {message}", at + 1)))?);
    }
    Ok(items)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, DatasetError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| bad(path, format!("cannot be read: {error}")))?;
    match bytes.len() as u64 > most {
        true => Err(bad(path, format!("it is larger than {} MiB", most >> 20))),
        false => Ok(bytes),
    }
}

fn bad(path: &Path, message: String) -> DatasetError {
    DatasetError::Kept { path: path.to_path_buf(), message }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Io { path, action: "written", source }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Io { path, action: "read", source }
}

/// Hashes the bytes written through it.
struct Hashing<W: Write> {
    out: BufWriter<W>,
    hash: Sha256,
}

impl<W: Write> Hashing<W> {
    fn new(out: W) -> Self {
        Hashing { out: BufWriter::new(out), hash: Sha256::new() }
    }

    /// Returns the SHA-256 of everything written, in hexadecimal.
    fn finish(mut self) -> io::Result<String> {
        self.out.flush()?;
        Ok(hex::encode(self.hash.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
