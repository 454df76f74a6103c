//! File names for several prompts.

use std::path::{Path, PathBuf};

/// `figure.svg` for one prompt, `figure-1.svg`, `figure-2.svg` for several.
pub fn numbered(path: &Path, case: usize, cases: usize) -> PathBuf {
    if cases == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{}{ending}", case + 1))
}
