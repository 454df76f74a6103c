//! `tomeval models inspect --adapter`: an adapter's changes to a model, before weights are loaded.

use std::path::Path;

use indexmap::IndexMap;
use serde::Serialize;

use super::{VERSION, print_hashes, print_json, print_rows};
use crate::cli::Outcome;
use crate::model::{AdapterFolder, AdapterSummary, ModelError, ModelFiles};

/// Maximum faults named.
const NAMED: usize = 5;

#[derive(Serialize)]
struct Inspected {
    version: u32,
    model: String,
    adapter: String,
    path: String,
    /// Why it cannot be merged; absent if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Its changes; absent if its settings or the model's are not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<AdapterSummary>,
    sha256: IndexMap<String, String>,
}

pub(super) fn run(files: &ModelFiles, folder: &Path, json: bool) -> anyhow::Result<Outcome> {
    let inspected = Inspected::new(files, folder)?;
    if json {
        print_json(&inspected)?;
    } else {
        print_rows(&inspected.rows())?;
        print_hashes(&inspected.sha256)?;
    }
    Ok(if inspected.refused.is_some() { Outcome::Incomplete } else { Outcome::Done })
}

impl Inspected {
    fn new(files: &ModelFiles, folder: &Path) -> anyhow::Result<Self> {
        let of_path = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let mut inspected = Inspected {
            version: VERSION,
            model: files.name.clone(),
            adapter: of_path.file_name().unwrap_or(of_path.as_os_str()).to_string_lossy().into_owned(),
            path: of_path.display().to_string(),
            refused: None,
            summary: None,
            sha256: IndexMap::new(),
        };
        inspected.sha256 = AdapterFolder::hashes(&of_path)?;
        let summary = || -> Result<AdapterSummary, ModelError> {
            let adapter = AdapterFolder::open(&of_path.as_path().into(), &files.name)?;
            let (spec, _) = files.open()?;
            adapter.summary(&spec)
        };
        match summary() {
            Ok(summary) => {
                inspected.refused = match summary.faults.len() {
                    0 => None,
                    1 => Some("1 of its tensors or settings cannot be merged into the model".to_string()),
                    more => Some(format!("{more} of its tensors or settings cannot be merged into the model")),
                };
                inspected.summary = Some(summary);
            }
            Err(error) => inspected.refused = Some(error.to_string()),
        }
        Ok(inspected)
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows =
            vec![("adapter", self.adapter.clone()), ("path", self.path.clone()), ("model", self.model.clone())];
        if let Some(summary) = &self.summary {
            let AdapterSummary { made_for, rank, alpha, scales, products, replaced, parameters, tensors, .. } = summary;
            rows.extend(made_for.iter().map(|name| ("made for", name.escape_debug().to_string())));
            rows.push(("rank", rank.to_string()));
            rows.push(("alpha", alpha.to_string()));
            let scale = |(scale, rank): &(f32, usize)| match scales.len() {
                1 => scale.to_string(),
                _ => format!("{scale} at rank {rank}"),
            };
            if !scales.is_empty() {
                rows.push(("scale", scales.iter().map(scale).collect::<Vec<_>>().join(", ")));
            }
            let module = |what: &'static str| {
                move |(name, layers): (&String, &Vec<usize>)| {
                    let name = name.escape_debug();
                    (
                        what,
                        if layers.is_empty() { name.to_string() } else { format!("{name}, layers {}", ranges(layers)) },
                    )
                }
            };
            rows.extend(products.iter().map(module("changes")));
            rows.extend(replaced.iter().map(module("replaces")));
            rows.push(("tensors", tensors.to_string()));
            rows.push(("parameters", parameters.to_string()));
        }
        match &self.refused {
            None => rows.push(("merging", "possible".to_string())),
            Some(reason) => rows.push(("cannot be merged", reason.clone())),
        }
        let faults = self.summary.as_ref().map_or(&[][..], |summary| &summary.faults);
        rows.extend(faults.iter().take(NAMED).map(|fault| ("wrong", fault.escape_debug().to_string())));
        if faults.len() > NAMED {
            rows.push(("wrong", format!("and {} more; --json names all", faults.len() - NAMED)));
        }
        rows
    }
}

/// Formats sorted numbers as ranges, as `0-3, 5`.
fn ranges(numbers: &[usize]) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => found.push((number, number)),
        }
    }
    let shown = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    found.iter().map(shown).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_that_follow_one_another_are_told_as_one() {
        for (numbers, expected) in [(&[0, 1, 2, 3, 5][..], "0-3, 5"), (&[4], "4"), (&[0, 2, 3], "0, 2-3"), (&[], "")] {
            assert_eq!(ranges(numbers), expected);
        }
    }
}
