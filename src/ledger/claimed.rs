//! Folders of a run or an analysis, with a manifest and append-only lines: reads and settles the manifest, and locks
//! the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::checksums::{fits_manifest, signed};
use super::error::{FolderError, FolderKind};
use super::files::{remove_unfinished, replace_file};
use super::lines::{Claim, Ledger, check_not_begun, refused};
use super::mixture::Mixture;
use crate::parse_error::in_words;

/// The manifest of such a folder.
pub trait Kept: Clone + PartialEq + Serialize {
    /// Kind of the folder.
    const KIND: &'static FolderKind;

    /// Parses a manifest according to the format it names; an error describes the problem.
    fn parse(text: &str, json: Value) -> Result<Self, String>;

    /// Settings of lines that differ from the manifest.
    fn mixed(&mut self) -> &mut Vec<Mixture>;

    /// The manifest in its written form, without its checksum.
    fn unsigned(&self) -> Self;

    /// Copies values that no line depends on from another manifest of the same work.
    fn say_again(&mut self, _given: &Self) {}

    /// Checks that this version can continue it.
    fn check_continuable(&self, _folder: &Path) -> Result<(), FolderError> {
        Ok(())
    }
}

/// A folder locked against other writers while this value lives, before its manifest is settled.
#[derive(Debug)]
pub struct Claimed<M> {
    pub path: PathBuf,
    claim: Claim,
    manifest: Option<M>,
    warnings: Vec<String>,
}

/// A folder open for writing, with its manifest settled.
#[derive(Debug)]
pub struct Settled<M> {
    pub path: PathBuf,
    pub ledger: Ledger,
    pub manifest: M,
    pub warnings: Vec<String>,
}

impl<M: Kept> Claimed<M> {
    /// Locks a folder, creating it if needed, and reads its manifest afterwards.
    pub fn claim(path: &Path) -> Result<Self, FolderError> {
        // Never write into a foreign folder.
        read_manifest::<M>(path)?;
        let claim = Claim::take(path, M::KIND)?;
        remove_unfinished(path);
        let (manifest, warnings) = read_manifest::<M>(path)?.unzip();
        if let Some(manifest) = &manifest {
            manifest.check_continuable(path)?;
        }
        Ok(Claimed { path: path.to_path_buf(), claim, manifest, warnings: warnings.unwrap_or_default() })
    }

    /// The manifest of the work begun here.
    pub fn manifest(&self) -> Option<&M> {
        self.manifest.as_ref()
    }

    /// Number of complete lines.
    pub fn count(&self) -> Result<usize, FolderError> {
        self.claim.count()
    }

    /// Settles the manifest: writes `given` if there is none; otherwise `given` describes the same work, except for
    /// `mixed`.
    pub fn settle(self, given: &M, mixed: &[Mixture]) -> Result<Settled<M>, FolderError> {
        let Claimed { path, claim, manifest: existing, warnings } = self;
        let mut manifest = existing.clone().unwrap_or_else(|| given.clone());
        manifest.say_again(given);
        for mixture in mixed {
            if !manifest.mixed().contains(mixture) {
                manifest.mixed().push(mixture.clone());
            }
        }
        if existing.as_ref() != Some(&manifest) {
            if !warnings.is_empty() {
                // The new checksum must not hide that the manifest was changed.
                let [first, other] = ["as written", "changed afterwards"].map(Value::from);
                manifest.mixed().push(Mixture { key: M::KIND.manifest.to_string(), first, other });
            }
            write_manifest(&path, &manifest)?;
        }
        Ok(Settled { ledger: claim.open()?, path, manifest, warnings })
    }
}

/// Writes a manifest into a folder, atomically.
pub fn write_manifest<M: Kept>(folder: &Path, manifest: &M) -> Result<(), FolderError> {
    let file = folder.join(M::KIND.manifest);
    let json = serde_json::to_value(manifest.unsigned()).map_err(|error| refused(&file, "written")(error.into()))?;
    replace_file(&file, signed(json)).map_err(refused(&file, "written"))
}

/// The manifest of a folder, with warnings about it; `None` if the folder is absent or contains only files left by
/// killed work that had not begun.
pub fn read_manifest<M: Kept>(folder: &Path) -> Result<Option<(M, Vec<String>)>, FolderError> {
    let file = folder.join(M::KIND.manifest);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            return check_not_begun(folder, M::KIND).map(|()| None);
        }
        Err(source) => return Err(refused(&file, "read")(source)),
    };
    let bad = |message: String| FolderError::BadManifest { path: file.clone(), message };
    let json: Value = serde_json::from_str(&text).map_err(|error| bad(in_words(error)))?;
    let changed = (!fits_manifest(&json)).then(|| {
        format!(
            "{} was changed after it was written (checksum mismatch): its record of this {} may be wrong; restore it \
             if you did not change it",
            file.display(),
            M::KIND.work
        )
    });
    Ok(Some((M::parse(&text, json).map_err(bad)?, changed.into_iter().collect())))
}

/// The manifest of a folder that must contain such work.
pub fn present_manifest<M: Kept>(folder: &Path) -> Result<(M, Vec<String>), FolderError> {
    read_manifest(folder)?.ok_or_else(|| FolderError::Absent { path: folder.to_path_buf(), kind: M::KIND })
}
