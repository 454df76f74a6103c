//! From settings and items to a workload for a server: trials, asks, and the order in which they are sent.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::asks::asks_of;
use super::begin::Beginning;
use super::dataset::LoadedItems;
use super::examples::add_shots;
use super::execute::Run;
use super::folder::{ClaimedFolder, RunFolder};
use super::manifest::{FORMAT, Manifest, Model, Program, PromptPack, Shard};
use super::served_model::{ServedPlan, ServerModel};
use super::settings::Settings;
use super::workload::{Listed, WorkloadError, check_askable, check_thinking, created, folder_name, listed, unasked};
use crate::backend::{PromptWriter, ServedTrials, TrialAsks};
use crate::benchmark::Benchmark;
use crate::model::{ChatTemplate, Tokenizer};
use crate::progress::Tracker;
use crate::prompt::Pack;
use crate::record::{Failure, FailureKind};
use crate::server::ScoreMode;

/// What a workload for a server is made of.
#[derive(Clone, Copy)]
pub struct ServedInputs<'a> {
    /// What its user calls the run.
    pub name: Option<&'a str>,
    /// What was asked for.
    pub settings: &'a Settings,
    /// The items.
    pub loaded: &'a LoadedItems,
    /// Prompt packs by benchmark.
    pub packs: &'a IndexMap<Benchmark, Pack>,
    /// Which model; its plan is made here.
    pub model: &'a ServerModel,
    /// How log-likelihoods come about; `None` where replies are written.
    pub mode: Option<ScoreMode>,
    /// Which way prompts go.
    pub route: crate::backend::Route,
    /// What writes them here, if anything does.
    pub template: Option<&'a ChatTemplate>,
    /// The tokenizer of the server's model, where it is known.
    pub tokenizer: Option<&'a Tokenizer>,
    /// Whether the server's template takes no system message.
    pub merge_system: bool,
    /// The longest sequence the model takes, in tokens, where it is known.
    pub context_length: Option<usize>,
    /// What the server puts in front of every prompt, whatever it is told.
    pub server_begins: Option<&'a str>,
    /// Is told how far the preparations are.
    pub tracker: &'a Tracker,
}

/// Everything about a run on a server but its answers.
pub struct ServedWorkload<'a> {
    inputs: ServedInputs<'a>,
    listed: Listed,
    /// What is asked in each trial.
    pub asked: Vec<Result<TrialAsks, Failure>>,
    /// In which order, and what cannot be.
    pub prepared: ServedTrials,
    preparing: Duration,
    created: Timestamp,
}

/// A run on a server that is begun.
pub enum ServedBegun<'a> {
    /// Everything was recorded already.
    Finished(RunFolder),
    /// There is work to do.
    Ready(Box<ServedWorkload<'a>>, RunFolder),
}

/// Begin or go on with a run in `out`, by default a folder below `runs/` with a name made of the settings.
pub fn begin_served<'a>(
    inputs: ServedInputs<'a>,
    out: Option<&Path>,
    how: Beginning,
) -> Result<ServedBegun<'a>, WorkloadError> {
    let Beginning { shard, allow_mixed, .. } = how;
    let listed = listed(inputs.settings, inputs.loaded, inputs.packs)?;
    let path = out.map_or_else(|| inputs.default_folder(&listed, shard), Path::to_path_buf);
    let mut claimed = ClaimedFolder::claim(&path)?;
    if let Some(existing) = claimed.manifest()
        && let Some(plan) = plan_of(existing)
    {
        let manifest = inputs.manifest(&listed, created(&path, Some(existing))?, shard, plan.clone());
        claimed.compare(&manifest, allow_mixed)?;
        claimed = match claimed.finished(&manifest)? {
            Ok(folder) => return Ok(ServedBegun::Finished(folder)),
            Err(claimed) => claimed,
        };
    }
    let workload = ServedWorkload::prepare(inputs, listed, path, claimed.manifest())?;
    let folder = claimed.open(&workload.manifest(shard), allow_mixed)?;
    Ok(ServedBegun::Ready(Box::new(workload), folder))
}

fn plan_of(existing: &Manifest) -> Option<&ServedPlan> {
    match &existing.model {
        Model::Server(model) => Some(&model.plan),
        Model::Local(_) => None,
    }
}

impl<'a> ServedWorkload<'a> {
    /// Write every prompt once and put them in order, to be planned only.
    pub fn gather(inputs: ServedInputs<'a>) -> Result<Self, WorkloadError> {
        let listed = listed(inputs.settings, inputs.loaded, inputs.packs)?;
        let folder = inputs.default_folder(&listed, None);
        Self::prepare(inputs, listed, folder, None)
    }

