//! Comparison of two documents.

use serde::{Deserialize, Serialize};

use super::{Bench, Environment, Summary, VERSION};

/// Ratios of medians, the second document over the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Format version.
    pub version: u32,
    /// Other differences that may explain the figures, one sentence each.
    pub warnings: Vec<String>,
    /// One entry per figure of either document.
    pub ratios: Vec<Ratio>,
}

/// One figure in both documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// The measure.
    pub name: String,
    /// Unit of both medians.
    pub unit: String,
    /// Median in the first document; absent if not measured there.
    pub first: Option<f64>,
    /// Median in the second document; absent if not measured there.
    pub second: Option<f64>,
    /// Second over first. Higher is better for rates, worse for seconds and bytes.
    pub ratio: Option<f64>,
}

/// Compares two documents. Refuses nothing, but warns of differences that make the figures hard to compare.
pub fn compare(first: &Bench, second: &Bench) -> Comparison {
    let (ours, theirs) = (figures(first), figures(second));
    let mut ratios: Vec<Ratio> = Vec::with_capacity(ours.len());
    for (name, unit, value) in ours {
        let other = theirs.iter().find(|(known, _, _)| *known == name).map(|(_, _, value)| *value);
        ratios.push(Ratio { name, unit, first: Some(value), second: other, ratio: other.map(|other| other / value) });
    }
    for (name, unit, value) in theirs {
        if !ratios.iter().any(|ratio| ratio.name == name) {
            ratios.push(Ratio { name, unit, first: None, second: Some(value), ratio: None });
        }
    }
    Comparison { version: VERSION, warnings: differences(first, second), ratios }
}

/// Name, unit and median of all figures in a document.
fn figures(bench: &Bench) -> Vec<(String, String, f64)> {
    let figure = |name: &str, unit: &str, summary: &Summary| (name.to_string(), unit.to_string(), summary.median);
    let measured = &bench.measured;
    let mut figures = vec![figure("load", "s", &bench.load_seconds)];
    figures.extend(measured.measures.iter().map(|measure| figure(&measure.name, &measure.unit, &measure.rate)));
    figures.push(figure("matrix product", "FLOP/s", &measured.product));
    figures.push(figure("memory copy", "bytes/s", &measured.copy));
    let peak = measured.peak_resident_bytes;
    figures.extend(peak.map(|bytes| ("peak memory".to_string(), "bytes".to_string(), bytes as f64)));
    figures
}

fn differences(first: &Bench, second: &Bench) -> Vec<String> {
    let mut warnings = Vec::new();
    let drawn = [first, second].map(|bench| (bench.settings.random.is_some(), &bench.model.name));
    if drawn[0] != drawn[1] && drawn.iter().any(|(drawn, _)| *drawn) {
        warnings.push(format!("other weights: {} and {}", first.model.name, second.model.name));
    } else if first.model.sha256 != second.model.sha256 {
        warnings.push(format!(
            "other model files: {} and {} do not have the same hashes",
            first.model.name, second.model.name
        ));
    }
    let facts: [(&str, fn(&Environment) -> String); 7] = [
        ("precision", |environment| environment.dtype.clone()),
        ("number of threads", |environment| environment.threads.to_string()),
        ("device", |environment| environment.device.clone()),
        ("processor", |environment| environment.cpu.clone()),
        ("vector extensions", |environment| environment.cpu_features.join(" ")),
        ("clock policy", |environment| environment.governor.clone().unwrap_or_else(|| "unknown".to_string())),
        ("optimisation", |environment| if environment.unoptimised { "off" } else { "on" }.to_string()),
    ];
    for (what, fact) in facts {
        let (ours, theirs) = (fact(&first.environment), fact(&second.environment));
        if ours != theirs {
            warnings.push(format!("other {what}: {ours} and {theirs}"));
        }
    }
    if first.program != second.program {
        warnings.push(format!("other program: {} and {}", first.program, second.program));
    }
    warnings
}
