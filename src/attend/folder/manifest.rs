//! The manifest of an analysis in a folder: everything that its numbers depend on, and nothing else.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::names::ANALYSIS;
use crate::attend::results::ModelRecord;
use crate::attend::words::HumanKeywords;
use crate::attend::{ExperimentSettings, SelectedItem};
use crate::benchmark::{Benchmark, Item};
use crate::canary::CANARY;
use crate::ledger::{FolderKind, Kept, Mixture};
use crate::parse_error::in_words;
use crate::prompt::Pack;
use crate::run::{Machine, Program, Shard, sha256_of};
use crate::trial::{PromptPack, items_sha256};

/// Name and version of the format of folders.
const FORMAT: &str = "tomeval-attention-folder/2";

/// `attention.json`. Two analyses with equal manifests (except `program`) write the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FolderManifest {
    /// Name and version of the format: `tomeval-attention-folder/2`.
    pub format: String,
    /// Program that wrote it.
    pub program: Program,
    /// The canary line, for the items beside it.
    pub canary: String,
    /// Items read, by benchmark.
    pub data: IndexMap<Benchmark, ItemsRead>,
    /// Prompt packs by benchmark.
    pub prompts: IndexMap<Benchmark, PromptPack>,
    /// Requested analyses and measures.
    pub settings: ExperimentSettings,
    /// Number of items, all shards together.
    pub items: usize,
    /// Hash of the items in order, as presented: ids, option orders, styles, replies up to their answer.
    pub items_sha256: String,
    /// The shard of the work in this folder; null for all of it.
    pub shard: Option<Shard>,
    /// Model that read the items.
    pub model: FolderModel,
    /// Settings of lines that were not made with the above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixture>,
    /// SHA-256 of everything above, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The items of a benchmark that are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ItemsRead {
    /// Number of items read.
    pub items: usize,
    /// SHA-256 of their contents.
    pub sha256: String,
}

/// The model that read the items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderModel {
    /// Model.
    #[serde(flatten)]
    pub record: ModelRecord,
    /// Machine it ran on.
    pub machine: Machine,
    /// Memory budget for the KV cache and activations, in bytes.
    pub memory_budget: u64,
}

/// Inputs of a manifest.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Experiment settings.
    pub settings: &'a ExperimentSettings,
    /// A prompt pack for each benchmark.
    pub packs: &'a IndexMap<Benchmark, Pack>,
    pub items: &'a [SelectedItem],
    /// Human keyword annotations.
    pub human: &'a HumanKeywords,
    /// Model that reads the items.
    pub model: FolderModel,
    /// The shard of the work to do.
    pub shard: Option<Shard>,
}

impl FolderManifest {
    /// Creates the manifest of an analysis to start or resume.
    pub fn new(asked: Asked<'_>) -> Self {
        let Asked { settings, packs, items, human, model, shard } = asked;
        let present: IndexSet<Benchmark> = items.iter().map(|chosen| chosen.item.benchmark).collect();
        let read = |&benchmark: &Benchmark| {
            let of: Vec<&Item> =
                items.iter().map(|chosen| &chosen.item).filter(|item| item.benchmark == benchmark).collect();
            (benchmark, ItemsRead { items: of.len(), sha256: items_sha256(of) })
        };
        let pack = |(&benchmark, pack): (&Benchmark, &Pack)| (benchmark, PromptPack::from_pack(pack));
        FolderManifest {
            format: FORMAT.to_string(),
            program: Program::this(),
            canary: CANARY.to_string(),
            data: present.iter().map(read).collect(),
            prompts: packs.iter().filter(|(benchmark, _)| present.contains(*benchmark)).map(pack).collect(),
            settings: ExperimentSettings {
                human_sha256: sha256_of(items.iter().map(|chosen| format!("{:?}\n", human.readers(&chosen.item.id)))),
                ..settings.clone()
            },
            items: items.len(),
            items_sha256: sha256_of(items.iter().map(how_put)),
            shard,
            model,
            mixed: Vec::new(),
            sha256: None,
        }
    }

    /// Numbers of this folder's items in the order of its lines.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let shard = self.shard;
        (0..self.items).filter(move |&number| shard.is_none_or(|shard| shard.holds(number)))
    }
}

/// Text hashed for the presentation of an item. The item's own text is hashed with the data.
fn how_put(chosen: &SelectedItem) -> String {
    let SelectedItem { item, orders, style, written, .. } = chosen;
    let orders: Vec<&[usize]> = orders.iter().map(|order| order.as_slice()).collect();
    let written = match written {
        None => String::new(),
        Some(Ok(written)) => format!("{}\n{}\n{}", written.style.name, written.slot, written.before),
        Some(Err(reason)) => reason.to_string(),
    };
    format!("{}\n{orders:?}\n{}\n{}\n{written}\n", item.id, style.name, written.len())
}

impl Kept for FolderManifest {
    const KIND: &'static FolderKind = &ANALYSIS;

    fn parse(text: &str, json: Value) -> Result<Self, String> {
        match json.get("format").and_then(Value::as_str) {
            Some(FORMAT) => {}
            Some(format) => return Err(format!("format `{format}`, this program reads {FORMAT}")),
            None => return Err("not a manifest: it names no format".to_string()),
        }
        let manifest: FolderManifest = serde_json::from_str(text).map_err(in_words)?;
        manifest.shard.map_or(Ok(()), |shard| shard.check())?;
        Ok(manifest)
    }

    fn mixed(&mut self) -> &mut Vec<Mixture> {
        &mut self.mixed
    }

    fn unsigned(&self) -> Self {
        FolderManifest { sha256: None, ..self.clone() }
    }
}
