//! Folders of a manifest and of lines that only ever grow, of a run or of an analysis: what the manifest says, and who may go on
//! with them.

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
    /// What the folder is of.
    const KIND: &'static FolderKind;

    /// The manifest that a file holds, by the format it names; what is the matter with it otherwise.
    fn parse(text: &str, json: Value) -> Result<Self, String>;

    /// What lines were made with that is not what the manifest says.
    fn mixed(&mut self) -> &mut Vec<Mixture>;

    /// The manifest as it is written, before its checksum.
    fn unsigned(&self) -> Self;

    /// Take over what another manifest of the same work says and no line depends on.
    fn say_again(&mut self, _given: &Self) {}

    /// Whether this version can go on with it.
    fn check_continuable(&self, _folder: &Path) -> Result<(), FolderError> {
        Ok(())
    }
}

/// A folder that no other process can write to while this lives, before its manifest is settled.
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
    /// Lock a folder, making it if needed, and only then look what is in it.
    pub fn claim(path: &Path) -> Result<Self, FolderError> {
        // Nothing is put into a folder of somebody else's.
        read_manifest::<M>(path)?;
        let claim = Claim::take(path, M::KIND)?;
        remove_unfinished(path);
        let (manifest, warnings) = read_manifest::<M>(path)?.unzip();
        if let Some(manifest) = &manifest {
            manifest.check_continuable(path)?;
        }
        Ok(Claimed { path: path.to_path_buf(), claim, manifest, warnings: warnings.unwrap_or_default() })
    }

    /// The manifest of the work that was begun here.
    pub fn manifest(&self) -> Option<&M> {
        self.manifest.as_ref()
    }

    /// How many whole lines there are.
    pub fn count(&self) -> Result<usize, FolderError> {
        self.claim.count()
    }

    /// Settle the manifest: `given` is written where there is none, and is of the same work otherwise, but for what is `mixed`.
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
                // It gets a checksum of its own now, which must not hide that it was changed.
                let [first, other] = ["as written", "changed afterwards"].map(Value::from);
                manifest.mixed().push(Mixture { key: M::KIND.manifest.to_string(), first, other });
            }
            write_manifest(&path, &manifest)?;
        }
        Ok(Settled { ledger: claim.open()?, path, manifest, warnings })
    }
}

/// Put a manifest into a folder, in one step.
pub fn write_manifest<M: Kept>(folder: &Path, manifest: &M) -> Result<(), FolderError> {
    let file = folder.join(M::KIND.manifest);
    let json = serde_json::to_value(manifest.unsigned()).map_err(|error| refused(&file, "written")(error.into()))?;
    replace_file(&file, signed(json)).map_err(refused(&file, "written"))
}

/// The manifest of a folder with what is odd about it; `None` where the folder is absent or holds nothing but what a kill
/// leaves of work that had not begun.
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

/// The manifest of a folder that holds such work.
pub fn present_manifest<M: Kept>(folder: &Path) -> Result<(M, Vec<String>), FolderError> {
    read_manifest(folder)?.ok_or_else(|| FolderError::Absent { path: folder.to_path_buf(), kind: M::KIND })
}
