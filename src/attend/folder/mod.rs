//! An analysis kept in a folder, item by item: a manifest written once, lines that only ever grow, and results made of them.
//!
//! What a kill leaves is gone on with by the same command, and the results are the same bytes as those of an unbroken analysis:
//! they are made of manifest and lines alone, which hold no time.

mod error;
mod line;
mod lines;
mod manifest;
mod merge;
mod names;
mod results;

use std::path::{Path, PathBuf};

pub use manifest::{Asked, FolderManifest, FolderModel};
pub use merge::merge;
pub use results::write_results;

use super::item_reader::ItemReader;
use super::{ExperimentSettings, SelectedItem};
use crate::ledger::{Claimed, FolderError, Ledger, Mixture, Settled, Weight, between, of_line, refused, replace_file};
pub(crate) use line::ItemLine;
use lines::Lines;
use names::ANALYSIS;

/// A folder of an analysis, open for writing. No other process can open it while this lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: FolderManifest,
    ledger: Ledger,
    /// Lines that are there whole.
    done: usize,
    /// With what earlier lines were made, where these are not.
    mixed: Vec<Mixture>,
    warnings: Vec<String>,
}

impl Folder {
    /// Whether an analysis was begun in this folder.
    pub fn is_at(path: &Path) -> bool {
        path.join(ANALYSIS.manifest).is_file()
    }

    /// Begin an analysis in a folder, or go on with the one that was begun there, which must be the same but for what moves
    /// numbers by rounding alone. The folder is locked before anything in it is looked at; a torn last line is cut off.
    pub fn begin(path: &Path, manifest: &FolderManifest) -> Result<Self, FolderError> {
        let claimed = Claimed::<FolderManifest>::claim(path)?;
        let mixed = match claimed.manifest() {
            Some(existing) => rounding(existing, manifest).map_err(|differences| FolderError::Other {
                path: path.to_path_buf(),
                kind: &ANALYSIS,
                differences,
            })?,
            None => Vec::new(),
        };
        let Settled { path, mut ledger, manifest, mut warnings } = claimed.settle(manifest, &mixed)?;
        let done = resume(&mut ledger, &path, &manifest, &mut warnings)?;
        Ok(Folder { path, manifest, ledger, done, mixed, warnings })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The manifest, as it stands in the folder.
    pub fn manifest(&self) -> &FolderManifest {
        &self.manifest
    }

    /// How many items are recorded.
    pub fn done(&self) -> usize {
        self.done
    }

    /// How many items are recorded when all of this folder's work is done.
    pub fn planned(&self) -> usize {
        self.manifest.numbers().count()
    }

    /// With what earlier lines were made, where these are not.
    pub fn mixed(&self) -> &[Mixture] {
        &self.mixed
    }

    /// What is odd about the folder and does not forbid going on, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Read the items that are not recorded yet, one after the other, and record each when it is done. `stops` is asked before
    /// each item, `done` called after it. Whether all are recorded then.
    pub fn fill(
        &mut self,
        reader: &ItemReader<'_>,
        settings: &ExperimentSettings,
        items: &[SelectedItem],
        stops: impl Fn() -> bool,
        mut done: impl FnMut(),
    ) -> Result<bool, FolderError> {
        let models = [self.manifest.model.record.clone()];
        for number in self.manifest.numbers().skip(self.done).collect::<Vec<_>>() {
            if stops() {
                return Ok(false);
            }
            let Some(chosen) = items.get(number) else { break };
            let line = ItemLine::new(number, chosen, reader.read(chosen, || ()), settings, &models);
            self.ledger.append(&[line.to_text()])?;
            self.ledger.sync()?;
            self.done += 1;
            done();
        }
        Ok(true)
    }

    /// Take over the line of the next item, which was read elsewhere.
    fn take(&mut self, line: &str) -> Result<(), FolderError> {
        self.done += 1;
        self.ledger.append(&[line.to_string()])
    }
}

/// In what an analysis that was begun differs from one that would go on with it, where numbers differ by rounding alone; else
/// what differs.
fn rounding(existing: &FolderManifest, given: &FolderManifest) -> Result<Vec<Mixture>, Vec<String>> {
    let (first, other) = (&existing.model.record.sha256, &given.model.record.sha256);
    let quantized = [existing, given].iter().any(|manifest| manifest.is_quantised());
    let mut found = between(existing, given, first == other, quantized);
    let (heavy, light): (Vec<_>, Vec<_>) = found.drain(..).partition(|difference| difference.weight > Weight::Rounding);
    let mut heavy: Vec<String> = heavy.into_iter().map(|difference| difference.mixture.to_string()).collect();
    if existing.shard != given.shard {
        heavy.push("shard".to_string());
    }
    if heavy.is_empty() { Ok(light.into_iter().map(|difference| difference.mixture).collect()) } else { Err(heavy) }
}

/// How many lines are there whole. What stands after the last one is cut off.
fn resume(
    ledger: &mut Ledger,
    path: &Path,
    manifest: &FolderManifest,
    warnings: &mut Vec<String>,
) -> Result<usize, FolderError> {
    let (mut end, mut sums) = (0, Vec::new());
    let mut lines = Lines::new(path, manifest, ledger.rewound()?)?;
    while let Some(length) = lines.next_known()? {
        end += length;
        sums.push(of_line(lines.text()));
    }
    let lost = lines.written().saturating_sub(sums.len());
    drop(lines);
    if lost > 0 {
        let file = path.join(ANALYSIS.lines);
        warnings.push(format!("{}: {lost} written items were lost; reading them again", file.display()));
    }
    ledger.cut(end, &sums)?;
    Ok(sums.len())
}

/// Write a file of the folder in one step.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), FolderError> {
    let path = folder.join(name);
    replace_file(&path, text).map_err(refused(&path, "written"))
}
