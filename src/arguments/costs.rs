//! Measured costs of models on this machine, saved in the cache folder so that later plans can predict their time.

use std::path::PathBuf;

use anyhow::Context;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::compute::Computing;
use crate::decoder::Decoder;
use crate::engine::CostModel;
use crate::terminal::error_chain::error_chain;

/// Repetitions of all probes.
const TURNS: usize = 3;

/// Upper bound in seconds of a plausible cost.
const MOST_SECONDS: f64 = 1e6;

/// Costs of one model on one machine.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Scope of the costs: model, arithmetic, device, threads, processor.
    key: String,
    costs: CostModel,
}

/// Measures a model for some seconds and saves the costs; warns if they cannot be saved.
pub fn measure(
    decoder: &Decoder,
    sha256: &IndexMap<String, String>,
    computing: &Computing,
) -> anyhow::Result<CostModel> {
    let costs = CostModel::calibrate(decoder, TURNS)?;
    if let Err(error) = keep(Kept { key: key(sha256, computing), costs }) {
        eprintln!("warning: costs for `tomeval plan` not saved: {}", error_chain(&error));
    }
    Ok(costs)
}

/// Returns the last measured costs of this model on this machine; warns if they cannot be read.
pub fn kept(sha256: &IndexMap<String, String>, computing: &Computing) -> Option<CostModel> {
    let key = key(sha256, computing);
    let all = all().unwrap_or_else(|error| {
        eprintln!("warning: cannot predict from measured costs: {}", error_chain(&error));
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
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    }
    crate::ledger::replace_file(&file, &serde_json::to_string_pretty(&all)?)
        .with_context(|| format!("{}: cannot be written", file.display()))
}

fn key(sha256: &IndexMap<String, String>, computing: &Computing) -> String {
    let model = serde_json::to_string(sha256).unwrap_or_default();
    let Computing { choice, precision, threads, .. } = computing;
    format!("{model} {precision} {choice} {threads} {}", crate::machine::processor())
}

fn file() -> anyhow::Result<PathBuf> {
    Ok(crate::model::cache_dir()?.join("costs.json"))
}

fn all() -> anyhow::Result<Vec<Kept>> {
    let file = file()?;
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(parse(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

/// Parses plausible costs; old, foreign or damaged content only costs a new measurement.
fn parse(text: &str) -> Vec<Kept> {
    let mut all: Vec<Kept> = serde_json::from_str(text).unwrap_or_default();
    all.retain(|Kept { costs, .. }| {
        let CostModel { seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row } = *costs;
        let possible = |seconds: f64| (0.0..MOST_SECONDS).contains(&seconds);
        [seconds_per_pass, seconds_per_token, seconds_per_pair, seconds_per_head_row].into_iter().all(possible)
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Work;
    use crate::seed::seeded;
    use rand::Rng;

    #[test]
    fn damaged_costs_foretell_nothing_absurd() {
        let costs = CostModel {
            seconds_per_pass: 0.001,
            seconds_per_token: 2e-4,
            seconds_per_pair: 3e-8,
            seconds_per_head_row: 4e-4,
        };
        let kept = ["one", "another"].map(|key| Kept { key: key.to_string(), costs });
        let whole = serde_json::to_string_pretty(&kept).unwrap();
        assert_eq!(parse(&whole).len(), 2);
        let work = Work { passes: 10, tokens: 5000, attention_pairs: 1_000_000, head_rows: 100 };
        for draw in 0..1000 {
            let mut random = seeded(1, "costs", draw);
            let mut bytes = whole.clone().into_bytes();
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..4) {
                0 => bytes[at] = b"-0123456789eE.,\"{}"[random.random_range(0..18)],
                1 => bytes.insert(at, b"-0123456789eE.,\"{}"[random.random_range(0..18)]),
                2 => bytes.truncate(at),
                _ => bytes[at] ^= 1 << random.random_range(0..7),
            }
            for Kept { costs, .. } in parse(&String::from_utf8_lossy(&bytes)) {
                let seconds = costs.seconds(&work);
                assert!(seconds.is_finite() && seconds >= 0.0, "{draw}: {seconds}");
            }
        }
    }
}
