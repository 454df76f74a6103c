//! Joining the shards of one run.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::difference::{Weight, differences};
use super::folder::{ClaimedFolder, RunFolder};
use super::folder_error::FolderError;
use super::manifest::{FORMAT, Manifest, Model, Shard};
use super::mixture::Mixture;
use super::recorded::{RecordedRun, RecordedTrials, read_run};
use super::records::altered_line;
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
    Whole { path: PathBuf },
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
    /// Shards were made with what moves numbers by more than rounding.
    #[error(
        "{path} was made with another {} than {first}; its numbers would not compare: pass --allow-mixed to join them all the \
         same, which the manifest then says",
        differences.join(", ")
    )]
    Mixed {
        /// The first folder.
        first: PathBuf,
        /// The other folder.
        path: PathBuf,
        /// What differs, and how.
        differences: Vec<String>,
    },
    /// A shard was not named, or is named twice.
    #[error("{what}; name each shard once")]
    Parts { what: String },
    /// A shard was stopped between its last reply and the order of all.
    #[error("{path} holds all its replies, but not in the plan's order yet; run its command again to finish it")]
    Unordered { path: PathBuf },
    /// Trials are missing.
    #[error(
        "{missing} of {expected} trials are in none of the folders ({unfinished}); finish or add the missing shards"
    )]
    Missing {
        /// How many are missing.
        missing: usize,
        /// How many there should be.
        expected: usize,
        /// Where they should be, in words.
        unfinished: String,
    },
}

struct Part {
    path: PathBuf,
    shard: Shard,
    run: RecordedRun,
}

/// Join shards into `out`, after checking that their manifests agree and that every trial is there exactly once. Shards
/// whose numbers do not compare are joined where `allow_mixed` is set. The manifest says what was mixed.
///
/// The records come out in the order of an unbroken run, byte for byte: shards take turns in the plan's batches, and a
/// batch's lines stand together.
pub fn merge(shards: &[PathBuf], out: &Path, allow_mixed: bool) -> Result<RunFolder, MergeError> {
    let mut parts = shards.iter().map(|path| read_part(path)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = parts.first() else { return Err(MergeError::Nothing) };
    let mut manifest = Manifest { format: FORMAT, shard: None, ..first.run.manifest.clone() };
    for other in &parts[1..] {
        for mixture in compare(first, other, allow_mixed)?.into_iter().chain(other.run.manifest.mixed.clone()) {
            if !manifest.mixed.contains(&mixture) {
                manifest.mixed.push(mixture);
            }
        }
    }
    for other in &parts[1..] {
        if let (Model::Local(all), Some(more)) = (&mut manifest.model, other.run.manifest.model.local()) {
            all.cuts += more.cuts;
        }
    }
    parts.sort_by_key(|part| part.shard.index);
    check_complete(&parts)?;
    let warnings: Vec<String> = parts.iter().flat_map(|part| part.run.read.warnings.clone()).collect();
    let joined = join(parts, &manifest);
    let mut trials = RecordedTrials::default();
    joined.iter().for_each(|record| trials.add(record));
    trials.check(out, &manifest)?;

    let mut folder = ClaimedFolder::claim(out)?.open(&manifest, allow_mixed)?;
    folder.add_warnings(warnings);
    folder.clear()?;
    folder.append(&joined)?;
    folder.sync()?;
    Ok(folder)
}

fn read_part(path: &Path) -> Result<Part, MergeError> {
    let run = read_run(path)?;
    if let Some(&line) = run.read.altered.first() {
        return Err(altered_line(path, line).into());
    }
    let shard = run.manifest.shard.ok_or_else(|| MergeError::Whole { path: path.to_path_buf() })?;
    Ok(Part { path: path.to_path_buf(), shard, run })
}

/// In what two shards differ, where they can be joined all the same.
fn compare(first: &Part, other: &Part, allow_mixed: bool) -> Result<Vec<Mixture>, MergeError> {
    let differences = differences(&first.run.manifest, &other.run.manifest);
    let at_least = |weight: Weight| {
        let heavy = differences.iter().filter(move |difference| difference.weight >= weight);
        heavy.map(|difference| difference.mixture.to_string()).collect::<Vec<_>>()
    };
    let (mut work, numbers) = (at_least(Weight::Work), at_least(Weight::Numbers));
    if first.shard.of != other.shard.of {
        work.push("shard".to_string());
    }
    let (first, path) = (first.path.clone(), other.path.clone());
    if !work.is_empty() {
        return Err(MergeError::Foreign { first, path, differences: work });
    }
    match numbers.is_empty() || allow_mixed {
        true => Ok(differences.into_iter().map(|difference| difference.mixture).collect()),
        false => Err(MergeError::Mixed { first, path, differences: numbers }),
    }
}

/// Whether each shard, in their order, is there once and finished.
fn check_complete(parts: &[Part]) -> Result<(), MergeError> {
    let of = parts[0].shard.of;
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].shard.index == pair[1].shard.index) {
        let [one, other] = [&pair[0].path, &pair[1].path].map(|path| path.display());
        let what = format!("shard {}/{of} is in {one} and in {other}", pair[0].shard.index);
        return Err(MergeError::Parts { what });
    }
    if let Some(part) =
        parts.iter().find(|part| part.run.read.records == part.run.read.planned && !part.run.read.ordered)
    {
        return Err(MergeError::Unordered { path: part.path.clone() });
    }
    let expected = parts[0].run.manifest.trials;
    let found: usize = parts.iter().map(|part| part.run.records.len()).sum();
    let unfinished = parts.iter().filter(|part| !part.run.read.is_finished()).map(|part| {
        let (done, planned) = (part.run.records.len(), part.run.read.planned);
        format!("{} has {done} of {planned}", part.path.display())
    });
    // Of many shards that were not named the first ones are example enough.
    let absent = (1..=of).filter(|index| parts.iter().all(|part| part.shard.index != *index)).take(10);
    let unfinished: Vec<String> =
        unfinished.chain(absent.map(|index| format!("shard {index}/{of} is not named"))).collect();
    match unfinished.is_empty() {
        true => Ok(()),
        false => Err(MergeError::Missing {
            missing: expected.saturating_sub(found),
            expected,
            unfinished: unfinished.join(", "),
        }),
    }
}

/// The records of all shards in the order of the plan.
fn join(parts: Vec<Part>, manifest: &Manifest) -> Vec<TrialRecord> {
    let batches = manifest.model.batches();
    let mut records: Vec<VecDeque<TrialRecord>> = parts.into_iter().map(|part| part.run.records.into()).collect();
    let of = records.len();
    let planned: usize = batches.iter().step_by(of).map(|batch| batch.len()).sum();
    // What could not be asked stands first, in the first shard.
    let refused = records[0].len().saturating_sub(planned);
    let mut joined: Vec<TrialRecord> = records[0].drain(..refused).collect();
    for (number, batch) in batches.iter().enumerate() {
        let of_shard = &mut records[number % of];
        let taken = batch.len().min(of_shard.len());
        joined.extend(of_shard.drain(..taken));
    }
    joined
}
