//! Loaded items, with information on their files.

use std::collections::HashSet;
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dataset_error::{DatasetError, Problems};
use crate::benchmark::{Benchmark, Comparison, Item, RowProblem, StandIns};
use crate::counted::counted;

/// Items of all benchmarks of a dataset, with unreadable rows.
pub struct LoadedItems {
    /// Items within the limits, benchmark by benchmark.
    pub items: Vec<Item>,
    /// All items of the data, if limits left some out.
    pub(super) unlimited: Option<Vec<Item>>,
    /// Items of an example file, if one is named.
    pub shots: Option<Vec<Item>>,
    /// Rows that could not become items, by benchmark.
    pub problems: IndexMap<Benchmark, Vec<RowProblem>>,
    /// Whether the number of rows in each benchmark's files matches its card.
    pub(super) checks: IndexMap<Benchmark, DataCheck>,
    /// Detected formats of the user's own files.
    pub(super) read_as: Vec<String>,
    /// Folder or file they were read from; empty if the paths of problems are already relative.
    pub(super) files: Option<PathBuf>,
    /// Whether they have their texts.
    pub(super) texts: bool,
}

/// Whether the number of rows in a benchmark's files matches its card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataCheck {
    /// The card has no counts, or none for the loaded selection.
    Uncounted,
    /// The counts match.
    AsCounted,
    /// These counts differ.
    Differs(Vec<Comparison>),
    /// `tomeval make` wrote the files, with this seed.
    Made(u64),
    /// `tomeval make` wrote the files with this seed, and had these models write texts.
    MadeBy {
        /// The seed.
        seed: u64,
        /// Names of the models.
        models: Vec<String>,
    },
}

impl DataCheck {
    /// Returns the seed of made data.
    pub fn made(&self) -> Option<u64> {
        match self {
            DataCheck::Made(seed) | DataCheck::MadeBy { seed, .. } => Some(*seed),
            _ => None,
        }
    }

    /// Returns the counts that differ.
    pub fn changed(&self) -> &[Comparison] {
        match self {
            DataCheck::Differs(counts) => counts,
            _ => &[],
        }
    }

    /// Returns the names of the models that wrote texts of made data.
    pub fn writers(&self) -> &[String] {
        match self {
            DataCheck::MadeBy { models, .. } => models,
            _ => &[],
        }
    }
}

impl LoadedItems {
    /// Returns items read from a run's folder, with all items of the data if the run asked only some.
    pub(super) fn new(items: Vec<Item>, unlimited: Option<Vec<Item>>) -> Self {
        let (problems, checks) = (IndexMap::new(), IndexMap::new());
        LoadedItems {
            items,
            unlimited,
            shots: None,
            problems,
            checks,
            read_as: Vec::new(),
            files: Some(PathBuf::new()),
            texts: true,
        }
    }

    /// Whether the items have their texts, which `bundle --no-texts` removes.
    pub fn has_texts(&self) -> bool {
        self.texts
    }

    /// Returns an error naming `what` if the items have no texts.
    pub fn need_texts(&self, what: &'static str) -> Result<(), DatasetError> {
        if self.texts { Ok(()) } else { Err(DatasetError::NoTexts { what }) }
    }

    /// Returns a copy with placeholders for all texts, without examples.
    pub fn without_texts(&self) -> Self {
        let mut stand_ins = StandIns::default();
        let mut replace = |items: &[Item]| items.iter().map(|item| stand_ins.item(item)).collect::<Vec<Item>>();
        let unlimited = self.unlimited.as_deref().map(&mut replace);
        let mut replaced = LoadedItems::new(replace(&self.items), unlimited);
        replaced.texts = false;
        replaced.checks.clone_from(&self.checks);
        for &benchmark in self.problems.keys() {
            let without = |problem| RowProblem { message: "could not be read".to_string(), ..problem };
            replaced.problems.insert(benchmark, self.unread_rows(benchmark).into_iter().map(without).collect());
        }
        replaced
    }

    /// Whether the data contain more items than are asked.
    pub(super) fn is_limited(&self) -> bool {
        self.unlimited.is_some()
    }

    /// Returns all items of the data in the chosen languages: they decide which stories are complete.
    pub fn in_data(&self) -> &[Item] {
        self.unlimited.as_ref().unwrap_or(&self.items)
    }

    /// Returns all items of one benchmark's data.
    pub fn in_data_of(&self, benchmark: Benchmark) -> &[Item] {
        let mut stretches = self.in_data().chunk_by(|one, next| one.benchmark == next.benchmark);
        stretches.find(|items| items[0].benchmark == benchmark).unwrap_or_default()
    }

    /// Returns the number of questions: versions of one question by language, variant or prompting type count once.
    pub fn questions(&self) -> usize {
        self.items.iter().map(|item| (item.benchmark, &item.parallel)).collect::<HashSet<_>>().len()
    }

    /// Returns the items that may be examples: those of a file, or all of the data.
    pub fn shots(&self) -> &[Item] {
        self.shots.as_deref().unwrap_or_else(|| self.in_data())
    }

    /// Returns the unreadable rows of a benchmark, with file paths relative to the data's folder, so that reports do
    /// not depend on where that folder is.
    pub fn unread_rows(&self, benchmark: Benchmark) -> Vec<RowProblem> {
        let problems = self.problems.get(&benchmark).map_or(&[][..], Vec::as_slice);
        problems.iter().map(|problem| problem.below(self.files.as_deref())).collect()
    }

    /// Returns whether the number of rows in a benchmark's files matches its card.
    pub fn check(&self, benchmark: Benchmark) -> &DataCheck {
        self.checks.get(&benchmark).unwrap_or(&DataCheck::Uncounted)
    }

    /// Describes all unreadable rows for the user; `None` if there are none.
    pub fn unread(&self) -> Option<String> {
        let all: Vec<RowProblem> = self.problems.values().flatten().cloned().collect();
        let rows = counted(all.len(), "row");
        (!all.is_empty()).then(|| format!("{rows} could not be read and will be left out:{}", Problems(all)))
    }

    /// Returns a benchmark's items as described in manifests.
    pub fn data(&self, benchmark: Benchmark) -> Data {
        let items: Vec<&Item> = self.items.iter().filter(|item| item.benchmark == benchmark).collect();
        let problems = self.problems.get(&benchmark).map_or(0, Vec::len);
        Data { items: items.len(), sha256: items_sha256(items), problems }
    }
}

/// A benchmark as loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Items evaluated.
    pub items: usize,
    /// SHA-256 over the contents of these items.
    pub sha256: String,
    /// Rows that could not be read.
    pub problems: usize,
}

/// Returns the SHA-256 over the contents of items: everything that can affect a prompt or a score.
pub(crate) fn items_sha256<'a>(items: impl IntoIterator<Item = &'a Item>) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    for item in items {
        add(&item.id);
        item.context.iter().for_each(|segment| add(&segment.text));
        add(&item.question);
        item.options.iter().for_each(|option| add(option));
        add(&format!("{:?}", item.gold));
        item.fields.values().for_each(|value| add(value));
    }
    hex::encode(hash.finalize())
}
