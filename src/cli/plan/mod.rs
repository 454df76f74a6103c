//! `tomeval plan`: estimates a run before loading any weights.

#[cfg(feature = "server")]
pub(super) mod served;
pub(super) mod several;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args as ClapArgs;
use indexmap::IndexMap;
use indicatif::HumanBytes;
use serde::Serialize;

use crate::arguments::adapters::Member;
use crate::arguments::costs;
use crate::arguments::place::Place;
use crate::arguments::setup::Weighed;
use crate::bench;
use crate::benchmark::{Benchmark, joined};
use crate::cli::Outcome;
use crate::cli::workload::{Gathered, Planned, Questions, WorkloadArgs};
use crate::counted::counted;
use crate::engine::{CostModel, Counts};
use crate::run::{LocalWorkload, Preparation, Workload};
use crate::safe_text::for_terminal;
use crate::terminal::progress::{Shown, duration};
use crate::trial::{EarlierTexts, Settings};

/// Arguments of `tomeval plan`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Measure this model on this machine for some seconds, to predict the time; saved for later plans, like the
    /// results of `tomeval bench`.
    #[arg(long)]
    pub calibrate: bool,
    /// Also write the lengths and shared prefixes of the prompts, for `tomeval bench --shape CARD --trie FILE` on
    /// machines without the model or the data.
    #[arg(long, value_name = "FILE")]
    pub trie: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Plan of one variant: its questions and requests.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanReport<R> {
    /// Format version, 1.
    version: u32,
    /// Model; on a server, its name there.
    model: String,
    /// Base address of the server's routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// Benchmarks by name.
    benchmarks: Vec<Benchmark>,
    /// Questions: versions of one question by language, variant or prompting type count once.
    questions: usize,
    /// Items.
    items: usize,
    /// Trials.
    trials: usize,
    /// Trials that cannot be asked.
    failed_trials: usize,
    /// Tokens assumed for each reply of another run in the prompts, which is not written yet; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed_reply_tokens: Option<usize>,
    /// Rows of the data that could not be read.
    unread_rows: usize,
    #[serde(flatten)]
    requests: R,
}

/// Requests, described as rows.
pub trait Requests: Serialize {
    fn rows(&self) -> Vec<(&'static str, String)>;
}

/// Requests to a local model.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Passes {
    /// Batches; each is recorded as a whole or redone.
    #[serde(rename = "units")]
    batches: usize,
    counts: Counts,
    /// Tokens of all replies at maximum length; null if none are written.
    most_written_tokens: Option<usize>,
    /// Tokens without sharing over tokens forwarded.
    ratio: f64,
    /// The same ratio for an uncut trie.
    least_ratio: f64,
    /// Bytes of the weights once loaded.
    weight_bytes: u64,
    /// Bytes of experts that stay in their files (`--experts mapped`).
    bytes_in_files: u64,
    /// Peak bytes of weights, keys, values and activations.
    peak_bytes: u64,
    /// Peak bytes of the process.
    process_bytes: u64,
    /// Predicted time; null if the model was not measured on this machine.
    predicted_seconds: Option<f64>,
    costs: Option<CostModel>,
}

impl Args {
    /// Checks the arguments, and returns where the model is; `None` of several models, which are checked one by one.
    fn check(&self) -> anyhow::Result<Option<Place>> {
        if self.workload.model.models.len() > 1 {
            let of_one = [("--calibrate", self.calibrate), ("--trie", self.trie.is_some())];
            self.workload.check_several_models(&of_one)?;
            return Ok(None);
        }
        let place = self.workload.check()?;
        match place {
            Place::Here => drop(self.workload.model.compute.check_device()?),
            Place::Server => {
                anyhow::ensure!(self.trie.is_none(), "--trie needs a local model, whose prompts are tokenized here");
            }
        }
        Ok(Some(place))
    }
}

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.check()? {
        Some(Place::Here) => of_one(&args),
        #[cfg(feature = "server")]
        Some(Place::Server) => served::run(&args.workload, args.json),
        #[cfg(not(feature = "server"))]
        Some(Place::Server) => unreachable!("refused above"),
        None => {
            let of_model = |model: &String| {
                let mut workload = args.workload.clone();
                workload.model.models = vec![model.clone()];
                (model.clone(), workload)
            };
            let all: Vec<(String, WorkloadArgs)> = args.workload.model.models.iter().map(of_model).collect();
            several::plan(all.iter().map(|(name, workload)| (name.clone(), workload)), args.json)
        }
    }
}

