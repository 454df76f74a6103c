//! From settings and items to a workload: trials, asks, tokens and a plan. Everything about a run on a local model but
//! the weights.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::asks::asks_of;
use super::dataset::LoadedItems;
use super::execute::Run;
use super::folder::{FolderError, RunFolder};
use super::manifest::{
    FORMAT, LocalModel, Machine, Manifest, Model, ModelIdentity, Program, PromptPack, Shard, trials_sha256,
};
use super::settings::Settings;
use super::trial::{Trial, TrialError, trials};
use crate::backend::{KeptAsk, Prepared, TextSetup, TrialAsks};
use crate::benchmark::Item;
use crate::decoder::DecoderSpec;
use crate::engine::{MemoryCosts, Packing, Plan, PlanError, fit_packing};
use crate::model::{ChatTemplate, Tokenizer};
use crate::progress::Tracker;
use crate::prompt::Pack;
use crate::record::Failure;

/// What a workload is made of.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// The items.
    pub loaded: &'a LoadedItems,
    /// Prompt packs by benchmark.
    pub packs: &'a IndexMap<String, Pack>,
    /// Which model.
    pub identity: &'a ModelIdentity,
    /// Its shape.
    pub spec: &'a DecoderSpec,
    /// Its tokenizer.
    pub tokenizer: &'a Tokenizer,
    /// Its chat template, where it has one.
    pub template: Option<&'a ChatTemplate>,
    /// What it runs on.
    pub machine: &'a Machine,
    /// Bytes for keys, values and activations.
    pub memory_budget: u64,
    /// How the work is to be cut.
    pub cut: Cut,
}

/// How the work is to be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Most tokens in one pass; what the budget allows where it is not given.
    pub pass_tokens: Option<usize>,
    /// Tokens after which a batch ends at the next story.
    pub batch_tokens: usize,
    /// Whether shared prefixes are forwarded once.
    pub sharing: bool,
}

/// Everything about a run but the weights.
pub struct Workload<'a> {
    inputs: Inputs<'a>,
    /// The trials.
    pub trials: Vec<Trial>,
    /// What is asked in each.
    pub asked: Vec<Result<TrialAsks, Failure>>,
    /// Their tokens.
    pub prepared: Prepared,
    /// What is forwarded, in which order: the plan already in the folder, where there is one.
    pub plan: Plan,
    /// Where its run is kept.
    pub folder: PathBuf,
    tokenizing: Duration,
    planning: Duration,
    created: Timestamp,
}

/// A workload that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// The trials cannot be made.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The conditions leave nothing to ask of a benchmark.
    #[error("{benchmark}: its items have nothing that these conditions leave out; add `--condition plain`")]
    NothingToLeaveOut {
        /// The benchmark.
        benchmark: String,
    },
    /// The folder holds something else.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The manifest of an earlier run gives no time.
    #[error("`created` of the manifest in {}: {source}", folder.display())]
    Created {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        source: jiff::Error,
    },
    /// The template has the model think where an answer is scored.
    #[error(
        "the chat template opens a thinking section ({mark}) that the prompt of `{item}` does not close, so the model would \
         think where its answer is scored; close it by the template's own switch (--template-var NAME=VALUE), or by a style \
         whose answer_prefix does"
    )]
    OpenThinking {
        /// How the section begins.
        mark: &'static str,
        /// An item whose prompt is so.
        item: String,
    },
    /// No plan fits the memory.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl<'a> Workload<'a> {
    /// Turn every trial into tokens and plan the work. `out` is the run's folder, by default one below `runs/` with a name
    /// made of the settings; it may hold an earlier run of the same work, whose date and plan are kept. `tracker` is told
    /// how far this is.
    pub fn gather(inputs: Inputs<'a>, out: Option<&Path>, tracker: &Tracker) -> Result<Self, WorkloadError> {
        let Inputs { settings, packs, .. } = inputs;
        let items = &inputs.loaded.items;
        let trials = trials(items, packs, settings)?;
        for name in &settings.benchmarks {
            if !trials.iter().any(|trial| &items[trial.item].benchmark == name) {
                return Err(WorkloadError::NothingToLeaveOut { benchmark: name.clone() });
            }
        }
        let trials_sha256 = trials_sha256(&trials, items);
        let folder = out.map_or_else(|| inputs.default_folder(&trials_sha256), Path::to_path_buf);
        let existing = RunFolder::continued(&folder)?;
        let now = Timestamp::now();
        let created = match &existing {
            Some(existing) => (existing.created.parse())
                .map_err(|source| WorkloadError::Created { folder: folder.clone(), source })?,
            None => now.round(jiff::Unit::Second).unwrap_or(now),
        };
        let started = Instant::now();
        let asked = asks_of(&trials, items, packs, settings, tracker);
        let text = TextSetup {
            tokenizer: inputs.tokenizer,
            template: inputs.template,
            variables: &settings.template_variables,
            now: created.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            context_length: inputs.spec.max_position,
        };
        check_thinking(&text, &trials, items, &asked)?;
        let prepared = text.prepare(&asked, tracker);
        let tokenizing = started.elapsed();
        let started = Instant::now();
        let existing = existing.filter(|existing| existing.trials_sha256 == trials_sha256);
        let plan = inputs.plan(&prepared, existing, tracker)?;
        let planning = started.elapsed();
        Ok(Workload { inputs, trials, asked, prepared, plan, folder, tokenizing, planning, created })
    }

    /// The run of this workload.
    pub fn run(&self, shard: Option<Shard>) -> Run<'_> {
        Run {
            items: &self.inputs.loaded.items,
            trials: &self.trials,
            asked: &self.asked,
            settings: self.inputs.settings,
            shard,
            tokenizing: self.tokenizing,
            planning: self.planning,
        }
    }

    /// About how many bytes the records of all trials will have: every text once, and for each continuation its token ids
    /// and log-probabilities.
    pub fn record_bytes(&self) -> u64 {
        const OF_A_TRIAL: usize = 300;
        const OF_A_CONTINUATION: usize = 60;
        let of_ask = |ask: &KeptAsk| ask.text_bytes() + OF_A_CONTINUATION * ask.continuations.len();
        let of_trial = |asked: &TrialAsks| asked.asks.iter().map(of_ask).sum::<usize>();
        let texts: usize = self.asked.iter().flatten().map(of_trial).sum();
        (texts + OF_A_TRIAL * self.asked.len()) as u64
    }

    /// Trials that cannot be asked.
    pub fn failed_trials(&self) -> usize {
        self.prepared.failures.iter().flatten().count()
    }

    /// The manifest of this workload.
    pub fn manifest(&self, shard: Option<Shard>) -> Manifest {
        let Inputs { settings, loaded, packs, identity, machine, memory_budget, .. } = self.inputs;
        let data = |name: &String| (name.clone(), loaded.data(name));
        let pack = |(name, pack): (&String, &Pack)| {
            (name.clone(), PromptPack { file: pack.file().to_string(), sha256: pack.sha256().to_string() })
        };
        Manifest {
            format: FORMAT,
            program: Program::this(),
            created: self.created.to_string(),
            data: settings.benchmarks.iter().map(data).collect(),
            prompts: packs.iter().map(pack).collect(),
            settings: settings.clone(),
            trials_sha256: trials_sha256(&self.trials, &loaded.items),
            trials: self.trials.len(),
            shard,
            model: Model::Local(LocalModel {
                identity: identity.clone(),
                machine: machine.clone(),
                memory_budget,
                plan: self.plan.clone(),
            }),
        }
    }
}

