//! An analysis kept in a folder, item by item: a manifest written once, append-only lines, and results computed from
//! them.
//!
//! The same command resumes a killed analysis, and the results are the same bytes as those of an uninterrupted one:
//! they depend on the manifest and the lines alone, which contain no times.

mod error;
mod line;
mod lines;
mod manifest;
mod merge;
mod names;
mod results;
mod single_file;

use std::path::{Path, PathBuf};

pub use manifest::{Asked, FolderManifest, FolderModel};
pub use merge::merge;
pub use results::write_results;
pub use single_file::single_file;

use super::item_reader::ItemReader;
use super::{ExperimentSettings, SelectedItem};
use crate::ledger::{Claimed, FolderError, Ledger, Mixture, Settled, Weight, between, of_line, refused, replace_file};
pub(crate) use line::ItemLine;
use lines::Lines;
use names::ANALYSIS;

/// The folder of an analysis, open for writing. No other process can open it while this value lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: FolderManifest,
    ledger: Ledger,
    /// Number of complete lines.
    done: usize,
    /// Settings of earlier lines where they differ.
    mixed: Vec<Mixture>,
    warnings: Vec<String>,
}

impl Folder {
    /// Whether the folder contains an analysis.
    pub fn is_at(path: &Path) -> bool {
        path.join(ANALYSIS.manifest).is_file()
    }

    /// Starts an analysis in a folder, or resumes the one in it, which must be the same except for differences that
    /// affect only rounding. The folder is locked before its contents are read; a torn last line is cut off.
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

    /// The manifest stored in the folder.
    pub fn manifest(&self) -> &FolderManifest {
        &self.manifest
    }

    /// Number of recorded items.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Number of items in this folder when complete.
    pub fn planned(&self) -> usize {
        self.manifest.numbers().count()
    }

    /// Numbers of the items that are not recorded yet.
    pub fn left(&self) -> impl Iterator<Item = usize> + use<> {
        self.manifest.numbers().skip(self.done)
    }

    /// Settings of earlier lines where they differ.
    pub fn mixed(&self) -> &[Mixture] {
        &self.mixed
    }

    /// Warnings about the folder, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Reads the items that are not recorded yet, one after the other, and records each when it is done. Calls `stops`
    /// before each item and `done` after it. Returns whether all items are recorded.
    pub fn fill(
        &mut self,
        reader: &ItemReader<'_>,
        settings: &ExperimentSettings,
        items: &[SelectedItem],
        stops: impl Fn() -> bool,
        mut done: impl FnMut(),
    ) -> Result<bool, FolderError> {
        let models = [self.manifest.model.record.clone()];
        for number in self.left() {
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

    /// Appends the line of the next item, read elsewhere.
    fn take(&mut self, line: &str) -> Result<(), FolderError> {
        self.done += 1;
        self.ledger.append(&[line.to_string()])
    }
}

/// Differences between an existing analysis and one that would resume it if they affect only rounding; otherwise the
/// conflicting differences as an error.
fn rounding(existing: &FolderManifest, given: &FolderManifest) -> Result<Vec<Mixture>, Vec<String>> {
    let (first, other) = (&existing.model.record.sha256, &given.model.record.sha256);
    let unnamed_products = [existing, given].iter().any(|manifest| manifest.model.machine.has_unnamed_products());
    let mut found = between(existing, given, first == other, unnamed_products);
    let (heavy, light): (Vec<_>, Vec<_>) = found.drain(..).partition(|difference| difference.weight > Weight::Rounding);
    let mut heavy: Vec<String> = heavy.into_iter().map(|difference| difference.mixture.to_string()).collect();
    if existing.shard != given.shard {
        heavy.push("shard".to_string());
    }
    if heavy.is_empty() { Ok(light.into_iter().map(|difference| difference.mixture).collect()) } else { Err(heavy) }
}

/// Counts the complete lines and cuts off anything after the last one.
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

/// Writes a file of the folder atomically.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), FolderError> {
    let path = folder.join(name);
    replace_file(&path, text).map_err(refused(&path, "written"))
}
