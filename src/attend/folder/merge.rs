//! Merges the shards of one analysis.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::AnalysisError;
use super::lines::{Lines, read_lines};
use super::manifest::FolderManifest;
use super::names::ANALYSIS;
use super::{Folder, rounding};
use crate::ledger::present_manifest;
use crate::run::{Shard, absent_shards};

/// A shard.
struct AnalysisShard {
    path: PathBuf,
    manifest: FolderManifest,
    shard: Shard,
}

/// Merges shards into `out`, after checking that their manifests agree and that every item occurs exactly once. Lines
/// are written one at a time in the order of an unsharded analysis, byte for byte the same. An interrupted merge is
/// resumed.
pub fn merge(shards: &[PathBuf], out: &Path) -> Result<Folder, AnalysisError> {
    let mut parts = shards.iter().map(|path| read_part(path)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = parts.first() else {
        return Err(AnalysisError::Parts("no shard was given; name the folders of all shards".to_string()));
    };
    let mut manifest = FolderManifest { shard: None, ..first.manifest.clone() };
    for other in &parts[1..] {
        let alike = FolderManifest { shard: first.manifest.shard, ..other.manifest.clone() };
        let mixed = rounding(&first.manifest, &alike).map_err(|differences| {
            let (first, path, differ) = (first.path.display(), other.path.display(), differences.join(", "));
            AnalysisError::Parts(format!("{path} is not a shard of the analysis in {first}: {differ} differ"))
        })?;
        for mixture in mixed.into_iter().chain(other.manifest.mixed.clone()) {
            if !manifest.mixed.contains(&mixture) {
                manifest.mixed.push(mixture);
            }
        }
    }
    parts.sort_by_key(|part| part.shard.index);
    check_parts(&parts)?;
    let open = || parts.iter().map(|part| read_lines(&part.path, &part.manifest)).collect::<Result<Vec<_>, _>>();
    let unfinished: Vec<String> = parts
        .iter()
        .zip(open()?)
        .filter_map(|(part, lines)| what_lacks(part, lines).transpose())
        .collect::<Result<_, _>>()?;
    if !unfinished.is_empty() {
        let what = unfinished.join(", ");
        return Err(AnalysisError::Parts(format!(
            "items are missing from the folders ({what}); finish the shards first"
        )));
    }
    let mut folder = Folder::begin(out, &manifest)?;
    let (mut lines, of, before) = (open()?, parts.len(), folder.done());
    for number in 0..folder.planned() {
        let source = &mut lines[number % of];
        // All lines were present a moment ago.
        if source.next_known()?.is_none() {
            let path = parts[number % of].path.join(ANALYSIS.lines);
            return Err(AnalysisError::Parts(format!("{} was truncated while it was read; try again", path.display())));
        }
        if number >= before {
            folder.take(source.text())?;
        }
    }
    Ok(folder)
}

fn read_part(path: &Path) -> Result<AnalysisShard, AnalysisError> {
    let (manifest, _) = present_manifest::<FolderManifest>(path)?;
    match manifest.shard {
        Some(shard) => Ok(AnalysisShard { path: path.to_path_buf(), manifest, shard }),
        None => {
            let what = "is a whole analysis, not a shard; nothing to merge";
            Err(AnalysisError::Parts(format!("{} {what}", path.display())))
        }
    }
}

/// Checks that each shard, in order, is present once.
fn check_parts(parts: &[AnalysisShard]) -> Result<(), AnalysisError> {
    let of = parts[0].shard.of;
    if let Some(other) = parts.iter().find(|part| part.shard.of != of) {
        let (first, other) = (parts[0].path.display(), other.path.display());
        return Err(AnalysisError::Parts(format!("{other} and {first} differ in their number of shards")));
    }
    let shards: Vec<(&Path, Shard)> = parts.iter().map(|part| (part.path.as_path(), part.shard)).collect();
    let absent = absent_shards(&shards).map_err(AnalysisError::Parts)?;
    match absent.is_empty() {
        true => Ok(()),
        false => Err(AnalysisError::Parts(format!("shards {} are missing; add their folders", absent.join(", ")))),
    }
}

/// Describes how much of a shard is missing; `None` if it is complete.
fn what_lacks(part: &AnalysisShard, mut lines: Lines<Box<dyn Read>>) -> Result<Option<String>, AnalysisError> {
    let mut found = 0;
    while lines.next_known()?.is_some() {
        found += 1;
    }
    let planned = part.manifest.numbers().count();
    Ok((found < planned).then(|| format!("{} has {found} of {planned}", part.path.display())))
}