/// Plans one model on this machine, with each of its adapters.
fn of_one(args: &Args) -> anyhow::Result<Outcome> {
    let gathered = Gathered::new(&args.workload, None)?;
    anyhow::ensure!(
        args.trie.is_none() || gathered.members.len() * gathered.questions.variants.len() == 1,
        "--trie writes the prompts of a single variant; plan one style, condition and adapter"
    );
    let mut planned = Vec::new();
    for member in &gathered.members {
        for each in gathered.questions.planned() {
            let of_variant =
                (member.folder.is_none() || gathered.questions.variants.len() > 1).then(|| each.variant.name());
            let name = member.folder.iter().chain(&of_variant).map(String::as_str).collect::<Vec<_>>().join("/");
            each.note(&name);
            planned.push((name, plan(args, &gathered, member, &each)?));
        }
    }
    let outcome = print(&planned, args.json)?;
    if gathered.members.len() > 1 {
        let loads = gathered.members.len();
        eprintln!("The weights are loaded {loads} times, with one model in memory at a time.");
    }
    Ok(outcome)
}

/// Prints several plans by name, or a single plan without its name.
fn print<R: Requests>(planned: &[(String, PlanReport<R>)], json: bool) -> anyhow::Result<Outcome> {
    let rendered = match (json, planned) {
        (true, [(_, report)]) => serde_json::to_string_pretty(report)? + "\n",
        (true, _) => {
            let by_name: IndexMap<&str, &PlanReport<R>> =
                planned.iter().map(|(name, report)| (name.as_str(), report)).collect();
            serde_json::to_string_pretty(&by_name)? + "\n"
        }
        (false, _) => {
            let one = |(name, report): &(String, PlanReport<R>)| match planned.len() {
                1 => report.text(),
                _ => format!("{}\n{}", for_terminal(name), report.text()),
            };
            planned.iter().map(one).collect::<Vec<_>>().join("\n")
        }
    };
    std::io::stdout().write_all(rendered.as_bytes())?;
    let whole = |report: &PlanReport<R>| report.failed_trials == 0 && report.unread_rows == 0;
    Ok(if planned.iter().all(|(_, report)| whole(report)) { Outcome::Done } else { Outcome::Incomplete })
}

impl<R: Requests> PlanReport<R> {
    fn new<P: Preparation>(
        questions: &Questions,
        Planned { settings, earlier, .. }: &Planned<'_>,
        workload: &Workload<'_, P>,
        (model, address): (&str, Option<&str>),
        requests: R,
    ) -> Self {
        PlanReport {
            version: 1,
            model: model.to_string(),
            address: address.map(str::to_string),
            benchmarks: settings.benchmarks.clone(),
            questions: questions.loaded.questions(),
            items: questions.loaded.items.len(),
            trials: workload.trials().len(),
            failed_trials: workload.failed_trials(),
            assumed_reply_tokens: earlier.as_ref().and_then(EarlierTexts::assumed_tokens),
            unread_rows: questions.loaded.problems.values().map(Vec::len).sum(),
            requests,
        }
    }

    fn text(&self) -> String {
        let items = match self.items > self.questions {
            true => format!("{}, the versions of the questions by language, variant or prompting type", self.items),
            false => self.items.to_string(),
        };
        let model = [Some(&self.model), self.address.as_ref()].into_iter().flatten().map(String::as_str);
        let mut rows = vec![
            ("model", model.collect::<Vec<_>>().join(" at ")),
            ("benchmarks", joined(&self.benchmarks, ", ")),
            ("questions", self.questions.to_string()),
            ("items", items),
            ("trials", self.trials.to_string()),
            ("cannot be asked", self.failed_trials.to_string()),
        ];
        rows.extend(self.assumed_reply_tokens.map(|tokens| {
            ("replies in its prompts", format!("not written yet, taken as {} each", counted(tokens, "token")))
        }));
        rows.extend(self.requests.rows());
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let rows: String = rows.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect();
        for_terminal(&rows).into_owned()
    }
}

