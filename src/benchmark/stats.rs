//! Sizes of a benchmark: numbers of stories and questions, story lengths, distribution of answers.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde::Serialize;

use super::count::versions;
use super::{Benchmark, Item};
use crate::language::Language;
use crate::segment::segment;

/// Sizes of a group of items.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// Number of distinct stories.
    pub stories: usize,
    /// Stories, each counted once for every ability of its questions, as in ToMBench's paper (Tables 1 and 18); absent
    /// where no item has the facet `ability`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stories_by_ability: Option<usize>,
    pub questions: usize,
    /// Mean length of the context over questions, in words of the language's segmenter.
    pub mean_words: f64,
    /// The same with punctuation marks, and in Chinese white space, counted as well (how Multi-ToM's paper counts Chinese).
    pub mean_pieces: f64,
    /// The same, in pieces between white space (how ToMBench's paper counts English).
    pub mean_spaced_words: f64,
    /// The same, in characters (Unicode scalar values; how ToMBench's paper counts Chinese).
    pub mean_characters: f64,
    /// Number of questions by number of options.
    pub options: IndexMap<usize, usize>,
    /// Number of questions by gold option (0 is the first in canonical order), over all its occurrences in sets and
    /// slots.
    pub answers: IndexMap<usize, usize>,
}

/// Sizes of one part of a benchmark in one language and variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartStats {
    /// Name of the benchmark.
    pub benchmark: Benchmark,
    pub language: Language,
    /// Variant, where the benchmark has several.
    pub variant: Option<String>,
    /// Facet that defines the parts; absent in the total.
    pub by: Option<String>,
    /// Its value; absent in the total, and in the total of all parts, which precedes it where some items have no value.
    pub value: Option<String>,
    /// The sizes.
    #[serde(flatten)]
    pub stats: Stats,
}

/// Length of a text in pieces of a word segmenter.
#[derive(Debug, Clone, Copy)]
struct Length {
    /// Pieces with a letter or a digit.
    words: usize,
    /// Words and punctuation marks, and in Chinese white space.
    pieces: usize,
}

impl Length {
    fn new(text: &str, language: Language) -> Self {
        let pieces = segment(text, language);
        let count =
            |holds: fn(char) -> bool| pieces.iter().filter(|range| text[(*range).clone()].chars().any(holds)).count();
        // jieba makes a piece of every white space character, counting a two-character line end once.
        let blanks = match language {
            Language::Zh => text.replace("\r\n", "\n").chars().filter(|letter| letter.is_whitespace()).count(),
            _ => 0,
        };
        Length { words: count(char::is_alphanumeric), pieces: count(|letter| !letter.is_whitespace()) + blanks }
    }
}

/// Measures each text once: the questions of a story share it.
#[derive(Default)]
struct Ruler<'a> {
    known: HashMap<(Language, &'a str), Length>,
}

/// Sizes of a benchmark's items: for each language and variant its parts by a facet, then their total where some items
/// belong to no part, then the total.
pub fn stats(benchmark: Benchmark, items: &[Item], by: &str) -> Vec<PartStats> {
    let mut ruler = Ruler::default();
    let mut all = Vec::new();
    for version in versions(items) {
        let mut parts: IndexMap<&str, Vec<&Item>> = IndexMap::new();
        let mut in_parts = Vec::new();
        for &item in &version.items {
            if let Some(value) = item.facet(by) {
                parts.entry(value).or_default().push(item);
                in_parts.push(item);
            }
        }
        let some_only = (1..version.items.len()).contains(&in_parts.len());
        let parts = parts.into_iter().map(|(value, items)| (Some(by), Some(value), items));
        let totals = [(Some(by), None, in_parts), (None, None, version.items.clone())];
        for (by, value, items) in parts.chain(totals.into_iter().skip(usize::from(!some_only))) {
            all.push(PartStats {
                benchmark,
                language: version.language,
                variant: version.variant.map(str::to_string),
                by: by.map(str::to_string),
                value: value.map(str::to_string),
                stats: ruler.stats(&items),
            });
        }
    }
    all
}

impl<'a> Ruler<'a> {
    fn length(&mut self, text: &'a str, language: Language) -> Length {
        *self.known.entry((language, text)).or_insert_with(|| Length::new(text, language))
    }

    fn stats(&mut self, items: &[&'a Item]) -> Stats {
        let mut found = Stats {
            stories: items.iter().map(|item| &item.story).collect::<HashSet<_>>().len(),
            stories_by_ability: items
                .iter()
                .any(|item| item.facet("ability").is_some())
                .then(|| items.iter().map(|item| (&item.story, item.facet("ability"))).collect::<HashSet<_>>().len()),
            questions: items.len(),
            mean_words: 0.0,
            mean_pieces: 0.0,
            mean_spaced_words: 0.0,
            mean_characters: 0.0,
            options: IndexMap::new(),
            answers: IndexMap::new(),
        };
        for item in items {
            for segment in &item.context {
                let length = self.length(&segment.text, item.language);
                found.mean_words += length.words as f64;
                found.mean_pieces += length.pieces as f64;
                found.mean_spaced_words += segment.text.split_whitespace().count() as f64;
                found.mean_characters += segment.text.chars().count() as f64;
            }
            *found.options.entry(item.options.len()).or_default() += 1;
            for option in item.gold.options() {
                *found.answers.entry(option).or_default() += 1;
            }
        }
        let questions = items.len().max(1) as f64;
        found.mean_words /= questions;
        found.mean_pieces /= questions;
        found.mean_spaced_words /= questions;
        found.mean_characters /= questions;
        found.options.sort_unstable_keys();
        found.answers.sort_unstable_keys();
        found
    }
}
