//! Sizes of a benchmark: how many stories and questions, how long the stories are, how answers are spread.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Serialize;

use super::Item;

/// Sizes of a group of items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// Different stories.
    pub stories: usize,
    /// Questions.
    pub questions: usize,
    /// Mean length of the context over questions, in words of the language's segmenter.
    pub mean_words: f64,
    /// The same, in pieces between white space (how ToMBench's paper counts English).
    pub mean_spaced_words: f64,
    /// The same, in characters (Unicode scalar values; how ToMBench's paper counts Chinese).
    pub mean_characters: f64,
    /// Number of options to questions that have so many.
    pub options: IndexMap<usize, usize>,
    /// Gold option (0 is the first in canonical order) to questions, over all its occurrences in sets and slots.
    pub answers: IndexMap<usize, usize>,
}

/// Sizes of these items; `words` counts the words of a text of an item's language.
pub fn stats(items: &[&Item], mut words: impl FnMut(&Item, &str) -> usize) -> Stats {
    let mut found = Stats {
        stories: items.iter().map(|item| &item.story).collect::<HashSet<_>>().len(),
        questions: items.len(),
        mean_words: 0.0,
        mean_spaced_words: 0.0,
        mean_characters: 0.0,
        options: IndexMap::new(),
        answers: IndexMap::new(),
    };
    for item in items {
        for segment in &item.context {
            found.mean_words += words(item, &segment.text) as f64;
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
    found.mean_spaced_words /= questions;
    found.mean_characters /= questions;
    found.options.sort_unstable_keys();
    found.answers.sort_unstable_keys();
    found
}