    fn prepare(
        inputs: ServedInputs<'a>,
        listed: Listed,
        folder: PathBuf,
        existing: Option<&Manifest>,
    ) -> Result<Self, WorkloadError> {
        let ServedInputs { settings, packs, loaded, tracker, .. } = inputs;
        let created = created(&folder, existing)?;
        let started = Instant::now();
        let (trials, items) = (&listed.trials, &loaded.items);
        let mut asked = asks_of(trials, items, packs, settings, None, tracker);
        add_shots(&mut asked, trials, items, loaded.shots(), packs, settings)?;
        let prompts = inputs.prompts(created);
        if inputs.template.is_some() {
            check_thinking(&|ask| prompts.open_thinking(ask), trials, items, &asked)?;
        }
        let mut prepared = prompts.prepare(&asked, inputs.mode, tracker);
        if let Some(plan) = existing.filter(|known| known.trials_sha256 == listed.sha256).and_then(plan_of) {
            prepared.batches.clone_from(&plan.batches);
            let mut planned = vec![false; trials.len()];
            plan.batches.iter().flatten().for_each(|&trial| planned[trial] = true);
            // Which lines the folder has is settled, whatever is thought of a prompt now.
            for (failure, planned) in prepared.failures.iter_mut().zip(planned) {
                match planned {
                    true => *failure = None,
                    false => {
                        let message = "it could not be asked when the run was begun".to_string();
                        failure.get_or_insert(Failure { kind: FailureKind::Prompt, message });
                    }
                }
            }
        }
        check_askable(settings, trials, items, &prepared.failures)?;
        let preparing = started.elapsed();
        Ok(ServedWorkload { inputs, listed, asked, prepared, preparing, created })
    }

    /// How its prompts are written.
    pub fn prompts(&self) -> PromptWriter<'a> {
        self.inputs.prompts(self.created)
    }

    /// How many trials there are.
    pub fn trials(&self) -> usize {
        self.listed.trials.len()
    }

    /// The run of this workload.
    pub fn run(&self, shard: Option<Shard>) -> Run<'_> {
        Run {
            items: &self.inputs.loaded.items,
            trials: &self.listed.trials,
            asked: &self.asked,
            settings: self.inputs.settings,
            shard,
            tokenizing: self.preparing,
            planning: Duration::ZERO,
        }
    }

    /// Trials that cannot be asked.
    pub fn failed_trials(&self) -> usize {
        self.prepared.failures.iter().flatten().count()
    }

    /// Why trials cannot be asked, for a person who is about to go on without them; `None` where all can.
    pub fn unasked(&self) -> Option<String> {
        unasked(&self.listed.trials, &self.inputs.loaded.items, &self.prepared.failures)
    }

    /// The manifest of this workload.
    pub fn manifest(&self, shard: Option<Shard>) -> Manifest {
        let plan = ServedPlan { batches: self.prepared.batches.clone() };
        self.inputs.manifest(&self.listed, self.created, shard, plan)
    }
}

impl<'a> ServedInputs<'a> {
    fn prompts(&self, created: Timestamp) -> PromptWriter<'a> {
        PromptWriter {
            route: self.route,
            template: self.template,
            variables: &self.settings.template_variables,
            now: Some(created.to_zoned(jiff::tz::TimeZone::UTC).datetime()),
            tokenizer: self.tokenizer,
            merge_system: self.merge_system,
            context_length: self.context_length,
            server_begins: self.server_begins,
        }
    }

    fn manifest(&self, listed: &Listed, created: Timestamp, shard: Option<Shard>, plan: ServedPlan) -> Manifest {
        let ServedInputs { name, settings, loaded, packs, model, .. } = *self;
        let pack = |(&benchmark, pack): (&Benchmark, &Pack)| (benchmark, PromptPack::of(pack));
        Manifest {
            canary: None,
            format: FORMAT,
            name: name.map(str::to_string),
            program: Program::this(),
            created: created.to_string(),
            data: settings.benchmarks.iter().map(|&benchmark| (benchmark, loaded.data(benchmark))).collect(),
            prompts: packs.iter().map(pack).collect(),
            settings: settings.clone(),
            trials_sha256: listed.sha256.clone(),
            trials: listed.trials.len(),
            shard,
            model: Model::Server(Box::new(ServerModel { plan, ..model.clone() })),
            mixed: Vec::new(),
            sha256: None,
        }
    }

    fn default_folder(&self, listed: &Listed, shard: Option<Shard>) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(serde_json::to_string(self.settings).unwrap_or_default());
        let ServerModel { address, route, scores, .. } = self.model;
        hash.update(format!("{}{address} {route} {scores:?}", listed.sha256));
        folder_name(self.settings, &self.model.name, &hash.finalize(), shard)
    }
}
