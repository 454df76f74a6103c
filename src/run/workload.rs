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
use super::examples::{ShotError, add_shots};
use super::execute::Run;
use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::manifest::{
    FORMAT, LocalModel, Machine, Manifest, Model, ModelIdentity, Program, PromptPack, Shard, trials_sha256,
};
use super::reasoning::Reasoning;
use super::reasons::Reasons;
use super::settings::Settings;
use super::trial::{Trial, TrialError, trials};
use crate::answer::answers_wanted;
use crate::backend::{KeptAsk, Prepared, TextSetup, TrialAsks};
use crate::benchmark::{Benchmark, Item, joined};
use crate::decoder::{Arithmetic, DecoderSpec};
use crate::engine::{MemoryCosts, Packing, Plan, PlanError, fit_packing};
use crate::extract::{Kind, Rules};
use crate::model::{ChatTemplate, Tokenizer};
use crate::progress::Tracker;
use crate::prompt::Pack;
use crate::record::{Failure, FailureKind};

/// What a workload is made of.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// What its user calls the run.
    pub name: Option<&'a str>,
    /// What was asked for.
    pub settings: &'a Settings,
    /// The items.
    pub loaded: &'a LoadedItems,
    /// The model's own reasoning, where answers are scored behind it.
    pub reasoning: Option<&'a Reasoning>,
    /// Prompt packs by benchmark.
    pub packs: &'a IndexMap<Benchmark, Pack>,
    /// Which model.
    pub identity: &'a ModelIdentity,
    /// Its shape.
    pub spec: &'a DecoderSpec,
    /// What it is computed in.
    pub arithmetic: Arithmetic,
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
    /// Is told how far the preparations are.
    pub tracker: &'a Tracker,
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
    listed: Listed,
    /// What is asked in each trial.
    pub asked: Vec<Result<TrialAsks, Failure>>,
    /// Their tokens.
    pub prepared: Prepared,
    /// What is forwarded, in which order: the plan already in the folder, where there is one.
    pub plan: Plan,
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
    /// There are no examples for an item.
    #[error(transparent)]
    Shots(#[from] ShotError),
    /// The conditions leave nothing to ask of a benchmark.
    #[error("{benchmark}: its items have nothing that these conditions leave out; add `--condition plain`")]
    NothingToLeaveOut { benchmark: Benchmark },
    /// The rules for replies read none to some of the items.
    #[error("{}", unreadable(*rules, item, *kind))]
    NoRules {
        rules: Rules,
        /// The first such item.
        item: String,
        /// What it takes.
        kind: Kind,
    },
    /// Not one trial of a benchmark can be asked.
    #[error("{benchmark}: nothing can be asked:{reasons}")]
    NothingToAsk { benchmark: Benchmark, reasons: Reasons },
    /// The folder holds something else.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The manifest of an earlier run gives no time.
    #[error("`created` of the manifest in {}: {source}", folder.display())]
    Created {
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

fn unreadable(rules: Rules, item: &str, kind: Kind) -> String {
    let (rules, kind) = (rules.name(), kind.name());
    format!(
        "the {rules} rules read single answers only, and `{item}` takes {kind}; use --extract ours, or leave such items out \
         with --where"
    )
}

impl<'a> Workload<'a> {
    /// Turn every trial into tokens and plan the work. A folder with a name made of the settings, below `runs/`, may hold
    /// an earlier run of the same work: its date and plan are kept.
    pub fn gather(inputs: Inputs<'a>) -> Result<Self, WorkloadError> {
        let listed = inputs.list()?;
        let folder = inputs.default_folder(&listed, None);
        let existing = RunFolder::continued(&folder)?;
        Self::prepare(inputs, listed, folder, existing.as_ref())
    }

    /// The same for trials that are listed, to be run in a folder that may hold an earlier run.
    pub(super) fn prepare(
        inputs: Inputs<'a>,
        Listed { trials, sha256 }: Listed,
        folder: PathBuf,
        existing: Option<&Manifest>,
    ) -> Result<Self, WorkloadError> {
        let Inputs { settings, packs, tracker, .. } = inputs;
        let items = &inputs.loaded.items;
        let created = created(&folder, existing)?;
        let started = Instant::now();
        let mut asked = asks_of(&trials, items, packs, settings, inputs.reasoning, tracker);
        add_shots(&mut asked, &trials, items, inputs.loaded.shots(), packs, settings)?;
        let text = TextSetup {
            tokenizer: inputs.tokenizer,
            template: inputs.template,
            variables: &settings.template_variables,
            now: created.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            context_length: inputs.spec.max_position,
        };
        if text.template.is_some() {
            check_thinking(&|ask| text.open_thinking(ask), &trials, items, &asked)?;
        }
        let prepared = text.prepare(&asked, tracker);
        check_askable(settings, &trials, items, &prepared.failures)?;
        let tokenizing = started.elapsed();
        let started = Instant::now();
        let existing = existing.filter(|existing| existing.trials_sha256 == sha256);
        let plan = inputs.plan(&prepared, &folder, existing)?;
        let planning = started.elapsed();
        let listed = Listed { trials, sha256 };
        Ok(Workload { inputs, listed, asked, prepared, plan, tokenizing, planning, created })
    }

    /// The trials.
    pub fn trials(&self) -> &[Trial] {
        &self.listed.trials
    }

    /// The run of this workload.
    pub fn run(&self, shard: Option<Shard>) -> Run<'_> {
        Run {
            items: &self.inputs.loaded.items,
            trials: &self.listed.trials,
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

    /// Tokens of all replies if each is as long as it may be; 0 where none is written.
    pub fn most_written(&self) -> usize {
        let asked = self.asked.iter().zip(&self.prepared.failures).filter(|(_, failure)| failure.is_none());
        asked.filter_map(|(asked, _)| asked.as_ref().ok()).map(|asked| asked.most_tokens).sum()
    }

    /// Bytes that keys, values and activations take at their peak: of scoring as the plan has it, of writing as many replies at
    /// a time as the budget has room for.
    pub fn peak_bytes(&self) -> u64 {
        let Inputs { spec, arithmetic, memory_budget, .. } = self.inputs;
        let counts = &self.plan.counts;
        match self.most_written() {
            0 => counts.peak_bytes,
            written => {
                let costs = MemoryCosts::of(spec, arithmetic);
                let all = costs.pass_bytes(counts.forwarded.saturating_add(written), self.plan.packing.pass_tokens);
                all.min(memory_budget).max(counts.peak_bytes)
            }
        }
    }

    /// Trials that cannot be asked.
    pub fn failed_trials(&self) -> usize {
        self.prepared.failures.iter().flatten().count()
    }

    /// Why trials cannot be asked, for a person who is about to go on without them; `None` where all can.
    pub fn unasked(&self) -> Option<String> {
        unasked(self.trials(), &self.inputs.loaded.items, &self.prepared.failures)
    }

    /// The manifest of this workload.
    pub fn manifest(&self, shard: Option<Shard>) -> Manifest {
        self.inputs.manifest(&self.listed, self.created, shard, self.plan.clone())
    }
}

/// When a run was begun: now, unless there is an earlier part of it.
pub(super) fn created(folder: &Path, existing: Option<&Manifest>) -> Result<Timestamp, WorkloadError> {
    let now = Timestamp::now();
    match existing {
        Some(existing) => {
            (existing.created.parse()).map_err(|source| WorkloadError::Created { folder: folder.to_path_buf(), source })
        }
        None => Ok(now.round(jiff::Unit::Second).unwrap_or(now)),
    }
}

/// Refuse benchmarks of which nothing can be asked; `failures` has why each trial cannot, if so.
pub(super) fn check_askable(
    settings: &Settings,
    trials: &[Trial],
    items: &[Item],
    failures: &[Option<Failure>],
) -> Result<(), WorkloadError> {
    for &benchmark in &settings.benchmarks {
        let (mut failed, mut all) = (Vec::new(), 0);
        for (trial, failure) in trials.iter().zip(failures) {
            if items[trial.item].benchmark == benchmark {
                all += 1;
                failed.extend(failure.as_ref().map(|failure| (&items[trial.item], failure)));
            }
        }
        // Prompts of too many questions are a result: each question counts as not answered.
        let several = settings.writing.as_ref().is_some_and(|writing| writing.questions_per_prompt.is_some());
        let too_long = failed.iter().all(|(_, failure)| failure.kind == FailureKind::TooLong);
        if failed.len() == all && !(several && too_long) {
            return Err(WorkloadError::NothingToAsk { benchmark, reasons: Reasons::of(failed) });
        }
    }
    Ok(())
}

/// Why trials cannot be asked, for a person; `None` where all can.
pub(super) fn unasked(trials: &[Trial], items: &[Item], failures: &[Option<Failure>]) -> Option<String> {
    let failed = trials.iter().zip(failures);
    let failed = failed.filter_map(|(trial, failure)| Some((&items[trial.item], failure.as_ref()?)));
    let reasons = Reasons::of(failed);
    let (failed, all) = (failures.iter().flatten().count(), trials.len());
    (failed > 0).then(|| format!("{failed} of {all} trials cannot be asked and will have no answer:{reasons}"))
}

/// Whether answers stand outside any thinking section, by the first prompt of each benchmark and language: where a
/// template opens one does not hang on the item.
pub(super) fn check_thinking(
    open_thinking: &dyn Fn(&KeptAsk) -> Option<&'static str>,
    trials: &[Trial],
    items: &[Item],
    asked: &[Result<TrialAsks, Failure>],
) -> Result<(), WorkloadError> {
    let written = |asked: &Result<TrialAsks, Failure>| {
        asked.as_ref().is_ok_and(|asked| asked.asks.iter().any(|ask| ask.continuations.is_empty()))
    };
    if asked.iter().any(written) {
        return Ok(());
    }
    let mut seen = HashSet::new();
    for (trial, asked) in trials.iter().zip(asked) {
        let item = &items[trial.item];
        let Some(ask) = asked.as_ref().ok().and_then(|asked| asked.asks.first()) else { continue };
        if seen.insert((item.benchmark, item.language))
            && let Some(mark) = open_thinking(ask)
        {
            return Err(WorkloadError::OpenThinking { mark, item: item.id.clone() });
        }
    }
    Ok(())
}

/// The trials of a run, with the hash over them.
pub(super) struct Listed {
    pub trials: Vec<Trial>,
    pub sha256: String,
}

/// The trials of a run, where there is something to ask of every benchmark.
pub(super) fn listed(
    settings: &Settings,
    loaded: &LoadedItems,
    packs: &IndexMap<Benchmark, Pack>,
) -> Result<Listed, WorkloadError> {
    let items = &loaded.items;
    if let Some(writing) = &settings.writing {
        let unread = |item: &&Item| !writing.extract.read(answers_wanted(&item.gold).0);
        if let Some(item) = items.iter().find(unread) {
            let (rules, kind) = (writing.extract, answers_wanted(&item.gold).0);
            return Err(WorkloadError::NoRules { rules, item: item.id.clone(), kind });
        }
    }
    let trials = trials(items, packs, settings)?;
    for &benchmark in &settings.benchmarks {
        if !trials.iter().any(|trial| items[trial.item].benchmark == benchmark) {
            return Err(WorkloadError::NothingToLeaveOut { benchmark });
        }
    }
    let sha256 = trials_sha256(&trials, items);
    Ok(Listed { trials, sha256 })
}

/// A folder below `runs/` named by benchmarks, model, a hash of all that decides the work, and the part of it.
pub(super) fn folder_name(settings: &Settings, model: &str, hash: &[u8], shard: Option<Shard>) -> PathBuf {
    let short: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    let model: String = model.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let part = shard.map(|Shard { index, of }| format!("-{index}-of-{of}")).unwrap_or_default();
    Path::new("runs").join(format!("{}-{model}-{short}{part}", joined(&settings.benchmarks, "+")))
}

impl Inputs<'_> {
    /// The trials, where there is something to ask of every benchmark.
    pub(super) fn list(&self) -> Result<Listed, WorkloadError> {
        listed(self.settings, self.loaded, self.packs)
    }

    /// The manifest of a run of these trials.
    pub(super) fn manifest(&self, listed: &Listed, created: Timestamp, shard: Option<Shard>, plan: Plan) -> Manifest {
        let Inputs { name, settings, loaded, packs, identity, machine, memory_budget, .. } = *self;
        let data = |&benchmark: &Benchmark| (benchmark, loaded.data(benchmark));
        let pack = |(&benchmark, pack): (&Benchmark, &Pack)| (benchmark, PromptPack::of(pack));
        Manifest {
            canary: None,
            format: FORMAT,
            name: name.map(str::to_string),
            program: Program::this(),
            created: created.to_string(),
            data: settings.benchmarks.iter().map(data).collect(),
            prompts: packs.iter().map(pack).collect(),
            settings: settings.clone(),
            trials_sha256: listed.sha256.clone(),
            trials: listed.trials.len(),
            shard,
            model: Model::Local(Box::new(LocalModel {
                identity: identity.clone(),
                machine: machine.clone(),
                memory_budget,
                plan,
                cuts: 0,
            })),
            mixed: Vec::new(),
            sha256: None,
        }
    }

    /// A folder below `runs/` named by benchmarks, model, a hash of all settings and the part of the work.
    pub(super) fn default_folder(&self, listed: &Listed, shard: Option<Shard>) -> PathBuf {
        let Machine { device, dtype, .. } = self.machine;
        let mut hash = Sha256::new();
        hash.update(serde_json::to_string(self.settings).unwrap_or_default());
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        // Word for word what earlier versions wrote: another text would begin runs anew.
        let cut = format!("Cut {{ pass_tokens: {pass_tokens:?}, batch_tokens: {batch_tokens}, sharing: {sharing} }}");
        hash.update(format!("{}{dtype} {device} {cut}", listed.sha256));
        folder_name(self.settings, &self.identity.name, &hash.finalize(), shard)
    }

    /// The plan of an earlier run of the same trials, where it was cut as is asked for now.
    pub(super) fn plan_of<'m>(&self, existing: &'m Manifest) -> Option<&'m Plan> {
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        let LocalModel { memory_budget, plan, .. } = existing.model.local()?;
        let alike = *memory_budget == self.memory_budget
            && plan.packing.sharing == sharing
            && plan.packing.batch_tokens == batch_tokens
            && pass_tokens.is_none_or(|tokens| tokens == plan.packing.pass_tokens);
        alike.then_some(plan)
    }

    /// The plan of an earlier run of the same trials where it was cut alike, or a new one.
    fn plan(&self, prepared: &Prepared, folder: &Path, existing: Option<&Manifest>) -> Result<Plan, WorkloadError> {
        let Cut { pass_tokens, batch_tokens, sharing } = self.cut;
        let costs = MemoryCosts::of(self.spec, self.arithmetic);
        if let Some(plan) = existing.and_then(|existing| self.plan_of(existing)) {
            // Anyone may have changed it, and another model may be asked than the one it was made for.
            let packing = fit_packing(&prepared.requests, plan.packing, &costs, self.memory_budget)?;
            let fits = plan.check(&prepared.requests, &costs).map_err(|fault| fault.to_string());
            let fits = fits.and_then(|()| match packing == plan.packing {
                true => Ok(()),
                false => Err(format!("the plan has passes of {} tokens for this memory", plan.packing.pass_tokens)),
            });
            return match fits {
                Ok(()) => Ok(plan.clone()),
                Err(fault) => Err(FolderError::bad_plan(folder, &fault).into()),
            };
        }
        let pass_tokens = pass_tokens.unwrap_or(Packing::on(self.arithmetic).pass_tokens);
        let wanted = Packing { pass_tokens, batch_tokens, sharing };
        let packing = fit_packing(&prepared.requests, wanted, &costs, self.memory_budget)?;
        Ok(Plan::tracked(&prepared.requests, packing, &costs, self.tracker))
    }
}
