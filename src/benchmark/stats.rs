//! Sizes of a benchmark: numbers of stories and questions, story lengths, distribution of answers.

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use super::count::versions;
use super::{Benchmark, Item, SegmentKind};
use crate::language::Language;
use crate::name::named;
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
    /// Number of questions.
    pub questions: usize,
    /// Mean length of the context over questions, in words of the language's segmenter.
    pub mean_words: f64,
    /// The same with punctuation marks, and in Chinese white space, counted as well (how Multi-ToM's paper counts Chinese).
    pub mean_pieces: f64,
    /// The same, in pieces between white space (how ToMBench's paper counts English).
    pub mean_spaced_words: f64,
    /// The same, in characters (Unicode scalar values; how ToMBench's paper counts Chinese).
    pub mean_characters: f64,
    /// The same, in tokens of the tokenizer that was given; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_tokens: Option<f64>,
    /// Mean length of question and options together, in pieces between white space (how ToMValley's paper counts).
    pub mean_question_words: f64,
    /// Number of questions by number of options.
    #[cfg_attr(test, schemars(with = "IndexMap<String, usize>"))]
    pub options: IndexMap<usize, usize>,
    /// Number of questions by gold option (0 is the first in canonical order), over all its occurrences in sets and
    /// slots.
    #[cfg_attr(test, schemars(with = "IndexMap<String, usize>"))]
    pub answers: IndexMap<usize, usize>,
}

/// Sizes of one part of a benchmark in one language and variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartStats {
    /// Name of the benchmark.
    pub benchmark: Benchmark,
    /// Language of the questions.
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

/// Numbers of questions by two facets, in one language and variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CrossTable {
    /// Name of the benchmark.
    pub benchmark: Benchmark,
    /// Language of the questions.
    pub language: Language,
    /// Variant, where the benchmark has several.
    pub variant: Option<String>,
    /// The facets: of the rows, and of the columns.
    pub by: [String; 2],
    /// Values of the second facet; `none` where items lack it.
    pub columns: Vec<String>,
    /// Numbers of questions in the order of the columns, by value of the first facet.
    pub rows: IndexMap<String, Vec<usize>>,
}

/// A length of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Length {
    /// Words of the context, by the language's segmenter.
    Words,
    /// Words and punctuation marks of the context, and in Chinese white space.
    Pieces,
    /// Pieces of the context between white space.
    SpacedWords,
    /// Unicode scalar values of the context.
    Characters,
    /// Tokens of the context.
    Tokens,
    /// Lines of the story.
    Lines,
    /// Pieces of question and options between white space.
    QuestionWords,
}

named!(Length, "length");

/// Lengths of a text.
#[derive(Debug, Clone, Copy)]
struct Lengths {
    /// Pieces with a letter or a digit.
    words: usize,
    /// Words and punctuation marks, and in Chinese white space.
    pieces: usize,
    /// Pieces between white space.
    spaced: usize,
    /// Unicode scalar values.
    characters: usize,
}

impl Lengths {
    fn new(text: &str, language: Language) -> Self {
        let pieces = segment(text, language);
        let count =
            |holds: fn(char) -> bool| pieces.iter().filter(|range| text[(*range).clone()].chars().any(holds)).count();
        // jieba makes a piece of every white space character, counting a two-character line end once.
        let blanks = match language {
            Language::Zh => text.replace("\r\n", "\n").chars().filter(|letter| letter.is_whitespace()).count(),
            _ => 0,
        };
        Lengths {
            words: count(char::is_alphanumeric),
            pieces: count(|letter| !letter.is_whitespace()) + blanks,
            spaced: spaced(text),
            characters: text.chars().count(),
        }
    }
}

/// Number of pieces between white space.
fn spaced(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Measures each text once: the questions of a story share it.
#[derive(Default)]
pub struct Ruler<'a> {
    /// By language, and by address and length of the text: the questions of a story share one copy.
    known: HashMap<(Language, usize, usize), Lengths>,
    /// Number of tokens of each segment of a context; empty without a tokenizer.
    tokens: HashMap<&'a str, usize>,
}

