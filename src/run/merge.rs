//! Joins the shards of one run.

use super::manifest::{FORMAT, Manifest, Model, Shard, differences};
use crate::ledger::{FolderError, Mixture, Weight};
use std::path::{Path, PathBuf};

use super::folder::{ClaimedFolder, RunFolder};
use super::recorded::{Place, ReadToEnd, Recorded, RecordsAgain, check_trials, trial_text};
use super::records::altered_line;
use crate::trial::copy_kept;

/// Shards that do not form one run.
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
    #[error("{path} is a whole run, not a shard; nothing to join")]
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
    /// Shards differ in settings that change numbers by more than rounding.
    #[error(
        "{path} was made with another {} than {first}; numbers are not comparable: pass --allow-mixed to join them \
         anyway, which the manifest records",
        differences.join(", ")
    )]
    Mixed {
        /// The first folder.
        first: PathBuf,
        /// The other folder.
        path: PathBuf,
        /// Differences with their values.
        differences: Vec<String>,
    },
    /// A shard is missing or named twice.
    #[error("{what}")]
    Parts { what: String },
    /// A shard was stopped between its last reply and putting all in order.
    #[error("{path} contains all its replies, but not in the plan's order yet; run its command again to finish it")]
    Unordered { path: PathBuf },
    /// Trials are missing.
    #[error(
        "{missing} of {expected} trials are missing from the folders ({unfinished}); finish or add the missing shards"
    )]
    Missing {
        /// Number of missing trials.
        missing: usize,
        /// Number of expected trials.
        expected: usize,
        /// Incomplete shards, in words.
        unfinished: String,
    },
}

/// A shard whose records were checked; they are read again one by one.
struct ReadShard {
    path: PathBuf,
    shard: Shard,
    run: Recorded,
    read: ReadToEnd,
    /// Hashed trial text of each record, and its place.
    trials: Vec<(String, Place)>,
}

/// Joins shards into `out`, after checking that their manifests agree and that every trial is present exactly once.
/// `allow_mixed` permits shards with numbers that are not comparable. The manifest records the differences.
///
/// The records have the order of an uninterrupted run, byte for byte: shards alternate by the plan's batches, and a
/// batch's lines stay together.
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
    let warnings: Vec<String> = parts.iter().flat_map(|part| part.read.warnings.clone()).collect();
    let batches = joined(&parts, &manifest);
    let trials = batches.iter().flatten().map(|&(part, at)| parts[part].trials[at].0.as_str());
    check_trials(trials, out, &manifest)?;

    let mut folder = ClaimedFolder::claim(out)?.open(&manifest, allow_mixed)?;
    folder.add_warnings(warnings);
    folder.clear()?;
    let mut again: Vec<RecordsAgain> = parts.iter().map(|part| part.run.again()).collect();
    for batch in &batches {
        let read = |&(part, at): &(usize, usize)| {
            let (trial, place) = &parts[part].trials[at];
            again[part].read_trial(*place, trial)
        };
        folder.append(&batch.iter().map(read).collect::<Result<Vec<_>, _>>()?)?;
    }
    folder.sync()?;
    copy_kept(&parts[0].path, out)?;
    Ok(folder)
}

fn read_part(path: &Path) -> Result<ReadShard, MergeError> {
    let run = Recorded::open(path)?;
    let mut trials = Vec::new();
    let read = run.each(|record, place| -> Result<(), FolderError> {
        trials.push((trial_text(&record), place));
        Ok(())
    })?;
    if let Some(&line) = read.altered.first() {
        return Err(altered_line(path, line).into());
    }
    let shard = run.manifest.shard.ok_or_else(|| MergeError::Whole { path: path.to_path_buf() })?;
    Ok(ReadShard { path: path.to_path_buf(), shard, run, read, trials })
}

/// Returns the differences between two shards, if they can be joined despite them.
fn compare(first: &ReadShard, other: &ReadShard, allow_mixed: bool) -> Result<Vec<Mixture>, MergeError> {
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

/// Returns the shards missing from these, which are sorted; an error if one appears twice. Lists only the first of
/// many.
pub(crate) fn absent_shards(parts: &[(&Path, Shard)]) -> Result<Vec<String>, String> {
    let of = parts.first().map_or(0, |(_, shard)| shard.of);
    if let Some(twice) = parts.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        let [one, other] = [twice[0], twice[1]].map(|(path, _)| path.display());
        return Err(format!("shard {}/{of} is in {one} and in {other}; name each shard once", twice[0].1.index));
    }
    let absent = (1..=of).filter(|index| parts.iter().all(|(_, shard)| shard.index != *index));
    Ok(absent.take(10).map(|index| format!("{index}/{of}")).collect())
}

/// Checks that each shard, in order, is present once and finished.
fn check_complete(parts: &[ReadShard]) -> Result<(), MergeError> {
    let shards: Vec<(&Path, Shard)> = parts.iter().map(|part| (part.path.as_path(), part.shard)).collect();
    let absent = absent_shards(&shards).map_err(|what| MergeError::Parts { what })?;
    if let Some(part) = parts.iter().find(|part| part.read.records == part.read.planned && !part.read.ordered) {
        return Err(MergeError::Unordered { path: part.path.clone() });
    }
    let expected = parts[0].run.manifest.trials;
    let found: usize = parts.iter().map(|part| part.read.records).sum();
    let unfinished = parts.iter().filter(|part| !part.read.is_finished()).map(|part| {
        let (done, planned) = (part.read.records, part.read.planned);
        format!("{} has {done} of {planned}", part.path.display())
    });
    let absent = absent.into_iter().map(|shard| format!("shard {shard} is not named"));
    let unfinished: Vec<String> = unfinished.chain(absent).collect();
    // A part without trials need not be there.
    let are_all_here = found == expected && parts.iter().all(|part| part.read.is_finished());
    match unfinished.is_empty() || are_all_here {
        true => Ok(()),
        false => Err(MergeError::Missing {
            missing: expected.saturating_sub(found),
            expected,
            unfinished: unfinished.join(", "),
        }),
    }
}

/// Returns the records of all shards in the order of the plan, batch by batch: the shard of each, and its number there.
fn joined(parts: &[ReadShard], manifest: &Manifest) -> Vec<Vec<(usize, usize)>> {
    let (batches, of) = (manifest.model.batches(), parts.len());
    let planned: usize = batches.iter().step_by(of).map(|batch| batch.len()).sum();
    let mut taken = vec![0; of];
    let mut take = |part: usize, wanted: usize| -> Vec<(usize, usize)> {
        let from = taken[part];
        taken[part] = parts[part].trials.len().min(from + wanted);
        (from..taken[part]).map(|at| (part, at)).collect()
    };
    // Trials that could not be asked come first, in the first shard.
    let refused = take(0, parts[0].trials.len().saturating_sub(planned));
    let of_batches = batches.iter().enumerate().map(|(number, batch)| take(number % of, batch.len()));
    std::iter::once(refused).chain(of_batches).collect()
}
