//! Reads whole files with a size limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use crate::json;

/// Maximum bytes of a settings file; known ones have up to a million.
pub(super) const SETTINGS: u64 = 16 << 20;
/// Maximum bytes of a vocabulary; known ones have up to 40 million.
pub(super) const VOCABULARY: u64 = 256 << 20;

/// The values of a settings file.
///
/// # Errors
/// Invalid JSON, or values that take more memory than a genuine file needs.
pub(super) fn settings(text: &[u8]) -> serde_json::Result<Value> {
    json::within(text, json::MOST_VALUES)
}

/// A file's content.
///
/// # Errors
/// Unreadable, or more than `most` bytes.
pub(super) fn read_small(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it is larger than {} MB, the limit for this file", most >> 20))),
        false => Ok(bytes),
    }
}
