//! From settings and items to a workload: trials, their prompts, the model's requests and their order. Covers
//! everything about a run except the backend: no weights, no server.

use crate::counted::counted;
use crate::ledger::FolderError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use jiff::Timestamp;
use jiff::civil::DateTime;
use sha2::{Digest, Sha256};

use super::execute::Run;
use super::folder::RunFolder;
use super::manifest::{FORMAT, Manifest, Model, Program, Shard, trials_sha256};
use super::reasons::Reasons;
use crate::answer::answers_wanted;
use crate::backend::BackendError;
use crate::benchmark::{Benchmark, Item, joined};
use crate::engine::PlanError;
use crate::extract::{Kind, Rules};
use crate::model::sha256_bytes;
use crate::progress::Tracker;
use crate::prompt::Pack;
use crate::record::{Failure, FailureKind};
use crate::trial;
use crate::trial::{
    EarlierTexts, KeptAsk, KeptFile, LeftOut, LoadedItems, PromptPack, Settings, ShotError, Trial, TrialAsks,
    TrialError, add_shots, asks_of, keep_items, resolved_path, trials,
};

/// Inputs of a workload.
#[derive(Clone, Copy)]
pub struct Inputs<'a, P> {
    /// Run name given by the user.
    pub name: Option<&'a str>,
    /// Settings of the run.
    pub settings: &'a Settings,
    /// The items.
    pub loaded: &'a LoadedItems,
    /// Replies of an earlier run that the prompts contain, if any.
    pub earlier: Option<&'a EarlierTexts>,
    /// Prompt packs by benchmark.
    pub packs: &'a IndexMap<Benchmark, Pack>,
    /// Preparation for the model's backend.
    pub model: P,
    /// Receives preparation progress.
    pub tracker: &'a Tracker,
}

/// Prepares the requests of a local or served model; needs no weights, and sends nothing but the trials that decide
/// between two sources of log-likelihoods.
pub trait Preparation: Copy {
    /// The requests of all trials.
    type Prepared;
    /// Order in which they are answered, as stored in manifests.
    type Plan: Clone;

    /// Returns the model's name.
    fn name(&self) -> &str;

    /// Returns text that identifies the model and its arithmetic. It is hashed with settings and trials into the name
    /// of the default folder.
    fn decides(&self) -> String;

    /// Returns the plan of an earlier run, if it was made with the current settings.
    fn plan_of(&self, existing: &Manifest) -> Option<Self::Plan>;

    /// Returns the model as stored in manifests.
    fn model(&self, plan: Self::Plan) -> Model;

    /// Builds the requests of trials.
    fn prepare(&self, of: &Preparing<'_>) -> Result<Self::Prepared, WorkloadError>;

    /// Returns the failure of each trial that cannot be asked.
    fn failures(prepared: &Self::Prepared) -> &[Option<Failure>];

    /// Plans the order of valid requests, reusing that of an earlier run of the same trials in `folder`, if any.
    fn plan(&self, prepared: &Self::Prepared, of: &Preparing<'_>, folder: &Path) -> Result<Self::Plan, WorkloadError>;
}

/// Trials whose requests are to be built.
pub struct Preparing<'a> {
    pub settings: &'a Settings,
    pub trials: &'a [Trial],
    pub items: &'a [Item],
    /// Prompts of each trial.
    pub asked: &'a [Result<TrialAsks, Failure>],
    /// When the run began, for templates that print it.
    pub now: DateTime,
    /// The manifest of an earlier run of the same trials.
    pub existing: Option<&'a Manifest>,
    pub tracker: &'a Tracker,
}

/// Everything about a run except the backend.
pub struct Workload<'a, P: Preparation> {
    pub(super) inputs: Inputs<'a, P>,
    listed: Listed,
    /// Prompts of each trial.
    pub asked: Vec<Result<TrialAsks, Failure>>,
    /// The model's requests.
    pub prepared: P::Prepared,
    /// Order in which they are answered: the plan already in the folder, if any.
    pub plan: P::Plan,
    tokenizing: Duration,
    planning: Duration,
    created: Timestamp,
}

