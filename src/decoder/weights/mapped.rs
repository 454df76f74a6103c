//! Mapping parts of weight files into memory.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};

use crate::decoder::DecoderError;

/// A weight file of which parts are mapped for as long as they are being converted.
#[derive(Debug)]
pub(super) struct MappedFile {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl MappedFile {
    pub fn open(path: &Path) -> Result<MappedFile, DecoderError> {
        let failed = |source| DecoderError::Read { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        Ok(MappedFile { path: path.to_path_buf(), file, bytes })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file is not what it promises to be.
    pub fn problem(&self, problem: impl Into<String>) -> DecoderError {
        DecoderError::Format { path: self.path.clone(), problem: problem.into() }
    }

    /// Map `bytes` bytes from `offset`. Dropping the mapping gives its memory back.
    pub fn map(&self, offset: u64, bytes: usize) -> Result<Mmap, DecoderError> {
        let failed = |source| DecoderError::Read { path: self.path.clone(), source };
        if offset.checked_add(bytes as u64).is_none_or(|end| end > self.bytes) {
            let problem = format!("cut short: {bytes} bytes at {offset} are needed, the file has {}", self.bytes);
            return Err(self.problem(problem));
        }
        // SAFETY: the mapping is read-only, lies within the file as checked above, and is dropped as soon as a header
        // is read or the tensors of one product are converted; experts that stay in their files are mapped anew for each use.
        // Another process that truncates a weight file in that moment would end the program; this is the known price of
        // mapping, and weight files are not written to while they are in use.
        #[allow(unsafe_code)]
        unsafe { MmapOptions::new().offset(offset).len(bytes).map(&self.file) }.map_err(failed)
    }
}
