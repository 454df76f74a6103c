//! Items as they were loaded, with what is known of their files.

use std::collections::HashSet;
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dataset_error::{DatasetError, Problems};
use crate::benchmark::{Benchmark, Comparison, Item, RowProblem, StandIns};
use crate::counted::counted;

/// Items of all benchmarks of a dataset, with what could not be read.
pub struct LoadedItems {
    /// Items within the limits, benchmark by benchmark.
    pub items: Vec<Item>,
    /// All items of the data, where limits left some out.
    pub(super) unlimited: Option<Vec<Item>>,
    /// Items of a file of examples, where one is named.
    pub shots: Option<Vec<Item>>,
    /// Rows that could not become items, by benchmark.
    pub problems: IndexMap<Benchmark, Vec<RowProblem>>,
    /// Whether the files of each benchmark hold as many rows as its card counts.
    pub(super) checks: IndexMap<Benchmark, DataCheck>,
    /// What files of the user's own were recognised as.
    pub(super) read_as: Vec<String>,
    /// The folder or file they were read from; empty where the paths of problems are relative already.
    pub(super) files: Option<PathBuf>,
    /// Whether they have their texts.
    pub(super) texts: bool,
}

/// Whether the files of a benchmark hold as many rows as its card counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataCheck {
    /// The card counts nothing, or not what was loaded.
    Uncounted,
    /// They do.
    AsCounted,
    /// These counts differ.
    Differs(Vec<Comparison>),
}

impl DataCheck {
    /// The counts that differ.
    pub fn changed(&self) -> &[Comparison] {
        match self {
            DataCheck::Differs(counts) => counts,
            DataCheck::Uncounted | DataCheck::AsCounted => &[],
        }
    }
}

impl LoadedItems {
    /// Items read from a run's folder, all items of the data with them where the run asked some.
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

    /// Whether the items have their texts, which `bundle --no-texts` leaves out.
    pub fn has_texts(&self) -> bool {
        self.texts
    }

    /// Refuse `what` where the items have no texts.
    pub fn need_texts(&self, what: &'static str) -> Result<(), DatasetError> {
        if self.texts { Ok(()) } else { Err(DatasetError::NoTexts { what }) }
    }

    /// The same with stand-ins for all texts, examples left out.
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

    /// Whether the data hold more items than are asked.
    pub(super) fn is_limited(&self) -> bool {
        self.unlimited.is_some()
    }

    /// All items of the data in the languages asked for: they decide which stories are complete.
    pub fn in_data(&self) -> &[Item] {
        self.unlimited.as_ref().unwrap_or(&self.items)
    }

    /// Those of one benchmark.
    pub fn in_data_of(&self, benchmark: Benchmark) -> &[Item] {
        let mut stretches = self.in_data().chunk_by(|one, next| one.benchmark == next.benchmark);
        stretches.find(|items| items[0].benchmark == benchmark).unwrap_or_default()
    }

    /// How many questions are asked: the versions of one in several languages, variants or prompting types are one.
    pub fn questions(&self) -> usize {
        self.items.iter().map(|item| (item.benchmark, &item.parallel)).collect::<HashSet<_>>().len()
    }

    /// The items that may be examples for others: those of a file, or all of the data.
    pub fn shots(&self) -> &[Item] {
        self.shots.as_deref().unwrap_or_else(|| self.in_data())
    }

    /// The rows of a benchmark that could not be read, each with its file as it lies below the data's folder: what a
    /// report says of them is the same wherever that folder is.
    pub fn unread_rows(&self, benchmark: Benchmark) -> Vec<RowProblem> {
        let problems = self.problems.get(&benchmark).map_or(&[][..], Vec::as_slice);
        problems.iter().map(|problem| problem.below(self.files.as_deref())).collect()
    }

    /// Whether the files of a benchmark hold as many rows as its card counts.
    pub fn check(&self, benchmark: Benchmark) -> &DataCheck {
        self.checks.get(&benchmark).unwrap_or(&DataCheck::Uncounted)
    }

    /// All unreadable rows, for the user; `None` if there are none.
    pub fn unread(&self) -> Option<String> {
        let all: Vec<RowProblem> = self.problems.values().flatten().cloned().collect();
        let rows = counted(all.len(), "row");
        (!all.is_empty()).then(|| format!("{rows} could not be read and will be left out:{}", Problems(all)))
    }

    /// What a manifest says of a benchmark's items.
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

/// SHA-256 over the contents of items: everything a prompt or a score can depend on.
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
