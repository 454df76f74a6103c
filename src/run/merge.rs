//! Joining the shards of one run.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::folder::{FolderError, RunFolder, read_run};
use super::manifest::{FORMAT, Manifest, Model, Shard};
use crate::record::TrialRecord;

/// Shards that do not make one run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// No folder was given.
    #[error("no shard was given; name the run folders of all shards")]
    Nothing,
    /// A folder holds a whole run.
    #[error("{path} is not one of several shards but a whole run; there is nothing to join")]
    Whole {
        /// The folder.
        path: PathBuf,
    },
    /// A folder is not a shard of the same run.
    #[error("{path} is not a shard of the run in {first}: {} differ", differences.join(", "))]
    Foreign {
        /// The first folder.
        first: PathBuf,
        /// The other folder.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
    /// Trials are missing.
    #[error("{missing} of {expected} trials are in none of the folders; finish or add the missing shards")]
    Missing {
        /// How many are missing.
        missing: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A trial is there twice.
    #[error("the trial of {id} in order {order:?} is in {first} and in {second}; name each shard once")]
    Twice {
        /// The item.
        id: String,
        /// The option order.
        order: Vec<usize>,
        /// The folder that has it.
        first: PathBuf,
        /// The folder that has it again.
        second: PathBuf,
    },
}

struct Part {
    path: PathBuf,
    shard: Shard,
    manifest: Manifest,
    records: VecDeque<TrialRecord>,
}

/// Join shards into `out`, after checking that their manifests agree and that every trial is there exactly once.
///
/// The records come out in the order of an unbroken run, byte for byte: shards take turns in the plan's batches, and a
/// batch's lines stand together.
pub fn merge(shards: &[PathBuf], out: &Path) -> Result<Manifest, MergeError> {
    let mut parts = shards.iter().map(|path| read_part(path)).collect::<Result<Vec<_>, _>>()?;
    let Some((first, others)) = parts.split_first() else { return Err(MergeError::Nothing) };
    for other in others {
        let mut differences = first.manifest.differences(&other.manifest);
        if first.shard.of != other.shard.of {
            differences.push("shard".to_string());
        }
        if !differences.is_empty() {
            return Err(MergeError::Foreign { first: first.path.clone(), path: other.path.clone(), differences });
        }
    }
    let manifest = Manifest { format: FORMAT, shard: None, ..first.manifest.clone() };
    check_complete(&parts, manifest.trials)?;

    parts.sort_by_key(|part| part.shard.index);
    let of = parts[0].shard.of;
    let Model::Local(model) = &manifest.model;
    let batches = &model.plan.batches;
    let mut folder = RunFolder::open(out, &manifest)?;
    folder.resume(&[])?;
    let planned: usize = batches.iter().step_by(of).map(|batch| batch.trials.len()).sum();
    let failed = parts[0].records.len().saturating_sub(planned);
    folder.append(&parts[0].records.drain(..failed).collect::<Vec<_>>())?;
    for (number, batch) in batches.iter().enumerate() {
        let records = &mut parts[number % of].records;
        let taken = batch.trials.len().min(records.len());
        folder.append(&records.drain(..taken).collect::<Vec<_>>())?;
    }
    Ok(manifest)
}

fn read_part(path: &Path) -> Result<Part, MergeError> {
    let (manifest, records) = read_run(path)?;
    let shard = manifest.shard.ok_or_else(|| MergeError::Whole { path: path.to_path_buf() })?;
    Ok(Part { path: path.to_path_buf(), shard, manifest, records: records.into() })
}

fn check_complete(parts: &[Part], expected: usize) -> Result<(), MergeError> {
    let mut seen: IndexMap<(&str, Option<&str>, &[usize]), &Path> = IndexMap::new();
    for part in parts {
        for record in &part.records {
            let key = (record.id.as_str(), record.condition.as_deref(), record.order.as_slice());
            if let Some(first) = seen.insert(key, &part.path) {
                return Err(MergeError::Twice {
                    id: record.id.clone(),
                    order: record.order.as_slice().to_vec(),
                    first: first.to_path_buf(),
                    second: part.path.clone(),
                });
            }
        }
    }
    match expected.saturating_sub(seen.len()) {
        0 => Ok(()),
        missing => Err(MergeError::Missing { missing, expected }),
    }
}