/// A workload that cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// The trials cannot be built.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// There are no examples for an item.
    #[error(transparent)]
    Shots(#[from] ShotError),
    /// The conditions leave nothing to ask of a benchmark.
    #[error("{benchmark}: these conditions leave out nothing from its items; add `--condition plain`")]
    NothingToLeaveOut { benchmark: Benchmark },
    /// The options of all items of a benchmark are needed.
    #[error("{benchmark}: nothing can be asked with its options hidden ({left_out}); use --options before")]
    AllNeedOptions { benchmark: Benchmark, left_out: String },
    /// The rules for replies cannot read answers of some items.
    #[error("{}", unreadable(*rules, item, *kind))]
    NoRules {
        rules: Rules,
        /// The first such item.
        item: String,
        /// Kind of its answers.
        kind: Kind,
    },
    /// No trial of a benchmark can be asked.
    #[error("{benchmark}: nothing can be asked:{reasons}")]
    NothingToAsk { benchmark: Benchmark, reasons: Reasons },
    /// The folder contains something else.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The manifest of an earlier run has no valid time.
    #[error("`created` of the manifest in {}: {source}", folder.display())]
    Created {
        folder: PathBuf,
        /// Error of the time.
        source: jiff::Error,
    },
    /// The template makes the model think where an answer is scored.
    #[error(
        "the chat template opens a thinking section ({mark}) that the prompt of `{item}` does not close, so the model would \
         think where its answer is scored; close it by the template's own switch (--template-var NAME=VALUE), or by a style \
         whose answer_prefix does"
    )]
    OpenThinking {
        /// Mark that opens the section.
        mark: &'static str,
        /// First such item.
        item: String,
    },
    /// The source of log-likelihoods could not be chosen.
    #[error(transparent)]
    Source(#[from] BackendError),
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

impl<'a, P: Preparation> Workload<'a, P> {
    /// Turns every trial into requests and plans the work. A folder below `runs/` named after the settings may contain
    /// an earlier run of the same work: its date and plan are kept.
    pub fn gather(inputs: Inputs<'a, P>) -> Result<Self, WorkloadError> {
        let listed = inputs.list()?;
        let folder = inputs.default_folder(&listed, None);
        let existing = RunFolder::continued(&folder)?;
        Self::prepare(inputs, listed, folder, existing.as_ref())
    }

    /// Like `gather`, for listed trials, to be run in a folder that may contain an earlier run.
    pub(super) fn prepare(
        inputs: Inputs<'a, P>,
        listed: Listed,
        folder: PathBuf,
        existing: Option<&Manifest>,
    ) -> Result<Self, WorkloadError> {
        let Inputs { settings, packs, tracker, .. } = inputs;
        let (trials, items) = (&listed.trials, &inputs.loaded.items);
        let created = created(&folder, existing)?;
        let started = Instant::now();
        let mut asked = asks_of(trials, items, packs, settings, inputs.earlier, tracker);
        add_shots(&mut asked, trials, items, inputs.loaded.shots(), packs, settings)?;
        let now = date(created);
        let existing = existing.filter(|existing| existing.trials_sha256 == listed.sha256);
        let of = Preparing { settings, trials, items, asked: &asked, now, existing, tracker };
        let prepared = inputs.model.prepare(&of)?;
        check_askable(settings, trials, items, P::failures(&prepared))?;
        let tokenizing = started.elapsed();
        let started = Instant::now();
        let plan = inputs.model.plan(&prepared, &of, &folder)?;
        let planning = started.elapsed();
        Ok(Workload { inputs, listed, asked, prepared, plan, tokenizing, planning, created })
    }

    /// Returns when the run began, for templates that print it.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    pub(super) fn now(&self) -> DateTime {
        date(self.created)
    }

    /// Returns the trials.
    pub fn trials(&self) -> &[Trial] {
        &self.listed.trials
    }

    /// Returns the run of this workload.
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

    /// Returns the number of trials that cannot be asked.
    pub fn failed_trials(&self) -> usize {
        P::failures(&self.prepared).iter().flatten().count()
    }

    /// Reasons why trials cannot be asked, for the user; `None` if all can.
    pub fn unasked(&self) -> Option<String> {
        let failures = P::failures(&self.prepared);
        let (trials, items) = (&self.listed.trials, &self.inputs.loaded.items);
        let failed = trials.iter().zip(failures);
        let failed = failed.filter_map(|(trial, failure)| Some((&items[trial.item], failure.as_ref()?)));
        let reasons = Reasons::from_failures(failed);
        let (failed, all) = (self.failed_trials(), trials.len());
        (failed > 0)
            .then(|| format!("{failed} of {} cannot be asked and will have no answer:{reasons}", counted(all, "trial")))
    }

    /// Returns the manifest of this workload.
    pub fn manifest(&self, shard: Option<Shard>) -> Manifest {
        self.inputs.manifest(&self.listed, self.created, shard, self.plan.clone())
    }
}

fn date(created: Timestamp) -> DateTime {
    created.to_zoned(jiff::tz::TimeZone::UTC).datetime()
}

/// Returns when a run began: now, unless there is an earlier part of it.
pub(super) fn created(folder: &Path, existing: Option<&Manifest>) -> Result<Timestamp, WorkloadError> {
    let now = Timestamp::now();
    match existing {
        Some(existing) => {
            (existing.created.parse()).map_err(|source| WorkloadError::Created { folder: folder.to_path_buf(), source })
        }
        None => Ok(now.round(jiff::Unit::Second).unwrap_or(now)),
    }
}

/// Refuses benchmarks without a valid trial; `failures` has the reason of each trial that cannot be asked.
fn check_askable(
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
        // Prompts with too many questions are a result: each question counts as not answered.
        let several = settings.writing.as_ref().is_some_and(|writing| writing.questions_per_prompt.is_some());
        let too_long = failed.iter().all(|(_, failure)| failure.kind == FailureKind::TooLong);
        if failed.len() == all && !(several && too_long) {
            return Err(WorkloadError::NothingToAsk { benchmark, reasons: Reasons::from_failures(failed) });
        }
    }
    Ok(())
}

