//! Append-only lines of a folder, locked by their writer, with a checksum of each line in a separate file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::checksums::{Sums, of_line};
use super::error::{FolderError, FolderKind};
use super::files::{is_unfinished, replace_file, sync_folder};

/// Number of attempts to lock a file that is removed concurrently.
const LOCK_TURNS: usize = 10;

/// Turns an I/O error into one with the file and the attempted action.
pub fn refused(path: &Path, action: &'static str) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Io { path: path.clone(), action, source }
}

/// Refuses a folder without a manifest that contains anything except files left by killed work that had not begun.
pub(super) fn check_not_begun(folder: &Path, kind: &'static FolderKind) -> Result<(), FolderError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(refused(folder, "listed")(source)),
    };
    let (path, mut foreign) = (folder.to_path_buf(), false);
    for entry in entries {
        let entry = entry.map_err(refused(folder, "listed"))?;
        let empty = entry.metadata().is_ok_and(|data| data.is_file() && data.len() == 0);
        match &*entry.file_name().to_string_lossy() {
            name if (name == kind.lines || name == kind.sums) && empty => {}
            name if name == kind.lines => return Err(FolderError::NoManifest { path, kind }),
            name if is_unfinished(name) => {}
            _ => foreign = true,
        }
    }
    if foreign { Err(FolderError::Foreign { path, kind }) } else { Ok(()) }
}

/// A folder locked against other writers while this value lives, before its manifest is settled.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    kind: &'static FolderKind,
    /// The locked lines; taken when the folder is opened.
    lines: Option<File>,
    /// Whether the folder was created.
    made: bool,
}

impl Claim {
    /// Locks a folder, creating it if needed.
    pub fn take(folder: &Path, kind: &'static FolderKind) -> Result<Self, FolderError> {
        let made = !folder.exists();
        let lines = lock(folder, kind.lines)?;
        Ok(Claim { folder: folder.to_path_buf(), kind, lines: Some(lines), made })
    }

    /// Number of complete lines.
    pub fn count(&self) -> Result<usize, FolderError> {
        let Some(lines) = &self.lines else { return Ok(0) };
        count_lines(lines).map_err(refused(&self.folder.join(self.kind.lines), "read"))
    }

    /// Opens the lines and their checksums, after the manifest was written.
    pub fn open(mut self) -> Result<Ledger, FolderError> {
        let path = self.folder.join(self.kind.sums);
        let mut options = OpenOptions::new();
        let sums = options.write(true).create(true).truncate(false).open(&path).map_err(refused(&path, "opened"))?;
        sync_folder(&self.folder).map_err(refused(&self.folder, "written"))?;
        let in_use = || FolderError::InUse { path: self.folder.clone() };
        let lines = self.lines.take().ok_or_else(in_use)?;
        Ok(Ledger { folder: self.folder.clone(), kind: self.kind, lines, sums })
    }
}

impl Drop for Claim {
    /// Removes the traces of work that could not begin.
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(lines) = &self.lines
            && lines.metadata().is_ok_and(|data| data.len() == 0)
            && !self.folder.join(self.kind.manifest).exists()
        {
            // Processes that wait for the lock check whether the file still exists.
            let removed = fs::remove_file(self.folder.join(self.kind.lines));
            if removed.is_ok() && self.made {
                let _ = fs::remove_dir(&self.folder);
            }
        }
    }
}

/// The lines of a folder, open for writing. No other process can open them while this value lives.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    kind: &'static FolderKind,
    lines: File,
    /// Checksums of the lines kept or written.
    sums: File,
}

impl Ledger {
    fn path(&self) -> PathBuf {
        self.folder.join(self.kind.lines)
    }

    /// The file of lines, rewound to its beginning.
    pub fn rewound(&mut self) -> Result<&File, FolderError> {
        self.lines.seek(SeekFrom::Start(0)).map_err(refused(&self.path(), "read"))?;
        Ok(&self.lines)
    }

    /// Truncates the lines to the first `end` bytes, with their checksums.
    pub fn cut(&mut self, end: u64, sums: &[String]) -> Result<(), FolderError> {
        let (lines, sums_file) = (self.path(), self.folder.join(self.kind.sums));
        self.lines.set_len(end).map_err(refused(&lines, "cut"))?;
        self.lines.seek(SeekFrom::Start(end)).map_err(refused(&lines, "written"))?;
        let write_sums = |file: &mut File| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(joined(sums).as_bytes())
        };
        write_sums(&mut self.sums).map_err(refused(&sums_file, "written"))
    }

    /// Appends lines, given without newlines.
    pub fn append(&mut self, lines: &[String]) -> Result<(), FolderError> {
        let sums: Vec<String> = lines.iter().map(|line| of_line(line)).collect();
        let written = self.lines.write_all(joined(lines).as_bytes());
        written.map_err(refused(&self.path(), "written"))?;
        let written = self.sums.write_all(joined(&sums).as_bytes());
        written.map_err(refused(&self.folder.join(self.kind.sums), "written"))
    }

    /// Syncs appended lines to disk.
    pub fn sync(&mut self) -> Result<(), FolderError> {
        self.lines.sync_data().map_err(refused(&self.path(), "written"))
    }

    /// Rewrites all lines. A kill leaves the old or the new ones, possibly with the checksums of the old ones.
    pub fn replace(&mut self, lines: &[String]) -> Result<(), FolderError> {
        let sums: Vec<String> = lines.iter().map(|line| of_line(line)).collect();
        let (path, sums_path) = (self.path(), self.folder.join(self.kind.sums));
        replace_file(&path, joined(lines)).map_err(refused(&path, "written"))?;
        // The lock is on the previous file.
        self.lines = lock(&self.folder, self.kind.lines)?;
        replace_file(&sums_path, joined(&sums)).map_err(refused(&sums_path, "written"))?;
        let opened = OpenOptions::new().append(true).open(&sums_path);
        self.sums = opened.map_err(refused(&sums_path, "opened"))?;
        Ok(())
    }
}

