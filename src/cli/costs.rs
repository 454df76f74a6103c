//! Measured costs of models on this machine, kept in the cache folder so that later plans can foretell their time.

use std::path::PathBuf;

use anyhow::Context;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use tomeval::decoder::Decoder;
use tomeval::engine::CostModel;

use super::compute::Computing;
use super::told::told;

/// Turns over all probes.
const TURNS: usize = 3;

/// Costs of one model on one machine.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// What they hold for: model, arithmetic, device, threads, processor.
    key: String,
    costs: CostModel,
}

/// Measure a model for some seconds and keep what was found; warns where it cannot be kept.
pub fn measure(
    decoder: &Decoder,
    sha256: &IndexMap<String, String>,
    computing: &Computing,
) -> anyhow::Result<CostModel> {
    let costs = CostModel::calibrate(decoder, TURNS)?;
    if let Err(error) = keep(Kept { key: key(sha256, computing), costs }) {
        eprintln!("warning: costs for `tomeval plan` were not kept: {}", told(&error));
    }
    Ok(costs)
}

/// What the last measurement of this model on this machine found; warns where that cannot be read.
pub fn kept(sha256: &IndexMap<String, String>, computing: &Computing) -> Option<CostModel> {
    let key = key(sha256, computing);
    let all = all().unwrap_or_else(|error| {
        eprintln!("warning: nothing is foretold from measured costs: {}", told(&error));
        Vec::new()
    });
    all.into_iter().find(|kept| kept.key == key).map(|kept| kept.costs)
}

fn keep(new: Kept) -> anyhow::Result<()> {
    let mut all = all()?;
    all.retain(|kept| kept.key != new.key);
    all.push(new);
    let file = file()?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    tomeval::run::replace_file(&file, &serde_json::to_string_pretty(&all)?)
        .with_context(|| format!("{}: cannot be written", file.display()))
}

fn key(sha256: &IndexMap<String, String>, computing: &Computing) -> String {
    let model = serde_json::to_string(sha256).unwrap_or_default();
    let Computing { choice, precision, threads, .. } = computing;
    format!("{model} {precision} {choice} {threads} {}", tomeval::machine::processor())
}

fn file() -> anyhow::Result<PathBuf> {
    Ok(tomeval::model::cache_dir()?.join("costs.json"))
}

fn all() -> anyhow::Result<Vec<Kept>> {
    let file = file()?;
    match std::fs::read_to_string(&file) {
        // Old or foreign content costs a measurement, nothing more.
        Ok(text) => Ok(serde_json::from_str(&text).unwrap_or_default()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}
