//! The manifest: the origin of a run folder's numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::served_model::{ServerIdentity, ServerModel};
use crate::benchmark::{Benchmark, Item};
use crate::decoder::Precision;
use crate::engine::{Counts, Plan};
use crate::language::Language;
use crate::ledger::{Difference, Mixture, between};
use crate::prompt::OrderPolicy;
use crate::trial::{Data, Dataset, DatasetError, LeftOut, LoadedItems, PromptPack, Settings, Trial};

/// Format version of run folders.
pub(super) const FORMAT: u32 = 2;

/// Must be raised with every change that moves log-probabilities, or the texts they are computed for, by more than
/// rounding.
const NUMBERS: u32 = 2;

/// Maximum option orders that may be drawn for an item.
const MOST_DRAWS: usize = 1_000_000;

/// `manifest.json`. Two runs of local models whose manifests agree except in `program`, `created` and `sha256` write
/// the same records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Format version of run folders, 2.
    pub format: u32,
    /// Run name given by the user (`--name`); no computation depends on it; absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Program that wrote the folder.
    pub program: Program,
    /// Canary line for the records beside it; see the end of this page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<String>,
    /// When the folder was created, in UTC. Chat templates that print a date use this one, also after a resume.
    pub created: String,
    /// Benchmarks by name: number of items and hash of their contents.
    pub data: IndexMap<Benchmark, Data>,
    /// Prompt packs by benchmark.
    pub prompts: IndexMap<Benchmark, PromptPack>,
    /// Settings of the run.
    pub settings: Settings,
    /// Hash over the trials in order: ids, conditions and option orders.
    pub trials_sha256: String,
    /// Number of trials.
    pub trials: usize,
    /// Items without trials, since the style hides options that they need; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Part of the work in this folder.
    pub shard: Option<Shard>,
    /// Model that answered.
    pub model: Model,
    /// Differences of other parts of the run from the above, if any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixture>,
    /// SHA-256 over everything above, as written: a manifest edited by hand is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The program that wrote a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// Number of versions that changed log-probabilities by more than rounding; only runs of the same such version are
    /// joined.
    #[serde(default = "first")]
    pub numbers: u32,
}

fn first() -> u32 {
    1
}

impl Program {
    /// Returns this program.
    pub fn this() -> Self {
        Program {
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: option_env!("TOMEVAL_COMMIT").map(str::to_string),
            numbers: NUMBERS,
        }
    }
}

/// Version and, if known, commit.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.commit {
            Some(commit) => write!(f, "{} ({commit})", self.version),
            None => f.write_str(&self.version),
        }
    }
}

/// The model of a run, by backend, with everything of the backend on which the answers depend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "backend", rename_all = "lowercase")]
pub enum Model {
    /// Local weights.
    Local(Box<LocalModel>),
    /// A server's model.
    Server(Box<ServerModel>),
}

impl Model {
    /// Returns the model's name.
    pub fn name(&self) -> &str {
        match self {
            Model::Local(model) => &model.identity.name,
            Model::Server(model) => &model.identity.name,
        }
    }

    /// Returns the local model; `None` on a server.
    pub fn local(&self) -> Option<&LocalModel> {
        match self {
            Model::Local(model) => Some(model),
            Model::Server(_) => None,
        }
    }

    /// Returns a hash that identifies the model regardless of its name: of its files except its adapter, or of a
    /// server's address, since only the server knows its weights.
    pub fn base_sha256(&self) -> String {
        match self {
            Model::Local(model) => model.identity.base_sha256(),
            Model::Server(model) => {
                let ServerIdentity { address, name, .. } = &model.identity;
                sha256_of([address.as_str(), "#", name.as_str()].into_iter())
            }
        }
    }

    /// Returns the adapter merged into its weights, if any.
    pub fn adapter(&self) -> Option<&AdapterIdentity> {
        self.local()?.identity.adapter.as_ref()
    }

    /// Returns the trial numbers by batch, in the order of the records.
    pub(super) fn batches(&self) -> Vec<&[usize]> {
        match self {
            Model::Local(model) => model.plan.batches.iter().map(|batch| batch.trials.as_slice()).collect(),
            Model::Server(model) => model.plan.batches.iter().map(Vec::as_slice).collect(),
        }
    }

    /// Returns the counts of tokens with and without sharing; `None` for a server, which alone knows them.
    pub fn counts(&self) -> Option<&Counts> {
        self.local().map(|model| &model.plan.counts)
    }
}

/// A model computed by this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LocalModel {
    /// Identity of the model.
    #[serde(flatten)]
    pub identity: ModelIdentity,
    /// The machine it runs on.
    pub machine: Machine,
    /// Budget for keys, values and activations, in bytes.
    pub memory_budget: u64,
    /// The resolved plan; read on resume, never derived again.
    pub plan: Plan,
    /// How often a pass was halved because the device lacked memory: numbers may differ by rounding from those of a run
    /// of the same plan without cuts. Absent if none was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cuts: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Identity and origin of weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModelIdentity {
    /// Name as given or from the card.
    pub name: String,
    /// Hub repository or file it came from.
    pub source: String,
    /// The folder or GGUF file from which the model was read, if no name leads back to it; absent otherwise. Below the
    /// working directory it is relative, below the home folder it begins with `~`, below another home folder it is the
    /// last name alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Revision on the Hub, if known.
    pub revision: Option<String>,
    /// Family, for instance `llama`.
    pub family: String,
    /// SHA-256 by file name: weights, config, tokenizer, template, adapter.
    pub sha256: IndexMap<String, String>,
    /// The adapter merged into the weights (`--adapter`); absent without one. Documents of other commands that name a
    /// model contain the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<AdapterIdentity>,
}

