//! Command-line paths with special meaning: standard input, and runs in a bundle. Both are written to temporary
//! folders, which last until the program ends.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use tempfile::TempDir;

use super::stdin;
use crate::reopen::bundle::unpack;
use crate::run::RunFolder;

/// File extension of a bundle.
pub const ENDING: &str = "zip";

/// A file whose contents are in a temporary folder.
struct Temporary {
    of: PathBuf,
    folder: TempDir,
}

/// All temporary files created.
static TEMPORARY: Mutex<Vec<Temporary>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<Temporary>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the path of a file in a temporary folder, which `write` fills the first time.
fn in_folder(of: &Path, name: &Path, write: impl FnOnce(&Path) -> anyhow::Result<()>) -> anyhow::Result<PathBuf> {
    let mut all = temporary();
    if let Some(known) = all.iter().find(|known| known.of == of) {
        return Ok(known.folder.path().join(name));
    }
    let folder = tempfile::Builder::new().prefix("tomeval-").tempdir().context("cannot create a temporary folder")?;
    let place = folder.path().join(name);
    write(&place)?;
    all.push(Temporary { of: of.to_path_buf(), folder });
    Ok(place)
}

/// Whether a path is in a temporary folder, where nothing written lasts.
pub fn is_temporary(path: &Path) -> bool {
    temporary().iter().any(|known| path.starts_with(known.folder.path()))
}

/// Whether standard input was read in place of a file; it cannot be read again.
pub fn is_stdin_taken() -> bool {
    temporary().iter().any(|known| known.of == Path::new(stdin::DASH))
}

/// Removes all temporary folders.
pub fn tidy() {
    temporary().clear();
}

/// Resolves the path of data: a folder, a run in a bundle, or a file; `-` becomes a file with the contents of standard
/// input, with an extension for the detected format: JSON, JSON lines or a table.
pub fn data_path(given: &str) -> Result<PathBuf, String> {
    if given != stdin::DASH {
        return run_path(given);
    }
    let dash = Path::new(given);
    let bytes = stdin::read(dash).map_err(|error| format!("{error:#}"))?;
    let name = format!("stdin.{}", ending(&bytes));
    let write = |place: &Path| {
        std::fs::write(place, &bytes).with_context(|| format!("{} cannot be saved to a temporary file", stdin::NAME))
    };
    in_folder(dash, Path::new(&name), write).map_err(|error| format!("{error:#}"))
}

/// Maximum bytes of a file that stands for a text.
const MOST_TEXT: u64 = 1 << 20;

/// Reads a text given as it is, or as the path of a file, whose last line breaks are left out. What looks like a path is
/// never taken as a text.
pub fn text_or_file(given: &str) -> Result<String, String> {
    let path = Path::new(given);
    let is_path = given.ends_with(".txt")
        || given.ends_with(".md")
        || given == stdin::DASH
        || given.is_ascii() && given.contains('/') && !given.contains(char::is_whitespace);
    let text = if path.is_file() {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST_TEXT + 1).read_to_end(&mut bytes));
        read.map_err(|error| format!("the file cannot be read: {error}"))?;
        if bytes.len() as u64 > MOST_TEXT {
            return Err(format!("the file is larger than {} MiB", MOST_TEXT >> 20));
        }
        let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8; save it as UTF-8")?;
        text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']).to_string()
    } else if is_path {
        return Err("no such file; what looks like a path is not taken as a text".to_string());
    } else {
        given.to_string()
    };
    match text.trim().is_empty() {
        true => Err("is empty; leave out the argument".to_string()),
        false => Ok(text),
    }
}

fn ending(bytes: &[u8]) -> &'static str {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let header = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => "jsonl",
        Some(b'[') => "json",
        _ if header.contains(&b'\t') => "tsv",
        _ => "csv",
    }
}

/// Returns the data path given on the command line, else that in TOMEVAL_DATA.
pub fn or_environment(given: Option<PathBuf>) -> Option<PathBuf> {
    given.or_else(|| std::env::var_os("TOMEVAL_DATA").filter(|path| !path.is_empty()).map(PathBuf::from))
}

/// Resolves the path of a run; unpacks a bundle and returns the folder of its one run or of all.
pub fn run_path(given: &str) -> Result<PathBuf, String> {
    let given = Path::new(given);
    let Some(bundle) = given.ancestors().find(|path| is_bundle(path) && path.is_file()) else {
        return Ok(given.to_path_buf());
    };
    let below = given.strip_prefix(bundle).unwrap_or(Path::new(""));
    // The folder of all runs is named after the bundle.
    let name = Path::new(bundle.file_name().unwrap_or_default());
    let folder = in_folder(bundle, name, |place| Ok(unpack(bundle, place)?)).map_err(|error| format!("{error:#}"))?;
    let path = folder.join(below);
    if below == Path::new("") {
        let found = runs(std::slice::from_ref(&folder)).map_err(|error| format!("{error:#}"))?;
        return Ok(if let [only] = &found[..] { only.clone() } else { folder });
    }
    match path.is_dir() {
        true => Ok(path),
        false => Err(format!("the bundle contains no folder {}", below.display())),
    }
}

/// Returns the named runs; a folder that is not a run but contains some is replaced by them, sorted by name.
pub fn runs(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for path in named {
        let within = if path.is_dir() && !RunFolder::is_at(path) { runs_in(path, DEEPEST)? } else { Vec::new() };
        if within.is_empty() { runs.push(path.clone()) } else { runs.extend(within) }
    }
    Ok(runs)
}

/// How far below a folder its runs may lie: those of a study are in MODEL/TASK/SCORING-STYLE.
pub const DEEPEST: usize = 3;

/// The run folders below a folder by path, without the parts of workers.
pub fn runs_in(folder: &Path, deepest: usize) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.is_dir() && path.extension().is_none_or(|ending| ending != "workers"));
    paths.sort();
    let mut runs = Vec::new();
    for path in paths {
        if RunFolder::is_at(&path) {
            runs.push(path);
        } else if deepest > 1 {
            runs.extend(runs_in(&path, deepest - 1)?);
        }
    }
    Ok(runs)
}

/// Whether a path has the extension of a bundle.
pub fn is_bundle(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_rows_is_seen_at_their_beginning() {
        let cases =
            [("{\"id\": 1}\n", "jsonl"), (" [{}]", "json"), ("\u{feff}id,story\n", "csv"), ("id\tstory\n", "tsv")];
        for (text, expected) in cases {
            assert_eq!(ending(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(ending(b""), "csv");
    }
}
