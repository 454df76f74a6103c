//! The manifest of an analysis in a folder: everything that its numbers depend on, and nothing else.

use std::fs;
use std::io;
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::FolderError;
use super::names::NAMES;
use crate::attend::aggregate::Grouping;
use crate::attend::document::{Document, Method, ModelRecord};
use crate::attend::{Basis, ExperimentSettings, HumanKeywords, InsideSettings, ParseQuantityError, SelectedItem};
use crate::benchmark::{Benchmark, Item};
use crate::canary::CANARY;
use crate::decoder::Precision;
use crate::plain::in_words;
use crate::run::{
    Leftover, Machine, Mixture, Program, PromptPack, Shard, fits_manifest, items_sha256, leftover, refused,
    replace_file, sha256_of, signed,
};

/// Name and version of the format of folders.
const FORMAT: &str = "tomeval-attention-folder/2";

/// `attention.json`. Two analyses with equal manifests (but for `program`) write the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderManifest {
    /// `tomeval-attention-folder/2`.
    pub format: String,
    /// Who wrote it.
    pub program: Program,
    /// [`CANARY`], for the items beside it.
    pub canary: String,
    /// Items read, by benchmark.
    pub data: IndexMap<Benchmark, ItemsRead>,
    /// Prompt packs by benchmark.
    pub prompts: IndexMap<Benchmark, PromptPack>,
    /// What was asked and measured.
    pub settings: FolderSettings,
    /// Number of items, all shards together.
    pub items: usize,
    /// Hash over the items in order as they are put: ids, option orders, styles, and replies up to their answer.
    pub items_sha256: String,
    /// Which part of the work this folder holds.
    pub shard: Option<Shard>,
    /// Who read them.
    pub model: FolderModel,
    /// What other lines were made with, where they were not all made with the above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixture>,
    /// SHA-256 over everything above, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The items of a benchmark that are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemsRead {
    /// How many they are.
    pub items: usize,
    /// SHA-256 over their contents.
    pub sha256: String,
}

/// What was asked and measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderSettings {
    /// Benchmarks by name.
    pub benchmarks: Vec<Benchmark>,
    /// How weights were read and reduced.
    pub method: Method,
    /// Whether the last token of each option is a query beside the answer position.
    pub query_options: bool,
    /// What rows are set against, as on the command line.
    pub contrasts: Vec<String>,
    /// Most random draws of each test of the deletion check; 0 leaves it out.
    pub deletion_draws: usize,
    /// In what random words are like those tested, beside their number.
    pub deletion_match: Vec<String>,
    /// Parts of the model that were switched off, as on the command line.
    pub knock_out: Vec<String>,
    /// Whether the answer position was read at every layer.
    pub lens: bool,
    /// Facet whose values are groups.
    pub group: Option<String>,
    /// Facets within whose values groups are compared, by benchmark.
    pub strata: IndexMap<Benchmark, Vec<String>>,
    /// What was looked at beside keywords.
    pub inside: FolderInside,
    /// Prompt style.
    pub style: String,
    /// Language of the instructions.
    pub instructions: String,
    /// What was left out of every item.
    pub condition: Option<String>,
    /// The date that chat templates print, where a run had one.
    pub now: Option<String>,
    /// Hash over what people marked in these items.
    pub human_sha256: String,
    /// How this differs from the run whose items were read, in sentences.
    pub departures: Vec<String>,
}

/// What was looked at beside keywords. Heads that are chosen over all items are not among it: they need a second reading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderInside {
    /// Attention on roles, and twins.
    pub roles: bool,
    /// What is mapped over heads of two groups, as on the command line.
    pub head_maps: Vec<String>,
    /// Direct contributions of heads to the difference of two labels.
    pub contributions: bool,
    /// Keywords under other layers, measures and orders.
    pub sensitivity: bool,
}

/// The model that read the items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FolderModel {
    /// Which model.
    #[serde(flatten)]
    pub record: ModelRecord,
    /// What it ran on.
    pub machine: Machine,
    /// Budget for keys, values and activations, in bytes.
    pub memory_budget: u64,
}

