//! Working folders of downloads that cannot be resumed: they are removed when the download ends, and those left by
//! killed programs at the next start.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use super::error::ModelError;
use super::fetch::{Fetch, FetchEvent};

/// Default prefix of temporary files and folders.
const PREFIX: &str = ".tmp";

/// Held by the one program that works in a folder.
const LOCK: &str = ".lock";

const PAUSE: Duration = Duration::from_millis(200);

/// A working folder beside the result's final place, so that the last step is a rename.
pub(super) struct Workplace {
    folder: tempfile::TempDir,
    // Dropped after the folder, which the next holder of the lock would remove.
    _lock: Option<File>,
}

impl Workplace {
    /// Waits for another program that works there.
    pub(super) fn enter(beside: &Path, fetch: &Fetch) -> Result<Self, ModelError> {
        let unwritable = |source| ModelError::Cache { path: beside.to_path_buf(), source };
        let lock = File::options().create(true).append(true).open(beside.join(LOCK)).map_err(unwritable)?;
        let mut waiting = false;
        let lock = loop {
            match lock.try_lock() {
                Ok(()) => break Some(lock),
                // A file system without locks.
                Err(TryLockError::Error(_)) => break None,
                Err(TryLockError::WouldBlock) => {
                    if !waiting {
                        (fetch.on_event)(FetchEvent::Note(
                            "another tomeval is fetching into this cache; waiting for it",
                        ));
                        waiting = true;
                    }
                    fetch.go_on()?;
                    std::thread::sleep(PAUSE);
                }
            }
        };
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(beside).map_err(unwritable)?;
        Ok(Workplace { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Remove leftovers of killed programs from a folder. Best effort: files that cannot be removed are left to the next
/// start.
pub(super) fn sweep(folder: &Path) {
    // Never used as a working place.
    let Ok(lock) = File::options().append(true).open(folder.join(LOCK)) else { return };
    if lock.try_lock().is_err() {
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::debug!(%error, path = %entry.path().display(), "an unfinished download cannot be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_works_on_is_removed() {
        let place = tempfile::tempdir().expect("a temporary folder can be made");
        let left_behind = place.path().join(".tmpKILLED");
        std::fs::create_dir_all(left_behind.join("deep")).expect("a folder can be made");
        std::fs::write(place.path().join("model.gguf"), "kept").expect("a file can be written");
        let work = Workplace::enter(place.path(), &Fetch::offline()).expect("nobody else works there");
        sweep(place.path());
        assert!(left_behind.exists() && work.path().exists());
        let path = work.path().to_path_buf();
        drop(work);
        assert!(!path.exists());
        sweep(place.path());
        assert!(!left_behind.exists() && place.path().join("model.gguf").exists());
    }
}