/// A read-only file of lines; empty if there is no file.
pub fn lines_of(file: &Path) -> Result<Box<dyn Read>, FolderError> {
    match File::open(file) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Box::new(io::empty())),
        Err(source) => Err(refused(file, "read")(source)),
    }
}

/// Reads lines one by one.
pub struct LedgerLines<R> {
    reader: BufReader<R>,
    sums: Sums,
    /// Whether checksums may be in another order than their lines.
    any_order: bool,
    line: usize,
    bytes: Vec<u8>,
}

impl<R: Read> LedgerLines<R> {
    /// The lines of `reader`, with the checksums stored in the folder.
    pub fn new(folder: &Path, kind: &'static FolderKind, reader: R) -> Result<Self, FolderError> {
        let path = folder.join(kind.sums);
        let sums = Sums::read(&path).map_err(refused(&path, "read"))?;
        Ok(LedgerLines { reader: BufReader::new(reader), sums, any_order: false, line: 0, bytes: Vec::new() })
    }

    /// Accepts checksums in any order.
    pub fn sums_in_any_order(&mut self) {
        self.any_order = true;
    }

    /// Lines read so far.
    pub fn read(&self) -> usize {
        self.line
    }

    /// Number of lines originally written, as far as known.
    pub fn written(&self) -> usize {
        self.sums.len()
    }

    /// The last line read, without its newline.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the next line and returns its length with the newline; `None` after the last complete line.
    pub fn next_line(&mut self) -> io::Result<Option<u64>> {
        self.bytes.clear();
        let read = self.reader.read_until(b'\n', &mut self.bytes)?;
        if self.bytes.pop() != Some(b'\n') {
            return Ok(None);
        }
        self.line += 1;
        Ok(Some(read as u64))
    }

    /// Whether the last line read is unchanged, as far as checksums show.
    pub fn as_written(&self) -> bool {
        let text = std::str::from_utf8(&self.bytes).unwrap_or_default();
        match self.any_order {
            // A kill after appending lines leaves the last ones without checksums.
            true => self.line > self.sums.len() || self.sums.hold(text),
            false => self.sums.fits(self.line - 1, text),
        }
    }
}

/// Creates a folder if needed and locks its lines.
fn lock(folder: &Path, name: &str) -> Result<File, FolderError> {
    let file = folder.join(name);
    for _ in 0..LOCK_TURNS {
        fs::create_dir_all(folder).map_err(refused(folder, "made"))?;
        let lines = match OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&file) {
            // Work that could not begin has removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(refused(&file, "opened"))?,
        };
        match lines.try_lock() {
            Err(fs::TryLockError::WouldBlock) => break,
            // Some network file systems do not support locks.
            Ok(()) | Err(fs::TryLockError::Error(_)) => {}
        }
        if is_at(&lines, &file) {
            return Ok(lines);
        }
    }
    Err(FolderError::InUse { path: folder.to_path_buf() })
}

/// Whether an open file is still the one at this path, and was not removed.
fn is_at(open: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |data: fs::Metadata| (data.dev(), data.ino());
        open.metadata().map(identity).ok() == fs::metadata(path).map(identity).ok()
    }
    #[cfg(not(unix))]
    {
        let _ = (open, path);
        true
    }
}

fn count_lines(mut file: &File) -> io::Result<usize> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut lines = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(lines);
        }
        lines += buffer.iter().filter(|&&byte| byte == b'\n').count();
        let read = buffer.len();
        reader.consume(read);
    }
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_a_checksum_are_taken_and_others_must_have_theirs() {
        let kind = &FolderKind {
            manifest: "manifest",
            lines: "lines",
            sums: "sums",
            work: "run",
            folder: "run",
            command: "run",
        };
        let folder = tempfile::tempdir().unwrap();
        let sums: Vec<String> = ["a", "b"].map(of_line).into();
        fs::write(folder.path().join("sums"), joined(&sums)).unwrap();
        let as_written = |text: &str, any_order: bool| {
            let mut lines = LedgerLines::new(folder.path(), kind, text.as_bytes()).unwrap();
            lines.any_order = any_order;
            let mut found = Vec::new();
            while lines.next_line().unwrap().is_some() {
                found.push(lines.as_written());
            }
            found
        };
        assert_eq!(as_written("a\nb\nc\n", false), [true, true, true]);
        assert_eq!(as_written("b\na\nc\n", false), [false, false, true]);
        assert_eq!(as_written("b\na\nc\n", true), [true, true, true]);
        assert_eq!(as_written("b\nx\nc\n", true), [true, false, true]);
    }
}
