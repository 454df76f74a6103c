//! Copies of runs whose texts may not be shared.

use std::fs;
use std::path::Path;

use super::audit::AUDIT;
use super::folder::{ClaimedFolder, RunFolder, TIMINGS};
use super::manifest::{Manifest, sha256_of};
use super::recorded::Recorded;
use super::records::altered_line;
use super::served_model::SERVER;
use crate::ledger::{FolderError, refused};
use crate::record::TrialRecord;

/// Records written at a time.
const BLOCK: usize = 1000;

/// Copies a finished run into a new folder without the texts of its records, and with hashes instead of question texts
/// given by `--text`.
pub fn copy_without_texts(run: &Recorded, to: &Path) -> Result<RunFolder, FolderError> {
    let mut manifest = Manifest { sha256: None, ..run.manifest.clone() };
    for text in manifest.settings.own.texts.values_mut() {
        *text = format!("sha256:{}", sha256_of(std::iter::once(text.as_str())));
    }
    let mut folder = ClaimedFolder::claim(to)?.open(&manifest, true)?;
    let mut block: Vec<TrialRecord> = Vec::new();
    let read = run.each(|record, _| -> Result<(), FolderError> {
        block.push(record.without_texts());
        if block.len() < BLOCK { Ok(()) } else { folder.append(&std::mem::take(&mut block)) }
    })?;
    folder.append(&block)?;
    folder.sync()?;
    if let Some(&line) = read.altered.first() {
        return Err(altered_line(run.folder(), line));
    }
    if !read.is_finished() {
        let (path, records, planned) = (run.folder().to_path_buf(), read.records, read.planned);
        return Err(FolderError::Unfinished { path, records, planned });
    }
    for name in [TIMINGS, AUDIT, SERVER] {
        let file = run.folder().join(name);
        if file.is_file() {
            fs::copy(&file, to.join(name)).map_err(refused(&file, "copied"))?;
        }
    }
    Ok(folder)
}