/// Sizes of a benchmark's items: for each language and variant its parts by a facet, then their total where some items
/// belong to no part, then the total.
pub fn stats<'a>(benchmark: Benchmark, items: &'a [Item], by: &str, ruler: &mut Ruler<'a>) -> Vec<PartStats> {
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

/// Numbers of questions by two facets, for each language and variant.
pub fn cross_table(benchmark: Benchmark, items: &[Item], by: &[String; 2]) -> Vec<CrossTable> {
    let value = |item: &Item, facet: &str| item.facet(facet).unwrap_or("none").to_string();
    let table = |version: super::count::Version<'_>| {
        let columns: IndexSet<String> = version.items.iter().map(|item| value(item, &by[1])).collect();
        let mut rows: IndexMap<String, Vec<usize>> = IndexMap::new();
        for item in &version.items {
            let row = rows.entry(value(item, &by[0])).or_insert_with(|| vec![0; columns.len()]);
            row[columns.get_index_of(&value(item, &by[1])).unwrap_or_default()] += 1;
        }
        CrossTable {
            benchmark,
            language: version.language,
            variant: version.variant.map(str::to_string),
            by: by.clone(),
            columns: columns.into_iter().collect(),
            rows,
        }
    };
    versions(items).into_iter().map(table).collect()
}

impl<'a> Ruler<'a> {
    /// A ruler with the number of tokens of each segment of a context.
    pub fn with_tokens(tokens: HashMap<&'a str, usize>) -> Self {
        Ruler { tokens, ..Ruler::default() }
    }

    fn lengths(&mut self, text: &'a str, language: Language) -> Lengths {
        let key = (language, text.as_ptr().addr(), text.len());
        *self.known.entry(key).or_insert_with(|| Lengths::new(text, language))
    }

    /// A length of an item; `None` for tokens without a tokenizer.
    pub(super) fn measure(&mut self, item: &'a Item, length: Length) -> Option<f64> {
        let texts = item.context.iter().map(|segment| &*segment.text);
        let found = match length {
            Length::Words => texts.map(|text| self.lengths(text, item.language).words).sum(),
            Length::Pieces => texts.map(|text| self.lengths(text, item.language).pieces).sum(),
            Length::SpacedWords => texts.map(|text| self.lengths(text, item.language).spaced).sum(),
            Length::Characters => texts.map(|text| self.lengths(text, item.language).characters).sum(),
            Length::Tokens if self.tokens.is_empty() => return None,
            Length::Tokens => texts.map(|text| self.tokens.get(text).copied()).sum::<Option<usize>>()?,
            Length::Lines => {
                let story = item.context.iter().filter(|segment| segment.kind == SegmentKind::Story);
                story.map(|segment| segment.text.lines().count()).sum()
            }
            Length::QuestionWords => {
                spaced(&item.question) + item.options.iter().map(|option| spaced(option)).sum::<usize>()
            }
        };
        Some(found as f64)
    }

    fn stats(&mut self, items: &[&'a Item]) -> Stats {
        let mut mean = |length: Length| {
            let sum = items.iter().map(|item| self.measure(item, length)).sum::<Option<f64>>();
            sum.map(|sum| sum / items.len().max(1) as f64)
        };
        let mut found = Stats {
            stories: items.iter().map(|item| &item.story).collect::<HashSet<_>>().len(),
            stories_by_ability: items
                .iter()
                .any(|item| item.facet("ability").is_some())
                .then(|| items.iter().map(|item| (&item.story, item.facet("ability"))).collect::<HashSet<_>>().len()),
            questions: items.len(),
            mean_words: mean(Length::Words).unwrap_or_default(),
            mean_pieces: mean(Length::Pieces).unwrap_or_default(),
            mean_spaced_words: mean(Length::SpacedWords).unwrap_or_default(),
            mean_characters: mean(Length::Characters).unwrap_or_default(),
            mean_tokens: mean(Length::Tokens),
            mean_question_words: mean(Length::QuestionWords).unwrap_or_default(),
            options: IndexMap::new(),
            answers: IndexMap::new(),
        };
        for item in items {
            *found.options.entry(item.options.len()).or_default() += 1;
            for option in item.gold.options() {
                *found.answers.entry(option).or_default() += 1;
            }
        }
        found.options.sort_unstable_keys();
        found.answers.sort_unstable_keys();
        found
    }
}
