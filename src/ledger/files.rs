//! Atomic file writes, and cleanup after a kill.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Prefix and suffix of the names of unfinished files.
const BEGINNING: &str = ".unfinished-";
const END: &str = ".tmp";

/// Writes a file atomically: after a crash it is either the complete old or the complete new one. A link in its place
/// is replaced, and its target is unchanged. The umask determines whether others may read it.
pub fn replace_file(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    replace_with(path, |file| file.write_all(bytes.as_ref()))
}

/// Like [`replace_file`], for content written piece by piece.
pub fn replace_with<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(BEGINNING).suffix(END);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    let written = write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)?;
    Ok(written)
}

/// Writes a file named by the user, creating its parent folders: atomically, or directly to a target that is not a disk
/// file, such as `/dev/stdout`.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let is_device = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    match is_device || ["/dev", "/proc"].iter().any(|devices| path.starts_with(devices)) {
        true => fs::write(path, bytes),
        false => {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            replace_file(path, bytes)
        }
    }
}

/// Creates a folder if needed. Refuses a link, since clearing or writing below it would affect a foreign folder.
pub fn own_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "refusing to write through a symbolic link; remove it"))
        }
        _ => fs::create_dir_all(path),
    }
}

/// Syncs the entries of a folder to disk, if the system supports it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some network file systems do not support it, and lose nothing.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {}
        synced => synced?,
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Whether a name belongs to a file left unfinished by a kill, in this version or an earlier one.
pub(super) fn is_unfinished(name: &str) -> bool {
    let earlier = name
        .strip_prefix(".tmp")
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric()));
    earlier || is_ours(name)
}

fn is_ours(name: &str) -> bool {
    name.starts_with(BEGINNING) && name.ends_with(END)
}

/// Removes unfinished files of a killed writer. The caller must hold the folder's lock.
pub(super) fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        for text in ["one", "another"] {
            replace_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace_file(&folder.path().join("none/results.json"), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [theirs, link] = ["theirs", "link"].map(|name| folder.path().join(name));
        fs::write(&theirs, "kept").unwrap();
        for write in [|path: &Path| replace_file(path, "new"), |path: &Path| write_file(path, "new")] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(&theirs, &link).unwrap();
            write(&link).unwrap();
            assert_eq!(fs::read_to_string(&theirs).unwrap(), "kept");
            assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        }
        let below = folder.path().join("below");
        std::os::unix::fs::symlink(folder.path(), &below).unwrap();
        assert!(own_folder(&below).unwrap_err().to_string().contains("link"));
        own_folder(&folder.path().join("a/b")).unwrap();
        // A target that is not a disk file is not replaced.
        write_file(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_the_umask_lets_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [plain, replaced] = ["plain", "replaced"].map(|name| folder.path().join(name));
        fs::write(&plain, "").unwrap();
        replace_file(&replaced, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&replaced), mode(&plain));
    }

    #[test]
    fn leftovers_are_known_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let unfinished = [".unfinished-a1B2c3.tmp", ".tmpa1B2c3"];
        assert!(unfinished.iter().all(|name| is_unfinished(name)));
        assert!([".tmp", "thesis.tmp", ".tmp-a1B2c", "trials.jsonl"].iter().all(|name| !is_unfinished(name)));
        for name in unfinished.iter().chain(&["thesis.tmp"]) {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        remove_unfinished(folder.path());
        assert!(!folder.path().join(unfinished[0]).exists() && folder.path().join("thesis.tmp").exists());
    }
}
