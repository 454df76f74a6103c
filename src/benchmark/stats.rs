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
    /// The same with punctuation marks, and in Chinese white space, counted as well (how Multi-ToM's paper counts Chinese).
    pub mean_pieces: f64,
    /// The same, in pieces between white space (how ToMBench's paper counts English).
    pub mean_spaced_words: f64,
    /// The same, in characters (Unicode scalar values; how ToMBench's paper counts Chinese).
    pub mean_characters: f64,
    /// Number of options to questions that have so many.
    pub options: IndexMap<usize, usize>,
    /// Gold option (0 is the first in canonical order) to questions, over all its occurrences in sets and slots.
    pub answers: IndexMap<usize, usize>,
}

/// The length of a text as a word segmenter cuts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    /// Pieces with a letter or a digit.
    pub words: usize,
    /// Words and punctuation marks, and in Chinese white space.
    pub pieces: usize,
}

/// Sizes of these items; `length` measures a text of an item's language.
pub fn stats(items: &[&Item], mut length: impl FnMut(&Item, &str) -> Length) -> Stats {
    let mut found = Stats {
        stories: items.iter().map(|item| &item.story).collect::<HashSet<_>>().len(),
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
            let length = length(item, &segment.text);
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