/// Whether answers stand outside any thinking section, by the first prompt of each benchmark and language: where a
/// template opens one does not hang on the item.
fn check_thinking(
    text: &TextSetup<'_>,
    trials: &[Trial],
    items: &[Item],
    asked: &[Result<TrialAsks, Failure>],
) -> Result<(), WorkloadError> {
    if text.template.is_none() {
        return Ok(());
    }
    let mut seen = HashSet::new();
    for (trial, asked) in trials.iter().zip(asked) {
        let item = &items[trial.item];
        let Some(ask) = asked.as_ref().ok().and_then(|asked| asked.asks.first()) else { continue };
        if seen.insert((item.benchmark.as_str(), item.language))
            && let Some(mark) = text.open_thinking(ask)
        {
            return Err(WorkloadError::OpenThinking { mark, item: item.id.clone() });
        }
    }
    Ok(())
}

impl Inputs<'_> {
    /// A folder below `runs/` named by benchmarks, model and a hash of all settings.
    fn default_folder(&self, trials_sha256: &str) -> PathBuf {
        let Machine { device, dtype, .. } = self.machine;
        let mut hash = Sha256::new();
        hash.update(serde_json::to_string(self.settings).unwrap_or_default());
        hash.update(format!("{trials_sha256}{dtype} {device} {:?}", self.cut));
        let short: String = hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let model: String = self.identity.name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
        Path::new("runs").join(format!("{}-{model}-{short}", self.settings.benchmarks.join("+")))
    }

    /// The plan of an earlier run of the same trials where it was cut alike, or a new one.
    fn plan(&self, prepared: &Prepared, existing: Option<Manifest>, tracker: &Tracker) -> Result<Plan, PlanError> {
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        if let Some(Manifest { model: Model::Local(LocalModel { memory_budget, plan, .. }), .. }) = existing
            && memory_budget == self.memory_budget
            && plan.packing.sharing == sharing
            && plan.packing.batch_tokens == batch_tokens
            && pass_tokens.is_none_or(|tokens| tokens == plan.packing.pass_tokens)
        {
            return Ok(plan);
        }
        let costs = MemoryCosts::of(self.spec);
        let pass_tokens = pass_tokens.unwrap_or(Packing::default().pass_tokens);
        let wanted = Packing { pass_tokens, batch_tokens, sharing };
        let packing = fit_packing(&prepared.requests, wanted, &costs, self.memory_budget)?;
        Ok(Plan::tracked(&prepared.requests, packing, &costs, tracker))
    }
}
