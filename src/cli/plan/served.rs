//! `tomeval plan` for a server: requests, and tokens where a tokenizer is known.

use serde::Serialize;

use super::{items, tell};
use crate::backend::ServedTrials;
use crate::benchmark::{Benchmark, joined};
use crate::cli::Outcome;
use crate::cli::server::Served;
use crate::cli::workload::WorkloadArgs;
use crate::run::Settings;
use crate::untrusted::for_terminal;

#[derive(Serialize)]
struct PlanReport {
    version: u32,
    model: String,
    address: String,
    benchmarks: Vec<Benchmark>,
    questions: usize,
    items: usize,
    trials: usize,
    failed_trials: usize,
    unread_rows: usize,
    route: &'static str,
    log_likelihoods: Option<String>,
    requests: usize,
    tokens: Option<usize>,
    fresh_tokens: Option<usize>,
    most_written_tokens: Option<usize>,
}

pub fn run(args: &WorkloadArgs, json: bool) -> anyhow::Result<Outcome> {
    let served = Served::new(args, None)?;
    let variants = &served.questions.variants;
    let mut planned = Vec::new();
    for (variant, settings) in variants {
        planned.push((variant.name(), plan(&served, settings)?));
    }
    tell(&planned, json, rows)?;
    let whole = |report: &PlanReport| report.failed_trials == 0 && report.unread_rows == 0;
    Ok(if planned.iter().all(|(_, report)| whole(report)) { Outcome::Done } else { Outcome::Incomplete })
}

fn plan(served: &Served, settings: &Settings) -> anyhow::Result<PlanReport> {
    let way = served.way(settings)?;
    let model = way.model(&served.connected);
    let workload = served.workload(settings, way, &model)?;
    let ServedTrials { requests, tokens, fresh_tokens, most_written, .. } = workload.prepared;
    Ok(PlanReport {
        version: 1,
        model: model.name.clone(),
        address: model.address.clone(),
        benchmarks: settings.benchmarks.clone(),
        questions: served.questions.loaded.questions(),
        items: served.questions.loaded.items.len(),
        trials: workload.trials(),
        failed_trials: workload.failed_trials(),
        unread_rows: served.questions.loaded.problems.values().map(Vec::len).sum(),
        route: way.route_name(),
        log_likelihoods: way.mode.map(|mode| mode.described()),
        requests,
        tokens,
        fresh_tokens,
        most_written_tokens: settings.writing.is_some().then_some(most_written),
    })
}

fn rows(report: &PlanReport) -> String {
    let unknown = "unknown: name the model's tokenizer with --tokenizer".to_string();
    let mut rows = vec![
        ("model", format!("{} at {}", report.model, report.address)),
        ("benchmarks", joined(&report.benchmarks, ", ")),
        ("questions", report.questions.to_string()),
        ("items", items(report.questions, report.items)),
        ("trials", report.trials.to_string()),
        ("cannot be asked", report.failed_trials.to_string()),
        ("prompts go to", format!("{} route", report.route)),
    ];
    rows.extend(report.log_likelihoods.clone().map(|how| ("log-likelihoods", how)));
    rows.push(("requests", report.requests.to_string()));
    rows.push(("tokens of prompts", report.tokens.map_or(unknown, |tokens| tokens.to_string())));
    rows.extend(report.tokens.zip(report.fresh_tokens).map(|(tokens, fresh)| {
        let times = tokens as f64 / fresh.max(1) as f64;
        ("  not as the one before", format!("{fresh} ({times:.2} times fewer), if the server keeps prefixes"))
    }));
    rows.extend(report.most_written_tokens.map(|most| ("tokens written at most", most.to_string())));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for_terminal(&rows.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect::<String>())
        .into_owned()
}
