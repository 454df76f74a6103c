//! Files as they are named and written.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::DecimalBytes;

use crate::ledger::write_file;

/// `figure.svg` for one prompt, `figure-1.svg`, `figure-2.svg` for several.
pub fn numbered(path: &Path, case: usize, cases: usize) -> PathBuf {
    if cases == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{}{ending}", case + 1))
}

/// Write a file and say so.
pub fn save(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_file(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))?;
    eprintln!("{} ({})", path.display(), DecimalBytes(bytes.len() as u64));
    Ok(())
}
