//! The cache shared by all Hugging Face programs: for each repository a folder with `blobs/<etag>` (contents),
//! `snapshots/<commit>/<file>` (links to them) and `refs/<revision>` (commits by name).
//!
//! Commits, ETags and file names come from a server. Each becomes part of a path only through its type here, whose
//! values cannot lead out of their folder.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::cache::make_folder;
use crate::model::error::ModelError;
use crate::model::fetch::Fetch;

/// Number of attempts, and pauses between them, for a lock held by another program.
const LOCK_TRIES: usize = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(500);

/// A commit's name: hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit(String);

/// The name of a content: letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ETag(String);

/// The name of a file at the top level of its repository: letters, digits, `-`, `_` and dots inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileName(String);

impl Commit {
    pub(super) fn new(text: &str) -> Option<Self> {
        let fits = (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| Commit(text.to_string()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl ETag {
    /// From the header, in quotes and possibly after `W/`.
    pub(super) fn new(header: &str) -> Option<Self> {
        let text = header.trim().trim_start_matches("W/").trim_matches('"');
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let fits = (1..=128).contains(&text.len()) && text.bytes().all(plain);
        fits.then(|| ETag(text.to_string()))
    }

    /// The content's SHA-256, which the Hub uses as the ETag of large files.
    pub(super) fn sha256(&self) -> Option<&str> {
        let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (self.0.len() == 64 && self.0.bytes().all(lower_hex)).then_some(&self.0)
    }
}

impl FileName {
    pub(super) fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let fits = (1..=128).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('.');
        fits.then(|| FileName(text.to_string()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The folder of one repository.
pub(super) struct Store {
    folder: PathBuf,
}

/// Exclusive lock on a content while this lives.
pub(super) struct Locked {
    /// The lock file; none where the file system does not support locks.
    lock: Option<(File, PathBuf)>,
    /// The content's final path.
    pub(super) blob: PathBuf,
    /// The path of the partial download. What an interrupted download left there is resumed.
    pub(super) part: PathBuf,
}

impl Store {
    pub(super) fn new(cache: &Path, repo: &str) -> Self {
        Store { folder: cache.join(format!("models--{}", repo.replace('/', "--"))) }
    }

    pub(super) fn snapshot(&self, commit: &Commit) -> PathBuf {
        self.folder.join("snapshots").join(&commit.0)
    }

    /// Waits a few seconds for a program that holds the content.
    pub(super) fn lock(&self, repo: &str, etag: &ETag, fetch: &Fetch) -> Result<Locked, ModelError> {
        let blobs = self.folder.join("blobs");
        make_folder(&blobs)?;
        let place = |ending: &str| blobs.join(format!("{}{ending}", etag.0));
        let (blob, part, path) = (place(""), place(".part"), place(".lock"));
        let unwritable = |source| ModelError::Cache { path: path.clone(), source };
        let file = File::options().create(true).append(true).open(&path).map_err(unwritable)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Locked { lock: Some((file, path)), blob, part }),
                Err(TryLockError::WouldBlock) => {
                    fetch.go_on()?;
                    std::thread::sleep(LOCK_PAUSE);
                }
                // Locks are a courtesy: without them two programs may fetch the same content.
                Err(TryLockError::Error(error)) => {
                    tracing::debug!(%error, path = %path.display(), "no lock on this file system");
                    return Ok(Locked { lock: None, blob, part });
                }
            }
        }
        let reason = format!("another program is fetching it (it holds {}); wait for it to end", path.display());
        Err(ModelError::Hub { repo: repo.to_string(), reason })
    }

    /// Make a complete content a file of a commit. Returns the file's path.
    pub(super) fn link(&self, commit: &Commit, name: &FileName, content: Locked) -> Result<PathBuf, ModelError> {
        let folder = self.snapshot(commit);
        make_folder(&folder)?;
        let path = folder.join(&name.0);
        let unwritable = |source| ModelError::Cache { path: path.clone(), source };
        // A dangling link, or one to the file's former content.
        if path.symlink_metadata().is_ok() {
            std::fs::remove_file(&path).map_err(unwritable)?;
        }
        let blob = content.blob.file_name().unwrap_or_default();
        link_file(&Path::new("../../blobs").join(blob), &path)
            // Where links cannot be made, the content itself is moved there, as other Hugging Face programs do.
            .or_else(|_| std::fs::rename(&content.blob, &path))
            .map_err(unwritable)?;
        content.release();
        Ok(path)
    }

    /// Record the commit of a branch or tag.
    pub(super) fn note_revision(&self, revision: &str, commit: &Commit) -> Result<(), ModelError> {
        if revision == commit.0 {
            return Ok(());
        }
        let path = self.folder.join("refs").join(revision);
        make_folder(path.parent().unwrap_or(&self.folder))?;
        std::fs::write(&path, &commit.0).map_err(|source| ModelError::Cache { path, source })
    }
}

impl Locked {
    /// Marks the content as complete and removes the lock file, which later readers do not need.
    fn release(self) {
        if let Some((file, path)) = self.lock {
            // A leftover lock file is harmless.
            let _ = std::fs::remove_file(path);
            drop(file);
        }
    }
}

#[cfg(unix)]
fn link_file(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(windows)]
fn link_file(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(to, at)
}

#[cfg(not(any(unix, windows)))]
fn link_file(_to: &Path, _at: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_its_folder() {
        let hostile = ["", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", "C:x", "a\0b", "a b", "ä", ".part", "x\ny"];
        for name in hostile {
            assert_eq!(Commit::new(name), None, "{name:?}");
            assert_eq!(ETag::new(name), None, "{name:?}");
            assert_eq!(FileName::new(name), None, "{name:?}");
        }
        assert_eq!(Commit::new("main"), None);
        assert_eq!(Commit::new(&"a".repeat(65)), None);
        assert_eq!(ETag::new(&"a".repeat(129)), None);
        // Endings of files beside a content.
        assert_eq!((ETag::new("x.part"), ETag::new("x.lock")), (None, None));
    }

    #[test]
    fn usual_names_are_taken() {
        assert!(Commit::new("0123456789abcdef0123456789abcdef01234567").is_some());
        assert_eq!(ETag::new("W/\"5d41402a-12\""), Some(ETag("5d41402a-12".to_string())));
        let large = ETag::new(&format!("\"{}\"", "0a".repeat(32))).expect("hexadecimal digits");
        assert_eq!(large.sha256(), Some("0a".repeat(32).as_str()));
        assert_eq!(ETag::new(&"0a".repeat(20)).expect("hexadecimal digits").sha256(), None);
        assert!(FileName::new("model-00001-of-00002.safetensors").is_some());
    }
}
