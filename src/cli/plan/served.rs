//! `tomeval plan` for a server: requests, and tokens if a tokenizer is known.

use std::sync::Arc;

use serde::Serialize;

use super::{PlanReport, Requests, print};
use crate::backend::ServedTrials;
use crate::cli::Outcome;
use crate::cli::server::{ScoringRoute, Served, ServedWorkload, audit_wanted};
use crate::cli::workload::{Planned, WorkloadArgs};
use crate::counted::counted;
use crate::run::Workload;
use crate::terminal::progress::Shown;

/// Requests to a server's model.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sent {
    /// Where prompts go: `chat` or `completions`.
    route: &'static str,
    /// Source of log-likelihoods, in words; null if replies are written.
    log_likelihoods: Option<String>,
    /// The same by another source, if three trials before the run decide which one it takes; null otherwise.
    or: Option<OtherSource>,
    /// Number of requests.
    requests: usize,
    /// Tokens of all requests; null if no tokenizer is known.
    tokens: Option<usize>,
    /// Tokens that a prompt does not share with the one sent before.
    fresh_tokens: Option<usize>,
    /// Tokens of all replies at maximum length; null if none are written.
    most_written_tokens: Option<usize>,
    /// Trials asked again after the run, in all conditions; null if none.
    audit: Option<AuditPlan>,
}

/// Requests of an audit.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AuditPlan {
    /// Trials asked again.
    trials: usize,
    /// Conditions, each a request of every trial: cold and cached where the server's cache is controlled, alone and loaded.
    conditions: usize,
    /// Requests in all conditions.
    requests: usize,
    /// Tokens of their prompts; null if no tokenizer is known.
    tokens: Option<usize>,
}

/// Requests by the other of two sources.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OtherSource {
    /// Source of log-likelihoods, in words.
    log_likelihoods: String,
    /// Number of requests.
    requests: usize,
    /// Tokens of all requests; null if no tokenizer is known.
    tokens: Option<usize>,
    /// Tokens that a prompt does not share with the one sent before.
    fresh_tokens: Option<usize>,
}

pub fn run(args: &WorkloadArgs, json: bool) -> anyhow::Result<Outcome> {
    let served = Served::new(args, None)?;
    let mut planned = Vec::new();
    for each in served.questions.planned() {
        each.note(&each.variant.name());
        planned.push((each.variant.name(), plan(&served, args.audit, &each)?));
    }
    print(&planned, json)
}

fn plan(served: &Served, audit: Option<usize>, each: &Planned<'_>) -> anyhow::Result<PlanReport<Sent>> {
    let settings = &each.settings;
    let way = served.way(settings)?;
    let identity = way.identity(&served.connected);
    let _shown = Shown::from_tracker(Arc::clone(&served.tracker));
    let workload = Workload::gather(served.inputs(settings, each.earlier.as_ref(), way, &identity, None))?;
    let audit = match audit_wanted(audit, &served.connected, settings) {
        Ok(wanted) => Some(audit_plan(served, &workload, way, wanted)),
        Err(_) => None,
    };
    let ServedTrials { mode, undecided, requests, tokens, fresh_tokens, most_written, .. } = workload.prepared;
    let or = undecided.map(|mode| {
        let prepared = workload.prompts().prepare(&workload.asked, Some(mode), &served.tracker);
        let ServedTrials { requests, tokens, fresh_tokens, .. } = prepared;
        OtherSource { log_likelihoods: mode.described(), requests, tokens, fresh_tokens }
    });
    let sent = Sent {
        route: way.route_name(),
        log_likelihoods: mode.map(|mode| mode.described()),
        or,
        requests,
        tokens,
        fresh_tokens,
        most_written_tokens: settings.writing.is_some().then_some(most_written),
        audit,
    };
    Ok(PlanReport::new(&served.questions, each, &workload, (&identity.name, Some(&identity.address)), sent))
}

impl Requests for Sent {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let unknown = "unknown: name the model's tokenizer with --tokenizer".to_string();
        let mut rows = vec![("prompts go to", format!("{} route", self.route))];
        rows.extend(self.log_likelihoods.clone().map(|how| ("log-likelihoods", how)));
        rows.push(("requests", self.requests.to_string()));
        rows.push(("tokens of prompts", self.tokens.map_or(unknown, |tokens| tokens.to_string())));
        rows.extend(self.tokens.zip(self.fresh_tokens).map(|(tokens, fresh)| {
            let times = tokens as f64 / fresh.max(1) as f64;
            ("  beyond shared prefix", format!("{fresh} ({times:.2} times fewer), if the server keeps prefixes"))
        }));
        if let Some(or) = &self.or {
            rows.push(("or, by three trials", or.log_likelihoods.clone()));
            rows.push(("  requests", or.requests.to_string()));
            rows.extend(or.tokens.map(|tokens| ("  tokens of prompts", tokens.to_string())));
            rows.extend(or.fresh_tokens.map(|fresh| ("  beyond shared prefix", fresh.to_string())));
        }
        rows.extend(self.most_written_tokens.map(|most| ("tokens written at most", most.to_string())));
        rows.push(match &self.audit {
            Some(AuditPlan { trials, conditions, requests, tokens }) => {
                let tokens = tokens.map_or(String::new(), |tokens| format!(", {tokens} tokens of prompts"));
                let asked = format!("{} again in {}", counted(*trials, "trial"), counted(*conditions, "condition"));
                ("audit", format!("{asked}: {requests} requests more{tokens}"))
            }
            None => ("audit", "none".to_string()),
        });
        rows
    }
}

/// Prepares the trials of an audit once more; those are taken that can be asked.
fn audit_plan(served: &Served, workload: &ServedWorkload<'_>, way: ScoringRoute, wanted: usize) -> AuditPlan {
    let can = |trial: usize| workload.prepared.failures[trial].is_none();
    let trials = workload.run(None).audited(wanted, can);
    let asked: Vec<_> = trials.iter().map(|&trial| workload.asked[trial].clone()).collect();
    let prepared = workload.prompts().prepare(&asked, way.mode, &served.tracker);
    let (_, conditions) = served.connected.audit_load(trials.len());
    AuditPlan {
        trials: trials.len(),
        conditions,
        requests: prepared.requests * conditions,
        tokens: prepared.tokens.map(|tokens| tokens * conditions),
    }
}