impl Preparing<'_> {
    /// Checks that answers are outside any thinking section, on the first prompt of each benchmark and language:
    /// whether a template opens one does not depend on the item.
    pub(super) fn check_thinking(
        &self,
        open_thinking: impl Fn(&KeptAsk, bool) -> Option<&'static str>,
    ) -> Result<(), WorkloadError> {
        let written = |asked: &Result<TrialAsks, Failure>| {
            asked.as_ref().is_ok_and(|asked| asked.asks.iter().any(|ask| ask.continuations.is_empty()))
        };
        if self.asked.iter().any(written) {
            return Ok(());
        }
        let mut seen = HashSet::new();
        for (trial, asked) in self.trials.iter().zip(self.asked) {
            let item = &self.items[trial.item];
            let Ok(TrialAsks { asks, switched_off, .. }) = asked else { continue };
            let Some(ask) = asks.first() else { continue };
            if seen.insert((item.benchmark, item.language, *switched_off))
                && let Some(mark) = open_thinking(ask, *switched_off)
            {
                return Err(WorkloadError::OpenThinking { mark, item: item.id.clone() });
            }
        }
        Ok(())
    }
}

/// Trials of a run, with their hash.
pub(super) struct Listed {
    pub trials: Vec<Trial>,
    pub left_out: Vec<LeftOut>,
    pub sha256: String,
}

impl<P: Preparation> Inputs<'_, P> {
    /// Stores the items in the run's folder, with the prompt packs and the file of examples.
    pub(super) fn keep(&self, folder: &Path) -> Result<(), FolderError> {
        let shots = self.settings.shots.as_ref().and_then(|shots| shots.file.as_ref());
        // A file of examples that has just changed is not the one shown.
        let shots = shots.and_then(|file| {
            let content = std::fs::read(resolved_path(Path::new(&file.path))).ok()?;
            (sha256_bytes(&content) == file.sha256).then_some((file.path.as_str(), content))
        });
        let name =
            |path: &'_ str| Path::new(path).file_name().map_or_else(String::new, |name| name.display().to_string());
        let packs =
            self.packs.values().map(|pack| (name(pack.file().trim_start_matches("built-in ")), pack.text().as_bytes()));
        let files: Vec<(String, &[u8])> =
            packs.chain(shots.iter().map(|(path, content)| (name(path), content.as_slice()))).collect();
        let files: Vec<KeptFile<'_>> = files.iter().map(|(name, content)| KeptFile { name, content }).collect();
        keep_items(folder, self.loaded, &files)
    }

    /// Lists the trials, after checking that every benchmark has something to ask.
    pub(super) fn list(&self) -> Result<Listed, WorkloadError> {
        let Inputs { settings, packs, .. } = *self;
        let items = &self.loaded.items;
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
                let mine: Vec<&Item> = items.iter().filter(|item| item.benchmark == benchmark).collect();
                let of_mine = trial::left_out(mine.iter().copied(), packs, settings);
                return Err(match LeftOut::described(&of_mine, mine.len()) {
                    Some(left_out) => WorkloadError::AllNeedOptions { benchmark, left_out },
                    None => WorkloadError::NothingToLeaveOut { benchmark },
                });
            }
        }
        let sha256 = trials_sha256(&trials, items);
        let left_out = trial::left_out(items, packs, settings);
        Ok(Listed { trials, left_out, sha256 })
    }

    /// Returns the manifest of a run of these trials.
    pub(super) fn manifest(
        &self,
        listed: &Listed,
        created: Timestamp,
        shard: Option<Shard>,
        plan: P::Plan,
    ) -> Manifest {
        let Inputs { name, settings, loaded, packs, .. } = *self;
        let data = |&benchmark: &Benchmark| (benchmark, loaded.data(benchmark));
        let pack = |(&benchmark, pack): (&Benchmark, &Pack)| (benchmark, PromptPack::from_pack(pack));
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
            left_out: listed.left_out.clone(),
            shard,
            model: self.model.model(plan),
            mixed: Vec::new(),
            sha256: None,
        }
    }

    /// Returns a folder below `runs/` named after benchmarks, model, a hash of all that determines the work, and the
    /// shard.
    pub(super) fn default_folder(&self, listed: &Listed, shard: Option<Shard>) -> PathBuf {
        let mut hash = Sha256::new();
        hash.update(serde_json::to_string(self.settings).unwrap_or_default());
        hash.update(format!("{}{}", listed.sha256, self.model.decides()));
        let short: String = hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let model: String = self.model.name().chars().map(|c| if plain(c) { c } else { '-' }).collect();
        let part = shard.map(|Shard { index, of }| format!("-{index}-of-{of}")).unwrap_or_default();
        let benchmarks = joined(&self.settings.benchmarks, "+");
        Path::new("runs").join(format!("{benchmarks}-{model}-{short}{part}"))
    }
}
