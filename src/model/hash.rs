//! SHA-256 of files, remembered so that a run does not read gigabytes again to fill in its manifest.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::ModelError;
use super::cache::cache_dir;

/// SHA-256 of a file in lower-case hexadecimal. A file whose path, size and time of change are as before is not read
/// again.
///
/// # Errors
/// The file cannot be read. A cache that cannot be written is no error: the hash is computed.
pub(super) fn sha256_file(path: &Path) -> Result<String, ModelError> {
    let read = |source| ModelError::Read { path: path.to_path_buf(), source };
    let remembered = remembered_at(path).map_err(read)?;
    if let Some(hash) =
        remembered.as_ref().and_then(|at| std::fs::read_to_string(at).ok()).filter(|hash| hash.len() == 64)
    {
        return Ok(hash);
    }
    let hash = sha256_reader(File::open(path).map_err(read)?, |_| {}).map_err(read)?;
    if let Some(at) = remembered {
        remember(&at, &hash);
    }
    Ok(hash)
}

/// SHA-256 of some bytes in lower-case hexadecimal.
pub fn sha256_bytes(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// SHA-256 of all that a reader gives; `seen` is told of each piece.
pub(super) fn sha256_reader(mut reader: impl Read, mut seen: impl FnMut(&[u8])) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&buffer[..read]);
        seen(&buffer[..read]);
    }
}

/// The cache file for a file in its present state; `None` without a cache folder or time of change.
fn remembered_at(path: &Path) -> io::Result<Option<PathBuf>> {
    let path = path.canonicalize()?;
    let metadata = path.metadata()?;
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let (Ok(cache), Some(changed)) = (cache_dir(), changed) else { return Ok(None) };
    let state = format!("{}\n{}\n{}", path.display(), metadata.len(), changed.as_nanos());
    Ok(Some(cache.join("hashes").join(sha256_bytes(state))))
}

/// Best effort: written beside and renamed, so that a reader never sees half a hash.
fn remember(at: &Path, hash: &str) {
    let Some(folder) = at.parent() else { return };
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, hash.as_bytes())?;
        file.persist(at).map_err(|error| error.error)
    });
    if let Err(error) = written {
        tracing::debug!(%error, "the hash is not remembered");
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
        let hash = sha256_reader(&b"abc"[..], |piece| seen += piece.len()).expect("memory can be read");
        assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(seen, 3);
    }
}