/// An adapter merged into the weights of a model. The hashes of its files are among the model's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AdapterIdentity {
    /// Its folder's name, with which `model.name` ends.
    pub name: String,
    /// The folder from which it was read, in the form of `model.path`.
    pub path: PathBuf,
    /// Model name without the adapter.
    pub base: String,
    /// Rank of its products, unless its configuration gives a module another.
    pub rank: usize,
    /// Scale of the products, divided by their rank.
    pub alpha: serde_json::Number,
    /// Languages it was trained in, if given by its user; the last given counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trained_in: Vec<Language>,
}

/// Machine of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Device, for instance `cpu` or `cuda:0`.
    pub device: String,
    /// Arithmetic of weights and products.
    pub dtype: String,
    /// Processor and its vector extensions.
    pub cpu: String,
    /// Threads of matrix products.
    pub threads: usize,
    /// How a CPU multiplied quantised matrices, by block format: `vnni`, `candle` or `dequantised`; empty where none
    /// are quantised.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub products: BTreeMap<String, String>,
}

impl Machine {
    /// Whether a CPU multiplied quantised matrices, and the manifest was written before it named how.
    pub fn has_unnamed_products(&self) -> bool {
        let quantised = self.dtype.parse().is_ok_and(Precision::is_quantised);
        self.device == "cpu" && quantised && self.products.is_empty()
    }
}

/// One part of a run that is split over machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Part number, from 1.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

/// A shard that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid shard `{given}`; write I/N with I from 1 to N, for instance 2/8")]
pub struct NotAShard {
    /// The text given.
    pub given: String,
}

impl std::str::FromStr for Shard {
    type Err = NotAShard;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        given
            .split_once('/')
            .and_then(|(index, of)| Some(Shard { index: index.parse().ok()?, of: of.parse().ok()? }))
            .filter(|shard| (1..=shard.of).contains(&shard.index))
            .ok_or_else(|| NotAShard { given: given.to_string() })
    }
}

impl Shard {
    /// Checks that the index is within the number of parts.
    pub(crate) fn check(self) -> Result<(), String> {
        let Shard { index, of } = self;
        if (1..=of).contains(&index) { Ok(()) } else { Err(format!("`shard` is {index} of {of}, which is invalid")) }
    }

    /// Whether batch number `batch` belongs to this shard.
    pub(crate) fn holds(&self, batch: usize) -> bool {
        batch % self.of == self.index - 1
    }
}

impl Manifest {
    /// Loads the items of the run in `folder` again, which must be unchanged: those kept there, else from these files.
    pub fn load_items(&self, folder: &Path, files: Option<PathBuf>) -> Result<LoadedItems, DatasetError> {
        Dataset::load_again(folder, &self.settings, &self.data, files)
    }

    /// Checks that this can be the manifest of a run; the error says what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let Manifest { settings, shard, trials, model, .. } = self;
        shard.map_or(Ok(()), |shard| shard.check())?;
        if let OrderPolicy::Random(draws) | OrderPolicy::Balanced(draws) = settings.orders
            && draws > MOST_DRAWS
        {
            return Err(format!(
                "`settings.orders` draws {draws} orders per item, but at most {MOST_DRAWS} are possible"
            ));
        }
        if let Some(name) = settings.benchmarks.iter().find(|name| !self.data.contains_key(*name)) {
            return Err(format!("`data` has no entry for benchmark {name}"));
        }
        let fault = match model {
            Model::Local(model) => model.plan.check_shape(*trials).err().map(|fault| fault.to_string()),
            Model::Server(model) => model.plan.fault(*trials),
        };
        fault.map_or(Ok(()), |fault| Err(format!("`model.plan`: {fault}")))
    }
}

/// Returns the differences between the work of two manifests, in the order of their keys.
pub(super) fn differences(first: &Manifest, other: &Manifest) -> Vec<Difference> {
    let same_model = match (&first.model, &other.model) {
        (Model::Local(first), Model::Local(other)) => first.identity.has_files(&other.identity.sha256),
        _ => false,
    };
    let mut local = [first, other].into_iter().filter_map(|manifest| manifest.model.local());
    let unnamed_products = local.any(|model| model.machine.has_unnamed_products());
    between(first, other, same_model, unnamed_products)
}

/// Identity of a trial for hashing: item, condition, order, number of draws, and number of the reply.
pub(super) type TrialFacts<'a> = (&'a str, Option<&'a str>, &'a [usize], usize, Option<usize>);

/// Returns the SHA-256 over trials in order.
pub(super) fn trials_sha256(trials: &[Trial], items: &[Item]) -> String {
    let presentations: Vec<Option<String>> = trials.iter().map(|trial| trial.presented.name()).collect();
    let facts = |(trial, presentation): (&'_ Trial, &'_ Option<String>)| {
        let id = items[trial.item].id.as_str();
        facts_text((id, presentation.as_deref(), trial.order.as_slice(), trial.count, trial.sample))
    };
    sha256_of(trials.iter().zip(&presentations).map(facts))
}

/// Returns the hashed text of a trial.
pub(super) fn facts_text((id, condition, order, count, sample): TrialFacts<'_>) -> String {
    let sample = sample.map(|sample| format!("{sample}\n")).unwrap_or_default();
    format!("{id}\n{}\n{order:?}\n{count}\n{sample}", condition.unwrap_or_default())
}

/// Returns the SHA-256 over texts, one after the other.
pub(crate) fn sha256_of(texts: impl Iterator<Item = impl AsRef<[u8]>>) -> String {
    let mut hash = Sha256::new();
    texts.for_each(|text| hash.update(text));
    hex::encode(hash.finalize())
}
