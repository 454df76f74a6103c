//! SHA-256 of files, cached so that a run does not reread gigabytes for its manifest.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::cache::cache_dir;
use super::error::ModelError;

/// SHA-256 of a file in lower-case hexadecimal. A file that was hashed on this machine before and is unchanged (path,
/// device, inode, size, times) is not read again.
///
/// # Errors
/// The file cannot be read. An unwritable cache is not an error: the hash is computed.
pub(super) fn sha256_file(path: &Path) -> Result<String, ModelError> {
    let remembered = remembered_at(path).and_then(|at| std::fs::read_to_string(at).ok());
    match remembered.filter(|hash| is_sha256(hash)) {
        Some(hash) => Ok(hash),
        None => sha256_of_content(path),
    }
}

/// SHA-256 of a file's present content, ignoring the cache.
///
/// # Errors
/// The file cannot be read.
pub(super) fn sha256_of_content(path: &Path) -> Result<String, ModelError> {
    let read = |source| ModelError::Read { path: path.to_path_buf(), source };
    let before = remembered_at(path);
    let hash = sha256_reader(File::open(path).map_err(read)?, |_| Ok(())).map_err(read)?;
    // The hash of a file that changed meanwhile is not cached.
    if let Some(at) = before.filter(|before| remembered_at(path).as_ref() == Some(before)) {
        remember(&at, &hash);
    }
    Ok(hash)
}

/// SHA-256 of some bytes in lower-case hexadecimal.
pub fn sha256_bytes(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// SHA-256 of a reader's content; `seen` receives each piece, and its first error ends the reading.
pub(super) fn sha256_reader(
    mut reader: impl Read,
    mut seen: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&buffer[..read]);
        seen(&buffer[..read])?;
    }
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The cache file for a file in its present state; `None` without a cache folder, or where the state is unknown.
fn remembered_at(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let metadata = path.metadata().ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let state = format!("{}\n{}\n{}\n{}", path.display(), metadata.len(), changed.as_nanos(), identity(&metadata));
    Some(cache_dir().ok()?.join("hashes").join(sha256_bytes(state)))
}

/// Identity of the file, and its last change time, which cannot be set back.
#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("{} {} {}.{:09}", metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

/// Other systems provide neither; the creation time distinguishes most copies.
#[cfg(not(unix))]
fn identity(metadata: &std::fs::Metadata) -> String {
    let made = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    made.map_or_else(String::new, |made| made.as_nanos().to_string())
}

/// Best effort: written to a temporary file and renamed, so that a reader never sees a partial hash.
fn remember(at: &Path, hash: &str) {
    let Some(folder) = at.parent() else { return };
    remove_old_temporaries(folder);
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, hash.as_bytes())?;
        file.persist(at).map_err(|error| error.error)
    });
    if let Err(error) = written {
        tracing::debug!(%error, "the hash is not cached");
    }
}

/// Remove what killed programs left behind; after an hour nobody is writing it any more.
fn remove_old_temporaries(folder: &Path) {
    const OLD: Duration = Duration::from_secs(3600);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if entry.file_name().to_string_lossy().starts_with(".tmp") && age().is_some_and(|age| age > OLD) {
            // The next program tries again.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_sha256sum() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_bytes(""), empty);
        let mut seen = 0;
        let count = |piece: &[u8]| {
            seen += piece.len();
            Ok(())
        };
        let hash = sha256_reader(&b"abc"[..], count).expect("memory can be read");
        assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(seen, 3);
    }
}
