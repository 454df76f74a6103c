//! `tomeval doctor`: what this machine and build can do, and what is missing.

use std::io::Write;
use std::path::PathBuf;

use indicatif::HumanBytes;
use tomeval::bench::{Checkup, measure_products};

use super::Outcome;

/// Arguments of `tomeval doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measure the rate of f32 matrix products at the shapes of the demo model and at one large shape.
    #[arg(long)]
    gemm: bool,
    /// Folder that holds benchmark data.
    #[arg(long, env = "TOMEVAL_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let gemm = args.gemm.then(measure_products).transpose()?;
    let checkup = Checkup::of(args.data.as_deref(), gemm)?;
    let text = if args.json { serde_json::to_string_pretty(&checkup)? } else { text(&checkup) };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(Outcome::Done)
}

fn text(checkup: &Checkup) -> String {
    let mut lines = vec![
        format!("tomeval    {}", checkup.program),
        format!("CPU        {} ({})", checkup.cpu.model, checkup.cpu.architecture),
        format!("           {} cores, {} threads", checkup.cpu.physical_cores, checkup.cpu.threads),
        format!("           {}", checkup.cpu.features.join(" ")),
        format!(
            "memory     {}, {} available",
            HumanBytes(checkup.memory.total_bytes),
            HumanBytes(checkup.memory.available_bytes)
        ),
    ];
    for device in &checkup.devices {
        let state = match (device.compiled, device.usable) {
            (true, true) => "ready",
            (true, false) => "compiled in, but none found",
            (false, _) => "not compiled in",
        };
        lines.push(format!("device     {}: {state}", device.name));
    }
    let hub = if checkup.hub_download { "compiled in" } else { "not compiled in" };
    lines.push(format!("Hub        downloads {hub}"));
    for cache in &checkup.caches {
        let state = match (cache.exists, cache.writable) {
            (false, true) => "not there yet",
            (_, false) => "cannot be written",
            (true, true) if cache.models.is_empty() => "no models",
            (true, true) => &cache.models.join(", "),
        };
        lines.push(format!("cache      {} ({}): {state}", cache.path, cache.what));
    }
    let answer = |answer: &Option<String>| answer.clone().unwrap_or_else(|| "not found".to_string());
    lines.push(format!("python3    {}", answer(&checkup.python)));
    lines.push(format!("pip        {}", answer(&checkup.pip)));
    lines.push(match &checkup.data {
        Some(data) => format!("data       {}: {}", data.path, data.benchmarks.join(", ")),
        None => "data       no folder found".to_string(),
    });
    for product in checkup.gemm.iter().flatten() {
        lines.push(format!("gemm       {product}"));
    }
    for missing in &checkup.missing {
        lines.push(format!("missing    {missing}"));
    }
    lines.join("\n")
}
