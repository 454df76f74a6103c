//! Finding a benchmark's own folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::LoadError;
use super::definition::Definition;

/// The benchmark's own folder: `data` itself if it contains one of `marks`, else `data/<name>` for the first of `names`
/// that does.
///
/// `marks` are paths below the folder, any of which identifies it.
pub(super) fn own_folder(
    benchmark: &Definition,
    data: &Path,
    names: &[&str],
    marks: &[&str],
) -> Result<PathBuf, LoadError> {
    let candidates = || std::iter::once(data.to_path_buf()).chain(names.iter().map(|name| data.join(name)));
    for folder in candidates() {
        for mark in marks {
            let path = folder.join(mark);
            match std::fs::metadata(&path) {
                Ok(_) => return Ok(folder),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(source) => return Err(LoadError::Unreadable { path, source }),
            }
        }
    }
    let named = candidates().skip(1).find(|folder| folder.is_dir());
    let looked_in = named.unwrap_or_else(|| data.to_path_buf());
    let path = if looked_in.is_dir() {
        marks.first().map_or(looked_in.clone(), |mark| looked_in.join(mark))
    } else {
        looked_in
    };
    Err(absent(benchmark, path))
}

/// Whether one of `marks` exists in `data` or in `data/<name>` for one of `names`.
pub(super) fn holds(data: &Path, names: &[&str], marks: &[&str]) -> bool {
    let folders = std::iter::once(data.to_path_buf()).chain(names.iter().map(|name| data.join(name)));
    folders.into_iter().any(|folder| marks.iter().any(|mark| folder.join(mark).exists()))
}

/// The error for a missing path, with the card's instructions for getting it.
pub(super) fn absent(benchmark: &Definition, path: PathBuf) -> LoadError {
    LoadError::Absent { benchmark: benchmark.benchmark, path, hint: benchmark.card().source }
}

/// Whether a path exists; errors other than absence (no permission, broken disk) are returned.
pub(super) fn is_there(path: &Path) -> Result<bool, LoadError> {
    path.try_exists().map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })
}
