//! Weight files, read in parts on demand.
//!
//! Nothing is mapped: every number is converted anyway, and if another process truncates a file, reading it returns an
//! error, whereas accessing a mapping would kill the program.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::decoder::DecoderError;

/// An opened weight file.
#[derive(Debug)]
pub(super) struct WeightFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

/// A part of a weight file, within the file's size when it was opened.
#[derive(Debug, Clone)]
pub struct FileRange {
    file: Arc<WeightFile>,
    offset: u64,
    bytes: usize,
}

impl WeightFile {
    pub fn open(path: &Path) -> Result<Arc<WeightFile>, DecoderError> {
        let failed = |source| DecoderError::Read { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(Arc::new(WeightFile { path: path.to_path_buf(), file, bytes }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes when it was opened.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A reader of the file from its first byte.
    pub fn reader(&self) -> impl io::Read + '_ {
        &self.file
    }

    /// Reports that the file is not valid.
    pub fn problem(&self, problem: impl Into<String>) -> DecoderError {
        DecoderError::Format { path: self.path.clone(), problem: problem.into() }
    }

    /// The `bytes` bytes from `offset`; nothing is read yet.
    pub fn part(self: &Arc<Self>, offset: u64, bytes: usize) -> Result<FileRange, DecoderError> {
        if offset.checked_add(bytes as u64).is_none_or(|end| end > self.bytes) {
            let problem = format!("cut short: {bytes} bytes at {offset} are needed, but the file has {}", self.bytes);
            return Err(self.problem(problem));
        }
        Ok(FileRange { file: self.clone(), offset, bytes })
    }
}

impl FileRange {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Reads its bytes from `at` on, as many as `to` holds; the range must lie within the part.
    pub fn read(&self, at: usize, to: &mut [u8]) -> Result<(), DecoderError> {
        debug_assert!(at + to.len() <= self.bytes, "read beyond the part");
        read_at(&self.file.file, to, self.offset + at as u64).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self
                .file
                .problem(format!("cut short while being read; it had {} bytes when it was opened", self.file.bytes)),
            _ => DecoderError::Read { path: self.file.path.clone(), source: error },
        })
    }

    /// All its bytes.
    pub fn to_vec(&self) -> Result<Vec<u8>, DecoderError> {
        let mut bytes = vec![0; self.bytes];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, to: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut to: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !to.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, to, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                to = &mut to[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_after_it_was_opened_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        std::fs::write(&path, (0..100u8).cycle().take(10_000).collect::<Vec<_>>()).unwrap();
        let file = WeightFile::open(&path).unwrap();
        assert!(file.part(9_999, 2).is_err() && file.part(u64::MAX, 2).is_err());
        let part = file.part(5_000, 5_000).unwrap();
        let mut bytes = [0; 3];
        part.read(4_997, &mut bytes).unwrap();
        assert_eq!(bytes, [97, 98, 99]);
        File::options().write(true).open(&path).unwrap().set_len(9_998).unwrap();
        let error = part.read(4_997, &mut bytes).unwrap_err().to_string();
        assert!(error.contains("cut short while being read; it had 10000 bytes"), "{error}");
        assert!(part.to_vec().is_err());
    }
}
