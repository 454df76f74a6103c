//! From checked arguments to a workload: items, trials, tokens, plan. Shared by `run` and `plan`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indexmap::IndexMap;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use tomeval::bench::resident_bytes;
use tomeval::engine::{MemoryCosts, Packing, Plan, fit_packing};
use tomeval::prompt::Pack;
use tomeval::run::{
    FORMAT, LoadedItems, LocalModel, Machine, Manifest, Model, ModelIdentity, Preparation, Prepared, Program,
    PromptPack, RunFolder, Settings, Shard, Trial, packs, trials, trials_sha256,
};

use super::setup::{DataArgs, LoadedModel, ModelArgs, PromptArgs, settings};

/// How the work is cut.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// Most tokens in one pass [default: 512, or what the budget allows].
    #[arg(long)]
    pub pass_tokens: Option<usize>,
    /// Tokens after which a batch ends at the next story: what is recorded whole or done again after a stop.
    #[arg(long, alias = "unit-tokens", default_value_t = Packing::default().batch_tokens)]
    pub batch_tokens: usize,
    /// Forward every prompt from its first token, one a pass, to compare.
    #[arg(long)]
    pub no_sharing: bool,
}

/// The arguments that decide a workload.
#[derive(Debug, Clone, clap::Args)]
pub struct WorkloadArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub prompts: PromptArgs,
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// Everything about a run but the weights.
pub struct Workload {
    pub settings: Settings,
    pub loaded: LoadedItems,
    pub packs: IndexMap<String, Pack>,
    pub model: LoadedModel,
    pub trials: Vec<Trial>,
    pub prepared: Prepared,
    /// What is forwarded, in which order: the plan already in the folder, where there is one.
    pub plan: Plan,
    /// What planning took.
    pub planning: Duration,
    plan_args: PlanArgs,
    /// The manifest of an earlier, unfinished or finished run in the same folder.
    existing: Option<Manifest>,
    date: Timestamp,
}

impl Workload {
    /// Load items, open the model's small files, and turn every trial into tokens. `out` may hold an earlier run, whose
    /// date and plan are kept.
    pub fn gather(args: &WorkloadArgs, out: Option<&Path>) -> anyhow::Result<Self> {
        let WorkloadArgs { model, data, prompts, plan } = args;
        let dataset = data.dataset()?;
        let settings = settings(&dataset, prompts)?;
        let packs = packs(&dataset.benchmarks, prompts.prompts.as_deref()).context("prompt packs")?;
        let computing = model.compute.begin()?;
        let loaded = dataset.load()?;
        if let Some(unread) = loaded.unread() {
            eprintln!("{unread}");
        }
        let model = LoadedModel::open_on(model, computing)?;
        let trials = trials(&loaded.items, &packs, &settings)?;
        for name in &settings.benchmarks {
            let asked = |trial: &Trial| &loaded.items[trial.item].benchmark == name;
            anyhow::ensure!(
                trials.iter().any(asked),
                "{name}: its items have nothing that these conditions leave out; add `--condition plain`"
            );
        }
        let mut workload = Workload {
            settings,
            loaded,
            packs,
            model,
            trials,
            prepared: Prepared::default(),
            plan: Plan::default(),
            planning: Duration::ZERO,
            plan_args: plan.clone(),
            existing: None,
            date: Timestamp::now().round(jiff::Unit::Second)?,
        };
        let folder = out.map_or_else(|| workload.default_folder(), Path::to_path_buf);
        workload.existing = RunFolder::continued(&folder)?;
        if let Some(existing) = &workload.existing {
            workload.date = existing.created.parse().context("`created` of the manifest")?;
        }
        workload.prepared = workload.preparation().prepare(&workload.trials);
        let started = Instant::now();
        workload.plan = workload.make_plan()?;
        workload.planning = started.elapsed();
        Ok(workload)
    }

