//! How the texts of twins differ from their original's.

use indexmap::IndexMap;
use serde::Serialize;

use super::twins::sets;
use crate::benchmark::{Item, TextDifference, TextPart, text_differences};
use crate::metric::link::Twins;
use crate::stats::median;

/// A question of a version beside the original's.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TwinTexts {
    /// The id of the twins in the card.
    pub twins: String,
    /// The version.
    pub version: String,
    /// The edit that makes it of the original; null where the card does not say.
    pub edit: Option<String>,
    /// Id of the original.
    pub original: String,
    /// Id of the version's item.
    pub item: String,
    /// Words that only one of both has.
    pub words: usize,
    /// The parts that differ; `first` is the original, `second` the version.
    pub differences: Vec<TextDifference>,
}

/// The texts of a version beside those of the originals.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TwinTextsOfVersion {
    /// The id of the twins in the card.
    pub twins: String,
    /// The version.
    pub version: String,
    /// Pairs of a question and its original.
    pub pairs: usize,
    /// Median of the words that only one of a pair has.
    pub median_words: f64,
    /// Most such words.
    pub most_words: usize,
    /// Pairs with another context.
    pub other_context: usize,
    /// Pairs with another question.
    pub other_question: usize,
    /// Pairs with other options.
    pub other_options: usize,
    /// Pairs that differ in a part in which fewer than half of the version's pairs do: not in what the edit says alone.
    pub beyond_edit: usize,
}

/// The pairs of all twins of a card, in the order of the card, the sets and the versions.
pub fn twin_texts(items: &[Item], twins: &[Twins]) -> Vec<TwinTexts> {
    let mut found = Vec::new();
    for twins in twins {
        let part_of =
            |item: &Item| twins.parts.iter().position(|part| part.filter.passes(|name| item.grouped_by(name)));
        for set in sets(twins, items, part_of) {
            for (part, version) in twins.parts.iter().zip(&set).skip(1) {
                for (original, item) in set[0].iter().zip(version) {
                    let differences = text_differences(original, item);
                    found.push(TwinTexts {
                        twins: twins.id.clone(),
                        version: part.name.clone(),
                        edit: part.edit.clone(),
                        original: original.id.clone(),
                        item: item.id.clone(),
                        words: differences.iter().map(|difference| difference.words).sum(),
                        differences,
                    });
                }
            }
        }
    }
    found
}

/// What the pairs of each version have in common.
pub fn twin_texts_by_version(pairs: &[TwinTexts]) -> Vec<TwinTextsOfVersion> {
    let mut versions: IndexMap<(&str, &str), Vec<&TwinTexts>> = IndexMap::new();
    for pair in pairs {
        versions.entry((&pair.twins, &pair.version)).or_default().push(pair);
    }
    let differs = |pair: &TwinTexts, part| pair.differences.iter().any(|difference| difference.part == part);
    let of = |((twins, version), pairs): ((&str, &str), Vec<&TwinTexts>)| {
        let count = |part| pairs.iter().filter(|pair| differs(pair, part)).count();
        let seldom = |part: &TextPart| 2 * count(*part) < pairs.len();
        let unusual: Vec<TextPart> = TextPart::ALL.into_iter().filter(seldom).collect();
        let beyond = pairs.iter().filter(|pair| unusual.iter().any(|&part| differs(pair, part)));
        TwinTextsOfVersion {
            twins: twins.to_string(),
            version: version.to_string(),
            pairs: pairs.len(),
            median_words: median(pairs.iter().map(|pair| pair.words as f64).collect()).unwrap_or_default(),
            most_words: pairs.iter().map(|pair| pair.words).max().unwrap_or_default(),
            other_context: count(TextPart::Context),
            other_question: count(TextPart::Question),
            other_options: count(TextPart::Options),
            beyond_edit: beyond.count(),
        }
    };
    versions.into_iter().map(of).collect()
}