fn plan(args: &Args, gathered: &Gathered, member: &Member, each: &Planned<'_>) -> anyhow::Result<PlanReport<Passes>> {
    let settings = &each.settings;
    let workload = gathered.workload(member, settings, each.earlier.as_ref())?;
    let (model, sha256) = (&gathered.model, &member.identity.sha256);
    // Before a calibration loads the weights, which are counted separately.
    let process_bytes = gathered.peak_bytes(member, &workload);
    let costs = match args.calibrate {
        true => Some(Shown::during("measuring", || costs::measure(&member.decoder(model)?, sha256, &model.computing))?),
        false => costs::kept(sha256, &model.computing),
    };
    if let Some(path) = &args.trie {
        let cannot = || format!("{}: cannot be written", path.display());
        let file = std::fs::File::create(path).with_context(cannot)?;
        bench::write_trie(&workload.prepared.requests, std::io::BufWriter::new(file)).with_context(cannot)?;
    }
    let requests = Passes::new(member, settings, &workload, process_bytes, costs);
    let model = (member.identity.name.as_str(), None);
    Ok(PlanReport::new(&gathered.questions, each, &workload, model, requests))
}

impl Passes {
    fn new(
        member: &Member,
        settings: &Settings,
        workload: &LocalWorkload<'_>,
        process_bytes: u64,
        costs: Option<CostModel>,
    ) -> Self {
        let counts = workload.plan.counts;
        let Weighed { weight_bytes, bytes_in_files } = member.weighed;
        Passes {
            batches: workload.plan.batches.len(),
            most_written_tokens: settings.writing.is_some().then(|| workload.most_written()),
            ratio: counts.ratio(),
            least_ratio: counts.prompt_by_prompt as f64 / counts.distinct.max(1) as f64,
            weight_bytes,
            bytes_in_files,
            peak_bytes: weight_bytes + counts.peak_bytes,
            process_bytes,
            predicted_seconds: costs.map(|costs| costs.seconds(&counts.work())),
            costs,
            counts,
        }
    }
}

impl Requests for Passes {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let counts = &self.counts;
        let time = match (self.predicted_seconds, self.costs) {
            (Some(seconds), Some(costs)) => format!(
                "{} ({:.0} tokens/s)",
                duration(seconds),
                counts.forwarded as f64 / costs.seconds(&counts.work()).max(f64::MIN_POSITIVE)
            ),
            _ => "unknown; measure with --calibrate or `tomeval bench`".to_string(),
        };
        let time = match self.most_written_tokens {
            Some(_) => format!("{time}, for the prompts alone: reply lengths are unknown"),
            None => time,
        };
        let mut rows = vec![
            ("sequences", counts.sequences.to_string()),
            ("tokens prompt by prompt", counts.prompt_by_prompt.to_string()),
            (
                "  and every draw again",
                format!(
                    "{} ({:.2} times those forwarded)",
                    counts.every_draw,
                    counts.every_draw as f64 / counts.forwarded.max(1) as f64
                ),
            ),
            ("distinct trie tokens", format!("{} ({:.2} times fewer)", counts.distinct, self.least_ratio)),
            ("tokens forwarded", format!("{} ({:.2} times fewer)", counts.forwarded, self.ratio)),
            ("batches", self.batches.to_string()),
            (
                "passes",
                format!(
                    "{} of {:.0} tokens on average",
                    counts.passes,
                    counts.forwarded as f64 / counts.passes.max(1) as f64
                ),
            ),
            ("head rows", counts.head_rows.to_string()),
            ("weights", HumanBytes(self.weight_bytes).to_string()),
            (
                "keys, values, activations",
                format!("{} at the peak of {} rows", HumanBytes(counts.peak_bytes), counts.peak_rows),
            ),
            ("memory of the process", format!("{} at the peak", HumanBytes(self.process_bytes))),
            ("predicted time", time),
        ];
        if self.bytes_in_files > 0 {
            let after = rows.iter().position(|(name, _)| *name == "weights").unwrap_or(0);
            let left = format!("{}, each read in every pass that needs it: slow", HumanBytes(self.bytes_in_files));
            rows.insert(after + 1, ("experts left in their files", left));
        }
        if let Some(tokens) = self.most_written_tokens {
            let after = rows.iter().position(|(name, _)| *name == "tokens forwarded").unwrap_or(0);
            rows.insert(after + 1, ("tokens written at most", tokens.to_string()));
        }
        rows
    }
}
