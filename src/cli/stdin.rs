//! Standard input where a file is taken: `-` on the command line.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use tempfile::TempDir;

/// The name under which standard input is given.
pub const DASH: &str = "-";

/// What it is called in messages.
const NAME: &str = "standard input";

/// Where standard input was written for readers of files, until the program ends.
static KEPT: Mutex<Option<TempDir>> = Mutex::new(None);

/// The bytes of a file, or of standard input where it is named `-`.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path != Path::new(DASH) {
        return std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).with_context(|| format!("{NAME}: cannot be read"))?;
    Ok(bytes)
}

/// What a file is called in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(DASH) { NAME.to_string() } else { path.display().to_string() }
}

/// A path as given; for `-` that of a file with what came in, whose name ends as its first letter tells: JSON, JSON lines
/// or a table.
pub fn or_path(given: &str) -> Result<PathBuf, String> {
    if given != DASH {
        return Ok(PathBuf::from(given));
    }
    let bytes = read(Path::new(DASH)).map_err(|error| format!("{error:#}"))?;
    let kept = |error: std::io::Error| format!("{NAME} cannot be kept in a temporary file: {error}");
    let folder = tempfile::tempdir().map_err(kept)?;
    let path = folder.path().join(format!("stdin.{}", ending(&bytes)));
    std::fs::write(&path, bytes).map_err(kept)?;
    *KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(folder);
    Ok(path)
}

/// Whether standard input was read in the place of a file, after which nobody else can read it.
pub fn is_taken() -> bool {
    KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_some()
}

/// Remove what was kept.
pub fn tidy() {
    drop(KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
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