    /// What turns trials into tokens and records.
    pub fn preparation(&self) -> Preparation<'_> {
        Preparation {
            items: &self.loaded.items,
            packs: &self.packs,
            tokenizer: &self.model.text.tokenizer,
            template: self.model.text.template.as_ref(),
            now: self.date.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            context_length: self.model.spec.max_position,
            settings: &self.settings,
        }
    }

    /// A folder below `runs/` named by benchmarks, model and a hash of all settings.
    pub fn default_folder(&self) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(serde_json::to_string(&self.settings).unwrap_or_default());
        hash.update(trials_sha256(&self.trials, &self.loaded.items));
        hash.update(format!(
            "{} {} {:?}",
            self.model.computing.precision.name(),
            self.model.computing.choice,
            self.plan_args
        ));
        let short: String = hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let model: String = self
            .model
            .files
            .name
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' })
            .collect();
        Path::new("runs").join(format!("{}-{model}-{short}", self.settings.benchmarks.join("+")))
    }

    fn make_plan(&self) -> anyhow::Result<Plan> {
        let costs = MemoryCosts::of(&self.model.spec);
        let budget = self.model.computing.memory;
        let trials_sha256 = trials_sha256(&self.trials, &self.loaded.items);
        let same_trials = |existing: &&Manifest| existing.trials_sha256 == trials_sha256;
        let existing =
            self.existing.as_ref().filter(same_trials).map(|Manifest { model: Model::Local(model), .. }| model);
        let reusable = existing.filter(|existing| {
            existing.memory_budget == budget
                && existing.plan.packing.sharing != self.plan_args.no_sharing
                && existing.plan.packing.batch_tokens == self.plan_args.batch_tokens
                && self.plan_args.pass_tokens.is_none_or(|tokens| tokens == existing.plan.packing.pass_tokens)
        });
        if let Some(existing) = reusable {
            return Ok(existing.plan.clone());
        }
        let wanted = Packing {
            sharing: !self.plan_args.no_sharing,
            pass_tokens: self.plan_args.pass_tokens.unwrap_or(Packing::default().pass_tokens),
            batch_tokens: self.plan_args.batch_tokens,
        };
        Ok(Plan::new(&self.prepared.requests, fit_packing(&self.prepared.requests, wanted, &costs, budget)?, &costs))
    }

    /// Bytes of memory the process will take at its peak: what it holds now, before the weights, and what the plan adds.
    pub fn peak_bytes(&self) -> u64 {
        resident_bytes().unwrap_or(0) + self.model.weight_bytes + self.plan.counts.peak_bytes
    }

    /// The manifest of this workload.
    pub fn manifest(&self, shard: Option<Shard>) -> anyhow::Result<Manifest> {
        let data = |name: &String| (name.clone(), self.loaded.data(name));
        let pack = |(name, pack): (&String, &Pack)| {
            (name.clone(), PromptPack { file: pack.file().to_string(), sha256: pack.sha256().to_string() })
        };
        Ok(Manifest {
            format: FORMAT,
            program: Program::this(),
            created: self.date.to_string(),
            data: self.settings.benchmarks.iter().map(data).collect(),
            prompts: self.packs.iter().map(pack).collect(),
            settings: self.settings.clone(),
            trials_sha256: trials_sha256(&self.trials, &self.loaded.items),
            trials: self.trials.len(),
            shard,
            model: Model::Local(LocalModel {
                identity: ModelIdentity {
                    name: self.model.files.name.clone(),
                    source: self.model.source(),
                    revision: self.model.files.revision.clone(),
                    family: self.model.spec.family.to_string(),
                    sha256: self.model.files.hashes()?,
                },
                machine: Machine {
                    device: self.model.computing.choice.to_string(),
                    dtype: self.model.computing.precision.name().to_string(),
                    cpu: super::doctor::cpu_name(),
                    threads: self.model.computing.threads,
                },
                memory_budget: self.model.computing.memory,
                plan: self.plan.clone(),
            }),
        })
    }

    /// What is about to be done, in two lines.
    pub fn description(&self) -> String {
        let counts = &self.plan.counts;
        let failed = self.prepared.failures.iter().flatten().count();
        let failures = if failed > 0 { format!(" ({failed} cannot be asked)") } else { String::new() };
        format!(
            "{} on {}: {} items, {} trials{failures}, {} scoring, orders {}.\n\
             {} tokens to forward instead of {} prompt by prompt ({:.1} times fewer), in {} passes.",
            self.model.files.name,
            self.settings.benchmarks.join(", "),
            self.loaded.items.len(),
            self.trials.len(),
            self.settings.scoring,
            self.settings.orders,
            counts.forwarded,
            counts.prompt_by_prompt,
            counts.ratio(),
            counts.passes,
        )
    }
}
