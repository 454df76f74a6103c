//! Checksums of records and manifests, to detect later changes and damage.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Length of a line's checksum, the first digits of its SHA-256.
const DIGITS: usize = 16;

/// The checksum of a line without its newline.
pub fn of_line(line: &str) -> String {
    let mut sum = hex::encode(Sha256::digest(line));
    sum.truncate(DIGITS);
    sum
}

/// Stored checksums, one per line of the records; empty without a file, as in runs of earlier versions.
#[derive(Debug, Default)]
pub(super) struct Sums {
    lines: Vec<String>,
    /// The same, for lines in another order.
    known: OnceCell<HashSet<String>>,
}

impl Sums {
    pub fn read(file: &Path) -> io::Result<Self> {
        match fs::read(file) {
            // The last line may be incomplete.
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let whole = text.rfind('\n').map_or("", |end| &text[..end]);
                Ok(Sums { lines: whole.lines().map(str::to_string).collect(), known: OnceCell::new() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Sums::default()),
            Err(error) => Err(error),
        }
    }

    /// Whether line `index` is unchanged; true for a line without a checksum.
    pub fn fits(&self, index: usize, line: &str) -> bool {
        self.lines.get(index).is_none_or(|sum| *sum == of_line(line))
    }

    /// Whether a line was written, at any position; true without checksums.
    pub fn hold(&self, line: &str) -> bool {
        let known = || self.lines.iter().cloned().collect();
        self.lines.is_empty() || self.known.get_or_init(known).contains(&of_line(line))
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }
}

/// The manifest key with the checksum of all others.
const MANIFEST_SUM: &str = "sha256";

/// A manifest in its written form, with its checksum.
pub fn signed(mut manifest: Value) -> String {
    let sum = of_manifest(&manifest);
    if let Some(object) = manifest.as_object_mut() {
        object.insert(MANIFEST_SUM.to_string(), Value::from(sum));
    }
    format!("{manifest:#}\n")
}

/// The checksum of a manifest, except its own entry.
fn of_manifest(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    if let Some(object) = manifest.as_object_mut() {
        object.shift_remove(MANIFEST_SUM);
    }
    hex::encode(Sha256::digest(manifest.to_string()))
}

/// Whether a manifest is unchanged; true for one without a checksum.
pub fn fits_manifest(manifest: &Value) -> bool {
    manifest.get(MANIFEST_SUM).is_none_or(|sum| sum.as_str() == Some(of_manifest(manifest).as_str()))
}