/// How items are put, as far as a manifest says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    packs: IndexMap<Benchmark, PromptPack>,
    style: String,
    instructions: String,
    condition: Option<String>,
    now: Option<String>,
}

impl Put {
    /// As a basis has it.
    pub fn of(basis: &Basis) -> Self {
        let pack = |(&benchmark, pack): (&Benchmark, &crate::prompt::Pack)| (benchmark, PromptPack::of(pack));
        Put {
            packs: basis.packs.iter().map(pack).collect(),
            style: basis.style.clone(),
            instructions: basis.instructions.name().to_string(),
            condition: basis.condition.map(|condition| condition.name().to_string()),
            now: basis.now.map(|now| now.to_string()),
        }
    }
}

/// What a manifest is made of.
#[derive(Debug)]
pub struct Asked<'a> {
    /// What is measured.
    pub settings: &'a ExperimentSettings,
    /// How items are put.
    pub put: Put,
    pub items: &'a [SelectedItem],
    /// What people marked.
    pub human: &'a HumanKeywords,
    /// Who reads them.
    pub model: FolderModel,
    /// The part of the work to do.
    pub shard: Option<Shard>,
}

impl FolderManifest {
    /// The manifest of an analysis that is to be begun or gone on with.
    pub fn new(asked: Asked<'_>) -> Self {
        let Asked { settings, put, items, human, model, shard } = asked;
        let method = settings.method();
        // All settings are named, so that none is added and forgotten here; what only says which files are written beside
        // is no part of the numbers.
        let ExperimentSettings {
            benchmarks,
            measure: _,
            query_options,
            layers: _,
            heads: _,
            keywords: _,
            top: _,
            contrasts,
            deletion_draws,
            deletion_matching,
            knock_out,
            lens,
            group,
            strata,
            seed: _,
            departures,
            keep_heads: _,
            keep_captures: _,
            inside,
            read_once: _,
        } = settings;
        let InsideSettings { roles, head_maps, contributions, sensitivity, strongest: _, random_heads: _ } = inside;
        let Put { packs, style, instructions, condition, now } = put;
        let present: IndexSet<Benchmark> = items.iter().map(|chosen| chosen.item.benchmark).collect();
        let read = |&benchmark: &Benchmark| {
            let of: Vec<&Item> =
                items.iter().map(|chosen| &chosen.item).filter(|item| item.benchmark == benchmark).collect();
            (benchmark, ItemsRead { items: of.len(), sha256: items_sha256(of) })
        };
        FolderManifest {
            format: FORMAT.to_string(),
            program: Program::this(),
            canary: CANARY.to_string(),
            data: present.iter().map(read).collect(),
            prompts: packs.into_iter().filter(|(benchmark, _)| present.contains(benchmark)).collect(),
            settings: FolderSettings {
                benchmarks: benchmarks.clone(),
                method,
                query_options: *query_options,
                contrasts: contrasts.iter().map(ToString::to_string).collect(),
                deletion_draws: *deletion_draws,
                deletion_match: deletion_matching.iter().map(|matched| matched.name().to_string()).collect(),
                knock_out: knock_out.iter().map(ToString::to_string).collect(),
                lens: *lens,
                group: group.clone(),
                strata: strata.clone(),
                inside: FolderInside {
                    roles: *roles,
                    head_maps: head_maps.iter().map(ToString::to_string).collect(),
                    contributions: *contributions,
                    sensitivity: *sensitivity,
                },
                style,
                instructions,
                condition,
                now,
                human_sha256: sha256_of(items.iter().map(|chosen| format!("{:?}\n", human.readers(&chosen.item.id)))),
                departures: departures.clone(),
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

    /// A document of the analysis without its cases and groups.
    pub fn document(&self) -> Document {
        let method = self.settings.method.clone();
        let departures = self.settings.departures.clone();
        Document::head(vec![self.model.record.clone()], &self.settings.benchmarks, method, departures)
    }

    /// How cases are grouped.
    pub(super) fn grouping(&self) -> Grouping {
        let FolderSettings { method, deletion_draws, group, .. } = &self.settings;
        Grouping { top: method.top, deletion_draws: *deletion_draws, facet: group.clone() }
    }

    /// What was looked at beside keywords.
    pub(super) fn inside(&self) -> Result<InsideSettings, ParseQuantityError> {
        let FolderInside { roles, head_maps, contributions, sensitivity } = &self.settings.inside;
        Ok(InsideSettings {
            roles: *roles,
            head_maps: head_maps.iter().map(|quantity| quantity.parse()).collect::<Result<_, _>>()?,
            contributions: *contributions,
            sensitivity: *sensitivity,
            ..InsideSettings::default()
        })
    }

    /// Whether weights are multiplied as blocks, so that processors round differently.
    pub(super) fn is_quantised(&self) -> bool {
        self.model.machine.dtype.parse().is_ok_and(Precision::is_quantised)
    }

    /// Put it into a folder, in one step.
    pub(super) fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let file = folder.join(NAMES.manifest);
        let bad = |message| FolderError::BadManifest { path: file.clone(), message };
        let unsigned = FolderManifest { sha256: None, ..self.clone() };
        let json = serde_json::to_value(&unsigned).map_err(|error| bad(error.to_string()))?;
        replace_file(&file, signed(json)).map_err(|source| refused(&file, "written")(source).into())
    }
}

/// What is hashed of how an item is put. What its words say is among the data.
fn how_put(chosen: &SelectedItem) -> String {
    let SelectedItem { item, orders, style, written } = chosen;
    let orders: Vec<&[usize]> = orders.iter().map(|order| order.as_slice()).collect();
    let written = match written {
        None => String::new(),
        Some(Ok(written)) => format!("{}\n{}\n{}", written.style.name, written.slot, written.before),
        Some(Err(reason)) => reason.to_string(),
    };
    format!("{}\n{orders:?}\n{}\n{}\n{written}\n", item.id, style.name, written.len())
}

/// The manifest of a folder with what is odd about it; `None` where the folder is absent or holds nothing but what a kill
/// leaves of an analysis that had not begun.
pub fn read_manifest(folder: &Path) -> Result<Option<(FolderManifest, Vec<String>)>, FolderError> {
    let file = folder.join(NAMES.manifest);
    let path = || folder.to_path_buf();
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            return match leftover(folder, NAMES)? {
                Leftover::Nothing => Ok(None),
                Leftover::Lines => Err(FolderError::NoManifest { path: path() }),
                Leftover::Foreign => Err(FolderError::Foreign { path: path() }),
            };
        }
        Err(source) => return Err(refused(&file, "read")(source).into()),
    };
    let bad = |message: String| FolderError::BadManifest { path: file.clone(), message };
    let json: Value = serde_json::from_str(&text).map_err(|error| bad(in_words(error)))?;
    match json.get("format").and_then(Value::as_str) {
        Some(FORMAT) => {}
        Some(format) => return Err(bad(format!("format `{format}`, this program reads {FORMAT}"))),
        None => return Err(bad("not a manifest: it names no format".to_string())),
    }
    let manifest: FolderManifest = serde_json::from_str(&text).map_err(|error| bad(in_words(error)))?;
    if let Some(Shard { index, of }) = manifest.shard.filter(|shard| !(1..=shard.of).contains(&shard.index)) {
        return Err(bad(format!("`shard` is {index} of {of}, which is no part")));
    }
    manifest.inside().map_err(|error| bad(error.to_string()))?;
    let mut warnings = Vec::new();
    if !fits_manifest(&json) {
        warnings.push(format!(
            "{} was changed after it was written (its own checksum does not fit): what is said of this analysis may be wrong; \
             restore it if you did not change it",
            file.display()
        ));
    }
    Ok(Some((manifest, warnings)))
}
