//! Index of the item list and its filters: one short entry per item, stored by column.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Value, json};

use super::item::{PageAnswer, PageItem};

/// A column with few distinct texts: the texts, and each item's index into them; -1 for none.
#[derive(Default)]
struct Column {
    values: IndexSet<String>,
    of: Vec<i64>,
}

impl Column {
    fn push(&mut self, at: usize, value: &str) {
        self.of.resize(at, -1);
        let number = self.values.get_index_of(value).unwrap_or_else(|| self.values.insert_full(value.to_string()).0);
        self.of.push(number as i64);
    }

    fn value(&self, items: usize) -> Value {
        let missing = std::iter::repeat_n(&-1, items - self.of.len());
        json!({ "values": self.values, "of": self.of.iter().chain(missing).collect::<Vec<_>>() })
    }
}

/// Answers in one way, by item; `null` if the item was not asked.
#[derive(Default)]
struct Answers {
    /// 1 right, 0 wrong, 2 if every trial failed, 3 if no answer was asked for, `null` if not asked.
    right: Vec<Option<u8>>,
    choice: Vec<Option<Vec<usize>>>,
    votes: Vec<usize>,
    draws: Vec<usize>,
    tied: Vec<u8>,
}

/// The index of all items.
#[derive(Default)]
pub(super) struct Index {
    ids: Vec<String>,
    benchmark: Column,
    language: Column,
    flags: Column,
    facets: IndexMap<String, Column>,
    answers: Vec<Answers>,
}

impl Index {
    /// An empty index.
    pub fn new(ways: usize) -> Self {
        Index { answers: (0..ways).map(|_| Answers::default()).collect(), ..Index::default() }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds an item.
    pub fn add(&mut self, item: &PageItem) {
        let at = self.ids.len();
        self.ids.push(item.id.clone());
        self.benchmark.push(at, item.benchmark.name());
        self.language.push(at, &item.language);
        if !item.flags.is_empty() {
            self.flags.push(at, &item.flags.join(", "));
        }
        for (facet, value) in &item.facets {
            self.facets.entry(facet.clone()).or_default().push(at, value);
        }
        for (way, column) in self.answers.iter_mut().enumerate() {
            column.add(item.answers.get(&way));
        }
    }

    /// The index as data of the page.
    pub fn value(&self) -> Value {
        let items = self.ids.len();
        let facets: serde_json::Map<String, Value> =
            self.facets.iter().map(|(name, column)| (name.clone(), column.value(items))).collect();
        let answers = self.answers.iter().map(|each| {
            json!({
                "right": each.right, "choice": each.choice, "votes": each.votes, "draws": each.draws, "tied": each.tied,
            })
        });
        json!({
            "ids": self.ids,
            "benchmark": self.benchmark.value(items),
            "language": self.language.value(items),
            "flags": self.flags.value(items),
            "facets": facets,
            "answers": answers.collect::<Vec<_>>(),
        })
    }
}

impl Answers {
    fn add(&mut self, answer: Option<&PageAnswer>) {
        self.right.push(answer.map(|answer| if answer.unread { 3 } else { answer.right.map_or(2, u8::from) }));
        self.choice.push(answer.and_then(|answer| answer.choice.clone()));
        self.votes.push(answer.map_or(0, |answer| answer.votes));
        self.draws.push(answer.map_or(0, |answer| answer.draws));
        self.tied.push(answer.map_or(0, |answer| u8::from(answer.tied)));
    }
}
